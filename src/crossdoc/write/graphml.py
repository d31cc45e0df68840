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
