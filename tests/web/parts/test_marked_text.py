"""Texts cut at their mentions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossdoc.store.views import Span
from crossdoc.web.parts.marked_text import marked, pieces

TEXT = "Ann Smith met Bob."


def span(start, end, identity):
    return Span(start, end, identity, identity or "", "person", "name", "p")


def test_mentions_are_links_and_those_of_the_identity_are_highlighted():
    found = pieces(TEXT, [span(0, 9, "a"), span(14, 17, "b")], "b")
    assert found == [
        {"text": "Ann Smith", "title": "a", "id": "mention-0", "class": "x-mention x-person", "href": "/identity?id=a"},
        {"text": " met "},
        {"text": "Bob", "title": "b", "id": "mention-1", "class": "x-mention x-this"},
        {"text": "."},
    ]


@pytest.mark.parametrize(("identity", "kept"), [("", ["Ann Smith"]), ("b", ["Smith"])])
def test_of_overlapping_mentions_one_is_shown(identity, kept):
    found = pieces(TEXT, [span(0, 9, "a"), span(4, 9, "b")], identity)
    assert [each["text"] for each in found if "class" in each] == kept


def test_a_mention_without_identity_is_text():
    assert pieces(TEXT, [span(0, 9, None)]) == [{"text": "Ann Smith"}, {"text": " met Bob."}]


@given(st.lists(st.tuples(st.integers(-3, 25), st.integers(-3, 25)), max_size=8))
def test_no_text_is_lost_whatever_the_spans(spans):
    assert "".join(each["text"] for each in pieces(TEXT, [span(a, b, "x") for a, b in spans])) == TEXT
    assert "".join(each["text"] for each in marked(TEXT, [each for each in spans if each[0] >= 0])) == TEXT


def test_spans_are_highlighted():
    assert marked(TEXT, [(14, 17), (0, 3), (1, 9)]) == [
        {"text": "Ann", "class": "x-mention x-this"},
        {"text": " Smith met "},
        {"text": "Bob", "class": "x-mention x-this"},
        {"text": "."},
    ]
