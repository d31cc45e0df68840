"""Profiles → entries of a known list: the log odds that each profile is each entry.

The evidence is that of two profiles (`evidence.py`): the names, with the best of an entry's name and aliases, and the
context against the entry's description, measured against descriptions of other names. An identity's odds are the mean
of its profiles'; a name that clashes with all names of an entry counts against it. Entries compete with each other and
with *none*, whose odds are even: p(k) = exp(o_k) / (1 + Σ exp(o_j)). The store does that sum (`Store.known_links`), so
that it follows changes of the identities.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from crossdoc.compare.background import FEWEST_PAIRS, Background, sample_apart
from crossdoc.compare.curve import Curve
from crossdoc.compare.fields import CONTEXT
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.name_prior import NameCounts, Priors
from crossdoc.compare.specialists import kernels
from crossdoc.compare.specialists.base import sparse_rows
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.lang import pack
from crossdoc.model import KnownEntry, Profile, Profiles
from crossdoc.names import LEGAL_FORMS, fold
from crossdoc.names.gazetteer import find_place

LINKED = 0.55
"""Probability. An identity at or above it is linked. Chosen on AIDA's articles `train` (experiments/known_titles.py).
"""
SURE = 0.9
"""Probability. Profiles at or above it represent their entry when two entries are kept apart."""
MOST_APART = 10

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class KnownOdds:
    """Candidate pairs of profiles and entries, by row, each once, with their log odds."""

    profile: Rows
    entry: Rows
    odds: Floats


def known_table(found: KnownOdds, profiles: Profiles, entries: Sequence[KnownEntry]) -> pa.Table:
    """Return the table `id, known, odds` for the store."""
    ids = np.array([entry.id for entry in entries], dtype=object)
    return pa.table(
        {"id": pa.array(profiles.ids[found.profile], pa.string()), "known": pa.array(ids[found.entry], pa.string()),
         "odds": found.odds}
    )  # fmt: skip


def as_profiles(entries: list[KnownEntry]) -> Profiles:
    """Return entries as profiles: the description and the values of the attributes are the context."""
    texts = (" ".join([entry.description, *(v for own in entry.attributes.values() for v in own)]) for entry in entries)
    return Profiles.of(
        Profile(entry.id, f"known:{entry.id}", entry.name, entry.type, text.strip())
        for entry, text in zip(entries, texts, strict=True)
    )


def likely_type(name: str) -> str | None:
    """Guess the type of a name, for lists without types: "Spain" is no football team.

    >>> likely_type("Spain"), likely_type("Bank of Spain"), likely_type("Ann Lee")
    ('place', 'organisation', None)
    """
    if {fold(word) for word in re.findall(r"\w+", name)} & (pack("en").name_words.organisations | LEGAL_FORMS):
        return "organisation"
    return "place" if find_place(name) is not None else None


def known_odds(
    profiles: Profiles,
    entity_type: str | None,
    entries: list[KnownEntry],
    model: LearnedModel,
    vectoriser: ContextVectoriser,
    counts: NameCounts | None,
    *,
    sample: Profiles | None = None,
    seed: int = 0,
) -> KnownOdds:
    """Return the log odds of profiles of one type with entries of that type; an entry without a type may be of any.

    Contexts are measured against those of `sample`, or of the profiles.

    `counts` are those of the collection's names; without them all profiles share one asked-for name, and names are no
    evidence.
    """
    types = [entry.type or likely_type(entry.name) for entry in entries]
    kept = np.flatnonzero([entity_type is None or type is None or type == entity_type for type in types])
    own = [entries[row] for row in kept]
    profile, entry, odds = _by_names(profiles, entity_type, own, model, counts)
    if not len(profile):
        return KnownOdds(profile, entry, odds)
    described = as_profiles(own)
    rows = vectoriser.transform(Profiles(pa.concat_tables([profiles.arrow, described.arrow])))
    pairs = np.column_stack([profile, entry + len(profiles)]).astype(np.int32)
    cosine = kernels.sparse_cosine(*sparse_rows(rows), pairs)
    usual = profiles if sample is None else sample
    curve = _against_descriptions(usual, described, vectoriser, model.fields[CONTEXT], seed)
    context_odds = np.where(np.isnan(cosine), 0.0, curve(np.nan_to_num(cosine)))
    return KnownOdds(profile, kept[entry], odds + context_odds)


def _by_names(
    profiles: Profiles,
    entity_type: str | None,
    entries: list[KnownEntry],
    model: LearnedModel,
    counts: NameCounts | None,
) -> tuple[Rows, Rows, Floats]:
    """Return the pairs whose names agree, with the odds of the best of an entry's names."""
    names = [name or "" for name in profiles.column("name").to_pylist()]
    listed = [(name, row) for row, entry in enumerate(entries) for name in (entry.name, *entry.aliases)]
    sizes = None if counts is None else model.names
    priors = Priors([*names, *(name for name, _ in listed)], entity_type, counts or NameCounts(()), sizes)
    of_profiles, of_entries = priors.code[: len(names)], priors.code[len(names) :]
    entries_of: dict[int, list[int]] = defaultdict(list)
    for code, (_, row) in zip(of_entries.tolist(), listed, strict=True):
        entries_of[code].append(row)
    rows_of: dict[int, list[int]] = defaultdict(list)
    for row, code in enumerate(of_profiles.tolist()):
        rows_of[code].append(row)
    best: dict[tuple[int, int], float] = {}
    n, found = priors.agreeing.n, priors.agreeing
    for code, grade, odds in zip(found.code.tolist(), found.grade.tolist(), priors.odds.tolist(), strict=True):
        for a, b in {divmod(code, n), divmod(code, n)[::-1]} if grade else ():
            if a in rows_of:
                for entry in entries_of.get(b, ()):
                    best[a, entry] = max(best.get((a, entry), -np.inf), odds)
    spread = [(row, entry, odds) for (code, entry), odds in best.items() for row in rows_of[code]]
    columns = np.array(spread, dtype=np.float64).reshape(-1, 3).T
    return columns[0].astype(np.int64), columns[1].astype(np.int64), columns[2]


def _against_descriptions(
    profiles: Profiles, described: Profiles, vectoriser: ContextVectoriser, curve: Curve, seed: int
) -> Curve:
    """Return the curve of contexts, measured against descriptions of other names, which are shorter than contexts."""
    (left, right), apart = sample_apart(profiles, described, np.random.default_rng(seed))
    rows = vectoriser.transform(Profiles(pa.concat_tables([profiles.take(left).arrow, described.take(right).arrow])))
    matrices = rows.matrix[: len(left)], rows.matrix[len(left) :]
    both = np.logical_and.outer(*(np.diff(matrix.indptr) > 0 for matrix in matrices))
    found = Background.of((matrices[0] @ matrices[1].T).toarray(), apart & both)
    return curve.model_copy(update={"mean": found.mean, "sd": found.sd}) if found.pairs >= FEWEST_PAIRS else curve


def apart_by_entries(odds: KnownOdds, group: npt.NDArray[np.integer]) -> npt.NDArray[np.int32]:
    """Pairs of profiles that surely belong to two entries, though their names agree: two entries are never merged.

    The surest profiles of two entries, at most `MOST_APART` of each, are kept apart, which separates the others too.
    Profiles that a person judged to be one entity (`group`) stay together.

    >>> odds = KnownOdds(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.array([5.0, -2.0, -2.0, 5.0]))
    >>> apart_by_entries(odds, np.array([0, 1])).tolist(), apart_by_entries(odds, np.array([0, 0])).tolist()
    ([[0, 1]], [])
    """
    weight = np.exp(odds.odds)
    share = weight / (1.0 + np.bincount(odds.profile, weight)[odds.profile]) if len(weight) else weight
    surest: dict[int, list[int]] = defaultdict(list)
    for at in np.argsort(-share, kind="stable"):
        if share[at] >= SURE and len(surest[int(odds.entry[at])]) < MOST_APART:
            surest[int(odds.entry[at])].append(int(odds.profile[at]))
    rivals: set[tuple[int, int]] = set()
    order = np.argsort(odds.profile, kind="stable")
    for rows in np.split(odds.entry[order], np.flatnonzero(np.diff(odds.profile[order])) + 1):
        rivals.update(combinations(sorted({int(row) for row in rows} & surest.keys()), 2))
    pairs = {(a, b) for one, other in rivals for a, b in product(surest[one], surest[other]) if group[a] != group[b]}
    return np.array(sorted(pairs), dtype=np.int32).reshape(-1, 2)
