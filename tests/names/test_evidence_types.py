"""Types of attributes and relations: one spelling, and none that extraction makes is unknown."""

import pytest

from crossdoc.extract.relations import AFFILIATIONS
from crossdoc.lang import pack
from crossdoc.names import evidence_types as evidence
from crossdoc.names.texts import CONTACT_KINDS


@pytest.mark.parametrize("spelt", ["employment", "Employment", " EMPLOYMENT\t", "employment "])
def test_case_and_surrounding_space_do_not_count(spelt):
    assert evidence.plain_type(spelt) == "employment"
    assert evidence.relation_type(f"{spelt}: Chairman") == "employment"


@pytest.mark.parametrize(
    "spelt", ["gender_confidence", "gender-confidence", "Gender  Confidence", "GENDER _CONFIDENCE"]
)
def test_joints_are_alike(spelt):
    assert evidence.plain_type(spelt) == "gender confidence"


def test_words_are_not_run_together_nor_details_changed():
    assert evidence.plain_type("genderconfidence") != evidence.plain_type("gender_confidence")
    assert evidence.plain_type("Family:Step-Son") == "family:Step-Son"


def test_what_extraction_makes_is_known():
    said = pack("en").relations
    made = {row.type for row in (*said.nouns, *said.verbs, *said.beside_names)} | set(AFFILIATIONS.values()) | {"list"}
    assert made <= set(evidence.RELATIONS) | set(evidence.SHOWN_RELATIONS)
    assert set(AFFILIATIONS) | set(CONTACT_KINDS) <= set(evidence.ATTRIBUTES) | set(evidence.SHOWN_ATTRIBUTES)


def test_no_type_is_told_twice():
    assert not set(evidence.ATTRIBUTES) & set(evidence.SHOWN_ATTRIBUTES)
    assert not set(evidence.RELATIONS) & set(evidence.SHOWN_RELATIONS)
