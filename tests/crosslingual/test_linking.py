"""From groups, judgements and gold to links and what is said of them."""

import json

import pytest

from crossdoc.crosslingual import ArticleGroup, LinkDetector, link_groups, sweep_biases
from crossdoc.crosslingual.linking import plot, score_links, table
from crossdoc.errors import CrossdocError
from crossdoc.model import Judgement
from crossdoc.scoring import Assignment

TITLES = {
    "en-jets": "Airbus wins Qatar order",
    "en-fall": "Apple shares fall 12 percent",
    "de-jets": "Airbus erhält Auftrag aus Qatar",
    "de-fall": "Aktie von Apple fällt 12 Prozent",
    "es-jets": "Airbus gana un pedido de Qatar",
}


@pytest.fixture
def groups():
    return [ArticleGroup(id, id[:2], (title,)) for id, title in TITLES.items()]


@pytest.fixture
def gold():
    return Assignment.of({id: id[3:] for id in TITLES})


def test_tables_and_summary_agree(groups, gold):
    linked = link_groups(groups, LinkDetector(bias=0.1), gold=gold)
    answer = linked.answer().to_pylist()
    assert [row["id"] for row in answer] == list(TITLES)
    assert {row["id"]: row["entity"] for row in answer if row["id"][3:] == "jets"} == dict.fromkeys(
        ("en-jets", "de-jets", "es-jets"), "de-jets"
    )
    assert [(row["language"], row["translated_by"], row["title"]) for row in answer[:3:2]] == [
        ("en", "as it is", TITLES["en-jets"]),
        ("de", "none", TITLES["de-jets"]),
    ]
    pairs = linked.pairs().to_pylist()
    told = json.loads(json.dumps(linked.summary()))
    assert len(pairs) == told["links"] == 4
    assert [row["similarity"] for row in pairs] == sorted((row["similarity"] for row in pairs), reverse=True)
    assert (told["groups"], told["clusters"], told["languages"]) == (5, 2, {"de": 2, "en": 2, "es": 1})
    assert (told["bias"], told["bias_rule"], told["method"]) == (0.1, "given", "correlation")
    assert (told["precision"], told["recall"], told["f1"]) == (1, 1, 1)
    assert told["objective"] == linked.detector.bounds_["objective"]
    assert "f1" not in link_groups(groups, LinkDetector(bias=0.1)).summary()


def test_soft_adds_memberships(groups):
    torn = [ArticleGroup("en-jets", "en", (TITLES["en-jets"],)), ArticleGroup("en-same", "en", (TITLES["en-jets"],))]
    linked = link_groups([*torn, *groups[2:]], LinkDetector(bias=0.1))
    hard, soft = linked.answer().to_pylist(), linked.answer(soft=True).to_pylist()
    assert [row["id"] for row in hard] == ["en-jets", "en-same", "de-jets", "de-fall", "es-jets"]
    assert len(soft) > len(hard)
    assert all(row in soft for row in hard)


def test_a_title_is_made_of_the_text_where_there_is_none(groups):
    longer = [*groups, ArticleGroup("es-fall", "es", (), ("Apple baja 12 " + "x" * 200,))]
    titles = link_groups(longer, LinkDetector(bias=0.1)).answer()["title"].to_pylist()
    assert titles[-1] == ("Apple baja 12 " + "x" * 200)[:100]


def test_a_sweep_leaves_the_links_as_they_were(groups, gold):
    linked = link_groups(groups, LinkDetector(bias=0.1), gold=gold)
    before = linked.summary()
    points = linked.curve(step=0.1, until=1.0)
    assert len(points) > 2
    assert [point.bias for point in points] == sorted((point.bias for point in points), reverse=True)
    assert (points[0].links, max(point.f1 for point in points)) == (1, 1)
    assert linked.summary() == before
    shorter = linked.curve(step=0.1, until=0.2)
    assert [point.bias for point in shorter] == [point.bias for point in points[: len(shorter)]]
    assert len(shorter) < len(points)


def test_a_sweep_honours_the_constraints(groups, gold):
    apart = [Judgement("en-jets", "de-jets", "different"), Judgement("en-jets", "es-jets", "different")]
    linked = link_groups(groups, LinkDetector(bias=0.1), constraints=apart, gold=gold)
    assert linked.point().recall == pytest.approx(2 / 4)
    assert max(point.recall for point in linked.curve(step=0.1, until=1.0)) == pytest.approx(2 / 4)


def test_the_point_is_that_of_the_detectors_bias(groups, gold):
    linked = link_groups(groups, gold=gold)
    point, tally = linked.point(), score_links(linked.detector, gold)
    assert (point.bias, point.precision, point.recall) == (linked.detector.bias_.bias, tally.precision, tally.recall)
    assert (point.links, point.seconds) == (linked.detector.n_links_, 0)
    with pytest.raises(CrossdocError, match="--gold"):
        link_groups(groups).curve()


def test_files(write):
    groups = write("g.jsonl", [{"id": id, "language": id[:2], "titles": [title]} for id, title in TITLES.items()])
    gold = write("gold.csv", "id,entity\n" + "".join(f"{id},{id[3:]}\n" for id in TITLES))
    said = write("said.csv", "en-jets,de-jets,different\n")
    linked = link_groups(groups, LinkDetector(bias=0.1), constraints=said, gold=gold)
    assert linked.summary()["recall"] < 1
    labels = dict(zip(TITLES, linked.detector.labels_.tolist(), strict=True))
    assert labels["en-jets"] != labels["de-jets"]
    with pytest.raises(CrossdocError, match=r"said\.csv names profiles that do not exist: 'nobody'"):
        link_groups(groups, constraints=write("said.csv", "en-jets,nobody,same\n"))


def test_ids_that_only_one_side_has(groups):
    gold = Assignment.of({"en-jets": "x", "de-jets": "x", "else": "x"})
    assert link_groups(groups, LinkDetector(bias=0.1), gold=gold).notes == [
        "Ids in the gold standard without a group, which count as singletons: 1.",
        "Groups that are not in the gold standard and are left out of precision and recall: 3.",
    ]
    with pytest.raises(CrossdocError, match="no id in common"):
        link_groups(groups, gold=Assignment.of({"else": "x"}))


def test_what_makes_two_of_one_language_the_same_is_said_before_anything_is_compared(groups):
    said = [Judgement("en-jets", "de-jets", "same"), Judgement("de-jets", "en-fall", "same")]
    detector = LinkDetector(bias=0.1)
    with pytest.raises(CrossdocError, match="en-jets and en-fall are the same, but both are in en") as raised:
        link_groups(groups, detector, constraints=said)
    assert "1. en-jets is the same as de-jets" in str(raised.value)
    assert "2. de-jets is the same as en-fall" in str(raised.value)
    assert not hasattr(detector, "relations_")
    loose = link_groups(groups, LinkDetector(bias=0.1, method="hc"), constraints=said).detector
    assert loose.labels_[0] == loose.labels_[1]


def test_a_curve(groups, gold, tmp_path):
    linked = link_groups(groups, gold=gold)
    biases = sweep_biases(linked.detector.relations_, linked.detector.pairs_, until=1.0)
    points = linked.curve(until=1.0)
    assert [point.bias for point in points] == sorted(biases.tolist(), reverse=True)
    assert points[0].links == 1
    assert points[0].precision == 1
    assert max(point.f1 for point in points) == 1
    assert table(points).column_names[:5] == ["bias", "positive_share", "precision", "recall", "f1"]
    pytest.importorskip("matplotlib")
    for ending in ("svg", "png"):
        plot({"LP": points}, tmp_path / f"curve.{ending}", ("chosen", points[0]))
        assert (tmp_path / f"curve.{ending}").stat().st_size > 1000
    plot({"LP": points}, tmp_path / "again.svg", ("chosen", points[0]))
    assert (tmp_path / "again.svg").read_bytes() == (tmp_path / "curve.svg").read_bytes()
