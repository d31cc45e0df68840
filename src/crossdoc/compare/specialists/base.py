"""What a specialist is: one similarity in [0, 1] for each pair of profiles, NaN where it has nothing to say.

Huang et al. 2009, section 2.3: a specialist is awake for a pair only if both profiles have what it compares, and may
abstain when unsure. Specialists work on columns: `encode` once a table, `compare` on millions of pairs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from crossdoc import errors
from crossdoc.model import Profile, Profiles

Encoded = TypeVar("Encoded")
Pairs = npt.NDArray[np.int32]
Scores = npt.NDArray[np.float32]
PairFunction = Callable[[Profile, Profile], float | None]


class Specialist(ABC, Generic[Encoded]):
    """One kind of evidence.

    Subclasses give a `name`, `encode` (the columns of a table in the shape that the comparison likes) and `compare`
    (pairs of row numbers → float32 scores, NaN asleep or abstaining); `evidence` says to a person what was compared.
    """

    name: str

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
            raise errors.bad_specialist(self.name, f"gave {given.shape} scores for {count:,} pairs")
        outside = (given < 0) | (given > 1)
        if outside.any():
            worst = float(given[outside][0])
            raise errors.bad_specialist(self.name, f"gave {outside.sum():,} scores outside [0, 1], such as {worst:g}")
        return given


class PairwiseSpecialist(Specialist[list[Profile]]):
    """A plain function of two profiles as a specialist: easy to write, slow to run."""

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
    return [
        next((list(values or []) for name, values in cells or [] if name == key), [])
        for cells in profiles.column("attributes").to_pylist()
    ]


def related(profiles: Profiles, *types: str) -> list[list[dict[str, Any]]]:
    """The relations of each profile whose type (before any ``:detail``) is one of `types`."""
    return [
        [relation for relation in cells or [] if relation["type"].split(":")[0] in types]
        for cells in profiles.column("relations").to_pylist()
    ]
