"""Personal names: the order of the scores, clashes, scripts, and agreement with the rule that all rooms go by."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import JaroWinkler

from crossdoc.compare.specialists import Acronyms, PersonNames, kernels
from crossdoc.compare.specialists.base import letters
from crossdoc.compare.specialists.name_similarity import OtherNames, letters_of, name_score, stands_for
from crossdoc.model import Profile, Profiles
from crossdoc.names import parse_person, persons_agree

FIRST = st.sampled_from(
    ["John", "Johnny", "J.", "Jon", "William", "Bill", "Seong-Nam", "Seong Nam", "Иван", "Mary", ""]
)
MIDDLE = st.sampled_from(["", "", "Q.", "Quincy", "H. W.", "W.", "García"])
LAST = st.sampled_from(
    ["Smith", "Smyth", "Smith-Jones", "Jones", "van Dyke", "Dyke", "García", "Li", "Чернов", "Tchernov"]
)
SUFFIX = st.sampled_from(["", "", "Jr.", "Sr.", "III", "MD"])
TITLE = st.sampled_from(["", "", "Mr.", "Mrs.", "Dr."])
NAMES = st.builds(lambda *parts: " ".join(filter(None, parts)), TITLE, FIRST, MIDDLE, LAST, SUFFIX)


def people(names: list[str]) -> Profiles:
    return Profiles.of(Profile(str(i), "d", name, "person") for i, name in enumerate(names))


def score(a: str, b: str) -> float:
    table = people([a, b])
    return float(PersonNames().score(table, table, [(0, 1)])[0])


def test_more_evidence_scores_higher() -> None:
    ladder = [
        ("John Quincy Smith", "John Quincy Smith"),
        ("John Q. Smith", "John Q. Smith"),
        ("John Q. Smith", "John Quincy Smith"),
        ("John Smith", "John Smith"),
        ("John Smith", "John Q. Smith"),
        ("John Smith", "Johnny Smith"),
        ("J. Smith", "J. Smith"),
        ("J. Smith", "John Smith"),
        ("Smith", "Smith"),
        ("Smith", "John Smith"),
        ("Mary Smith", "John Smith"),
    ]
    scores = [score(a, b) for a, b in ladder]
    assert all(more > less for more, less in pairwise(scores))
    assert scores[0] == 1.0
    assert scores[-1] == 0.0


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Smith, John", "John Smith"),
        ("Bill Clinton", "William Clinton"),
        ("Пётр Чернов", "Pyotr Chernov"),
        ("Tchernov", "Chernov"),
        ("Mary Smith-Jones", "Mary Jones"),
        ("Gabriel García Márquez", "Gabriel García"),
        ("Gabriel García-Márquez", "Gabriel García Márquez"),
        ("Ludwig van Beethoven", "Ludwig Beethoven"),
        ("Takahashi Haruhiko", "Haruhiko Takahashi"),
        ("Seong-Nam Lee", "Seongnam Lee"),
        ("J. R. Ewing", "JR Ewing"),
        ("J.-L. Picard", "Jean-Luc Picard"),
        ("Jean-Luc Picard", "Jean Picard"),
        ("Hillary", "Hillary Clinton"),
        ("John Smith Jr.", "John Smith"),
        ("John Smith MD", "John Smith Esq."),
    ],
)
def test_variants_agree(a: str, b: str) -> None:
    assert 0.25 < score(a, b) < 1.0


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Bill Clinton", "Hillary Clinton"),
        ("George W. Bush", "George H. W. Bush"),
        ("John A. Smith", "John B. Smith"),
        ("John Smith Jr.", "John Smith Sr."),
        ("Mr. Smith", "Mrs. Smith"),
        ("Wei Li", "Wei Liu"),
        ("Mr. Hillary", "Hillary Clinton"),
        ("John Smith", "John Jones"),
        ("Mary Smith-Jones", "Mary Jones-Brown"),
    ],
)
def test_clashes(a: str, b: str) -> None:
    assert score(a, b) == 0.0


def test_a_shared_suffix_raises_the_score() -> None:
    assert score("John Smith Jr.", "John Smith Jr.") > score("John Smith Jr.", "John Smith")


def test_asleep_without_a_persons_name() -> None:
    table = Profiles.of(
        [
            Profile("1", "d", "John Smith", "person"),
            Profile("2", "d", "", "person"),
            Profile("3", "d", "John Smith", "organisation"),
            Profile("4", "d", "John Smith"),
            Profile("5", "d", "!?", "person"),
        ]
    )
    assert np.isnan(PersonNames().score(table, table, [(0, i) for i in range(1, 5)])).all()


@settings(deadline=None)
@given(NAMES, NAMES)
def test_symmetric_and_nobody_is_nearer_than_oneself(a: str, b: str) -> None:
    table = people([a, b])
    ab, ba, aa, bb = PersonNames().score(table, table, [(0, 1), (1, 0), (0, 0), (1, 1)])
    assert ab == ba
    assert 0 <= ab <= min(aa, bb) + 1e-6


@settings(deadline=None)
@given(st.text(max_size=30), st.text(max_size=30))
def test_any_text_is_a_name_or_none(a: str, b: str) -> None:
    table = people([a, b])
    ab, ba = PersonNames().score(table, table, [(0, 1), (1, 0)])
    assert ab == ba or (np.isnan(ab) and np.isnan(ba))
    parsed = [parse_person(name) for name in (a, b)]
    named = all(name.last for name in parsed)
    assert np.isnan(ab) != named
    assert not named or (ab > 0) == persons_agree(*parsed)


@settings(deadline=None)
@given(st.lists(st.text("abcdeй", min_size=0, max_size=12), min_size=2, max_size=2))
def test_jaro_winkler_is_rapidfuzzs(words: list[str]) -> None:
    taken = np.empty((2, 12), dtype=np.uint8)
    ours = kernels.jaro_winkler(letters(words), np.int32(0), np.int32(1), taken)
    assert ours == pytest.approx(JaroWinkler.similarity(*words), abs=1e-12)


def score_acronyms(a: str, b: str, kind: str = "organisation") -> list[float]:
    table = Profiles.of([Profile("1", "d", a, kind), Profile("2", "d", b, kind)])
    found = Acronyms().score(table, table, [(0, 1), (1, 0)])
    assert np.array_equal(found[:1], found[1:], equal_nan=True)
    return found[:1].tolist()


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("COLING", "International Conference on Computational Linguistics"),
        ("NCA", "National Cycling Association"),
        ("N.C.A.", "the National Cycling Association"),
        ("the UN", "United Nations"),
        ("IBM", "International Business Machines Corp."),
        ("GMC", "General Motors Corp."),
        ("DoD", "Department of Defense"),
        ("AT&T", "American Telephone & Telegraph"),
        ("FedEx", "Federal Express"),
        ("Caltech", "California Institute of Technology"),
        ("Interpol", "International Criminal Police Organization"),
        ("ÖBB", "Österreichische Bundes-Bahnen"),
    ],
)
def test_expansions(short: str, full: str) -> None:
    assert score_acronyms(short, full) == [1.0]


@pytest.mark.parametrize(("a", "b"), [("NCA", "UN"), ("U.S.", "UK")])
def test_acronyms_that_differ(a: str, b: str) -> None:
    assert score_acronyms(a, b) == [0.0]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("NCA", "National Rowing Club"),
        ("Boston", "Boston Scientific"),
        ("BOSTON", "Boston Scientific"),
        ("National Cycling Association", "National Rowing Club"),
        ("IBM", "Apple"),
        ("", "UN"),
        ("A", "Alpha Beta"),
    ],
)
def test_no_opinion(a: str, b: str) -> None:
    assert np.isnan(score_acronyms(a, b)).all()


def test_places_known_by_several_names() -> None:
    assert score_acronyms("U.S.", "United States", "place") == [1.0]
    assert score_acronyms("U.S.A.", "America", "place") == [1.0]
    assert score_acronyms("US", "USA", "place") == [1.0]
    assert np.isnan(score_acronyms("US", "Britain", "place")).all()


def test_people_have_no_acronyms() -> None:
    assert np.isnan(score_acronyms("JFK", "John Fitzgerald Kennedy", "person")).all()


@settings(deadline=None)
@given(st.lists(st.text("abcdefghij", min_size=1, max_size=8), min_size=2, max_size=6))
def test_initials_stand_for_their_words(words: list[str]) -> None:
    short = "".join(word[0] for word in words).upper()
    assert letters_of(short) == short.lower()
    assert stands_for(short, " ".join(word.title() for word in words))


@given(st.text(max_size=20), st.text(max_size=20))
def test_any_text(a: str, b: str) -> None:
    if stands_for(a, b):
        assert not stands_for(b, a)


@settings(deadline=None, max_examples=100)
@given(st.text(max_size=20), st.text(max_size=20))
def test_any_text_in_any_order(a, b):
    score = name_score(a, b)
    assert score == name_score(b, a)
    assert score is None or 0 <= score <= 1


def test_people_and_acronyms_are_left_to_others():
    rows = [("Ford", "person"), ("Ford", "organisation"), ("FMC", "organisation"), ("Ford Motor", "organisation")]
    table = Profiles.of(Profile(str(i), "d", name, kind) for i, (name, kind) in enumerate(rows))
    scores = OtherNames().score(table, table, [(0, 1), (1, 2), (1, 3), (1, 1)])
    np.testing.assert_array_equal(scores, np.array([np.nan, np.nan, 0.7, 1.0], dtype=np.float32))
