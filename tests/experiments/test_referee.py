"""Forms of a labelled collection, and how answers are matched and reported."""

import pytest
from referee import (
    Figures,
    Material,
    Row,
    annotated,
    b3,
    groups_of_names,
    overlapping,
    report,
    rows_of,
    table_rows,
    ten_lines,
    with_one_surname,
    write_input,
)

from crossdoc.model import Document, Mention

TEXT = "Ann Lee met Bo. Lee left."


def material():
    spans = [(0, 7, "person"), (12, 14, "person"), (16, 19, "person")]
    mentions = tuple(Mention(f"d:{a}:{b}", "d", a, b, TEXT[a:b], type=t) for a, b, t in spans)
    gold = {"d:0:7": {"lee"}, "d:12:14": {"bo"}, "d:16:19": {"lee"}}
    return Material(gold, (Document("d", TEXT, language="en", mentions=mentions),))


def test_rows_have_the_text_around_a_mention():
    assert [(row.id, row.name, row.type, row.document) for row in rows_of(material())] == [
        ("d:0:7", "Ann Lee", "person", "d"),
        ("d:12:14", "Bo", "person", "d"),
        ("d:16:19", "Lee", "person", "d"),
    ]
    assert {row.context for row in rows_of(material())} == {TEXT}


@pytest.mark.parametrize(
    ("form", "names", "types"),
    [
        ("table", ["Ann Lee", "Bo", "Lee"], {"person"}),
        ("untyped", ["Ann Lee", "Bo", "Lee"], {None}),
        ("untyped-2", ["Ann Lee", "Bo"], {None}),
        ("half-typed", ["Ann Lee", "Bo", "Lee"], {"person", None}),
    ],
)
def test_forms_of_tables(form, names, types):
    rows = table_rows(material(), form)
    assert [row.name for row in rows] == names
    assert {row.type for row in rows} == types


def test_groups_of_names_share_none_and_have_the_gold_of_their_rows():
    rows = tuple(Row(f"{name}{n}", name, "person", "") for name in ("Bo", "Ann", "Cy", "Di", "Ed") for n in range(2))
    groups = groups_of_names(Material({row.id: {"x"} for row in rows}, rows=rows), "2-names")
    assert [sorted({row.name for row in group.rows}) for group in groups] == [["Ann", "Bo"], ["Cy", "Di"]]
    assert sorted(groups[0].gold) == ["Ann0", "Ann1", "Bo0", "Bo1"]


def test_everybody_has_one_surname_and_half_of_them_initials():
    rows = [Row(f"r{n}", "Ann B. Lee Jr.", "person", "") for n in range(100)]
    assert {row.name for row in with_one_surname(rows, initials=False)} == {"Wang, Ann B."}
    names = [row.name for row in with_one_surname(rows, initials=True)]
    assert set(names) == {"Wang, Ann B.", "Wang, A. B."}
    assert 30 < names.count("Wang, A. B.") < 70
    assert names == [row.name for row in with_one_surname(rows, initials=True)]


def test_forms_of_one_surname_have_the_labelled_rows_alone():
    rows = (Row("a", "Ann Lee", "person", ""), Row("b", "Bo Orr", "person", ""))
    (found,) = groups_of_names(Material({"a": {"x"}}, rows=rows, by_name=True), "one-surname")
    assert [row.name for row in found.rows] == ["Wang, Ann"]
    assert not found.by_name


def test_ten_lines_split_a_last_word_by_contexts():
    texts = {"a": "golf course club", "b": "golf club", "c": "senate vote"}
    rows = [Row(id, "Ann Lee", "person", text) for id, text in texts.items()]
    found = ten_lines([*rows, Row("d", "Bo Orr", "person", "golf club")], 0.1)
    assert found["a"] == found["b"]
    assert len(set(found.values())) == 3


def test_windows_are_around_the_surname():
    page = Material({"p": {"x"}}, rows=(Row("p", "Ann Lee", "person", "a" * 500 + " Lee " + "b" * 500),))
    (row,) = table_rows(page, "windows")
    assert "Lee" in row.context
    assert len(row.context) == 600


@pytest.mark.parametrize(("form", "mentions"), [("raw", False), ("given", True), ("given-untyped", True)])
def test_documents_are_written_with_what_the_form_gives(form, mentions, tmp_path):
    line = write_input(material(), form, tmp_path).read_text()
    assert ('"mentions"' in line) == mentions
    assert ('"person"' in line) == (form == "given")


def test_a_gold_mention_is_the_found_one_that_shares_most_of_it():
    found = ["d:0:3", "d:4:19", "e:0:9"]
    assert overlapping(["d:0:7", "d:12:14", "d:30:31", "e:8:12"], found) == {
        "d:0:7": "d:4:19",
        "d:12:14": "d:4:19",
        "e:8:12": "e:0:9",
    }


def test_b3_of_an_answer_and_the_mean_over_names():
    gold = {"a": {"x"}, "b": {"x"}, "c": {"y"}}
    assert b3({"a": "1", "b": "1", "c": "1"}, gold) == pytest.approx(0.714, abs=5e-4)
    assert b3({"a": "1", "b": "1", "c": "1"}, gold, {"a": "n", "b": "n", "c": "m"}) == 1.0


def test_the_report_names_the_worst_margin_and_the_cliff():
    nan = float("nan")
    figures = [Figures("s", "table", 9, 0.9, 0.8, nan, 0.6, 1.0), Figures("s", "untyped", 9, 0.7, 0.75, nan, 0.8, 1.0)]
    assert [round(each.margin, 3) for each in figures] == [0.1, -0.1]
    lines = report(figures, {("s", "table"): 0.85})
    assert "worst margin: -0.100 (s, untyped)" in lines
    assert "cliff of s: 0.200" in lines
    assert "0.850" in lines


def test_annotated_documents_and_their_gold(tmp_path):
    import json
    import lzma

    record = {"id": "d", "text": TEXT, "language": "en", "mentions": [{"start": 0, "end": 7, "type": "person"}]}
    with lzma.open(tmp_path / "x.jsonl.xz", "wt", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n" + json.dumps({**record, "id": "left out"}) + "\n")
    (tmp_path / "x.gold.csv").write_text("id,entity\nd:0:7,lee\nleft out:0:7,lee\n")
    read = annotated(tmp_path / "x.jsonl.xz", lambda id: id == "d")
    assert read.gold == {"d:0:7": {"lee"}}
    assert [m.text for m in read.documents[0].mentions] == ["Ann Lee"]
