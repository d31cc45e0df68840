"""Web pages to blocks of text with links to Wikipedia."""

import pytest

from crossdoc.corpora.wikihtml import html_blocks, wikipedia_title

from .common import anchors


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
