"""Searching, as somebody does it: typing, filtering, sorting, by keyboard, in a narrow window, taking it along."""

from __future__ import annotations

import csv
import io
from urllib.parse import parse_qs, urlsplit

import pytest

from crossdoc.run.resolution import Resolution
from crossdoc.web.pages.search_page import SearchWish

NAMES = ".x-lines .x-name"


@pytest.fixture(scope="module")
def identities(sample):
    """All identities, as the answer itself has them."""
    with Resolution.open(sample) as resolution:
        return resolution.identities(members=0)


def column(page, at: int) -> list[str]:
    return page.locator(f".x-lines tbody tr > *:nth-child({at})").all_text_contents()


def count(page, number: int) -> None:
    """The page says that there are so many."""
    page.wait_for_function(
        f"() => document.querySelector('[role=status].x-number')?.textContent.startsWith('{number:,} identit')"
    )


def asked(page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def test_a_name_gives_the_identities_behind_it_largest_first(explorer, visit, identities, picture):
    page = visit(explorer)
    count(page, len(identities))
    page.locator(".x-search").press_sequentially("john smith", delay=20)
    wanted = [each for each in identities if any("john" in n.lower() and "smith" in n.lower() for n in each.variants)]
    page.wait_for_function("() => location.search === '?q=john+smith'")
    count(page, len(wanted))
    assert len(wanted) > 5
    shown = [int(each) for each in column(page, 3)]
    assert shown == sorted((each.n_documents for each in wanted), reverse=True)
    assert asked(page) == {"q": ["john smith"]}
    first = page.locator(".x-lines tbody tr").first.text_content()
    largest = max(wanted, key=lambda each: each.n_documents)
    for part in (largest.name, largest.descriptor, "Person", str(largest.n_mentions), "2003–2005", "fairly sure"):
        assert part in first
    picture(page, "search")
    page.reload()
    count(page, len(wanted))


def test_filters_narrow_and_stand_in_the_address(explorer, visit, identities):
    page = visit(explorer)
    page.get_by_label("Person").check()
    people = [each for each in identities if each.type == "person"]
    count(page, len(people))
    assert set(column(page, 2)) == {"Person"}
    page.get_by_label("Place").check()
    count(page, len([each for each in identities if each.type in ("person", "place")]))
    page.get_by_label("Place").uncheck()
    page.get_by_label("Unsure", exact=True).check()
    unsure = [each for each in people if each.certainty < 0.6]
    count(page, len(unsure))
    assert set(column(page, 6)) == {"unsure"}
    page.get_by_label("Size").select_option("2")
    count(page, len([each for each in unsure if each.n_documents >= 2]))
    assert asked(page) == {"type": ["person"], "sure": ["unsure"], "least": ["2"]}
    page.reload()
    count(page, len([each for each in unsure if each.n_documents >= 2]))
    assert page.get_by_label("Person").is_checked()


def test_years_and_languages(explorer, visit, identities):
    page = visit(explorer)
    page.get_by_label("From").fill("2010")
    since = [each for each in identities if each.last_date and each.last_date[:4] >= "2010"]
    count(page, len(since))
    page.get_by_label("To", exact=True).fill("2012")
    count(page, len([each for each in since if each.first_date[:4] <= "2012"]))
    page.get_by_label("From").fill("")
    page.get_by_label("To", exact=True).fill("")
    count(page, len(identities))
    page.get_by_label("French").check()
    page.wait_for_function(
        f"() => !document.querySelector('[role=status].x-number').textContent.startsWith('{len(identities)} ')"
    )
    assert 0 < page.locator(NAMES).count() < len(identities)


def test_words_in_the_texts(explorer, visit):
    page = visit(explorer)
    page.get_by_label("Words in the text").fill("pastor chapel")
    page.wait_for_function("() => location.search.includes('words=pastor')")
    page.wait_for_function("() => [...document.querySelectorAll('.x-lines tbody tr')].length < 40")
    rows = " ".join(page.locator(".x-lines tbody tr").all_text_contents())
    assert "John Smith" in rows
    assert "pastor" in rows


def test_sorting_by_every_column(explorer, visit):
    page = visit(explorer)
    for title, at, key in (("Name", 1, str), ("Mentions", 4, int), ("Documents", 3, int)):
        page.get_by_role("button", name=title, exact=False).first.click()
        name = {"Name": "name", "Mentions": "mentions", "Documents": None}[title]
        page.wait_for_function(
            f"() => new URLSearchParams(location.search).get('sort') === {name!r}".replace("None", "null")
        )
        page.wait_for_function(
            f"() => document.querySelector('th[aria-sort] button')?.textContent.startsWith('{title}')"
        )
        if key is int:
            values = [int(each) for each in column(page, at)]
            assert values == sorted(values, reverse=True)
        else:
            values = [each.lower() for each in page.locator(NAMES).all_text_contents()]
            assert values[:10] == sorted(values)[:10]
    page.get_by_role("button", name="Documents").focus()
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('th[aria-sort]').getAttribute('aria-sort') === 'ascending'")
    assert page.evaluate("document.activeElement.textContent").startswith("Documents")
    values = [int(each) for each in column(page, 3)]
    assert values == sorted(values)


def test_more_are_shown_when_asked_for(explorer, visit):
    page = visit(explorer)
    assert page.locator(NAMES).count() == 50
    page.get_by_role("button", name="Show 50 more").click()
    page.wait_for_function("() => document.querySelectorAll('.x-lines tbody tr').length === 100")
    names = page.locator(".x-lines .x-name").evaluate_all("links => links.map((each) => each.href)")
    assert len(set(names)) == 100


def test_nobody_found(explorer, visit):
    page = visit(explorer, "/?q=zzzzz")
    assert "Nobody was found" in page.locator(".x-empty").text_content()
    page.get_by_role("link", name="Show everybody").click()
    page.wait_for_selector(NAMES)


def test_by_keyboard_alone(explorer, visit):
    page = visit(explorer)
    page.keyboard.type("carver")
    page.wait_for_function("() => document.querySelector('.x-lines .x-name')?.textContent === 'Margaret Carver'")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.textContent") == "Margaret Carver"
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.className").endswith("x-search")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/identity?id=*")
    assert page.locator("h1").text_content() == "Margaret Carver"
    page.go_back()
    page.wait_for_selector(NAMES)
    assert page.locator(".x-search").input_value() == "carver"


def test_a_narrow_window_folds_the_filters(explorer, visit, picture):
    page = visit(explorer, size={"width": 390, "height": 844})
    assert not page.get_by_label("Person").is_visible()
    page.get_by_role("button", name="Filters").click()
    assert page.get_by_label("Person").is_visible()
    assert page.get_by_role("button", name="Filters").get_attribute("aria-expanded") == "true"
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_role("button", name="Filters").click()
    picture(page, "narrow")


def test_a_change_elsewhere_is_followed(explore, visit, answer):
    running = explore()
    page = visit(running, "/?q=carver")
    with Resolution.open(answer) as resolution:
        resolution.rename(resolution.find("Margaret Carver")[0].id, "Peggy Carver", who="Bob")
    page.get_by_text("Peggy Carver").wait_for()


def test_the_list_as_a_table(explorer, visit, identities):
    page = visit(explorer, "/?type=person&q=smith")
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Download as a table").click()
    rows = list(csv.DictReader(io.StringIO(waiting.value.path().read_text())))
    assert [row["id"] for row in rows] == [
        parse_qs(urlsplit(href).query)["id"][0]
        for href in page.locator(NAMES).evaluate_all("links => links.map((each) => each.href)")
    ]
    by_id = {each.id: each for each in identities}
    assert all(int(row["documents"]) == by_id[row["id"]].n_documents for row in rows)


def test_wishes_go_to_the_address_and_back():
    wish = SearchWish("ann", "red shoes", ("person", ""), ("en", "fr"), 1990, 1999, 3, "sure", "name", False)
    assert SearchWish.of(parse_qs(wish.address[1:], keep_blank_values=True)) == wish
    assert SearchWish().address == ""
    assert SearchWish.of({"sure": ["no"], "least": ["-1"], "order": ["x"], "from": ["99999999999"]}) == SearchWish()
