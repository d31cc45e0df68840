"""Which candidates are names, and of what: a log-linear model over what candidates.py says of each.

The model corrects spaCy's where it was not trained: tables, clubs called by their towns, headlines, acronyms. It is
fitted on labelled newswire by experiments/extraction.py, and is part of a language's pack; a language without one keeps
what the parser and the rules found. In running text of another kind it is one voice of several: whether a name is a
person's is the sum of its log odds, of the tagger's and of the cues (type_cues.py).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from crossdoc.extract.candidates import NameCandidate, candidates, place_kind
from crossdoc.extract.gender import is_first_name
from crossdoc.extract.name_surroundings import NameSpan, is_title
from crossdoc.extract.truecase import CaseCounts
from crossdoc.extract.type_cues import cue_at
from crossdoc.lang import pack
from crossdoc.names import SUFFIXES, fold

if TYPE_CHECKING:
    from spacy.tokens import Doc

CLASSES = ("", "person", "organisation", "place")
"""Types that a candidate can have; '' is no name."""
RUNNING_TEXT = "sport "
"""The feature of a candidate that stands neither in a report of a sport nor in a table."""
SURELY_NONE = 0.75
"""Above this probability a name that was found is none. On AIDA train .5 to .9 differ by .005 in F1; on the sample,
other text than the model was fitted to, .5 loses a tenth of the organisations."""
PROBABLY_NONE = 0.5
"""Probability. Above it a run of words that neither model nor rules found is no name, whatever its likeliest type."""
SURELY_PERSON = 0.7
"""Probability. In reports of sports and in tables, above it what was found as something else is a person. On AIDA train
0 to .8 differ by .002 in F1; in Reuters-21578 companies of two words would otherwise be people."""
MODEL_BOUND = 3.0
"""Log odds. In running text the model says at most so much for or against a person: it was fitted to newswire, which
introduces people by their full names, and takes lone surnames for companies. Chosen on AIDA train and the first 80
documents of six volumes of FRUS; 2 types up to .06 more of FRUS's people, and people of AIDA have .002 less in F1."""
FOUND_PERSON, FOUND_OTHER = 3.0, -0.85
"""Log odds for a person where the tagger and the rules found one, which the model alone cannot outweigh, and where they
found another type (the odds of `SURELY_PERSON`). 2 was too little: on one volume of FRUS it types .016 fewer people,
below the tagger."""
SETTLED = 3.0
"""Log odds for the type that the words next to a name settle ("in Washington"). The same data: 1 to 3 make no
difference."""
CUES = {"title": 4.0, "initials": 3.0, "verb": 1.6, "bracket": 4.0, "signed": 4.0}
"""Log odds for a person by the cue of a mention, as counted on AIDA train for single words; `initials` set by hand,
`bracket` and `signed` counted on FRUS (.24 and .19 of the people's, .0002 of other names, in one volume)."""
LEAST_SMALL = 3
"""Occurrences of a word in small letters from which on, if they are most of them, it is no name by itself. Set by
hand."""
MISSED_SURNAME = 4.0
"""Log odds. Above it a lone word that the tagger took for no name is one: signatures, names in brackets. Chosen on six
volumes of FRUS and AIDA testa; sensitivity not measured."""
MOST_CUES = 5.0
"""Log odds, at most, of all cues of a name in the collection. Few cues say nothing: names in lists and signatures have
none."""
Weights = Mapping[str, Sequence[float]]
"""By feature, one number for each class."""


def weighed(doc: Doc, names: Sequence[NameSpan], cases: CaseCounts | None = None) -> list[NameSpan]:
    """The names of a document after all is weighed: some are new, some have another type, some are none.

    `cases` are the counts of the collection, which say how often each name has a cue of a person next to it.
    """
    weights = pack(doc.lang_).models.names
    if not weights or not len(doc):
        return list(names)
    scored = [(candidate, shares(candidate.features, weights)) for candidate in candidates(doc, names)]
    kept: list[NameSpan] = []
    taken: set[int] = set()
    # spaCy puts the text together each time it is asked for.
    text = doc.text
    for candidate, share in sorted(scored, key=_surest_first):
        cues = _cue_odds(doc, text, candidate, cases)
        best = _type(candidate, share, cues)
        span = range(candidate.start, candidate.end)
        most = SURELY_NONE if candidate.found else PROBABLY_NONE
        is_none = share[0] > most
        if cases is not None:
            is_none = _is_ordinary(doc, candidate, cues, cases) or (
                is_none and not _is_missed(doc, candidate, cues, cases)
            )
        if not is_none and taken.isdisjoint(span):
            taken.update(span)
            kept.append(_name(candidate, best))
    return sorted(kept, key=lambda name: name.start)


def _type(candidate: NameCandidate, share: Sequence[float], cues: float) -> str:
    _, person, organisation, place = share
    other = "organisation" if organisation > place else "place"
    found = candidate.found
    if RUNNING_TEXT not in candidate.features:
        likelier = person > max(organisation, place) and (found is None or found.type == "person")
        return "person" if likelier or person > SURELY_PERSON else other
    odds = cues + max(-MODEL_BOUND, min(MODEL_BOUND, math.log(person / (organisation + place))))
    if found is not None:
        is_person = found.type == "person"
        odds += FOUND_PERSON if is_person else FOUND_OTHER
        odds += SETTLED * found.certain * (1 if is_person else -1)
    return "person" if odds > 0 else other


def _cue_odds(doc: Doc, text: str, candidate: NameCandidate, cases: CaseCounts | None) -> float:
    """Log odds for a person by the cues of a mention, and of its name in the collection."""
    span = doc[candidate.start : candidate.end]
    odds = CUES.get(cue_at(text, span.start_char, span.end_char, doc.lang_), 0.0)
    is_name = candidate.found is not None and candidate.found.type == "person"
    # The last word of "Marine Station" says nothing about the full name.
    if cases is not None and (len(span) == 1 or is_name or is_first_name(span[0].text, doc.lang_)):
        odds += max(0.0, min(MOST_CUES, cases.person_odds(span.text)))
    return odds


def _is_missed(doc: Doc, candidate: NameCandidate, cues: float, cases: CaseCounts) -> bool:
    """Whether a lone word that the tagger does not see is a surname: by its cues, and seldom in small letters."""
    word = doc[candidate.start].text
    small, title, _ = cases.of(word)
    alone = candidate.end - candidate.start == 1 and len(word) > 2 and not word.isupper() and not place_kind(word)
    return alone and cues > MISSED_SURNAME and small * 4 <= title


def _is_ordinary(doc: Doc, candidate: NameCandidate, cues: float, cases: CaseCounts) -> bool:
    """Whether a name is an ordinary word of the collection ("Telegram", "Tab B"), a lone office or a suffix."""
    words = [token.text for token in doc[candidate.start : candidate.end] if not token.is_space]
    if all(len(word.strip(".")) < 2 or fold(word) in SUFFIXES for word in words):
        return len(words) == 1
    if all(is_title(word, doc.lang_) or fold(word) in pack(doc.lang_).roles.offices for word in words):
        return len(words) > 1
    word = words[0]
    if len(words) > 1 + (len(words[-1]) == 1) or cues > 0 or word.isupper() or place_kind(word):
        return False
    small, title, _ = cases.of(word)
    return small >= LEAST_SMALL and small > title


def _surest_first(scored: tuple[NameCandidate, Sequence[float]]) -> tuple[float, int, int]:
    candidate, share = scored
    return -max(share[1:]), candidate.start, -candidate.end


def _name(candidate: NameCandidate, type_: str) -> NameSpan:
    return NameSpan(candidate.start, candidate.end, type_, candidate.found is not None and candidate.found.certain)


def shares(features: Sequence[str], weights: Weights) -> list[float]:
    """The probability of each class: the softmax of the summed weights of all features.

    >>> shares(["in a table"], {"in a table": (0.0, 0.0, math.log(2), 0.0)})
    [0.2, 0.2, 0.4, 0.2]
    """
    known = [own for feature in features if (own := weights.get(feature))]
    sums = [sum(column) for column in zip(*known, strict=True)] or [0.0] * len(CLASSES)
    top = max(sums)
    odds = [math.exp(each - top) for each in sums]
    return [each / sum(odds) for each in odds]
