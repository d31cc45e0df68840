"""What all pages share: keyboard, screen readers, light and dark, narrow windows; who is judging; read only."""

from __future__ import annotations

import pytest

from crossdoc.run.resolution import Resolution

PAGES = {
    "search": "/",
    "nobody": "/?q=zzzzz",
    "identity": "/identity?id=motors-1:65:78",
    "document": "/document?id=motors-1&identity=motors-1:65:78",
    "overview": "/overview",
    "review": "/review",
    "corrections": "/corrections",
    "add": "/add",
    "why": "/why?a=motors-1:65:78&b=WHY",
    "missing": "/nix",
}


@pytest.fixture(scope="module")
def paths(sample):
    with Resolution.open(sample) as resolution:
        smith = next(each for each in resolution.identities() if each.id == "motors-1:65:78")
    other = next(member.profile for member in smith.members if member.profile != smith.id)
    return {name: path.replace("WHY", other) for name, path in PAGES.items()}


@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_serious(explorer, visit, axe, paths, name):
    """In light and dark, wide and narrow; and nothing stands outside a narrow window."""
    page = visit(explorer)
    # axe puts a style of its own into the page, and the policy refuses it.
    page.watched.allowed += ["status of 404", "Applying inline style"]
    for dark in (False, True):
        page.emulate_media(color_scheme="dark" if dark else "light")
        page.goto(explorer.at(paths[name]))
        page.wait_for_function("() => window.did_handshake === true && !document.querySelector('.x-skeleton')")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == (
            "rgb(17, 20, 27)" if dark else "rgb(245, 244, 239)"
        )
        assert axe(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    assert axe(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("name", PAGES)
def test_landmarks_and_headings(explorer, visit, paths, name):
    page = visit(explorer)
    page.watched.allowed.append("status of 404")
    page.goto(explorer.at(paths[name]))
    page.wait_for_selector("main")
    assert page.locator("main").count() == 1
    assert page.locator("header nav[aria-label=Pages]").count() == 1
    assert page.locator("html[lang]").count() == 1
    assert page.title().endswith("· sample · crossdoc")
    if name != "missing":
        assert page.locator("h1").count() == 1


def test_everything_is_reached_by_tab_and_the_bar_can_be_skipped(explorer, visit):
    page = visit(explorer, "/overview")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.classList.contains('x-main')")
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate(
                "(document.activeElement.getAttribute('aria-label') || document.activeElement.textContent).trim()"
            )
        )
    assert {"John Smith", "Network"} & reached
    shown = page.evaluate(
        "getComputedStyle(document.activeElement).outlineStyle !== 'none' || !!document.activeElement.closest('svg')"
    )
    assert shown


def test_who_is_judging_is_asked_once(explorer, visit):
    page = visit(explorer, name="")
    button = page.get_by_role("button", name="Say who is judging")
    button.click()
    page.get_by_label("Your name").fill('Ada "L." <b>Löve</b>; x=1')
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Judging as", exact=False).wait_for()
    page.goto(explorer.at("/overview"))
    shown = page.get_by_role("button", name="Judging as", exact=False)
    assert shown.text_content() == 'Ada "L." <b>Löve</b>; x=1'
    shown.click()
    assert page.get_by_label("Your name").input_value() == 'Ada "L." <b>Löve</b>; x=1'
    page.get_by_role("button", name="Not now").click()
    assert shown.text_content().startswith("Ada")


def test_escape_closes_dialogs_and_gives_the_page_back(explorer, visit):
    page = visit(explorer, "/identity?id=motors-1:65:78")
    for name in ("Rename …", "Merge with …", "Judging as Ada; change"):
        page.get_by_role("button", name=name).click()
        page.get_by_role("dialog").wait_for()
        page.keyboard.press("Escape")
        page.wait_for_function("() => !document.querySelector('.q-dialog')")
        assert "prevent-scroll" not in page.evaluate("document.body.className")


def test_read_only_offers_nothing_that_changes(explore, visit, axe):
    running = explore("--read-only")
    page = visit(running, "/identity?id=motors-1:65:78", name="")
    assert page.locator("header nav a").all_text_contents() == ["Search", "Overview", "Corrections"]
    assert page.get_by_text("Read only").is_visible()
    assert page.get_by_role("button", name="Merge", exact=False).count() == 0
    assert page.locator("input[type=checkbox]").count() == 0
    page.watched.allowed.append("Applying inline style")
    assert axe(page) == []


def test_nothing_comes_from_elsewhere(explorer, visit, paths):
    """Every request of every page goes to the explorer itself: `visit` fails otherwise. Here they are counted."""
    page = visit(explorer)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for path in paths.values():
        if path != "/nix":
            page.goto(explorer.at(path))
            page.wait_for_function("() => window.did_handshake === true")
    assert len(asked) > 8
    assert {url.split("/")[2] for url in asked if url.startswith("http")} == {f"127.0.0.1:{explorer.port}"}


def test_pages_print(explorer, visit):
    page = visit(explorer, "/identity?id=motors-1:65:78")
    page.emulate_media(media="print")
    assert not page.locator("header").is_visible()
    assert page.locator("h1").is_visible()
