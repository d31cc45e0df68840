"""Why: two profiles, or a profile and an identity, with what each kind of evidence said and counts."""

from urllib.parse import quote

import pytest

from crossdoc.run.resolution import Resolution
from crossdoc.web.parts.evidence_bars import FIELD_NAMES, verdict
from crossdoc.web.reader import STRONGEST

pytestmark = pytest.mark.browser
A, B = "motors-1:65:78", "motors-2:203:213"


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
