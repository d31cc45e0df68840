"""Candidate pairs (`candidates`), the components they connect (`components`), and blocks for all pairs (`blocks`).

Blocks of people use the phonetic key of the surname (Huang et al. 2009, section 3.1), so that "President Bush" meets
"George W. Bush". Blocks of organisations and places use the first distinctive word and the acronym. Candidates have
names that can refer to one entity. Names repeat, so distinct names are compared first, and then the profiles that bear
them are paired.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Set
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from crossdoc import errors
from crossdoc.model import Profiles
from crossdoc.model.evidence_protocol import Constraints
from crossdoc.names import (
    Grade,
    PersonName,
    acronym,
    agreeing,
    goes_by,
    parse_person,
    relate_surnames,
    sound,
    telling_words,
)
from crossdoc.names.index import asked_keys

Pairs = npt.NDArray[np.int32]
Ints = npt.NDArray[np.int64]
PAIRS_AT_ONCE = 1_000_000
AS_PEOPLE = ("person", "")
"""Types compared as people; names without a type are."""


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


def blocks(profiles: Profiles, linked: npt.NDArray[Any] | None = None) -> list[Ints]:
    """Row numbers of each block, every row in exactly one block; a profile without any name is a block of its own.

    `linked` is the must-link group of each row: what has to be one entity has to meet.
    """
    n = len(profiles)
    if not n:
        return []
    distinct, name_of_row = _distinct_names(profiles)
    numbers: dict[str, int] = {}
    keys_of = [
        [numbers.setdefault(key, len(numbers)) for key in keys(name, entity_type) if key]
        for entity_type, name in distinct
    ]
    named = np.array([bool(found) for found in keys_of])[name_of_row]
    names = np.array([name for name, found in enumerate(keys_of) for _ in found], dtype=np.int64)
    key_numbers = np.array([key for found in keys_of for key in found], dtype=np.int64)
    # A graph of rows, names, must-link groups and keys.
    sides = [(np.flatnonzero(named), n + name_of_row[named]), (n + names, n + len(distinct) + n + key_numbers)]
    if linked is not None:
        sides.append((np.arange(n), n + len(distinct) + linked))
    return _connected(n, n + len(distinct) + n + len(numbers), sides)


def linked_names(
    names: Set[str],
    entity_type: str,
    before: Mapping[str, str] | None = None,
    like: Callable[[Set[str]], Mapping[str, int]] | None = None,
) -> dict[str, str]:
    """Map each name of an organisation or place to one representative of its connected names.

    `before` is the map of an earlier set of names. Only new names, and names connected with a removed one, are looked
    up; `like` returns the names stored under some keys.

    >>> found = linked_names({"Fiat SpA", "Fiat", "Oz", "Oz Bank"}, "organisation")
    >>> sorted(found.items())
    [('Fiat', 'Fiat'), ('Fiat SpA', 'Fiat'), ('Oz', 'Oz'), ('Oz Bank', 'Oz')]
    >>> linked_names({"Fiat SpA", "Oz Bank", "..."}, "organisation", found)
    {'Fiat SpA': 'Fiat SpA', 'Oz Bank': 'Oz Bank'}
    """
    broken = {label for name, label in (before or {}).items() if name not in names}
    stays = {name: label for name, label in (before or {}).items() if label not in broken}
    again = {name for name in names if name not in stays and telling_words(name)}
    if not again:
        return stays
    found = stays.keys() if like is None or not stays else like(asked_keys(again, entity_type)).keys() & stays.keys()
    near = sorted({*again, *found})
    wanted = None if not stays else [number for number, name in enumerate(near) if name in again]
    pairs = agreeing(near, entity_type or None, wanted).pairs().astype(np.int64)
    labels = sorted({stays[name] for name in found})
    number = {label: len(near) + at for at, label in enumerate(labels)}
    kept = np.array([(at, number[stays[name]]) for at, name in enumerate(near) if name in stays], dtype=np.int64)
    both = np.concatenate([pairs, kept.reshape(-1, 2)])
    size, called = Counter(stays.values()), dict[str, str]()
    for group in _connected(len(near) + len(labels), len(near) + len(labels), [(both[:, 0], both[:, 1])]):
        joined = [labels[at - len(near)] for at in group.tolist() if at >= len(near)]
        label = max(joined, key=lambda each: (size[each], each)) if joined else near[group.min()]
        called.update(dict.fromkeys(joined, label))
        stays.update({near[at]: label for at in group.tolist() if at < len(near)})
    return {name: called.get(label, label) for name, label in stays.items()}


def components(
    profiles: Profiles,
    constraints: Constraints | None = None,
    more: Pairs | None = None,
    linked: Mapping[str, str] | None = None,
) -> list[Ints]:
    """Row numbers of each connected component of :func:`candidates`, every row in exactly one.

    Pairs judged to be the same, hard or soft, are candidates too; `more` adds further ones. The search runs over
    distinct names, so its cost does not depend on how many rows bear them. `linked` has the names of one type as
    :func:`linked_names` returns them.

    >>> from crossdoc.model import Profile
    >>> names = ("George W. Bush", "Bush", "Jeb Bush", "Laura Bush", "Al Gore")
    >>> people = Profiles.of(Profile(name, name, name, "person") for name in names)
    >>> [rows.tolist() for rows in components(people)]
    [[0, 1, 2, 3], [4]]
    """
    n = len(profiles)
    if not n:
        return []
    distinct, name_of_row = _distinct_names(profiles)
    named = np.zeros(len(distinct), dtype=bool)
    sides: list[tuple[Ints, Ints]] = []
    for pairs in _pairs_of_names(distinct) if linked is None else (_to_one(distinct, linked),):
        named[pairs] = True
        sides.append((n + pairs[:, 0].astype(np.int64), n + pairs[:, 1].astype(np.int64)))
    bearing = np.flatnonzero(named[name_of_row])
    sides.append((bearing, n + name_of_row[bearing]))
    further = [] if more is None else [more]
    if constraints is not None:
        sides.append((np.arange(n), n + len(distinct) + constraints.group.astype(np.int64)))
        further.append(constraints.soft[constraints.soft_weight > 0])
    sides.extend((pairs[:, 0].astype(np.int64), pairs[:, 1].astype(np.int64)) for pairs in further)
    return _connected(n, n + len(distinct) + n, sides)


def _to_one(distinct: list[tuple[str, str]], linked: Mapping[str, str]) -> Ints:
    """Return the number of each connected name, and that of its representative."""
    first: dict[str, int] = {}
    listed = [(at, linked[name]) for at, (_, name) in enumerate(distinct) if name in linked]
    return np.array([(at, first.setdefault(label, at)) for at, label in listed], dtype=np.int64).reshape(-1, 2)


def meeting(profiles: Profiles, rows: npt.NDArray[Any]) -> Pairs:
    """Return the :func:`candidates` that contain one of these rows, with that row first.

    >>> from crossdoc.model import Profile
    >>> names = ("George W. Bush", "Bush", "Jeb Bush", "Al Gore")
    >>> people = Profiles.of(Profile(name, name, name, "person") for name in names)
    >>> meeting(people, np.array([0])).tolist()
    [[0, 0], [0, 1]]
    """
    distinct, name_of_row = _distinct_names(profiles)
    asked = np.zeros(len(distinct), dtype=bool)
    asked[name_of_row[rows]] = True
    names = [pairs[asked[pairs].any(axis=1)] for pairs in _pairs_of_names(distinct, asked)]
    near = np.concatenate([np.zeros((0, 2), dtype=np.int32), *names])
    both = np.concatenate([near, near[:, ::-1]])
    graph = sparse.coo_matrix((np.ones(len(both), dtype=bool), both.T), shape=(len(distinct), len(distinct))).tocsr()
    found = graph[name_of_row[rows]][:, name_of_row].tocoo()
    return np.column_stack([rows[found.row], found.col]).astype(np.int32)


def _connected(n: int, size: int, sides: list[tuple[Ints, Ints]]) -> list[Ints]:
    """Group the first n nodes of a graph by component."""
    left, right = (np.concatenate(side) for side in zip(*sides, strict=True))
    graph = sparse.coo_matrix((np.ones(len(left), dtype=np.int8), (left, right)), shape=(size, size))
    component = connected_components(graph, directed=False)[1][:n]
    order = np.argsort(component, kind="stable")
    starts = np.flatnonzero(np.diff(component[order], prepend=-1))
    return np.split(order, starts[1:])


def candidates(
    profiles: Profiles, constraints: Constraints | None = None, more: Pairs | None = None
) -> Iterator[Pairs]:
    """Yield candidate pairs of one type by name: in portions, each pair once, the smaller row first.

    The names agree by :func:`crossdoc.names.agreeing`, except a bare first name and a full one.

    Parameters
    ----------
    profiles : Profiles
        The profiles.
    constraints : Constraints or None, default None
        Pairs that hard judgements decide are left out.
    more : ndarray or None, default None
        Further pairs, such as those of :func:`crossdoc.compare.neighbours.context_neighbours`; those of one type
        come last.

    Returns
    -------
    Iterator[Pairs]
        Arrays of row numbers (pairs × 2), of at most a million pairs each.

    Notes
    -----
    Memory holds pairs of distinct names, one portion, and `more`.

    Examples
    --------
    >>> from crossdoc.model import Profile
    >>> names = ("George W. Bush", "President Bush", "Jeb Bush", "Bush, George")
    >>> people = Profiles.of(Profile(name, name, name, "person") for name in names)
    >>> [portion.tolist() for portion in candidates(people)]
    [[[0, 1], [0, 3], [1, 2], [1, 3]]]
    """
    n = len(profiles)
    if constraints is not None and constraints.n != n:
        raise errors.misfit("The constraints", n, f"they are about {constraints.n:,}")
    limits = constraints or Constraints.none(n)
    distinct, name_of_row = _distinct_names(profiles)
    met = [np.zeros(0, dtype=np.int64)]
    for names in _pairs_of_names(distinct):
        met.append(names[:, 0].astype(np.int64) * len(distinct) + names[:, 1])
        for pairs in _bearers(names, name_of_row, len(distinct)):
            yield _undecided(_in_order(pairs, n), limits)
    if more is not None and len(more):
        pairs = np.unique(np.sort(more, axis=1), axis=0).astype(np.int32)
        types = np.array([entity_type for entity_type, _ in distinct], dtype=object)[name_of_row[pairs]]
        left, right = np.sort(name_of_row[pairs], axis=1).T
        further = (pairs[:, 0] != pairs[:, 1]) & (types[:, 0] == types[:, 1])
        further &= ~np.isin(left * len(distinct) + right, np.concatenate(met))
        yield _undecided(pairs[further], limits)


def _bearers(names: Pairs, name_of_row: Ints, n_names: int) -> Iterator[Pairs]:
    """Yield the pairs of rows that bear pairs of names. A name paired with itself gives each pair of its rows once."""
    rows = np.argsort(name_of_row, kind="stable")
    start = np.searchsorted(name_of_row[rows], np.arange(n_names + 1))
    size = np.diff(start)
    # Each row that bears the first name of a pair, and the rows of the second name with which it is paired.
    pair = np.repeat(np.arange(len(names)), size[names[:, 0]])
    place = np.arange(len(pair)) - np.searchsorted(pair, pair)
    left, (a, b) = rows[start[names[pair, 0]] + place], names[pair].T
    first = start[b] + np.where(a == b, place + 1, 0)
    end = np.cumsum(start[b + 1] - first)
    for begin in range(0, end[-1] if len(end) else 0, PAIRS_AT_ONCE):
        at = np.arange(begin, min(begin + PAIRS_AT_ONCE, end[-1]))
        item = np.searchsorted(end, at, side="right")
        right = rows[start[b[item] + 1] - (end[item] - at)]
        yield np.sort(np.column_stack([left[item], right]), axis=1).astype(np.int32)


def _distinct_names(profiles: Profiles) -> tuple[list[tuple[str, str]], Ints]:
    """Return the distinct combinations of type and name, and the number of each row's."""
    columns = (profiles.column(column).to_pylist() for column in ("type", "name"))
    code: dict[tuple[str, str], int] = {}
    rows = [
        code.setdefault((entity_type or "", name or ""), len(code)) for entity_type, name in zip(*columns, strict=True)
    ]
    return list(code), np.array(rows, dtype=np.int64)


def _in_order(pairs: Pairs, n: int) -> Pairs:
    """Sort by the left row, which makes comparing fastest."""
    code = np.sort(pairs[:, 0].astype(np.int64) * n + pairs[:, 1])
    return np.column_stack(np.divmod(code, n)).astype(np.int32)


def _undecided(pairs: Pairs, limits: Constraints) -> Pairs:
    """Leave out pairs within one must-link group, and of two groups that are kept apart."""
    if limits.empty:
        return pairs
    left, right = np.sort(limits.group[np.concatenate([pairs, limits.cannot])].astype(np.int64), axis=1).T
    code = left * limits.n + right
    return pairs[(left != right)[: len(pairs)] & ~np.isin(code[: len(pairs)], code[len(pairs) :])]


def _pairs_of_names(distinct: list[tuple[str, str]], asked: npt.NDArray[np.bool_] | None = None) -> Iterator[Pairs]:
    """Yield pairs of numbers of compatible distinct names, each with itself included; at least those of `asked`."""
    of_type: dict[str, list[int]] = {}
    for number, (entity_type, name) in enumerate(distinct):
        if parse_person(name).last if entity_type in AS_PEOPLE else telling_words(name):
            of_type.setdefault(entity_type, []).append(number)
    for entity_type, listed in of_type.items():
        names = [distinct[number][1] for number in listed]
        wanted = None if asked is None else np.flatnonzero(asked[listed]).tolist()
        pairs = agreeing(names, entity_type or None, wanted).pairs()
        yield np.array(listed, dtype=np.int32)[_by_surname(names, pairs) if entity_type in AS_PEOPLE else pairs]


def _by_surname(names: list[str], pairs: Pairs) -> Pairs:
    """Drop pairs of a bare first name: "John" would make one component of all Johns.

    In news a bare name is nearly always a surname (B³ of people in AIDA's testa is .9919 instead of .9913).
    """
    parsed = [parse_person(name) for name in names]
    bare = np.array([not name.given for name in parsed], dtype=bool)[pairs]
    unequal = np.flatnonzero(bare[:, 0] != bare[:, 1])
    lone = [not _called_so(parsed[a], parsed[b]) for a, b in pairs[unequal].tolist()]
    return np.delete(pairs, unequal[np.array(lone, dtype=bool)], axis=0)


def _called_so(a: PersonName, b: PersonName) -> bool:
    short, full = (b, a) if a.given else (a, b)
    return relate_surnames(short, full) > Grade.CLASH or goes_by(full, short)
