"""An answer as CSV files for `neo4j-admin database import full`: nodes and relationships, with typed headers.

Nodes: Identity (with its type as a second label) and Document. Relationships: MENTIONED_IN, with the names used there,
and SHARES_DOCUMENTS between identities, with their number.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from crossdoc.files import whole_file
from crossdoc.model import Appearance, Identity

LABELS = {"person": "Person", "organisation": "Organisation", "place": "Place"}
SEPARATOR = ";"
"""Between the values of a list, as neo4j-admin expects by default."""
HEADERS = {
    "identities.csv": (
        "id:ID(Identity)", "name", "type", "descriptor", "names:string[]", "documents:int", "mentions:int",
        "certainty:double", ":LABEL",
    ),
    "documents.csv": ("id:ID(Document)", "title", "date", ":LABEL"),
    "mentioned_in.csv": (":START_ID(Identity)", ":END_ID(Document)", "names:string[]", ":TYPE"),
    "shares_documents.csv": (":START_ID(Identity)", ":END_ID(Identity)", "documents:int", ":TYPE"),
}  # fmt: skip


def write_neo4j(
    identities: Iterable[Identity],
    documents: Iterable[Mapping[str, str | None]],
    appearances: Iterable[Appearance],
    shared: Iterable[tuple[str, str, int]],
    folder: Path,
) -> int:
    """Write four files and the command that imports them; return the number of identities."""
    count = _write(folder, "identities.csv", map(_identity, identities))
    _write(folder, "documents.csv", ([each["id"], each["title"], each["date"], "Document"] for each in documents))
    named = ([each.entity, each.document, _listed(each.names), "MENTIONED_IN"] for each in appearances)
    _write(folder, "mentioned_in.csv", named)
    _write(folder, "shares_documents.csv", ([a, b, n, "SHARES_DOCUMENTS"] for a, b, n in shared))
    nodes, links = list(HEADERS)[:2], list(HEADERS)[2:]
    given = [f"--nodes={name}" for name in nodes] + [f"--relationships={name}" for name in links]
    with whole_file(folder / "import.sh") as stream:
        stream.write(f"neo4j-admin database import full {' '.join(given)} --multiline-fields=true neo4j\n".encode())
    return count


def _identity(identity: Identity) -> list[Any]:
    label = "Identity" + (f";{LABELS[identity.type]}" if identity.type in LABELS else "")
    return [
        identity.id, identity.name, identity.type, identity.descriptor, _listed(identity.variants),
        identity.n_documents, identity.n_mentions, f"{identity.certainty:.4f}", label,
    ]  # fmt: skip


def _listed(names: Iterable[str]) -> str:
    """Join names; the separator has no escape, so one within a name becomes a comma."""
    return SEPARATOR.join(name.replace(SEPARATOR, ",") for name in names)


def _write(folder: Path, name: str, rows: Iterable[Sequence[Any]]) -> int:
    count, text = 0, io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    with whole_file(folder / name) as stream:
        for row in chain([HEADERS[name]], rows):
            writer.writerow(["" if cell is None else cell for cell in row])
            stream.write(text.getvalue().encode())
            text.seek(0)
            text.truncate()
            count += 1
    return count - 1
