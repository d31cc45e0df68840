"""Evidence from the names of profiles: who can be one entity, and the prior log odds of each pair.

`OpenNames` are the names of an open collection, compared with each other and, inside a topic, with descriptions and
misprints. `NameEvidence` by itself is that of profiles of one asked-for name, any two of which may be one entity.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from scipy.special import expit

from crossdoc.compare import blocking
from crossdoc.compare.ensemble import Opinion
from crossdoc.compare.name_prior import NameCounts, NamePrior, NameShifts, Priors, fitted_key
from crossdoc.compare.specialists.base import Pairs
from crossdoc.compare.story_evidence import AS_PEOPLE, NamesInTopics, NoStories
from crossdoc.model import Profile, Profiles
from crossdoc.model.evidence_protocol import Constraints
from crossdoc.names import Grade, in_one_spelling, relate

NO_PAIRS: Pairs = np.zeros((0, 2), dtype=np.int32)
Floats = npt.NDArray[np.float32]
Rows = npt.NDArray[np.int64]


class NameEvidence:
    """Names by which any two rows may be one entity: those of profiles of one asked-for name.

    The prior of a pair is the smaller one of the two names' log odds.
    """

    names: list[str] | None = None
    """The names by which clusterers may group; None if all rows have one asked-for name."""
    linked: Mapping[str, str] | None = None
    """By name a representative of the names connected with it, if these are all names of such a type."""

    def __init__(self, profiles: Profiles, odds: Floats) -> None:
        self._profiles, self._odds = profiles, odds

    @property
    def usual(self) -> float:
        """Median log odds of a row's own name."""
        return 0.0

    def part(self, rows: npt.NDArray[np.integer]) -> NameEvidence:
        """Return the names of some rows."""
        return NameEvidence(self._profiles.take(rows), self._odds[rows])

    def components(self, constraints: Constraints) -> list[Rows]:
        """Return the rows connected by candidate pairs."""
        return [np.arange(len(self._profiles))]

    def blocks(self, constraints: Constraints) -> list[Rows]:
        """Return the rows that share a blocking key."""
        return [np.arange(len(self._profiles))]

    def candidates(self, constraints: Constraints) -> Iterable[Pairs]:
        """Return the pairs whose names can be one entity's."""
        return blocking.candidates(self._profiles, constraints)

    def odds(self, pairs: Pairs, few: bool = False) -> Floats:
        """Return the prior of pairs; with `few`, names on the left of the pairs are few."""
        return self._odds[pairs].min(axis=1)

    def all_odds(self) -> Floats:
        """Return the prior of all pairs as a new square matrix."""
        return np.minimum(self._odds[:, None], self._odds[None, :])

    @property
    def clashes(self) -> Pairs:
        """The pairs whose names clash."""
        return NO_PAIRS

    def opinions(self, left: Profile, right: Profile) -> list[Opinion]:
        """Explain the prior of two rows, which are all of these rows."""
        odds = float(self._odds.min())
        reason = "as common as the name is among people"
        return [Opinion("name", 1.0, float(expit(odds)), odds, reason)] if self._odds.any() else []


class OpenNames(NameEvidence):
    """The names of rows of one type in an open collection.

    Parameters
    ----------
    profiles : the rows, with names in one form.
    stories : topics of the documents, in which descriptions meet and names are read as others.
    among : frequencies of the names of organisations or places that the prior of these depends on; None if these
        are all rows of their type.
    fitted : what the collection adds to the priors of names.
    """

    def __init__(
        self,
        profiles: Profiles,
        entity_type: str | None,
        counts: NameCounts,
        sizes: NamePrior | None,
        stories: NoStories,
        among: Mapping[str, int] | None = None,
        fitted: NameShifts = NameShifts(),
    ) -> None:
        self._profiles, self._type, self._counts, self._sizes = profiles, entity_type, counts, sizes
        self._stories, self._among, self._fitted = stories, among, fitted
        self._all: OpenNames | None = None
        self._rows = np.arange(len(profiles))

    def part(self, rows: npt.NDArray[np.integer]) -> OpenNames:
        every = self._all or self
        part = OpenNames(
            self._profiles.take(rows), self._type, self._counts, self._sizes, self._stories, self._among, self._fitted
        )
        part._all, part._rows = every, self._rows[rows]
        return part

    @cached_property
    def names(self) -> list[str]:  # type: ignore[override]
        return self._own if self._type else [in_one_spelling(name) for name in self._own]

    @cached_property
    def _own(self) -> list[str]:
        return [name or "" for name in self._profiles.column("name").to_pylist()]

    @cached_property
    def _found(self) -> NamesInTopics:
        return self._stories.names_of(self._rows, self._own)

    @property
    def _named(self) -> Profiles:
        """The profiles by the names as they are read, descriptions without a name."""
        names = zip(self._found.read, self._found.described, strict=True)
        read = pa.array([None if described else name for name, described in names], pa.string())
        at = self._profiles.arrow.schema.get_field_index("name")
        return Profiles(self._profiles.arrow.set_column(at, "name", read))

    @cached_property
    def linked(self) -> Mapping[str, str] | None:  # type: ignore[override]
        types = set(self._profiles.column("type").to_pylist())
        if self._all is not None or self._type in AS_PEOPLE or len(types) > 1:
            return None
        return blocking.linked_names(set(self._named.column("name").to_pylist()) - {None}, self._type or "")

    def components(self, constraints: Constraints) -> list[Rows]:
        return blocking.components(self._named, constraints, self._found.pairs, self.linked)

    def blocks(self, constraints: Constraints) -> list[Rows]:
        return blocking.blocks(self._named, constraints.group)

    def candidates(self, constraints: Constraints) -> Iterable[Pairs]:
        return blocking.candidates(self._named, constraints, self._found.pairs)

    # -- priors ----------------------------------------------------------------------------------------------------

    @cached_property
    def _priors(self) -> Priors:
        return self._make_priors()

    def _make_priors(self, asked: npt.NDArray[np.integer] | None = None) -> Priors:
        """Return the priors; with `asked`, of people those of pairs with these rows alone."""
        if self._type in AS_PEOPLE:
            return Priors(self._found.read, self._type, self._counts, self._sizes, asked, fitted=self._fitted)
        # The prior of an organisation's name depends on the names of the others.
        if self._all is not None:
            return self._all._priors.part(self._rows)
        return Priors(self._found.read, self._type, self._counts, self._sizes, among=self._among, fitted=self._fitted)

    @property
    def usual(self) -> float:
        own = np.repeat(np.arange(len(self._rows), dtype=np.int32), 2).reshape(-1, 2)
        return float(np.median(self._priors.of(own))) if len(own) else 0.0

    def odds(self, pairs: Pairs, few: bool = False) -> Floats:
        priors = self._make_priors(np.unique(pairs[:, 0])) if few else self._priors
        odds = priors.of(pairs)
        met, topic_odds = self._found.pairs, self._found.odds
        if len(met):
            code, asked = _codes(met, len(self._rows)), _codes(pairs, len(self._rows))
            order = np.argsort(code)
            at = order[np.minimum(np.searchsorted(code, asked, sorter=order), len(code) - 1)]
            odds = np.where(code[at] == asked, topic_odds[at], odds)
        return odds

    def all_odds(self) -> Floats:
        odds = self._compared_pairs[0].copy()
        # A description means nothing beyond its topic.
        if self._found.described.any():
            strangers = self._found.described[:, None] | self._found.described[None, :]
            left, right = self._found.pairs.T
            strangers[left, right] = strangers[right, left] = False
            odds[strangers] = -np.inf
        return odds

    @property
    def clashes(self) -> Pairs:
        return self._compared_pairs[1]

    @cached_property
    def _compared_pairs(self) -> tuple[Floats, Pairs]:
        odds, clashes = self._priors.all_pairs()
        met, topic_odds = self._found.pairs, self._found.odds
        left, right = met.T
        odds[left, right] = odds[right, left] = topic_odds
        ruled = ~self._found.described[clashes].any(axis=1)
        n = len(self._rows)
        return odds, clashes[ruled & ~np.isin(_codes(clashes, n), _codes(met, n))]

    def opinions(self, left: Profile, right: Profile) -> list[Opinion]:
        odds, clash = float(self._compared_pairs[0][0, 1]), len(self.clashes) > 0
        reason = f"{' / '.join(map(_read_as, (left.name, right.name), self._own, self._found.read))}: "
        if len(self._found.pairs):
            reason += "described alike in one topic"
        elif self._found.described.any():
            clash, odds, reason = True, 0.0, f"{reason}a description, which means nothing beyond its topic"
        else:
            grade = relate(self._found.read[0], self._found.read[1], self._type)
            known = "two forms of one name" if grade == Grade.CLASH and not clash else f"{grade}"
            reason += f"{known}{', kept apart by rule' if clash else ''}"
            keys = [fitted_key(name, self._type, self._counts) for name in self._found.read]
            own = [self._fitted.names[key] for key in keys if key in self._fitted.names]
            shift = min(own, default=self._fitted.raised if grade == Grade.EQUAL else 0.0)
            if grade >= Grade.VARIANT and round(shift, 1):
                reason += f"; {shift:+.1f} by how {'this name is' if own else 'names are'} used here"
        return [Opinion("names", 0.0 if clash else 1.0, 0.0 if clash else float(expit(odds)), odds, reason)]


def _codes(pairs: Pairs, n: int) -> Rows:
    return pairs.min(axis=1).astype(np.int64) * n + pairs.max(axis=1)


def _read_as(name: str, formed: str, read: str) -> str:
    """Return a name and, if it is compared in another form, that form."""
    if read != formed:
        return f"{name}, as {read} in its topic"
    return name if name == formed else f"{name} (as {formed})"
