"""Changes by the explorer: queues of orders, each carried out by its own process.

An order is done when its change is in the file. An order that contradicts earlier judgements is refused with the chain
of these judgements, and nothing is written. Judgements do not wait for documents that are being read, and pages wait
for neither. Orders of two browsers are both carried out, the second on the result of the first.
"""

from __future__ import annotations

import atexit
import multiprocessing
import queue
import threading
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import count
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Literal

from crossdoc import errors
from crossdoc.model import Judgement
from crossdoc.run.revise import Change
from crossdoc.store.judgement_log import Entry
from crossdoc.web import worker
from crossdoc.web.reader import Reader

Act = Literal["judge", "say", "merge", "split", "rename", "undo", "add", "remove", "questions", "skip"]
"""Methods of `Resolution` and `worker.Questions`, which an order carries out, and `say`, the answer to a question."""
State = Literal["waiting", "working", "done", "refused"]
LANES = {"add": "documents", "remove": "documents", "questions": "review", "skip": "review"}
"""Act → its queue; all others are judgements."""
ORDERS_KEPT = 200
"""Orders whose outcome can still be requested."""


@dataclass(frozen=True, slots=True)
class ChainStep:
    """One judgement of a contradiction; `number` is its entry in the log, or None for the new judgement."""

    number: int | None
    verdict: str
    a: str
    b: str
    who: str
    why: str
    when: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason why an order was not carried out; nothing of it is in the file."""

    what: str
    hint: str = ""
    chain: tuple[ChainStep, ...] = ()
    """The judgements of a contradiction, the new one last."""


@dataclass(eq=False)
class OrderView:
    """A requested change and its state."""

    number: int
    act: str
    who: str
    why: str
    summary: str = ""
    """The request in words."""
    state: State = "waiting"
    stage: str = ""
    share: float | None = None
    """Share of the present stage that is done, from 0 to 1, or None if it is unknown."""
    change: Change | None = None
    refusal: Refusal | None = None


@dataclass(eq=False)
class Order(OrderView):
    """An order in its queue."""

    done: int = 0
    total: int | None = None
    answer: Any = None
    """The result of a request that changes nothing."""
    finished: Future[Order] = field(default_factory=Future)
    """Resolves to this order when it is done or refused."""

    def wait(self, timeout: float | None = None) -> Order:
        return self.finished.result(timeout)

    def report(self, stage: str, done: int = 0, total: int | None = None) -> None:
        self.stage, self.done, self.total = stage, done, total
        self.share = min(1.0, done / total) if total else None


class Lane:
    """A queue of orders, and the process that carries them out, which is started with the first order."""

    def __init__(self, changes: Changes, name: str) -> None:
        self.changes = changes
        self.queue: queue.SimpleQueue[tuple[Order, tuple[Any, ...], dict[str, str]] | None] = queue.SimpleQueue()
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None
        self._starting = threading.Lock()
        self._thread = threading.Thread(target=self._work, name=f"crossdoc {name}", daemon=True)
        self._thread.start()

    def close(self, timeout: float | None) -> None:
        """Finish the accepted orders; an order that takes longer than `timeout` is stopped and changes nothing."""
        self.queue.put(None)
        self._thread.join(timeout)
        if self._pipe is not None:
            self._pipe.close()
        if self._process is not None:
            self._process.join(1)
            self._process.terminate()

    def warm_up(self) -> Connection:
        """Start the process, and return the pipe to it."""
        with self._starting:
            if self._pipe is None or self._process is None or not self._process.is_alive():
                context = multiprocessing.get_context("spawn")
                self._pipe, theirs = context.Pipe()
                self._process = context.Process(target=worker.serve, args=(theirs, self.changes.path))
                self._process.start()
                theirs.close()
            return self._pipe

    def _work(self) -> None:
        while (taken := self.queue.get()) is not None:
            order, arguments, options = taken
            order.state = "working"
            order.report("getting ready")
            try:
                self._carry_out(order, arguments, options)
            except (EOFError, OSError):
                self._process = None
                order.refusal = self.changes.refusal(errors.worker_died(order.act))
            except Exception as error:  # noqa: BLE001 -- the next order must be carried out after any error.
                failed = errors.change_failed(order.act, type(error).__name__, str(error))
                order.refusal = self.changes.refusal(failed)
            order.state = "refused" if order.refusal is not None else "done"
            order.finished.set_result(order)

    def _carry_out(self, order: Order, arguments: tuple[Any, ...], options: dict[str, str]) -> None:
        pipe = self.warm_up()
        pipe.send((order.act, arguments, options))
        while True:
            match pipe.recv():
                case ("progress", stage, done, total):
                    order.report(stage, done, total)
                case ("done", outcome):
                    order.change = outcome if isinstance(outcome, Change) else None
                    order.answer = outcome
                    return
                case ("refused", error):
                    order.refusal = self.changes.refusal(error)
                    return


class Changes:
    """The changes to one file; the reader looks up the judgements of a contradiction."""

    def __init__(self, path: Path, reader: Reader) -> None:
        self.path, self.reader = Path(path), reader
        self.orders: deque[Order] = deque(maxlen=ORDERS_KEPT)
        self._numbers = count(1)
        self._lanes: dict[str, Lane] = {}
        self._opening = threading.Lock()
        self._closed = False
        # At exit Python waits for its processes, and they wait for their pipes to be closed.
        atexit.register(self.close)

    def order(self, act: Act, *arguments: Any, who: str = "", why: str = "", summary: str = "") -> Order:
        """Order an act with the arguments of the method of its name in `worker`."""
        order, lane = Order(next(self._numbers), act, who, why, summary), LANES.get(act, "judgements")
        self._lane(lane).queue.put((order, arguments, {"who": who, "why": why} if lane == "judgements" else {}))
        if lane != "review":
            self.orders.append(order)
        return order

    def find(self, number: int) -> Order | None:
        return next((order for order in list(self.orders) if order.number == number), None)

    def get_ready(self) -> None:
        """Start the process for judgements, so that the first one is as quick as the others."""
        threading.Thread(target=self._lane("judgements").warm_up, daemon=True).start()

    def close(self, timeout: float | None = 20.0) -> None:
        """Accept no more orders, and finish the accepted ones."""
        with self._opening:
            self._closed = True
        atexit.unregister(self.close)
        for lane in self._lanes.values():
            lane.close(timeout)

    def refusal(self, error: errors.CrossdocError) -> Refusal:
        """Return a refusal, with the entries of the log behind a contradiction."""
        judgements = [each for each in getattr(error, "chain", ()) if isinstance(each, Judgement)]
        if not judgements:
            return Refusal(error.what, error.hint)
        entries = {line.entry.number: line.entry for line in self.reader.log() if line.standing}
        # The new judgement is last, whichever way round the chain was found.
        steps = sorted((_step(each, entries) for each in judgements), key=lambda step: step.number is None)
        refused = errors.contradicts_earlier()
        return Refusal(refused.what, refused.hint, tuple(steps))

    def _lane(self, name: str) -> Lane:
        with self._opening:
            if self._closed:
                raise errors.page_is_closing()
            if name not in self._lanes:
                self._lanes[name] = Lane(self, name)
            return self._lanes[name]


def _step(judgement: Judgement, entries: dict[int, Entry]) -> ChainStep:
    # `located` adds the number of the entry to `who`; a judgement without an entry is the refused one.
    number = judgement.who.rpartition("entry ")[2]
    entry = entries.get(int(number)) if number.isdecimal() else None
    if entry is None:
        return ChainStep(None, judgement.verdict, judgement.a, judgement.b, "", judgement.why, "")
    return ChainStep(entry.number, judgement.verdict, judgement.a, judgement.b, entry.who, entry.why, entry.when)
