"""The page of an identity against what the answer itself says of it."""

from __future__ import annotations

import csv
import io
from urllib.parse import parse_qs, quote, urlsplit

import pytest

from crossdoc.run.resolution import Resolution

SMITH = "motors-1:65:78"


@pytest.fixture(scope="module")
def smith(sample):
    with Resolution.open(sample) as resolution:
        identity = next(each for each in resolution.identities() if each.id == SMITH)
        rows = resolution.answer("mention").to_pylist()
    return identity, [row for row in rows if row["entity"] == SMITH]


def section(page, name: str):
    return page.get_by_role("region", name=name, exact=True)


def test_the_card(explorer, visit, smith, picture):
    identity, _ = smith
    page = visit(explorer, f"/identity?id={SMITH}")
    assert page.locator("h1").text_content() == identity.name
    head = page.locator(".x-main").text_content()
    assert identity.descriptor in head
    assert f"{identity.n_documents} documents · {identity.n_mentions} mentions · 2003–2005" in head
    assert "fairly sure" in head
    chips = section(page, "Goes by").locator(".x-chip").all_text_contents()
    assert chips == [
        f"{name}{n}" for name, n in sorted(identity.variants.items(), key=lambda item: (-item[1], item[0]))
    ]
    picture(page, "identity")


def test_facts_and_relations_have_the_sentence_behind_them(explorer, visit):
    page = visit(explorer, f"/identity?id={SMITH}")
    said = section(page, "What is said about it")
    assert "chairman of Halden Motors" in said.text_content()
    quoted = said.locator("li", has_text="chairman of Halden Motors").first.locator(".x-quote")
    assert "apologised at a news conference in Toledo" in quoted.text_content()
    assert quoted.locator("mark").text_content() == "chairman of Halden Motors"
    assert parse_qs(urlsplit(quoted.locator("a").get_attribute("href")).query) == {
        "id": ["motors-2"],
        "identity": [SMITH],
    }
    relation = section(page, "Relations").locator("li", has_text="chairman at").first
    relation.get_by_role("link", name="Halden Motors").click()
    page.wait_for_function("() => document.querySelector('h1')?.textContent === 'Halden Motors'")


def test_members_by_how_sure_with_bars(explorer, visit, smith):
    _, rows = smith
    page = visit(explorer, f"/identity?id={SMITH}")
    found = section(page, "Where it is found")
    bars = (
        found.locator(".x-rows")
        .first.locator(".x-bar")
        .evaluate_all("bars => bars.map((each) => each.getAttribute('aria-label'))")
    )
    sure = [int(label.rpartition(" ")[2].rstrip("%")) for label in bars]
    assert sure == sorted(sure, reverse=True)
    own = {row["id"]: row["membership"] for row in rows}
    assert len(sure) == len({row["document"] for row in rows})
    assert abs(max(own.values()) * 100 - sure[0]) <= 1
    widths = (
        found.locator(".x-rows")
        .first.locator(".x-bar > i")
        .evaluate_all("bars => bars.map((each) => parseFloat(each.style.width))")
    )
    assert all(abs(width - percent) <= 1 for width, percent in zip(widths, sure, strict=True))
    others = found.locator("details.x-more")
    assert "more likely somebody else" in others.text_content()


def test_documents_open_with_every_mention_highlighted_and_others_linked(explorer, visit, smith):
    _, rows = smith
    page = visit(explorer, f"/identity?id={SMITH}")
    documents = section(page, "Documents").locator("details")
    assert documents.count() == len({row["document"] for row in rows})
    documents.first.locator("summary").click()
    text = documents.first.locator(".x-text")
    text.wait_for()
    own = [row["text"] for row in sorted(rows, key=lambda row: row["start"]) if row["document"] == "motors-1"]
    marks = text.locator("mark.x-this").all_text_contents()
    # A mention that stands within another one is part of its highlight.
    assert " ".join(own).startswith(marks[0])
    assert set(marks) <= set(own)
    assert len(marks) >= len([each for each in own if each in ("he", "He", "his", "Smith")])
    text.get_by_role("link", name="Toledo").first.click()
    page.wait_for_function("() => document.querySelector('h1')?.textContent === 'Toledo'")


def test_the_timeline_counts_documents(explorer, visit, smith):
    _, rows = smith
    page = visit(explorer, f"/identity?id={SMITH}")
    told = section(page, "Over time").locator("li").all_text_contents()
    assert sum(int(each.partition(": ")[2].split()[0]) for each in told) == len({row["document"] for row in rows})


def test_the_graph_leads_to_others(explorer, visit):
    page = visit(explorer, f"/identity?id={SMITH}")
    seen = section(page, "Seen with")
    assert seen.locator("svg a").count() == 13
    assert seen.locator("svg a.x-centre").get_attribute("aria-label").startswith("John A. Smith")
    seen.locator("svg a[aria-label^='Margaret Lindqvist']").click()
    page.wait_for_function("() => document.querySelector('h1')?.textContent === 'Margaret Lindqvist'")


def test_who_it_may_also_be(explorer, visit):
    page = visit(explorer, f"/identity?id={SMITH}")
    maybe = section(page, "May also be")
    assert maybe.locator("li").count() >= 3
    assert "Smith" in maybe.locator("li").first.text_content()
    assert maybe.get_by_role("link", name="Why", exact=False).first.get_attribute("href").startswith("/why?a=")


def test_old_ids_history_and_notice_of_changes(explore, visit, answer):
    running = explore()
    with Resolution.open(answer) as resolution:
        lincoln = resolution.find("Lincoln")
        a, b = lincoln[0].id, next(each.id for each in lincoln[1:] if each.type == lincoln[0].type)
    page = visit(running, f"/identity?id={quote(a, safe='')}")
    with Resolution.open(answer) as resolution:
        change = resolution.merge(a, b, who="Ada", why="one of them")
    assert change is not None
    page.get_by_text("The answer has changed since you opened this page.").wait_for()
    page.get_by_role("button", name="Reload").click()
    page.wait_for_function("() => !document.querySelector('.x-toast')")
    section(page, "History").locator("li").first.wait_for()
    assert "merged into" in section(page, "History").text_content()
    with Resolution.open(answer) as resolution:
        gone = next(id for id in (a, b) if resolution.store.successors(id) != [id])
    page.goto(running.identity(gone))
    page.wait_for_selector("h1")
    assert f"{gone} is now part of this identity." in page.locator(".x-note").text_content()


def test_one_that_is_not_there(explorer, visit):
    page = visit(explorer)
    page.watched.allowed.append("status of 404")
    answered = page.goto(explorer.identity("nobody"))
    assert answered.status == 404
    assert "There is no such identity." in page.locator(".x-empty").text_content()
    table = page.request.get(explorer.at("/identity.csv?id=nobody"))
    assert table.status == 404
    assert "nobody" in table.json()["what"]


def test_its_passages_as_a_table(explorer, visit, smith):
    _, rows = smith
    page = visit(explorer, f"/identity?id={SMITH}")
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Download as a table").click()
    assert waiting.value.suggested_filename == "John A. Smith.csv"
    listed = list(csv.DictReader(io.StringIO(waiting.value.path().read_text())))
    assert {row["document"] for row in rows} <= {row["document"] for row in listed}
    assert float(listed[0]["membership"]) == max(row["membership"] for row in rows)


def test_a_file_that_is_gone_is_said_and_not_a_traceback(explore, visit, answer):
    running = explore("--read-only")
    page = visit(running)
    page.watched.allowed += ["status of 404", "status of 500"]
    answer.write_bytes(b"no longer a result" * 1000)
    page.goto(running.identity(SMITH))
    told = page.locator(".x-error, .x-empty")
    told.wait_for()
    assert "is not a crossdoc result" in told.text_content()
    assert "Traceback" not in page.content()
