"""Readers of published benchmark corpora, one small file each: documents or profiles, and gold, in our own terms.

Each has `documents(folder)`, an iterator of `Document`, or, where a third-party extractor has read the corpus,
`profiles(file, name=None)`, an iterator of `Profile` (of one ambiguous `name`: one a document). `gold` takes the same
and gives a table `id, entity` (with `group` where the corpus has several ambiguous names); a corpus may have none.
Some read one `language` or one `part` alone, and tell with `left_out` how many mentions of other types there were.
"""

from types import ModuleType

from crossdoc.read.corpora import (
    aida,
    arnetminer,
    bsnlp,
    ecbplus,
    hipe,
    john_smith,
    meantime,
    patentsview,
    reuters,
    serif,
    weps,
)

CORPORA: dict[str, ModuleType] = {
    "aida": aida,
    "arnetminer": arnetminer,
    "bsnlp": bsnlp,
    "ecbplus": ecbplus,
    "hipe": hipe,
    "john-smith": john_smith,
    "john-smith-serif": serif,
    "meantime": meantime,
    "patentsview": patentsview,
    "reuters": reuters,
    "weps": weps,
}

__all__ = [
    "CORPORA",
    "aida",
    "arnetminer",
    "bsnlp",
    "ecbplus",
    "hipe",
    "john_smith",
    "meantime",
    "patentsview",
    "reuters",
    "serif",
    "weps",
]
