"""Elements by name, and the small elements that all pages use."""

import pytest

from crossdoc import errors
from crossdoc.web.changes import Refusal
from crossdoc.web.parts import basics


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
