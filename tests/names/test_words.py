"""First names that can be one person's, and those that cannot, for the rule and for the specialist alike.

Grades in their order.

How usual names are, against figures of the census.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossdoc.compare.specialists import PersonNames
from crossdoc.model import Profile, Profiles
from crossdoc.names import Grade, first_names, first_names_agree, parse_person, relate_surnames, sound
from crossdoc.names.words import (
    UNLISTED_FIRST,
    UNLISTED_LAST,
    gender_of_first,
    in_one_spelling,
    in_singular,
    is_misspelling,
    last_names,
    one_letter_apart,
    share_of_first,
    share_of_last,
    thirds,
    thirds_near,
    transliteration,
    two_letters_apart,
    with_one_letter_less,
)

ONE_PERSONS = [
    ("jon", "john"),
    ("kate", "katherine"),
    ("bill", "william"),
    ("sam", "samantha"),
    ("alex", "alexandra"),
    ("alexandr", "aleksander"),
    ("mohammed", "muhammad"),
    ("pyotr", "peter"),
    ("yousef", "yusuf"),
    ("dmitri", "dimitri"),
    ("stephen", "steven"),
    ("marie", "mary"),
    ("oleksandr", "alexander"),
    ("sergei", "serhiy"),
    ("r", "bob"),
    ("betty", "liz"),
    ("abe", "abel"),
    ("zura", "zora"),
    ("konstantin", "konstantim"),
    ("jonathan", "jonathon"),
    ("j", "jane"),
]
TWO_PEOPLES = [
    ("john", "jane"),
    ("john", "joan"),
    ("john", "jean"),
    ("paul", "paula"),
    ("robert", "roberta"),
    ("eric", "erica"),
    ("daniel", "danielle"),
    ("alexander", "alexandra"),
    ("maria", "mario"),
    ("joseph", "josephine"),
    ("louis", "louise"),
    ("edwin", "edwina"),
    ("andrew", "andrea"),
    ("tony", "toni"),
    ("bill", "hillary"),
    ("j", "mary"),
    ("r", "william"),
    ("igor", "oleksandr"),
    ("kristofer", "cristofer"),
    ("agent471", "agent472"),
    ("zur", "zor"),
]


def score(a: str, b: str) -> float:
    people = Profiles.of(Profile(first, first, f"{first.title()} Smith", "person") for first in (a, b))
    return float(PersonNames().score(people, people, [(0, 1)])[0])


@pytest.mark.parametrize(("a", "b"), ONE_PERSONS)
def test_nicknames_spellings_and_initials_agree(a: str, b: str) -> None:
    assert first_names_agree(a, b)
    assert first_names_agree(b, a)
    assert score(a, b) > 0.5


@pytest.mark.parametrize(("a", "b"), TWO_PEOPLES)
def test_names_of_men_and_women_clash(a: str, b: str) -> None:
    assert not first_names_agree(a, b)
    assert not first_names_agree(b, a)
    assert score(a, b) == 0


def test_a_first_name_that_is_not_known_agrees_with_any() -> None:
    assert first_names_agree("", "bob")
    assert first_names_agree("bob", "")


def test_a_name_that_is_not_listed_has_no_gender() -> None:
    assert gender_of_first("xyzzy") == gender_of_first("") == ""


TRANSLITERATED = [
    "yeltsin eltsin jelzin ieltsin",
    "gorbachev gorbachov gorbatschow gorbachyov",
    "gaddafi qaddafi khadafy kadhafi qadhafi gadhafi",
    "khrushchev chruschtschow",
    "tchaikovsky chaikovskii tschaikowski",
    "shevardnadze schewardnadse chevardnadze",
    "brezhnev breschnew",
    "netanyahu netanjahu",
    "zhirinovsky schirinowski",
    "khomeini khomeyni",
]


@pytest.mark.parametrize("spellings", TRANSLITERATED)
def test_transliterations_are_variants(spellings: str) -> None:
    first, *others = spellings.split()
    for other in others:
        assert transliteration(first) == transliteration(other), other
        assert str(relate_surnames(parse_person(first), parse_person(other))) == "variant", other


@pytest.mark.parametrize(
    ("grade", "a", "b"),
    [
        ("clash", "Reagan", "Regan"),
        ("clash", "Mueller", "Muller"),
        ("clash", "Anderson", "Andersen"),
        ("clash", "Berri", "Berry"),
        ("clash", "Takeda", "Tokudo"),
        ("clash", "Gorbachev", "Gorbacheva"),
        ("clash", "Kalinin", "Kalinina"),
        ("clash", "Zamyatin", "Samyatina"),
        ("clash", "Zhirinovsky", "Zhirinovskaya"),
        ("clash", "Maskhadov", "Raskhadov"),
        ("similar", "Hussein", "Hussain"),
        ("similar", "Andersson", "Anderson"),
        ("similar", "Maskhadov", "Mashkadov"),
        ("variant", "Maskhadov", "Maskadov"),
        ("variant", "Batistuta", "Batistutta"),
        ("variant", "Roosevelt-Xyz", "Roosevelt"),
        ("clash", "Unit471101", "Unit471102"),
    ],
)
def test_how_surnames_relate(grade: str, a: str, b: str) -> None:
    x, y = parse_person(a), parse_person(b)
    assert str(relate_surnames(x, y)) == str(relate_surnames(y, x)) == grade


@pytest.mark.parametrize(
    ("rare", "frequent", "wrong"),
    [
        ("gorbachv", "gorbachev", True),
        ("regean", "reagan", False),
        ("raegan", "reagan", True),
        ("reagn", "reagan", True),
        ("regan", "reagan", False),
        ("smth", "smith", False),
        ("reagan", "reagan", False),
        ("unit1", "unit2", False),
    ],
)
def test_typing_errors(rare: str, frequent: str, wrong: bool) -> None:
    assert is_misspelling(rare, frequent) == is_misspelling(frequent, rare) == wrong


@given(st.text("abc", max_size=6), st.text("abc", max_size=6))
def test_words_one_letter_apart_have_what_is_left_in_common(a: str, b: str) -> None:
    if one_letter_apart(a, b):
        assert with_one_letter_less(a) & with_one_letter_less(b)


@given(st.text("ab", min_size=6, max_size=12), st.text("ab", min_size=6, max_size=12))
def test_words_two_letters_apart_have_a_third_in_common(a: str, b: str) -> None:
    if two_letters_apart(a, b):
        assert a[0] == b[0]
        assert set(thirds(a)) & set(thirds_near(b))
        assert set(thirds(b)) & set(thirds_near(a))


def test_what_is_too_long_has_no_other_spelling() -> None:
    assert two_letters_apart("a" * 50, "a" * 48)
    assert not two_letters_apart("a" * 51, "a" * 49)
    assert len(with_one_letter_less("ab" * 25)) == 51
    assert with_one_letter_less("ab" * 26) == {"ab" * 26}
    assert one_letter_apart("a" * 50, "a" * 49)
    assert not one_letter_apart("a" * 51, "a" * 50)


def test_what_has_no_sound_is_its_own() -> None:
    assert (sound("4711"), sound("smith") == sound("smyth")) == ("4711", True)


def test_surnames_are_those_of_the_census() -> None:
    assert len(last_names()) == 18_839
    assert {"reagan", "regan", "smith"} < last_names().keys()
    assert not {"yeltsin", "gaddafi", "name"} & last_names().keys()


@pytest.mark.parametrize(
    "name", ["", "...", "glasses", "s", "the ministers'", "Prime Ministers", "сосисoчs", "U.S. states"]
)
def test_a_singular_has_no_other_singular_and_the_same_spelling(name):
    assert in_singular(in_singular(name)) == in_singular(name)
    assert in_one_spelling(in_singular(name)) == in_one_spelling(name)


@pytest.mark.parametrize(
    ("name", "spelling"),
    [
        ("Capitals", "capitals"),
        ("capitals", "capital"),
        ("gas", "gas"),
        ("boss", "boss"),
        ("Prímé  lifts!", "prime lift"),
    ],
)
def test_a_noun_in_small_letters_has_one_spelling_for_both_numbers(name, spelling):
    assert in_one_spelling(name) == spelling


def test_from_clash_to_equal() -> None:
    assert [str(grade) for grade in Grade] == ["clash", "similar", "part", "variant", "equal"]
    assert sorted(Grade) == list(Grade)
    assert not Grade.CLASH


@pytest.mark.parametrize(
    ("last", "percent"), [("smith", 1.006), ("johnson", 0.810), ("jones", 0.621), ("regan", 0.006), ("acres", 0.001)]
)
def test_surnames_have_the_share_of_the_census(last: str, percent: float) -> None:
    assert share_of_last(last) == pytest.approx(percent / 100)


@pytest.mark.parametrize(
    ("first", "of_men", "of_women"), [("james", 3.318, 0.010), ("mary", 0.009, 2.629), ("pat", 0.022, 0.040)]
)
def test_first_names_have_the_mean_of_men_and_women(first: str, of_men: float, of_women: float) -> None:
    assert share_of_first(first) == pytest.approx((of_men + of_women) / 200, abs=5e-6)


def test_what_is_not_listed_is_rarer_than_all_that_is() -> None:
    assert share_of_last("xyzzy") == share_of_last("") == UNLISTED_LAST < min(last_names().values())
    assert share_of_first("xyzzy") == share_of_first("") == UNLISTED_FIRST <= min(map(share_of_first, first_names()))


def test_an_initial_is_as_usual_as_all_its_names() -> None:
    jays = [name for name in first_names() if name[0] == "j"]
    assert share_of_first("j") == pytest.approx(sum(map(share_of_first, jays)))
    letters = "abcdefghijklmnopqrstuvwxyz"
    assert 0.9 < sum(map(share_of_first, letters)) < 1
    # The surnames that the Bureau does not round to nothing are those of 77.48 % of all people, before rounding.
    assert sum(map(share_of_last, letters)) == pytest.approx(0.7748, rel=0.03)
    assert share_of_last("x") < share_of_last("q") < share_of_last("s")
