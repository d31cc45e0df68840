"""Rows that are refused when they are made by hand."""

from __future__ import annotations

import sys

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossdoc import errors
from crossdoc.model import (
    Document,
    Documents,
    Judgement,
    Mention,
    Mentions,
    Partition,
    Profile,
    Profiles,
    Relation,
)


@pytest.mark.parametrize(
    ("a", "b", "verdict", "weight", "told"),
    [
        ("a", "b", "Same", 1.0, "'Same', and must be 'same' or 'different'"),
        ("a", "b", "", 1.0, "'same' or 'different'"),
        ("a", "b", None, 1.0, "'same' or 'different'"),
        ("a", "a", "same", 1.0, "'a' is judged against itself"),
        ("", "b", "same", 1.0, "id is empty"),
        ("a", "", "same", 1.0, "id is empty"),
        ("a", "b", "same", -0.5, "weight is -0.5"),
        ("a", "b", "same", float("nan"), "weight is nan"),
        ("a", "b", "same", float("inf"), "weight is inf"),
    ],
)
def test_what_is_no_judgement_is_refused(a, b, verdict, weight, told):
    with pytest.raises(errors.InputError, match=told):
        Judgement(a, b, verdict, weight=weight)


def test_a_judgement_says_what_it_means():
    assert str(Judgement("a", "b", "same", weight=0.0)) == "a is the same as b"
    assert str(Judgement("a", "b", "different", who="ann")) == "a is different from b (ann)"


@pytest.mark.parametrize(("start", "end"), [(-1, 3), (5, 4), (-3, -1)])
def test_a_mention_lies_within_a_text(start, end):
    with pytest.raises(errors.InputError, match=f"'m' goes from character {start} to {end}"):
        Mention("m", "d", start, end, "text")
    assert Mention("m", "d", 0, 0, "").end == 0


def test_documents_and_profiles_have_ids():
    with pytest.raises(errors.InputError, match="document has an empty id"):
        Document("", "text")
    with pytest.raises(errors.InputError, match="profile has an empty id"):
        Profile("", "d", "Ann")


texts = st.text(st.characters(codec="utf-8"), max_size=12)
maybe = st.none() | texts
ids = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)
spans = st.tuples(st.integers(0, 2**63 - 1), st.integers(0, 2**63 - 1)).map(sorted)
mentions = st.builds(
    lambda id, document, span, *rest: Mention(id, document, *span, *rest),
    texts, texts, spans, texts, maybe, st.sampled_from(["name", "nominal", "pronoun"]), maybe,
)  # fmt: skip
documents = st.builds(
    Document, ids, texts, maybe, maybe, maybe, maybe, st.none() | st.lists(mentions, max_size=3).map(tuple)
)
attributes = st.dictionaries(texts, st.lists(texts, max_size=3), max_size=3)
relations = st.lists(st.builds(Relation, texts, texts, maybe, maybe), max_size=2).map(tuple)
profiles = st.builds(Profile, ids, texts, texts, maybe, texts, maybe, attributes, relations)


@pytest.mark.parametrize(("table", "row"), [(Mentions, mentions), (Documents, documents), (Profiles, profiles)])
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_tables_give_their_rows_back(table, row, data):
    rows = data.draw(st.lists(row, max_size=6))
    made = table.of(rows)
    assert list(made) == rows
    assert len(made) == len(rows)
    assert [made[i] for i in range(-len(rows), len(rows))] == rows * 2
    assert made.ids.tolist() == [r.id for r in rows]
    assert list(table(made.arrow)) == rows
    backwards = list(range(len(rows)))[::-1]
    assert list(made.take(backwards)) == rows[::-1]
    with pytest.raises(IndexError):
        made[len(rows)]


def test_a_table_casts_and_selects_columns():
    arrow = pa.table({"extra": [1], **{name: pa.nulls(1) for name in Profiles.schema.names}})
    made = Profiles(arrow)
    assert made.arrow.schema == Profiles.schema
    assert made[0].attributes == {}
    assert repr(made) == "<Profiles: 1>"
    with pytest.raises(KeyError):
        Profiles(arrow.drop_columns(["name"]))


def test_the_rows_of_a_table_are_shown_as_they_are():
    """Or else nobody could say what is wrong with a table that another program made."""
    arrow = pa.table(
        {"id": [""], "start": [9], "end": [3], **{n: [None] for n in ("document", "text", "type", "kind", "chain")}}
    )
    assert (Mentions(arrow)[0].start, Mentions(arrow)[0].end) == (9, 3)
    nothing = pa.table({name: pa.nulls(1) for name in Profiles.schema.names}, schema=Profiles.schema)
    assert next(iter(Profiles(nothing))).id is None


@pytest.mark.parametrize(
    "noun",
    [
        Documents.of([Document("d", "text", mentions=(Mention("m", "d", 0, 4, "text"),)), Document("e", "")]),
        Mentions.of([Mention("m", "d", 0, 4, "text")]),
        Profiles.of([Profile("p", "d", "Ann", attributes={"role": ["chair"]}, relations=(Relation("kin", "Bo"),))]),
        Partition(["a", "b"], [[0.4, 0.6], [1.0, 0.0]]),
    ],
    ids=lambda noun: type(noun).__name__,
)
def test_frames(noun):
    arrow = noun.to_arrow()
    assert len(arrow) == len(noun)
    frame = noun.to_pandas()
    assert type(frame).__module__.startswith("pandas")
    assert list(frame.columns) == arrow.column_names
    assert list(frame["id"]) == arrow.column("id").to_pylist()


def test_a_frame_needs_its_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(errors.UsageError, match="pip install pandas"):
        Partition(["a"], [[1.0]]).to_pandas()
