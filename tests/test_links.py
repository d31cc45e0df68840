"""Tables of links are clustered as links, unless somebody asks for something else."""

import numpy as np
import pyarrow as pa
import pytest

import crossdoc
from crossdoc import links
from crossdoc.compare.evidence import ProfileEvidence
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.engine import LocalEngine
from crossdoc.links import FEWEST, FEWEST_NAMES, Seen, left_open
from crossdoc.model import Profile, Profiles, Relation
from crossdoc.settings import Settings

N = FEWEST


def some(n=100, names=FEWEST_NAMES, **given):
    return Profiles.of(
        Profile(str(k), "d", f"n{k % names}", **{"type": None, "context": f"words w{k % 7}", **given}) for k in range(n)
    )


@pytest.mark.parametrize(
    ("profiles", "of", "links"),
    [
        (some(), N, True),
        (some(), N - 1, False),
        (some(names=FEWEST_NAMES - 1), N, False),
        (some(type="person"), N, False),
        (some(context=""), N, False),
        (some(attributes={"born": ["1931"]}), N, False),
        (some(relations=(Relation("co_author", "Ann Lee"),)), N, False),
        (Profiles.of([]), N, False),
    ],
)
def test_a_name_and_words_are_a_link(profiles, of, links):
    assert Seen.of(profiles)._replace(profiles=of, worded=of if Seen.of(profiles).worded else 0).are_links == links


@pytest.mark.parametrize(
    ("entity_type", "names"), [(None, ["us senator", "prime"]), ("person", ["U.S. senators", "Primé"])]
)
def test_names_of_links_count_in_one_spelling(entity_type, names):
    rows = [Profile(str(k), "d", name, entity_type, "words") for k, name in enumerate(("U.S. senators", "Primé"))]
    evidence = ProfileEvidence(LearnedModel.default(), ContextVectoriser(), Profiles.of(rows))
    assert evidence.names == names


def test_parts_are_seen_together():
    parts = [Seen(1500, 100, 40, False), Seen(1500, 1400, 60, False)]
    assert Seen.united(parts) == Seen(3000, 1500, 60, False)
    assert Seen.united(parts).are_links
    assert not Seen.united([*parts, Seen(1, 1, 1, True)]).are_links


def test_half_of_the_profiles_need_a_context():
    rows = some(200).arrow.to_pylist()
    for worded, links_ in ((100, True), (99, False)):
        kept = [{**row, "context": row["context"] if at < worded else None} for at, row in enumerate(rows)]
        seen = Seen.of(Profiles(pa.Table.from_pylist(kept, some(1).arrow.schema)))
        assert seen._replace(profiles=N, worded=seen.worded * N // 200).are_links == links_


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
    assert left_open(settings) == open_


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
def test_a_table_of_links_is_sampled(monkeypatch, tmp_path, engine):
    monkeypatch.setattr(links, "FEWEST", 300)
    monkeypatch.setattr(links, "FEWEST_NAMES", 30)
    given, entity = table()
    with LocalEngine(2) as partitions:
        how = {"engine": engine or partitions, "output": tmp_path / "answer"}
        found = crossdoc.resolve(given, **how)
        told = crossdoc.resolve(given, **{**how, "output": tmp_path / "other"}, method="mean-max-linkage")
        same = crossdoc.resolve(given, **{**how, "output": tmp_path / "third"}, settings=Settings(seed=0))
    assert any("clustered as links, by sampling" in note for note in found.notes)
    assert not any("as links" in note for note in told.notes)
    assert found.runs[-1].method == same.runs[-1].method == "sampling"
    assert told.runs[-1].method == "mean-max-linkage"
    assert len(found.identities()) == len(set(entity)) < len(set(given["name"].to_pylist()))


def test_a_judgement_of_links_is_sampled_again(monkeypatch, tmp_path):
    monkeypatch.setattr(links, "FEWEST", 300)
    monkeypatch.setattr(links, "FEWEST_NAMES", 30)
    given, entity = table()
    found = crossdoc.resolve(given, output=tmp_path / "answer.crossdoc")
    a, b = (f"m{np.flatnonzero(entity == e)[0]}" for e in (0, 1))
    found.judge(a, b, "same")
    labels = dict(zip(found.partition.ids, found.partition.labels, strict=True))
    assert labels[a] == labels[b]
