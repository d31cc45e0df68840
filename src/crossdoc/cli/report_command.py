"""`crossdoc report`: identities and their documents as one self-contained HTML file, in the look of the explorer."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rich.markup import escape

from crossdoc import errors
from crossdoc.cli import ui
from crossdoc.files import whole_file
from crossdoc.web import look

if TYPE_CHECKING:
    from crossdoc.model import Identity
    from crossdoc.run.resolution import Resolution

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
    counts: dict[str, int] = {}
    for identity in found:
        counts[identity.type or "other"] = counts.get(identity.type or "other", 0) + 1
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def _mark_name(snippet: str, name: str) -> list[tuple[str, bool | None]]:
    """Split a line of text into pieces, marking the name."""
    from crossdoc.store.identity_queries import places_of

    return list(look.pieces(snippet, [(start, end, True) for start, end in places_of([name], snippet)]))
