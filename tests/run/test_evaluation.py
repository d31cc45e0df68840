"""`crossdoc.score`: answers and gold standards on file and in memory."""

import numpy as np
import pyarrow as pa
import pytest

import crossdoc
from crossdoc import Mention, errors
from crossdoc.scoring import Assignment

GOLD = {"a": "x", "b": "x", "c": "y"}
ANSWER = {"a": "1", "b": "2", "c": "2"}
ROWS = {"id": list(ANSWER), "entity": list(ANSWER.values())}
SOFT = crossdoc.Partition(["a", "b", "c"], np.array([[1, 0], [0.45, 0.55], [0, 1]]))


def b3(answer, gold=None, **options):
    return crossdoc.score(answer, GOLD if gold is None else gold, bootstrap=0, **options).values["b3_extended"]


@pytest.mark.parametrize("kind", ["csv", "parquet", "arrow", "pandas", "polars", "partition", "assignment", "sets"])
def test_every_kind_of_answer_and_gold(kind, write):
    rows = [{"id": id, "entity": entity} for id, entity in ANSWER.items()]
    given = {
        "csv": lambda: str(write("a.csv", rows)),
        "parquet": lambda: write("a.parquet", rows),
        "arrow": lambda: pa.table(ROWS),
        "pandas": lambda: pytest.importorskip("pandas").DataFrame(ROWS),
        "polars": lambda: pytest.importorskip("polars").DataFrame(ROWS),
        "partition": lambda: crossdoc.Partition.from_labels(["a", "b", "c"], [0, 1, 1]),
        "assignment": lambda: Assignment.of(ANSWER),
        "sets": lambda: {id: {entity} for id, entity in ANSWER.items()},
    }[kind]()
    # c and b share an entity of the answer only, a and b one of the gold standard only.
    assert b3(given) == pytest.approx({"precision": 2 / 3, "recall": 2 / 3, "f1": 2 / 3})
    assert b3(ANSWER, given)["f1"] == 1


def test_memberships_above_theta():
    assert b3(SOFT)["recall"] == b3(SOFT, theta=0.5)["recall"] == pytest.approx(2 / 3)
    assert b3(SOFT, theta=0.4)["recall"] == 1


def test_a_result_on_file_and_open(tmp_path):
    text = "Ann Lee spoke. Lee left."
    mentions = (Mention("m", "d", 0, 7, "Ann Lee", chain="c"), Mention("n", "d", 15, 18, "Lee", chain="c"))
    path = tmp_path / "a.crossdoc"
    with crossdoc.resolve([crossdoc.Document("d", text, mentions=mentions)], output=path) as opened:
        assert b3(opened, opened.partition) == {"precision": 1, "recall": 1, "f1": 1}
        given = opened.answer("mention").column("id").to_pylist()
        gold = dict.fromkeys(given, "Ann")
        found = [b3(opened, gold, level=level)["recall"] for level in ("profile", "mention")]
    assert found == [b3(path, gold, level=level)["recall"] for level in ("profile", "mention")] == [0.5, 1]


def test_groups_of_the_gold_standard_count_and_those_of_the_answer_do_not():
    gold = pa.table({"id": list(GOLD), "entity": list(GOLD.values()), "group": ["n", "n", "m"]})
    answer = pa.table({**ROWS, "group": ["p", "q", "r"]})
    scores = crossdoc.score(answer, gold, by="group", bootstrap=20)
    assert set(scores.groups) == {"n", "m"}
    assert "b3" in scores.intervals


@pytest.mark.parametrize(
    ("answer", "options", "message"),
    [
        (42, {}, "cannot be a int"),
        (pa.table({"id": ["a"]}), {}, "no column entity"),
        ("nowhere.csv", {}, "nowhere"),
        (ANSWER, {"by": "name"}, "'name'"),
        (ANSWER, {"level": "word"}, "'word'"),
        (ANSWER, {"theta": 2}, "theta is 2"),
        (ANSWER, {"theta": 0.5}, "needs a column membership"),
        (ANSWER, {"bootstrap": -1}, "bootstrap is -1"),
        ({"z": "1"}, {}, "no id"),
    ],
)
def test_what_cannot_be_scored(answer, options, message):
    with pytest.raises(errors.CrossdocError, match=message):
        crossdoc.score(answer, GOLD, **{"bootstrap": 0, **options})
