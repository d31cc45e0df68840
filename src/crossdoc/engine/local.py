"""Engine for all cores of this machine: threads for kernels, which release the interpreter's lock, else processes.

Engine protocol: tasks over partitions, and values shared by all of them.

A task is a module-level function, so that another process can find it. It returns the same for the same arguments,
since it is run again if a worker is lost. Results stay where they were made; the caller holds references.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, NewType, Protocol

from joblib import Parallel, delayed

Ref = NewType("Ref", object)
"""Reference to a value. Only the engine that made it can resolve it."""
Part = Any
"""First argument of a task: a value, a reference, or a list of them."""
Work = Callable[..., Any]


class Engine(Protocol):
    """Runner of tasks. The answer depends neither on how many run at a time nor on which finishes first."""

    name: str
    workers: int
    """Number of tasks that run at a time, for display only."""

    def put(self, value: Any) -> Ref:
        """Broadcast a value: it is sent once to where tasks run."""

    def map(self, work: Work, parts: Sequence[Part], *shared: Any, apart: bool = False) -> list[Ref]:
        """``work(part, *shared)`` for each part; `shared` are values or references.

        `apart` says that the work is Python's own, for which threads would wait for each other.
        """

    def get(self, ref: Ref) -> Any:
        """Return the value, or raise the error that its task raised."""

    def close(self) -> None: ...


class Lost(Exception):
    """Raised if a value is lost with its machine and cannot be made again; a caller with a copy may continue."""


class LocalEngine:
    """Tasks on the threads of this process.

    >>> with LocalEngine(2) as engine:
    ...     [engine.get(ref) for ref in engine.map(sum, [[1, 2], [3]])]
    [3, 3]
    """

    name = "local"

    def __init__(self, workers: int = 0) -> None:
        self.workers = workers or os.cpu_count() or 1
        self._pool = ThreadPoolExecutor(self.workers)

    def put(self, value: Any) -> Ref:
        future: Future[Any] = Future()
        future.set_result(value)
        return Ref(future)

    def map(self, work: Work, parts: Sequence[Part], *shared: Any, apart: bool = False) -> list[Ref]:
        if apart and self.workers > 1 and len(parts) > 1:
            tasks = (delayed(work)(_value(part), *map(_value, shared)) for part in parts)
            return [self.put(done) for done in Parallel(n_jobs=self.workers)(tasks)]
        # Tasks begin in the order in which they are given, so that one never waits for another that has no thread yet.
        return [Ref(self._pool.submit(_run, work, part, shared)) for part in parts]

    def get(self, ref: Ref) -> Any:
        return _value(ref)

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)

    def __enter__(self) -> LocalEngine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _run(work: Work, part: Part, shared: Sequence[Any]) -> Any:
    return work(_value(part), *map(_value, shared))


def _value(given: Any) -> Any:
    if isinstance(given, Future):
        return given.result()
    return [_value(each) for each in given] if isinstance(given, list) else given
