"""Identities and their documents as FollowTheMoney entities or as JSON-LD with schema.org's vocabulary.

FollowTheMoney (Aleph, OpenSanctions; https://followthemoney.tech): one JSON object per line, of the schemata Person,
Organization, Address (places have no schema), LegalEntity (no type), Document, Documentation (an entity in a document)
and Mention (a name in a document, with the entity that it was `resolved` to; the schema has none for places). Its ids
allow letters, digits, dots and hyphens; other ids are hashed, and the original ones are kept under `referents`.
JSON-LD: one object whose `@graph` has Person, Organization, Place or Thing and CreativeWork.

GraphML (http://graphml.graphdrawing.org), for Gephi, yEd, Cytoscape, networkx: identities that share documents.

CSV for `neo4j-admin database import full`, with typed headers: the nodes Identity (with its type as a second label) and
Document, and the relationships MENTIONED_IN, with the names used there, and SHARES_DOCUMENTS, with their number.

CSV for spreadsheets: cells that one would run as a formula are written as text, as OWASP advises
(https://owasp.org/www-community/attacks/CSV_Injection): a document decides what a name is, and whoever opens the table
must not run it.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

import pyarrow as pa
import pyarrow.compute as pc

from crossdoc.files import whole_file
from crossdoc.model import Appearance, Identity

SCHEMATA = {"person": "Person", "organisation": "Organization", "place": "Address"}
SCHEMA_CLASSES = {"person": "Person", "organisation": "Organization", "place": "Place"}
CONTEXT = {"@vocab": "https://schema.org/", "sameAs": {"@type": "@id"}, "mentions": {"@type": "@id"}}
"""JSON-LD context, inlined so that readers need not fetch schema.org."""
_FTM_ID = re.compile(r"[0-9a-zA-Z]([0-9a-zA-Z.\-]*[0-9a-zA-Z])?")
_WIKIDATA = re.compile(r"Q[1-9][0-9]*")
_ADDRESS_OF_WEB = re.compile(r"https?://[^\s<>\"{}|\\^`]+")


def write_ftm(
    identities: Iterable[Identity],
    documents: Iterable[Mapping[str, str | None]],
    appearances: Iterable[Appearance],
    stream: BinaryIO,
) -> int:
    """Write FollowTheMoney entities, one per line; return their number."""
    listed, found = list(identities), list(appearances)
    schema_of = {identity.id: SCHEMATA.get(identity.type or "", "LegalEntity") for identity in listed}
    entities = (
        *map(_ftm_identity, listed),
        *map(_ftm_document, documents),
        *map(_ftm_appearance, found),
        *(_ftm_mention(each, name, schema_of.get(each.entity, "LegalEntity")) for each in found for name in each.names),
    )
    for entity in entities:
        stream.write(json.dumps(entity, ensure_ascii=False).encode() + b"\n")
    return len(entities)


def ftm_id(kind: str, id: str) -> str:
    """Return an id that is valid in FollowTheMoney: the id itself or its hash, with the kind as a prefix.

    >>> ftm_id("entity", "p1"), ftm_id("entity", "a.txt:0:10")
    ('entity-p1', 'entity-abe778a16cb0f9233a46')
    """
    plain = id if _FTM_ID.fullmatch(id) else hashlib.sha256(id.encode()).hexdigest()[:20]
    return f"{kind}-{plain}"


def _ftm(id: str, schema: str, **properties: Iterable[str | None]) -> dict[str, Any]:
    filled = {name: [value for value in values if value] for name, values in properties.items()}
    plain = {name: values for name, values in filled.items() if values}
    return {"id": id, "schema": schema, "properties": plain, "datasets": ["crossdoc"]}


def _ftm_identity(identity: Identity) -> dict[str, Any]:
    schema = SCHEMATA.get(identity.type or "", "LegalEntity")
    entity = _ftm(
        ftm_id("entity", identity.id), schema, name=[identity.name], alias=_other_names(identity),
        summary=[identity.descriptor], full=[identity.name if schema == "Address" else None],
    )  # fmt: skip
    known = identity.known or ""
    if _WIKIDATA.fullmatch(known):
        entity["properties"]["wikidataId"] = [known]
    elif _ADDRESS_OF_WEB.fullmatch(known):
        entity["properties"]["sourceUrl"] = [known]
    return {**entity, "referents": [identity.id, *([known] if known else [])]}


def _other_names(identity: Identity) -> list[str]:
    return [name for name in identity.variants if name != identity.name]


def _ftm_document(document: Mapping[str, str | None]) -> dict[str, Any]:
    id = document["id"] or ""
    entity = _ftm(ftm_id("document", id), "Document", fileName=[id], title=[document["title"]], date=[document["date"]])
    return {**entity, "referents": [id]}


def _ftm_appearance(appearance: Appearance) -> dict[str, Any]:
    return _ftm(
        ftm_id("link", f"{appearance.entity}\n{appearance.document}"), "Documentation",
        entity=[ftm_id("entity", appearance.entity)], document=[ftm_id("document", appearance.document)],
        namesMentioned=appearance.names,
    )  # fmt: skip


def _ftm_mention(appearance: Appearance, name: str, schema: str) -> dict[str, Any]:
    return _ftm(
        ftm_id("mention", f"{appearance.entity}\n{appearance.document}\n{name}"), "Mention",
        name=[name], document=[ftm_id("document", appearance.document)], detectedSchema=[schema],
        resolved=[] if schema == "Address" else [ftm_id("entity", appearance.entity)],
    )  # fmt: skip


def write_json_ld(
    identities: Iterable[Identity],
    documents: Iterable[Mapping[str, str | None]],
    appearances: Iterable[Appearance],
    stream: BinaryIO,
) -> int:
    """Write one JSON-LD object; return the number of nodes. The appearances must be grouped by document."""
    named = {document: list(own) for document, own in groupby(appearances, key=lambda each: each.document)}
    nodes = [*map(_node, identities), *(_work(document, named.get(document["id"] or "", [])) for document in documents)]
    stream.write(b'{"@context": ' + json.dumps(CONTEXT).encode() + b',\n "@graph": [')
    for number, node in enumerate(nodes):
        stream.write((b",\n" if number else b"\n") + json.dumps(node, ensure_ascii=False).encode())
    stream.write(b"\n]}\n")
    return len(nodes)


def urn(kind: str, id: str) -> str:
    """
    >>> urn("identity", "a b:0:10")
    'urn:crossdoc:identity:a%20b:0:10'
    """
    return f"urn:crossdoc:{kind}:{quote(id, safe=':/')}"


def _node(identity: Identity) -> dict[str, Any]:
    node: dict[str, Any] = {
        "@id": urn("identity", identity.id),
        "@type": SCHEMA_CLASSES.get(identity.type or "", "Thing"),
        "identifier": identity.id,
        "name": identity.name,
    }
    others = _other_names(identity)
    node |= {"alternateName": others} if others else {}
    node |= {"description": identity.descriptor} if identity.descriptor else {}
    if identity.known is not None:
        page = f"http://www.wikidata.org/entity/{identity.known}" if _WIKIDATA.fullmatch(identity.known) else None
        page = identity.known if _ADDRESS_OF_WEB.fullmatch(identity.known) else page
        entry = {"@type": "PropertyValue", "propertyID": "known", "value": identity.known}
        node |= {"sameAs": page} if page else {"identifier": [identity.id, entry]}
    return node


def _work(document: Mapping[str, str | None], named: Iterable[Appearance]) -> dict[str, Any]:
    id = document["id"] or ""
    work: dict[str, Any] = {"@id": urn("document", id), "@type": "CreativeWork", "identifier": id}
    work |= {"name": document["title"]} if document["title"] else {}
    work |= {"datePublished": document["date"]} if document["date"] else {}
    return {**work, "mentions": [urn("identity", appearance.entity) for appearance in named]}


GRAPHML_KEYS = {
    "name": ("node", "string"), "type": ("node", "string"), "descriptor": ("node", "string"),
    "documents": ("node", "long"), "mentions": ("node", "long"), "certainty": ("node", "double"),
    "known": ("node", "string"), "shared": ("edge", "long"),
}  # fmt: skip
"""Attributes of nodes and edges, with their types."""
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_graphml(identities: Iterable[Identity], shared: Iterable[tuple[str, str, int]], stream: BinaryIO) -> int:
    """Write an undirected graph whose edges count shared documents; return the number of nodes."""

    def write_line(line: str) -> None:
        stream.write(line.encode() + b"\n")

    write_line('<?xml version="1.0" encoding="UTF-8"?>')
    write_line('<graphml xmlns="http://graphml.graphdrawing.org/xmlns">')
    for name, (of, type) in GRAPHML_KEYS.items():
        write_line(f'<key id="{name}" for="{of}" attr.name="{name}" attr.type="{type}"/>')
    write_line('<graph id="identities" edgedefault="undirected">')
    nodes = 0
    for identity in identities:
        data = {
            "name": identity.name, "type": identity.type, "descriptor": identity.descriptor,
            "documents": identity.n_documents, "mentions": identity.n_mentions,
            "certainty": round(identity.certainty, 4), "known": identity.known,
        }  # fmt: skip
        write_line(f"<node id={_quote(identity.id)}>{_data(data)}</node>")
        nodes += 1
    for a, b, documents in shared:
        write_line(f"<edge source={_quote(a)} target={_quote(b)}>{_data({'shared': documents})}</edge>")
    write_line("</graph>\n</graphml>")
    return nodes


def _data(data: dict[str, Any]) -> str:
    cells = ((name, value) for name, value in data.items() if value not in (None, ""))
    return "".join(f'<data key="{name}">{escape(_clean(str(value)))}</data>' for name, value in cells)


def _quote(id: str) -> str:
    return quoteattr(_clean(id))


def _clean(text: str) -> str:
    """Remove the control characters that XML cannot represent.

    >>> _clean("a\\x00b\\tc")
    'ab\\tc'
    """
    return _NOT_XML.sub("", text)


NEO4J_LABELS = {"person": "Person", "organisation": "Organisation", "place": "Place"}
NEO4J_SEPARATOR = ";"
"""Between the values of a list, as neo4j-admin expects by default."""
NEO4J_HEADERS = {
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
    listed = list(identities)
    _write_csv(folder, "identities.csv", map(_neo4j_identity, listed))
    _write_csv(folder, "documents.csv", ([each["id"], each["title"], each["date"], "Document"] for each in documents))
    named = ([each.entity, each.document, _listed(each.names), "MENTIONED_IN"] for each in appearances)
    _write_csv(folder, "mentioned_in.csv", named)
    _write_csv(folder, "shares_documents.csv", ([a, b, n, "SHARES_DOCUMENTS"] for a, b, n in shared))
    nodes, links = list(NEO4J_HEADERS)[:2], list(NEO4J_HEADERS)[2:]
    given = [f"--nodes={name}" for name in nodes] + [f"--relationships={name}" for name in links]
    with whole_file(folder / "import.sh") as stream:
        stream.write(f"neo4j-admin database import full {' '.join(given)} --multiline-fields=true neo4j\n".encode())
    return len(listed)


def _neo4j_identity(identity: Identity) -> list[Any]:
    label = "Identity" + (f";{NEO4J_LABELS[identity.type]}" if identity.type in NEO4J_LABELS else "")
    return [
        identity.id, identity.name, identity.type, identity.descriptor, _listed(identity.variants),
        identity.n_documents, identity.n_mentions, f"{identity.certainty:.4f}", label,
    ]  # fmt: skip


def _listed(names: Iterable[str]) -> str:
    """Join names; the separator has no escape, so one within a name becomes a comma."""
    return NEO4J_SEPARATOR.join(name.replace(NEO4J_SEPARATOR, ",") for name in names)


def _write_csv(folder: Path, name: str, rows: Iterable[Sequence[Any]]) -> None:
    with whole_file(folder / name) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(NEO4J_HEADERS[name])
        writer.writerows(rows)
        text.detach()


FORMULA = "^[=+\\-@\t\r\n＝＋－＠]"


def escape_formulas(batch: pa.RecordBatch) -> tuple[pa.RecordBatch, int]:
    """Return the batch with an apostrophe before every text that begins like a formula, and their number.

    >>> safe, changed = escape_formulas(pa.record_batch({"name": ["=1+1", "Ann"], "score": [-1.5, 2.0]}))
    >>> safe.to_pydict(), changed
    ({'name': ["'=1+1", 'Ann'], 'score': [-1.5, 2.0]}, 1)
    """
    changed = 0
    for at, column in enumerate(batch.schema):
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            found = pc.fill_null(pc.match_substring_regex(batch.column(at), FORMULA), False)
            changed += found.true_count
            if found.true_count:
                # An empty joiner, so that the apostrophe is put before the text itself.
                safe = pc.binary_join_element_wise(
                    pa.scalar("'", column.type), batch.column(at), pa.scalar("", column.type)
                )
                batch = batch.set_column(at, column, pc.if_else(found, safe, batch.column(at)))
    return batch, changed
