"""Descriptors, employment and ownership: examples, what is asleep, odd input, and invariants."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossdoc.compare.specialists.jiang_conrath import (
    MOST_VALUES,
    Descriptors,
    Employment,
    Ownership,
    head_phrases,
)
from crossdoc.compare.wordnet import PERSON, wordnet
from crossdoc.model import Profile, Profiles, Relation

COMPANIES = [
    "General Motors", "General Motors Corp.", "GM", "General", "Motors", "G.M.", "Green Mountain", "Bank of America",
    "America", "National Cycling Association", "NCA", "IBM", "Cycling Association", "GeneralMotors", "", "...", "日産",
]  # fmt: skip


def person(*descriptors: str, titles: tuple[str, ...] = (), relations: tuple[tuple[str, str], ...] = ()) -> Profile:
    attributes = {"descriptor": list(descriptors), "title": list(titles)}
    links = tuple(Relation(type, name) for type, name in relations)
    return Profile("id", "doc", "John Smith", "person", attributes=attributes, relations=links)


def score(specialist: Descriptors | Employment | Ownership, a: Profile, b: Profile) -> float:
    return float(specialist.score(Profiles.of([a]), Profiles.of([b]), [(0, 0)])[0])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("former vice president of General Motors", ("vice_president",)),
        ("commander in chief", ("commander_in_chief",)),
        ("Secretary of State", ("secretary_of_state",)),
        ("GM chairman and chief executive officer", ("chairman", "chief_executive_officer")),
        ("president of Smith and Sons", ("president",)),
        ("the club's goalkeeper", ("goalkeeper",)),
        ("vice-captain", ("captain",)),
        ("xyzzy", ()),
        ("of", ()),
        ("a", ()),
        ("", ()),
        ("дом", ()),
        ("医者", ()),
    ],
)
def test_heads(text: str, expected: tuple[str, ...]) -> None:
    assert head_phrases(text) == expected


def test_descriptors_are_scored_by_their_heads() -> None:
    near = score(Descriptors(), person("senior senator from Ohio"), person("veteran legislator"))
    far = score(Descriptors(), person("senior senator from Ohio"), person("goalkeeper"))
    assert near == pytest.approx(wordnet().similarity("senator", "legislator", PERSON), abs=1e-6)
    assert near > 0.9 > 0.5 > far


def test_titles_of_office_count_and_courtesies_do_not() -> None:
    assert score(Descriptors(), person(titles=("sen",)), person("senator")) == 1.0
    assert np.isnan(score(Descriptors(), person(titles=("mr",)), person("senator")))


def test_the_profiles_type_picks_the_senses() -> None:
    company = Profile("o", "d", "Acme", "organisation", attributes={"descriptor": ["company"]})
    firm = Profile("p", "d", "Acme", "organisation", attributes={"descriptor": ["business"]})
    assert score(Descriptors(), company, firm) > 0.5
    assert score(Descriptors(), person("pitcher"), person("jug")) == 0.0


def test_best_match_average() -> None:
    net = wordnet()
    a, b = person("poet", "banker"), person("poet")
    other = net.similarity("banker", "poet", PERSON)
    assert score(Descriptors(), a, b) == pytest.approx((1 + other + 1) / 3, abs=1e-6)


@pytest.mark.parametrize("odd", [person(), person("x"), person("xyzzy"), person("дом", "医者"), person("", " ", "-")])
def test_asleep_without_a_known_word(odd: Profile) -> None:
    assert np.isnan(score(Descriptors(), odd, person("poet")))
    assert np.isnan(score(Descriptors(), odd, odd))
    assert Descriptors().evidence(odd, person("poet")) == ""


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (("employment:chairman", "General Motors"), ("employment:chairman", "GM"), 1.0),
        (("employment:chairman", "General Motors"), ("employment:chairman", "IBM"), 0.5),
        (("employment", "General Motors"), ("employment:chairman", "General Motors Corp."), 1.0),
        (("employment", "General Motors"), ("employment:chairman", "IBM"), 0.0),
        (("employment:xyzzy", "General Motors"), ("employment:chairman", "IBM"), 0.0),
        (("employment:chairman", "..."), ("employment:chairman", "IBM"), 1.0),
    ],
)
def test_employment(a: tuple[str, str], b: tuple[str, str], expected: float) -> None:
    assert score(Employment(), person(relations=(a,)), person(relations=(b,))) == pytest.approx(expected)


def test_employment_and_ownership_read_their_own_relations() -> None:
    owner, chairman = (
        person(relations=(("ownership:owner", "IBM"),)),
        person(relations=(("employment:chairman", "IBM"),)),
    )
    assert score(Ownership(), owner, owner) == 1.0
    assert np.isnan(score(Ownership(), owner, chairman))
    assert np.isnan(score(Employment(), owner, chairman))


def test_an_organisation_is_known_by_its_people() -> None:
    def texas(name: str) -> Profile:
        return Profile("t", "d", "Texas", "place", relations=(Relation("employment:governor", name),))

    assert score(Employment(), texas("Gov. George W. Bush"), texas("George Bush")) == 1.0
    assert score(Employment(), texas("George Bush"), texas("Ann Richards")) == 0.5
    assert score(Employment(), texas("George Bush"), texas("Bush")) == 1.0


def test_evidence_says_what_was_compared() -> None:
    a, b = (person(relations=((f"employment:{role}", name),)) for role, name in (("president", "GM"), ("chief", "IBM")))
    assert Employment().evidence(a, b) == "president of GM ~ chief of IBM"


def test_ten_thousand_relations() -> None:
    many = person(
        relations=tuple((f"employment:{'boss' if i % 2 else 'clerk'}", f"Company {i}") for i in range(10_000))
    )
    encoded = Employment().encode(Profiles.of([many, person(relations=(("employment:boss", "Company 1"),))]))
    assert encoded.starts.tolist() == [0, MOST_VALUES, MOST_VALUES + 1]
    scores = Employment().compare(encoded, np.array([[0, 1], [0, 0]], dtype=np.int32))
    assert 0 < scores[0] < scores[1] == 1.0


def test_no_pairs_and_no_profiles() -> None:
    empty = Profiles.of([])
    for specialist in (Descriptors(), Employment(), Ownership()):
        assert len(specialist.score(empty, empty, [])) == 0


texts = st.text(max_size=12) | st.sampled_from(["poet", "chairman of IBM", "vice president", "king and queen", "head"])
relations = st.tuples(texts.map(lambda role: f"employment:{role}"), st.sampled_from(COMPANIES) | st.text(max_size=6))
people = st.builds(
    lambda said, held: person(*said, relations=tuple(held)),
    st.lists(texts, max_size=4),
    st.lists(relations, max_size=4),
)


@settings(deadline=None)
@given(st.lists(people, min_size=2, max_size=5))
def test_scores_are_symmetric_in_range_and_one_with_oneself(profiles: list[Profile]) -> None:
    table = Profiles.of(profiles)
    pairs = np.array(list(product(range(len(table)), repeat=2)), dtype=np.int32)
    for specialist in (Descriptors(), Employment()):
        scores = specialist.score(table, table, pairs)
        np.testing.assert_array_equal(scores, specialist.score(table, table, pairs[:, ::-1]))
        own = scores[pairs[:, 0] == pairs[:, 1]]
        assert (np.isnan(own) | (own == 1.0)).all()
