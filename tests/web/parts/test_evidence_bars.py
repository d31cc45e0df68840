"""Cards of profiles, and evidence as bars."""

import pytest

from crossdoc.compare.ensemble import Explanation, Opinion
from crossdoc.store.views import FactLine, ProfileView, RelationLine
from crossdoc.web.parts import evidence_bars
from crossdoc.web.parts.evidence_bars import in_order, kind_word, relation_word
from crossdoc.web.reader import Why


def texts(found):
    return [element._text for element in found if element._text]


@pytest.mark.parametrize(
    ("weight", "word"),
    [(2.0, "strongly for"), (1.99, "for"), (0.5, "for"), (0.49, "slightly for"), (0.04, "neither way"),
     (-0.5, "against"), (-2.0, "strongly against")],
)  # fmt: skip
def test_weights_in_words(weight, word):
    assert evidence_bars.verdict(weight) == word


@pytest.mark.parametrize(
    ("strength", "word"), [(0.9, "very likely one"), (0.5, "hard to tell"), (0.05, "very likely two")]
)
def test_strengths_in_words(strength, word):
    assert evidence_bars.likely(strength) == word


def opinion(name, score, weight):
    return Opinion(name, score, None if score is None else 0.6, weight, "shared words")


def test_each_kind_of_evidence_has_a_bar_and_missing_ones_are_listed(client, elements):
    given = [opinion("names", 1.0, 2.0), opinion("context", 0.2, -8.0), opinion("odd_kind", None, 0.0)]
    evidence_bars.evidence(Why(None, None, Explanation(0.7, tuple(given))))
    assert texts(elements("strong")) == ["Probably one"]
    assert [each._style["width"] for each in elements("i")] == ["70.0%", "25.0%", "50.0%"]
    sides = [each._classes for each in elements("span") if "x-weight" in each._classes]
    assert sides == [["x-weight", "x-for"], ["x-weight", "x-against"]]
    assert texts(elements("p")) == ["Nothing to compare: odd kind."]
    assert {"The names", "Words around the name", "strongly for", "strongly against"} <= set(texts(elements("div")))


def test_a_card_hides_the_identity_of_a_blind_review(client, elements):
    view = ProfileView(
        "p", "d", "Title", "1996", None, "Ann", "person", "en", "by Ann", [(3, 6)],
        {"first": ["Ann"], "descriptor": ["poet"]}, [RelationLine("family:wife", "Bo", None, None, "", "d")],
        "e", "Ann Lee", 0.9,
    )  # fmt: skip
    evidence_bars.profile_card(view, blind=True)
    assert texts(elements("a")) == ["Title"]
    assert texts(elements("dt") + elements("dd")) == ["Described as", "Wife:", "poet", "Bo"]
    evidence_bars.profile_card(view)
    assert texts(elements("a")) == ["Title", "Title", "Ann Lee"]


def facts(*rows):
    return [FactLine(kind, value, "", None, "p", n) for kind, value, n in rows]


@pytest.mark.parametrize(
    ("kind", "word"), [("descriptor", "Described as"), ("email", "E-mail"), ("shoe size", "Shoe size")]
)
def test_kinds(kind, word):
    assert kind_word(kind) == word


@pytest.mark.parametrize(
    ("type", "words"),
    [
        ("employment", "works for"),
        ("employment:chairman", "chairman at"),
        ("family:wife", "wife:"),
        ("location:deathplace", "died in"),
        ("location:lunch", "lunch in"),
        ("ownership:founder", "founder of"),
        ("odd", "odd"),
        ("odd:kind", "kind of"),
    ],
)
def test_relations(type, words):
    assert relation_word(type) == words


def test_facts_are_in_the_order_of_their_kinds_and_most_frequent_first():
    found = in_order(
        facts(("zeal", "much", 9), ("age", "58", 1), ("descriptor", "lawyer", 1), ("descriptor", "poet", 3))
    )
    assert [kind for kind, _ in found] == ["descriptor", "age", "zeal"]
    assert [fact.value for fact in found[0][1]] == ["poet", "lawyer"]


def test_values_that_differ_in_case_are_one_fact():
    ((_, found),) = in_order(facts(("descriptor", "Chairman", 1), ("descriptor", "chairman", 2)))
    assert [(fact.value, fact.count) for fact in found] == [("chairman", 3)]
    ((_, found),) = in_order(facts(("gender", "m", 1), ("gender", "male", 1)))
    assert [(fact.value, fact.count) for fact in found] == [("male", 2)]
