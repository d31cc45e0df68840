"""What all commands share: messages instead of tracebacks, progress, and files that are whole or not there."""

from __future__ import annotations

import functools
import json
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import combinations
from pathlib import Path
from types import TracebackType
from typing import Annotated, Any, TypeVar

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TaskID, TextColumn, TimeRemainingColumn
from rich.progress import Progress as RichProgress
from rich.table import Table

from crossdoc import errors
from crossdoc.files import kind_by_content, kind_by_name, same_file

Force = Annotated[bool, typer.Option("--force", help="Overwrite the output even if it is a file of another kind.")]
# Names and ids are shown as they are: no highlighting, and ":100:" is no emoji.
out = Console(highlight=False, emoji=False)
err = Console(stderr=True, highlight=False, emoji=False)
Command = TypeVar("Command", bound=Callable[..., Any])
STOPPED = ("Stopped.", "Nothing is lost: the same command continues where it stopped, or starts over.")
INTERRUPTED = 130
"""What a shell expects of a command that Ctrl-C ended."""
TOO_LITTLE_MEMORY = ("The memory of this machine is not enough for that.", "Narrow the input, or use a larger machine.")
NO_MEMORY = ("OutOfMemoryException", "ArrowMemoryError", "_ArrayMemoryError")
"""What DuckDB, Arrow and NumPy call it; DuckDB's is no MemoryError."""
DISK_FAILED = ("IOException", "FatalException")
"""DuckDB's errors of reading, writing and committing."""
WIDE = 500
DUCKDB_INTERRUPTED = "Query interrupted"
"""What DuckDB makes of Ctrl-C during a query: a RuntimeError that says this."""


def guarded(command: Command) -> Command:
    """Say what is wrong and what to do, in place of a traceback, and return 1 (failed) or 2 (misused)."""

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            if sys.stdout is None:
                # Closed by whoever called (`>&-`): what is said has no place to go, which is no reason to fail.
                sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - until the process ends
            result = command(*args, **kwargs)
            sys.stdout.flush()
            return result
        except errors.CrossdocError as error:
            complain(error.what, error.hint)
            raise typer.Exit(error.exit_code) from None
        except KeyboardInterrupt:
            complain(*STOPPED)
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            # The reader has seen enough.
            _forget_output()
            raise typer.Exit(0) from None
        except OSError as error:
            _forget_output()
            complain(*_system_says(error))
            raise typer.Exit(1) from None
        except MemoryError:
            complain(*TOO_LITTLE_MEMORY)
            raise typer.Exit(1) from None
        except (typer.Exit, typer.Abort):
            raise
        except Exception as error:  # noqa: BLE001 - a bug of ours must not bury the user in a traceback
            if str(error) == DUCKDB_INTERRUPTED:
                complain(*STOPPED)
                raise typer.Exit(INTERRUPTED) from None
            if type(error).__name__ in NO_MEMORY:
                complain(*TOO_LITTLE_MEMORY)
                raise typer.Exit(1) from None
            if type(error).__name__ in DISK_FAILED:
                complain(*_disk_says(error))
                raise typer.Exit(1) from None
            if os.environ.get("CROSSDOC_TRACEBACK"):
                traceback.print_exc()
            if (odd := _odd_result([*args, *kwargs.values()])) is not None:
                complain(odd.what, odd.hint)
                raise typer.Exit(odd.exit_code) from None
            complain(
                f"crossdoc has a bug: {type(error).__name__}: {error}",
                "Run the command again with CROSSDOC_TRACEBACK=1 in the environment and report what it prints.",
            )
            raise typer.Exit(1) from None

    return run  # type: ignore[return-value]


def _odd_result(given: Iterable[Any]) -> errors.StoreError | None:
    """What is wrong with a result that a command was given: whoever made it may have put in what no run writes."""
    from crossdoc.store import Store

    for path in (each for each in given if isinstance(each, Path) and each.exists()):
        with suppress(Exception), Store.open(path) as store:
            if (wrong := store.odd()) is not None:
                return errors.foreign_store(path, wrong)
    return None


def _forget_output() -> None:
    """Standard output can take no more; Python would complain again when it flushes at exit."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _system_says(error: OSError) -> tuple[str, str]:
    where = f"{error.filename}: " if error.filename else ""
    return (
        f"The system says: {where}{error.strerror or error}.",
        "Check the place, the space left on it and its rights.",
    )


def _disk_says(error: Exception) -> tuple[str, str]:
    failed = errors.disk_failed("a file", next(iter(str(error).splitlines()), type(error).__name__).rstrip(".!"))
    return failed.what, failed.hint


def complain(what: str, hint: str = "") -> None:
    err.print(f"[bold red]error:[/] {escape(what)}", soft_wrap=True)
    if hint:
        err.print(f"[dim]{escape(hint)}[/]", soft_wrap=True)


def print_table(table: Table) -> None:
    """As wide as the terminal; for a file or another program a row is a line, however long."""
    (out if out.is_terminal else Console(highlight=False, emoji=False, width=WIDE)).print(table)


def print_json(value: Any) -> None:
    escaped = not (sys.stdout.encoding or "").lower().startswith("utf")
    sys.stdout.write(json.dumps(value, ensure_ascii=escaped, indent=2) + "\n")


def print_notes(notes: Iterable[str]) -> None:
    for note in notes:
        err.print(f"[yellow]note:[/] {escape(note)}", soft_wrap=True)


def check_outputs(
    written: Sequence[Path | None],
    read: Sequence[Path | None],
    *,
    force: bool = False,
    kind: str | None = None,
    folder: bool = False,
) -> None:
    """Before anything is computed: no file is written twice, over an input or (unless `force`) over one of another
    kind, and each can be written. `kind` is what the first output holds, where its ending does not say; `folder` is
    for an output that may be a folder."""
    outputs = [path for path in written if path is not None]
    if any(same_file(a, b) for a, b in combinations(outputs, 2)):
        raise errors.same_output()
    for path in outputs:
        for given in read:
            if given is not None and (
                same_file(path, given) or _read_below(path, given) or (folder and _holds(path, given))
            ):
                raise errors.output_is_input(path)
        if path.is_dir() and not folder:
            raise errors.cannot_write(path, "it is a folder")
        if path.exists() and not path.is_file() and not path.is_dir():
            # A pipe or a device is written to as it is, whatever folder it is in.
            continue
        parent = next(each for each in path.resolve().parents if each.exists())
        if not (parent.is_dir() and os.access(parent, os.W_OK)):
            raise errors.cannot_write(path, f"{parent} is not a folder that can be written to")
        wanted = (kind if path is written[0] else None) or kind_by_name(path)
        if path.is_file() and not force and wanted and kind_by_content(path) not in (None, wanted):
            raise errors.other_kind(path, kind_by_content(path) or "", wanted)


def _read_below(path: Path, folder: Path) -> bool:
    """Whether a file that is there lies below a folder of documents, or of an answer, and is read with it."""
    if not folder.is_dir() or not path.is_file() or folder.resolve() not in path.resolve().parents:
        return False
    if (folder / "meta").is_dir():
        return True
    # Here alone, since most commands that write read no folder.
    from crossdoc.read.sources import FOLDER_KINDS, kind_of

    return kind_of(path.resolve()) in FOLDER_KINDS


def _holds(path: Path, given: Path) -> bool:
    """Whether an output is a folder that an input lies in."""
    return path.is_dir() and path.resolve() in given.resolve().parents


class ShownProgress:
    """A bar on a terminal; elsewhere a line when a stage begins and one every ten seconds."""

    SECONDS_BETWEEN_LINES = 10.0

    def __init__(self, quiet: bool = False) -> None:
        self.quiet = quiet
        self._bar: RichProgress | None = None
        self._task: TaskID | None = None
        self._stage, self._done, self._shown_at = "", 0, 0.0
        self._total: int | None = None

    def __enter__(self) -> ShownProgress:
        if err.is_terminal and not self.quiet:
            self._bar = RichProgress(
                SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
                TimeRemainingColumn(), console=err, transient=True,
            )  # fmt: skip
            self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        if self._bar:
            self._bar.stop()

    def start(self, stage: str, total: int | None = None) -> None:
        self._stage, self._done, self._total, self._shown_at = stage, 0, total, time.monotonic()
        if self._bar:
            if self._task is not None:
                self._bar.remove_task(self._task)
            self._task = self._bar.add_task(stage, total=total)
        elif not self.quiet:
            err.print(f"{stage} …" if total is None else f"{stage}: {total:,} …")

    def advance(self, steps: int = 1) -> None:
        self._done += steps
        if self._bar and self._task is not None:
            self._bar.advance(self._task, steps)
        elif not self.quiet and time.monotonic() - self._shown_at > self.SECONDS_BETWEEN_LINES:
            self._shown_at = time.monotonic()
            err.print(f"{self._stage}: {self._done:,}" + (f" of {self._total:,}" if self._total else ""))

    def note(self, message: str) -> None:
        if not self.quiet:
            print_notes([message])
