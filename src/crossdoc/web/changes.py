"""All that the explorer writes: queues of orders, worked off by processes of their own, one of which writes at a time.

An order is done when its change is in the file; what contradicts earlier judgements is refused with their chain, and
nothing of it is written. Judgements do not wait for documents that are being read, nor pages for either. What two
browsers say is both kept: the second is judged against what the first has said.
"""

from __future__ import annotations

import atexit
import multiprocessing
import queue
import threading
from collections import deque
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import count
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Literal

from crossdoc import errors
from crossdoc.model import Judgement, Verdict
from crossdoc.review import Asked
from crossdoc.revision import Change
from crossdoc.store.judgement_log import Entry
from crossdoc.web import worker
from crossdoc.web.reading import Reader

State = Literal["waiting", "working", "done", "refused"]
KEPT = 200
"""Orders that are remembered, for pages that ask what became of them."""


@dataclass(frozen=True, slots=True)
class ChainStep:
    """One judgement of a contradiction; `number` is its entry in the log, None of what is being said now."""

    number: int | None
    verdict: str
    a: str
    b: str
    who: str
    why: str
    when: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why an order was not carried out; nothing of it is in the file."""

    what: str
    hint: str = ""
    chain: tuple[ChainStep, ...] = ()
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
    summary: str = ""
    """What is wanted, in words."""
    state: State = "waiting"
    stage: str = ""
    done: int = 0
    total: int | None = None
    change: Change | None = None
    refusal: Refusal | None = None
    answer: Any = None
    """What was asked for, where nothing is changed."""
    finished: Future[Order] = field(default_factory=Future)
    """Of this order, when it is done or refused."""

    def wait(self, timeout: float | None = None) -> Order:
        return self.finished.result(timeout)

    @property
    def share(self) -> float | None:
        """How much of the present stage is done, from 0 to 1; None where nobody knows."""
        return min(1.0, self.done / self.total) if self.total else None


class Lane:
    """A queue of orders, and the process that works them off, which is started when it is first needed."""

    def __init__(self, changes: Changes, name: str) -> None:
        self.changes = changes
        self._queue: queue.SimpleQueue[tuple[Order, tuple[Any, ...], dict[str, Any]] | None] = queue.SimpleQueue()
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None
        self._starting = threading.Lock()
        self._thread = threading.Thread(target=self._work, name=f"crossdoc {name}", daemon=True)
        self._thread.start()

    def put(self, order: Order, arguments: tuple[Any, ...], options: dict[str, Any]) -> None:
        self._queue.put((order, arguments, options))

    def close(self, timeout: float | None = None) -> None:
        """Finish what was taken; what takes longer than `timeout` is broken off, and leaves the answer as it was."""
        self._queue.put(None)
        self._thread.join(timeout)
        if self._pipe is not None:
            self._pipe.close()
        if self._process is not None:
            self._process.join(1)
            self._process.terminate()

    def warm_up(self) -> Connection:
        """Start the process, which takes a moment."""
        with self._starting:
            if self._pipe is None or self._process is None or not self._process.is_alive():
                context = multiprocessing.get_context("spawn")
                self._pipe, theirs = context.Pipe()
                self._process = context.Process(target=worker.serve, args=(theirs, self.changes.path))
                self._process.start()
                theirs.close()
            return self._pipe

    def _work(self) -> None:
        while (taken := self._queue.get()) is not None:
            order, arguments, options = taken
            order.state, order.stage = "working", "getting ready"
            try:
                self._carry_out(order, arguments, options)
            except (EOFError, OSError):
                self._process = None
                error = errors.worker_died(order.act)
                order.refusal = Refusal(error.what, error.hint)
            except Exception as error:  # noqa: BLE001 -- whatever it is, the next order has to be served.
                failed = errors.change_failed(order.act, type(error).__name__, str(error))
                order.refusal = Refusal(failed.what, failed.hint)
            order.state = "refused" if order.refusal is not None else "done"
            order.finished.set_result(order)

    def _carry_out(self, order: Order, arguments: tuple[Any, ...], options: dict[str, Any]) -> None:
        pipe = self.warm_up()
        pipe.send((order.act, arguments, options))
        with ExitStack() as turn:
            while True:
                match pipe.recv():
                    case ("progress", stage, done, total):
                        order.stage, order.done, order.total = stage, done, total
                    case ("write",):
                        # One at a time, and nobody of this process has the file open meanwhile.
                        turn.enter_context(self.changes.turn)
                        turn.enter_context(self.changes.reader.file.released())
                        pipe.send("go")
                    case ("written",):
                        turn.close()
                    case ("done", outcome):
                        order.change = outcome if isinstance(outcome, Change) else None
                        order.answer = outcome
                        return
                    case ("refused", what, hint, chain):
                        order.refusal = self.changes.refusal(what, hint, chain)
                        return


class Changes:
    """The changes to one file.

    Parameters
    ----------
    path : the file.
    reader : who looks at it meanwhile, and is asked to let go of the file for each write.
    """

    def __init__(self, path: Path, reader: Reader) -> None:
        self.path, self.reader = Path(path), reader
        self.turn = threading.Lock()
        self.orders: deque[Order] = deque(maxlen=KEPT)
        self._numbers = count(1)
        self._lanes: dict[str, Lane] = {}
        self._opening = threading.Lock()
        self._closed = False
        # Python waits for processes that it started before it ends, and they wait for their pipes to be closed.
        atexit.register(self.close)

    # -- what can be wanted ------------------------------------------------------------------------------------------

    def judge(self, a: str, b: str, verdict: Verdict, *, who: str = "", why: str = "") -> Order:
        """Two profiles are the same entity, or different ones."""
        return self._order("judgements", "judge", a, b, verdict, who=who, why=why)

    def say(self, a: str, b: str, verdict: Verdict, *, who: str = "", why: str = "") -> Order:
        """The answer to a question of a review."""
        return self._order("judgements", "say", a, b, verdict, who=who, why=why)

    def merge(self, *identities: str, who: str = "", why: str = "") -> Order:
        """These identities are one."""
        return self._order("judgements", "merge", *identities, who=who, why=why)

    def split(self, identity: str, profiles: Iterable[str], *, who: str = "", why: str = "") -> Order:
        """These profiles of an identity are somebody else."""
        return self._order("judgements", "split", identity, list(profiles), who=who, why=why)

    def rename(self, identity: str, name: str, *, who: str = "", why: str = "") -> Order:
        return self._order("judgements", "rename", identity, name, who=who, why=why)

    def undo(self, entry: int | None = None, *, who: str = "", why: str = "") -> Order:
        """An entry of the log, or the last one, no longer holds."""
        return self._order("judgements", "undo", entry, who=who, why=why)

    def add(self, *inputs: Path, who: str = "", summary: str = "") -> Order:
        """Add documents from files or folders."""
        return self._order("documents", "add", *inputs, who=who, summary=summary)

    def remove(self, *documents: str, who: str = "") -> Order:
        """Take documents out, by their ids."""
        return self._order("documents", "remove", *documents, who=who)

    def questions(self, most: int) -> Order:
        """The pairs whose answer would change most (`Order.answer`)."""
        return self._order("review", "questions", most, kept=False)

    def explain(self, asked: Asked) -> Order:
        """What speaks for and against such a pair (`Order.answer`)."""
        return self._order("review", "explain", asked, kept=False)

    def skip(self, asked: Asked) -> Order:
        """Ask about other pairs."""
        return self._order("review", "skip", asked, kept=False)

    # -- the queues --------------------------------------------------------------------------------------------------

    def order(self, number: int) -> Order | None:
        return next((order for order in list(self.orders) if order.number == number), None)

    def get_ready(self) -> None:
        """Start the process that takes judgements, so that the first one is as quick as the others."""
        threading.Thread(target=self._lane("judgements").warm_up, daemon=True).start()

    def close(self, timeout: float | None = 20.0) -> None:
        """Take no more orders, and finish those that were taken."""
        with self._opening:
            self._closed = True
        atexit.unregister(self.close)
        for lane in self._lanes.values():
            lane.close(timeout)

    def refusal(self, what: str, hint: str, chain: Sequence[object]) -> Refusal:
        """A refusal, with the entries of the log behind a contradiction."""
        judgements = [each for each in chain if isinstance(each, Judgement)]
        if not judgements:
            return Refusal(what, hint)
        entries = {line.entry.number: line.entry for line in self.reader.log() if line.standing}
        steps = [_step(each, entries) for each in judgements]
        # What is being said now comes last, whichever way round the chain was found.
        steps.sort(key=lambda step: step.number is None)
        refused = errors.contradicts_earlier()
        return Refusal(refused.what, refused.hint, tuple(steps))

    def _order(
        self, lane: str, act: str, *arguments: Any, kept: bool = True, summary: str = "", **options: str
    ) -> Order:
        order = Order(next(self._numbers), act, options.get("who", ""), options.get("why", ""), summary)
        self._lane(lane).put(order, arguments, options)
        if kept:
            self.orders.append(order)
        return order

    def _lane(self, name: str) -> Lane:
        with self._opening:
            if self._closed:
                raise errors.page_is_closing()
            if name not in self._lanes:
                self._lanes[name] = Lane(self, name)
            return self._lanes[name]


def _step(judgement: Judgement, entries: dict[int, Entry]) -> ChainStep:
    # `located` tells whose entry it was at the end of `who`; one that is not in the log is what was refused.
    number = judgement.who.rpartition("entry ")[2]
    entry = entries.get(int(number)) if number.isdecimal() else None
    if entry is None:
        return ChainStep(None, judgement.verdict, judgement.a, judgement.b, "", judgement.why, "")
    return ChainStep(entry.number, judgement.verdict, judgement.a, judgement.b, entry.who, entry.why, entry.when)
