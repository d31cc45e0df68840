"""Gender of person mentions, on sentences written for the purpose."""

import pytest
from spacy.language import Language
from spacy.tokens import Span

from crossdoc.extract.gender import (
    UNKNOWN,
    GenderGuess,
    first_names,
    gender_of_chain,
    gender_of_first_name,
    gender_of_mention,
    gender_of_name,
    with_pronouns,
)


def mention(nlp: Language, text: str, name: str) -> Span:
    doc = nlp(text)
    span = doc.char_span(text.index(name), text.index(name) + len(name))
    assert span is not None
    return span


@pytest.mark.parametrize("name", ["Mrs. Whitcombe", "Queen Agnes", "Martha Whitcombe", "Dr. Martha Whitcombe"])
def test_female_names(name: str) -> None:
    assert gender_of_name(name).female > 0.9


@pytest.mark.parametrize("name", ["Mr. Whitcombe", "Sir Percival Dunmore", "Robert Whitcombe", "J. Robert Whitcombe"])
def test_male_names(name: str) -> None:
    assert gender_of_name(name).female < 0.1


@pytest.mark.parametrize("name", ["", "Dr. Whitcombe", "J. Kelly", "The Whitcombe"])
def test_names_that_tell_nothing(name: str) -> None:
    assert gender_of_name(name) == UNKNOWN


def test_title_outweighs_first_name() -> None:
    assert gender_of_name("Mrs. Robert Whitcombe").female > 0.9


def test_lone_name_is_weaker_than_the_same_first_name() -> None:
    assert 0.5 < gender_of_name("Martha").female < gender_of_name("Martha Whitcombe").female


def test_accents_and_hyphens() -> None:
    assert gender_of_first_name("María").female > 0.9
    assert gender_of_first_name("Mary-Louise").female > 0.9


def test_unlisted_first_name_is_guessed_from_its_ending_with_less_confidence() -> None:
    assert "benedettina" not in first_names()
    guess = gender_of_first_name("Benedettina")
    assert guess.evidence == "ending"
    assert 0.6 < guess.female < gender_of_first_name("Martha").female


def test_every_listed_share_is_a_probability() -> None:
    assert len(first_names()) > 5000
    assert all(0.0 <= share <= 1.0 for share in first_names().values())


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("The actress Terrwyn Vosk left the theatre.", "Terrwyn Vosk"),
        ("He wrote to his wife, Terrwyn Vosk, every day.", "Terrwyn Vosk"),
        ("Terrwyn Vosk is a woman of few words.", "Terrwyn Vosk"),
        ("They met Mrs. Vosk in Leeds.", "Vosk"),
    ],
)
def test_role_and_title_around_the_mention(nlp: Language, text: str, name: str) -> None:
    assert gender_of_mention(mention(nlp, text, name)).female > 0.9


def test_possessor_does_not_inherit_the_gender_of_the_kin_noun(nlp: Language) -> None:
    assert gender_of_mention(mention(nlp, "Robert Vosk's wife left early.", "Robert Vosk")).female < 0.1


def test_chain_takes_its_most_confident_mention() -> None:
    assert gender_of_chain([UNKNOWN, GenderGuess(0.9, "role"), GenderGuess(0.4, "ending")]).female == 0.9
    assert gender_of_chain([]) == UNKNOWN


def test_pronouns_move_an_unknown_gender_and_cancel_out() -> None:
    assert with_pronouns(UNKNOWN, feminine=2.0, masculine=0.0).female > 0.9
    assert with_pronouns(UNKNOWN, feminine=0.0, masculine=1.0).female < 0.2
    assert with_pronouns(UNKNOWN, feminine=1.0, masculine=1.0) == UNKNOWN
