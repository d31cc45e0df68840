"""The commands that write an answer for others: `export` (tables, other programs), `report` and `demo` (pages)."""

from __future__ import annotations

import base64
import hashlib
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from importlib import resources
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from crossdoc import errors
from crossdoc.cli import ui
from crossdoc.files import whole_file, write_rows
from crossdoc.web import look

if TYPE_CHECKING:
    import pyarrow as pa

    from crossdoc.model import Identity
    from crossdoc.run.resolution import Resolution
    from crossdoc.store import Store

FOR_OTHERS = {"ftm": (".ftm", ".ftm.json", ".ftm.jsonl"), "jsonld": (".jsonld",), "graphml": (".graphml",)}
"""Formats of identities in place of a table, with their endings."""
DATABASES = {"sqlite": (".sqlite", ".sqlite3", ".db"), "duckdb": (".duckdb",)}
"""Formats with all tables in one file, with their endings."""
NEO4J = "neo4j"
FORMATS = (*ui.TABLE_FORMATS, *FOR_OTHERS, *DATABASES, NEO4J)
JSON_FORMATS = ("jsonl", "ftm", "jsonld")
FILE_CONTENTS = {"csv": "text", "parquet": "Parquet", "graphml": "XML", **dict.fromkeys(JSON_FORMATS, "JSON"),
                 "sqlite": "an SQLite database", "duckdb": "a database"}  # fmt: skip
"""Content of the files of each format."""


def export(
    store: ui.Result,
    format: Annotated[str | None, ui.option(f"One of: {', '.join(FORMATS)} (default: from the ending of -o).")] = None,
    level: Annotated[str | None, ui.option("For tables: one row per profile (the default) or per mention.")] = None,
    soft: ui.Soft = False,
    find: Annotated[str | None, ui.option("Only identities with this text in a name, or with this id.")] = None,
    raw: Annotated[
        bool, ui.option("Leave CSV cells as they are, even those that a spreadsheet would run as a formula.", "--raw")
    ] = False,
    output: Annotated[
        Path | None,
        ui.output_option("Output file; its ending sets the format (default: CSV to standard output)."),
    ] = None,
    force: ui.Force = False,
) -> None:
    """Export who is who as a table (id, entity, membership, name, document …) or as identities for other programs.

    `ftm` writes FollowTheMoney entities (Aleph, OpenSanctions), `jsonld` schema.org's JSON-LD, `graphml` the graph of
    identities that share documents, `sqlite` and `duckdb` a database of all tables, and `neo4j` a folder to import.

    Example:  crossdoc export articles.crossdoc --level mention -o mentions.csv
    """
    from crossdoc.store.schema import LEVELS

    if format is not None and format not in FORMATS:
        raise errors.unknown_choice("format", format, list(FORMATS))
    if level is not None and level not in LEVELS:
        raise errors.unknown_choice("level", level, list(LEVELS))
    ui.check_outputs([output], [store], force=force, kind=FILE_CONTENTS.get(format or ""), folder=format == NEO4J)
    chosen = format or _export_format(output)
    tables = ui.TABLE_FORMATS
    for flag, given, wanted in (
        ("--level", level, tables), ("--soft", soft, tables), ("--raw", raw, ("csv",)),
        ("--find", find, [each for each in FORMATS if each not in DATABASES]),
    ):  # fmt: skip
        if given and chosen not in wanted:
            raise errors.not_usable_with(flag, f"the format {chosen}", wanted)
    if chosen in ("parquet", *DATABASES) and output is None and sys.stdout.isatty():
        raise errors.binary_to_terminal()
    if chosen == NEO4J and output is None:
        raise errors.several_files(NEO4J)
    with ui.open_store(store) as opened, nullcontext() if chosen == NEO4J else whole_file(output) as stream:
        if find is not None and not opened.identities(find):
            raise errors.not_found(find, store)
        if chosen in DATABASES:
            count, what = _write_database(opened, chosen, stream), "identities"
        elif chosen in tables:
            count, what = _write_rows(opened, chosen, level or "profile", soft, find, raw, stream), "rows"
        else:
            count = _write_identities(opened, chosen, find, output if chosen == NEO4J else stream)
            what = "identities" if chosen in ("graphml", NEO4J) else "entities"
    if output is not None:
        ui.status(f"{count:,} {what} in {escape(str(output))}")


def _export_format(output: Path | None) -> str:
    name = "" if output is None else output.name.lower()
    others = {**FOR_OTHERS, **DATABASES}
    for format, endings in others.items():
        if name.endswith(endings):
            return format
    return ui.format_of(output, [ending for endings in others.values() for ending in endings[:1]])


def _write_database(store: Store, format: str, stream: Any) -> int:
    from crossdoc.store.export_tables import export_tables
    from crossdoc.write.databases import write_duckdb, write_sqlite

    return (write_sqlite if format == "sqlite" else write_duckdb)(export_tables(store), stream)


def _write_identities(store: Store, format: str, find: str | None, target: Any) -> int:
    """Write all identities, or those that are found, with the edges between them; return their number."""
    from crossdoc.write import write_ftm, write_graphml, write_json_ld, write_neo4j

    found = store.identities(find)
    ids = {identity.id for identity in found}
    shared = (edge for edge in store.shared_documents() if ids.issuperset(edge[:2]))
    if format == "graphml":
        return write_graphml(found, shared, target)
    appearances = [appearance for appearance in store.appearances() if appearance.entity in ids]
    named = {appearance.document for appearance in appearances}
    documents = (document for document in store.document_facts() if document["id"] in named)
    if format == NEO4J:
        return write_neo4j(found, documents, appearances, shared, target)
    return (write_ftm if format == "ftm" else write_json_ld)(found, documents, appearances, target)


def _write_rows(store: Store, format: str, level: str, soft: bool, find: str | None, raw: bool, stream: Any) -> int:
    """Write the answer as a table, safe for a spreadsheet unless `raw`; print a note about changed cells."""
    from crossdoc.write import escape_formulas

    entities = None if find is None else [identity.id for identity in store.identities(find)]
    changed = 0

    def safe(batch: pa.RecordBatch) -> pa.RecordBatch:
        nonlocal changed
        batch, here = escape_formulas(batch)
        changed += here
        return batch

    batches = store.answer(level, soft=soft, entities=entities)
    if format == "csv" and not raw:
        batches = map(safe, batches)
    count = write_rows(batches, store.answer_schema(level), format, stream)
    if changed:
        note = f"{changed:,} cells that begin like a formula got a leading apostrophe; --raw leaves them as they are"
        ui.notes([note])
    return count


MOST_CHARACTERS = 20_000_000
"""Characters of documents in one file; browsers open larger files slowly. The largest identities come first."""


@dataclass(frozen=True, slots=True)
class ReportDocument:
    """A document that can be opened within the report."""

    number: int
    id: str
    title: str
    date: str
    source: str
    pieces: list[tuple[str, dict[str, Any] | None]]


def report(
    store: ui.Result,
    output: Annotated[Path, ui.output_option("Output file, .html.")],
    find: Annotated[str | None, ui.option("Only identities with this text in a name.")] = None,
    top: Annotated[int, ui.option("Maximum number of identities.", min=1)] = 500,
    members: Annotated[int, ui.option("Maximum number of members of each identity.", min=0)] = 20,
    texts: Annotated[bool, ui.option("Include the documents of these members.")] = True,
    force: ui.Force = False,
) -> None:
    """Write identities to a single HTML file that can be shared: search, filter, sort, open documents, print.

    Example:  crossdoc report articles.crossdoc -o report.html
    """
    ui.check_outputs([output], [store], force=force, kind="HTML")
    with ui.open_result(store) as resolution:
        found = resolution.identities(find, top, members)
        if not found and find is not None:
            raise errors.not_found(find, store)
        page = render(resolution, found, store.name, texts=texts)
    with whole_file(output) as stream:
        stream.write(page.encode())
    ui.line(f"{len(found):,} identities in {escape(str(output))}")


def render(resolution: Resolution, found: list[Identity], source: str, *, texts: bool = True) -> str:
    """Return the report as HTML."""
    from jinja2 import Environment, PackageLoader

    documents = list(dict.fromkeys(member.document for identity in found for member in identity.members))
    facts = {document.id: document for document in resolution.store.documents(documents)}
    opened, left_out = _open_documents(
        resolution, [facts[id] for id in documents if id in facts and facts[id].text and texts]
    )
    script = (files("crossdoc.cli") / "templates" / "report.js").read_text(encoding="utf-8")
    # All text is escaped, so that a report cannot run a script from an article. As a second guard, the page allows
    # this script only and loads nothing.
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    environment = Environment(loader=PackageLoader("crossdoc.cli"), autoescape=True, trim_blocks=True)
    environment.globals.update(look=look, marked=_mark_name)
    return environment.get_template("report.html").render(
        source=source,
        css=look.css(),
        script=script,
        digest=digest,
        identities=found,
        number={identity.id: number for number, identity in enumerate(found)},
        types=_types(found),
        sizes=resolution.store.sizes(),
        notes=resolution.notes,
        documents=facts,
        opened=opened,
        left_out=left_out,
    )


def _open_documents(resolution: Resolution, documents: list[Any]) -> tuple[dict[str, ReportDocument], int]:
    """Return the documents that fit into the file, with their mentions, and the number of the others."""
    kept, characters = [], 0
    for document in documents:
        characters += len(document.text)
        if characters > MOST_CHARACTERS:
            break
        kept.append(document)
    spans: dict[str, list[tuple[int, int, dict[str, Any]]]] = {}
    for row in resolution.store.mentions_in(document.id for document in kept):
        spans.setdefault(row["document"], []).append((row["start"], row["end"], row))
    opened = {
        each.id: ReportDocument(
            number, each.id, each.title or each.id, each.date or "", each.source or "",
            list(look.pieces(each.text, spans.get(each.id, ()))),
        )
        for number, each in enumerate(kept)
    }  # fmt: skip
    return opened, len(documents) - len(kept)


def _types(found: list[Identity]) -> list[tuple[str, int]]:
    counts = Counter(identity.type or "other" for identity in found)
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def _mark_name(snippet: str, name: str) -> list[tuple[str, bool | None]]:
    """Split a line of text into pieces, marking the name."""
    from crossdoc.store.identity_queries import places_of

    return list(look.pieces(snippet, [(start, end, True) for start, end in places_of([name], snippet)]))


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
