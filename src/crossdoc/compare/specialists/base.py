"""Base of specialists: one similarity in [0, 1] for each pair of profiles, NaN if it abstains.

Huang et al. 2009, section 2.3: a specialist is awake for a pair only if both profiles have the values it compares, and
may abstain when unsure. Specialists work on columns: `encode` once per table, `compare` on millions of pairs.

Strings and lists of them as plain arrays, in the shapes that the kernels take.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from scipy import sparse

from crossdoc import errors
from crossdoc.compare.specialists.kernels import shared
from crossdoc.model import Profile, Profiles, Vectors
from crossdoc.names.evidence_types import plain_type, relation_type

Encoded = TypeVar("Encoded")
Pairs = npt.NDArray[np.int32]
Scores = npt.NDArray[np.float32]
PairFunction = Callable[[Profile, Profile], float | None]
Meanings = Mapping[str, str]
"""Meaning of each type of attribute or relation."""
NOTHING: Meanings = MappingProxyType({})

MOST_SHOWN = 5
_PAIRS = pa.list_(pa.struct([("key", pa.string()), ("value", pa.list_(pa.string()))]))
"""Attributes as Arrow flattens them, within the bounds of a slice."""


class Specialist(ABC, Generic[Encoded]):
    """One kind of evidence.

    Subclasses give a `name`, `encode` (the columns of a table in the shape that the comparison likes) and `compare`
    (pairs of row numbers → float32 scores, NaN asleep or abstaining); `evidence` tells a person what was compared.
    `reads_attributes` and `reads_relations` say which types it looks up, and what each means: `crossdoc formats` lists
    them, and a type that no specialist reads is noted.

    Examples
    --------
    >>> from crossdoc.compare.specialists import default_specialists
    >>> people = Profiles.of([Profile("1", "d", "Ann Lee", "person"), Profile("2", "e", "A. Lee", "person")])
    >>> by_name = next(each for each in default_specialists() if each.name == "person_name")
    >>> bool(by_name.score(people, people, [(0, 1)])[0] > 0.5)
    True
    """

    name: str
    reads_attributes: Meanings = NOTHING
    reads_relations: Meanings = NOTHING
    reads_text = False
    """Whether it also reads names and contexts, so that every profile states something."""
    threaded = True
    """Whether `compare` may be called by several threads at once, each with some of the pairs."""

    @abstractmethod
    def encode(self, profiles: Profiles) -> Encoded: ...

    @abstractmethod
    def compare(self, encoded: Encoded, pairs: Pairs) -> Scores: ...

    def speaking(self, encoded: Encoded) -> npt.NDArray[np.bool_] | None:
        """Return the rows on which this specialist may have an opinion; None: all with a value that it reads."""
        return None

    def evidence(self, left: Profile, right: Profile) -> str:
        """Describe the compared values of two profiles in a few words; '' if there are none."""
        return ""

    def seen(self, profile: Profile) -> Profile:
        """The profile with types spelt as this specialist declares them, whatever their case, spaces and hyphens."""
        attributes: dict[str, list[str]] = {}
        spelt = {plain_type(type): type for type in self.reads_attributes}
        for type, values in profile.attributes.items():
            attributes.setdefault(spelt.get(plain_type(type), type), []).extend(values)
        spelt = {plain_type(type): type for type in self.reads_relations}
        relations = tuple(
            replace(r, type=spelt[relation_type(r.type)] + "".join(plain_type(r.type).partition(":")[1:]))
            if relation_type(r.type) in spelt
            else r
            for r in profile.relations
        )
        return replace(profile, attributes=attributes, relations=relations)

    def score(self, left: Profiles, right: Profiles, pairs: npt.ArrayLike) -> Scores:
        """Scores of pairs (row of `left`, row of `right`), checked: the right length and within [0, 1] or NaN."""
        rows = np.asarray(pairs, dtype=np.int32).reshape(-1, 2)
        if left is right:
            return self.checked(self.compare(self.encode(left), rows), len(rows))
        both = Profiles(pa.concat_tables([left.arrow, right.arrow]))
        shifted = rows + np.array([0, len(left)], dtype=np.int32)
        return self.checked(self.compare(self.encode(both), shifted), len(rows))

    def checked(self, scores: npt.ArrayLike, count: int) -> Scores:
        """Check scores, and name the specialist in the error."""
        try:
            given = np.asarray(scores, dtype=np.float32)
        except (TypeError, ValueError) as error:
            raise errors.bad_specialist(self.name, f"gave no numbers ({error})") from error
        if given.shape != (count,):
            shape = f"{len(given):,}" if given.ndim == 1 else f"an array of {' × '.join(map(str, given.shape)) or 1}"
            raise errors.bad_specialist(self.name, f"gave {shape} scores for {count:,} pairs")
        outside = (given < 0) | (given > 1)
        if outside.any():
            worst = float(given[outside][0])
            raise errors.bad_specialist(self.name, f"gave {outside.sum():,} scores outside [0, 1], such as {worst:g}")
        return given


class PairwiseSpecialist(Specialist[list[Profile]]):
    """A plain function of two profiles as a specialist: easy to write, slow to run."""

    threaded = False

    def __init__(
        self, name: str, function: PairFunction, attributes: Meanings = NOTHING, relations: Meanings = NOTHING
    ) -> None:
        self.name = name
        self.function = function
        self.reads_attributes = attributes
        self.reads_relations = relations

    def encode(self, profiles: Profiles) -> list[Profile]:
        return [self.seen(profile) for profile in profiles]

    def compare(self, encoded: list[Profile], pairs: Pairs) -> Scores:
        values = (self.function(encoded[a], encoded[b]) for a, b in pairs)
        return np.array([np.nan if value is None else value for value in values], dtype=np.float32)


def specialist(
    name: str, *, attributes: Meanings = NOTHING, relations: Meanings = NOTHING
) -> Callable[[PairFunction], PairwiseSpecialist]:
    """Make a specialist of a function of two profiles that gives a score in [0, 1], or None to abstain.

    Parameters
    ----------
    name : str
        What the specialist is called.
    attributes : mapping[str, str], optional
        The types of attributes that the function looks up, and what each means.
    relations : mapping[str, str], optional
        The same for relations.

    Returns
    -------
    Callable[[PairFunction], PairwiseSpecialist]
        A decorator of such a function.

    Examples
    --------
    >>> @specialist("same language")
    ... def same_language(a: Profile, b: Profile) -> float | None:
    ...     return None if a.language is None or b.language is None else float(a.language == b.language)
    >>> people = Profiles.of([Profile("1", "d", "Ann", language="en"), Profile("2", "d", "Bo", language="fr")])
    >>> same_language.score(people, people, [(0, 1)])
    array([0.], dtype=float32)
    """

    def make(function: PairFunction) -> PairwiseSpecialist:
        return PairwiseSpecialist(name, function, attributes, relations)

    return make


def values_of(profiles: Profiles, key: str) -> list[list[str]]:
    """Return the values of one attribute of each profile."""
    found: list[list[str]] = [[] for _ in range(len(profiles))]
    for row, value in zip(*attribute_rows(profiles, key), strict=True):
        found[row].append(value)
    return found


def attribute_rows(profiles: Profiles, key: str) -> tuple[list[int], list[str]]:
    """Return every value of one attribute, however its type is spelt, and its row.

    Parameters
    ----------
    profiles : Profiles
        The profiles.
    key : str
        The type of the attribute.

    Returns
    -------
    tuple[list[int], list[str]]
        The row of each value, and the values.

    Examples
    --------
    >>> attribute_rows(Profiles.of([Profile("1", "d", "Ann", attributes={"Age": ["7", "8"]})]), "age")
    ([0, 0], ['7', '8'])
    """
    rows, stated = _stated(profiles, "attributes", [key])
    lists = pc.struct_field(stated, "value")
    values = pc.list_flatten(lists)
    kept = pc.is_valid(values)
    return rows[pc.list_parent_indices(lists).filter(kept)].tolist(), values.filter(kept).to_pylist()


def relation_rows(profiles: Profiles, *types: str) -> tuple[npt.NDArray[np.int64], pa.Array, pa.Array]:
    """Rows, names and profile ids of the other ends of all relations of some types (before any ``:detail``)."""
    rows, relations = _stated(profiles, "relations", types)
    return rows, pc.fill_null(pc.struct_field(relations, "name"), ""), pc.struct_field(relations, "profile")


def related(profiles: Profiles, *types: str) -> list[list[tuple[str, str]]]:
    """Type, in its plain spelling, and name of the relations of some types of each profile."""
    found: list[list[tuple[str, str]]] = [[] for _ in range(len(profiles))]
    rows, relations = _stated(profiles, "relations", types)
    cells = (pc.struct_field(relations, field).to_pylist() for field in ("type", "name"))
    for row, type, name in zip(rows.tolist(), *cells, strict=True):
        found[row].append((plain_type(type), name))
    return found


def stated_types(profiles: Profiles, column: str) -> Counter[str]:
    """Count the attributes or relations (the `column`) of profiles by type."""
    counts = Counter[str]()
    for _, types, _ in _flattened(profiles, column):
        counts.update({cell["values"]: cell["counts"] for cell in types.value_counts().to_pylist() if cell["values"]})
    return counts


def _stated(profiles: Profiles, column: str, types: Sequence[str]) -> tuple[npt.NDArray[np.int64], pa.Array]:
    """The row of each attribute or relation of some types, and these themselves."""
    plain = plain_type if column == "attributes" else relation_type
    wanted = frozenset(map(plain_type, types))
    kind = _PAIRS if column == "attributes" else profiles.arrow.schema.field(column).type
    rows, stated = [np.empty(0, dtype=np.int64)], [pa.array([], kind.value_type)]
    for row, given, items in _flattened(profiles, column):
        # Each distinct type is checked once.
        coded = given.dictionary_encode()
        is_wanted = pa.array([plain(type or "") in wanted for type in coded.dictionary.to_pylist()], pa.bool_())
        chosen = pc.fill_null(is_wanted.take(coded.indices), False)
        rows.append(row[chosen])
        stated.append(items.filter(chosen))
    return np.concatenate(rows), pa.concat_arrays(stated)


def _flattened(profiles: Profiles, column: str) -> Iterator[tuple[npt.NDArray[np.int64], pa.Array, pa.Array]]:
    """Yield the rows, the types and the cells of all attributes or relations, by chunk.

    One array of all chunks might outgrow Arrow's offsets.
    """
    first = 0
    for chunk in profiles.column(column).chunks:
        cells = chunk.cast(_PAIRS) if column == "attributes" else chunk
        items = pc.list_flatten(cells)
        rows = pc.list_parent_indices(cells).to_numpy().astype(np.int64) + first
        yield rows, pc.struct_field(items, "key" if column == "attributes" else "type"), items
        first += len(chunk)


def meanings(table: Meanings, *types: str) -> Meanings:
    """Some types, with what a table of `crossdoc.names.evidence_types` says of them."""
    return MappingProxyType({type: table.get(type, "") for type in types})


Ints = npt.NDArray[np.int32]
Key = TypeVar("Key", bound=Hashable)


class Letters(NamedTuple):
    """The code points of each word, how many, and 64 bits of which one is set for each letter that occurs."""

    start: npt.NDArray[np.int64]
    points: npt.NDArray[np.uint32]
    length: Ints
    present: npt.NDArray[np.uint64]


def counted(rows: npt.ArrayLike, codes: npt.ArrayLike, n: int) -> sparse.csr_matrix:
    """Count each code in each row."""
    r, c = np.asarray(rows, dtype=np.int64), np.asarray(codes, dtype=np.int64)
    matrix = sparse.csr_matrix((np.ones(len(r)), (r, c)), shape=(n, int(c.max(initial=0)) + 1))
    matrix.sum_duplicates()
    return matrix


def lists(rows: npt.ArrayLike, codes: npt.ArrayLike, n: int) -> SparseRows:
    """Return the codes of each row, ascending, each once, with the value 1.

    >>> found = lists([2, 0, 2, 2], [7, 5, 1, 7], 3)
    >>> found.start.tolist(), found.columns.tolist(), found.values.tolist()
    ([0, 1, 1, 3], [5, 1, 7], [1.0, 1.0, 1.0])
    """
    matrix = counted(rows, codes, n)
    matrix.data[:] = 1
    return sparse_rows(Vectors(matrix))


def letters(words: Sequence[str]) -> Letters:
    length = np.array([len(word) for word in words], dtype=np.int32)
    start = np.concatenate([[0], np.cumsum(length, dtype=np.int64)]).astype(np.int64)
    text = "".join(words).encode("utf-32-le", "surrogatepass")
    # A copy, since numba compiles its kernels a second time for read-only arrays.
    points = np.frombuffer(text, dtype=np.uint32).copy()
    present = np.zeros(len(words), dtype=np.uint64)
    bits = np.uint64(1) << (points % 64).astype(np.uint64)
    np.bitwise_or.at(present, np.repeat(np.arange(len(words)), length), bits)
    return Letters(start, points, length, present)


def codes_of(values: Iterable[Key]) -> dict[Key, int]:
    """Number the distinct values in order of first occurrence."""
    return {value: code for code, value in enumerate(dict.fromkeys(values))}


def all_pairs(blocks: Iterable[npt.NDArray[Any]]) -> Pairs:
    """Every pair of rows that share a block."""
    found = [np.zeros((0, 2), dtype=np.int32)]
    for rows in blocks:
        left, right = np.triu_indices(len(rows), k=1)
        found.append(np.column_stack([rows[left], rows[right]]).astype(np.int32))
    return np.concatenate(found)


class SparseRows(NamedTuple):
    """Row i has `columns[start[i] : start[i + 1]]`, each with a value."""

    start: npt.NDArray[np.int64]
    columns: npt.NDArray[np.int32]
    values: npt.NDArray[np.floating[Any]]
    width: int


def sparse_rows(vectors: Vectors) -> SparseRows:
    matrix = vectors.matrix
    values = matrix.data.astype(np.float32, copy=False)
    return SparseRows(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), values, matrix.shape[1])


class SharedValues(Specialist[SparseRows]):
    """1 where two profiles share a value, another score where both have values and share none."""

    if_not = 0.0

    @abstractmethod
    def values(self, profiles: Profiles) -> Iterable[tuple[int, Hashable]]:
        """Yield each value with its row; an empty one is none."""

    def encode(self, profiles: Profiles) -> SparseRows:
        found = [(row, value) for row, value in self.values(profiles) if value]
        code = codes_of(value for _, value in found)
        return lists([row for row, _ in found], [code[value] for _, value in found], len(profiles))

    def compare(self, encoded: SparseRows, pairs: Pairs) -> Scores:
        return shared(encoded, pairs, 1.0, self.if_not)
