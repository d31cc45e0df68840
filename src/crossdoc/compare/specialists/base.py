"""What a specialist is: one similarity in [0, 1] for each pair of profiles, NaN where it has nothing to say.

Huang et al. 2009, section 2.3: a specialist is awake for a pair only if both profiles have what it compares, and may
abstain when unsure. Specialists work on columns: `encode` once a table, `compare` on millions of pairs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from crossdoc import errors
from crossdoc.model import Profile, Profiles

Encoded = TypeVar("Encoded")
Pairs = npt.NDArray[np.int32]
Scores = npt.NDArray[np.float32]
PairFunction = Callable[[Profile, Profile], float | None]

_ATTRIBUTES = pa.list_(pa.struct([("key", pa.string()), ("value", pa.list_(pa.string()))]))


class Specialist(ABC, Generic[Encoded]):
    """One kind of evidence.

    Subclasses give a `name`, `encode` (the columns of a table in the shape that the comparison likes) and `compare`
    (pairs of row numbers → float32 scores, NaN asleep or abstaining); `evidence` says to a person what was compared.
    """

    name: str
    threaded = True
    """Whether `compare` may be called by several threads at once, each with some of the pairs."""

    @abstractmethod
    def encode(self, profiles: Profiles) -> Encoded: ...

    @abstractmethod
    def compare(self, encoded: Encoded, pairs: Pairs) -> Scores: ...

    def evidence(self, left: Profile, right: Profile) -> str:
        """What the two profiles have to say on this, in a few words; '' where nothing."""
        return ""

    def score(self, left: Profiles, right: Profiles, pairs: npt.ArrayLike) -> Scores:
        """Scores of pairs (row of `left`, row of `right`), checked: the right length and within [0, 1] or NaN."""
        rows = np.asarray(pairs, dtype=np.int32).reshape(-1, 2)
        if left is right:
            return self.checked(self.compare(self.encode(left), rows), len(rows))
        both = Profiles(pa.concat_tables([left.arrow, right.arrow]))
        shifted = rows + np.array([0, len(left)], dtype=np.int32)
        return self.checked(self.compare(self.encode(both), shifted), len(rows))

    def checked(self, scores: npt.ArrayLike, count: int) -> Scores:
        """Refuse what is not a score, naming the specialist."""
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

    def __init__(self, name: str, function: PairFunction) -> None:
        self.name = name
        self.function = function

    def encode(self, profiles: Profiles) -> list[Profile]:
        return list(profiles)

    def compare(self, encoded: list[Profile], pairs: Pairs) -> Scores:
        values = (self.function(encoded[a], encoded[b]) for a, b in pairs)
        return np.array([np.nan if value is None else value for value in values], dtype=np.float32)


def specialist(name: str) -> Callable[[PairFunction], PairwiseSpecialist]:
    """Make a specialist of a function of two profiles that gives a score in [0, 1], or None to abstain.

    >>> @specialist("same language")
    ... def same_language(a: Profile, b: Profile) -> float | None:
    ...     return None if a.language is None or b.language is None else float(a.language == b.language)
    >>> people = Profiles.of([Profile("1", "d", "Ann", language="en"), Profile("2", "d", "Bo", language="fr")])
    >>> same_language.score(people, people, [(0, 1)])
    array([0.], dtype=float32)
    """

    def make(function: PairFunction) -> PairwiseSpecialist:
        return PairwiseSpecialist(name, function)

    return make


def values_of(profiles: Profiles, key: str) -> list[list[str]]:
    """The values of one attribute of each profile."""
    found: list[list[str]] = [[] for _ in range(len(profiles))]
    for row, value in zip(*attribute_rows(profiles, key), strict=True):
        found[row].append(value)
    return found


def attribute_rows(profiles: Profiles, key: str) -> tuple[list[int], list[str]]:
    """Every value of one attribute, and the row that it belongs to.

    >>> attribute_rows(Profiles.of([Profile("1", "d", "Ann", attributes={"age": ["7", "8"]})]), "age")
    ([0, 0], ['7', '8'])
    """
    rows: list[int] = []
    values: list[str] = []
    for first, chunk in _chunks(profiles, "attributes"):
        cells = chunk.cast(_ATTRIBUTES)
        flat = pc.list_flatten(cells)
        chosen = pc.equal(pc.struct_field(flat, "key"), key)
        lists = pc.struct_field(flat, "value").filter(chosen)
        owners = pc.list_parent_indices(cells).filter(chosen).take(pc.list_parent_indices(lists))
        flat = pc.list_flatten(lists)
        stated = pc.is_valid(flat)
        rows.extend(pc.add(owners.filter(stated), first).to_pylist())
        values.extend(flat.filter(stated).to_pylist())
    return rows, values


def relation_rows(profiles: Profiles, *types: str) -> tuple[npt.NDArray[np.int64], pa.Array, pa.Array]:
    """Rows, names and profile ids of the other ends of all relations of some types (before any ``:detail``)."""
    rows = [np.empty(0, dtype=np.int64)]
    names, ids = [pa.array([], pa.string())], [pa.array([], pa.string())]
    for first, chunk in _chunks(profiles, "relations"):
        flat = pc.list_flatten(chunk)
        kinds = pc.struct_field(flat, "type").dictionary_encode()
        wanted = [(kind or "").split(":")[0] in types for kind in kinds.dictionary.to_pylist()]
        chosen = pc.fill_null(pa.array(wanted, pa.bool_()).take(kinds.indices), False)
        rows.append(pc.list_parent_indices(chunk).filter(chosen).to_numpy().astype(np.int64) + first)
        names.append(pc.fill_null(pc.struct_field(flat, "name").filter(chosen), ""))
        ids.append(pc.struct_field(flat, "profile").filter(chosen))
    return np.concatenate(rows), pa.concat_arrays(names), pa.concat_arrays(ids)


def _chunks(profiles: Profiles, column: str) -> Iterator[tuple[int, pa.Array]]:
    """The chunks of a column with the row at which each starts; one array of them all might outgrow Arrow's offsets."""
    first = 0
    for chunk in profiles.column(column).chunks:
        yield first, chunk
        first += len(chunk)


def related(profiles: Profiles, *types: str) -> list[list[dict[str, Any]]]:
    """The relations of each profile whose type (before any ``:detail``) is one of `types`."""
    return [
        [relation for relation in cells or [] if relation["type"].split(":")[0] in types]
        for cells in profiles.column("relations").to_pylist()
    ]
