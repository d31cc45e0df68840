"""Where work runs, as its caller sees it: tasks over partitions, values for all of them, pieces that change hands.

A task is a function of a module, since another process has to find it, and gives the same for the same arguments, since
it is run again where a worker is lost. What it gives stays where it was made: the caller holds references.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NewType, Protocol

Ref = NewType("Ref", object)
"""What stands for a value that is somewhere; only the engine that made it knows where."""
Part = Any
"""What one task takes first: a value, a reference, or a list of them."""
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
        """One round: ``work(part, *shared)`` gives `into` pieces and what there is to tell.

        Regrouped: the j-th list has the j-th piece of each part, and is a part of the next round. What was told comes
        part by part.
        """

    def get(self, ref: Ref) -> Any:
        """The value itself. What its task raised is raised here."""

    def done(self, refs: Sequence[Ref]) -> Iterator[int]:
        """The places of references in the order in which their tasks are done."""

    def close(self) -> None: ...


class Lost(Exception):
    """A value is gone with the machine that had it and cannot be made again; who has kept it elsewhere may go on."""


def flat(part: Part) -> tuple[list[Any], bool]:
    """A part as a list of what it is made of, and whether it was one."""
    return (list(part), True) if isinstance(part, list) else ([part], False)
