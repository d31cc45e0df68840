"""Titles that contradict each other, and titles that do not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import crossdoc
from crossdoc.compare.evidence import StatedFacts
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.memory_collection import compare
from crossdoc.compare.specialists import Office, Party, Specialist, State
from crossdoc.compare.specialists.offices import TitleContradictions
from crossdoc.model import Document, Profile, Profiles, Relation


def person(number: int, name: str, title: str = "") -> Profile:
    attributes = {"last": [name.split()[-1].lower()]} | ({"title": [title]} if title else {})
    return Profile(str(number), "d", name, "person", attributes=attributes)


def in_text(name: str, context: str) -> Profile:
    return Profile(name + context, context, name, "person", context)


def is_apart(a: Profile, b: Profile) -> bool:
    """Whether titles contradict each other; the opposite of it is no opinion."""
    score = TitleContradictions().score(Profiles.of([a]), Profiles.of([b]), [(0, 0)])[0]
    assert score < 0.5 or np.isnan(score)
    return bool(score < 0.5)


def test_a_monarchs_only_name_speaks_against_a_surname_and_nothing_else() -> None:
    people = Profiles.of(
        [
            person(0, "King Hussein", "king"),
            person(1, "Hussein", "King"),
            person(2, "Saddam Hussein"),
            person(3, "Hussein"),
            person(4, "King Hassan", "king"),
            person(5, "Hussein Onn"),
            person(6, "King Hussein Talal", "king"),
        ]
    )
    pairs = [(0, 2), (2, 1), (0, 1), (0, 3), (4, 2), (0, 5), (6, 2)]
    scores = TitleContradictions().score(people, people, pairs)
    assert scores[:2].tolist() == [0.0, 0.0]
    assert np.isnan(scores[2:]).all()
    assert "Saddam Hussein" in TitleContradictions().evidence(people[0], people[2])


SYRIAN = in_text("Assad", "President Assad of Syria left Damascus.")


@pytest.mark.parametrize(
    "text",
    [
        "Then President Assad of Egypt spoke.",
        "Egyptian President Assad spoke.",
        "But Egypt's deputy prime minister Assad spoke.",
        "They met President of Egypt Assad.",
        "Mr. Assad, the Foreign Minister of Egypt, spoke.",
        "Assad (Egyptian foreign minister) spoke.",
        "Then King Assad spoke.",
    ],
)
def test_an_office_of_another_country_speaks_against_one_person(text: str) -> None:
    assert is_apart(SYRIAN, in_text("Assad", text))


@pytest.mark.parametrize(
    "text",
    [
        "President Assad spoke.",
        "Assad spoke of Egypt.",
        "Syrian Prime Minister Assad spoke.",
        "Ali Assad, the President of Egypt, spoke.",
        "He left Egypt. President Assad stayed.",
        "He met the Egyptian President, Assad and others.",
        "President Assad of General Motors spoke.",
        "He met Mubarak, the President of Egypt, and Assad.",
    ],
)
def test_other_words_do_not(text: str) -> None:
    assert not is_apart(SYRIAN, in_text("Assad", text))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Prime Minister Nehru of India", "Prime Minister Nehru"),
        ("Vice President Nixon", "President Nixon"),
        ("Senator Kennedy", "President Kennedy"),
        ("Senator Kennedy", "President Kennedy of the United States"),
    ],
)
def test_offices_of_one_country_or_of_none_are_silent(a: str, b: str) -> None:
    names = (a.split(" of ")[0], b.split(" of ")[0])
    assert not is_apart(*(in_text(name, f"{text} spoke.") for name, text in zip(names, (a, b), strict=True)))


def test_what_an_extractor_states_is_read_as_the_text_is() -> None:
    stated = [
        {"descriptor": ["President of Egypt"]},
        {"descriptor": ["Egypt's former prime minister"]},
        {"title": ["president"], "nationality": ["Egyptian"]},
    ]
    profiles = [Profile(str(n), "d", "Assad", "person", attributes=each) for n, each in enumerate(stated)]
    profiles.append(Profile("r", "d", "Assad", "person", relations=(Relation("employment:president", "Egypt"),)))
    assert all(is_apart(SYRIAN, profile) for profile in profiles)
    assert not any(is_apart(profiles[0], profile) for profile in profiles)
    # A citizen without an office, and what is no person.
    assert not is_apart(SYRIAN, Profile("c", "d", "Assad", "person", attributes={"nationality": ["Egyptian"]}))
    assert not is_apart(SYRIAN, Profile("l", "d", "Assad", "place", "Egyptian President Assad"))


def test_two_countries_on_one_side_are_no_contradiction_with_either() -> None:
    both = in_text("Assad", "President Assad of Syria met Egyptian President Assad.")
    assert not is_apart(SYRIAN, both)


def test_the_same_office_in_two_countries_takes_back_what_the_same_office_adds() -> None:
    facts = LearnedModel.default().facts
    people = [
        Profile(country, "d", "Assad", "person", attributes={"descriptor": [f"{office} of {country}"]})
        for office, country in (("president", "Syria"), ("president", "Egypt"), ("foreign minister", "Iraq"))
    ]
    stated = StatedFacts({name: facts[name] for name in ("title", "office")}, Profiles.of(people))
    assert stated.of(np.array([[0, 1], [0, 2]], dtype=np.int32)).tolist() == pytest.approx([-4, -3.9])


def test_the_default_reads_tables_and_weighs_what_was_counted() -> None:
    """Rows without attributes: the fact reads names and contexts, and explains itself."""
    rows = Profiles.of([SYRIAN, in_text("Assad", "Egyptian President Assad left Damascus.")])
    why = compare(rows, model=LearnedModel.default(), background=False)["person"].explain(0, 1)
    (title,) = [opinion for opinion in why.opinions if opinion.specialist == "title"]
    assert title.weight == pytest.approx(-3.9)
    assert title.evidence == "Assad, president (SY) / Assad, president (EG)"


def test_only_profiles_with_a_title_or_the_name_of_a_monarch_are_asked() -> None:
    people = [person(0, "Saddam Hussein", "president"), person(1, "Hussein"), person(2, "Ann Lee")]
    specialist = TitleContradictions()
    assert not specialist.speaking(specialist.encode(Profiles.of(people))).any()
    people.append(person(3, "King Hussein"))
    assert specialist.speaking(specialist.encode(Profiles.of(people))).tolist() == [True, False, False, True]


def found(texts: list[str], name: str) -> list[tuple[str, int]]:
    with crossdoc.resolve([Document(f"d{n}", text, language="en") for n, text in enumerate(texts)]) as answer:
        return sorted((identity.name, identity.n_documents) for identity in answer.find(name))


def test_king_hussein_is_not_saddam_hussein() -> None:
    texts = [
        "President Saddam Hussein of Iraq said in Baghdad that his army would not leave Kuwait.",
        "Saddam Hussein met his generals in Baghdad. The Iraqi president said that the war was over.",
        "King Hussein of Jordan said in Amman that talks between Iraq and Kuwait had failed. Hussein flew to Baghdad.",
        "King Hussein met the leaders of Egypt in Amman. The king said that peace was near in Kuwait.",
    ]
    assert found(texts, "Hussein") == [("King Hussein", 2), ("Saddam Hussein", 2)]


def test_presidents_of_two_countries_are_two_and_a_career_is_one() -> None:
    texts = [
        "President Hamdan of Syria said in Geneva that talks about the border had failed.",
        "Egyptian President Hamdan opened a dam on Sunday. He praised the engineers.",
        "Reporters asked President Hamdan of Syria about the border and the failed talks.",
        "President Hamdan of Egypt praised the engineers of the new dam on Sunday.",
    ]
    assert [documents for _, documents in found(texts, "Hamdan")] == [2, 2]
    about = "said in Chicago that the election was near and that taxes would fall."
    texts = [f"{office} Nixon {about}" for office in ("Vice President", "President", "Senator", "President")]
    assert [documents for _, documents in found(texts, "Nixon")] == [4]


Said = dict[str, list[str]]


def score(specialist: Specialist[Any], a: Said, b: Said) -> float:
    table = Profiles.of([Profile("1", "d", "Ann", "person", attributes=a), Profile("2", "d", "Ann", attributes=b)])
    there, back = specialist.score(table, table, [(0, 1), (1, 0)])
    assert there == back or (np.isnan(there) and np.isnan(back))
    return float(there)


@pytest.mark.parametrize(
    ("a", "b", "wanted"),
    [
        ({"party": ["Democrat"]}, {"party": ["Democratic"]}, 1.0),
        ({"party": ["Republicans"]}, {"descriptor": ["GOP senator"]}, 1.0),
        ({"party": ["Democrat"]}, {"party": ["Republican"]}, 0.0),
        ({"party": ["Likud"]}, {"party": ["Likud Party"]}, 1.0),
    ],
)
def test_party(a: Said, b: Said, wanted: float) -> None:
    assert score(Party(), a, b) == wanted


@pytest.mark.parametrize(
    ("a", "b", "wanted"),
    [
        ({"state": ["N.Y."]}, {"state": ["New York"]}, 1.0),
        ({"state": ["Tex."]}, {"descriptor": ["former Texas governor"]}, 1.0),
        ({"state": ["Va."]}, {"descriptor": ["governor of West Virginia"]}, 0.0),
        ({"state": ["Calif."]}, {"state": ["Maine"]}, 0.0),
    ],
)
def test_state(a: Said, b: Said, wanted: float) -> None:
    assert score(State(), a, b) == wanted


def test_a_state_without_an_office_is_only_a_place() -> None:
    assert np.isnan(score(State(), {"state": ["Tex."]}, {"descriptor": ["Texas rancher"]}))


@pytest.mark.parametrize(
    ("a", "b", "wanted"),
    [
        ({"title": ["sen"]}, {"title": ["senator"]}, 1.0),
        ({"title": ["senator"]}, {"party": ["Democrat"], "state": ["N.Y."]}, 0.75),
        ({"title": ["gov"]}, {"descriptor": ["mayor of Boston"]}, 0.25),
        ({"title": ["president"]}, {"title": ["vice president"]}, 0.25),
    ],
)
def test_office(a: Said, b: Said, wanted: float) -> None:
    assert score(Office(), a, b) == wanted


@pytest.mark.parametrize("specialist", [Party(), State(), Office()])
def test_asleep_when_one_side_says_nothing(specialist: Specialist[Any]) -> None:
    said = {"party": ["Democrat"], "state": ["N.Y."], "title": ["senator"]}
    assert np.isnan(score(specialist, said, {}))
    assert np.isnan(score(specialist, said, {"party": [], "state": [""], "descriptor": ["!"]}))


def test_mayors_are_not_written_with_party_and_state() -> None:
    assert np.isnan(score(Office(), {"title": ["mayor"]}, {"party": ["Democrat"], "state": ["N.Y."]}))
