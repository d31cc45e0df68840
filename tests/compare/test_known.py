"""What speaks for a profile being an entry of a known list."""

import numpy as np
import pytest
from tests.compare.common import make_evidence

from crossdoc.compare.fields import CONTEXT
from crossdoc.compare.known import KnownOdds, apart_by_entries, as_profiles, known_odds, likely_type
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.memory_collection import compare
from crossdoc.compare.name_prior import NameCounts
from crossdoc.model import KnownEntry, Profile, Profiles

CARS = "the chairman of the carmaker General Motors in Detroit sold trucks"
POEMS = "the poet read verses about rivers and gardens in Paris"
PEOPLE = Profiles.of(
    [
        Profile("cars", "1", "John Smith", "person", CARS),
        Profile("poems", "2", "John Smith", "person", POEMS),
        Profile("other", "3", "Mary Jones", "person", CARS),
        Profile("silent", "4", "John Smith", "person", ""),
    ]
)
ENTRIES = [
    KnownEntry("gm", "Jack Smith", ("John Smith",), "person", "carmaker in Detroit", {"employer": ["General Motors"]}),
    KnownEntry("bare", "John Smith", (), "person"),
    KnownEntry("firm", "John Smith", (), "organisation", CARS),
    KnownEntry("far", "Zbigniew Kowalski", (), "person", CARS),
]


@pytest.fixture
def odds():
    comparison = compare(PEOPLE, background=False)
    return comparison, comparison.known_odds(ENTRIES)


def told(found: KnownOdds) -> dict[tuple[str, str], float]:
    ids = PEOPLE.ids[found.profile], [ENTRIES[row].id for row in found.entry]
    return dict(zip(zip(*ids, strict=True), found.odds.tolist(), strict=True))


def test_only_agreeing_names_of_the_same_type_are_listed(odds):
    smiths = {"cars", "poems", "silent"}
    assert set(told(odds[1])) == {(profile, entry) for profile in smiths for entry in ("gm", "bare")}


def test_the_odds_are_those_of_two_profiles(odds):
    """The same sum that the evidence has for the profile and one with the entry's name and description."""
    comparison, found = odds
    entry = as_profiles(ENTRIES)[0]
    assert entry.context == "carmaker in Detroit General Motors"
    both = Profiles.of([PEOPLE[0], Profile("x", "x", "John Smith", "person", entry.context), *list(PEOPLE)[1:]])
    evidence = make_evidence(comparison.model, comparison.words, both)
    explained = {opinion.specialist: opinion.weight for opinion in evidence.explain(0, 1).opinions}
    names = told(found)["cars", "bare"]
    assert told(found)["cars", "gm"] == pytest.approx(names + explained["context"], abs=1e-3)


def test_no_description_or_no_context_says_nothing(odds):
    found = told(odds[1])
    assert found["cars", "bare"] == found["poems", "bare"] == found["silent", "gm"] == found["silent", "bare"]
    assert found["cars", "gm"] > found["cars", "bare"] > found["poems", "gm"]


def test_under_one_name_the_name_says_nothing():
    smiths = PEOPLE.take([0, 1, 3])
    comparison = compare(smiths, background=False, one_name=True)
    found = comparison.known_odds(ENTRIES[:2])
    bare = found.odds[(found.entry == 1)]
    assert bare.tolist() == [0.0, 0.0, 0.0]


def test_descriptions_are_measured_against_descriptions_of_other_names():
    """With many entries the background is that of contexts against descriptions, whatever the shipped one is."""
    words = [f"word{number}" for number in range(40)]
    random = np.random.default_rng(0)
    texts = [" ".join(random.choice(words, 12)) for _ in range(40)]
    rows = Profiles.of(Profile(f"p{i}", f"d{i}", f"Ann{i} Lee{i}", "person", texts[i]) for i in range(20))
    entries = [KnownEntry(f"k{i}", f"Ann{i} Lee{i}", (), "person", texts[20 + i]) for i in range(20)]
    comparison, counts = compare(rows, background=False), NameCounts(rows.column("name").to_pylist())
    shipped = LearnedModel.default()
    shifted = shipped.fields[CONTEXT].model_copy(update={"mean": 0.9, "sd": 0.3})
    other = shipped.model_copy(update={"fields": {**shipped.fields, CONTEXT: shifted}})
    found = [
        known_odds(rows, "person", entries, model, comparison.words, counts).odds.round(6).tolist()
        for model in (shipped, other)
    ]
    assert found[0] == found[1]
    few = [
        known_odds(rows, "person", entries[:2], model, comparison.words, counts).odds.tolist()
        for model in (shipped, other)
    ]
    assert few[0] != few[1]


def test_an_entry_without_a_type_is_what_its_name_says():
    names = ("London", "University of London", "John London", "Acme Ltd.")
    assert [likely_type(name) for name in names] == ["place", "organisation", None, "organisation"]
    rows = Profiles.of([Profile("p", "d", "London", "place"), Profile("o", "e", "London", "organisation")])
    comparison = compare(rows, background=False)
    entry = KnownEntry("k", "London")
    assert comparison.known_odds([entry]).profile.tolist() == [0]


def test_profiles_of_two_entries_are_kept_apart_unless_a_person_joined_them():
    odds = KnownOdds(np.array([0, 0, 1, 1, 2, 2]), np.array([0, 1, 0, 1, 0, 1]), np.array([6.0, 0, 0, 6.0, 1.0, 1.0]))
    assert apart_by_entries(odds, np.arange(3)).tolist() == [[0, 1]]
    assert apart_by_entries(odds, np.array([0, 0, 1])).tolist() == []
    # Entries that no profile has both of are of names that clash anyway.
    far = KnownOdds(np.array([0, 1]), np.array([0, 1]), np.array([6.0, 6.0]))
    assert apart_by_entries(far, np.arange(2)).tolist() == []
    nothing = KnownOdds(*(np.zeros(0, dtype=kind) for kind in (np.int64, np.int64, np.float64)))
    assert apart_by_entries(nothing, np.arange(2)).shape == (0, 2)


def test_some_profiles_have_the_odds_that_they_have_among_all():
    """Descriptions are measured against contexts of the collection, also if one part of it is linked at a time."""
    rng, names = np.random.default_rng(0), ("John Smith", "Mary Jones", "Ann Lee", "Bo Kim")
    rows = Profiles.of(
        Profile(f"p{n:02}", f"d{n}", names[n % 4], "person", " ".join(f"w{word}" for word in rng.integers(0, 30, 8)))
        for n in range(40)
    )
    entries = [
        KnownEntry(f"Q{n}", name, description=" ".join(f"w{word}" for word in rng.integers(0, 30, 8)))
        for n, name in enumerate([*names, *(f"Zed Quill{n}" for n in range(8))])
    ]
    comparison = compare(rows, background=False)
    every, part = comparison.known_odds(entries), comparison.known_odds(entries, np.arange(7))
    among = every.profile < 7
    assert among.sum() > 3
    assert part.odds.tolist() == pytest.approx(every.odds[among].tolist())
