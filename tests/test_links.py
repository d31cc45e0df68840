"""Tables of names and contexts without types: bags where they explain the table, linkage elsewhere."""

import numpy as np
import pyarrow as pa
import pytest
from tests.compare.common import make_evidence

import crossdoc
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.engine import LocalEngine
from crossdoc.links import has_names_and_contexts_only, is_left_open, measure_links
from crossdoc.model import Profile, Profiles, Relation
from crossdoc.settings import Settings


@pytest.mark.parametrize(
    ("given", "only"),
    [
        ({}, True),
        ({"type": "person"}, False),
        ({"attributes": {"born": ["1931"]}}, False),
        ({"relations": (Relation("co_author", "Ann Lee"),)}, False),
    ],
)
def test_a_type_or_a_fact_makes_a_profile_more_than_a_link(given, only):
    rows = [Profile("a", "d", "Ann", None, "words"), Profile("b", "d", "Bo", **{"type": None, "context": "w", **given})]
    assert has_names_and_contexts_only(Profiles.of(rows)) == only


@pytest.mark.parametrize(
    ("entity_type", "names"), [(None, ["us senator", "prime"]), ("person", ["U.S. senators", "Primé"])]
)
def test_names_of_links_count_in_one_spelling(entity_type, names):
    rows = [Profile(str(k), "d", name, entity_type, "words") for k, name in enumerate(("U.S. senators", "Primé"))]
    evidence = make_evidence(LearnedModel.default(), ContextVectoriser(), Profiles.of(rows))
    assert evidence.names == names


def test_linkage_joins_a_noun_and_its_plural_unless_it_is_a_persons_name():
    words = "the court heard the case of the harbour and the trial in spring"
    names = ["trial court", "trial courts", "Ann Robert", "Ann Roberts"]
    for kind, entities in ((None, 3), ("person", 4)):
        rows = [Profile(f"m{n}", f"d{n}", name, kind, words) for n, name in enumerate(names)]
        answer = crossdoc.resolve(rows, method="mean-max-linkage", describe=False)
        assert len(set(answer.partition.labels.tolist())) == entities


@pytest.mark.parametrize(
    ("settings", "open_"),
    [
        (Settings(), True),
        (Settings(seed=3), True),
        (Settings(method="mean-max-linkage"), False),
        (Settings(threshold=0.5), False),
        (Settings(parameters={"mean-max-linkage": {"threshold": 0.5}}), False),
        (Settings(parameters={"sampling": {"max_iter": 9}}), True),
    ],
)
def test_what_somebody_has_asked_for_is_done(settings, open_):
    assert is_left_open(settings) == open_


def table(n=400, entities=20, seed=0):
    """Entities of two names and twenty words each."""
    rng = np.random.default_rng(seed)
    entity = rng.integers(0, entities, n)
    words = 20 * entity[:, None] + rng.integers(0, 20, (n, 8))
    others = rng.integers(0, 400, (n, 6))
    contexts = [
        " ".join([*(f"own{w}" for w in a), *(f"any{w}" for w in b)]) for a, b in zip(words, others, strict=True)
    ]
    names = [f"n{e}-{k}" for e, k in zip(entity, rng.integers(0, 2, n), strict=True)]
    return pa.table({"id": [f"m{k}" for k in range(n)], "name": names, "context": contexts}), entity


@pytest.mark.parametrize("engine", ["local", None])
def test_a_table_of_links_is_sampled(tmp_path, engine):
    given, entity = table()
    with LocalEngine(2) as partitions:
        how = {"engine": engine or partitions, "output": tmp_path / "answer"}
        found = crossdoc.resolve(given, **how)
        told = crossdoc.resolve(given, **{**how, "output": tmp_path / "other"}, method="mean-max-linkage")
        same = crossdoc.resolve(given, **{**how, "output": tmp_path / "third"}, settings=Settings(seed=0))
    assert any("clustered as links, by bags" in note for note in found.notes)
    assert not any("as links" in note for note in told.notes)
    assert found.runs[-1].method == same.runs[-1].method == "bags"
    assert told.runs[-1].method == "mean-max-linkage"
    assert len(found.identities()) == len(set(entity)) < len(set(given["name"].to_pylist()))


def test_a_judgement_of_links_is_sampled_again(tmp_path):
    given, entity = table()
    found = crossdoc.resolve(given, output=tmp_path / "answer.crossdoc")
    a, b = (f"m{np.flatnonzero(entity == e)[0]}" for e in (0, 1))
    found.judge(a, b, "same")
    labels = dict(zip(found.partition.ids, found.partition.labels, strict=True))
    assert labels[a] == labels[b]


def test_what_is_measured_is_what_bags_would_measure_itself():
    given, _ = table()
    found, asked = (crossdoc.resolve(given, describe=False, **how) for how in ({}, {"method": "bags"}))
    assert found.partition.labels.tolist() == asked.partition.labels.tolist()


def test_the_order_of_rows_does_not_matter_to_the_measure():
    given, _ = table(300)
    rows = [Profile(row["id"], row["id"], row["name"], None, row["context"]) for row in given.to_pylist()]
    evidence = [
        make_evidence(LearnedModel.default(), ContextVectoriser(), Profiles.of(each)) for each in (rows, rows[::-1])
    ]
    one, other = (measure_links(each.vectors.matrix, each.names, 0, 1) for each in evidence)
    assert one == other


def running_text(n, people=40, seed=0):
    """A table as an extractor makes it of text: people, a third of whom occur once, in windows that overlap."""
    rng = np.random.default_rng(seed)
    rows = {"id": [], "name": [], "context": []}
    firsts = ["Ann", "Boris", "Carol", "David", "Emma"]
    while len(rows["id"]) < n:
        words = " ".join(f"word{w}" for w in rng.integers(0, 900, 60))
        once = people + len(rows["id"]) + np.arange(3)
        for who in [*rng.choice(people, 6, replace=False), *once]:
            full = rng.random() < 0.3
            rows["id"].append(f"m{len(rows['id'])}")
            rows["name"].append(f"{firsts[who % 5]} Person{who}" if full else f"Person{who}")
            rows["context"].append(words)
    return pa.table({name: values[:n] for name, values in rows.items()})


@pytest.mark.parametrize("rows", [60, 480, 520])
def test_a_table_of_running_text_is_linked_whatever_its_size(rows):
    given = running_text(rows)
    answer = crossdoc.resolve(given, describe=False)
    assert answer.runs[-1].method == "mean-max-linkage"
    entity = dict(zip(answer.partition.ids, answer.partition.labels.tolist(), strict=True))
    surname = dict(zip(given["id"].to_pylist(), (name.split()[-1] for name in given["name"].to_pylist()), strict=True))
    together = {frozenset(id for id in surname if surname[id] == each) for each in set(surname.values())}
    found = {frozenset(id for id in entity if entity[id] == each) for each in set(entity.values())}
    assert found == together


@pytest.mark.parametrize("rows", [200, 480, 520])
def test_links_are_sampled_whatever_their_number(rows):
    given, entity = table(rows)
    answer = crossdoc.resolve(given, describe=False)
    assert answer.runs[-1].method == "bags"
    assert len(set(answer.partition.labels.tolist())) == len(set(entity))
