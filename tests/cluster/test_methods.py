"""The methods that come with crossdoc: what each asks of the evidence, and what it says of itself."""

import sys
from importlib.metadata import EntryPoint

import numpy as np
import pytest
from tests.compare.common import make_evidence

from crossdoc import errors
from crossdoc.cluster import methods
from crossdoc.cluster.bags import BagClustering
from crossdoc.cluster.clusterer import Method, Work
from crossdoc.cluster.contexts.context_clustering import ContextClustering
from crossdoc.cluster.correlation import CorrelationClustering
from crossdoc.cluster.fuzzy import ARCA, FRC, KARC
from crossdoc.cluster.graph_clustering import graph_methods
from crossdoc.cluster.hierarchical import LinkageClustering
from crossdoc.cluster.methods import BUILT_IN, clusterer, method_named, names
from crossdoc.cluster.sampling import SamplingClustering
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.model import Profile, Profiles
from crossdoc.run.stored_collection import run_fills

from .conftest import CARS

LINKED = ("average-linkage", "single-linkage", "complete-linkage", "mean-max-linkage")


def partitioned(method, evidence, work=None, **parameters):
    chosen = clusterer(method, parameters)
    return chosen.partition(evidence, work, **run_fills(chosen, 0, LearnedModel.default()))


def labels(answer):
    return answer.membership.toarray().argmax(axis=1).tolist()


@pytest.mark.parametrize("method", [m.name for m in BUILT_IN if m.takes in ("relations", "vectors")])
def test_every_method_heeds_judgements_and_names_that_clash(evidence, method):
    given = evidence(judgements=[("p0", "p3", "same"), ("p1", "p2", "different")])
    rows = np.arange(7)
    found = labels(partitioned(method, given.part(rows)))
    assert found[0] == found[3]
    assert found[1] != found[2]
    if method not in ("arca", "frc"):
        # These two find a number of clusters, and a clash is only one strength of 0 among others.
        assert all(found[6] != each for each in found[:6]), "Bob is not John, however alike their contexts"


@pytest.mark.parametrize(
    ("name", "takes", "scope"),
    [
        ("average-linkage", "relations", "component"),
        ("single-linkage", "relations", "component"),
        ("complete-linkage", "relations", "component"),
        ("mean-max-linkage", "relations", "component"),
        ("correlation", "relations", "component"),
        ("karc", "relations", "block"),
        ("arca", "relations", "block"),
        ("frc", "relations", "block"),
        ("contexts", "vectors", "block"),
        ("sampling", "vectors", "type"),
        ("bags", "vectors", "type"),
        ("string-match", "names", "type"),
        ("one-in-one", "nothing", "type"),
        ("all-in-one", "nothing", "type"),
    ],
)
def test_what_each_takes(name, takes, scope):
    assert (method_named(name).takes, method_named(name).scope) == (takes, scope)


@pytest.mark.parametrize("linkage", ["average", "single", "complete"])
def test_linkages_are_the_estimator(evidence, linkage):
    given = evidence().part(np.arange(7))
    found = partitioned(f"{linkage}-linkage", given, threshold=0.6)
    direct = LinkageClustering(linkage, 0.6).fit(given.relations(), constraints=given.limits).partition_
    assert (found.membership != direct.membership).nnz == 0
    assert labels(found) != labels(partitioned(f"{linkage}-linkage", given, threshold=0.0))


def test_half_the_mean_and_half_the_highest_is_the_estimator(evidence):
    given = evidence().part(np.arange(7))
    found = partitioned("mean-max-linkage", given, threshold=0.6)
    direct = LinkageClustering("mean-max", 0.6).fit(given.relations(), constraints=given.limits).partition_
    assert (found.membership != direct.membership).nnz == 0


@pytest.mark.parametrize("method", [*LINKED, "correlation"])
def test_a_part_of_two_names_does_not_bridge_them(evidence, method):
    given = evidence(("Ann Li", CARS[0]), ("Li", CARS[0]), ("Bob Li", CARS[0]))
    found = labels(partitioned(method, given))
    assert found[0] != found[2]


@pytest.mark.parametrize(("name", "estimator"), [("karc", KARC), ("arca", ARCA), ("frc", FRC)])
def test_fuzzy_methods_keep_the_labels_and_drop_what_is_small(evidence, name, estimator):
    given = evidence().part(np.arange(7))
    found = partitioned(name, given, max_block=50).membership
    direct = estimator(max_block=50).fit(given.relations(), constraints=given.limits)
    assert found.toarray().argmax(axis=1).tolist() == direct.labels_.tolist()
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert found.data.min() >= 0.05


def test_the_printed_variant_is_reached(evidence):
    given = evidence().part(np.arange(6))
    printed = partitioned("karc", given, variant="paper").membership
    ours = KARC(variant="paper").fit(given.relations(), constraints=given.limits).partition_.membership
    assert printed.toarray().argmax(axis=1).tolist() == ours.toarray().argmax(axis=1).tolist()
    with pytest.raises(errors.UsageError, match="A threshold cannot be used"):
        clusterer("karc", {"variant": "paper"}, threshold=0.5)


def test_correlation_searches_and_proves_what_it_found_when_asked(evidence):
    given = evidence().part(np.arange(7))
    searched = partitioned("correlation", given)
    quick = CorrelationClustering(bias=0.5, certificate=False).fit(given.relations(), constraints=given.limits)
    assert labels(searched) == quick.labels_.tolist()
    assert (searched.facts["solver"], searched.facts["gap"]) == ("moves", 0.0), "it cuts nothing"
    told = method_named("correlation").notes_from([searched.facts, {"solver": "moves", "gap": None}])
    assert told == [
        "solvers, by components: moves (2); 1 of the answers have no certificate "
        "(--set correlation.certificate=true computes it)"
    ]
    answer = partitioned("correlation", given, certificate=True)
    direct = CorrelationClustering(bias=0.5).fit(given.relations(), constraints=given.limits)
    assert labels(answer) == direct.labels_.tolist()
    assert answer.facts["solver"] == direct.chosen_ == "exact"
    assert answer.facts["gap"] == direct.gap_
    said = method_named("correlation").notes_from
    assert said([]) == []
    assert said([answer.facts] * 2) == ["solvers, by components: exact (2); all answers are optimal"]
    assert "at most 25.00% of the cost" in said([{"solver": "lp", "gap": 0.25}, {"solver": "lp", "gap": 0.1}])[0]


def test_contexts_stop_by_our_rule_unless_told_otherwise(evidence):
    given = evidence().part(np.arange(6))
    ours = ContextClustering(stop="even", even=given.even).fit(given.vectors, constraints=given.limits)
    assert labels(partitioned("contexts", given)) == ours.labels_.tolist() == [0, 0, 0, 1, 1, 1]
    printed = ContextClustering(stop="pk1").fit(given.vectors, constraints=given.limits)
    assert labels(partitioned("contexts", given, stop="pk1")) == printed.labels_.tolist()


def worth(odds: float) -> LearnedModel:
    """A model by which the same name of a place is worth so much."""
    model = LearnedModel.default()
    return model.model_copy(update={"names": model.names.model_copy(update={"others": {"place": odds}})})


def test_contexts_need_less_where_the_same_name_is_worth_something():
    rows = [Profile(id, id, "Rome", "place", "a b") for id in "ab"]
    words = ContextVectoriser().fit([["a b"]])
    asked = [(odds, make_evidence(worth(odds), words, Profiles.of(rows))) for odds in (0.0, 0.5, 9.0)]
    contexts = LearnedModel.default().fields["context"]
    for odds, given in asked:
        needed = method_named("contexts").from_evidence(given)["even"]
        assert needed == pytest.approx(contexts.cosine_at(-odds), abs=1e-9)
    assert [given.same_name for _, given in asked] == pytest.approx([0, given_less(0.5), contexts.cosine_at(0.0)])


def given_less(odds: float) -> float:
    contexts = LearnedModel.default().fields["context"]
    return contexts.cosine_at(0.0) - contexts.cosine_at(-odds)


def test_few_contexts_are_linked(evidence):
    few = evidence().part(np.array([0, 1, 3]))
    assert labels(partitioned("contexts", few)) == [0, 0, 1]


def test_sampling_takes_its_weights_from_the_evidence(evidence):
    rare = evidence(("Zbigniew Orr", CARS[0]), ("Zbigniew Orr", CARS[0]))
    assert rare.same_name > 0
    filled = method_named("sampling").from_evidence(rare)
    assert filled == {"bias": rare.even, "name_weight": rare.same_name, "clash_weight": 1.0}
    usual = evidence()
    assert usual.same_name < 0
    filled = method_named("sampling").from_evidence(usual)
    assert filled == {"bias": usual.even - usual.same_name, "name_weight": 0.0, "clash_weight": 1.0}
    one = evidence(one_name=True)
    assert method_named("sampling").from_evidence(one) == {"bias": one.even, "name_weight": 0.0, "clash_weight": 0.0}
    seg = {"learner": "seg", "specialists": ["context"], "calibration": [([0, 1], [0.1, 0.9])], "weights": [1.0]}
    shipped = LearnedModel.default().model_dump()
    untaught = evidence(model=LearnedModel.model_validate({**shipped, "ensemble": {**seg, "default_strength": 0.3}}))
    assert method_named("sampling").from_evidence(untaught) == {}


def test_sampling_without_types_points_to_bags(evidence):
    typed = partitioned("sampling", evidence(), Work(threads=1), max_iter=1)
    untyped = partitioned("sampling", evidence(untyped=True), Work(threads=1), max_iter=1)
    assert [any("--method bags" in note for note in answer.notes) for answer in (typed, untyped)] == [False, True]


def test_sampling_runs_the_chain_that_is_asked_for(evidence, tmp_path):
    given = evidence()
    answer = partitioned("sampling", given, Work(threads=1), temperature=[1.0, 0.01], proposals="flat", max_iter=4)
    assert answer.notes[0].startswith("4 rounds")
    assert clusterer("sampling", {"temperature": [1.0, 0.01]}).estimator({}).temperature == (1.0, 0.01)


def test_sampling_keeps_and_removes_its_checkpoint(evidence, tmp_path):
    kept = tmp_path / "at"
    stopped = partitioned("sampling", evidence(), Work(checkpoint=kept), time_limit=1e-9)
    assert "was stopped early" in stopped.notes[1]
    assert kept.exists()
    done = partitioned("sampling", evidence(), Work(checkpoint=kept, resume=True))
    assert len(done.notes) == 1
    assert not kept.exists()


def test_string_match_is_by_spelling_and_all_in_one_by_nothing(evidence):
    given = evidence(("José  Núñez", "a"), ("JOSE NUNEZ", "b"), ("Jose Nunes", "c"))
    assert labels(partitioned("string-match", given)) == [0, 0, 1]
    assert labels(partitioned("one-in-one", given)) == [0, 1, 2]
    assert labels(partitioned("all-in-one", given)) == [0, 0, 0]


def test_every_estimator_is_found_again():
    for estimator, name in [
        (LinkageClustering(), "average-linkage"), (LinkageClustering("single"), "single-linkage"),
        (LinkageClustering("complete"), "complete-linkage"), (LinkageClustering("mean-max"), "mean-max-linkage"),
        (KARC(), "karc"), (ARCA(), "arca"), (FRC(), "frc"),
        (CorrelationClustering(), "correlation"), (ContextClustering(), "contexts"), (SamplingClustering(), "sampling"),
        (BagClustering(), "bags"),
    ]:  # fmt: skip
        found = clusterer(estimator)
        assert found.name == name
        given = estimator.get_params()
        # What it says counts; what it leaves open is the run's to fill in.
        run = {"threshold": 0.1, "bias": 0.2, "even": 0.3, "random_state": 9}
        open_ = {key: run[key] for key in run if key in given and given[key] is None}
        assert found.estimator(run).get_params() == given | open_
        assert set(open_) == {"karc": {"threshold"}, "correlation": {"bias"}, "sampling": {"bias"}}.get(name, set())


def test_what_each_says_of_itself_beside_that():
    told = {m.name: (m.soft, m.signed, m.resumable, m.max_rows) for m in BUILT_IN}
    linked = (True, True, False, None)
    fuzzy = (True, False, False, 10_000)
    baseline = (False, False, False, None)
    assert told == {
        **dict.fromkeys(LINKED, linked), "correlation": linked,
        "karc": fuzzy, "arca": fuzzy, "frc": fuzzy, "contexts": (True, False, False, None),
        **dict.fromkeys(("sampling", "bags"), (True, False, True, None)),
        **dict.fromkeys(("string-match", "one-in-one", "all-in-one"), baseline),
    }  # fmt: skip


def test_sampling_keeps_contexts_apart_that_differ(evidence):
    """The bias is what a cosine has to exceed: with another sign everything would be one."""
    found = labels(partitioned("sampling", evidence().part(np.arange(6)), Work(threads=1)))
    assert found[0] == found[1] == found[2] != found[3] == found[4] == found[5]


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
    points = [EntryPoint(name, f"own_methods:{name}", methods.GROUP) for name in
              ("leaders", "misnamed", "unfit", "vague", "limitless", "text", "missing", "unscoped",
               "instance", "short", "silent", "forgetful")]  # fmt: skip
    points.append(EntryPoint("average-linkage", "own_methods:leaders", methods.GROUP))
    monkeypatch.setattr(methods, "entry_points", lambda group: points if group == methods.GROUP else [])
    methods._added.cache_clear()
    yield
    methods._added.cache_clear()
    methods._loaded.cache_clear()
    sys.modules.pop("own_methods", None)


def test_ours_come_first_and_cannot_be_replaced(installed):
    assert names()[0] == methods.DEFAULT == "mean-max-linkage"
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
        ("karc", {"passes": 3, "variant": "paper"}, "passes cannot be used with the variant"),
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
        with pytest.raises(errors.UsageError, match="A threshold cannot be used"):
            clusterer(method, threshold=0.3)
    with pytest.raises(errors.UsageError, match="together"):
        clusterer("karc", {"threshold": 0.2}, threshold=0.3)


def test_time_limits():
    assert clusterer("sampling", time_limit=3).parameters == {"time_limit": 3}
    with pytest.raises(errors.UsageError, match="together"):
        clusterer("correlation", {"time_limit": 9}, time_limit=3)
    with pytest.raises(errors.UsageError, match="A time limit cannot be used") as caught:
        clusterer("average-linkage", time_limit=3)
    assert "correlation, sampling" in caught.value.hint


def test_an_estimator_says_all_there_is_to_say():
    with pytest.raises(errors.UsageError, match="together"):
        clusterer(KARC(), {"m": 2})
    with pytest.raises(errors.UsageError, match="together"):
        clusterer(KARC(), threshold=0.5)
    with pytest.raises(errors.UsageError, match="No crossdoc method is a dict"):
        clusterer({})
    assert isinstance(method_named("karc"), Method)
