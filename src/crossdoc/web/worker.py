"""A process of the explorer that changes the answer, or looks for questions, while the page goes on being answered.

It is told what to do through a pipe and tells how far it is. Before it writes it asks, so that nobody of the explorer
has the file open; while it reads documents to be added it has the file open for moments alone.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterable, Iterator, Set
from contextlib import contextmanager, suppress
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from crossdoc import errors
from crossdoc.compare.ensemble import Explanation
from crossdoc.model import Profiles, Verdict
from crossdoc.progress import Progress
from crossdoc.read import Input
from crossdoc.resolution import Resolution
from crossdoc.review import Asked, Review
from crossdoc.revision import Change, Incoming, Revision
from crossdoc.store import Store
from crossdoc.store.connection import is_locked, let_go
from crossdoc.store.judgement_log import Entry

PATIENCE = 60.0
"""Seconds to wait for a file that another program has open."""
OFTEN = 0.1
"""Seconds between two words on how far the work is."""
LOOKING = "looking for questions"


class AskingStore(Store):
    """A store that asks before it opens its file for writing."""

    pipe: Connection | None = None
    resting = False
    """Whether the file is open only while something is asked."""

    @contextmanager
    def for_writing(self) -> Iterator[None]:
        # Whoever waits for the turn must not keep the one before from writing.
        self.close()
        if self.pipe is None:
            raise errors.only_looking()
        self.pipe.send(("write",))
        self.pipe.recv()
        try:
            with super().for_writing():
                yield
        finally:
            self.pipe.send(("written",))

    @contextmanager
    def at_rest(self) -> Iterator[None]:
        """In here others may write the file, except while something is asked.

        The file alone is let go of: documents are read into the database that it was attached to (`beside`).
        """
        let_go(self._db)
        self.resting = True
        try:
            yield
        finally:
            self.resting = False
            self._read_again()

    @contextmanager
    def _for_a_moment(self) -> Iterator[None]:
        if not self.resting:
            yield
            return
        self.resting = False
        try:
            with self.awake():
                yield
        finally:
            self.resting = True

    # What is asked while documents are read.

    def texts_of(self, ids: Iterable[str]) -> dict[str, str]:
        with self._for_a_moment():
            return super().texts_of(ids)

    def known(self, table: str, ids: Iterable[str]) -> set[str]:
        with self._for_a_moment():
            return super().known(table, ids)

    def profiles(self, entity_type: str | None = None, ids: Iterable[str] | None = None) -> Profiles:
        with self._for_a_moment():
            return super().profiles(entity_type, ids)

    def texts(self, batch_size: int = 256) -> Iterator[list[str]]:
        with self._for_a_moment():
            yield from super().texts(batch_size)

    def name_types(self, names: Iterable[str] | None = None, *, several: bool = True) -> Iterator[tuple[str, str, int]]:
        with self._for_a_moment():
            found = list(super().name_types(names, several=several))
        yield from found

    def counted(self, what: str, entity_type: str, keys: Iterable[str] | None) -> list[tuple[str, str, int]]:
        with self._for_a_moment():
            return super().counted(what, entity_type, keys)

    def salt(self) -> bytes:
        with self._for_a_moment():
            return super().salt()


class _Revision(Revision):
    """A change whose documents are read while others may write, and only once."""

    read_already: dict[int, tuple[Incoming, list[str]]]

    def _read(self, inputs: Iterable[Input]) -> tuple[Incoming, list[str]]:
        if 0 not in self.read_already:
            assert isinstance(self.store, AskingStore)
            with self.store.at_rest():
                self.read_already[0] = super()._read(inputs)
        incoming, paths = self.read_already[0]
        ids = (incoming.profiles if self.of_profiles else incoming.documents).ids
        return replace(incoming, gone=sorted(self.store.known(self._what, ids))), paths


class WritableAnswer(Resolution):
    """The answer, as a process of the explorer changes it."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._read_already: dict[int, tuple[Incoming, list[str]]] = {}

    def say(self, a: str, b: str, verdict: Verdict, *, who: str = "", why: str = "") -> Change:
        """The answer to a question of a review: of two identities "same" is said of all their profiles."""
        own = self.store.entity_of([a, b])
        if verdict == "same" and a in own and b in own and own[a] != own[b]:
            return self.merge(own[a], own[b], who=who, why=why)
        return self.judge(a, b, verdict, who=who, why=why)

    def revision(self, progress: Progress | None = None) -> Revision:
        made = _Revision(self.store, progress)
        made.read_already = self._read_already
        return made


class PipeProgress:
    """Progress through the pipe."""

    def __init__(self, pipe: Connection) -> None:
        self.pipe, self.stage, self.done = pipe, "", 0
        self.total: int | None = None
        self._last = 0.0

    def start(self, stage: str, total: int | None = None) -> None:
        self.stage, self.total, self.done = stage, total, 0
        self._tell()

    def advance(self, steps: int = 1) -> None:
        self.done += steps
        if time.monotonic() - self._last > OFTEN:
            self._tell()

    def note(self, message: str) -> None:
        """Notes are in the change."""

    def _tell(self) -> None:
        self._last = time.monotonic()
        self.pipe.send(("progress", self.stage, self.done, self.total))


class Questions:
    """The questions of a review, looked for again where somebody has judged."""

    def __init__(self, path: Path, progress: PipeProgress) -> None:
        self.path, self.progress = path, progress
        self.review: Review | None = None
        self.seen: tuple[str | None, int] = (None, 0)
        self.entries: list[Entry] = []

    def questions(self, most: int) -> list[Asked]:
        with self._current() as review:
            return review.questions(most)

    def explain(self, asked: Asked) -> Explanation:
        with self._current() as review:
            return review.explain(asked)

    def skip(self, asked: Asked) -> None:
        with self._current() as review:
            review.skip(asked)

    @contextmanager
    def _current(self) -> Iterator[Review]:
        if self.review is None:
            self._begin()
        assert self.review is not None
        with self.review.resolution.store.awake():
            store = self.review.resolution.store
            if self.seen != (now := self._state(store)):
                entries = store.entries(standing=False)
                profiles = store.count("profiles")
                touched = {id for entry in entries[len(self.entries) :] for id in _about(entry, entries)}
                if now[0] == self.seen[0] and profiles == self.profiles:
                    self.review.heed(touched)
                    self.seen, self.entries = now, entries
                else:
                    self.review = None
            if self.review is not None:
                yield self.review
                return
        with self._current() as review:
            yield review

    def _begin(self) -> None:
        store = AskingStore.open(self.path)
        try:
            self.review = Review(Resolution(store), progress=self.progress)
            self.seen, self.entries = self._state(store), store.entries(standing=False)
            self.profiles = store.count("profiles")
        finally:
            store.close()

    def _state(self, store: Store) -> tuple[str | None, int]:
        return store.meta("salt"), store.revision


def _about(entry: Entry, entries: list[Entry]) -> Set[str]:
    if entry.undoes is None:
        return entry.about
    return next((other.about for other in entries if other.number == entry.undoes), set())


def serve(pipe: Connection, path: Path) -> None:
    """Work off what comes through the pipe, until nobody is at its other end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    questions = Questions(path, PipeProgress(pipe))
    with suppress(EOFError, OSError):
        while True:
            act, arguments, options = pipe.recv()
            pipe.send(_done(pipe, path, questions, act, arguments, options))


def _done(
    pipe: Connection, path: Path, questions: Questions, act: str, arguments: tuple[Any, ...], options: dict[str, Any]
) -> tuple[Any, ...]:
    """Do what is wanted, and what is to be said of it."""
    do = getattr(questions, act, None) or (lambda *given, **more: _change(pipe, path, act, given, more))
    try:
        return "done", _patiently(do, arguments, options, PipeProgress(pipe))
    except errors.CrossdocError as error:
        return "refused", error.what, error.hint, list(getattr(error, "chain", ()))
    except (BrokenPipeError, EOFError):
        raise
    except Exception as error:  # noqa: BLE001 -- whatever it is, the next order has to be served.
        failure = errors.change_failed(act, type(error).__name__, str(error))
        return "refused", failure.what, failure.hint, []


def _change(pipe: Connection, path: Path, act: str, arguments: tuple[Any, ...], options: dict[str, Any]) -> Change:
    store = AskingStore.open(path)
    assert isinstance(store, AskingStore)
    store.pipe = pipe
    if act in ("add", "remove"):
        options = {"progress": PipeProgress(pipe)}
    with WritableAnswer(store) as answer:
        return getattr(answer, act)(*arguments, **options)


def _patiently(
    do: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any], progress: PipeProgress
) -> Any:
    """Another program may have the file open for a moment."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return do(*arguments, **options)
        except errors.StoreError as error:
            if not is_locked(error.__cause__) or time.monotonic() > until:
                raise
        progress.start("another program has the file open")
        time.sleep(OFTEN)
