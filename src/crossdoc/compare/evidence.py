"""Evidence about profiles of one type, computed on demand.

The log odds of a pair are a sum: the prior of its names (`name_evidence.py`), the log likelihood ratio of each field
(`fields.py`, `curve.py`), of stated facts and of documents that tell one story (`story_evidence.py`).
Names that clash are kept apart by a rule that only a person's judgement outweighs. `compare/collection.py` makes
evidence, and nothing else does.

Evidence from a trained ensemble of specialists in place of a sum of log odds.

Specialists look at all profiles of a type to know what is usual, so that evidence about some profiles is a part of
the evidence about all of them.

Facts of two profiles that can agree or contradict: gender, dates of birth and death, contacts, offices, places.

Each is judged by its specialist (`specialists/`), whose score from 0 to 1 becomes a bounded log likelihood ratio: `low`
at 0, `high` at 1, linear in between, and 0 if the specialist abstains.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field
from scipy import sparse
from scipy.special import expit

from crossdoc.compare.across import differ, never_against
from crossdoc.compare.curve import Curve
from crossdoc.compare.ensemble import Ensemble, Explanation, Opinion
from crossdoc.compare.fields import CONTEXT, shared_features
from crossdoc.compare.name_evidence import NO_PAIRS, NameEvidence
from crossdoc.compare.specialists import kernels
from crossdoc.compare.specialists.base import (
    Pairs,
    Scores,
    SparseRows,
    Specialist,
    all_pairs,
    attribute_rows,
    relation_rows,
    sparse_rows,
    stated_types,
)
from crossdoc.compare.specialists.dates import Contradictions, LifeDates, Written
from crossdoc.compare.specialists.jiang_conrath import Descriptors
from crossdoc.compare.specialists.offices import Office, Party, State, TitleContradictions
from crossdoc.compare.specialists.places import PeoplesPlaces
from crossdoc.compare.specialists.surroundings import Contacts
from crossdoc.compare.story_evidence import NoStories, Readings
from crossdoc.model import Profile, Profiles, Relations, Vectors
from crossdoc.model.evidence_protocol import Constraints
from crossdoc.names import agreeing_names, fold
from crossdoc.names.evidence_types import plain_type, relation_type

_MAKERS: tuple[Callable[[], Specialist[Any]], ...] = (
    Contradictions, LifeDates, Contacts, Party, State, Office, PeoplesPlaces, Descriptors, Written, TitleContradictions,
)  # fmt: skip
FACTS: Mapping[str, Callable[[], Specialist[Any]]] = {maker().name: maker for maker in _MAKERS}
"""Specialists whose log odds can be added up, by name."""


class Fact(BaseModel):
    """Log odds of a specialist's score.

    >>> Fact(low=-3, high=1)(np.array([0, .5, np.nan, 1], dtype=np.float32)).tolist()
    [-3.0, -1.0, 0.0, 1.0]
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    low: float = Field(le=0, ge=-20, description="Of a score of 0: the most that it can speak against.")
    high: float = Field(ge=0, le=20, description="Of a score of 1: the most that it can speak for.")

    def __call__(self, score: Scores) -> Scores:
        return np.nan_to_num(np.float32(self.low) + np.float32(self.high - self.low) * score, copy=False)


class StatedFacts:
    """The facts of a table of profiles, encoded once."""

    def __init__(self, worth: Mapping[str, Fact], profiles: Profiles) -> None:
        self._worth = worth
        self._stated: dict[str, tuple[Specialist[Any], Any, npt.NDArray[np.bool_]]] = {}
        types = (
            set(map(plain_type, stated_types(profiles, "attributes"))),
            set(map(relation_type, stated_types(profiles, "relations"))),
        )
        for name in worth:
            specialist = FACTS[name]()
            stating = _stating(specialist, profiles, *types)
            if not stating.any():
                continue
            encoded = specialist.encode(profiles)
            speaking = specialist.speaking(encoded)
            if speaking is not None:
                stating &= speaking
            if stating.any():
                self._stated[name] = specialist, encoded, stating

    def of(self, pairs: Pairs) -> Scores:
        """Return the sum of the log odds of all facts for pairs of rows."""
        odds = np.zeros(len(pairs), dtype=np.float32)
        for name, (specialist, encoded, stating) in self._stated.items():
            both = np.flatnonzero(stating[pairs].all(axis=1))
            if len(both):
                odds[both] += self._worth[name](specialist.compare(encoded, np.ascontiguousarray(pairs[both])))
        return odds

    def add_all(self, odds: Scores, rows: npt.NDArray[np.int64]) -> None:
        """Add the log odds of facts to the square of all pairs of some rows."""
        stating = np.zeros(len(rows), dtype=bool)
        for _, _, own in self._stated.values():
            stating |= own[rows]
        some = np.flatnonzero(stating)
        if len(some) < 2:
            return
        pairs = some[all_pairs([np.arange(len(some))])]
        stated_odds = self.of(np.ascontiguousarray(rows[pairs], dtype=np.int32))
        odds[pairs[:, 0], pairs[:, 1]] += stated_odds
        odds[pairs[:, 1], pairs[:, 0]] += stated_odds

    def opinions(self, a: int, b: int, left: Profile, right: Profile) -> Iterator[tuple[str, float, float, str]]:
        """Yield the name, score, log odds and compared values of each fact that two rows state."""
        pair = np.array([[a, b]], dtype=np.int32)
        for name, (specialist, encoded, stating) in self._stated.items():
            score = specialist.compare(encoded, pair) if stating[[a, b]].all() else np.array([np.nan])
            if not np.isnan(score[0]):
                odds = self._worth[name](score.astype(np.float32))
                evidence = specialist.evidence(specialist.seen(left), specialist.seen(right))
                yield name, float(score[0]), float(odds[0]), evidence


def _stating(
    specialist: Specialist[Any], profiles: Profiles, attributes: Set[str], relations: Set[str]
) -> npt.NDArray[np.bool_]:
    """Return which profiles have an attribute or relation that a specialist reads."""
    found = np.full(len(profiles), specialist.reads_text)
    for type in specialist.reads_attributes:
        if plain_type(type) in attributes:
            found[attribute_rows(profiles, type)[0]] = True
    if not relations.isdisjoint(map(plain_type, specialist.reads_relations)):
        found[relation_rows(profiles, *specialist.reads_relations)[0]] = True
    return found


CLASH_WEIGHT = 1000.0
"""Log odds. Soft weight with which clashing names are kept apart: more than contexts can outweigh, less than a
judgement."""
Floats = npt.NDArray[np.float32]
Part = TypeVar("Part", bound="ProfileEvidence")


@dataclass(frozen=True)
class ComparedFields:
    """The fields of all rows, encoded once and shared by all parts of the evidence."""

    curves: Mapping[str, Curve]
    rows: Mapping[str, Vectors]
    """By field the unit rows; fields that no row states are left out."""
    facts: StatedFacts
    languages: npt.NDArray[np.int64]
    """The language of each row as a number, −1 if it is unknown or the only one."""
    alone: npt.NDArray[np.int64]
    """1 for each row that is the only one of its document, 0 for others."""

    @cached_property
    def encoded(self) -> dict[str, SparseRows]:
        return {name: sparse_rows(rows) for name, rows in self.rows.items()}

    def compare(self, pairs: Pairs) -> Floats:
        """Return the summed log odds of pairs of rows."""
        odds, kind = np.zeros(len(pairs), dtype=np.float32), self.alone[pairs].sum(axis=1)
        for name, rows in self.encoded.items():
            cosine = kernels.sparse_cosine(*rows, pairs)
            found = np.where(np.isnan(cosine), np.float32(0.0), self.curves[name](np.nan_to_num(cosine), kind))
            odds += never_against(found, differ(*self.languages[pairs].T)) if name == CONTEXT else found
        return odds + self.facts.of(pairs)

    def compare_all(self, rows: npt.NDArray[np.int64]) -> Floats:
        """Return the log odds of all pairs of some rows as a square matrix."""
        odds = np.zeros((len(rows), len(rows)), dtype=np.float32)
        for name, vectors in self.rows.items():
            odds += self.field_odds(name, vectors.matrix[rows], rows)
        self.facts.add_all(odds, rows)
        return odds

    def field_odds(self, name: str, matrix: sparse.csr_matrix, rows: npt.NDArray[np.int64]) -> Floats:
        """Return the log odds of one field for all pairs of rows; 0 if either row has no value."""
        kind = np.add.outer(self.alone[rows], self.alone[rows]) if self.curves[name].kinds else None
        odds = self.curves[name](Vectors(matrix).cosine(), kind)
        silent = np.diff(matrix.indptr) == 0
        odds[silent] = 0.0
        odds[:, silent] = 0.0
        if name == CONTEXT:
            own = self.languages[rows]
            return never_against(odds, differ(own[:, None], own[None, :]))
        return odds


class ProfileEvidence:
    """Evidence about the profiles of one type, for clusterers: see :class:`crossdoc.model.Evidence`."""

    def __init__(
        self,
        profiles: Profiles,
        entity_type: str | None,
        constraints: Constraints,
        names: NameEvidence,
        fields: ComparedFields,
        vectors: Vectors,
        stories: NoStories,
    ) -> None:
        self.entity_type = entity_type
        self.constraints = constraints
        self._shown, self._fields, self._vectors, self._stories = profiles, fields, vectors, stories
        self._names_compared = names
        self._rows = np.arange(len(profiles))
        self._is_whole = True

    def part(self: Part, rows: npt.NDArray[Any]) -> Part:
        """Return the evidence about some of the rows."""
        part = copy(self)
        for name in ("profiles", "vectors"):
            part.__dict__.pop(name, None)
        part._names_compared = self._names_compared.part(rows)
        part._rows, part._is_whole = self._rows[rows], False
        # The judgements behind must-links are for reporting contradictions, which is done before anything is compared.
        part.constraints = replace(self.constraints, must=()).restrict(rows)
        return part

    def __len__(self) -> int:
        return len(self._rows)

    @cached_property
    def profiles(self) -> Profiles:
        return self._shown if self._is_whole else self._shown.take(self._rows)

    @property
    def ids(self) -> npt.NDArray[np.object_]:
        return self._shown.ids[self._rows]

    @property
    def names(self) -> list[str] | None:
        return self._names_compared.names

    @property
    def readings(self) -> Readings:
        """Name readings by topic."""
        return self._stories.readings

    @property
    def linked(self) -> Mapping[str, str] | None:
        """By name a representative of the names connected with it; None if that was not needed so far."""
        return vars(self._names_compared).get("linked")

    @cached_property
    def vectors(self) -> Vectors:
        if self._is_whole:
            return self._vectors
        return Vectors(self._vectors.matrix[self._rows], self._vectors.features)

    @property
    def even(self) -> float | None:
        """The cosine of contexts at which odds are even, for types whose names have priors."""
        return self._fields.curves[CONTEXT].cosine_at(0.0) if self.entity_type else None

    @property
    def same_name(self) -> float:
        """The prior of the usual name of the rows, as a cosine of contexts."""
        if self.even is None or not self._names_compared.usual:
            return 0.0
        return self.even - self._fields.curves[CONTEXT].cosine_at(-self._names_compared.usual)

    # -- who meets whom --------------------------------------------------------------------------------------------

    def components(self) -> list[npt.NDArray[np.int64]]:
        return self._names_compared.components(self.constraints)

    def blocks(self) -> list[npt.NDArray[np.int64]]:
        return self._names_compared.blocks(self.constraints)

    def same_spelling(self) -> list[str]:
        return [fold(name or "") for name in self.profiles.column("name").to_pylist()]

    def agreeing(self, names: Sequence[str]) -> npt.NDArray[np.int64]:
        return agreeing_names(names, self.entity_type)

    @property
    def limits(self) -> Constraints:
        return self.constraints.with_soft(self._names_compared.clashes, -CLASH_WEIGHT)

    # -- how strongly ----------------------------------------------------------------------------------------------

    def relations(self) -> Relations:
        """Return the strengths of all pairs; names that clash have 0."""
        odds, clashes = self._names_compared.all_odds(), self._names_compared.clashes
        odds += self._stories.compare_all(self._rows)
        odds += self._fields.compare_all(self._rows)
        matrix = expit(odds, out=odds)
        matrix[clashes[:, 0], clashes[:, 1]] = matrix[clashes[:, 1], clashes[:, 0]] = 0.0
        return Relations.from_dense(matrix)

    def candidates(self) -> Relations:
        """Return the strengths of the pairs whose names can be one entity's.

        A pair that is not listed has strength 0, as names that clash have in :meth:`relations`, but no rule keeps it
        apart.
        """
        parts = [(NO_PAIRS, np.zeros(0, dtype=np.float32)), *self.compared_portions()]
        left, right = np.concatenate([pairs for pairs, _ in parts]).T
        strength = np.concatenate([strength for _, strength in parts])
        return Relations(len(self), np.ascontiguousarray(left), np.ascontiguousarray(right), strength)

    def compared_portions(self) -> Iterator[tuple[Pairs, Floats]]:
        """Yield the pairs whose names can be one entity's with their strengths, a million at a time."""
        for pairs in self._names_compared.candidates(self.constraints):
            yield pairs, self._strengths(pairs, self._names_compared.odds(pairs))

    def strengths(self, pairs: Pairs) -> Floats:
        """Return the strengths of pairs whose names can be one entity's, with few rows on the left of the pairs."""
        return self._strengths(pairs, self._names_compared.odds(pairs, few=True))

    def _strengths(self, pairs: Pairs, priors: Floats) -> Floats:
        rows = np.ascontiguousarray(self._rows[pairs], dtype=np.int32)
        odds = priors + self._fields.compare(rows)
        odds += self._stories.compare(rows)
        return expit(odds, out=odds)

    # -- why -------------------------------------------------------------------------------------------------------

    def explain(self, a: int, b: int) -> Explanation:
        """Explain the strength of a pair as a sum of opinions."""
        pair = self.part(np.array([a, b]))
        return Explanation(float(pair.relations().strength[0]), tuple(pair._opinions()))

    def _opinions(self) -> list[Opinion]:
        """Return the opinions on two rows, which are all of these rows, the weightiest first."""
        left, right = self.profiles
        opinions = self._names_compared.opinions(left, right)
        for name, rows in self._fields.rows.items():
            both = rows.matrix[self._rows]
            if name == CONTEXT or np.diff(both.indptr).all():
                cosine, odds = Vectors(both).cosine()[0, 1], self._fields.field_odds(name, both, self._rows)[0, 1]
                shared = shared_features(Vectors(both, rows.features))
                opinions.append(Opinion(name, float(cosine), float(expit(odds)), float(odds), shared))
        a, b = self._rows.tolist()
        for name, score, odds, words in self._fields.facts.opinions(a, b, left, right):
            opinions.append(Opinion(name, score, float(expit(odds)), odds, words))
        opinions += self._stories.opinions(self._rows)
        return sorted(opinions, key=lambda opinion: -abs(opinion.weight))


class EnsembleEvidence(ProfileEvidence):
    """Evidence whose strengths are those of an ensemble."""

    _ensemble: Ensemble
    _compared: Profiles

    def with_ensemble(self, ensemble: Ensemble, compared: Profiles) -> EnsembleEvidence:
        """Use an ensemble on profiles with names in one form."""
        self._ensemble, self._compared = ensemble, compared
        # Encoded once, before several threads ask.
        ensemble.scores(compared, NO_PAIRS)
        return self

    @property
    def even(self) -> float | None:
        return None

    def relations(self) -> Relations:
        pairs = all_pairs([np.arange(len(self))])
        strength = self._strengths(pairs, np.zeros(0, dtype=np.float32))
        left, right = np.ascontiguousarray(pairs.T)
        return Relations(len(self), left, right, strength, self._ensemble.default_strength)

    def _strengths(self, pairs: Pairs, priors: Floats) -> Floats:
        return self._ensemble.strengths(self._compared, self._rows[pairs].astype(np.int32))

    def explain(self, a: int, b: int) -> Explanation:
        explained = self._ensemble.explain(self._compared, int(self._rows[a]), int(self._rows[b]))
        pair = self.part(np.array([a, b]))
        if not len(pair._names_compared.clashes):
            return explained
        # The rule keeps them apart whatever the strength.
        left, right = pair.profiles
        rule = Opinion("names", 0.0, 0.0, 0.0, f"{left.name} / {right.name}: clash, kept apart by rule")
        return Explanation(explained.strength, (rule, *explained.opinions))
