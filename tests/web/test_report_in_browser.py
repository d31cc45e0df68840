"""`crossdoc report` in a browser: names, filters, order, documents, dark, narrow, paper; and attacks in all of it."""

import json
from pathlib import Path

import pytest
from anyascii import anyascii

from crossdoc.cli.output_commands import render
from crossdoc.run import resolve as pipeline
from crossdoc.run.resolution import Resolution

from .conftest import NARROW, PATIENCE, WIDE, Watched
from .test_guard import NAMES, PAYLOADS

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def written(sample, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    with Resolution.open(sample) as answer:
        path.write_text(render(answer, answer.identities(members=20), "sample.crossdoc"), encoding="utf-8")
    return path


@pytest.fixture
def opened(browser):
    """Open a file; nothing may go wrong, and nothing be asked of anybody else."""
    watched, contexts = Watched(), []

    def show(path, *, dark=False, size=WIDE):
        context = browser.new_context(viewport=size, color_scheme="dark" if dark else "light")
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        watched.watch(page, path.as_uri())
        page.goto(path.as_uri())
        return page

    yield show
    for context in contexts:
        context.close()
    assert watched.wrong == []


def names(page):
    return page.locator("article:visible h2 .x-name:first-child").all_inner_texts()


def test_looking_for_somebody(written, opened, axe, picture):
    page = opened(written)
    everybody = names(page)
    assert len(everybody) > 100
    page.get_by_role("searchbox").fill("smith chairman")
    assert set(names(page)) < set(everybody)
    assert "John A. Smith" in names(page)
    assert "shown" in page.get_by_role("status").inner_text()
    page.get_by_role("searchbox").fill("")
    page.get_by_role("button", name="Organisation").click()
    assert set(page.locator("article:visible .x-type").all_inner_texts()) == {"Organisation"}
    page.get_by_role("button", name="Person").click()
    assert set(page.locator("article:visible .x-type").all_inner_texts()) == {"Organisation", "Person"}
    page.get_by_role("button", name="Organisation").click()
    page.get_by_label("How sure").select_option("Unsure")
    assert set(page.locator("article:visible header .x-line > :last-child").all_inner_texts()) == {"unsure"}
    page.get_by_role("searchbox").fill("nobody of this name")
    assert names(page) == []
    page.get_by_text("Nobody was found").wait_for()
    page.get_by_role("searchbox").fill("")
    page.get_by_label("How sure").select_option("Any certainty")
    page.get_by_label("Order").select_option("By name")
    found = names(page)
    assert [anyascii(name)[0].upper() for name in found] == sorted(anyascii(name)[0].upper() for name in found)
    assert found.index("Hélène Garnier") < found.index("Hexley Pit")
    page.get_by_label("Order").select_option("Oldest first")
    dates = [card.get_attribute("data-first") for card in page.locator("article:visible").all()]
    assert [date for date in dates if date] == sorted(date for date in dates if date)
    page.get_by_label("Order").select_option("Most documents first")
    assert axe(page) == []
    picture(page, "report")


def test_a_document_opens_with_its_mentions(sample, written, opened, axe):
    with Resolution.open(sample) as answer:
        identity = answer.store.entity_of(["motors-2:203:213"])["motors-2:203:213"]
        text = answer.store.texts_of(["motors-2"])["motors-2"]
        rows = [row for row in answer.store.mentions_in(["motors-2"]) if row["entity"] == identity]
    page = opened(written)
    card = page.locator("article", has_text="chairman of Halden Motors").first
    assert card.locator("mark.x-this").first.inner_text() in ("John Smith", "Smith", "John A. Smith")
    assert card.get_by_text("motors-2:203:213").count() == 1
    card.get_by_role("link", name="Recall over musical cup holder").click()
    dialog = page.get_by_role("dialog", name="Recall over musical cup holder")
    dialog.wait_for()
    highlighted = dialog.locator(".x-this").all_inner_texts()
    assert highlighted == [text[row["start"] : row["end"]] for row in sorted(rows, key=lambda row: row["start"])]
    assert len(highlighted) > 1
    assert axe(page) == []
    dialog.get_by_role("link", name="Toledo").first.click()
    dialog.wait_for(state="hidden")
    assert page.locator("article:target h2").inner_text().startswith("Toledo")
    page.locator("article:target").get_by_role("link").first.click()
    page.keyboard.press("Escape")
    assert page.get_by_role("dialog").count() == 0


def test_dark_narrow_and_on_paper(written, opened, axe):
    page = opened(written, dark=True, size=NARROW)
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(17, 20, 27)"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert axe(page) == []
    page.get_by_role("button", name="Light or dark").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(245, 244, 239)"
    page.emulate_media(media="print")
    assert page.get_by_role("searchbox").count() == 0
    assert page.get_by_role("heading", name="John A. Smith").first.is_visible()


def test_payloads_are_shown_as_text(tmp_path, opened):
    records = [
        {"id": f"p{number}", "document": f"d {payload} {number}", "name": name, "type": "person",
         "context": f"{name} left; {payload}", "attributes": {"descriptor": [payload]}}
        for number, (name, payload) in enumerate(zip(NAMES, PAYLOADS, strict=True))
    ]  # fmt: skip
    (tmp_path / "p.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    with pipeline.resolve(tmp_path / "p.jsonl", output=tmp_path / "p.crossdoc", method="string-match") as answer:
        page = render(answer, answer.identities(members=20), PAYLOADS[0])
    (tmp_path / "report.html").write_text(page, encoding="utf-8")
    page = opened(tmp_path / "report.html")
    assert len(PAYLOADS) >= 30
    page.get_by_role("searchbox").fill("zed")
    assert page.evaluate("window.hacked") is None
    shown = {" ".join(each.split()) for each in names(page)}
    assert {" ".join(name.split()) for name in NAMES} <= shown
    assert page.locator("iframe, object, embed, base, main style, main script, link").count() == 0
    assert page.locator("[onerror], [onload], [onmouseover], [onfocus], a[href^='javascript' i]").count() == 0
