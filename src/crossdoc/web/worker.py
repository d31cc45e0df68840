"""A process of the explorer that changes the answer, or selects questions for a review.

It receives orders through a pipe and sends its progress. Documents are read while the file is open only for moments.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from crossdoc import errors
from crossdoc.run.resolution import Resolution
from crossdoc.run.review import Asked, Review, say
from crossdoc.run.revise import Change
from crossdoc.store import Store
from crossdoc.store.connection import when_unlocked
from crossdoc.store.judgement_log import Entry

CHANGE_PATIENCE = 60.0
"""Seconds to wait for a file that another program has open."""
OFTEN = 0.1
"""Seconds between two reports of progress."""


class PipeProgress:
    """Progress that is sent through a pipe."""

    def __init__(self, pipe: Connection) -> None:
        self.pipe, self.stage, self.done = pipe, "", 0
        self.total: int | None = None
        self._last = 0.0

    def start(self, stage: str, total: int | None = None) -> None:
        self.stage, self.total, self.done = stage, total, 0
        self._send()

    def advance(self, steps: int = 1) -> None:
        self.done += steps
        if time.monotonic() - self._last > OFTEN:
            self._send()

    def note(self, message: str) -> None:
        """Ignore notes: they are part of the change."""

    def _send(self) -> None:
        self._last = time.monotonic()
        self.pipe.send(("progress", self.stage, self.done, self.total))


class Questions:
    """The questions of a review, updated after judgements."""

    def __init__(self, path: Path, progress: PipeProgress) -> None:
        self.path, self.progress = path, progress
        self.review: Review | None = None
        self.collection: tuple[str | None, int] = (None, 0)
        """Salt of the run and number of profiles; other values need a new review."""
        self.entries: list[Entry] = []

    def questions(self, most: int) -> list[Asked]:
        with self._current() as review:
            return review.questions(most)

    def skip(self, asked: Asked) -> None:
        with self._current() as review:
            review.skip(asked)

    @contextmanager
    def _current(self) -> Iterator[Review]:
        """Provide the questions of the present file; new judgements are taken into account."""
        store = Store.open(self.path) if self.review is None else self.review.resolution.store
        with store.awake():
            collection, entries = (store.meta("salt"), store.count("profiles")), store.entries(standing=False)
            if self.review is None or collection != self.collection:
                self.review = Review(Resolution(store), progress=self.progress)
            elif new := entries[len(self.entries) :]:
                about = {entry.number: entry.about for entry in entries}
                self.review.heed({id for each in new for id in about.get(each.undoes or each.number, ())})
            self.collection, self.entries = collection, entries
            yield self.review


def serve(pipe: Connection, path: Path) -> None:
    """Carry out orders from a pipe until its other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    questions = Questions(path, PipeProgress(pipe))
    with suppress(EOFError, OSError):
        while True:
            act, arguments, options = pipe.recv()
            pipe.send(outcome(pipe, path, questions, act, arguments, options))


def outcome(
    pipe: Connection, path: Path, questions: Questions, act: str, arguments: tuple[Any, ...], options: dict[str, Any]
) -> tuple[Any, ...]:
    """Carry out an order, and return the message about its outcome."""
    do = getattr(questions, act, None) or partial(_change, pipe, path, act)
    waiting = partial(PipeProgress(pipe).start, "another program has the file open")
    try:
        return "done", when_unlocked(lambda: do(*arguments, **options), CHANGE_PATIENCE, waiting)
    except errors.CrossdocError as error:
        return "refused", error
    except (BrokenPipeError, EOFError):
        raise
    except Exception as error:  # noqa: BLE001 -- whatever it is, the next order has to be served.
        return "refused", errors.change_failed(act, type(error).__name__, str(error))


def _change(pipe: Connection, path: Path, act: str, *arguments: Any, **options: Any) -> Change:
    if act in ("add", "remove"):
        options = {"progress": PipeProgress(pipe)}
    with Resolution.open(path) as answer:
        return say(answer, *arguments, **options) if act == "say" else getattr(answer, act)(*arguments, **options)
