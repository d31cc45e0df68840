"""All of scikit-learn's checks for every estimator; what cannot hold is listed with its reason, and must fail."""

from contextlib import suppress

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from crossdoc import errors
from crossdoc.cluster.bags import BagClustering
from crossdoc.cluster.contexts.context_clustering import ContextClustering
from crossdoc.cluster.correlation import CorrelationClustering
from crossdoc.cluster.fuzzy import ARCA, FRC, KARC
from crossdoc.cluster.hierarchical import LinkageClustering
from crossdoc.cluster.sampling import SamplingClustering
from crossdoc.model import Relations, Vectors

NOT_SIMILARITIES = "the check gives points, though the tags say that X holds similarities"
WEIGHT_OF_NONE = "the check has weights of 0, and a weight says how many mentions a row stands for"
NOT_WORDS = "the check gives points, and bags are of words, most of which a row does not have"
ABOVE_ONE = "the check gives products of rows, which exceed 1: what is no strength is refused"
NEEDS_STRENGTHS = """
    check_fit_score_takes_y check_dont_overwrite_parameters check_estimators_fit_returns_self
    check_readonly_memmap_input check_n_features_in_after_fitting check_estimators_dtypes
    check_sample_weights_pandas_series check_sample_weights_not_an_array check_sample_weights_list
    check_all_zero_sample_weights_error check_dtype_object check_f_contiguous_array_estimator
    check_non_transformer_estimators_n_iter check_methods_sample_order_invariance check_methods_subset_invariance
    check_fit2d_1feature check_dict_unchanged check_fit_idempotent check_fit_check_is_fitted check_n_features_in
    check_fit2d_predict1d check_estimators_nan_inf
""".split()


class Scaled:
    """Before a fuzzy clusterer: divides by the largest number, so that the checks' products are strengths."""

    def fit(self, X, y=None, *, constraints=None, sample_weight=None):
        given = np.asarray(X)
        if given.dtype.kind != "c":
            with suppress(TypeError, ValueError):
                given = given.astype(np.float64)
                largest = np.nanmax(given, initial=0.0)
                X = given / largest if 1 < largest < np.inf else X
        return super().fit(X, y, constraints=constraints, sample_weight=sample_weight)


class ScaledKARC(Scaled, KARC):
    pass


class ScaledARCA(Scaled, ARCA):
    pass


class ScaledFRC(Scaled, FRC):
    pass


class SparseBags(BagClustering):
    """Bags with the largest number of each row as its only word, so that the checks' points are words."""

    def fit(self, X, y=None, *, names=None, constraints=None):
        given = np.asarray(X.toarray() if sparse.issparse(X) else X)
        if given.dtype.kind != "c" and given.ndim == 2 and given.shape[1] > 1:
            with suppress(TypeError, ValueError):
                given = given.astype(np.float64)
                X = np.where(given == given.max(axis=1, keepdims=True), 1.0, 0.0) if np.isfinite(given).all() else X
        return super().fit(X, y, names=names, constraints=constraints)


def cannot_hold(estimator):
    if estimator.__sklearn_tags__().input_tags.pairwise:
        known = {"check_clustering": NOT_SIMILARITIES}
        if type(estimator) in (KARC, ARCA, FRC):
            known |= dict.fromkeys(NEEDS_STRENGTHS, ABOVE_ONE)
        return known
    if isinstance(estimator, BagClustering):
        return {"check_clustering": NOT_WORDS, "check_fit2d_1feature": NOT_WORDS}
    return {f"check_sample_weight_equivalence_on_{kind}_data": WEIGHT_OF_NONE for kind in ("dense", "sparse")}


EVERY = [
    LinkageClustering(),
    LinkageClustering("mean-max"),
    CorrelationClustering(),
    ContextClustering(),
    ContextClustering(stop="calibrated"),
    SamplingClustering(threads=1), SparseBags(threads=1),
    KARC(), ARCA(), FRC(), ScaledKARC(), ScaledKARC(variant="paper"), ScaledARCA(), ScaledFRC(),
]  # fmt: skip


@parametrize_with_checks(EVERY, expected_failed_checks=cannot_hold, xfail_strict=True)
def test_what_scikit_learn_asks_of_an_estimator(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    "estimator",
    [LinkageClustering(), LinkageClustering("mean-max"), CorrelationClustering(), KARC(), ARCA(), FRC()],
    ids=str,
)
def test_relations_have_as_many_features_as_rows_and_may_be_empty(estimator):
    pair = Relations(3, np.array([0], np.int32), np.array([2], np.int32), np.array([0.9], np.float32), 0.1)
    assert estimator.fit(pair).n_features_in_ == len(estimator.labels_) == 3
    assert estimator.fit(Relations.from_dense(np.zeros((0, 0)))).labels_.tolist() == []
    with pytest.raises(errors.InputError, match="minimum of 1 is required"):
        estimator.fit(np.zeros((0, 0)))


@pytest.mark.parametrize(
    "estimator", [ContextClustering(), SamplingClustering(0.1, threads=1), BagClustering(threads=1)], ids=str
)
def test_vectors_have_as_many_features_as_columns_and_may_be_empty(estimator):
    assert estimator.fit(Vectors(sparse.csr_matrix(np.eye(2, 5)))).n_features_in_ == 5
    assert estimator.fit(Vectors(sparse.csr_matrix((0, 5)))).labels_.tolist() == []
    with pytest.raises(errors.InputError, match="minimum of 1 is required"):
        estimator.fit(np.zeros((0, 5)))


@pytest.mark.parametrize("random_state", [-1, 2**32, 1.5, 3.0, None, "0"])
@pytest.mark.parametrize(
    "estimator",
    [CorrelationClustering(), KARC(), ARCA(), ContextClustering(), SamplingClustering(), BagClustering()],
    ids=str,
)
def test_a_random_state_is_a_seed(estimator, random_state):
    with pytest.raises(errors.UsageError, match="random_state is"):
        clone(estimator).set_params(random_state=random_state).fit(np.eye(3))
