"""The collection at a glance, against the answer's own numbers."""

from __future__ import annotations

from collections import Counter

import pytest

from crossdoc.run.resolution import Resolution


@pytest.fixture(scope="module")
def answer_of(sample):
    with Resolution.open(sample) as resolution:
        return resolution.store.sizes(), resolution.identities(members=0), resolution.runs, resolution.notes


def section(page, name: str):
    return page.get_by_role("region", name=name, exact=True)


def test_sizes_types_certainty_and_ambiguous_names(explorer, visit, answer_of, picture):
    sizes, identities, _, _ = answer_of
    page = visit(explorer, "/overview")
    figures = dict(
        reversed(each.split("\n"))
        for each in page.locator(".x-figure").evaluate_all("all => all.map((e) => e.innerText)")
    )
    assert {key: int(figures[key].replace(",", "")) for key in ("documents", "mentions", "identities")} == {
        key: sizes[key] for key in ("documents", "mentions", "identities")
    }
    types = Counter(each.type for each in identities)
    for type, n in types.items():
        assert section(page, "Types").get_by_role("link", name=f"{type.capitalize()} {n}").count() == 1
    sure = sum(each.certainty >= 0.85 for each in identities)
    assert f"{sure:,}, {sure / len(identities):.0%}" in section(page, "How sure").text_content()
    names = Counter(each.name for each in identities)
    first = section(page, "Most ambiguous names").locator("tbody tr").first.locator("td").all_text_contents()
    assert first[:2] == [names.most_common(1)[0][0], str(names.most_common(1)[0][1])]
    picture(page, "overview")
    section(page, "Types").get_by_role("link", name="Person").click()
    page.wait_for_url("**/?type=person")


def test_the_network_of_the_largest(explorer, visit, picture):
    page = visit(explorer, "/overview", dark=True)
    network = page.get_by_role("group", name="Network of the largest identities")
    assert network.locator("a").count() == 100
    assert network.locator("line").count() > 50
    network.scroll_into_view_if_needed()
    picture(page, "network")
    springfield = network.locator("a[aria-label^='Springfield,']").first
    springfield.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('h1')?.textContent === 'Springfield'")


def test_what_was_left_out_and_how_it_was_made(explorer, visit, answer_of):
    _, _, runs, notes = answer_of
    page = visit(explorer, "/overview")
    assert section(page, "Left out, and why").locator("li").all_text_contents() == notes
    made = section(page, "How it was made")
    made.locator("summary").click()
    told = made.locator("dl").text_content()
    assert runs[0].method in made.text_content()
    assert runs[0].inputs[0] in told
    assert "threshold" not in told or "window" in told
    assert "person, organisation, place" in told
