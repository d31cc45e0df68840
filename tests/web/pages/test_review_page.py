"""Review by keyboard: same, different, skip, undo; blind; progress; two who review at once."""

import pytest

from crossdoc.run.resolution import Resolution
from crossdoc.run.review import Review

pytestmark = pytest.mark.browser


def question(page):
    """The ids of the two profiles that are asked about."""
    page.locator(".x-answers").wait_for()
    return [each.inner_text() for each in page.locator(".x-pair .x-id").all()]


def another(page, before):
    page.wait_for_function(
        "([a, b]) => { const ids = [...document.querySelectorAll('.x-pair .x-id')].map((e) => e.textContent);"
        " return ids.length === 2 && (ids[0] !== a || ids[1] !== b); }",
        arg=before,
    )
    return question(page)


def test_by_keyboard(editable, visit, axe, picture, entries):
    with Resolution.open(editable.path) as answer:
        best = Review(answer).next()
    page = visit(editable, "/review", name="Rea")
    first = question(page)
    assert first == [best.a, best.b]
    page.locator(".x-evidence li").first.wait_for()
    assert axe(page) == []
    picture(page, "review")
    count = len(entries())

    page.get_by_label("Why", exact=True).fill("not a ballplayer")
    page.get_by_role("heading", name="Are these the same?").click()
    page.keyboard.press("d")
    page.get_by_text("Saved").wait_for()
    said = entries()[count:]
    assert [(entry.who, entry.why) for entry in said] == [("Rea", "not a ballplayer")]
    assert {(said.a, said.b, said.verdict) for said in said[0].judgements} == {(*first, "different")}
    second = another(page, first)
    page.get_by_text("1 answer ·").wait_for()

    page.keyboard.press(" ")
    third = another(page, second)
    assert len(entries()) == count + 1

    page.keyboard.press("s")
    page.get_by_text("2 answers ·").wait_for()
    fourth = another(page, third)
    page.wait_for_function("() => !document.body.innerText.includes('saving')")
    assert [judgement.verdict for judgement in entries()[-1].judgements] == ["same"] * len(entries()[-1].judgements)
    page.keyboard.press("u")
    page.get_by_text("Undone").wait_for()
    assert another(page, fourth) == third
    assert entries()[-1].undoes == entries()[-2].number

    # Blind: nothing of what the program thinks is on the page.
    assert "So far they are treated as" in page.inner_text(".x-main")
    page.get_by_label("Hide what the program thinks").check()
    page.get_by_text("So far they are treated as").wait_for(state="detached")
    assert page.locator(".x-evidence").count() == 0
    assert page.get_by_text("Assigned to").count() == 0


def test_two_are_asked_about_different_pairs(editable, visit):
    one, other = visit(editable, "/review", name="Ada"), visit(editable, "/review", name="Bob")
    assert not set(question(one)) & set(question(other))
