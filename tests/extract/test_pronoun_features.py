"""Features of a pronoun and a chain, read off the parse."""

import math
from collections.abc import Sequence

import pytest
from spacy.language import Language
from spacy.tokens import Doc, Token

from crossdoc.extract.pronouns import Antecedent, PronounResolver


def candidates_in(doc: Doc, names: Sequence[str]) -> list[Antecedent]:
    """Every occurrence of every name; the chain is the place of the name in the list."""
    found = []
    for chain, name in enumerate(names):
        length = len(name.split())
        for at in range(len(doc) - length + 1):
            if [t.text for t in doc[at : at + length]] == name.split():
                found.append(Antecedent(at, at + length, chain))
    return found


def pronoun_in(doc: Doc, word: str) -> Token:
    """The last occurrence of the word."""
    return [token for token in doc if token.lower_ == word][-1]


@pytest.mark.parametrize(
    ("text", "word", "name", "expected"),
    [
        (
            "Ann fell when she ran.",
            "she",
            "Ann",
            {"path_subject_advcl", "path_up_1", "path_down_2", "near_in_ROOT"},
        ),
        ("Tom spoke of Ann Bell. She ran.", "she", "Ann Bell", {"near_after_of", "near_full_name"}),
        ("Mrs. Bell left. Her sister ran.", "her", "Bell", {"near_titled", "kin_possessed_subject"}),
        ("Ann left. Her sister ran.", "her", "Ann", {"before_main_subject_ROOT", "subject_possessed_subject"}),
        ("Ann's sister met her.", "her", "Ann", {"near_possessor_of_kin", "near_possessor_of_subject"}),
        ("Ann fell, but she ran.", "she", "Ann", {"subject_stated_again", "path_subject_conj"}),
        ("Ann fell, pushing her.", "her", "Ann", {"object_of_implied_subject"}),
        ("Ann asked Eve to help her.", "her", "Eve", {"object_of_implied_subject"}),
        ('Ann said: "She left."', "she", "Ann", {"not_in_quotation"}),
        ("Ann ran. “Eve left when she came.”", "she", "Eve", {"in_same_quotation"}),
    ],
)
def test_features_of_the_way_between(nlp: Language, text: str, word: str, name: str, expected: set[str]) -> None:
    doc = nlp(text)
    features = PronounResolver(doc, candidates_in(doc, [name])).features(pronoun_in(doc, word))[0]
    assert expected <= features.keys()


def test_whom_a_pronoun_in_a_quotation_may_mean(nlp: Language) -> None:
    doc = nlp("Ann met Eve. ``Tom saw her,'' Ann said. She left.")
    resolver = PronounResolver(doc, candidates_in(doc, ("Ann", "Eve", "Tom")))
    quoted, after = resolver.features(pronoun_in(doc, "her")), resolver.features(pronoun_in(doc, "she"))
    assert ["speaks" in quoted[chain] for chain in range(3)] == [True, False, False]
    assert "in_same_quotation" in quoted[2]
    assert all("speaks" not in features for features in after.values())


def test_whom_the_last_sentences_are_about(nlp: Language) -> None:
    doc = nlp("Eve fell. Tom came. Tom ran. Ann met Tom. She left.")
    features = PronounResolver(doc, candidates_in(doc, ("Ann", "Tom", "Eve"))).features(pronoun_in(doc, "she"))
    assert [features[chain].get("share_of_last", 0) for chain in range(3)] == pytest.approx([1 / 3, 2 / 3, 0])


def test_features_count_what_lies_between(nlp: Language) -> None:
    doc = nlp("Ann met Tom, ran, and slept. She fell.")
    features = PronounResolver(doc, candidates_in(doc, ("Ann", "Tom"))).features(pronoun_in(doc, "she"))
    assert features[0]["chains_between"] == 1
    assert "chains_between" not in features[1]
    assert features[0]["verbs_between"] == pytest.approx(math.log(4))
    assert features[0]["commas_between"] == pytest.approx(math.log(3))
    assert features[0]["share"] == 0.5
    assert ("named_first" in features[0], "named_first" in features[1]) == (True, False)
