"""The command `crossdoc`. The module of a subcommand is imported when that subcommand runs.

Such a module imports slow packages inside its functions, so that `--help` and completion stay quick.
"""

from __future__ import annotations

import atexit
import io
import os
import re
import sys
import threading
from contextlib import suppress
from importlib import import_module
from importlib.resources import files
from inspect import getdoc
from typing import Any, NoReturn

import typer
from rich.markup import escape
from typer.core import TyperCommand, TyperGroup

from crossdoc.cli import ui

GROUPS = {
    "Daily work": (
        "resolve", "show", "explore", "report", "why", "add", "remove", "judge", "merge", "split", "rename", "undo",
        "judgements", "history", "review", "known", "export", "info", "demo",
    ),
    "Other programs": ("mcp", "reconcile", "graphrag"),
    "Individual methods": ("extract", "cluster", "contexts", "link"),
    "Research": ("train", "score"),
    "Reference": ("formats", "settings"),
}  # fmt: skip
"""The subcommands in the order of `crossdoc --help`."""
COMMANDS = {name: group for group, names in GROUPS.items() for name in names}
MODULES = {
    "change_commands": ("add", "remove", "judge", "merge", "split", "rename", "undo", "review"),
    "method_commands": ("cluster", "contexts", "link"),
    "output_commands": ("export", "report", "demo"),
    "result_commands": ("show", "why", "info", "history", "judgements", "known"),
    "resolve_commands": ("resolve", "extract", "formats", "settings"),
    "research_commands": ("score", "train"),
    "serve_commands": ("explore", "mcp", "reconcile", "graphrag"),
}
MODULE_OF = {name: module for module, names in MODULES.items() for name in names}

WELCOME = """\
[bold]crossdoc[/] reads documents and says who is who: which mentions of "John Smith" and "J. Smith" are one person,
which are namesakes, how sure that is, and why.

  [bold]crossdoc demo[/]                            try it on the sample corpus, in seconds
  [bold]crossdoc resolve FOLDER -o OUT.crossdoc[/]  resolve your own documents
  [bold]crossdoc explore OUT.crossdoc[/]            view and correct the answer in the browser

crossdoc --help lists all commands; crossdoc COMMAND --help explains one, with an example."""


def function_of(name: str) -> Any:
    """Import and return the function of a subcommand."""
    return getattr(import_module(f"crossdoc.cli.{MODULE_OF[name]}"), name)


def summary_of(name: str) -> str:
    """Return the first line of a subcommand's docstring, read from its file: importing all of them takes long."""
    source = (files("crossdoc.cli") / f"{MODULE_OF[name]}.py").read_text(encoding="utf-8")
    found = re.search(rf'^def {name}\(.*?^    """(.*?)$', source, re.MULTILINE | re.DOTALL)
    return "" if found is None else found[1].removesuffix('"""')


def command(name: str) -> Any:
    """Return a complete subcommand. Its examples come below its options, at the end of the help."""
    function = function_of(name)
    explained, _, examples = (getdoc(function) or "").partition("\n\nExample:")
    below = "\n\n".join(f"Example:  {escape(line.strip())}" for line in examples.splitlines())
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="rich")
    alone.command(name, help=explained, epilog=below)(ui.guard(function))
    return typer.main.get_command(alone)


class _Subcommand(TyperCommand):
    """Placeholder of a subcommand until it is used."""

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        # Guarded, since Ctrl-C may come while a file is imported.
        return ui.guard(command)(self.name or "").make_context(*args, **kwargs)


class _Subcommands(TyperGroup):
    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        return _Subcommand(cmd_name, help=summary_of(cmd_name), rich_help_panel=COMMANDS[cmd_name])


app = typer.Typer(
    cls=_Subcommands,
    name="crossdoc",
    help="Who is who across documents: people, organisations and places.",
    epilog="Start with:  crossdoc demo",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from crossdoc.version import __version__

        typer.echo(f"crossdoc {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", callback=_print_version, is_eager=True, help="Print the version."),
) -> None:
    if context.invoked_subcommand is None:
        ui.line(WELCOME)


def _print_anything() -> None:
    """Let a terminal or file of another encoding get question marks instead of raising an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors in ("strict", "surrogateescape"):
            stream.reconfigure(errors="replace")


def main() -> None:
    _print_anything()
    if sys.argv[1:2] == ["demo"]:
        # Compiling the kernels takes longer than all that they have to do on the sample; the answer is the same.
        os.environ.setdefault("NUMBA_DISABLE_JIT", "1")
    try:
        app()
    except SystemExit as ended:
        if "duckdb" not in sys.modules:
            raise
        _end(ended.code if isinstance(ended.code, int) else int(ended.code is not None))


def _end(code: int) -> NoReturn:
    """End the process after its exit functions ran, without tearing the interpreter down.

    DuckDB prints a page about leaked objects if a thread or a module still refers to one at that point.
    """
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        # A reader that has gone, such as `head`, was handled before.
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)
