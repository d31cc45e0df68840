"""Places of places and of people: containment, what is asleep, odd input, and invariants."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossdoc.compare.specialists.places import MOST_PLACES, PeoplesPlaces, PlaceNames
from crossdoc.model import Profile, Profiles, Relation


def place(name: str) -> Profile:
    return Profile("id", "doc", name, "place")


def person(*relations: tuple[str, str], nationality: str = "", state: str = "") -> Profile:
    attributes = {"nationality": [nationality] * bool(nationality), "state": [state] * bool(state)}
    links = tuple(Relation(type, name) for type, name in relations)
    return Profile("id", "doc", "John Smith", "person", attributes=attributes, relations=links)


def lives(name: str) -> Profile:
    return person(("resident", name))


def score(specialist: PlaceNames | PeoplesPlaces, a: Profile, b: Profile) -> float:
    return float(specialist.score(Profiles.of([a]), Profiles.of([b]), [(0, 0)])[0])


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("Paris", "Paris, France", 1.0),
        ("Paris", "Parigi", 1.0),
        ("Paris", "Paris, Texas", 0.0),
        ("Germany", "Allemagne", 1.0),
        ("U.S.", "America", 1.0),
        ("Paris", "France", 0.2),
        ("Paris", "Lyon", 0.0),
        ("Springfield, Ill.", "Springfield, Mass.", 0.0),
    ],
)
def test_places_by_name(a: str, b: str, expected: float) -> None:
    assert score(PlaceNames(), place(a), place(b)) == pytest.approx(expected)


@pytest.mark.parametrize("name", ["Springfield", "xyzzy", "", "P", "Никакой", "x" * 5000])
def test_asleep_unless_both_are_found(name: str) -> None:
    assert np.isnan(score(PlaceNames(), place(name), place("Paris")))
    assert np.isnan(score(PeoplesPlaces(), lives(name), lives("Paris")))


@pytest.mark.parametrize(
    ("context", "descriptors", "expected"),
    [
        ("She left Paris, Texas, in May.", [], 0.0),
        ("She left Paris (Tex.) in May.", [], 0.0),
        ("Paris, Texas Governor Bush said", [], 0.0),
        ("", ["town in Texas"], 0.0),
        ("Paris, France, in May.", [], 1.0),
        ("She left for Paris, Germany and Peru.", [], 1.0),
        ("Paris, London and Rome", ["city in love"], 1.0),
        ("(Paris, (Paris", [" in ", "in"], 1.0),
        ("She lived in Comparis, Texas.", [], 1.0),
    ],
)
def test_the_document_says_which_place_is_meant(context: str, descriptors: list[str], expected: float) -> None:
    told = Profile("p", "d", "Paris", "place", context=context, attributes={"descriptor": descriptors})
    assert score(PlaceNames(), told, place("Paris")) == expected


def test_place_names_are_for_places_and_peoples_places_for_people() -> None:
    assert np.isnan(score(PlaceNames(), Profile("p", "d", "Paris", "person"), place("Paris")))
    town = Profile("t", "d", "Paris", "place", relations=(Relation("resident", "Florence"),))
    assert np.isnan(score(PeoplesPlaces(), town, lives("Florence")))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (lives("Paris"), lives("Paris"), 1.0),
        (lives("Paris"), person(nationality="French"), 0.8),
        (lives("Paris"), person(("citizen", "France")), 0.8),
        (lives("Paris"), lives("Europe"), 0.6),
        (lives("Paris"), lives("Paris, Texas"), 0.0),
        (lives("Paris"), lives("Lyon"), 0.1),
        (lives("Houston"), lives("Paris, Texas"), 0.3),
        (person(state="N.Y."), person(("location:birthplace", "New York City")), 0.9),
        (person(nationality="French"), person(nationality="German"), 0.0),
        (person(nationality="French"), person(("citizen", "French")), 1.0),
    ],
)
def test_places_of_people(a: Profile, b: Profile, expected: float) -> None:
    assert score(PeoplesPlaces(), a, b) == pytest.approx(expected)


def test_every_place_takes_its_best_partner() -> None:
    two = person(("resident", "Paris"), ("location", "Boston"))
    assert score(PeoplesPlaces(), two, lives("Boston")) == pytest.approx((0 + 1 + 1) / 3)


def test_a_larger_place_adds_nothing_to_a_smaller_one_in_it() -> None:
    assert score(PeoplesPlaces(), person(("resident", "Boston"), nationality="American"), lives("Boston")) == 1.0


def test_evidence_names_the_places() -> None:
    assert PeoplesPlaces().evidence(person(nationality="French"), lives("Paris")) == "France ~ Paris"
    assert PeoplesPlaces().evidence(person(), lives("Paris")) == ""


def test_ten_thousand_relations() -> None:
    cities = ["Boston", "Paris", "xyzzy", "Tokyo"]
    many = person(*((f"location:{i}", f"{cities[i % 4]}") for i in range(10_000)))
    towns = person(*(("location", f"Town{i}, Texas") for i in range(10_000)))
    encoded = PeoplesPlaces().encode(Profiles.of([many, towns]))
    assert encoded.starts.tolist() == [0, 3, 3 + MOST_PLACES]


def test_no_pairs_and_no_profiles() -> None:
    empty = Profiles.of([])
    for specialist in (PlaceNames(), PeoplesPlaces()):
        assert len(specialist.score(empty, empty, [])) == 0


NAMES = ["Paris", "Paris, Texas", "France", "Texas", "U.S.", "Europe", "Boston", "Lyon", "Londres", "Tokyo", "Nowhere"]
names = st.sampled_from(NAMES) | st.text(max_size=8)
people = st.builds(
    lambda homes, nationality: person(*(("resident", home) for home in homes), nationality=nationality),
    st.lists(names, max_size=4),
    st.sampled_from(["", "French", "American", "?"]),
)


@settings(deadline=None)
@given(st.lists(people | names.map(place), min_size=2, max_size=5))
def test_scores_are_symmetric_in_range_and_one_with_oneself(profiles: list[Profile]) -> None:
    table = Profiles.of(profiles)
    pairs = np.array(list(product(range(len(table)), repeat=2)), dtype=np.int32)
    for specialist in (PlaceNames(), PeoplesPlaces()):
        scores = specialist.score(table, table, pairs)
        np.testing.assert_array_equal(scores, specialist.score(table, table, pairs[:, ::-1]))
        own = scores[pairs[:, 0] == pairs[:, 1]]
        assert (np.isnan(own) | (own == 1.0)).all()
