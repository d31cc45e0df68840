"""Shared parts of the commands: options, messages instead of tracebacks, checks of outputs, and progress.

Names and defaults that `--help` lists are copied here and in the commands, because importing numba and spaCy takes
seconds; tests/cli/test_ui.py checks every value against its module.
"""

from __future__ import annotations

import functools
import json
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from importlib.metadata import entry_points
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn
from rich.table import Table

from crossdoc import errors
from crossdoc.files import kind_by_content, kind_by_name, same_file, whole_file, write_rows

if TYPE_CHECKING:
    import pyarrow as pa

    from crossdoc.run.resolution import Resolution
    from crossdoc.store import Store

CLUSTERERS = "crossdoc.clusterers"
METHODS = (
    "mean-max-linkage", "average-linkage", "single-linkage", "complete-linkage", "karc", "arca", "frc", "correlation",
    "contexts", "sampling", "bags", "string-match", "one-in-one", "all-in-one",
)  # fmt: skip
NOT_OF_GRAPHS = ("contexts", "sampling", "bags", "string-match")
DEFAULT_METHOD = "mean-max-linkage"
TABLE_FORMATS = ("csv", "jsonl", "parquet")
SOLVERS = ("auto", "exact", "lp", "moves", "full", "chunking")


def methods() -> list[str]:
    """Return all methods of clustering: crossdoc's own, then those that packages add."""
    return [*METHODS, *sorted({entry.name for entry in entry_points(group=CLUSTERERS)} - {*METHODS})]


def option(help: str, *names: str, **more: Any) -> Any:
    """Return an option with a help text; without `names` it is called like its parameter."""
    return typer.Option(*names, help=help, **more)


def output_option(help: str) -> Any:
    return option(help, "-o", "--output")


def argument(help: str, metavar: str | None = None, **more: Any) -> Any:
    """Return a positional argument with a help text."""
    return typer.Argument(help=help, metavar=metavar, **more)


Result = Annotated[Path, argument("", "OUT.crossdoc")]
AsJson = Annotated[bool, option("Print JSON.", "--json")]
SummaryAsJson = Annotated[bool, option("Print a summary as JSON.", "--json")]
Judgements = Annotated[Path | None, option("Judgements that the answer must respect.", "--constraints")]
Seed = Annotated[int, option("Random seed.", min=0)]
SettingsFile = Annotated[Path | None, option("Settings file, crossdoc.toml; `crossdoc settings` prints one.")]
EntityType = Annotated[str | None, option("Only person, organisation or place.")]
Force = Annotated[bool, option("Overwrite the output even if it is a file of another kind.", "--force")]
AnswerFile = Annotated[
    Path | None, output_option("Output file: .csv, .jsonl or .parquet (default: CSV to standard output).")
]
Soft = Annotated[bool, option("Write all memberships, not only the strongest of each id.", "--soft")]
Summary = Annotated[bool, option("Print a summary as JSON; the table is then written only with -o.", "--json")]
# Names and ids are shown as they are: no highlighting, and ":100:" is no emoji.
out = Console(highlight=False, emoji=False)
err = Console(stderr=True, highlight=False, emoji=False)
Command = TypeVar("Command", bound=Callable[..., Any])
STOPPED = ("Stopped.", "Nothing is lost: the same command continues where it stopped, or starts over.")
INTERRUPTED = 130
"""Exit code that a shell expects after Ctrl-C."""
TOO_LITTLE_MEMORY = ("The memory of this machine is not enough for that.", "Narrow the input, or use a larger machine.")
NO_MEMORY = ("OutOfMemoryException", "ArrowMemoryError", "_ArrayMemoryError")
"""Error classes of DuckDB, Arrow and NumPy; DuckDB's is no MemoryError."""
DISK_ERRORS = ("IOException", "FatalException")
"""DuckDB's errors of reading, writing and committing."""
FILE_COLUMNS = 500
"""Columns of a table that is not printed on a terminal."""
DUCKDB_INTERRUPTED = "Query interrupted"
"""Message of the RuntimeError that DuckDB raises for Ctrl-C during a query."""


def open_result(path: Path) -> Resolution:
    """Open an answer; its packages are imported only now."""
    from crossdoc.run.resolution import Resolution

    return Resolution.open(path)


def open_store(path: Path) -> Store:
    """Open the file or folder of an answer."""
    from crossdoc.store import Store

    return Store.open(path)


def guard(command: Command) -> Command:
    """Print a message instead of a traceback, and exit with 1 (failed) or 2 (misused)."""

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            if sys.stdout is None:
                # The caller closed standard output (`>&-`), which is no reason to fail.
                sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - until the process ends
            result = command(*args, **kwargs)
            sys.stdout.flush()
            return result
        except (typer.Exit, typer.Abort):
            raise
        except BrokenPipeError:
            _discard_output()
            raise typer.Exit(0) from None
        except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - bugs get a message as well
            if isinstance(error, OSError):
                _discard_output()
            what, hint, code = _explain(error, [*args, *kwargs.values()])
            complain(what, hint)
            raise typer.Exit(code) from None

    return run  # type: ignore[return-value]


def _explain(error: BaseException, given: Iterable[Any]) -> tuple[str, str, int]:
    """Return message, hint and exit code for any error that a command may raise."""
    kind = type(error).__name__
    if isinstance(error, errors.CrossdocError):
        return error.what, error.hint, error.exit_code
    if isinstance(error, KeyboardInterrupt) or str(error) == DUCKDB_INTERRUPTED:
        return *STOPPED, INTERRUPTED
    if isinstance(error, MemoryError) or kind in NO_MEMORY:
        return *TOO_LITTLE_MEMORY, 1
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        hint = "Check the place, the space left on it and its rights."
        return f"The system says: {where}{error.strerror or error}.", hint, 1
    if kind in DISK_ERRORS:
        failed = errors.disk_failed("a file", next(iter(str(error).splitlines()), kind).rstrip(".!"))
        return failed.what, failed.hint, 1
    if os.environ.get("CROSSDOC_TRACEBACK"):
        traceback.print_exception(error)
    for path in (each for each in given if isinstance(each, Path) and each.suffix == ".crossdoc" and each.exists()):
        odd = errors.unexpected_content(path, kind, str(error))
        return odd.what, odd.hint, odd.exit_code
    hint = "Run the command again with CROSSDOC_TRACEBACK=1 in the environment and report what it prints."
    return f"crossdoc has a bug: {kind}: {error}", hint, 1


def _discard_output() -> None:
    """Redirect a standard output that takes no more; otherwise Python complains again when it flushes at exit."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def line(text: str) -> None:
    """Print a line of any length on standard output; the terminal wraps it."""
    out.print(text, soft_wrap=True)


def status(text: str) -> None:
    """Print a line of any length on standard error."""
    err.print(text, soft_wrap=True)


def complain(what: str, hint: str = "") -> None:
    status(f"[bold red]error:[/] {escape(what)}")
    if hint:
        status(f"[dim]{escape(hint)}[/]")


def table(*columns: str, right: Sequence[str] = (), padding: int = 1, **options: Any) -> Table:
    """Return a table without lines between cells; columns named in `right` are aligned to the right."""
    table = Table(box=None, padding=(0, padding), pad_edge=False, **options)
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left")
    return table


def print_table(table: Table) -> None:
    """Print a table as wide as the terminal; for a file or another program each row is one line."""
    (out if out.is_terminal else Console(highlight=False, emoji=False, width=FILE_COLUMNS)).print(table)


def print_json(value: Any) -> None:
    escaped = not (sys.stdout.encoding or "").lower().startswith("utf")
    sys.stdout.write(json.dumps(value, ensure_ascii=escaped, indent=2) + "\n")


def notes(notes: Iterable[str]) -> None:
    for note in notes:
        status(f"[yellow]note:[/] {escape(note)}")


def check_outputs(
    written: Sequence[Path | None],
    read: Sequence[Path | None],
    *,
    force: bool = False,
    kind: str | None = None,
    folder: bool = False,
) -> None:
    """Refuse outputs that are written twice, replace an input or (unless `force`) a file of another kind, or cannot
    be written. `kind` is the content of the first output if its ending does not show it; with `folder` an output may
    be a folder."""
    outputs = [path for path in written if path is not None]
    if any(same_file(a, b) for a, b in combinations(outputs, 2)):
        raise errors.same_output()
    for path in outputs:
        for given in read:
            if given is None:
                continue
            contains = folder and path.is_dir() and path.resolve() in given.resolve().parents
            if contains or same_file(path, given) or _read_below(path, given):
                raise errors.output_is_input(path)
        if path.is_dir() and not folder:
            raise errors.cannot_write(path, "it is a folder")
        if path.exists() and not path.is_file() and not path.is_dir():
            # A pipe or a device is written to directly.
            continue
        parent = next(each for each in path.resolve().parents if each.exists())
        if not (parent.is_dir() and os.access(parent, os.W_OK)):
            raise errors.cannot_write(path, f"{parent} is not a folder that can be written to")
        wanted = (kind if path is written[0] else None) or kind_by_name(path)
        if path.is_file() and not force and wanted and kind_by_content(path) not in (None, wanted):
            raise errors.other_kind(path, kind_by_content(path) or "", wanted)


def _read_below(path: Path, folder: Path) -> bool:
    """Return whether an existing file lies below a folder of documents and is read with it."""
    if not folder.is_dir() or not path.is_file() or folder.resolve() not in path.resolve().parents:
        return False
    # Imported here because most commands that write read no folder.
    from crossdoc.read.sources import FOLDER_KINDS, kind_of

    return kind_of(path.resolve()) in FOLDER_KINDS


def write_answer(table: pa.Table, output: Path | None, as_json: bool = False) -> None:
    """Write an answer to its file, or to standard output unless the summary goes there (`as_json`)."""
    if output is not None or not as_json:
        write_table(table, output)


def write_table(table: pa.Table, output: Path | None) -> int:
    """Write a table in the format of the output's ending; return the number of rows."""
    with whole_file(output) as stream:
        return write_rows(table.to_batches(), table.schema, format_of(output), stream)


def format_of(output: Path | None, others: Sequence[str] = ()) -> str:
    """Return the format of an output by its ending, CSV for standard output. `others` are listed in the error too."""
    if output is None:
        return "csv"
    ending = output.suffix.removeprefix(".").lower()
    if ending not in TABLE_FORMATS:
        endings = [*(f".{name}" for name in TABLE_FORMATS), *others]
        raise errors.unknown_choice("output format", output.name, [f"NAME{each}" for each in endings])
    return ending


class ShownProgress:
    """Progress as a bar on a terminal; elsewhere as a line per stage and one every ten seconds."""

    SECONDS_BETWEEN_LINES = 10.0

    def __init__(self, quiet: bool = False) -> None:
        self.quiet = quiet
        self.notes: list[str] = []
        self._by_line = not quiet and not err.is_terminal
        columns = SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
        disabled = quiet or self._by_line
        self._bar = Progress(*columns, TimeRemainingColumn(), console=err, transient=True, disable=disabled)
        self._stage, self._done, self._shown_at = "", 0, 0.0
        self._total: int | None = None

    def __enter__(self) -> ShownProgress:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def start(self, stage: str, total: int | None = None) -> None:
        self._stage, self._done, self._total, self._shown_at = stage, 0, total, time.monotonic()
        for task in self._bar.task_ids:
            self._bar.remove_task(task)
        self._bar.add_task(stage, total=total)
        if self._by_line:
            err.print(f"{stage} …" if total is None else f"{stage}: {total:,} …")

    def advance(self, steps: int = 1) -> None:
        self._done += steps
        for task in self._bar.task_ids:
            self._bar.advance(task, steps)
        if self._by_line and time.monotonic() - self._shown_at > self.SECONDS_BETWEEN_LINES:
            self._shown_at = time.monotonic()
            err.print(f"{self._stage}: {self._done:,}" + (f" of {self._total:,}" if self._total else ""))

    def note(self, message: str) -> None:
        self.notes.append(message)
        if not self.quiet:
            notes([message])
