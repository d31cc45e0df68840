"""Descriptions and their heads, and names in two forms."""

import pytest

from crossdoc.names.heads import (
    Kin,
    descriptions,
    ends_of,
    form_keys,
    head_of,
    is_description,
    kinship,
    misspells,
    one_form,
)
from crossdoc.names.people import relate_people
from crossdoc.names.words import Grade


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("the suspect", "suspect"),
        ("an up-market jewellery store in central Paris", "store"),
        ("in the hotel room", "room"),
        ("a branch of the Marfin bank", "branch"),
        ("mother of 12", "mother"),
        ("his lawyer, Mark Heller", "lawyer"),
        ("Sharron's mother", "mother"),
        ("ex-girlfriend", "girlfriend"),
        ("co - workers", "workers"),
        ("the", "the"),
    ],
)
def test_the_head_stands_before_what_is_said_of_it(name, head):
    assert head_of(name) == head


@pytest.mark.parametrize("name", ["", "!", "…", ",", "of"])
def test_what_has_no_word_is_its_own_head(name):
    assert head_of(name) == name
    assert ends_of(name) == {name}


def test_small_letters_make_a_description():
    assert is_description("the suspect")
    assert is_description("12 people")
    assert not is_description("the Suspect")
    assert not is_description("12")
    assert not is_description("中国")


def test_a_word_that_opens_sentences_is_a_description_if_it_is_as_often_small():
    names = ["police", "Police", "Bank", "Bank", "bank", "Bonn", "Rome", "Oslo", "Oslo police"]
    assert descriptions(names) == {"police", "Police", "bank"}
    assert descriptions([*names, "Police"]) == {"police", "bank"}


def test_where_half_of_the_names_are_small_letters_say_nothing():
    assert descriptions(["jo li", "al wu", "Cy Ode", "Bo Orr", "Ed Ax"]) == {"jo li", "al wu"}
    assert descriptions(["jo li", "al wu", "Cy Ode", "Bo Orr"]) == frozenset()


def test_kinship_of_descriptions():
    assert kinship("the suspect", "suspect", True) == Kin.SAME
    assert kinship("rehab facility", "the facility", True) == Kin.HEAD
    assert kinship("suspect", "robber", True) == Kin.NONE
    assert kinship("man", "Millom man", False) == Kin.HEAD
    assert kinship("lawyer", "Lawyer Mark Heller", False) == Kin.HEAD
    assert kinship("mark", "Lawyer Mark Heller", False) == Kin.NONE


FORMS = [
    ("AP", "Associated Press"),
    ("AMD", "Advanced Micro Devices"),
    ("Stepmom Esther Williams", "Esther Williams"),
    ("Reagn", "Reagan"),
    ("Reagn", "Ronald Reagan"),
]
NO_FORMS = [
    ("Regan", "Reagan"),
    ("Donald Regan", "Ronald Reagan"),
    ("John Jenkin", "Katie Jenkin"),
    ("Reagan", "Ronald Reagan"),
    ("AP", "United Press"),
]


@pytest.mark.parametrize("pair", FORMS)
def test_two_forms_of_one_name_clash_as_people_and_share_a_key(pair):
    assert one_form(*pair)
    assert relate_people(*pair) <= Grade.SIMILAR
    assert form_keys(pair[0]) & form_keys(pair[1])


@pytest.mark.parametrize("pair", NO_FORMS)
def test_other_names_are_no_forms_of_each_other(pair):
    assert not one_form(*pair)


def test_a_typing_error_does_not_outweigh_the_first_name():
    assert misspells("R. Reagn", "Ronald Reagan")
    assert not misspells("Nancy Reagn", "Ronald Reagan")
