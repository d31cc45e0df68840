"""The command `crossdoc`. The module of a subcommand is imported when that subcommand runs.

Such a module imports slow packages inside its functions, so that `--help` and completion stay quick.
"""

from __future__ import annotations

import atexit
import io
import os
import sys
import threading
from contextlib import suppress
from importlib import import_module
from inspect import getdoc
from typing import Any, NamedTuple, NoReturn

import typer
from rich.markup import escape
from typer.core import TyperCommand, TyperGroup

from crossdoc.cli.common import guard, out

DAILY, METHODS, RESEARCH, REFERENCE = "Daily work", "Individual methods", "Research", "Reference"


class Help(NamedTuple):
    """Entry of a subcommand in `crossdoc --help`: its group, and the first line of its help."""

    group: str
    help: str


COMMANDS = {
    "resolve": Help(DAILY, "Find out who is who in a collection of documents."),
    "show": Help(DAILY, "Show identities: name, descriptor, variants, and members ranked by membership."),
    "explore": Help(
        DAILY, "Open an answer in the browser to search it, see who is who and why, correct it and add to it."
    ),
    "report": Help(
        DAILY, "Write identities to a single HTML file that can be shared: search, filter, sort, open documents, print."
    ),
    "why": Help(
        DAILY, "Explain why two profiles are one entity or two: the evidence, and how much each kind of it counted."
    ),
    "add": Help(
        DAILY,
        "Add documents to a result: only new ones are read, and only the identities they affect are clustered again.",
    ),
    "remove": Help(DAILY, "Remove documents from a result. Identities that only these documents mention vanish."),
    "judge": Help(DAILY, "Judge two profiles to be the same entity or different ones; this takes effect at once."),
    "merge": Help(DAILY, "Merge identities into one; this takes effect at once."),
    "split": Help(DAILY, "Split some profiles of an identity off into one of their own; this takes effect at once."),
    "rename": Help(DAILY, "Give an identity another name."),
    "undo": Help(DAILY, "Undo a judgement, merge, split or rename; this takes effect at once."),
    "judgements": Help(DAILY, "List the judgements that are in force, with their numbers in the log."),
    "history": Help(DAILY, "Show which identities appeared, split, merged or vanished, when and why."),
    "review": Help(
        DAILY, "Ask about the pairs whose answer would change most: s same, d different, k skip, u undo, q quit."
    ),
    "known": Help(
        DAILY, "List the entries of the known list with their identities, or those that no document mentions."
    ),
    "export": Help(
        DAILY,
        "Export who is who as a table (id, entity, membership, name, document …) or as identities for other programs.",
    ),
    "pack": Help(DAILY, "Pack an answer that is a folder of Parquet files into one .crossdoc file."),
    "info": Help(DAILY, "Show what a result holds, and from which input and with which settings it was made."),
    "demo": Help(DAILY, "Resolve the sample corpus, show who is who, and score the answer against the gold standard."),
    "extract": Help(
        METHODS,
        "Extract profiles for `resolve`: what each document says about each person, organisation and place in it.",
    ),
    "cluster": Help(METHODS, "Cluster a graph: edges or a matrix of similarities in, `id, entity, membership` out."),
    "contexts": Help(METHODS, "Cluster the contexts of an ambiguous name or word, and find the number of clusters."),
    "link": Help(METHODS, "Link groups of articles in different languages that are about the same thing."),
    "train": Help(
        RESEARCH, "Learn how much each kind of evidence counts, from labelled profiles or from the collection itself."
    ),
    "blocking": Help(
        RESEARCH, "Show how many pairs blocking leaves to compare, which true pairs it loses, and the largest blocks."
    ),
    "score": Help(RESEARCH, "Score an answer against a gold standard: B³, purity, pairwise, MUC, CEAF, LEA, CoNLL."),
    "conflate": Help(
        RESEARCH, "Turn several names into one ambiguous name, to test whether clustering separates them again."
    ),
    "wikilinks": Help(
        RESEARCH,
        "Build a labelled corpus from links: the anchor is the mention, its block the context, the title the entity.",
    ),
    "corpus": Help(
        RESEARCH, "Convert a benchmark corpus into documents (or profiles) and gold that the other commands can read."
    ),
    "formats": Help(REFERENCE, "Print the file formats with examples."),
    "settings": Help(
        REFERENCE, "Print every setting with its meaning and default, ready to be saved as crossdoc.toml."
    ),
}
MODULES = {
    "change_commands": ("add", "remove", "judge", "merge", "split", "rename", "undo"),
    "result_commands": ("show", "why", "info", "history", "judgements", "known", "pack"),
    "corpus_commands": ("corpus", "conflate", "wikilinks"),
    "reference_commands": ("formats", "settings"),
}
"""Modules with several commands; any other command is in NAME_command.py."""

WELCOME = """\
[bold]crossdoc[/] reads documents and says who is who: which mentions of "John Smith" and "J. Smith" are one person,
which are namesakes, how sure that is, and why.

  [bold]crossdoc demo[/]                            try it on the sample corpus, in seconds
  [bold]crossdoc resolve FOLDER -o OUT.crossdoc[/]  resolve your own documents
  [bold]crossdoc explore OUT.crossdoc[/]            view and correct the answer in the browser

crossdoc --help lists all commands; crossdoc COMMAND --help explains one, with an example."""


def function_of(name: str) -> Any:
    """Import and return the function of a subcommand."""
    module = next((module for module, names in MODULES.items() if name in names), f"{name}_command")
    return getattr(import_module(f"crossdoc.cli.{module}"), name)


def command(name: str) -> Any:
    """Return a complete subcommand. Its examples come below its options, at the end of the help."""
    function = function_of(name)
    explained, _, examples = (getdoc(function) or "").partition("\n\nExample:")
    below = "\n\n".join(f"Example:  {escape(line.strip())}" for line in examples.splitlines())
    alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="rich")
    alone.command(name, help=explained, epilog=below)(guard(function))
    return typer.main.get_command(alone)


class _Subcommand(TyperCommand):
    """Placeholder of a subcommand until it is used."""

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        # Guarded, since Ctrl-C may come while a file is imported.
        return guard(command)(self.name or "").make_context(*args, **kwargs)


class _Subcommands(TyperGroup):
    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        listed = COMMANDS[cmd_name]
        return _Subcommand(cmd_name, help=listed.help, rich_help_panel=listed.group)


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
        out.print(WELCOME, soft_wrap=True)


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
