"""From the profiles of a block to their Relations, as the learned model has it; the last step before clustering.

With an ensemble the specialists' combined strength; without one what the cosine of contexts, plus what the names say,
is worth in this collection (`context_strength.py`). Either way names that clash are kept apart by a rule, which only a
person's judgement outweighs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from crossdoc.compare.blocking import candidates
from crossdoc.compare.ensemble import Ensemble, Explanation, Opinion
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.name_agreement import agreement, clashes_and_worth
from crossdoc.compare.pairs import all_pairs
from crossdoc.compare.specialists import kernels
from crossdoc.compare.specialists.contexts import sparse_rows
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.model import Profiles, Relations, Vectors

if TYPE_CHECKING:
    from crossdoc.constraints import Constraints

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
        matrix = self._strength(np.clip(self.vectors.cosine(rows) + worth, 0.0, 1.0))
        matrix[clashes[:, 0], clashes[:, 1]] = matrix[clashes[:, 1], clashes[:, 0]] = 0.0
        return Relations.from_dense(matrix), clashes

    def candidate_block(self, rows: npt.NDArray[Any], constraints: Constraints) -> Relations:
        """Strengths of those pairs of a block whose names can be one entity's, for blocks too large for all pairs.

        What is not listed has strength 0, as names that clash have in :meth:`block`, but no rule keeps it apart.
        """
        inside = self.profiles.take(rows)
        parts: list[tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]] = []
        encoded = sparse_rows(self.vectors)
        for pairs in candidates(inside, constraints):
            asked = np.ascontiguousarray(rows[pairs], dtype=np.int32)
            if self.ensemble is not None:
                strength = self.ensemble.strengths(self.profiles, asked)
            else:
                cosine = np.nan_to_num(kernels.sparse_cosine(*encoded, asked), copy=False)
                strength = self._strength(np.clip(cosine + self._worth(inside, pairs), 0.0, 1.0))
            parts.append((pairs, strength))
        if not parts:
            none = np.zeros(0, dtype=np.int32)
            return Relations(len(rows), none, none, none.astype(np.float32))
        left, right = np.concatenate([pairs for pairs, _ in parts]).T
        return Relations(
            len(rows),
            np.ascontiguousarray(left),
            np.ascontiguousarray(right),
            np.concatenate([strength for _, strength in parts]),
        )

    def _worth(self, profiles: Profiles, pairs: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
        """What the names of pairs are worth, each pair of distinct names looked at once."""
        entity_type = profiles.column("type")[0].as_py()
        evidence = self.model.name_evidence.get(entity_type or "person", {})
        if self.one_name or not any(evidence.values()):
            return np.zeros(len(pairs), dtype=np.float32)
        names, code = np.unique([name or "" for name in profiles.column("name").to_pylist()], return_inverse=True)
        asked, where = np.unique(np.sort(code[pairs], axis=1), axis=0, return_inverse=True)
        worth = [evidence.get(agreement(str(names[a]), str(names[b]), entity_type), 0.0) for a, b in asked]
        return np.array(worth, dtype=np.float32)[where]

    def clashes(self, rows: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
        """The pairs of a block whose names clash."""
        return self._names(rows)[1]

    def _strength(self, cosine: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        return cosine if self.model.contexts is None else self.model.contexts(cosine)

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
        cosine = self.vectors.cosine(np.array([a, b]))[:1, 1]
        alone = float(self._strength(cosine)[0])
        opinions = [Opinion("contexts", float(cosine[0]), alone, alone, self._shared_words(a, b))]
        if not self.one_name:
            worth = float(relations.strength[0]) - alone
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
