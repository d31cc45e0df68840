"""Identities and their documents as FollowTheMoney entities or as JSON-LD with schema.org's vocabulary.

FollowTheMoney (Aleph, OpenSanctions; https://followthemoney.tech): one JSON object per line, of the schemata Person,
Organization, Address (places have no schema), LegalEntity (no type), Document, Documentation (an entity in a document)
and Mention (a name in a document, with the entity that it was `resolved` to; the schema has none for places). Its ids
allow letters, digits, dots and hyphens; other ids are hashed, and the original ones are kept under `referents`.
JSON-LD: one object whose `@graph` has Person, Organization, Place or Thing and CreativeWork.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import Any, BinaryIO
from urllib.parse import quote

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


def _ftm(kind: str, id: str, schema: str, **properties: Iterable[str | None]) -> dict[str, Any]:
    filled = {name: [value for value in values if value] for name, values in properties.items()}
    return {
        "id": ftm_id(kind, id),
        "schema": schema,
        "properties": {name: values for name, values in filled.items() if values},
        "datasets": ["crossdoc"],
        "referents": [id],
    }


def _ftm_identity(identity: Identity) -> dict[str, Any]:
    others = [name for name in identity.variants if name != identity.name]
    schema = SCHEMATA.get(identity.type or "", "LegalEntity")
    entity = _ftm("entity", identity.id, schema, name=[identity.name], alias=others, summary=[identity.descriptor])
    if schema == "Address":
        entity["properties"]["full"] = [identity.name]
    if identity.known is not None:
        entity["referents"].append(identity.known)
        if _WIKIDATA.fullmatch(identity.known):
            entity["properties"]["wikidataId"] = [identity.known]
        elif _ADDRESS_OF_WEB.fullmatch(identity.known):
            entity["properties"]["sourceUrl"] = [identity.known]
    return entity


def _ftm_document(document: Mapping[str, str | None]) -> dict[str, Any]:
    id = document["id"] or ""
    return _ftm("document", id, "Document", fileName=[id], title=[document["title"]], date=[document["date"]])


def _ftm_appearance(appearance: Appearance) -> dict[str, Any]:
    entity = _ftm(
        "link", f"{appearance.entity}\n{appearance.document}", "Documentation",
        entity=[ftm_id("entity", appearance.entity)], document=[ftm_id("document", appearance.document)],
        namesMentioned=appearance.names,
    )  # fmt: skip
    del entity["referents"]
    return entity


def _ftm_mention(appearance: Appearance, name: str, schema: str) -> dict[str, Any]:
    is_legal = schema != "Address"
    entity = _ftm(
        "mention", f"{appearance.entity}\n{appearance.document}\n{name}", "Mention",
        name=[name], document=[ftm_id("document", appearance.document)], detectedSchema=[schema],
        resolved=[ftm_id("entity", appearance.entity)] if is_legal else [],
    )  # fmt: skip
    del entity["referents"]
    return entity


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
    others = [name for name in identity.variants if name != identity.name]
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
