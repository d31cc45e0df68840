"""Evidence from a trained ensemble of specialists in place of a sum of log odds.

Specialists look at all profiles of a type to know what is usual, so that evidence about some profiles is a part of
the evidence about all of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from crossdoc.compare.ensemble import Ensemble, Explanation, Opinion
from crossdoc.compare.evidence import ProfileEvidence
from crossdoc.compare.name_evidence import NO_PAIRS
from crossdoc.compare.pairs import Pairs, all_pairs
from crossdoc.model import Profiles, Relations

Floats = npt.NDArray[np.float32]


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

    def part(self, rows: npt.NDArray[Any]) -> EnsembleEvidence:
        part = super().part(rows)
        part._ensemble, part._compared = self._ensemble, self._compared
        return part

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
