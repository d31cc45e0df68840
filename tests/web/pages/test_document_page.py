"""A document's page: its whole text, and everybody in it."""

from __future__ import annotations

from collections import Counter

import pytest

from crossdoc.run.resolution import Resolution


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
