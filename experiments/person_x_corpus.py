"""Person-X (Singh et al. 2011, section 4.2) from newswire that can be had: 50 people, each name replaced by X.

The paper took 25,000 mentions from the New York Times. Here they are every occurrence of a full name in Reuters-21578
(1987) and AIDA (1996); the people are those in most articles whose names follow a title in the text ("Minister Nigel
Lawson"; Reuters) or are annotated as a person's (AIDA), 25 from each.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from common import data
from corpora import aida, reuters

from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.model import Document, Profile, Profiles, Vectors

PEOPLE = 50
WORDS_EACH_SIDE = 50
_TITLED = re.compile(
    r"(?:[Mm]inister|[Ss]ecretary|[Pp]resident|[Cc]hairman|[Cc]hancellor|[Gg]overnor|[Aa]nalyst|[Ee]conomist|[Dd]irector)"
    r",?\s+([A-Z][a-z]+(?:\s[A-Z]\.)?\s[A-Z][a-z]{2,})\b"
)
_NO_NAMES = re.compile(r"\b(?:Inc|Corp|Bank|Co|General|Federal|Reserve|House|White|Trade|United|New|Prime|Finance)\b")


@dataclass(frozen=True)
class PersonX:
    vectors: Vectors
    person: npt.NDArray[np.object_]

    def __len__(self) -> int:
        return len(self.person)


def person_x() -> PersonX:
    """The mentions of all 50, in the order of the articles."""
    wire, conll = list(reuters.documents(data("reuters21578"))), list(aida.documents(data("aida")))
    names = _titled(wire)[: PEOPLE // 2]
    names += [name for name in _annotated(conll) if name not in names][: PEOPLE - len(names)]
    people, contexts = [], []
    for document in [*wire, *conll]:
        for name, context in _mentions(document, names):
            people.append(name)
            contexts.append(context)
    profiles = Profiles.of(Profile(str(i), str(i), "X", context=text) for i, text in enumerate(contexts))
    vectoriser = ContextVectoriser().fit([[document.text for document in [*wire, *conll]]])
    return PersonX(vectoriser.transform(profiles), np.array(people, dtype=object))


def _titled(documents: Iterable[Document]) -> list[str]:
    count: Counter[str] = Counter()
    for document in documents:
        flat = re.sub(r"\s+", " ", document.text)
        count.update({name for name in _TITLED.findall(flat) if not _NO_NAMES.search(name)})
    return sorted(count, key=lambda name: (-count[name], name))


def _annotated(documents: Iterable[Document]) -> list[str]:
    count: Counter[str] = Counter()
    for document in documents:
        people = (m for m in document.mentions or () if m.type == "person" and m.chain is not None)
        count.update({m.text for m in people if len(m.text.split()) == 2 and not m.text.isupper()})
    return sorted(count, key=lambda name: (-count[name], name))


def _mentions(document: Document, names: list[str]) -> Iterable[tuple[str, str]]:
    """Each full name in a text with the words round it, the words of the name itself left out."""
    flat = re.sub(r"\s+", " ", document.text)
    for name in names:
        if name not in flat:
            continue
        own = re.compile("|".join(rf"\b{re.escape(part)}\b" for part in name.split()))
        for found in re.finditer(rf"\b{re.escape(name)}\b", flat):
            before = flat[: found.start()].split()[-WORDS_EACH_SIDE:]
            after = flat[found.end() :].split()[:WORDS_EACH_SIDE]
            yield name, own.sub(" ", " ".join([*before, "X", *after]))
