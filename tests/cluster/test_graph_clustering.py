"""A graph by itself."""

import numpy as np
import pytest

from crossdoc import errors
from crossdoc.cluster.graph_clustering import GraphEvidence, cluster_graph, graph_methods
from crossdoc.model import Judgement, Relations
from crossdoc.model.evidence_protocol import Constraints

IDS = ["a", "b", "c", "d"]
EDGES = Relations(
    4, np.array([0, 1, 2], np.int32), np.array([1, 2, 3], np.int32), np.array([0.9, 0.55, 0.9], np.float32)
)


def labels(method="average-linkage", relations=EDGES, **how):
    return cluster_graph(relations, IDS, method, **how).partition.labels.tolist()


def test_methods_are_those_that_need_nothing_but_relations():
    assert graph_methods() == [
        "mean-max-linkage", "average-linkage", "single-linkage", "complete-linkage", "karc", "arca", "frc",
        "correlation", "one-in-one", "all-in-one",
    ]  # fmt: skip
    for method in ("sampling", "bags", "contexts", "string-match"):
        with pytest.raises(errors.UsageError, match=f"no method '{method}'"):
            labels(method)


def test_thresholds_and_missing_pairs():
    assert labels() == [0, 0, 1, 1]
    assert labels("single-linkage") == [0, 0, 0, 0]
    assert labels("single-linkage", threshold=0.6) == [0, 0, 1, 1]
    # Of four pairs between the two, three are missing: as different as can be, or just below the threshold.
    assert labels(threshold=0.54, missing="sparse") == [0, 0, 0, 0]
    assert labels(threshold=0.54) == [0, 0, 1, 1]
    assert cluster_graph(EDGES, IDS, threshold=0.3).threshold == 0.3
    assert cluster_graph(EDGES, IDS, "all-in-one").threshold is None


@pytest.mark.parametrize("method", ["average-linkage", "correlation"])
def test_a_bias_makes_weights(method):
    assert labels(method, bias=0.5) == [0, 0, 1, 1]
    assert labels(method, bias=0.95) == [0, 1, 2, 3]
    assert labels(method, bias=0.5, missing="sparse") == [0, 0, 0, 0]


def test_correlation_proves_how_good_the_answer_for_a_graph_is():
    assert cluster_graph(EDGES, IDS, "correlation").facts["solver"] == "exact"
    answer = cluster_graph(EDGES, IDS, "correlation", parameters={"certificate": False})
    assert answer.facts["solver"] == "moves"


def test_signed_weights_are_joined_above_zero():
    signed = Relations(4, EDGES.left, EDGES.right, np.array([2.0, -1.0, 0.1], np.float32))
    for method in ("average-linkage", "single-linkage", "correlation"):
        answer = cluster_graph(signed, IDS, method, signed=True)
        assert answer.partition.labels.tolist() == [0, 0, 1, 1]
        assert answer.threshold is None
    with pytest.raises(errors.UsageError, match="signed weights"):
        labels(signed=True, threshold=0.5)


def test_judgements_and_parameters_count():
    limits = Constraints.between(IDS, [Judgement("a", "b", "different"), Judgement("a", "d", "same")])
    for method in graph_methods():
        found = labels(method, constraints=limits)
        assert found[0] == found[3]
        assert found[0] != found[1]
    assert labels("correlation", bias=0.5, parameters={"missing": "sparse"}) == [0, 0, 0, 0]
    assert cluster_graph(EDGES, IDS, "correlation", parameters={"missing": "sparse"}).missing == "sparse"
    exact, moves = (cluster_graph(EDGES, IDS, "correlation", parameters={"solver": s}) for s in ("exact", "moves"))
    assert (exact.facts["solver"], moves.facts["solver"]) == ("exact", "moves")
    assert exact.facts["objective"] == moves.facts["objective"]


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"missing": "some"}, "rule for missing pairs"),
        ({"threshold": 1.5}, "between 0 and 1"),
        ({"bias": -0.1}, "between 0 and 1"),
        ({"threshold": 0.5, "bias": 0.5}, "together"),
        ({"time_limit": 3}, "A time limit cannot be used"),
        ({"parameters": {"solver": "lp"}}, "there is no such parameter"),
        ({"parameters": {"threshold": 0.6}, "signed": True}, "signed weights"),
        ({"method": "correlation", "parameters": {"missing": "sparse"}, "missing": "complete"}, "together"),
    ],
)
def test_what_it_refuses(how, told):
    with pytest.raises(errors.UsageError, match=told):
        labels(**how)


def test_a_graph_has_no_names_and_no_contexts():
    evidence = GraphEvidence(np.array(IDS, dtype=object), EDGES, Constraints.none(4))
    for ask in (lambda: evidence.vectors, lambda: evidence.agreeing(["a"]), lambda: evidence.part(np.arange(2))):
        with pytest.raises(errors.UsageError, match="A graph has no"):
            ask()


def test_the_seed_and_the_time_limit_reach_the_method():
    given = cluster_graph(EDGES, IDS, "correlation", seed=3, time_limit=9, parameters={"solver": "moves"})
    assert given.partition.labels.tolist() == [0, 0, 1, 1]
    with pytest.raises(errors.UsageError, match="together"):
        cluster_graph(EDGES, IDS, threshold=0.4, parameters={"threshold": 0.2})
    assert cluster_graph(EDGES, IDS, bias=0.4).threshold == 0.4
    assert cluster_graph(EDGES, IDS).threshold == 0.5


def test_the_limits_of_thresholds_are_taken():
    assert labels(threshold=0.0, missing="sparse") == [0, 0, 0, 0]
    assert labels(threshold=1.0) == [0, 1, 2, 3]
    assert labels("correlation", bias=0.0) == [0, 0, 0, 0]
    assert labels("correlation", bias=1.0) == [0, 1, 2, 3]
