"""From the profiles of a block to their Relations, as the learned model has it; the last step before clustering.

With an ensemble the specialists' combined strength; without one the cosine of contexts plus what the names say. Either
way names that clash are kept apart by a rule, which only a person's judgement outweighs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from crossdoc.compare.ensemble import Ensemble, Explanation, Opinion
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.name_agreement import agreement, clashes_and_worth
from crossdoc.compare.pairs import all_pairs
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.model import Profiles, Relations, Vectors

CLASH_WEIGHT = 1000.0
"""The soft weight with which clashing names are kept apart: more than any number of similar contexts can outweigh, less
than a person's judgement."""


class Comparer:
    """Compares the profiles of one type.

    `one_name` says that all of them answer to one asked-for name, which then is no evidence.
    """

    def __init__(
        self, model: LearnedModel, vectoriser: ContextVectoriser, profiles: Profiles, *, one_name: bool = False
    ) -> None:
        self.model = model
        self.profiles = profiles
        self.one_name = one_name
        self.vectors: Vectors = vectoriser.transform(profiles)
        self.ensemble: Ensemble | None = None
        if model.ensemble is not None:
            from crossdoc.compare.specialists import Embeddings, all_specialists

            embed = Embeddings.name in model.ensemble.specialists
            self.ensemble = Ensemble.from_file(model.ensemble, all_specialists(vectoriser, embed=embed))

    def block(self, rows: npt.NDArray[Any]) -> tuple[Relations, npt.NDArray[np.int32]]:
        """Strengths of all pairs of a block (rows numbered within it), and the pairs whose names clash."""
        worth, clashes = self._names(rows)
        if self.ensemble is not None:
            pairs = all_pairs([np.arange(len(rows))])
            strength = self.ensemble.strengths(self.profiles, rows[pairs].astype(np.int32))
            left, right = np.ascontiguousarray(pairs.T)
            return Relations(len(rows), left, right, strength, self.ensemble.default_strength), clashes
        matrix = np.clip(self.vectors.cosine(rows) + worth, 0.0, 1.0)
        matrix[clashes[:, 0], clashes[:, 1]] = matrix[clashes[:, 1], clashes[:, 0]] = 0.0
        return Relations.from_dense(matrix), clashes

    def _names(self, rows: npt.NDArray[Any]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int32]]:
        if self.one_name:
            return np.zeros((len(rows), len(rows)), dtype=np.float32), np.zeros((0, 2), dtype=np.int32)
        return clashes_and_worth(self.profiles.take(rows), self.model.name_evidence)

    def explain(self, a: int, b: int) -> Explanation:
        """Why two profiles are as strongly related as they are."""
        left, right = self.profiles[a], self.profiles[b]
        if self.ensemble is not None:
            told = self.ensemble.explain(self.profiles, a, b)
            if not len(self._names(np.array([a, b]))[1]):
                return told
            # The rule keeps them apart whatever the strength, so whoever asks why has to hear of it.
            rule = Opinion("names", 0.0, 0.0, 0.0, f"{left.name} / {right.name}: clash, kept apart by rule")
            return Explanation(told.strength, (rule, *told.opinions))
        relations, clashes = self.block(np.array([a, b]))
        cosine = float(self.vectors.cosine(np.array([a, b]))[0, 1])
        opinions = [Opinion("contexts", cosine, cosine, cosine, self._shared_words(a, b))]
        if not self.one_name:
            worth = float(relations.strength[0]) - cosine
            kind = agreement(left.name, right.name, left.type)
            score = 0.0 if len(clashes) else 1.0
            opinions.append(Opinion("names", score, score, worth, f"{left.name} / {right.name}: {kind}"))
        return Explanation(float(relations.strength[0]), tuple(opinions))

    def _shared_words(self, a: int, b: int, most: int = 8) -> str:
        """The words that make the two contexts similar, heaviest first."""
        if self.vectors.features is None:
            return ""
        shared = self.vectors.matrix[a].multiply(self.vectors.matrix[b]).tocsr()
        heaviest = np.argsort(-shared.data, kind="stable")[:most]
        return ", ".join(self.vectors.features[shared.indices[heaviest]])
