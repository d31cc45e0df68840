"""Elements by name, and the small elements that all pages use."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossdoc import errors
from crossdoc.store.views import Line, Span
from crossdoc.web.changes import Refusal
from crossdoc.web.parts import basics
from crossdoc.web.parts import basics as module
from crossdoc.web.parts.basics import Later, Lines, in_thread, marked, pieces, tag
from crossdoc.web.parts.basics import shown as shown_line_table


def texts(found):
    return [element._text for element in found]


def test_attributes_of_an_element(client):
    element = basics.tag("a", "<b>", "x-name x-soft", aria_label="more", class_="y", download=True, title=None, max=0)
    assert element._text == "<b>"
    assert element._classes == ["x-name", "x-soft"]
    assert dict(element.props) == {"aria-label": "more", "class": "y", "download": "", "max": 0}


def test_a_list_has_an_item_for_each_row_or_a_remark(client, elements):
    basics.listed(["a", "b"], lambda row: basics.tag("b", row), "nothing")
    assert texts(elements("b")) == ["a", "b"]
    assert len(elements("li")) == 2
    assert elements("p") == []
    basics.listed([], basics.remark, "nothing")
    assert texts(elements("p")) == ["nothing"]
    assert elements("p")[0]._style == {"margin": "0"}


def test_a_folded_list_is_behind_its_summary(client, elements):
    basics.folded(["a"], basics.remark, "1 more")
    assert texts(elements("summary")) == ["1 more"]
    assert elements("ul")[0].parent_slot.parent is elements("details")[0]


def test_a_button_calls_its_function(client):
    pressed = []
    element = basics.button("Do", lambda: pressed.append(1), "x-link", aria_label="Do it")
    assert (element._text, element._classes, element.props["type"]) == ("Do", ["x-link"], "button")
    (listener,) = element._event_listeners.values()
    assert listener.type == "click"
    listener.handler()
    assert pressed == [1]


@pytest.mark.parametrize("hint", ["", "Do this."])
def test_errors_and_refusals_are_shown_alike(client, elements, hint):
    for message in (errors.UsageError("It failed.", hint), Refusal("It failed.", hint)):
        before = len(elements("p"))
        basics.show_error(message)
        assert texts(elements("p")[before:]) == ["It failed.", *filter(None, [hint])]
    assert all(each.props["role"] == "alert" for each in elements("div") if "x-error" in each._classes)


def test_a_bar_is_within_its_bounds(client, elements):
    for share, width in ((-1, "0.0%"), (0.256, "25.6%"), (7, "100.0%")):
        basics.bar(share, "label", certainty=0.9)
        assert elements("i")[-1]._style == {"width": width}
    assert elements("span")[-1]._classes == ["x-bar", "x-sure-3"]


def test_a_section_has_its_title_as_label(client, elements):
    with basics.section("Names", note="All of them."):
        basics.figure(1200, "identity", "identities")
    assert elements("section")[0].props["aria-label"] == "Names"
    assert texts(elements("h2") + elements("b") + elements("span")) == ["Names", "1,200", "identities"]


def test_words(client, elements):
    assert [basics.type_word(each) for each in ("person", None)] == ["Person", "Other"]
    assert basics.joined("a", None, "", "b") == "a · b"
    assert basics.time_of("2024-01-02T10:20:30+00:00") == "2024-01-02 10:20"
    basics.sure_word(0.7)
    assert (elements("span")[-1]._text, elements("span")[-1].props["title"]) == ("fairly sure", "70% certain")


def run(work):
    """Run a coroutine in a thread of its own: a browser test before may have left a running loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def shown(client, name="p"):
    return [element._text for element in client.elements.values() if element.tag == name]


def test_work_is_done_in_another_thread():
    names = run(in_thread(lambda: threading.current_thread().name))
    assert names != threading.current_thread().name


def test_a_part_replaces_its_skeleton(client, monkeypatch):
    monkeypatch.setattr(module.background_tasks, "create", lambda work, name: asyncio.ensure_future(work))

    async def page():
        with client:
            return await filled()

    async def filled():
        later = Later()
        later.put(lambda: "loaded", lambda found: tag("p", found))
        assert any("x-skeleton" in each._classes for each in client.elements.values())
        await later.shown()

    run(page())
    assert shown(client) == ["loaded"]
    assert not any("x-skeleton" in each._classes for each in client.elements.values())


def test_a_failed_part_shows_its_message_and_the_others_are_shown(client, monkeypatch, caplog):
    monkeypatch.setattr(module.background_tasks, "create", lambda work, name: asyncio.ensure_future(work))

    def fail():
        raise errors.UsageError("It is gone.", "Reload.")

    def break_down():
        raise ValueError("odd")

    async def page():
        with client:
            return await filled()

    async def filled():
        later = Later()
        for load in (fail, break_down, lambda: "loaded"):
            later.put(load, lambda found: tag("p", found))
        await later.shown()

    run(page())
    told = shown(client)
    assert told[:2] == ["It is gone.", "Reload."]
    assert any("ValueError: odd" in each for each in told if each)
    assert told[-1] == "loaded"
    assert "a part of a page failed" in caplog.text


def test_a_page_does_not_wait_for_a_slow_part(client, monkeypatch):
    monkeypatch.setattr(module.background_tasks, "create", lambda work, name: asyncio.ensure_future(work))
    monkeypatch.setattr(module, "LOADING_PATIENCE", 0.05)
    monkeypatch.setattr(client, "connected", lambda *_: asyncio.sleep(0))
    go = threading.Event()

    async def page():
        with client:
            return await filled()

    async def filled():
        later = Later()
        later.put(lambda: go.wait(30) and "late", lambda found: tag("p", found))
        await later.shown()
        before = shown(client)
        go.set()
        await asyncio.gather(*later._tasks)
        return before

    assert run(page()) == []
    assert shown(client) == ["late"]


LINE = Line("d/1:0:3", "Ann", "poet", None, 1200, 3400, 1996, 1998, 0.7, known="Q1", snippet="by Ann")


def test_cells_are_text():
    assert shown_line_table(LINE) == {
        "id": "d/1:0:3", "href": "/identity?id=d%2F1%3A0%3A3", "name": "Ann", "descriptor": "poet", "known": "Q1",
        "snippet": "by Ann", "type": "Other", "kind": "x-other", "documents": "1,200", "mentions": "3,400",
        "years": "1996–1998", "sure": "x-sure-2", "word": "fairly sure", "certain": "70% certain",
    }  # fmt: skip


def test_rows_are_replaced_in_place(client):
    table = Lines([LINE], "Identities", "name", False)
    assert (table.props["label"], table.props["sort"], table.props["descending"]) == ("Identities", "name", False)
    table.show([], "documents")
    assert (table.props["rows"], table.props["sort"], table.props["descending"]) == ([], "documents", True)


TEXT = "Ann Smith met Bob."


def span(start, end, identity):
    return Span(start, end, identity, identity or "", "person", "name", "p")


def test_mentions_are_links_and_those_of_the_identity_are_highlighted():
    found = pieces(TEXT, [span(0, 9, "a"), span(14, 17, "b")], "b")
    assert found == [
        {"text": "Ann Smith", "title": "a", "id": "mention-0", "class": "x-mention x-person", "href": "/identity?id=a"},
        {"text": " met "},
        {"text": "Bob", "title": "b", "id": "mention-1", "class": "x-mention x-this"},
        {"text": "."},
    ]


@pytest.mark.parametrize(("identity", "kept"), [("", ["Ann Smith"]), ("b", ["Smith"])])
def test_of_overlapping_mentions_one_is_shown(identity, kept):
    found = pieces(TEXT, [span(0, 9, "a"), span(4, 9, "b")], identity)
    assert [each["text"] for each in found if "class" in each] == kept


def test_a_mention_without_identity_is_text():
    assert pieces(TEXT, [span(0, 9, None)]) == [{"text": "Ann Smith"}, {"text": " met Bob."}]


@given(st.lists(st.tuples(st.integers(-3, 25), st.integers(-3, 25)), max_size=8))
def test_no_text_is_lost_whatever_the_spans(spans):
    assert "".join(each["text"] for each in pieces(TEXT, [span(a, b, "x") for a, b in spans])) == TEXT
    assert "".join(each["text"] for each in marked(TEXT, [each for each in spans if each[0] >= 0])) == TEXT


def test_spans_are_highlighted():
    assert marked(TEXT, [(14, 17), (0, 3), (1, 9)]) == [
        {"text": "Ann", "class": "x-mention x-this"},
        {"text": " Smith met "},
        {"text": "Bob", "class": "x-mention x-this"},
        {"text": "."},
    ]
