"""Wikitext to blocks of text with links."""

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wikitext import blocks, html_blocks, wikipedia_title, without_bracket

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


@pytest.mark.parametrize(
    ("address", "title"),
    [
        ("https://en.wikipedia.org/wiki/Bill_Clinton", "Bill Clinton"),
        ("//en.wikipedia.org/wiki/Bill_Clinton", None),
        ("http://de.wikipedia.org/wiki/Bonn", None),
        ("https://en.wikipedia.org/wiki/File:A.jpg", None),
        ("https://en.wikipedia.org/", None),
        ("https://en.wikipedia.org.evil.com/wiki/Bonn", None),
        ("http://[broken", None),
    ],
)
def test_addresses(address, title):
    assert wikipedia_title(address) == title


def test_blocks_of_a_web_page():
    page = """<html><head><title>[x]</title><base href="https://en.wikipedia.org/wiki/X"></head><body>
    <script>var a = "<a href='/wiki/Script'>s</a>"</script>
    <div>Before <p>He met <a href="/wiki/Bill_Clinton"> <b>Bill</b>
    Clinton </a>, who <a href="http://x.org">laughed</a>.</p> after
    <a href="//en.wikipedia.org/wiki/Bonn">Bonn</a></div>
    <ul><li>One<li>Two <a href="/wiki/Empty"><img src=a></a></ul> a<br>b<br><br>c</body></html>"""
    found = list(html_blocks(page))
    assert [block.text for block in found] == [
        "Before", "He met Bill Clinton , who laughed.", "after Bonn", "One", "Two", "a b", "c",
    ]  # fmt: skip
    assert anchors(found) == [("Bill Clinton", "Bill Clinton"), ("Bonn", "Bonn")]


def test_a_link_round_blocks_and_a_page_without_a_body():
    round_two = "<a href='https://en.wikipedia.org/wiki/Bonn'><p>Bonn</p><p>on the Rhine</p></a>"
    assert anchors(html_blocks(round_two)) == [("Bonn", "Bonn"), ("on the Rhine", "Bonn")]
    assert list(html_blocks("")) == []


WORST = {
    "nested links": lambda: list(html_blocks("<div><a href='x'>" * 30_000)),
    "open brackets": lambda: without_bracket(" " * 250_000 + "(" * 250_000),
    "open templates": lambda: list(blocks("{{" * 100_000 + "[[" * 100_000)),
    "open tables": lambda: list(blocks("{|" * 100_000 + "<ref" * 50_000)),
    "spaces": lambda: list(blocks("a" + " " * 400_000 + "b")),
}


@pytest.mark.parametrize("name", WORST)
def test_worst_texts_take_linear_time(name):
    began = time.process_time()
    WORST[name]()
    assert time.process_time() - began < 10
