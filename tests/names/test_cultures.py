"""Names in the order of their bearers, and what these are called by."""

from __future__ import annotations

import pytest

from crossdoc.compare.blocking import candidates
from crossdoc.model import Profile, Profiles
from crossdoc.names import parse_person, relate
from crossdoc.names.cultures import EAST_ASIAN, MOST_USUAL, is_spanish, surname_first


@pytest.mark.parametrize(
    ("name", "given", "last"),
    [
        # Chinese, in pinyin and older spellings
        ("Deng Xiaoping", "xiaoping", "deng"),
        ("Xi Jinping", "jinping", "xi"),
        ("Mao Tse-tung", "tse tung", "mao"),
        ("Chiang Kai-shek", "kai shek", "chiang"),
        ("Tung Chee-hwa", "chee hwa", "tung"),
        ("Li Peng", "peng", "li"),
        ("Peng Li", "peng", "li"),
        ("Yao Ming", "ming", "yao"),
        ("Wei Wang", "wei", "wang"),
        ("Wei Chen", "wei", "chen"),
        ("Han Hunter", "han", "hunter"),
        ("Bruce Lee", "bruce", "lee"),
        ("Lee Kuan Yew", "kuan yew", "lee"),
        # Korean
        ("Kim Dae Jung", "dae jung", "kim"),
        ("Dae Jung Kim", "dae jung", "kim"),
        ("Jung Bin Kim", "jung bin", "kim"),
        ("President Roh Tae-woo", "tae woo", "roh"),
        ("Ban Ki-moon", "ki moon", "ban"),
        ("KIM IL SUNG", "il sung", "kim"),
        ("Kim Novak", "kim", "novak"),
        ("Kim Young", "kim", "young"),
        ("Kim Carnes Jones Smith", "kim carnes jones", "smith"),
        ("Kim Lee", "kim", "lee"),
        ("Lee Han-na", "han na", "lee"),
        ("Li-Wei Peng", "li wei", "peng"),
        ("Kim Jongil", "jongil", "kim"),
        ("Park Tae King", "tae king", "park"),
        ("Deng Xiaoping Ming", "deng xiaoping", "ming"),
        ("Deng Schwarzkopf", "deng", "schwarzkopf"),
        # Japanese, either way
        ("Tanaka Kenji Ichiro", "tanaka kenji", "ichiro"),
        ("Tanaka Miyazawa", "tanaka", "miyazawa"),
        ("Tanaka Kakuei", "kakuei", "tanaka"),
        ("Kakuei Tanaka", "kakuei", "tanaka"),
        ("Tanaka Smith", "tanaka", "smith"),
        ("Tanaka Mori", "tanaka", "mori"),
        # Vietnamese: called by the last word
        ("Nguyen Van Linh", "nguyen van", "linh"),
        ("Ho Chi Minh", "ho chi", "minh"),
        ("Nguyen de Linh", "nguyen", "delinh"),
        ("Jan van Dong", "jan", "vandong"),
        ("Jan van Dyke", "jan", "vandyke"),
        # Hungarian
        ("Orbán Viktor", "viktor", "orban"),
        ("Viktor Orbán", "viktor", "orban"),
        ("Gyula Ferenc", "gyula", "ferenc"),
        ("John Attila", "john", "attila"),
        # Arabic
        ("Osama bin Laden", "osama", "binladen"),
        ("Khalid ibn al-Walid", "khalid", "ibnalwalid"),
        ("Abdul Rahman al-Sheha", "abdul rahman", "alsheha"),
        ("Gamal Abdel Nasser", "gamal", "abdelnasser"),
        ("Abu Nidal", "", "abunidal"),
        ("Al Gore", "al", "gore"),
        # Spanish and Portuguese
        ("José Ortega y Gasset", "jose", "ortegaygasset"),
        ("Juan de la Cruz", "juan", "delacruz"),
        ("Luiz Inácio Lula da Silva", "luiz inacio lula", "dasilva"),
        # Russian and Icelandic fathers' names; one name alone
        ("Boris Nikolayevich Yeltsin", "boris nikolayevich", "yeltsin"),
        ("Vigdís Finnbogadóttir", "vigdis", "finnbogadottir"),
        ("Pelé", "", "pele"),
        ("Suharto", "", "suharto"),
    ],
)
def test_parts(name: str, given: str, last: str) -> None:
    found = parse_person(name)
    assert (" ".join(found.given), found.last) == (given, last)


@pytest.mark.parametrize(
    ("grade", "a", "b"),
    [
        ("equal", "Kim Dae-jung", "Dae Jung Kim"),
        ("equal", "Orbán Viktor", "Viktor Orban"),
        ("variant", "Kim Daejung", "Kim Dae Jung"),
        ("variant", "Boris Nikolayevich", "Boris Nikolayevich Yeltsin"),
        ("variant", "Abdulrahman Khan", "Abdul Rahman Khan"),
        ("variant", "Hafez al-Assad", "Hafez Assad"),
        ("variant", "Osama bin Laden", "Usama bin Ladin"),
        ("part", "Deng", "Deng Xiaoping"),
        ("part", "Mr. Linh", "Nguyen Van Linh"),
        ("part", "Nasser", "Gamal Abdel Nasser"),
        ("part", "Ortega", "José Ortega y Gasset"),
        ("part", "Ortega y Gasset", "José Ortega y Gasset"),
        ("part", "Cruz", "Santiago Cruz López"),
        ("part", "Vilanova", "João Vilanova da Silva"),
        ("part", "President García", "García Márquez"),
        ("clash", "President Ana", "Ana Márquez"),
        ("clash", "Pérez", "Gabriel García Márquez"),
        ("clash", "Tecumseh", "William Tecumseh Sherman"),
        ("clash", "President Anna", "Vigdís Finnbogadóttir"),
        ("clash", "President David", "David Smith"),
        ("part", "González", "Felipe González Márquez"),
        ("part", "President González", "Felipe González Márquez"),
        ("part", "President Vigdís", "Vigdís Finnbogadóttir"),
        ("part", "Premier Davíð", "Davíð Oddsson"),
        ("part", "Vigdís", "Vigdís Finnbogadóttir"),
        ("part", "Al Rashid", "Mohammed al-Rashid"),
        ("similar", "Al Rasheed", "Mohammed al-Rashid"),
        ("clash", "Mr. Sven", "Sven Andersson"),
        ("clash", "Foster", "John Foster Dulles"),
        ("clash", "Kim Young Sam", "Kim Dae Jung"),
        ("clash", "Al Gore", "Tipper Gore"),
        ("clash", "Raisa Gorbacheva", "R. Gorbachev"),
        ("clash", "Anna Dostoevskaya", "A. Dostoevsky"),
    ],
)
def test_how_two_relate(grade: str, a: str, b: str) -> None:
    assert str(relate(a, b)) == str(relate(b, a)) == grade


@pytest.mark.parametrize(
    ("short", "full", "met"),
    [
        ("Deng", "Deng Xiaoping", True),
        ("Vigdís", "Vigdís Finnbogadóttir", True),
        ("González", "Felipe González Márquez", True),
        ("John", "John Smith", False),
    ],
)
def test_who_is_called_so_is_a_candidate(short: str, full: str, met: bool) -> None:
    people = Profiles.of(Profile(name, name, name, "person") for name in (short, full))
    assert [pair for portion in candidates(people) for pair in portion.tolist()] == ([[0, 1]] if met else [])


def test_of_two_surnames_only_one_of_the_most_usual_stands_first() -> None:
    usual = [name for name, rank in EAST_ASIAN.items() if rank < MOST_USUAL]
    rare = [name for name, rank in EAST_ASIAN.items() if rank > MOST_USUAL]
    assert {"kim", "wang", "li"} < set(usual)
    assert not any(surname_first([name, "ming", "wang"]) for name in (*usual, *rare))
    assert not any(surname_first([name, "ming", "yin"]) for name in rare)
    assert all(surname_first([name, "ming", "yin"]) for name in usual)


def test_spanish_surnames() -> None:
    assert [is_spanish(name) for name in ("silva", "cespedez", "foster")] == [True, True, False]


@pytest.mark.parametrize("words", [[], ["kim"], ["kim", "il", "sung", "park"], ["", ""]])
def test_what_is_no_name_of_two_or_three_words(words: list[str]) -> None:
    assert not surname_first(words)
