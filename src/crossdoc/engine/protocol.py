"""Engine protocol: tasks over partitions, values shared by all of them, and pieces exchanged between them.

A task is a module-level function, so that another process can find it. It returns the same for the same arguments,
since it is run again if a worker is lost. Results stay where they were made; the caller holds references.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NewType, Protocol

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

    def shuffle(self, work: Work, parts: Sequence[Part], into: int, *shared: Any) -> tuple[list[list[Ref]], list[Ref]]:
        """Run one round: ``work(part, *shared)`` returns `into` pieces and a report.

        The pieces are regrouped: the j-th list has the j-th piece of each part, and is a part of the next round.
        Reports are listed by part.
        """

    def get(self, ref: Ref) -> Any:
        """Return the value, or raise the error that its task raised."""

    def done(self, refs: Sequence[Ref]) -> Iterator[int]:
        """Yield the positions of references in the order in which their tasks finish."""

    def close(self) -> None: ...


class Lost(Exception):
    """Raised if a value is lost with its machine and cannot be made again; a caller with a copy may continue."""


def flat(part: Part) -> tuple[list[Any], bool]:
    """Return a part as a list, and whether it was one."""
    return (list(part), True) if isinstance(part, list) else ([part], False)
