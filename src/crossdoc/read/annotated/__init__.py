"""Documents with annotations of other tools: CoNLL-2012, CoNLL-U, NAF, brat's standoff and UIMA's CAS.

Each module reads one format into documents with mentions, types and chains.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from crossdoc.model import Document
from crossdoc.read.annotated.brat import read_brat
from crossdoc.read.annotated.cas import read_cas
from crossdoc.read.annotated.conll2012 import read_conll2012
from crossdoc.read.annotated.conllu import read_conllu
from crossdoc.read.annotated.naf import read_naf
from crossdoc.read.sources import Kind, Source

READERS: dict[Kind, Callable[[Source], Iterator[Document]]] = {
    "conll2012": read_conll2012,
    "conllu": read_conllu,
    "naf": read_naf,
    "brat": read_brat,
    "cas": read_cas,
}


def read_annotated(source: Source) -> Iterator[Document]:
    """Return the documents of a file, by its format."""
    return READERS[source.kind](source)
