"""Which candidates are names, and of what: a log-linear model over what candidates.py says of each.

The model corrects spaCy's where it was not trained: tables, clubs called by their towns, headlines, acronyms. It is
fitted on labelled newswire by tools/build_name_model.py, and is part of a language's pack; a language without one keeps
what the parser and the rules found.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from crossdoc.extract.candidates import Candidate, candidates
from crossdoc.extract.name_evidence import NameSpan
from crossdoc.lang import pack

if TYPE_CHECKING:
    from spacy.tokens import Doc

CLASSES = ("", "person", "organisation", "place")
"""What a candidate can be; '' is no name."""
SURELY_NONE = 0.75
"""Above this probability a name that was found is none. On AIDA train .5 to .9 differ by .005 in F1; on the sample,
other text than the model was fitted to, .5 loses a tenth of the organisations."""
PROBABLY_NONE = 0.5
"""Above this probability a run of words that nobody found is none, whatever it would be if it were a name."""
SURELY_PERSON = 0.7
"""From this probability on what was found as something else is a person. On AIDA train 0 to .8 differ by .002 in F1; in
Reuters-21578 companies of two words would otherwise be people."""
Weights = Mapping[str, Sequence[float]]
"""By feature, one number for each class."""


def weighed(doc: Doc, names: Sequence[NameSpan]) -> list[NameSpan]:
    """The names of a document after all is weighed: some are new, some have another type, some are none."""
    weights = pack(doc.lang_).models.names
    if not weights or not len(doc):
        return list(names)
    scored = [(candidate, shares(candidate.features, weights)) for candidate in candidates(doc, names)]
    kept: list[NameSpan] = []
    taken: set[int] = set()
    for candidate, share in sorted(scored, key=_surest_first):
        best = _type(candidate, share)
        span = range(candidate.start, candidate.end)
        is_none = share[0] > (SURELY_NONE if candidate.found else PROBABLY_NONE)
        if not is_none and taken.isdisjoint(span):
            taken.update(span)
            kept.append(_name(candidate, best))
    return sorted(kept, key=lambda name: name.start)


def _type(candidate: Candidate, share: Sequence[float]) -> str:
    _, person, organisation, place = share
    if person > max(organisation, place) and (candidate.found is None or candidate.found.type == "person"):
        return "person"
    if person > SURELY_PERSON:
        return "person"
    return "organisation" if organisation > place else "place"


def _surest_first(scored: tuple[Candidate, Sequence[float]]) -> tuple[float, int, int]:
    candidate, share = scored
    return -max(share[1:]), candidate.start, -candidate.end


def _name(candidate: Candidate, type_: str) -> NameSpan:
    return NameSpan(candidate.start, candidate.end, type_, candidate.found is not None and candidate.found.certain)


def shares(features: Sequence[str], weights: Weights) -> list[float]:
    """The probability of each class: the softmax of the sums of the weights of all that is said.

    >>> shares(["in a table"], {"in a table": (0.0, 0.0, math.log(2), 0.0)})
    [0.2, 0.2, 0.4, 0.2]
    """
    known = [own for feature in features if (own := weights.get(feature))]
    sums = [sum(column) for column in zip(*known, strict=True)] or [0.0] * len(CLASSES)
    top = max(sums)
    odds = [math.exp(each - top) for each in sums]
    return [each / sum(odds) for each in odds]
