"""`crossdoc demo`: all steps on the sample corpus that comes with crossdoc."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from crossdoc.cli import ui
from crossdoc.cli.report_command import render
from crossdoc.files import whole_file

if TYPE_CHECKING:
    from crossdoc.model import Identity
    from crossdoc.run.resolution import Resolution

AMBIGUOUS = ("John Smith", "Bush", "Chernov", "Lincoln", "NCA", "Paris")
MOST_IDENTITIES = 8
MOST_MEMBERS = 3
MOST_ON_PAGE, MOST_MEMBERS_ON_PAGE = 500, 20


def demo(
    output: Annotated[
        Path, ui.output_option("The file to write; an .html page of the same name is written next to it.")
    ] = Path("demo.crossdoc"),
    as_json: Annotated[bool, ui.option("Print the scores as JSON.", "--json")] = False,
) -> None:
    """Resolve the sample corpus, show who is who, and score the answer against the gold standard.

    Example:  crossdoc demo
    """
    page = output.with_suffix(".html")
    ui.check_outputs([page], [output], kind="HTML")
    sample = resources.files("crossdoc.sample")
    with (
        resources.as_file(sample.joinpath("documents.jsonl")) as documents,
        ui.ShownProgress(quiet=as_json) as progress,
    ):
        # The imports take a second or two.
        progress.start("starting")
        from crossdoc.run import resolve as pipeline
        from crossdoc.run.evaluation import score

        resolution = pipeline.resolve(documents, output=output, progress=progress)
    with resolution, resources.as_file(sample.joinpath("gold.csv")) as gold:
        scores = score(resolution, gold, level="mention", bootstrap=0)
        found = resolution.identities(None, MOST_ON_PAGE, MOST_MEMBERS_ON_PAGE)
        html = render(resolution, found, output.name)
        with whole_file(page) as stream:
            stream.write(html.encode())
        if as_json:
            ui.print_json(scores.to_dict())
            return
        show_ambiguous(resolution, AMBIGUOUS, ui.out)
        _print_scores(scores, resolution.store.sizes())
    _print_next_steps(output, page)


def _print_scores(scores: Any, sizes: dict[str, int]) -> None:
    b3, conll = scores.values["b3"], scores.values["conll"]
    ui.line(
        f"\n{sizes['documents']} documents, {sizes['mentions']:,} mentions, {sizes['identities']} identities. "
        f"Against the gold standard ({scores.counts['gold_entities']} identities): "
        f"[bold]B³ {b3['f1']:.3f}[/] (precision {b3['precision']:.3f}, recall {b3['recall']:.3f}), "
        f"CoNLL {conll['f1']:.3f}; "
        f"{scores.counts['missing_from_answer']} of {scores.counts['items']} gold mentions were not found."
    )


def _print_next_steps(output: Path, page: Path) -> None:
    file = escape(str(output))
    ui.line(
        f"\n[bold]To look at it:[/] open {escape(page.resolve().as_uri())} in a browser.\n"
        f"\nTry next:\n  crossdoc show {file} --find Smith\n  crossdoc explore {file}\n"
        "  crossdoc resolve YOUR-FOLDER -o yours.crossdoc\n"
        '  crossdoc resolve YOUR-FOLDER -o yours.crossdoc --name "Jane Doe"'
    )


def show_ambiguous(resolution: Resolution, names: Sequence[str], console: Console) -> None:
    """Print a table for each ambiguous name: its identities and their strongest members."""
    for name in names:
        found = resolution.find(name)
        if not found:
            continue
        many = "1 identity" if len(found) == 1 else f"{len(found)} identities"
        table = Table(title=f"{name}: {many}", title_justify="left", title_style="bold", expand=True)
        table.add_column("identity", ratio=3)
        table.add_column("documents", justify="right")
        table.add_column("strongest members (membership)", ratio=4)
        for identity in found[:MOST_IDENTITIES]:
            table.add_row(_identity_cell(identity), str(identity.n_documents), _member_cell(identity))
        console.print(table)


def _identity_cell(identity: Identity) -> str:
    descriptor = f"\n[dim]{escape(identity.descriptor)}[/]" if identity.descriptor else ""
    return f"[bold]{escape(identity.name)}[/] [dim]{identity.type or ''}[/]{descriptor}"


def _member_cell(identity: Identity) -> str:
    shown = identity.members[:MOST_MEMBERS]
    return "\n".join(f"{escape(m.name)} [dim]{escape(m.document)}[/] [cyan]{m.membership:.2f}[/]" for m in shown)
