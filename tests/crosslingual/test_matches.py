"""Best matches in other languages."""

import numpy as np
import pytest

from crossdoc.crosslingual.matches import BestMatches

from .common import relations


def test_best_matches():
    language = np.array([0, 0, 1, 1, 2], dtype=np.int32)
    matrix = np.zeros((5, 5))
    for a, b, value in [(0, 2, 0.9), (0, 3, 0.5), (1, 2, 0.6), (0, 4, 0.3), (2, 4, 0.2), (1, 4, 0.8)]:
        matrix[a, b] = matrix[b, a] = value
    best = BestMatches.from_relations(relations(matrix, language), language)
    assert best.match.tolist() == [[-1, 2, 4], [-1, 2, 4], [0, -1, 4], [0, -1, -1], [1, 2, -1]]
    assert best.first[0].tolist() == pytest.approx([0, 0.9, 0.3])
    assert best.second[0].tolist() == pytest.approx([0, 0.5, 0])
    # 0–2, 1–4 and 2–4 are mutual. 1–4 agree on 2, 2–4 do not on language 0, and nothing is near enough to 0–2.
    similarity, agreement = best.agreement()
    assert sorted(zip(similarity.round(6).tolist(), agreement.tolist(), strict=True)) == [(0.2, 0), (0.8, 1)]
