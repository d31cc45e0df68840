"""Which profiles may meet: `blocks` are disjoint; `candidates` are the pairs of a block that are worth comparing.

People by the phonetic key of the surname (Huang et al. 2009, section 3.1), so that "President Bush" meets "George W.
Bush"; organisations and places by their first telling word and by their acronym. Within a block people meet who share
an initial (of the name or of what it is short for), or of whom one has no first name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from crossdoc.model import Profiles, Vectors
from crossdoc.names import acronym, formal_first_names, last_names_agree, parse_person, sound, telling_words

Pairs = npt.NDArray[np.int32]
NO_PAIRS: Pairs = np.zeros((0, 2), dtype=np.int32)


def keys(name: str, entity_type: str | None) -> list[str]:
    """The blocking keys of a name; profiles that share one are in one block.

    >>> keys("President Bush", "person") == keys("George W. Bush", "person")
    True
    >>> keys("National Cycling Association", "organisation")
    ['=national', 'nca']
    """
    if entity_type == "person":
        return [sound(parse_person(name).last)]
    words = telling_words(name)
    if not words:
        return []
    letters = acronym(name)
    return [f"={words[0]}", *([letters] if len(letters) > 1 else [])]


def blocks(profiles: Profiles, linked: npt.NDArray[Any] | None = None) -> list[npt.NDArray[np.int64]]:
    """Row numbers of each block, every row in exactly one block; a profile without any name is a block of its own.

    `linked` is the must-link group of each row: what has to be one entity has to meet.
    """
    n = len(profiles)
    if not n:
        return []
    numbers: dict[str, int] = {}
    rows, columns = [], []
    names, types = profiles.column("name").to_pylist(), profiles.column("type").to_pylist()
    for row, (name, entity_type) in enumerate(zip(names, types, strict=True)):
        for key in filter(None, keys(name or "", entity_type)):
            rows.append(row)
            columns.append(2 * n + numbers.setdefault(key, len(numbers)))
    if linked is not None:
        rows.extend(range(n))
        columns.extend(n + linked)
    size = 2 * n + len(numbers)
    graph = sparse.coo_matrix((np.ones(len(rows)), (rows, columns)), shape=(size, size))
    component = connected_components(graph, directed=False)[1][:n]
    order = np.argsort(component, kind="stable")
    starts = np.flatnonzero(np.diff(component[order], prepend=-1))
    return [np.sort(block) for block in np.split(order, starts[1:])]


def candidates(profiles: Profiles, found: Iterable[npt.NDArray[Any]] | None = None) -> Iterator[Pairs]:
    """Pairs worth comparing, a portion at a time, each pair once with the smaller row first."""
    names, types = profiles.column("name").to_pylist(), profiles.column("type").to_pylist()
    for rows in blocks(profiles) if found is None else found:
        if len(rows) < 2:
            continue
        if types[rows[0]] == "person":
            yield from _people(rows, [names[row] or "" for row in rows])
        else:
            left, right = np.triu_indices(len(rows), k=1)
            yield np.column_stack([rows[left], rows[right]]).astype(np.int32)


def _people(rows: npt.NDArray[Any], names: list[str]) -> Iterator[Pairs]:
    """Pairs whose surnames agree and whose first names share an initial, or of which one has no first name.

    A phonetic key joins surnames that only sound alike to it (Lee and Liu), so surnames are compared once more.
    """
    groups: dict[str, dict[str, list[int]]] = {}
    for row, name in zip(rows, names, strict=True):
        parsed = parse_person(name)
        by_initial = groups.setdefault(parsed.last, {})
        initials = {formal[0] for formal in formal_first_names(parsed.first)} if parsed.first else {""}
        for initial in initials:
            by_initial.setdefault(initial, []).append(int(row))
    surnames = sorted(groups)
    for i, one in enumerate(surnames):
        for other in surnames[i:]:
            if last_names_agree(one, other):
                pairs = _across(groups[one], groups[other], int(rows.max()) + 1)
                if len(pairs):
                    yield pairs


def _across(one: dict[str, list[int]], other: dict[str, list[int]], width: int) -> Pairs:
    parts = [np.zeros(0, dtype=np.int64)]
    everyone, all_others = (sorted({row for rows in group.values() for row in rows}) for group in (one, other))
    meetings = [(rows, other[initial]) for initial, rows in one.items() if initial and initial in other]
    meetings += [(one[""], all_others)] if "" in one else []
    meetings += [(everyone, other[""])] if "" in other else []
    for left, right in meetings:
        a, b = (side.ravel() for side in np.meshgrid(left, right, indexing="ij"))
        apart = a != b
        parts.append(np.unique(np.minimum(a, b)[apart] * width + np.maximum(a, b)[apart]))
    keys = np.unique(np.concatenate(parts))
    return np.column_stack([keys // width, keys % width]).astype(np.int32)


def context_neighbours(vectors: Vectors, count: int, rows_at_once: int = 2000) -> Pairs:
    """Each profile with the `count` profiles of the most similar contexts, whatever their names."""
    matrix = vectors.matrix
    turned = matrix.T.tocsr()
    parts = [NO_PAIRS]
    for start in range(0, matrix.shape[0], rows_at_once):
        cosines = (matrix[start : start + rows_at_once] @ turned).tocsr()
        for offset in range(cosines.shape[0]):
            part = slice(cosines.indptr[offset], cosines.indptr[offset + 1])
            others, values = cosines.indices[part], cosines.data[part]
            row = start + offset
            best = others[np.argsort(-values, kind="stable")[: count + 1]]
            best = best[best != row][:count]
            parts.append(np.sort(np.column_stack([np.full(len(best), row), best]), axis=1).astype(np.int32))
    return np.unique(np.concatenate(parts), axis=0)


@dataclass(frozen=True, slots=True)
class BlockingReport:
    """What blocking costs and saves."""

    pairs: int
    reduction: float
    """The share of all pairs that need not be compared."""
    completeness: float | None
    """The share of the gold's pairs that are candidates; None without gold."""
    largest: list[tuple[int, str]]
    """Sizes of the largest blocks, each with the longest name in it."""


def blocking_report(profiles: Profiles, gold: Mapping[str, str] | None = None, most: int = 5) -> BlockingReport:
    """Reduction ratio, pair completeness and the largest blocks.

    >>> from crossdoc.model import Profile
    >>> people = [Profile(str(i), "d", name, "person") for i, name in enumerate(["Jo Li", "Jo Li", "Al Wu"])]
    >>> report = blocking_report(Profiles.of(people), {"0": "a", "1": "a", "2": "b"})
    >>> report.pairs, round(report.reduction, 2), report.completeness
    (1, 0.67, 1.0)
    """
    found = blocks(profiles)
    names = profiles.column("name").to_pylist()
    entity = np.array([(gold or {}).get(id, "") for id in profiles.ids], dtype=object).astype(str)
    count = hits = 0
    for pairs in candidates(profiles, found):
        left, right = pairs.T
        count += len(pairs)
        hits += int(((entity[left] == entity[right]) & (entity[left] != "")).sum())
    n = len(profiles)
    sizes = np.unique(entity[entity != ""], return_counts=True)[1]
    wanted = int((sizes * (sizes - 1) // 2).sum())
    largest = sorted(found, key=len, reverse=True)[:most]
    return BlockingReport(
        count,
        1 - count / max(n * (n - 1) // 2, 1),
        None if gold is None else (hits / wanted if wanted else 1.0),
        [(len(rows), max((names[row] or "" for row in rows), key=len)) for rows in largest],
    )
