"""Learning without labels, on the collection itself, by name conflation.

Profiles of one rare full name in different documents are nearly always one person's, profiles of different names never
are. With the names masked such pairs look like those of namesakes, and show the likelihood ratio of a similarity in
this collection. Thresholds learned on another collection are far off: docs/results.md.

There are four traps. People named together share documents and contexts, so pairs of different names come from names
whose documents do not overlap. A name that recurs in copies of one story makes contexts look too alike, so
near-duplicate documents are left out. A name in many documents would outvote all others, so each name counts once. Such
a name may also be ambiguous, so names in more than twenty documents are not used.

Labelled pairs to learn from: from gold over profiles, balanced, never within one document.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from scipy import sparse

from crossdoc import errors
from crossdoc.compare.specialists import kernels
from crossdoc.compare.specialists.base import Lists, codes_of, lists
from crossdoc.compare.vectors import ContextVectoriser, Texts
from crossdoc.model import Profile, Profiles, Relation
from crossdoc.names import fold, parse_person
from crossdoc.names.evidence_types import relation_type

Pairs = npt.NDArray[np.int32]


def all_pairs(blocks: Iterable[npt.NDArray[Any]]) -> Pairs:
    """Every pair of rows that share a block."""
    found = [np.zeros((0, 2), dtype=np.int32)]
    for rows in blocks:
        left, right = np.triu_indices(len(rows), k=1)
        found.append(np.column_stack([rows[left], rows[right]]).astype(np.int32))
    return np.concatenate(found)


def labelled_pairs(
    profiles: Profiles, gold: Mapping[str, Set[str]], pairs: Pairs
) -> tuple[Pairs, npt.NDArray[np.float64]]:
    """Select pairs with a label (both in the gold, from different documents): 1 if they share an entity."""
    entities = entity_lists(profiles, gold)
    documents = np.unique(
        np.asarray(profiles.column("document").to_pylist(), dtype=object).astype(str), return_inverse=True
    )[1]
    left, right = pairs.T
    apart = np.ascontiguousarray(pairs[documents[left] != documents[right]], dtype=np.int32)
    labels = kernels.shared(entities, apart, 1.0, 0.0).astype(np.float64)
    known = ~np.isnan(labels)
    return apart[known], labels[known]


def entity_lists(profiles: Profiles, gold: Mapping[str, Set[str]]) -> Lists:
    """The entities of each profile by number; none where the gold does not have it."""
    of_row = [sorted(gold.get(id, ())) for id in profiles.ids]
    code = codes_of(entity for found in of_row for entity in found)
    rows = [row for row, found in enumerate(of_row) for _ in found]
    return lists(rows, [code[entity] for found in of_row for entity in found], len(of_row))


def balanced(labels: npt.NDArray[np.float64], most: int, seed: int) -> npt.NDArray[np.int64]:
    """Row numbers of as many positive as negative pairs, at most `most` together.

    >>> balanced(np.array([1, 0, 0, 0, 1]), most=4, seed=0).tolist()
    [0, 1, 2, 4]
    """
    positive, negative = np.flatnonzero(labels == 1), np.flatnonzero(labels == 0)
    count = min(len(positive), len(negative), most // 2)
    if count == 0:
        raise errors.nothing_to_learn(len(positive), len(negative))
    random = np.random.default_rng(seed)
    chosen = [random.choice(rows, count, replace=False) for rows in (positive, negative)]
    return np.sort(np.concatenate(chosen))


MOST_NAMES = 1200
MOST_DOCUMENTS = 5
"""Documents per name; bounds the work in a collection of any size."""
RARE = 20
"""Documents. Names in more documents are not used."""
MOST_DIFFERENT = 60_000
SAME_STORY = 0.5
"""Cosine of two full documents. At or above it they count as copies of one story."""

_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class ConflatedPairs:
    """Pairs of rows labelled by their names, and their weights (equal in sum for both labels)."""

    pairs: Pairs
    same: npt.NDArray[np.float64]
    weight: npt.NDArray[np.float64]
    names: int
    """Distinct names with a pair of their own."""


def conflated_pairs(
    profiles: Profiles, texts: Texts, vectoriser: ContextVectoriser, seed: int = 0
) -> ConflatedPairs | None:
    """Return labelled pairs from names alone; None if no full name recurs.

    `texts` gives the texts of some documents, by which near-duplicates are found.
    """
    random = np.random.default_rng(seed)
    chosen = _recurring_names(profiles, random)
    if len(chosen) < 2:
        return None
    rows = np.concatenate([rows for rows, _ in chosen])
    name = np.repeat(np.arange(len(chosen)), [len(rows) for rows, _ in chosen])
    documents = profiles.column("document").to_pylist()
    listed, document = np.unique(np.array([documents[row] for row in rows], dtype=str), return_inverse=True)
    stories = _stories(listed.tolist(), texts, vectoriser)
    together = _named_together([everywhere for _, everywhere in chosen])

    same = _pairs_within(name)
    apart = random.integers(0, len(rows), size=(4 * MOST_DIFFERENT, 2))
    apart = np.unique(np.sort(apart[name[apart[:, 0]] != name[apart[:, 1]]], axis=1), axis=0)
    apart = apart[~together(name[apart[:, 0]], name[apart[:, 1]])]
    same, apart = (pairs[_different_stories(stories, document[pairs])] for pairs in (same, apart))
    if not len(same) or not len(apart):
        return None
    if len(apart) > MOST_DIFFERENT:
        apart = apart[np.sort(random.choice(len(apart), MOST_DIFFERENT, replace=False))]
    of_name = np.bincount(name[same[:, 0]], minlength=len(chosen))
    names = int((of_name > 0).sum())
    weight = np.concatenate([1 / of_name[name[same[:, 0]]] / names, np.full(len(apart), 1 / len(apart))])
    labels = np.concatenate([np.ones(len(same)), np.zeros(len(apart))])
    return ConflatedPairs(rows[np.concatenate([same, apart])].astype(np.int32), labels, weight, names)


def joined_contexts(profiles: Profiles) -> Texts:
    """Return the joined contexts of each document's profiles, for profiles without documents."""
    columns = (profiles.column(name).to_pylist() for name in ("document", "context"))
    joined: dict[str, list[str]] = {}
    for document, context in zip(*columns, strict=True):
        joined.setdefault(document, []).append(context or "")
    return lambda ids: {id: "\n".join(joined.get(id, [])) for id in ids}


def with_related_people(profiles: Profiles) -> Profiles:
    """Add a profile for each person that some profiles name and that has none: co-authors, people listed together.

    Such a person gets the context of the profile, and is related to all others named there.
    """
    added = []
    for profile in profiles:
        beside = [
            r
            for r in profile.relations
            if relation_type(r.type) == "list" and r.profile is None and parse_person(r.name).first
        ]
        for relation in beside:
            others = (Relation("list", profile.name), *(other for other in beside if other is not relation))
            added.append(
                Profile(
                    f"{profile.id}~{relation.name}",
                    profile.document,
                    relation.name,
                    "person",
                    profile.context,
                    profile.language,
                    relations=others,
                )
            )
    return Profiles(pa.concat_tables([profiles.arrow, Profiles.of(added).arrow])) if added else profiles


def without_names(profiles: Profiles) -> Profiles:
    """Return profiles without their names, also in their contexts and relations."""
    return Profiles.of(map(_masked, profiles))


def _masked(profile: Profile) -> Profile:
    own = {fold(word) for word in profile.name.split()} - {""}

    def rest(text: str) -> str:
        return _WORD.sub(lambda match: "" if fold(match.group()) in own else match.group(), text)

    relations = (replace(relation, name=" ".join(rest(relation.name).split())) for relation in profile.relations)
    return replace(profile, name="", context=rest(profile.context), relations=tuple(r for r in relations if r.name))


def _recurring_names(
    profiles: Profiles, random: np.random.Generator
) -> list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
    """For some full names in two documents or more: rows of a few documents, and the numbers of all their documents.

    A surname that occurs with several first names is left out: one of them may be a nickname or a relative's.
    """
    cells = (profiles.column(column).to_pylist() for column in ("name", "type", "document"))
    number: dict[str, int] = {}
    first_of: dict[str, set[str]] = {}
    where: dict[str, dict[int, int]] = {}
    for row, (text, entity_type, document) in enumerate(zip(*cells, strict=True)):
        if entity_type != "person":
            continue
        parsed = parse_person(text or "")
        if len(parsed.first) > 1 and len(parsed.last) > 1:
            first_of.setdefault(parsed.last, set()).add(parsed.first)
            where.setdefault(parsed.last, {}).setdefault(number.setdefault(document, len(number)), row)
    names = [last for last, firsts in first_of.items() if len(firsts) == 1 and 1 < len(where[last]) <= RARE]
    chosen = []
    for index in random.permutation(len(names))[:MOST_NAMES]:
        documents = where[names[index]]
        rows = np.array(list(documents.values()))
        kept = np.sort(random.permutation(len(rows))[:MOST_DOCUMENTS])
        chosen.append((rows[kept], np.array(list(documents))))
    return chosen


def _named_together(documents: Sequence[npt.NDArray[np.int64]]) -> Callable[[Any, Any], npt.NDArray[np.bool_]]:
    """Return a test of whether two names (by number) share a document."""
    columns = np.concatenate(documents)
    rows = np.repeat(np.arange(len(documents)), [len(found) for found in documents])
    where = sparse.csr_matrix((np.ones(len(columns), dtype=np.int32), (rows, columns)))
    shared = (where @ where.T).toarray() > 0
    return lambda a, b: shared[a, b]


def _pairs_within(name: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return all pairs of positions with one name; equal names are adjacent."""
    starts = np.flatnonzero(np.diff(name, prepend=-1))
    parts = [np.zeros((0, 2), dtype=np.int64)]
    for positions in np.split(np.arange(len(name)), starts[1:]):
        a, b = np.triu_indices(len(positions), k=1)
        parts.append(np.column_stack([positions[a], positions[b]]))
    return np.concatenate(parts)


def _stories(documents: list[str], texts: Texts, vectoriser: ContextVectoriser) -> sparse.csr_matrix:
    """Return a unit row for each full document."""
    known = texts(documents)
    whole = Profiles.of(Profile(id, id, "", None, known.get(id, "")) for id in documents)
    return vectoriser.transform(whole).matrix


def _different_stories(stories: sparse.csr_matrix, documents: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    return (documents[:, 0] != documents[:, 1]) & (_cosines(stories, documents) < SAME_STORY)


def _cosines(matrix: sparse.csr_matrix, pairs: npt.NDArray[Any], at_once: int = 20_000) -> npt.NDArray[np.float64]:
    parts = [np.zeros(0)]
    for start in range(0, len(pairs), at_once):
        left, right = pairs[start : start + at_once].T
        parts.append(np.asarray(matrix[left].multiply(matrix[right]).sum(axis=1), dtype=np.float64).ravel())
    return np.concatenate(parts)
