"""Methods by name, those of other packages among them."""

import sys
from importlib.metadata import EntryPoint

import pytest

from crossdoc import errors
from crossdoc.cluster import registry
from crossdoc.cluster.clusterer import Method
from crossdoc.cluster.fuzzy import KARC
from crossdoc.cluster.graph_clustering import graph_methods
from crossdoc.cluster.registry import clusterer, method_named, names

PACKAGE = '''
from sklearn.base import BaseEstimator, ClusterMixin

from crossdoc import Method, Partition


class Leaders(ClusterMixin, BaseEstimator):
    """A row joins the first leader that is near enough."""

    def __init__(self, threshold: float = 0.5, patience: int = 3):
        self.threshold = threshold
        self.patience = patience

    def fit(self, X, y=None, *, constraints=None, sample_weight=None):
        near, leaders, labels = X.dense() >= self.threshold, [], []
        for row in range(X.n):
            found = next((i for i, leader in enumerate(leaders) if near[row, leader]), len(leaders))
            leaders += [row] if found == len(leaders) else []
            labels.append(found)
        self.labels_ = labels
        self.partition_ = Partition.from_labels([str(i) for i in range(X.n)], labels)
        return self


leaders = Method("leaders", "First come, first served.", "relations", "component", lambda: Leaders, "threshold")
misnamed = Method("other", "", "relations", "component", lambda: Leaders)
unfit = Method("unfit", "", "relations", "component", lambda: dict)
vague = Method("vague", "", "names", "type", lambda: Leaders)
limitless = Method("limitless", "", "relations", "component", lambda: Leaders, "cut")
unscoped = Method("unscoped", "", "relations", "everything", lambda: Leaders)
instance = Method("instance", "", "relations", "component", Leaders)
text = "no method"


class Short(Leaders):
    def fit(self, X, y=None, *, constraints=None):
        self.partition_ = Partition.from_labels(["0"], [0])
        return self


class Silent(Leaders):
    def fit(self, X, y=None, *, constraints=None):
        return None


class Forgetful(Leaders):
    def fit(self, X, y=None, *, constraints=None):
        self.partition_ = Partition.from_labels([str(i) for i in range(X.n)], [-1] * X.n)
        return self


short = Method("short", "", "relations", "component", lambda: Short)
silent = Method("silent", "", "relations", "component", lambda: Silent)
forgetful = Method("forgetful", "", "relations", "component", lambda: Forgetful)
'''


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A package with methods of its own."""
    (tmp_path / "own_methods.py").write_text(PACKAGE)
    monkeypatch.syspath_prepend(str(tmp_path))
    points = [EntryPoint(name, f"own_methods:{name}", registry.GROUP) for name in
              ("leaders", "misnamed", "unfit", "vague", "limitless", "text", "missing", "unscoped",
               "instance", "short", "silent", "forgetful")]  # fmt: skip
    points.append(EntryPoint("average-linkage", "own_methods:leaders", registry.GROUP))
    monkeypatch.setattr(registry, "entry_points", lambda group: points if group == registry.GROUP else [])
    registry._added.cache_clear()
    yield
    registry._added.cache_clear()
    registry._loaded.cache_clear()
    sys.modules.pop("own_methods", None)


def test_ours_come_first_and_cannot_be_replaced(installed):
    assert names()[0] == registry.DEFAULT == "mean-max-linkage"
    assert names().count("average-linkage") == 1
    assert "leaders" in names()
    assert method_named("average-linkage").about != method_named("leaders").about


def test_a_packages_method_is_like_ours(installed, evidence):
    answer = clusterer("leaders", {"patience": "4"}, threshold=0.9)
    assert answer.parameters == {"patience": 4, "threshold": 0.9}
    assert answer.partition(evidence()).membership.shape[0] == 8
    from own_methods import Leaders

    assert clusterer(Leaders(0.7)).name == "leaders"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("misnamed", "its name is 'other'"),
        ("unfit", "has no fit"),
        ("vague", "does not say how to fit"),
        ("limitless", "no parameter 'cut'"),
        ("text", "names a str"),
        ("unscoped", "scope is 'everything', not one of component, block, type"),
        ("instance", "must be a function that gives the class"),
        ("missing", "cannot be loaded: AttributeError"),
    ],
)
def test_what_is_no_method_is_told_by_name_and_hurts_nobody_else(installed, name, told):
    with pytest.raises(errors.UsageError, match=told) as caught:
        method_named(name)
    assert repr(name) in caught.value.what
    assert "docs/extending" in caught.value.hint
    assert clusterer("karc").name == "karc"
    assert clusterer(KARC()).name == "karc"
    assert name not in graph_methods()
    assert "leaders" in graph_methods()
    with pytest.raises(errors.UsageError, match="No crossdoc method is a dict"):
        clusterer({})


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("short", "8 ids but 1 rows"),
        ("silent", "AttributeError: 'NoneType'"),
        ("forgetful", "left profiles without a cluster"),
    ],
)
def test_an_answer_that_is_none_is_the_packages_failure(installed, evidence, name, told):
    with pytest.raises(errors.UsageError, match=told) as caught:
        clusterer(name).partition(evidence())
    assert repr(name) in caught.value.what


def test_judgements_that_a_package_forgets_are_told(installed, evidence):
    given = evidence(("Ann Li", "a b"), ("Ann Li", "a b"), judgements=[("p0", "p1", "different")])
    with pytest.raises(errors.UsageError, match="breaks 1 hard judgements"):
        clusterer("leaders", threshold=0.1).partition(given)


def test_a_class_in_place_of_an_estimator():
    with pytest.raises(errors.UsageError, match=r"is a class; write KARC\(\)"):
        clusterer(KARC)


def test_a_name_nobody_knows():
    with pytest.raises(errors.UsageError, match="no method 'magic'") as caught:
        clusterer("magic")
    assert "average-linkage" in caught.value.hint


@pytest.mark.parametrize(
    ("method", "parameters", "told"),
    [
        ("karc", {"variants": "paper"}, "variants: there is no such parameter, only n_clusters, m, theta"),
        ("karc", {"variant": "printed"}, "variant: input should be 'linked' or 'paper'"),
        ("karc", {"n_clusters": "many"}, "n_clusters: input should be a valid integer"),
        ("karc", {"passes": 3, "variant": "paper"}, "does not use passes"),
        ("average-linkage", {"linkage": "single"}, "linkage: there is no such parameter"),
        ("sampling", {"temperature": [1, 2, 3]}, "temperature"),
        ("sampling", {"checkpoint": "x"}, "checkpoint: there is no such parameter"),
        ("contexts", {"stop": "never"}, "stop: input should be"),
    ],
)
def test_wrong_parameters_name_the_right_ones(method, parameters, told):
    with pytest.raises(errors.UsageError) as caught:
        clusterer(method, parameters)
    assert told in str(caught.value)


def test_all_problems_at_once():
    with pytest.raises(errors.UsageError) as caught:
        clusterer("karc", {"m": "x", "theta": "y", "gama": 1})
    assert all(name in caught.value.what for name in ("m:", "theta:", "gama:"))


def test_thresholds():
    assert clusterer("correlation", threshold=0.3).parameters == {"bias": 0.3}
    assert clusterer("karc", threshold=0.3).parameters == {"threshold": 0.3}
    for method in ("arca", "contexts", "sampling", "bags", "string-match"):
        with pytest.raises(errors.UsageError, match="takes no threshold"):
            clusterer(method, threshold=0.3)
    with pytest.raises(errors.UsageError, match="together"):
        clusterer("karc", {"threshold": 0.2}, threshold=0.3)


def test_time_limits():
    assert clusterer("sampling", time_limit=3).parameters == {"time_limit": 3}
    with pytest.raises(errors.UsageError, match="together"):
        clusterer("correlation", {"time_limit": 9}, time_limit=3)
    with pytest.raises(errors.UsageError, match="takes no time limit") as caught:
        clusterer("average-linkage", time_limit=3)
    assert "correlation or sampling" in caught.value.hint


def test_an_estimator_says_all_there_is_to_say():
    with pytest.raises(errors.UsageError, match="together"):
        clusterer(KARC(), {"m": 2})
    with pytest.raises(errors.UsageError, match="together"):
        clusterer(KARC(), threshold=0.5)
    with pytest.raises(errors.UsageError, match="No crossdoc method is a dict"):
        clusterer({})
    assert isinstance(method_named("karc"), Method)
