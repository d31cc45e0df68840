"""In a notebook: well-formed, with the facts that a person wants, and nothing of a document that would run."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser

import pytest

from crossdoc.model import Document, Documents, Identity, Member, Mention, Mentions, Profile, Profiles, Relation
from crossdoc.model.notebook import LARGEST, MEMBERS, ROWS, certainty_in_words
from crossdoc.run.resolution import Resolution
from crossdoc.store import Store

EVIL = "<script>alert('x')</script>&\""
VOID = {"br"}


class Page(HTMLParser):
    """What a browser would see: the elements in order, and the text between them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.styles: list[str] = []
        self.texts: list[str] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        assert {name for name, _ in attrs} <= {"style"}
        self.tags.append(tag)
        self.styles += [value for _, value in attrs]
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    @property
    def text(self) -> str:
        return "".join(self.texts)


def safe(noun: object) -> Page:
    page = Page(noun._repr_html_())
    assert set(page.tags) <= {"div", "b", "i", "br", "table", "thead", "tbody", "tr", "th", "td", "span"}
    return page


MEMBERS_GIVEN = tuple(Member(f"p{i}", EVIL, f"name {i} {EVIL}", 1 - i / 50, EVIL) for i in range(MEMBERS + 5))
IDENTITY = Identity("p0", EVIL, EVIL, EVIL, {EVIL: 2, "Ann": 1}, 1200, 7, "1996", "1997-02", 0.95, MEMBERS_GIVEN)


def test_an_identity():
    page = safe(IDENTITY)
    assert page.text.count(EVIL) == 1 + 1 + 1 + 1 + 3 * MEMBERS
    for told in ("1,200 documents", "7 mentions", "1996 – 1997-02", "sure", "Ann (1)", "… and 5 more", "0.98"):
        assert told in page.text
    assert f"name {MEMBERS - 1}" in page.text
    assert f"name {MEMBERS} " not in page.text
    assert any("width:98%" in style for style in page.styles)


def test_an_identity_that_says_little():
    page = safe(replace(IDENTITY, type=None, descriptor="", first_date=None, last_date="1996", members=()))
    assert "entity · 1,200 documents · 7 mentions · 1996 · sure" in page.text
    assert "table" not in page.tags


@pytest.mark.parametrize(
    ("certainty", "words"), [(1.0, "sure"), (0.9, "sure"), (0.89, "fairly sure"), (0.5, "unsure"), (0.1, "very unsure")]
)
def test_certainty_in_words(certainty, words):
    assert certainty_in_words(certainty) == words


def test_a_resolution():
    store = Store.memory()
    with store.batch():
        store.add(Documents.of([Document("d", "text")]))
    store.save_identities(
        replace(IDENTITY, id=f"p{i}", name=f"Person {i} {EVIL}", n_documents=100 - i, certainty=0.6)
        for i in range(LARGEST + 2)
    )
    page = safe(Resolution(store))
    assert "1 documents, 0 mentions, 0 profiles, 12 identities" in page.text
    assert page.tags.count("tr") == 1 + LARGEST
    assert f"Person {LARGEST - 1} <script>" in page.text
    assert f"Person {LARGEST} " not in page.text
    assert page.text.count("unsure") == LARGEST
    assert "… and 2 more" in page.text


@pytest.mark.parametrize(
    "table",
    [
        Documents.of(Document(f"d{i}", EVIL * 20, EVIL) for i in range(ROWS + 1)),
        Mentions.of(Mention(f"m{i}", "d", i, i + 1, EVIL) for i in range(ROWS + 1)),
        Profiles.of(
            Profile(f"p{i}", "d", EVIL, attributes={EVIL: [EVIL]}, relations=(Relation(EVIL, EVIL),))
            for i in range(ROWS + 1)
        ),
    ],
    ids=lambda table: type(table).__name__,
)
def test_tables(table):
    page = safe(table)
    assert page.tags.count("tr") == 1 + ROWS
    assert [text for text in page.texts[2:] if text in table.schema.names] == table.schema.names
    assert EVIL in page.text
    assert f"{table.ids[ROWS - 1]}" in page.texts
    assert f"{table.ids[ROWS]}" not in page.texts
    assert "… and 1 more" in page.text
    assert max(map(len, page.texts)) <= 80


def test_an_empty_table():
    assert safe(Profiles.of([])).text.startswith("Profiles: 0")
