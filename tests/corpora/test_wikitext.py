"""Wikitext to blocks of text with links."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossdoc.corpora.wikitext import blocks

from .common import anchors


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("[[Neil Armstrong]]", [("Neil Armstrong", "Neil Armstrong")]),
        ("[[neil Armstrong|he]]", [("he", "Neil Armstrong")]),
        ("[[anarchist]]s everywhere", [("anarchists", "Anarchist")]),
        ("[[Mercury (planet)|]]", [("Mercury", "Mercury (planet)")]),
        ("[[A_b#Life|  x   y ]]", [("x y", "A b")]),
        ("[[#Life|here]] [[Category:Moons]] [[fr:Lune]] [[:Category:Moons]] [[wikt:moon|moon]]", []),
        ("[[File:a.jpg|thumb|A [[Moon]] and {{t|[[Sun]]}}]] [[Earth]]", [("Earth", "Earth")]),
        ("{{Infobox|a={{b|[[Moon]]}}|c=[[Sun]]}}[[Earth]]", [("Earth", "Earth")]),
        ("<ref name=a>[[Moon]]</ref><ref name='b' />[[Earth]]<!-- [[Sun]] -->", [("Earth", "Earth")]),
        ("[[Star Trek: Voyager]] [http://x.org/a [not a link]]", [("Star Trek: Voyager", "Star Trek: Voyager")]),
        ("''[[Blade Runner|'''Blade''' Runner]]''", [("Blade Runner", "Blade Runner")]),
        ("[[AT&amp;T]] &nbsp; [[S%C3%A3o Paulo]]", [("AT&T", "AT&T"), ("S%C3%A3o Paulo", "São Paulo")]),
    ],
)
def test_links_of_wikitext(source, expected):
    assert anchors(blocks(source)) == expected


def test_paragraphs_items_and_headings_are_blocks():
    source = "One\nand more.\n\n== Life ==\n* an item\n** below it\n{|\n| a cell\n|}\nTwo<br>lines<p>Three"
    assert [block.text for block in blocks(source)] == ["One and more.", "an item", "below it", "Two lines", "Three"]


@given(
    st.lists(
        st.sampled_from(["[[", "]]", "{{", "}}", "{|", "|}", "|", "<ref>", "</ref>", "<!--", "-->", "a ", "\n"])
    ).map("".join)
)
def test_whatever_is_left_open_anchors_are_where_they_are_said_to_be(source):
    for block in blocks(source):
        assert block.text == " ".join(block.text.split())
        assert all(block.text[link.start : link.end].strip() for link in block.links)
        assert all(link.end <= following.start for link, following in pairwise(block.links))


def test_a_hostile_page_takes_linear_time():
    assert list(blocks("{{" * 200_000 + "[[" * 200_000 + "<ref>" * 200_000 + "<!--" * 100_000)) != []
