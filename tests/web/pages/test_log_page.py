"""The log of corrections: who, when, why; undoing; what was undone."""

from urllib.parse import quote

import pytest

from .conftest import correct, go_on

pytestmark = pytest.mark.browser
PAIR = ("pastor-1:427:446", "bush-10:166:170")


def test_what_was_said_can_be_taken_back(editable, visit, axe, picture, entries):
    page = visit(editable, f"/why?a={quote(PAIR[0], safe='')}&b={quote(PAIR[1], safe='')}", name="Mia")
    page.get_by_role("button", name="They are different").click()
    correct(page, "=SUM(1)")
    page.locator(".x-good").wait_for()
    number = entries()[-1].number
    page.goto(editable.at("/corrections"))
    line = page.locator(".x-item", has_text=f"entry {number}").first
    line.wait_for()
    assert "Constance Abernathy in pastor-1 and Bush in bush-10 are different" in line.inner_text()
    assert "“=SUM(1)”" in line.inner_text()
    assert "Mia · 20" in line.inner_text()
    assert axe(page) == []
    picture(page, "corrections")

    page.get_by_role("button", name=f"Undo entry {number}").click()
    correct(page, "a slip")
    page.locator(".x-good").wait_for()
    go_on(page)
    assert page.locator(".x-item", has_text=f"entry {number}").count() == 0
    page.get_by_role("checkbox", name="Also show what was undone").check()
    line = page.locator(".x-item", has_text=f"entry {number}").first
    line.wait_for()
    assert "Undone by Mia" in line.inner_text()
    assert "“a slip”" in line.inner_text()
    assert entries()[-1].undoes == number


def test_nothing_yet(explorer, visit):
    page = visit(explorer, "/corrections")
    page.get_by_text("Nothing has been corrected yet").wait_for()
