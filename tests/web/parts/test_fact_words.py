"""Facts and relations in plain words."""

import pytest

from crossdoc.store.views import FactLine
from crossdoc.web.parts.fact_words import in_order, kind_word, relation_word


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
