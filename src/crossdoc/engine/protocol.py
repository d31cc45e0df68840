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
    """Runs tasks. The answer never depends on how many run at a time, nor on which is done first."""

    name: str
    workers: int
    """How many tasks run at a time, for people to read: nothing may follow from it."""

    def put(self, value: Any) -> Ref:
        """Broadcast: a value that many tasks take is sent once to where they run."""

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
        """The places of references in the order in which their tasks are done."""

    def close(self) -> None: ...


class Lost(Exception):
    """A value is gone with the machine that had it and cannot be made again; who has kept it elsewhere may go on."""


def flat(part: Part) -> tuple[list[Any], bool]:
    """A part as a list of what it is made of, and whether it was one."""
    return (list(part), True) if isinstance(part, list) else ([part], False)
