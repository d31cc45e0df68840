"""Engine for all cores of this machine: threads for kernels, which release the interpreter's lock, else processes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from typing import Any

from joblib import Parallel, delayed

from crossdoc.engine.protocol import Part, Ref, Work


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
        return [self._begin(work, part, shared) for part in parts]

    def shuffle(self, work: Work, parts: Sequence[Part], into: int, *shared: Any) -> tuple[list[list[Ref]], list[Ref]]:
        done = [self._begin(work, part, shared) for part in parts]
        pieces = [[self._begin(_piece, (task, at), ()) for task in done] for at in range(into)]
        return pieces, [self._begin(_report, (task,), ()) for task in done]

    def get(self, ref: Ref) -> Any:
        return _value(ref)

    def done(self, refs: Sequence[Ref]) -> Iterator[int]:
        futures: Sequence[Any] = refs
        place = {future: at for at, future in enumerate(futures)}
        yield from (place[done] for done in as_completed(futures))

    def _begin(self, work: Work, part: Part, shared: Sequence[Any]) -> Ref:
        # Tasks begin in the order in which they are given, so that one never waits for another that has no thread yet.
        return Ref(self._pool.submit(_run, work, part, shared))

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


def _piece(of: tuple[Any, int]) -> Any:
    return _value(of[0])[0][of[1]]


def _report(of: tuple[Any]) -> Any:
    return _value(of[0])[1]
