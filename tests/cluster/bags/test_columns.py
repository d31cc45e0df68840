"""Who holds what, turned round on any number of threads, against scipy."""

import numpy as np
import pytest
from scipy import sparse

from crossdoc.cluster.bags.bags import BagMentions, EntityBags
from crossdoc.constraints import Constraints


def mentions(n: int, seed: int) -> BagMentions:
    rng = np.random.default_rng(seed)
    matrix = sparse.random(n, 30, density=0.2, format="csr", random_state=seed)
    return BagMentions.of(matrix, [f"n{k}" for k in rng.integers(0, 9, n)], Constraints.none(n))


@pytest.mark.parametrize("n", [1, 2, 7, 200])
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_holders_and_rows_are_those_of_the_sums(n: int, threads: int) -> None:
    some = mentions(n, n)
    labels = np.unique(np.random.default_rng(n).integers(0, max(n // 4, 1), n), return_inverse=True)[1].astype(np.int32)
    bags = EntityBags.of(some, labels, threads)
    words = some.words
    cells = sparse.csr_matrix((words.times, words.feature, words.start), shape=(n, len(some.share)))
    held = cells.multiply(some.holds[:, None]).tocsr()
    into = sparse.csr_matrix((np.ones(n, dtype=np.int32), (labels, np.arange(n))), shape=(labels.max() + 1, n))
    expected = sparse.csr_matrix(into @ held)
    expected.eliminate_zeros()
    expected.sort_indices()
    rows = bags.words.rows(threads)
    np.testing.assert_array_equal(rows.start, expected.indptr)
    np.testing.assert_array_equal(rows.feature, expected.indices)
    np.testing.assert_array_equal(rows.times, expected.data)
    by_word = expected.tocsc()
    by_word.sort_indices()
    np.testing.assert_array_equal(bags.words.ends, by_word.indptr)
    np.testing.assert_array_equal(bags.words.entity, by_word.indices)
    np.testing.assert_array_equal(bags.words.times, by_word.data)


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_odds_are_the_least_of_the_members_on_any_number_of_threads(threads: int) -> None:
    some = mentions(60, 1)
    odds = np.random.default_rng(2).random(len(some.words.feature)).astype(np.float32)
    some = BagMentions(
        some.words._replace(odds=odds), *(getattr(some, name) for name in list(some.__dataclass_fields__)[1:])
    )
    labels = np.sort(np.random.default_rng(3).integers(0, 9, 60))
    labels = np.unique(labels, return_inverse=True)[1].astype(np.int32)
    one, several = EntityBags.of(some, labels), EntityBags.of(some, labels, threads)
    for a, b in zip(
        (*one.words, *one.names, *one.words.rows()),
        (*several.words, *several.names, *several.words.rows(threads)),
        strict=True,
    ):
        np.testing.assert_array_equal(a, b)
    words = one.words
    for f in range(len(words.ends) - 1):
        for k in range(words.ends[f], words.ends[f + 1]):
            members = np.flatnonzero((labels == words.entity[k]) & some.holds)
            own = [
                odds[c]
                for i in members
                for c in range(some.words.start[i], some.words.start[i + 1])
                if some.words.feature[c] == f
            ]
            assert words.odds[k] == min(own)
