"""Identities that share documents as GraphML (http://graphml.graphdrawing.org), for Gephi, yEd, Cytoscape, networkx."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, BinaryIO
from xml.sax.saxutils import escape, quoteattr

from crossdoc.model import Identity

GRAPHML_KEYS = {
    "name": ("node", "string"), "type": ("node", "string"), "descriptor": ("node", "string"),
    "documents": ("node", "long"), "mentions": ("node", "long"), "certainty": ("node", "double"),
    "known": ("node", "string"), "shared": ("edge", "long"),
}  # fmt: skip
"""What a node or an edge says, and the type of it."""
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_graphml(identities: Iterable[Identity], shared: Iterable[tuple[str, str, int]], stream: BinaryIO) -> int:
    """Write an undirected graph; an edge says how many documents its two identities `share`. Returns the nodes."""

    def say(line: str) -> None:
        stream.write(line.encode() + b"\n")

    say('<?xml version="1.0" encoding="UTF-8"?>')
    say('<graphml xmlns="http://graphml.graphdrawing.org/xmlns">')
    for name, (of, type) in GRAPHML_KEYS.items():
        say(f'<key id="{name}" for="{of}" attr.name="{name}" attr.type="{type}"/>')
    say('<graph id="identities" edgedefault="undirected">')
    nodes = 0
    for identity in identities:
        data = {
            "name": identity.name, "type": identity.type, "descriptor": identity.descriptor,
            "documents": identity.n_documents, "mentions": identity.n_mentions,
            "certainty": round(identity.certainty, 4), "known": identity.known,
        }  # fmt: skip
        say(f"<node id={_quoted(identity.id)}>{_data(data)}</node>")
        nodes += 1
    for a, b, documents in shared:
        say(f"<edge source={_quoted(a)} target={_quoted(b)}>{_data({'shared': documents})}</edge>")
    say("</graph>\n</graphml>")
    return nodes


def _data(data: dict[str, Any]) -> str:
    cells = ((name, value) for name, value in data.items() if value not in (None, ""))
    return "".join(f'<data key="{name}">{escape(_clean(str(value)))}</data>' for name, value in cells)


def _quoted(id: str) -> str:
    return quoteattr(_clean(id))


def _clean(text: str) -> str:
    """Without the control characters that XML has no way to write.

    >>> _clean("a\\x00b\\tc")
    'ab\\tc'
    """
    return _NOT_XML.sub("", text)
