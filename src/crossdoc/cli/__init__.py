"""The command `crossdoc`: one file per subcommand."""

from __future__ import annotations

import typer

from crossdoc.cli.cluster import cluster
from crossdoc.cli.common import guarded
from crossdoc.cli.corpus import corpus
from crossdoc.cli.demo import demo
from crossdoc.cli.export import export
from crossdoc.cli.formats import formats
from crossdoc.cli.info import info
from crossdoc.cli.report import report
from crossdoc.cli.resolve import resolve
from crossdoc.cli.score import score
from crossdoc.cli.settings import settings
from crossdoc.cli.show import show
from crossdoc.version import __version__

app = typer.Typer(
    name="crossdoc",
    help="Who is who across documents: people, organisations and places.",
    epilog="Start with:  crossdoc demo",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"crossdoc {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(False, "--version", callback=_print_version, is_eager=True, help="Print the version."),
) -> None:
    pass


for subcommand in (resolve, show, report, export, score, cluster, demo, info, formats, settings, corpus):
    app.command()(guarded(subcommand))


def main() -> None:
    app()
