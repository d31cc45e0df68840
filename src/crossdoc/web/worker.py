"""A process of the explorer that changes the answer, or selects questions for a review.

It receives orders through a pipe and sends its progress. Documents are read while the file is open only for moments.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from crossdoc import errors
from crossdoc.model import Verdict
from crossdoc.progress import Progress
from crossdoc.read import Input
from crossdoc.run.affected import Incoming
from crossdoc.run.resolution import Resolution
from crossdoc.run.review import Asked, Review
from crossdoc.run.revise import Change, Revision
from crossdoc.store import Store
from crossdoc.store.connection import when_unlocked
from crossdoc.store.judgement_log import Entry

CHANGE_PATIENCE = 60.0
"""Seconds to wait for a file that another program has open."""
OFTEN = 0.1
"""Seconds between two reports of progress."""


class OneReading(Revision):
    """A change that reads its documents only once, while other processes may write the file."""

    def __init__(self, answer: WritableAnswer, progress: Progress | None) -> None:
        super().__init__(answer.store, progress)
        self.answer = answer

    def read(self, inputs: Iterable[Input]) -> tuple[Incoming, list[str]]:
        if self.answer.read_already is None:
            with self.store.at_rest():
                self.answer.read_already = super().read(inputs)
        incoming, paths = self.answer.read_already
        ids = (incoming.profiles if self.of_profiles else incoming.documents).ids
        return replace(incoming, gone=sorted(self.store.known(self._what, ids))), paths


class WritableAnswer(Resolution):
    """An answer that orders of the explorer change."""

    read_already: tuple[Incoming, list[str]] | None = None

    def say(self, a: str, b: str, verdict: Verdict, *, who: str = "", why: str = "") -> Change:
        """Store the answer to a question of a review; "same" merges the two identities."""
        own = self.store.entity_of([a, b])
        if verdict == "same" and a in own and b in own and own[a] != own[b]:
            return self.merge(own[a], own[b], who=who, why=why)
        return self.judge(a, b, verdict, who=who, why=why)

    def revision(self, progress: Progress | None = None) -> Revision:
        return OneReading(self, progress)


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
        if self.review is None or not self._is_up_to_date(self.review):
            with Store.open(self.path) as store:
                self.review = Review(Resolution(store), progress=self.progress)
                self.collection, self.entries = _collection(store), store.entries(standing=False)
        with self.review.resolution.store.awake():
            yield self.review

    def _is_up_to_date(self, review: Review) -> bool:
        """Whether the questions are those of the file; new judgements are taken into account."""
        with review.resolution.store.awake():
            if _collection(review.resolution.store) != self.collection:
                return False
            known, self.entries = len(self.entries), review.resolution.store.entries(standing=False)
            about = {entry.number: entry.about for entry in self.entries}
            if new := self.entries[known:]:
                review.heed({id for each in new for id in about.get(each.undoes or each.number, ())})
            return True


def _collection(store: Store) -> tuple[str | None, int]:
    return store.meta("salt"), store.count("profiles")


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
    with WritableAnswer(Store.open(path)) as answer:
        return getattr(answer, act)(*arguments, **options)
