"""Classes of words by the cues next to them, and the shares of cues that are estimated on a collection."""

import numpy as np
import pytest

from crossdoc.extract.word_types import CONCENTRATION, SHIPPED, class_odds, estimate_shares


def test_odds_rise_with_the_share_of_cues_and_with_the_number_of_names() -> None:
    assert class_odds((0, 0, 0), SHIPPED) == pytest.approx((0, 0))
    odds = [class_odds((100 - cued, cued, 0), SHIPPED)[0] for cued in (1, 10, 20, 50)]
    assert odds == sorted(odds)
    assert odds[0] < 0 < odds[2]
    assert class_odds((8, 2, 0), SHIPPED)[0] < class_odds((80, 20, 0), SHIPPED)[0]


def test_words_after_in_and_the_are_things() -> None:
    person, thing = class_odds((60, 2, 38), SHIPPED)
    assert person < 0 < thing


def test_shares_are_estimated_on_the_collection_and_shrunk_towards_the_shipped_ones() -> None:
    rng = np.random.default_rng(0)
    true = np.array([[0.2, 0.75, 0.05], [0.5, 0.02, 0.48], [0.97, 0.01, 0.02]])
    words = np.concatenate(
        [
            [rng.multinomial(30, rng.dirichlet(own * size)) for _ in range(400)]
            for own, size in zip(true, CONCENTRATION, strict=True)
        ]
    )
    found = estimate_shares(words)
    assert np.abs(found - true).max() < np.abs(SHIPPED - true).max() / 2
    assert found.sum(axis=1) == pytest.approx(1)
    assert np.array_equal(estimate_shares(words[:0]), SHIPPED)
