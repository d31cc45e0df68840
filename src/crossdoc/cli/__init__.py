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

from crossdoc.cli.common import guarded, out

DAILY, METHODS, RESEARCH, REFERENCE = "Daily work", "Individual methods", "Research", "Reference"


class Listed(NamedTuple):
    """Entry of a subcommand in `crossdoc --help`: its group, and the first line of its help."""

    group: str
    help: str


COMMANDS = {
    "resolve": Listed(DAILY, "Find out who is who in a collection of documents."),
    "show": Listed(DAILY, "Show identities: name, descriptor, variants, and members ranked by membership."),
    "explore": Listed(
        DAILY, "Open an answer in the browser to search it, see who is who and why, correct it and add to it."
    ),
    "report": Listed(
        DAILY, "Write identities to a single HTML file that can be shared: search, filter, sort, open documents, print."
    ),
    "why": Listed(
        DAILY, "Explain why two profiles are one entity or two: the evidence, and how much each kind of it counted."
    ),
    "add": Listed(
        DAILY,
        "Add documents to a result: only new ones are read, and only the identities they affect are clustered again.",
    ),
    "remove": Listed(DAILY, "Remove documents from a result. Identities that only these documents mention vanish."),
    "judge": Listed(DAILY, "Judge two profiles to be the same entity or different ones; this takes effect at once."),
    "merge": Listed(DAILY, "Merge identities into one; this takes effect at once."),
    "split": Listed(DAILY, "Split some profiles of an identity off into one of their own; this takes effect at once."),
    "rename": Listed(DAILY, "Give an identity another name."),
    "undo": Listed(DAILY, "Undo a judgement, merge, split or rename; this takes effect at once."),
    "judgements": Listed(DAILY, "List the judgements that are in force, with their numbers in the log."),
    "history": Listed(DAILY, "Show which identities appeared, split, merged or vanished, when and why."),
    "review": Listed(
        DAILY, "Ask about the pairs whose answer would change most: s same, d different, k skip, u undo, q quit."
    ),
    "known": Listed(
        DAILY, "List the entries of the known list with their identities, or those that no document mentions."
    ),
    "export": Listed(
        DAILY,
        "Export who is who as a table (id, entity, membership, name, document …) or as identities for other programs.",
    ),
    "pack": Listed(DAILY, "Pack an answer that is a folder of Parquet files into one .crossdoc file."),
    "info": Listed(DAILY, "Show what a result holds, and from which input and with which settings it was made."),
    "demo": Listed(
        DAILY, "Resolve the sample corpus, show who is who, and score the answer against the gold standard."
    ),
    "extract": Listed(
        METHODS,
        "Extract profiles for `resolve`: what each document says about each person, organisation and place in it.",
    ),
    "cluster": Listed(METHODS, "Cluster a graph: edges or a matrix of similarities in, `id, entity, membership` out."),
    "contexts": Listed(METHODS, "Cluster the contexts of an ambiguous name or word, and find the number of clusters."),
    "link": Listed(METHODS, "Link groups of articles in different languages that are about the same thing."),
    "train": Listed(
        RESEARCH, "Learn how much each kind of evidence counts, from labelled profiles or from the collection itself."
    ),
    "blocking": Listed(
        RESEARCH, "Show how many pairs blocking leaves to compare, which true pairs it loses, and the largest blocks."
    ),
    "score": Listed(RESEARCH, "Score an answer against a gold standard: B³, purity, pairwise, MUC, CEAF, LEA, CoNLL."),
    "conflate": Listed(
        RESEARCH, "Turn several names into one ambiguous name, to test whether clustering separates them again."
    ),
    "wikilinks": Listed(
        RESEARCH,
        "Build a labelled corpus from links: the anchor is the mention, its block the context, the title the entity.",
    ),
    "corpus": Listed(
        RESEARCH, "Convert a benchmark corpus into documents (or profiles) and gold that the other commands can read."
    ),
    "formats": Listed(REFERENCE, "Print the file formats with examples."),
    "settings": Listed(
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
    alone.command(name, help=explained, epilog=below)(guarded(function))
    return typer.main.get_command(alone)


class _Subcommand(TyperCommand):
    """Placeholder of a subcommand until it is used."""

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        # Guarded, since Ctrl-C may come while a file is imported.
        return guarded(command)(self.name or "").make_context(*args, **kwargs)


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
