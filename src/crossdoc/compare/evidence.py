"""Profiles of one type → Evidence: what the learned model has to say of them, on demand.

With an ensemble the specialists' combined strength; without one what the cosine of contexts, plus what the names say,
is worth in this collection (`context_strength.py`). Either way names that clash are kept apart by a rule, which only a
person's judgement outweighs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from crossdoc.compare import blocking
from crossdoc.compare.ensemble import Ensemble, Explanation, Opinion
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.name_agreement import NamesOfRows, agreement
from crossdoc.compare.pairs import Pairs, all_pairs
from crossdoc.compare.specialists import kernels
from crossdoc.compare.specialists.contexts import sparse_rows
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.constraints import Constraints
from crossdoc.model import Profiles, Relations, Vectors
from crossdoc.names import agreeing_names, fold

CLASH_WEIGHT = 1000.0
"""The soft weight with which clashing names are kept apart: more than any number of similar contexts can outweigh, less
than a person's judgement."""
NO_PAIRS: Pairs = np.zeros((0, 2), dtype=np.int32)
Floats = npt.NDArray[np.float32]


class _Compared:
    """What all parts of the evidence share: the profiles, their vectors, and the specialists that compare them."""

    def __init__(self, model: LearnedModel, vectoriser: ContextVectoriser, profiles: Profiles, one_name: bool) -> None:
        self.model = model
        self.profiles = profiles
        self.one_name = one_name
        self.vectors: Vectors = vectoriser.transform(profiles)
        self.names = [name or "" for name in profiles.column("name").to_pylist()]
        self.types: list[str | None] = profiles.column("type").to_pylist()
        self.ensemble: Ensemble | None = None
        if model.ensemble is not None:
            from crossdoc.compare.specialists import Embeddings, all_specialists

            embed = Embeddings.name in model.ensemble.specialists
            self.ensemble = Ensemble.from_file(model.ensemble, all_specialists(vectoriser, embed=embed))
            # Once, and before several threads ask.
            self.ensemble.scores(profiles, NO_PAIRS)

    def strength(self, cosine: Floats) -> Floats:
        return cosine if self.model.contexts is None else self.model.contexts(cosine)

    def worth(self, entity_type: str | None) -> dict[str, float]:
        """How much cosine each kind of agreement of names is worth."""
        return {} if self.one_name else self.model.name_evidence.get(entity_type or "person", {})


class ProfileEvidence:
    """All that there is to know about the profiles of one type, for clusterers: see :class:`crossdoc.model.Evidence`.

    `one_name` says that all of them answer to one asked-for name, which then is no evidence.
    """

    def __init__(
        self,
        model: LearnedModel,
        vectoriser: ContextVectoriser,
        profiles: Profiles,
        constraints: Constraints | None = None,
        *,
        one_name: bool = False,
    ) -> None:
        self._compared = _Compared(model, vectoriser, profiles, one_name)
        self._rows = np.arange(len(profiles))
        self._whole = True
        self.constraints = constraints or Constraints.none(len(profiles))

    def part(self, rows: npt.NDArray[Any]) -> ProfileEvidence:
        """The same of some of the rows."""
        part = object.__new__(ProfileEvidence)
        part._compared = self._compared
        part._rows = self._rows[rows]
        part._whole = False
        # The judgements behind must-links are for reporting contradictions, which is done before anything is compared.
        part.constraints = replace(self.constraints, must=()).restrict(rows)
        return part

    def __len__(self) -> int:
        return len(self._rows)

    @cached_property
    def profiles(self) -> Profiles:
        compared = self._compared.profiles
        return compared if self._whole else compared.take(self._rows)

    @property
    def ids(self) -> npt.NDArray[np.object_]:
        return self._compared.profiles.ids[self._rows]

    @property
    def entity_type(self) -> str | None:
        return self._compared.types[self._rows[0]] if len(self) else None

    @property
    def names(self) -> list[str] | None:
        return None if self._compared.one_name else [self._compared.names[row] for row in self._rows]

    @cached_property
    def vectors(self) -> Vectors:
        whole = self._compared.vectors
        return whole if self._whole else Vectors(whole.matrix[self._rows], whole.features)

    @property
    def even(self) -> float | None:
        contexts = self._compared.model.contexts
        return None if contexts is None or not self.entity_type else contexts.even

    @property
    def same_name(self) -> float:
        return self._compared.worth(self.entity_type).get("same", 0.0)

    # -- who meets whom --------------------------------------------------------------------------------------------

    def components(self) -> list[npt.NDArray[np.int64]]:
        if self._compared.one_name:
            return [np.arange(len(self))]
        return blocking.components(self.profiles, self.constraints)

    def blocks(self) -> list[npt.NDArray[np.int64]]:
        if self._compared.one_name:
            return [np.arange(len(self))]
        return blocking.blocks(self.profiles, self.constraints.group)

    def same_spelling(self) -> list[str]:
        return [fold(self._compared.names[row]) for row in self._rows]

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
        worth, clashes = self._names
        matrix = compared.strength(np.clip(self.vectors.cosine() + worth, 0.0, 1.0))
        matrix[clashes[:, 0], clashes[:, 1]] = matrix[clashes[:, 1], clashes[:, 0]] = 0.0
        return Relations.from_dense(matrix)

    def candidates(self) -> Relations:
        """The strengths of those pairs whose names can be one entity's.

        What is not listed has strength 0, as names that clash have in :meth:`relations`, but no rule keeps it apart.
        """
        parts: list[tuple[Pairs, Floats]] = [(NO_PAIRS, np.zeros(0, dtype=np.float32))]
        encoded = sparse_rows(self._compared.vectors)
        for pairs in blocking.candidates(self.profiles, self.constraints):
            parts.append((pairs, self._strengths(pairs, encoded)))
        left, right = np.concatenate([pairs for pairs, _ in parts]).T
        strength = np.concatenate([strength for _, strength in parts])
        return Relations(len(self), np.ascontiguousarray(left), np.ascontiguousarray(right), strength)

    def _strengths(self, pairs: Pairs, encoded: Any) -> Floats:
        compared = self._compared
        asked = np.ascontiguousarray(self._rows[pairs], dtype=np.int32)
        if compared.ensemble is not None:
            return compared.ensemble.strengths(compared.profiles, asked)
        cosine = np.nan_to_num(kernels.sparse_cosine(*encoded, asked), copy=False)
        return compared.strength(np.clip(cosine + self._worth(pairs), 0.0, 1.0))

    def _worth(self, pairs: Pairs) -> Floats:
        """What the names of pairs are worth, each pair of distinct names looked at once."""
        if not any(self._compared.worth(self.entity_type).values()):
            return np.zeros(len(pairs), dtype=np.float32)
        return self._names_of_rows.worth(pairs)

    @cached_property
    def _names_of_rows(self) -> NamesOfRows:
        names = [self._compared.names[row] for row in self._rows]
        return NamesOfRows(names, self.entity_type, self._compared.worth(self.entity_type))

    @cached_property
    def _names(self) -> tuple[Floats, Pairs]:
        """What the names of all pairs are worth, and the pairs whose names clash."""
        if self._compared.one_name:
            return np.zeros((len(self), len(self)), dtype=np.float32), NO_PAIRS
        return self._names_of_rows.all_pairs()

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
            told = compared.ensemble.explain(compared.profiles, int(self._rows[a]), int(self._rows[b]))
            if not clash:
                return told
            # The rule keeps them apart whatever the strength, so whoever asks why has to hear of it.
            rule = Opinion("names", 0.0, 0.0, 0.0, f"{left.name} / {right.name}: clash, kept apart by rule")
            return Explanation(told.strength, (rule, *told.opinions))
        strength = float(pair.relations().strength[0])
        cosine = pair.vectors.cosine()[:1, 1]
        alone = float(compared.strength(cosine)[0])
        opinions = [Opinion("contexts", float(cosine[0]), alone, alone, self._shared_words(a, b))]
        if not compared.one_name:
            kind = agreement(left.name, right.name, left.type)
            score = 0.0 if clash else 1.0
            opinions.append(Opinion("names", score, score, strength - alone, f"{left.name} / {right.name}: {kind}"))
        return Explanation(strength, tuple(opinions))

    def _shared_words(self, a: int, b: int, most: int = 8) -> str:
        """The words that make the two contexts similar, heaviest first."""
        if self.vectors.features is None:
            return ""
        shared = self.vectors.matrix[a].multiply(self.vectors.matrix[b]).tocsr()
        heaviest = np.argsort(-shared.data, kind="stable")[:most]
        return ", ".join(self.vectors.features[shared.indices[heaviest]])
