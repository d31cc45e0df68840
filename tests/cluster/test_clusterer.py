"""A method with its parameters, and what it is fitted to."""

import numpy as np
import pytest
from scipy import sparse

from crossdoc import errors
from crossdoc.cluster import clusterer as stage
from crossdoc.cluster.clusterer import MAX_ROWS, Answer, Clusterer, Method, Work, cluster
from crossdoc.cluster.hierarchical import LinkageClustering
from crossdoc.cluster.methods import clusterer, method_named
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
    with pytest.raises(errors.UsageError, match="passes cannot be used with the variant"):
        Clusterer(method_named("karc"), {"passes": 3, "variant": "paper"})


class Recorder:
    """Counts what is reported."""

    def __init__(self):
        self.stages, self.done, self.notes = [], 0, []

    def start(self, stage, total=None):
        self.stages.append((stage, total))

    def advance(self, steps=1):
        self.done += steps

    def note(self, message):
        self.notes.append(message)


def watched(scope, max_rows=None):
    """A method that joins all it is given, and writes down what that was."""
    seen = []

    def fit(estimator, evidence, work):
        seen.append((sorted(evidence.ids), work.threads, type(work.progress).__name__))
        membership = sparse.csr_matrix(np.ones((len(evidence), 1)))
        return Answer(membership, {"rows": len(evidence)}, (f"note on {len(evidence)}",))

    class Nothing:
        def fit(self):
            pass

    notes_from = lambda facts: [f"rows {sorted(fact['rows'] for fact in facts)}"]  # noqa: E731
    return Clusterer(
        Method("all", "", "relations", scope, lambda: Nothing, max_rows=max_rows, fit=fit, notes_from=notes_from), {}
    ), seen


def test_each_scope_gets_its_parts(evidence):
    given = evidence()
    for scope, parts in (
        ("component", [["p0", "p1", "p2", "p3", "p4", "p5"]]),
        ("block", [["p0", "p1", "p2", "p3", "p4", "p5", "p6"]]),
        ("type", [[f"p{i}" for i in range(8)]]),
    ):
        chosen, seen = watched(scope)
        found = cluster(given, chosen)
        assert [rows for rows, *_ in seen] == parts, scope
        assert found.notes == [f"persons: rows [{len(parts[0])}]", f"persons: note on {len(parts[0])}"]
        assert found.partition.ids.tolist() == [f"p{i}" for i in range(8)]


def test_a_row_alone_is_a_cluster_and_rows_keep_their_places(evidence):
    given = evidence(("Zoe Orr", "a"), ("Ann Li", "b"), ("Bo Dee", "c"), ("Ann Li", "d"), ("Bo Dee", "e"))
    chosen, seen = watched("component")
    labels = cluster(given, chosen).partition.labels
    assert len(seen) == 2
    assert labels[1] == labels[3] != labels[2] == labels[4]
    assert labels[0] not in labels[1:]


def test_progress_counts_every_row_once(evidence):
    report = Recorder()
    cluster(evidence(), watched("component")[0], Work(progress=report))
    assert report.stages == [("clustering persons", 8)]
    assert report.done == 8


def test_what_has_everything_to_itself_may_report_and_use_all_threads(evidence):
    report = Recorder()
    for scope, told in (("type", (3, "Recorder")), ("component", (1, "Quiet"))):
        chosen, seen = watched(scope)
        cluster(evidence(), chosen, Work(progress=report, threads=3))
        assert seen[0][1:] == told


@pytest.mark.parametrize("method", ["average-linkage", "correlation", "karc", "contexts"])
def test_the_answer_does_not_depend_on_threads(evidence, method, monkeypatch):
    monkeypatch.setattr(stage, "SMALL_PART", 2)
    contexts = ["engine race lap", "race lap wheel", "verse ode poem", "poem ode rhyme", "lap ode"]
    named = [
        (f"{first} {last}", c) for last in ("Li", "Orr", "Dee", "Fox") for first in ("Ann", "Bo") for c in contexts
    ]
    given = evidence(*named)
    one, four = (cluster(given, clusterer(method), Work(threads=threads)).partition for threads in (1, 4))
    assert (one.membership != four.membership).nnz == 0
    assert one.n_clusters >= 8


def test_one_asked_for_name_is_one_part(evidence):
    given = evidence(one_name=True)
    for scope in ("component", "block"):
        chosen, seen = watched(scope)
        cluster(given, chosen)
        assert len(seen[0][0]) == 8


def test_a_block_too_large_says_so(evidence):
    with pytest.raises(
        errors.CrossdocError, match=r"7 profiles of one block are too many for the method karc, .* at most 5"
    ):
        cluster(evidence(), clusterer("karc"), Work(max_rows=5))
    with pytest.raises(errors.CrossdocError, match="at most 6"):
        cluster(evidence(), watched("block", max_rows=6)[0])


def test_a_component_too_large_is_compared_by_candidates(evidence):
    found = cluster(evidence(), clusterer("average-linkage"), Work(max_rows=5))
    assert found.notes == ["persons: a component of 6 profiles: only the 15 pairs whose names agree were compared"]
    whole = cluster(evidence(), clusterer("average-linkage"))
    assert found.partition.labels.tolist() == whole.partition.labels.tolist()


def test_a_method_has_its_own_limit_of_rows(evidence):
    seen = []

    def fit(estimator, part, work):
        seen.append(work.max_rows)
        return Answer(sparse.csr_matrix(np.ones((len(part), 1))))

    chosen, _ = watched("component")
    limited = Clusterer(Method("x", "", "relations", "component", chosen.method.estimator, max_rows=3, fit=fit), {})
    cluster(evidence(), limited)
    assert seen == [3]


def test_large_parts_come_one_by_one_and_first(evidence, monkeypatch):
    monkeypatch.setattr(stage, "LARGE_PART", 3)
    monkeypatch.setattr(stage, "SMALL_PART", 2)
    named = [(f"Ann {last}", "a b c") for last, many in (("Li", 2), ("Orr", 5), ("Dee", 4)) for _ in range(many)]
    chosen, seen = watched("component")
    cluster(evidence(*named), chosen, Work(threads=4))
    assert [len(rows) for rows, *_ in seen] == [5, 4, 2]


@pytest.mark.parametrize("small", [2, 50])
def test_a_failure_in_one_part_is_the_runs(evidence, monkeypatch, small):
    monkeypatch.setattr(stage, "SMALL_PART", small)
    chosen, _ = watched("component")

    def fail(estimator, part, work):
        raise errors.InputError("no")

    broken = Clusterer(Method("x", "", "relations", "component", chosen.method.estimator, fit=fail), {})
    with pytest.raises(errors.InputError):
        cluster(evidence(), broken, Work(threads=2))


def test_what_is_filled_in_reaches_every_part(evidence):
    seen = []

    class Cut:
        def __init__(self, cut: float = 0.5, max_block: int = 1):
            seen.append((cut, max_block))

        def fit(self):
            pass

    def fit(estimator, part, work):
        return Answer(sparse.csr_matrix(np.ones((len(part), 1))))

    chosen = Clusterer(Method("cut", "", "relations", "component", lambda: Cut, fit=fit), {})
    seen.clear()
    cluster(evidence(("Ann Li", "a"), ("Ann Li", "b"), ("Bo Dee", "c"), ("Bo Dee", "d")), chosen, Work(30), cut=0.9)
    assert seen == [(0.9, 20_000), (0.9, 20_000)]


def test_the_largest_part_is_begun_first_and_parts_share_threads(evidence):
    named = [("Ann Li", "a"), *[("Bo Dee", "b")] * 3, ("Ann Li", "c"), *[("Cy Fox", "d")] * 4]
    chosen, seen = watched("component")
    found = cluster(evidence(*named), chosen, Work(threads=1))
    assert [len(rows) for rows, *_ in seen] == [4, 3, 2]
    assert found.seconds > 0
    assert found.partition.membership.shape == (9, 3)
    assert found.notes == [f"persons: {note}" for note in ("rows [2, 3, 4]", "note on 2", "note on 3", "note on 4")]


def test_progress_of_a_whole_and_of_rows_alone(evidence):
    report = Recorder()
    cluster(evidence(("Ann Li", "a"), ("Bo Dee", "b")), watched("component")[0], Work(progress=report))
    assert (report.stages, report.done) == ([("clustering persons", 2)], 2)
    report = Recorder()
    cluster(evidence(), watched("type")[0], Work(progress=report))
    assert (report.stages, report.done) == ([("clustering persons", None)], 8)
