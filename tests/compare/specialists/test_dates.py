"""Births, deaths and ages."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossdoc.compare.specialists import Contradictions, LifeDates
from crossdoc.compare.specialists.dates import Written, parse_date
from crossdoc.model import Profile, Profiles

Said = dict[str, list[str]]
DATES = st.one_of(
    st.integers(1900, 2010).map(str),
    st.dates().map(lambda day: day.isoformat()),
    st.dates().map(lambda day: day.isoformat()[:7]),
    st.sampled_from(["", "Sunday", "0000", "1931-00-00", "99999"]),
)
AGES = st.one_of(st.integers(0, 130).map(str), st.sampled_from(["", "old", "999", "-3"]))
LIVES = st.fixed_dictionaries({}, optional={"born": st.lists(DATES), "died": st.lists(DATES), "age": st.lists(AGES)})


def score(a: Said, b: Said) -> float:
    table = Profiles.of([Profile("1", "d", "Ann", attributes=a), Profile("2", "d", "Ann", attributes=b)])
    return float(LifeDates().score(table, table, [(0, 1)])[0])


def test_the_nearer_the_higher() -> None:
    born = {"born": ["1931-05-03"]}
    others = ["1931-05-03", "1931-05", "1931", "1931-05-09", "1931-08-03", "1933-05-03", "1934"]
    scores = [score(born, {"born": [other]}) for other in others]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] == 1.0
    assert scores[-1] == 0.0


def test_the_date_that_differs_outweighs_the_one_that_agrees() -> None:
    assert score({"born": ["1931"], "died": ["1996"]}, {"born": ["1931"], "died": ["1997"]}) == 0.5
    assert score({"born": ["1931"], "died": ["1996"]}, {"born": ["1932"], "died": ["1996"]}) == 0.5


def test_of_dates_that_agree_the_more_precise_counts() -> None:
    life = {"born": ["1931"], "died": ["1996-01-14"]}
    assert score(life, life) == 1.0


def test_an_age_at_death_tells_the_birth() -> None:
    assert score({"died": ["1996-01-14"], "age": ["76"]}, {"born": ["1919"]}) == pytest.approx(0.8)
    assert score({"died": ["1996-01-14"], "age": ["76"]}, {"born": ["1920"]}) == pytest.approx(0.8)
    assert score({"died": ["1996-01-14"], "age": ["76"]}, {"born": ["1950"]}) == 0.0


def test_an_age_without_a_date_tells_no_birth() -> None:
    assert np.isnan(score({"age": ["40"]}, {"born": ["1931"]}))


def test_ages_are_compared_with_care() -> None:
    same, near, far = (score({"age": ["40"]}, {"age": [other]}) for other in ("40", "50", "90"))
    assert 1 > same > near > far > 0


@settings(deadline=None)
@given(LIVES, LIVES)
def test_symmetric_and_nobody_is_nearer_than_oneself(a: Said, b: Said) -> None:
    there, back, mine, theirs = score(a, b), score(b, a), score(a, a), score(b, b)
    assert there == back or (np.isnan(there) and np.isnan(back))
    if not np.isnan(there):
        assert there <= min(mine, theirs) + 1e-6


@given(st.text(max_size=12))
def test_any_text_is_a_date_or_none(text: str) -> None:
    date = parse_date(text)
    assert date is None or (date[0] > 0 and date[1] <= 12 and date[2] <= 31)


@pytest.mark.parametrize(
    ("when", "score"),
    [("1999-12", np.nan), ("2000", np.nan), ("2001", 0.95), ("2005", 0.75), ("2020", 0.0), ("2090", 0.0)],
)
def test_documents_written_decades_apart_speak_against_one_person(when: str, score: float) -> None:
    pair = [Profile(str(i), str(i), "Ann", "person", attributes={"written": [w]}) for i, w in enumerate(("1990", when))]
    table = Profiles.of(pair)
    assert Written().score(table, table, [(0, 1)]) == pytest.approx([score], nan_ok=True)


def test_a_place_stays_where_it_is_and_what_has_no_date_says_nothing() -> None:
    rows = [("place", ["1800"]), ("place", ["2000"]), ("person", ["next spring"]), ("person", ["1800"])]
    table = Profiles.of([Profile(str(i), "d", "Ann", t, attributes={"written": w}) for i, (t, w) in enumerate(rows)])
    assert np.isnan(Written().score(table, table, [(0, 1), (2, 3)])).all()


def test_a_collection_of_ten_years_is_silent() -> None:
    def of(*dates: str) -> bool:
        written = [Profile(date, "d", "Ann", attributes={"written": [date]}) for date in dates]
        return not Written().speaking(Written().encode(Profiles.of(written))).any()

    assert of("1990", "2000")
    assert of("soon")
    assert not of("1990", "2000-02")


def contradict(a: Profile, b: Profile) -> bool:
    table = Profiles.of([a, b])
    found = Contradictions().score(table, table, [(0, 1), (1, 0)])
    assert np.array_equal(found[:1], found[1:], equal_nan=True)
    assert np.isnan(found[0]) or found[0] == 0.0
    return not np.isnan(found[0])


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ({"gender": ["m"]}, {"gender": ["f"]}),
        ({"gender": ["m"], "gender_confidence": ["0.95"]}, {"gender": ["female"]}),
        ({"born": ["1931"]}, {"born": ["1950"]}),
        ({"died": ["1931"]}, {"born": ["1950"]}),
        ({"died": ["1931"]}, {"died": ["1990"]}),
        ({"died": ["1996"], "age": ["30"]}, {"born": ["1920"]}),
    ],
)
def test_attributes(a: Said, b: Said) -> None:
    assert contradict(Profile("1", "d", "", attributes=a), Profile("2", "d", "", attributes=b))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ({}, {}),
        ({"gender": ["m"]}, {"gender": ["m"]}),
        ({"gender": ["m"], "gender_confidence": ["0.8"]}, {"gender": ["f"]}),
        ({"gender": ["m"], "gender_confidence": ["sure"]}, {"gender": ["f"]}),
        ({"gender": ["m"]}, {"gender": ["?"]}),
        ({"born": ["1931"]}, {"born": ["1933"]}),
        ({"born": ["1931"]}, {"died": ["1990"]}),
        ({"age": ["3"]}, {"age": ["90"]}),
    ],
)
def test_no_contradiction_of_attributes(a: Said, b: Said) -> None:
    assert not contradict(Profile("1", "d", "", attributes=a), Profile("2", "d", "", attributes=b))


@pytest.mark.parametrize(
    ("a", "b"),
    [("John A. Smith", "John B. Smith"), ("John Smith Jr.", "John Smith Sr."), ("Mr. Smith", "Mrs. Smith")],
)
def test_names(a: str, b: str) -> None:
    assert contradict(Profile("1", "d", a, "person"), Profile("2", "d", b, "person"))
    assert not contradict(Profile("1", "d", a, "organisation"), Profile("2", "d", b, "person"))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("John A. Smith", "John Smith"),
        ("John A. Smith", "John Albert Smith"),
        ("John Smith Jr.", "John Smith"),
        ("Gabriel José García", "Gabriel García Márquez"),
        ("", ""),
    ],
)
def test_no_contradiction_of_names(a: str, b: str) -> None:
    assert not contradict(Profile("1", "d", a, "person"), Profile("2", "d", b, "person"))
