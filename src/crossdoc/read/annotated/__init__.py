"""Documents with annotations of other tools: CoNLL-2012, CoNLL-U and brat's standoff.

Each module reads one format into documents with mentions, types and chains.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from crossdoc.model import Document
from crossdoc.read.annotated.brat import read_brat
from crossdoc.read.annotated.conll2012 import read_conll2012
from crossdoc.read.annotated.conllu import read_conllu
from crossdoc.read.sources import Kind, Source

READERS: dict[Kind, Callable[[Source], Iterator[Document]]] = {
    "conll2012": read_conll2012,
    "conllu": read_conllu,
    "brat": read_brat,
}


def read_annotated(source: Source) -> Iterator[Document]:
    """Return the documents of a file, by its format."""
    return READERS[source.kind](source)
