"""How long work reports on itself; the command line draws it, the library keeps quiet unless asked."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    def start(self, stage: str, total: int | None = None) -> None:
        """A new stage begins; `total` steps if that is known."""

    def advance(self, steps: int = 1) -> None: ...

    def note(self, message: str) -> None:
        """Something the user should know; also kept with the run."""


class Quiet:
    """Reports nothing."""

    def start(self, stage: str, total: int | None = None) -> None:
        pass

    def advance(self, steps: int = 1) -> None:
        pass

    def note(self, message: str) -> None:
        pass
