"""A document's page: its whole text, and everybody in it. Why: what each kind of evidence said and counts."""

from __future__ import annotations

from collections import Counter
from urllib.parse import quote

import pytest

from crossdoc.run.resolution import Resolution
from crossdoc.web.parts.evidence_bars import FIELD_NAMES, verdict
from crossdoc.web.reader import STRONGEST

pytestmark = pytest.mark.browser
A, B = "motors-1:65:78", "motors-2:203:213"


@pytest.fixture(scope="module")
def motors(sample):
    with Resolution.open(sample) as resolution:
        rows = [row for row in resolution.answer("mention").to_pylist() if row["document"] == "motors-1"]
        text = next(document.text for document in resolution.store.documents() if document.id == "motors-1")
    return text, rows


def test_the_text_is_whole_and_everybody_in_it_is_named(explorer, visit, motors, picture):
    text, rows = motors
    page = visit(explorer, "/document?id=motors-1&identity=motors-1:65:78")
    assert page.locator(".x-text").text_content() == text
    assert page.locator("h1").text_content() == "Halden Motors turns to a company man"
    counted = Counter(row["entity"] for row in rows)
    listed = page.get_by_role("complementary", name="Who is in it").locator("li")
    assert listed.count() == len(counted)
    assert f"{counted['motors-1:65:78']} mentions" in page.locator(".x-chosen").text_content()
    picture(page, "document")
    page.locator(".x-text a", has_text="Detroit").first.click()
    page.wait_for_url("**/identity?id=*")


def test_another_one_is_highlighted_when_asked(explorer, visit):
    page = visit(explorer, "/document?id=motors-1")
    assert page.locator("mark.x-this").count() == 0
    page.get_by_role("link", name="Highlight Toledo in the text").click()
    page.wait_for_selector("mark.x-this")
    assert page.locator("mark.x-this").all_text_contents() == ["Toledo"]


def test_one_that_is_not_there(explorer, visit):
    page = visit(explorer)
    page.watched.allowed.append("status of 404")
    assert page.goto(explorer.at("/document?id=nowhere")).status == 404
    assert "There is no such document." in page.locator(".x-empty").text_content()


def test_two_profiles_side_by_side(explorer, visit, axe, picture):
    page = visit(explorer, f"/why?a={quote(A, safe='')}&b={quote(B, safe='')}")
    rows = page.locator(".x-evidence li")
    rows.first.wait_for()
    with Resolution.open(explorer.path) as answer:
        told = answer.explain(A, B)
    awake = [opinion for opinion in told.opinions if opinion.score is not None]
    assert rows.count() == len(awake) > 3
    for row, opinion in zip(rows.all(), awake, strict=True):
        said = row.inner_text()
        assert FIELD_NAMES[opinion.specialist] in said
        assert verdict(opinion.weight) in said
        assert f"similarity: {opinion.score:.0%}" in said
        assert opinion.evidence in said
    assert page.locator("h1").inner_text() == "Treated as one"
    cards = page.locator(".x-pair > section")
    assert cards.count() == 2
    assert cards.nth(0).locator("mark").first.inner_text() == "John A. Smith"
    assert "The cup holder was supposed to be the selling point" in cards.nth(1).inner_text()
    assert axe(page) == []
    picture(page, "why")


def test_a_profile_and_an_identity(explorer, visit, axe):
    page = visit(explorer, f"/why?a={quote(B, safe='')}&identity={quote('paris-1:109:123', safe='')}")
    page.get_by_role("heading", name="Not assigned to John Smith Jr.").wait_for()
    assert page.get_by_role("heading", name="Compared with").count() == STRONGEST
    assert page.locator(".x-evidence").count() == STRONGEST
    assert page.locator(".x-evidence li").count() > 2 * STRONGEST
    assert axe(page) == []
    page.goto(explorer.at(f"/why?a={quote(B, safe='')}&identity={quote(A, safe='')}"))
    page.get_by_role("heading", name="Assigned to John A. Smith").wait_for()


def test_no_such_profile(explorer, visit):
    page = visit(explorer, "/")
    page.watched.allowed.append("404")
    answer = page.goto(explorer.at("/why?a=nobody&b=none"))
    assert answer.status == 404
    assert "There is no such passage" in page.locator("main, .x-main").first.inner_text()
