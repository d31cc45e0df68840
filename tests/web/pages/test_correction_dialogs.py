"""Merging, splitting off, same, different, renaming and undoing on the pages, with conflicts and several at once."""

import json
import subprocess
import sys
import threading
from urllib.parse import quote

import pytest

from .conftest import correct, go_on

pytestmark = pytest.mark.browser
CHAIRMAN, MAYOR = "motors-2:203:213", "paris-3:0:14"


def why_page(a, b):
    return f"/why?a={quote(a, safe='')}&b={quote(b, safe='')}"


def test_merge_conflict_and_undo(editable, visit, axe, picture, identity_of, entries):
    page = visit(editable, f"/identity?id={quote(identity_of(CHAIRMAN), safe='')}")
    page.get_by_role("button", name="Merge with").click()
    page.get_by_label("A name").fill("Smith Jr")
    page.locator(".x-choice", has_text="next mayor of Paris").click()
    correct(page, "one letter")
    told = page.locator(".x-good")
    told.wait_for()
    assert "John Smith Jr. (7 passages) was merged into John" in told.inner_text()
    go_on(page)
    assert identity_of(CHAIRMAN) == identity_of(MAYOR)
    merged = entries()[-1]
    assert (merged.act, merged.who, merged.why) == ("merge", "Ada", "one letter")

    # Somebody else says the contrary: told by whom and why it cannot be, and nothing is written.
    other = visit(editable, why_page(CHAIRMAN, MAYOR), name="Bob")
    other.get_by_role("button", name="They are different").click()
    correct(other, "one is a mayor")
    chain = other.get_by_role("list", name="Earlier judgements")
    chain.wait_for()
    assert "John Smith Jr. in By eleven votes, a new mayor" in chain.inner_text()
    assert "Ada on" in chain.inner_text()
    assert "“one letter”" in chain.inner_text()
    assert "your new judgement" in chain.locator("li").last.inner_text()
    assert "Nothing was written" in other.locator(".x-error").inner_text()
    assert entries()[-1].number == merged.number
    assert axe(other) == []
    picture(other, "conflict")

    other.get_by_role("button", name=f"Undo entry {merged.number} of Ada").click()
    other.locator(".x-good").wait_for()
    assert "was split off from" in other.locator(".x-good").inner_text()
    assert [entry.act for entry in entries()][-2:] == ["undo", "judge"]
    assert identity_of(CHAIRMAN) != identity_of(MAYOR)
    go_on(other)
    assert "Treated as two" in other.locator("h1").inner_text()
    assert "Bob has decided" in other.locator(".x-note").inner_text()

    # Ada's page has noticed, and offers what is so now.
    page.get_by_text("The answer has changed since you opened this page").wait_for()


def test_undo_at_once(editable, visit, identity_of, entries):
    harrow = "springfield-1:0:16"
    page = visit(editable, f"/identity?id={quote(identity_of(harrow), safe='')}")
    page.get_by_role("button", name="Rename").click()
    correct(page, "her full name", "Elizabeth M. Harrow")
    page.locator(".x-good").wait_for()
    assert "It is now called “Elizabeth M. Harrow”" in page.locator(".x-good").inner_text()
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Undo").wait_for(state="detached")
    page.locator(".x-good").wait_for()
    go_on(page)
    assert page.locator("h1").inner_text() == "Elizabeth Harrow"
    assert [entry.act for entry in entries()][-2:] == ["rename", "undo"]


def test_split_off(editable, visit, identity_of, entries):
    judge = identity_of("carver-1:0:12")
    page = visit(editable, f"/identity?id={quote(judge, safe='')}")
    page.get_by_role("button", name="Split off").click()
    assert "tick the passages" in page.locator(".x-dialog").inner_text()
    page.keyboard.press("Escape")
    page.locator(".x-dialog").wait_for(state="detached")
    ticked = page.get_by_role("checkbox", name="Choose Margaret Carver")
    for at in (0, 1):
        ticked.nth(at).check()
    page.get_by_role("button", name="Split off").click()
    assert "2 chosen passages are not “Margaret Carver”" in page.locator(".x-dialog").inner_text()
    correct(page, "a namesake")
    page.locator(".x-good").wait_for()
    assert "(2 passages) was split off from" in page.locator(".x-good").inner_text()
    split = entries()[-1]
    assert (split.act, split.why) == ("split", "a namesake")
    apart = {said.a for said in split.judgements if said.verdict == "same"} | {split.judgements[0].b}
    assert {identity_of(profile) for profile in apart} != {judge}


def test_who_is_asked_once(editable, visit, entries):
    page = visit(editable, why_page("rashid-6:66:84", "rashid-2:58:73"), name="")
    page.get_by_role("button", name="They are the same").click()
    page.get_by_label("Your name").fill("Zoë <b>")
    page.get_by_role("button", name="Continue").click()
    correct(page, "both bake")
    page.locator(".x-good").wait_for()
    go_on(page)
    assert (entries()[-1].who, entries()[-1].why) == ("Zoë <b>", "both bake")
    page.get_by_role("button", name="They are the same").click()
    page.get_by_label("Why?").wait_for()


def test_two_browsers_at_once_lose_nothing(editable, visit, entries):
    pairs = [("nca-1:235:246", "nca-2:80:90"), ("squid-1:428:442", "squid-1:324:335")]
    pages = [visit(editable, why_page(*pair), name=name) for pair, name in zip(pairs, ("Ada", "Bob"), strict=True)]
    before = len(entries())
    for page in pages:
        page.get_by_role("button", name="They are different").click()
        page.get_by_label("Why?").fill("at once")
    for page in pages:
        page.get_by_label("Why?").press("Enter")
    for page in pages:
        page.locator(".x-good").wait_for()
    new = entries()[before:]
    assert {(entry.who, entry.why) for entry in new} == {("Ada", "at once"), ("Bob", "at once")}
    assert [{said.a, said.b} for entry in new for said in entry.judgements] in (
        [set(pairs[0]), set(pairs[1])],
        [set(pairs[1]), set(pairs[0])],
    )


def run(*arguments):
    done = subprocess.run([sys.executable, "-m", "crossdoc", *map(str, arguments)], capture_output=True, timeout=200)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def test_a_terminal_works_while_the_page_is_open(editable, visit, tmp_path, entries):
    page = visit(editable, "/?q=tanner")
    typing = threading.Event()

    def terminal():
        try:
            found = json.loads(run("show", editable.path, "--find", "Ruth Tanner", "--json"))
            assert found[0]["name"] == "Ruth Tanner"
            run(
                "judge",
                editable.path,
                "different",
                "brief-8:346:357",
                "brief-8:429:440",
                "--who",
                "Cy",
                "--why",
                "twins",
            )
            run("export", editable.path, "-o", tmp_path / "out.csv", "--format", "csv")
        finally:
            typing.set()

    thread = threading.Thread(target=terminal)
    thread.start()
    # Somebody types meanwhile, and the file is never free for long.
    while not typing.wait(0.3):
        page.get_by_role("searchbox").first.fill("tan")
        page.get_by_role("searchbox").first.fill("tanner")
    thread.join()
    assert (entries()[-1].who, entries()[-1].why) == ("Cy", "twins")
    assert "brief-8:346:357" in (tmp_path / "out.csv").read_text()
    page.goto(editable.at("/corrections"))
    page.get_by_text("“twins”").wait_for()


def test_nothing_can_be_changed_under_read_only(explore, visit):
    running = explore("--read-only")
    page = visit(running, f"/identity?id={quote('motors-1:65:78', safe='')}")
    for name in ("Merge", "Split off", "Rename", "Somebody else", "Same"):
        assert page.get_by_role("button", name=name).count() == 0
    page.goto(running.at(why_page(CHAIRMAN, MAYOR)))
    page.get_by_text("Treated as").first.wait_for()
    assert page.get_by_role("button", name="They are").count() == 0
    page.goto(running.at("/review"))
    page.get_by_text("Nothing can be changed here").wait_for()
