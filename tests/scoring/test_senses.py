import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossdoc import errors
from crossdoc.scoring.senses import map_senses


def most_right(labels, senses):
    """The best mapping by trying all."""
    clusters, names = sorted(set(labels)), sorted(set(senses))
    slots = [*names, *[None] * len(clusters)]
    return max(
        sum(mapped[clusters.index(label)] == sense for label, sense in zip(labels, senses, strict=True))
        for mapped in itertools.permutations(slots, len(clusters))
    )


@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from("abc")), min_size=1, max_size=12))
def test_the_mapping_is_the_best_of_all(pairs):
    labels, senses = zip(*pairs, strict=True)
    found = map_senses(np.array(labels), senses)
    assert found.right == most_right(labels, senses)
    assert found.confusion.sum() == len(pairs)
    assert found.recall == pytest.approx(found.right / len(pairs))
    assert found.precision >= found.recall
    assert found.majority == max(senses.count(sense) for sense in senses) / len(senses)


def test_one_cluster_reaches_the_majority_and_unknown_senses_are_left_out():
    found = map_senses(np.zeros(4, dtype=int), ["a", "a", "b", None])
    assert (found.recall, found.majority) == (2 / 3, 2 / 3)
    with pytest.raises(errors.ScoreError, match="sense"):
        map_senses(np.zeros(2, dtype=int), [None, None])
