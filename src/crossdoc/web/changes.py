"""All that the explorer writes: one thread works off a queue, so that what two browsers say is both kept.

An order is done when its change is in the file; what contradicts earlier judgements is refused with their chain, and
nothing of it is written. The file is open only while an order is worked on.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Literal

from crossdoc import errors
from crossdoc.model import Judgement, Verdict
from crossdoc.progress import Progress
from crossdoc.resolution import Resolution
from crossdoc.revision import Change
from crossdoc.store import Store
from crossdoc.store.connection import is_locked
from crossdoc.store.log import Entry

State = Literal["waiting", "working", "done", "refused"]
KEPT = 200
"""Orders that are remembered, for pages that ask what became of them."""
PATIENCE = 60.0
"""Seconds that an order waits for a file that another program has open."""


@dataclass(frozen=True, slots=True)
class Step:
    """One judgement of a contradiction; `number` is its entry in the log, None of what is being said now."""

    number: int | None
    verdict: str
    a: str
    b: str
    a_told: str
    """What profile a was when it was judged: its name and document."""
    b_told: str
    who: str
    why: str
    when: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an order was not carried out; nothing of it is in the file."""

    what: str
    hint: str = ""
    chain: tuple[Step, ...] = ()
    """Of a contradiction: what was said earlier, and last what is being said now."""

    @property
    def earlier(self) -> list[int]:
        """Entries of the log that stand against it."""
        return list(dict.fromkeys(step.number for step in self.chain if step.number is not None))


@dataclass(eq=False)
class Order:
    """Something that somebody wants changed, and what became of it."""

    number: int
    act: str
    who: str
    why: str
    told: str = ""
    """What is wanted, in words."""
    state: State = "waiting"
    stage: str = ""
    done: int = 0
    total: int | None = None
    change: Change | None = None
    refusal: Refusal | None = None
    finished: Future[Order] = field(default_factory=Future)
    """Of this order, when it is done or refused."""

    def wait(self, timeout: float | None = None) -> Order:
        return self.finished.result(timeout)

    @property
    def share(self) -> float | None:
        """How much of the present stage is done, from 0 to 1; None where nobody knows."""
        return min(1.0, self.done / self.total) if self.total else None


class _Told:
    """Progress of an order, for whoever looks at it."""

    def __init__(self, order: Order) -> None:
        self.order = order

    def start(self, stage: str, total: int | None = None) -> None:
        self.order.stage, self.order.total, self.order.done = stage, total, 0

    def advance(self, steps: int = 1) -> None:
        self.order.done += steps

    def note(self, message: str) -> None:
        """Notes are in the change."""


Work = Callable[[Progress], Change]


class Changes:
    """The queue of changes to one file.

    Parameters
    ----------
    path : the file.
    read_only : refuse everything.
    changed : called in the writing thread after each change, with the order.
    """

    def __init__(self, path: Path, *, read_only: bool = False, changed: Callable[[Order], None] | None = None) -> None:
        self.path, self.read_only = Path(path), read_only
        self.listeners: list[Callable[[Order], None]] = [] if changed is None else [changed]
        self.orders: deque[Order] = deque(maxlen=KEPT)
        self._numbers = count(1)
        self._queue: queue.SimpleQueue[tuple[Order, Work] | None] = queue.SimpleQueue()
        self._closing = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._work, name="crossdoc changes", daemon=True)
        self._thread.start()

    # -- what can be wanted ------------------------------------------------------------------------------------------

    def judge(self, a: str, b: str, verdict: Verdict, *, who: str = "", why: str = "") -> Order:
        """Two profiles are the same entity, or different ones."""
        return self._of("judge", lambda answer: answer.judge(a, b, verdict, who=who, why=why), who, why)

    def merge(self, *identities: str, who: str = "", why: str = "") -> Order:
        return self._of("merge", lambda answer: answer.merge(*identities, who=who, why=why), who, why)

    def split(self, identity: str, profiles: Iterable[str], *, who: str = "", why: str = "") -> Order:
        """These profiles of an identity are somebody else."""
        apart = list(profiles)
        return self._of("split", lambda answer: answer.split(identity, apart, who=who, why=why), who, why)

    def rename(self, identity: str, name: str, *, who: str = "", why: str = "") -> Order:
        return self._of("rename", lambda answer: answer.rename(identity, name, who=who, why=why), who, why)

    def undo(self, entry: int | None = None, *, who: str = "", why: str = "") -> Order:
        return self._of("undo", lambda answer: answer.undo(entry, who=who, why=why), who, why)

    def add(self, *inputs: Path, who: str = "", why: str = "", told: str = "") -> Order:
        """Add documents from files or folders."""

        def work(progress: Progress) -> Change:
            with Resolution.open(self.path) as answer:
                return answer.add(*inputs, progress=progress)

        return self.submit("add", work, who=who, why=why, told=told)

    def remove(self, documents: Iterable[str], *, who: str = "", why: str = "") -> Order:
        gone = list(documents)

        def work(progress: Progress) -> Change:
            with Resolution.open(self.path) as answer:
                return answer.remove(*gone, progress=progress)

        return self.submit("remove", work, who=who, why=why)

    def _of(self, act: str, do: Callable[[Resolution], Change], who: str, why: str) -> Order:
        def work(progress: Progress) -> Change:
            progress.start(act)
            with Resolution.open(self.path) as answer:
                return do(answer)

        return self.submit(act, work, who=who, why=why)

    # -- the queue ---------------------------------------------------------------------------------------------------

    def submit(self, act: str, work: Work, *, who: str = "", why: str = "", told: str = "") -> Order:
        """Put something at the end of the queue; `work` runs in the writing thread."""
        if self.read_only:
            raise errors.only_looking()
        order = Order(next(self._numbers), act, who, why, told)
        with self._closing:
            if self._closed:
                raise errors.page_is_closing()
            self.orders.append(order)
            self._queue.put((order, work))
        return order

    def order(self, number: int) -> Order | None:
        return next((order for order in list(self.orders) if order.number == number), None)

    @property
    def under_way(self) -> list[Order]:
        """What is waiting or being done, oldest first."""
        return [order for order in list(self.orders) if order.state in ("waiting", "working")]

    def close(self, timeout: float | None = None) -> None:
        """Take no more orders, and finish those that were taken."""
        with self._closing:
            self._closed = True
            self._queue.put(None)
        self._thread.join(timeout)

    def _work(self) -> None:
        while (taken := self._queue.get()) is not None:
            order, work = taken
            order.state = "working"
            try:
                order.change = self._patiently(order, work)
                order.state = "done"
            except errors.CrossdocError as error:
                order.refusal = self._refusal(error)
                order.state = "refused"
            except Exception as error:  # noqa: BLE001 -- whatever it is, the thread has to serve the next order.
                order.refusal = self._refusal(errors.change_failed(order.act, error))
                order.state = "refused"
            for listener in list(self.listeners):
                listener(order)
            order.finished.set_result(order)

    def _patiently(self, order: Order, work: Work) -> Change:
        """Another program may have the file open for a moment."""
        until = time.monotonic() + PATIENCE
        while True:
            try:
                return work(_Told(order))
            except errors.StoreError as error:
                if not is_locked(error.__cause__) or time.monotonic() > until:
                    raise
            order.stage = "another program has the file open"
            time.sleep(0.1)

    def _refusal(self, error: errors.CrossdocError) -> Refusal:
        if not isinstance(error, errors.ConstraintError) or not error.chain:
            return Refusal(error.what, error.hint)
        said = [each for each in error.chain if isinstance(each, Judgement)]
        with Store.open(self.path) as store:
            entries = {entry.number: entry for entry in store.entries()}
            places = store.places({id for each in said for id in (each.a, each.b)})
        told = {id: str(place) for id, place in places.items()}
        hint = "Take one of the earlier ones back, or leave it as it is."
        steps = [_step(each, entries, told) for each in said]
        # What is being said now comes last, whichever way round the chain was found.
        return Refusal(
            "This contradicts what was said before.", hint, tuple(sorted(steps, key=lambda s: s.number is None))
        )


def _step(said: Judgement, entries: dict[int, Entry], told: dict[str, str]) -> Step:
    # `located` tells whose entry it was at the end of `who`; one that is not in the log is what was refused.
    number = said.who.rpartition("entry ")[2]
    entry = entries.get(int(number)) if number.isdecimal() else None
    names = (told.get(said.a, said.a), told.get(said.b, said.b))
    if entry is None:
        return Step(None, said.verdict, said.a, said.b, *names, "", said.why, "")
    return Step(entry.number, said.verdict, said.a, said.b, *names, entry.who, entry.why, entry.when)


def told_of(steps: Sequence[Step]) -> list[str]:
    """A contradiction as sentences, for those who read no pictures."""
    verb = {"same": "is the same as", "different": "is not"}
    return [
        f"{step.a_told} {verb[step.verdict]} {step.b_told}"
        + (f", said {step.who or 'somebody'}" + (f": {step.why}" if step.why else "") if step.number else "")
        for step in steps
    ]
