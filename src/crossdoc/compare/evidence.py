"""Profiles of one type → Evidence: what the learned model has to say of them, on demand.

With an ensemble the specialists' combined strength; without one the log odds of the names (`name_prior.py`), of each
field (`fields.py`, `curve.py`) and of what is stated (`facts.py`), added up. Either way names that clash are kept apart
by a rule, which only a person's judgement outweighs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from scipy import sparse
from scipy.special import expit

from crossdoc.compare import blocking
from crossdoc.compare.across import Languages, differ, never_against
from crossdoc.compare.curve import Curve
from crossdoc.compare.ensemble import Ensemble, Explanation, Opinion
from crossdoc.compare.facts import StatedFacts
from crossdoc.compare.fields import CONTEXT, DOCUMENT, rows_of
from crossdoc.compare.in_topics import AS_PEOPLE, Readings
from crossdoc.compare.kept import Kept
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.name_prior import NameCounts, Priors, asked_priors
from crossdoc.compare.pairs import Pairs, all_pairs
from crossdoc.compare.specialists import kernels
from crossdoc.compare.specialists.contexts import sparse_rows
from crossdoc.compare.stories import Stories
from crossdoc.compare.story_evidence import StoryEvidence
from crossdoc.compare.vectors import ContextVectoriser, Texts
from crossdoc.constraints import Constraints
from crossdoc.model import Profile, Profiles, Relations, Vectors
from crossdoc.names import Grade, agreeing_names, fold, in_one_spelling, relate

MOST_OF_A_STORY = 4
"""Words that are shown of what two documents share."""
CLASH_WEIGHT = 1000.0
"""The soft weight with which clashing names are kept apart: more than any number of similar contexts can outweigh, less
than a person's judgement."""
NO_PAIRS: Pairs = np.zeros((0, 2), dtype=np.int32)
Floats = npt.NDArray[np.float32]


class _Compared:
    """What all parts of the evidence share: the profiles, their rows in each field, and what compares them."""

    def __init__(
        self,
        model: LearnedModel,
        vectoriser: ContextVectoriser,
        profiles: Profiles,
        one_name: bool,
        texts: Texts | None,
        languages: Languages,
        kept: Kept | None,
        stories: Callable[[], Stories] | None,
        story_evidence: StoryEvidence | None,
    ) -> None:
        self.model = model
        self.languages = languages.of(profiles) if languages.several else None
        self.profiles = profiles = profiles if one_name else languages.named(profiles)
        self.one_name = one_name
        self.vectors: Vectors = vectoriser.transform(profiles)
        self.names = [name or "" for name in profiles.column("name").to_pylist()]
        self.types: list[str | None] = profiles.column("type").to_pylist()
        self.ensemble: Ensemble | None = None
        self.fields: dict[str, Vectors] = {}
        self.counts = NameCounts(()) if one_name else NameCounts.of(profiles) if kept is None else kept.names
        asked_for = self.names if kept is None or not kept.asked else [kept.asked] * len(profiles)
        silent = np.zeros(len(profiles), dtype=np.float32)
        self.asked = asked_priors(asked_for, model.names) if one_name and model.names else silent
        """What each row's asked-for name is worth."""
        self._priors: dict[str | None, Priors] = {}
        self._stories = stories
        self._given = story_evidence
        self._in_topics = None if kept is None else kept.in_topics
        self._among = None if kept is None else kept.among
        # Where contexts stand for documents, they have said already what a story would say.
        self._story = None if texts is None else model.fields.get(DOCUMENT)
        if model.ensemble is not None:
            from crossdoc.compare.specialists import Embeddings, all_specialists

            embed = Embeddings.name in model.ensemble.specialists
            self.ensemble = Ensemble.from_file(model.ensemble, all_specialists(vectoriser, embed=embed))
            # Once, and before several threads ask.
            self.ensemble.scores(profiles, NO_PAIRS)
            return
        for field in model.fields:
            # In an open collection the name says more than the topic does, and whole documents cost accuracy.
            if field == DOCUMENT and not one_name:
                continue
            usual = None if kept is None else kept.related
            rows = self.vectors if field == CONTEXT else rows_of(field, profiles, vectoriser, texts, usual)
            if rows.matrix.nnz or field == CONTEXT:
                self.fields[field] = rows
        self.facts = StatedFacts(model.facts, profiles)

    @cached_property
    def story_evidence(self) -> StoryEvidence | None:
        """What the documents of an open collection say, found when strengths are first asked for."""
        sizes = self.model.topics
        if self._given is not None:
            return self._given
        if self._stories is None or sizes is None or self.ensemble is not None or self.one_name:
            return None
        return StoryEvidence(self._stories(), self.profiles, sizes, self._story, self._in_topics)

    @property
    def read_names(self) -> list[str]:
        return self.names if self.story_evidence is None else self.story_evidence.in_topics.names

    def priors(self, entity_type: str | None) -> Priors:
        """What the names of organisations or places are worth, each of which tells what another is short for."""
        if entity_type not in self._priors:
            self._priors[entity_type] = Priors(
                self.read_names, entity_type, self.counts, self.model.names, among=self._among
            )
        return self._priors[entity_type]


class ProfileEvidence:
    """All that there is to know about the profiles of one type, for clusterers: see :class:`crossdoc.model.Evidence`.

    `one_name` says that all of them answer to one asked-for name; `kept` is what is known of the whole collection where
    these are some of its profiles; `stories` finds what the documents have in common, where it is asked for, and
    `story_evidence` is what was found already.
    """

    def __init__(
        self,
        model: LearnedModel,
        vectoriser: ContextVectoriser,
        profiles: Profiles,
        constraints: Constraints | None = None,
        *,
        one_name: bool = False,
        texts: Texts | None = None,
        kept: Kept | None = None,
        languages: Languages | None = None,
        stories: Callable[[], Stories] | None = None,
        story_evidence: StoryEvidence | None = None,
    ) -> None:
        spoken = languages or Languages(profiles)
        self._compared = _Compared(model, vectoriser, profiles, one_name, texts, spoken, kept, stories, story_evidence)
        self._shown = profiles
        self._rows = np.arange(len(profiles))
        self._whole = True
        self.constraints = constraints or Constraints.none(len(profiles))

    def part(self, rows: npt.NDArray[Any]) -> ProfileEvidence:
        """The same of some of the rows."""
        part = object.__new__(ProfileEvidence)
        part._compared = self._compared
        part._shown = self._shown
        part._rows = self._rows[rows]
        part._whole = False
        # The judgements behind must-links are for reporting contradictions, which is done before anything is compared.
        part.constraints = replace(self.constraints, must=()).restrict(rows)
        return part

    def __len__(self) -> int:
        return len(self._rows)

    @cached_property
    def profiles(self) -> Profiles:
        return self._shown if self._whole else self._shown.take(self._rows)

    @property
    def _named(self) -> Profiles:
        """The profiles by the names as which they are compared, descriptions without any."""
        compared = self._compared.profiles if self._whole else self._compared.profiles.take(self._rows)
        if self._compared.story_evidence is None:
            return compared
        names, described = self._story_evidence.in_topics.names, self._story_evidence.in_topics.described
        read = pa.array([None if described[row] else names[row] for row in self._rows.tolist()], pa.string())
        return Profiles(compared.arrow.set_column(compared.arrow.schema.get_field_index("name"), "name", read))

    @property
    def ids(self) -> npt.NDArray[np.object_]:
        return self._compared.profiles.ids[self._rows]

    @property
    def readings(self) -> Readings | None:
        """As what names are read in topics; None where nobody has asked for it."""
        found = vars(self._compared).get("story_evidence")
        return None if found is None else found.in_topics.readings

    @property
    def entity_type(self) -> str | None:
        return self._compared.types[self._rows[0]] if len(self) else None

    @property
    def names(self) -> list[str] | None:
        if self._compared.one_name:
            return None
        names = [self._compared.names[row] for row in self._rows]
        return names if self.entity_type else [in_one_spelling(name) for name in names]

    @cached_property
    def vectors(self) -> Vectors:
        whole = self._compared.vectors
        return whole if self._whole else Vectors(whole.matrix[self._rows], whole.features)

    @property
    def even(self) -> float | None:
        if self._compared.ensemble is not None or not self.entity_type:
            return None
        return self._context.cosine_at(0.0)

    @property
    def same_name(self) -> float:
        """What the usual name of the rows is worth, as cosine."""
        if self.even is None or self._compared.one_name or not len(self):
            return 0.0
        rows = np.repeat(np.arange(len(self), dtype=np.int32), 2).reshape(-1, 2)
        usual = float(np.median(self._priors.of(rows)))
        return self.even - self._context.cosine_at(-usual)

    @property
    def _context(self) -> Curve:
        return self._compared.model.fields[CONTEXT]

    # -- who meets whom --------------------------------------------------------------------------------------------

    def components(self) -> list[npt.NDArray[np.int64]]:
        if self._compared.one_name:
            return [np.arange(len(self))]
        return blocking.components(self._named, self.constraints, self._in_topics[0], self.linked)

    @cached_property
    def linked(self) -> dict[str, str] | None:
        """Which names of organisations or places are connected, where these are all profiles of such a type."""
        if not self._whole or self.entity_type in AS_PEOPLE or len(set(self._compared.types)) > 1:
            return None
        return blocking.linked_names(set(self._named.column("name").to_pylist()) - {None}, self.entity_type or "")

    def blocks(self) -> list[npt.NDArray[np.int64]]:
        if self._compared.one_name:
            return [np.arange(len(self))]
        return blocking.blocks(self._named, self.constraints.group)

    def same_spelling(self) -> list[str]:
        return [fold(name or "") for name in self.profiles.column("name").to_pylist()]

    def agreeing(self, names: Sequence[str]) -> npt.NDArray[np.int64]:
        return agreeing_names(names, self.entity_type)

    # -- how strongly ----------------------------------------------------------------------------------------------

    def relations(self) -> Relations:
        """The strengths of all pairs; names that clash have 0."""
        compared, n = self._compared, len(self)
        if compared.ensemble is not None:
            pairs = all_pairs([np.arange(n)])
            strength = compared.ensemble.strengths(compared.profiles, self._rows[pairs].astype(np.int32))
            left, right = np.ascontiguousarray(pairs.T)
            return Relations(n, left, right, strength, compared.ensemble.default_strength)
        odds, clashes = self._names
        odds = odds.copy()
        if compared.story_evidence is not None:
            odds[self._strangers] = -np.inf
            odds += compared.story_evidence.of_all(self._rows)
        for field, rows in compared.fields.items():
            odds += self._field_odds(field, rows.matrix[self._rows])
        compared.facts.add_all(odds, self._rows)
        matrix = expit(odds, out=odds)
        matrix[clashes[:, 0], clashes[:, 1]] = matrix[clashes[:, 1], clashes[:, 0]] = 0.0
        return Relations.from_dense(matrix)

    def _field_odds(self, field: str, matrix: sparse.csr_matrix) -> Floats:
        """What a field says of all pairs; nothing where either has nothing in it."""
        odds = self._compared.model.fields[field](Vectors(matrix).cosine())
        if field == CONTEXT and (language := self._compared.languages) is not None:
            own = language[self._rows]
            return never_against(odds, differ(own[:, None], own[None, :]))
        silent = np.diff(matrix.indptr) == 0
        if field != CONTEXT:
            odds[silent] = 0.0
            odds[:, silent] = 0.0
        return odds

    def candidates(self) -> Relations:
        """The strengths of those pairs whose names can be one entity's.

        What is not listed has strength 0, as names that clash have in :meth:`relations`, but no rule keeps it apart.
        """
        parts: list[tuple[Pairs, Floats]] = [(NO_PAIRS, np.zeros(0, dtype=np.float32))]
        encoded = {field: sparse_rows(rows) for field, rows in self._compared.fields.items()}
        for pairs in blocking.candidates(self._named, self.constraints, self._in_topics[0]):
            parts.append((pairs, self._strengths(pairs, encoded)))
        left, right = np.concatenate([pairs for pairs, _ in parts]).T
        strength = np.concatenate([strength for _, strength in parts])
        return Relations(len(self), np.ascontiguousarray(left), np.ascontiguousarray(right), strength)

    def strengths(self, pairs: Pairs) -> Floats:
        """The strengths of some pairs of rows, whose names can be one entity's; few rows come first in them."""
        encoded = {field: sparse_rows(rows) for field, rows in self._compared.fields.items()}
        return self._strengths(pairs, encoded, self._priors_of(np.unique(pairs[:, 0])))

    def _strengths(self, pairs: Pairs, encoded: Mapping[str, Any], priors: Priors | None = None) -> Floats:
        compared = self._compared
        asked = np.ascontiguousarray(self._rows[pairs], dtype=np.int32)
        if compared.ensemble is not None:
            return compared.ensemble.strengths(compared.profiles, asked)
        odds = compared.asked[asked].min(axis=1) if compared.one_name else self._prior_odds(pairs, priors)
        for field, rows in encoded.items():
            cosine = kernels.sparse_cosine(*rows, asked)
            field_odds = compared.model.fields[field](np.nan_to_num(cosine))
            if field == CONTEXT and compared.languages is not None:
                field_odds = never_against(field_odds, differ(*compared.languages[asked].T))
            odds += field_odds if field == CONTEXT else np.where(np.isnan(cosine), np.float32(0.0), field_odds)
        odds += compared.facts.of(asked)
        if compared.story_evidence is not None:
            odds += compared.story_evidence.of(asked)
        return expit(odds, out=odds)

    @cached_property
    def _priors(self) -> Priors:
        return self._priors_of()

    def _priors_of(self, asked: npt.NDArray[Any] | None = None) -> Priors:
        """What names are worth; at least those of rows that are `asked` for, beside any."""
        if self.entity_type not in AS_PEOPLE:
            return self._compared.priors(self.entity_type).part(self._rows)
        read = self._compared.read_names
        names = [read[row] for row in self._rows.tolist()]
        return Priors(names, self.entity_type, self._compared.counts, self._compared.model.names, asked)

    def _prior_odds(self, pairs: Pairs, priors: Priors | None = None) -> Floats:
        """What the names of pairs are worth, or their topic where that is what brings them together."""
        odds = (self._priors if priors is None else priors).of(pairs)
        met, worth = self._in_topics
        if len(met):
            code, asked = _codes(met, len(self)), _codes(pairs, len(self))
            order = np.argsort(code)
            at = order[np.minimum(np.searchsorted(code, asked, sorter=order), len(code) - 1)]
            odds = np.where(code[at] == asked, worth[at], odds)
        return odds

    @cached_property
    def _names(self) -> tuple[Floats, Pairs]:
        """The priors of all pairs, and the pairs whose names clash."""
        if self._compared.one_name:
            asked = self._compared.asked[self._rows]
            return np.minimum(asked[:, None], asked[None, :]), NO_PAIRS
        odds, clashes = self._priors.all_pairs()
        if self._compared.story_evidence is None:
            return odds, clashes
        met, worth = self._in_topics
        left, right = met.T
        odds[left, right] = odds[right, left] = worth
        ruled = ~self._story_evidence.in_topics.described[self._rows][clashes].any(axis=1)
        return odds, clashes[ruled & ~np.isin(_codes(clashes, len(self)), _codes(met, len(self)))]

    @property
    def _strangers(self) -> npt.NDArray[np.bool_]:
        """Which pairs no topic brings together, and one is a description: nothing says that they are one."""
        described = self._story_evidence.in_topics.described[self._rows]
        strangers = described[:, None] | described[None, :]
        left, right = self._in_topics[0].T
        strangers[left, right] = strangers[right, left] = False
        return strangers

    @property
    def _story_evidence(self) -> StoryEvidence:
        assert self._compared.story_evidence is not None
        return self._compared.story_evidence

    @cached_property
    def _in_topics(self) -> tuple[Pairs, Floats]:
        """The pairs that their topic brings together, whatever their names, and what that is worth."""
        if self._compared.story_evidence is None:
            return NO_PAIRS, np.zeros(0, dtype=np.float32)
        return self._story_evidence.in_topics.among(self._rows)

    @property
    def limits(self) -> Constraints:
        return self.constraints.with_soft(self._names[1], -CLASH_WEIGHT)

    # -- why -------------------------------------------------------------------------------------------------------

    def explain(self, a: int, b: int) -> Explanation:
        """Why two profiles are as strongly related as they are."""
        compared, pair = self._compared, self.part(np.array([a, b]))
        left, right = self.profiles[a], self.profiles[b]
        clash = len(pair._names[1]) > 0
        if compared.ensemble is not None:
            explained = compared.ensemble.explain(compared.profiles, int(self._rows[a]), int(self._rows[b]))
            if not clash:
                return explained
            # The rule keeps them apart whatever the strength, so whoever asks why has to hear of it.
            rule = Opinion("names", 0.0, 0.0, 0.0, f"{left.name} / {right.name}: clash, kept apart by rule")
            return Explanation(explained.strength, (rule, *explained.opinions))
        silent = compared.one_name and not compared.asked[pair._rows].any()
        opinions = [] if silent else [self._name_opinion(left, right, pair, clash)]
        for field, rows in compared.fields.items():
            both = rows.matrix[pair._rows]
            if field == CONTEXT or np.diff(both.indptr).all():
                cosine, odds = Vectors(both).cosine()[0, 1], pair._field_odds(field, both)[0, 1]
                shared = _shared(both, rows.features)
                opinions.append(Opinion(field, float(cosine), float(expit(odds)), float(odds), shared))
        for name, score, odds, words in compared.facts.opinions(int(self._rows[a]), int(self._rows[b]), left, right):
            opinions.append(Opinion(name, score, float(expit(odds)), odds, words))
        opinions += self._document_opinion(pair)
        opinions.sort(key=lambda opinion: -abs(opinion.weight))
        return Explanation(float(pair.relations().strength[0]), tuple(opinions))

    def _name_opinion(self, left: Profile, right: Profile, pair: ProfileEvidence, clash: bool) -> Opinion:
        odds = float(pair._names[0][0, 1])
        if self._compared.one_name:
            return Opinion("name", 1.0, float(expit(odds)), odds, "as common as the name is among people")
        names = [self._compared.read_names[row] for row in pair._rows]
        formed = [self._compared.names[row] for row in pair._rows]
        read = map(_read_as, (left.name, right.name), formed, names)
        reason = f"{' / '.join(read)}: "
        if len(pair._in_topics[0]):
            reason += "described alike in one topic"
        elif self._compared.story_evidence is not None and self._story_evidence.in_topics.described[pair._rows].any():
            clash, odds, reason = True, 0.0, f"{reason}a description, which means nothing beyond its topic"
        else:
            grade = relate(names[0], names[1], left.type)
            known = "two forms of one name" if grade == Grade.CLASH and not clash else f"{grade}"
            reason += f"{known}{', kept apart by rule' if clash else ''}"
        return Opinion("names", 0.0 if clash else 1.0, 0.0 if clash else float(expit(odds)), odds, reason)

    def _document_opinion(self, pair: ProfileEvidence) -> list[Opinion]:
        """What an open collection's documents say: nothing of names that differ."""
        if self._compared.story_evidence is None or not (
            odds := float(self._story_evidence.of(pair._rows[None, :].astype(np.int32))[0])
        ):
            return []
        both = self._story_evidence.rows.matrix[pair._rows]
        topics = self._story_evidence.topic[pair._rows]
        words = _shared(both, self._story_evidence.rows.features, MOST_OF_A_STORY)
        shared = f"{'one topic' if topics[0] == topics[1] else 'two topics'}: {words}"
        return [Opinion(DOCUMENT, float(Vectors(both).cosine()[0, 1]), float(expit(odds)), odds, shared)]


def _codes(pairs: Pairs, n: int) -> npt.NDArray[np.int64]:
    return pairs.min(axis=1).astype(np.int64) * n + pairs.max(axis=1)


def _read_as(name: str, formed: str, read: str) -> str:
    """A name, and as which it is compared where that is another."""
    if read != formed:
        return f"{name}, as {read} in its topic"
    return name if name == formed else f"{name} (as {formed})"


def _shared(rows: sparse.csr_matrix, features: npt.NDArray[np.object_] | None, most: int = 8) -> str:
    """What makes two rows alike, heaviest first."""
    if features is None:
        return ""
    shared = rows[0].multiply(rows[1]).tocsr()
    return ", ".join(features[shared.indices[np.argsort(-shared.data, kind="stable")[:most]]])
