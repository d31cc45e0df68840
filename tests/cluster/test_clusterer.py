"""A method with its parameters, and what it is fitted to."""

import numpy as np
import pytest
from scipy import sparse

from crossdoc import errors
from crossdoc.cluster.clusterer import MAX_ROWS, Answer, Clusterer, Method, Work
from crossdoc.cluster.hierarchical import LinkageClustering
from crossdoc.cluster.registry import clusterer, method_named
from crossdoc.model import Partition


class Seen:
    """An estimator that keeps what it is fitted to."""

    calls: list

    def __init__(self, cut: float = 0.1, random_state: int = 1, max_block: int = 2, even: float = 3.0, kind: str = "k"):
        self.cut, self.random_state, self.max_block, self.even, self.kind = cut, random_state, max_block, even, kind

    def fit(self, X, y=None, *, constraints=None, sample_weight=None):
        type(self).calls.append((self, X, constraints))
        self.partition_ = Partition([str(i) for i in range(len(constraints.group))], np.eye(len(constraints.group)))
        return self


@pytest.fixture
def seen():
    Seen.calls = []
    return Seen.calls


def method(takes="relations", scope="component", **more):
    return Method("seen", "About.", takes, scope, lambda: Seen, **more)


def test_relations_come_with_what_was_judged_and_the_clashes(evidence, seen):
    given = evidence(judgements=[("p0", "p1", "different")])
    answer = Clusterer(method(), {}).partition(given, Work(max_rows=8))
    ((_, relations, limits),) = seen
    np.testing.assert_array_equal(relations.strength, given.relations().strength)
    assert limits.cannot.tolist() == [[0, 1]]
    assert limits.soft.tolist() == given.limits.soft.tolist() != []
    assert (answer.notes, dict(answer.facts)) == ((), {})
    assert answer.membership.shape == (8, 8)


def test_too_many_rows_are_fitted_to_candidates_with_what_was_judged(evidence, seen):
    given = evidence(judgements=[("p0", "p1", "different")])
    answer = Clusterer(method(), {}).partition(given, Work(max_rows=7))
    ((_, relations, limits),) = seen
    np.testing.assert_array_equal(relations.strength, given.candidates().strength)
    assert (limits.cannot.tolist(), limits.soft.tolist()) == ([[0, 1]], [])
    assert answer.notes == ("a component of 8 profiles: only the 14 pairs whose names agree were compared",)


def test_vectors_come_with_limits(evidence, seen):
    given = evidence(judgements=[("p0", "p1", "different")])
    Clusterer(method("vectors"), {}).partition(given)
    ((_, vectors, limits),) = seen
    assert vectors is given.vectors
    assert limits.cannot.tolist() == [[0, 1]]
    assert len(limits.soft) == len(given.limits.soft)


def test_what_is_given_counts_before_what_is_filled_in(evidence, seen):
    entry = method(
        fixed={"kind": "fixed"}, usual={"cut": 0.2, "even": 0.2}, from_evidence=lambda e: {"even": float(len(e))}
    )
    Clusterer(entry, {}).partition(evidence(), Work(max_rows=50), random_state=5, unknown=1)
    Clusterer(entry, {"even": 7.0, "cut": 0.9, "max_block": 4}).partition(evidence(), Work(max_rows=50), even=8.0)
    Clusterer(entry, {}).partition(evidence(), Work(max_rows=50), even=9.0)
    made = [vars(estimator) for estimator, *_ in seen]
    first, second, third = ({k: v for k, v in each.items() if k != "partition_"} for each in made)
    assert first == {"cut": 0.2, "random_state": 5, "max_block": MAX_ROWS, "even": 8.0, "kind": "fixed"}
    assert second == {"cut": 0.9, "random_state": 1, "max_block": 4, "even": 7.0, "kind": "fixed"}
    assert third["even"] == 9.0


def test_a_limit_of_its_own_is_the_most_rows(evidence, seen):
    Clusterer(method(max_rows=30, scope="block"), {}).partition(evidence(), Work(max_rows=50))
    Clusterer(method(max_rows=30, scope="block"), {}).partition(evidence(), Work(max_rows=20))
    # Of a component the candidates are taken where it is too large, and a matrix may be made of these.
    Clusterer(method(max_rows=30), {}).partition(evidence(), Work(max_rows=20))
    assert [estimator.max_block for estimator, *_ in seen] == [30, 20, MAX_ROWS]
    for most, own in ((7, None), (50, 7)):
        with pytest.raises(errors.CrossdocError, match="at most 7"):
            Clusterer(method(scope="block", max_rows=own), {}).partition(evidence(), Work(max_rows=most))
    Clusterer(method(scope="block", max_rows=8), {}).partition(evidence(), Work(max_rows=8))


def test_a_fit_of_its_own(evidence):
    def fit(estimator, given, work):
        return Answer(sparse.csr_matrix(np.ones((len(given), 1))), {"threads": work.threads}, ("said",))

    answer = Clusterer(method(fit=fit), {}).partition(evidence(), Work(threads=3))
    assert (dict(answer.facts), answer.notes) == ({"threads": 3}, ("said",))
    assert Work().threads == 0
    assert (Work().resume, Work().checkpoint, Work().max_rows) == (False, None, 20_000)


def test_thresholds_that_count():
    assert Clusterer(method(threshold="cut"), {}).threshold == "cut"
    assert Clusterer(method(), {}).threshold is None
    counts = method(threshold="cut", joins=lambda parameters: parameters.get("kind") == "a")
    assert Clusterer(counts, {"kind": "a"}).threshold == "cut"
    assert Clusterer(counts, {"kind": "b"}).threshold is None


def test_parameters_that_make_the_method_or_belong_to_the_run_are_nobodys():
    assert list(method(fixed={"kind": "k"}).parameters) == ["cut", "random_state", "max_block", "even"]
    sampling = method_named("sampling")
    assert not {"checkpoint", "resume", "progress"} & set(sampling.parameters)
    assert "linkage" not in method_named("single-linkage").parameters
    assert clusterer("single-linkage").estimator({}).get_params() == LinkageClustering("single").get_params()
    start = np.zeros(3, dtype=int)
    assert sampling.checked({"start": start})["start"] is start


def test_what_a_method_is_unless_it_says_otherwise():
    plain = method()
    assert (plain.soft, plain.signed, plain.resumable) == (True, False, False)
    assert plain.notes_from([{"a": 1}]) == []
    with pytest.raises(errors.UsageError, match="The parameters of seen are not right") as caught:
        plain.checked({"cut": "x", "cat": 1})
    assert "cut: input should be a valid number" in caught.value.what
    assert "(not 'x')" in caught.value.what
    assert "cat: there is no such parameter, only cut, random_state" in caught.value.what


def test_an_estimator_may_refuse_its_parameters_before_any_work():
    with pytest.raises(errors.UsageError, match="does not use passes"):
        Clusterer(method_named("karc"), {"passes": 3, "variant": "paper"})
