"""Names that agree, found by look-up, against the rule for each pair.

Names that agree are found by their keys: against all pairs of names, as the rule has them.
"""

from __future__ import annotations

import random
from itertools import combinations, combinations_with_replacement

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from crossdoc.compare.specialists import Contradictions, PersonNames
from crossdoc.model import Profile, Profiles
from crossdoc.names import (
    PersonName,
    agreeing,
    agreeing_names,
    compare_people,
    first_names_agree,
    parse_person,
    persons_agree,
    relate,
    relate_surnames,
)
from crossdoc.names.index import lookup_keys

COMPANIES = [
    "General Motors", "General Motors Corp.", "GM", "General", "Motors", "G.M.", "Green Mountain", "Bank of America",
    "America", "National Cycling Association", "NCA", "IBM", "Cycling Association", "GeneralMotors", "", "...", "日産",
    "U.S.", "USA", "United States", "UK", "Britain", "N.Y.", "New York", "New York Times", "Calif.", "California",
    "Fed", "Federal Reserve", "London", "Londres", "Paris", "Paris, Texas", "Kansas", "Kansas City", "Yankees",
    "New York Yankees", "FC Porto", "Porto", "Nato", "NATO", "North Atlantic Treaty Organisation", "Odessa", "Odesa",
    "Liechtenstein", "Liechenstein", "Labour Party", "Labor Party", "Bank", "Republic of Ireland", "Ireland", "MOF",
    "Ministry of Finance", "Hezbollah", "Hizbollah", "St. Louis", "Saint Louis", "S&P", "Al-Akhbar",
    "Gloucester", "Gloucefler", "Glouccslcr", "Kngland", "England", "Zürich", "Stadt Zürich", "Westunion", "Wcstunlon",
]  # fmt: skip
PEOPLE = [
    "Bill Clinton", "William J. Clinton", "B. Clinton", "Clinton", "Bill", "President Clinton", "Hillary Clinton",
    "Mrs. Clinton", "George W. Bush", "George H. W. Bush", "Jeb Bush", "Pyotr Chernov", "Peter Tchernov", "P Chernov",
    "Anna Levi-Montalcini", "A. Montalcini", "John Smith Jr.", "John Smith Sr.", "Jon Smith", "Jane Smith", "", "...",
    "Gabriel García Márquez", "García Márquez, Gabriel", "Gabriel García", "García Márquez", "Van Buren", "van Buren",
    "Martin Van Buren", "J. Edgar Hoover", "Edgar Hoover", "Seong-Nam Lee", "Seongnam Lee", "Lee Seong-Nam", "Wei Li",
    "Kim Dae Jung", "Dae Jung Kim", "Kim Daejung", "Kim", "Deng Xiaoping", "Deng", "Orbán Viktor", "Viktor Orban",
    "Vigdís Finnbogadóttir", "President Vigdís", "Vigdís", "García", "President García", "Felipe González Márquez",
    "González", "José Ortega y Gasset", "Ortega", "Al Rasheed", "Mohammed al-Rashid", "Al-Rachid", "Abu Nidal", "Nidal",
    "Gamal Abdel Nasser", "Nasser", "Boris Yeltsin", "Boris Jelzin", "B. N. Eltsin", "Yeltsina", "Muammar Gaddafi",
    "Khadafy", 'Earvin "Magic" Johnson', "Magic Johnson", "Magic", "E. Johnson", "Bob Okafor", "R. J. Okafor",
    "Osama bin Laden", "Usama bin Ladin", "Bin Laden", "X", "M.", "M. Grimm", "President", "Tanaka Kakuei",
]  # fmt: skip
TITLES = ["", "", "", "", "Mr. ", "Mrs. ", "President ", "Dr. "]
FIRSTS = """Bill William Will B. Peter Pyotr P. Sam Samantha Samuel S. Jonathan Jonathon Jon John Jane J.R. JR J. Xi Zhi
W Mary Marie Maria Mario Jean-Luc Jean J.-L. Jeanluc Seong-Nam Seong Seongnam Nam Gabriel García Van Al Kim Lee Edgar
Wei Xiang Mohammed Muhammad Иван Ivan Yousef Yusuf Hillary Anna Bob R. Oleksandr Aleksandr Viktor Vigdís Abdul Abdel
Abu Osama Usama Deng Dae-jung Jung Tanaka Kakuei""".split()
MIDDLES = ["", "", "", " A.", " Anna", " Albert J.", " J.", " García", " Nam", " Lee", " H. W.", " W.", " Edgar",
           " Xiang"," Bin", " de la", " van", " Luc", " Dae", " González", ' "Magic"', " (Bill)", " y", " Abdel",
           " ibn", " Nikolayevich"]  # fmt: skip
LASTS = ["Clinton", "Klinton", "Levi-Montalcini", "Montalcini", "Smith", "Smyth", "Smith-Jones", "Jones", "Li", "Lee",
         "Liu", "Bill", "García", "Márquez", "García-Márquez", "van Dyke", "Dyke", "Van Buren", "Buren",
         "bin Laden", "al-Rashid", "Al Rasheed", "Rashid", "Чернов",
         "Tchernov", "Reagan", "Regan", "Reagann", "Kim", "Nam", "Luc", "John", "Yeltsin", "Jelzin", "Yeltsina",
         "Gaddafi", "Khadafy", "Hussein", "Hussain", "Finnbogadóttir", "Orbán", "Jung", "bin Ladin", "Batistuta",
         "Batistota", "Nasser", "Rahman", "González", "da Silva", "Magic"]  # fmt: skip
SUFFIXES = ["", "", "", "", " Jr.", " Sr.", " III", " MD"]
FULL = st.builds("{}{}{} {}{}".format, *map(st.sampled_from, (TITLES, FIRSTS, MIDDLES, LASTS, SUFFIXES)))
TURNED = st.builds("{}, {}{}".format, *map(st.sampled_from, (LASTS, FIRSTS, MIDDLES)))
ONE_PERSON = FULL | TURNED | st.sampled_from(LASTS + FIRSTS + PEOPLE) | st.text("AaBb .,'-", max_size=8)
WORDS = st.sampled_from(
    """National Cycling Association Motors N.C.A. NCA of The New York new-york Inc. NY A-B U.S. London Londres Bank FC
    Centre Center Nca St. Saint Paris Texas Fed Liechtenstein Liechenstein Liechensten""".split()
)
ONE_COMPANY = st.sampled_from(COMPANIES) | st.text("AaBb .&", max_size=8) | st.lists(WORDS, max_size=4).map(" ".join)

EDITS = st.tuples(st.sampled_from(["more", "less", "wrong"]), st.floats(0, 1), st.sampled_from("GBIbcl"))


def made_up(rng: np.random.Generator, count: int) -> list[str]:
    """Names of mixed parts: full ones, surname first, bare ones."""
    lists = (TITLES, FIRSTS, MIDDLES, LASTS, SUFFIXES)
    names = []
    for kind in rng.integers(8, size=count):
        title, first, middle, last, suffix = (words[rng.integers(len(words))] for words in lists)
        full = f"{title}{first}{middle} {last}{suffix}"
        names.append(
            {0: f"{last}, {first}{middle}", 1: f"{title}{last}", 2: first, 3: f"{last} {first}"}.get(kind, full)
        )
    return names


def made_up_others(rng: np.random.Generator, count: int) -> list[str]:
    """Names of organisations and places of mixed words."""
    words = sorted({word for name in COMPANIES for word in name.split()})
    return [" ".join(rng.choice(words, size)) for size in rng.integers(1, 5, size=count)]


def told_apart(a: PersonName, b: PersonName) -> bool:
    """Whether first name and surname may be one person's, and something else says that they are not."""
    if persons_agree(a, b) or not relate_surnames(a, b):
        return False
    unknown = not a.given or not b.given
    return unknown or first_names_agree(a.given[0], b.given[0]) or "".join(a.given) == "".join(b.given)


def agrees_with_the_rule(names: list[str], entity_type: str) -> int:
    """Grade and score of every pair, and who is told apart; how many pairs agree."""
    found = agreeing(names, entity_type)
    pairs = np.array(list(combinations_with_replacement(range(len(names)), 2))).reshape(-1, 2)
    grade, score = found.of(pairs[:, ::-1])
    apart = found.told_apart(pairs)
    parsed = [parse_person(name) for name in names]
    for (a, b), by_look_up, points, aside in zip(pairs.tolist(), grade, score, apart, strict=True):
        if entity_type == "person":
            told, value = compare_people(parsed[a], parsed[b])
            assert (by_look_up, points) == (told, np.float32(value)), (names[a], names[b])
            assert aside == (not told and told_apart(parsed[a], parsed[b])), (names[a], names[b])
        else:
            assert by_look_up == relate(names[a], names[b], entity_type), (names[a], names[b])
    agree = pairs[grade > 0]
    assert found.pairs().tolist() == agree.tolist()
    return len(agree)


@pytest.mark.parametrize(
    ("names", "entity_type"), [(COMPANIES, "organisation"), (COMPANIES, "place"), (PEOPLE, "person")]
)
def test_pairs_are_those_of_the_rule(names: list[str], entity_type: str) -> None:
    assert len(names) + 10 < agrees_with_the_rule(names, entity_type) < len(names) ** 2 / 4


@settings(deadline=None)
@given(st.lists(ONE_COMPANY, max_size=10, unique=True))
def test_of_any_organisations_and_places(names: list[str]) -> None:
    agrees_with_the_rule(names, "organisation")
    agrees_with_the_rule(names, "place")


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(["Gloucester", "Blandfordbury", "Italien"]), st.lists(EDITS, min_size=1, max_size=3))
def test_names_are_found_with_any_letters_wrong(name: str, edits: list[tuple[str, float, str]]) -> None:
    letters = list(name)
    for kind, share, letter in edits:
        at = round(share * (len(letters) - 1))
        letters[at : at + (kind != "more")] = [] if kind == "less" else [letter]
    for entity_type in ("place", "organisation"):
        agrees_with_the_rule(list({name, "".join(letters)}), entity_type)


@settings(max_examples=300, deadline=None)
@given(st.lists(ONE_PERSON, max_size=12, unique=True))
def test_of_any_people(names: list[str]) -> None:
    agrees_with_the_rule(names, "person")


def rule_index_and_specialists_agree(names: list[str]) -> None:
    agrees_with_the_rule(names, "person")
    table = Profiles.of(Profile(str(i), str(i), name, "person") for i, name in enumerate(names))
    pairs = np.column_stack(np.triu_indices(len(names), 1)).astype(np.int32)
    scores = PersonNames().score(table, table, pairs)
    contradicted = ~np.isnan(Contradictions().score(table, table, pairs))
    parsed = [parse_person(name) for name in names]
    agree = np.array([persons_agree(parsed[a], parsed[b]) for a, b in pairs.tolist()])
    assert ((scores > 0) == agree).all()
    assert not (contradicted & agree).any()


def test_of_forty_thousand_pairs() -> None:
    rule_index_and_specialists_agree(sorted(set(made_up(np.random.default_rng(0), 290))))


@pytest.mark.parametrize("entity_type", ["organisation", "place"])
def test_of_twenty_thousand_pairs_of_others(entity_type: str) -> None:
    agrees_with_the_rule(sorted(set(made_up_others(np.random.default_rng(0), 200))), entity_type)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_of_millions_of_pairs(seed: int) -> None:
    rng = np.random.default_rng(seed + 1)
    rule_index_and_specialists_agree(sorted(set(made_up(rng, 720))))
    for entity_type in ("organisation", "place"):
        agrees_with_the_rule(sorted(set(made_up_others(rng, 500))), entity_type)


def test_ordered_pairs_as_codes() -> None:
    names = ["Bill Clinton", "Hillary Clinton", "William J. Clinton", "..."]
    assert agreeing_names(names, "person").tolist() == [0, 2, 5, 8, 10, 15]
    assert agreeing_names(["GM", "", "General Motors"], "organisation").tolist() == [0, 2, 4, 6, 8]
    assert agreeing_names(names, None).tolist() == agreeing_names(names, "person").tolist()


def test_many_without_a_name_meet_nobody() -> None:
    names = [f"{sign}{'.' * dots}" for sign in ("?", "!") for dots in range(50)]
    found = agreeing([*names, "John Smith", "Mary Jones"], "person")
    assert len(found.pairs()) == 101 * 100 // 2 + 2


def test_no_names() -> None:
    assert agreeing_names([], "person").tolist() == agreeing_names([], "place").tolist() == []
    none = agreeing([], "person")
    assert [len(part) for part in none.of(np.zeros((0, 2), dtype=np.int32))] == [0, 0]
    assert none.pairs().shape == (0, 2)


@settings(deadline=None)
@given(st.lists(ONE_PERSON, min_size=1, max_size=12, unique=True), st.sets(st.integers(0, 11)))
@example(["Seong-Nam Lee", "Seongnam Lee", "Bo Li"], {2})
@example(["John Smith", "J. Smith", "Smith"], {1})
def test_of_names_that_are_asked_for_all_pairs_are_found_and_no_others(names: list[str], numbers: set[int]) -> None:
    asked = [number for number in sorted(numbers) if number < len(names)]
    every, some = agreeing(names, "person"), agreeing(names, "person", asked)
    wanted = np.isin(np.divmod(every.code, len(names)), asked).any(axis=0)
    assert some.code.tolist() == every.code[wanted].tolist()
    assert some.grade.tolist() == every.grade[wanted].tolist()
    assert some.score.tolist() == every.score[wanted].tolist()


@pytest.mark.parametrize("entity_type", ["organisation", "place"])
def test_of_companies_and_places_the_pairs_of_those_that_are_asked_for_are_all_of_theirs(entity_type: str) -> None:
    every = agreeing(COMPANIES, entity_type)
    for asked in range(len(COMPANIES)):
        found, own = agreeing(COMPANIES, entity_type, [asked]), np.array(divmod(every.code, every.n)) == asked
        assert found.code.tolist() == every.code[own.any(axis=0)].tolist()
        assert found.grade.tolist() == every.grade[own.any(axis=0)].tolist()


KEYED_FIRSTS = [
    "John",
    "Jon",
    "William",
    "Bill",
    "J.",
    "J. Edgar",
    "Mary Ann",
    "Maryann",
    "Seong-Nam",
    "Hans",
    "Vigdís",
    "",
]
KEYED_LASTS = [
    "Smith", "Smith-Jones", "Jones", "García Márquez", "García", "van Buren", "Van", "Buren", "Gorbachev",
    "Gorbatschow", "Finnbogadóttir", "Hussein", "Hussain", "Al Rasheed", "Alrasheed", "de la Croix-Rouge", "Kim",
    "John",
]  # fmt: skip
OTHERS = [
    "General Motors", "General Motors Corp.", "GM", "Motors", "United Nations", "U.N.", "UN Security Council",
    "World Health Organisation", "World Health Organization", "Bank of England", "England", "Nato", "New York", "N.Y.",
    "North Atlantic Treaty Organization", "Londres", "London", "St. Louis", "Saint Louis", "Odessa", "Odesa", "Odsesa",
    "Federal Reserve", "Fed", "Fiat SpA", "Fiat", "Associated Press", "AP", "The New-York Times", "Times",
]  # fmt: skip
HARD = ["Hoover, J. Edgar", "Edgar Hoover", 'John "Jack" Smith', "Jack", "Mr. Buren", "Ludwig van Beethoven", "Li Wei"]


def misspelt(word: str, rng: random.Random) -> str:
    """With a letter left out, put in, changed, or two in another order."""
    at = rng.randrange(1, max(len(word) - 1, 2))
    return rng.choice(
        [
            word[:at] + word[at + 1 :],
            word[:at] + rng.choice("aeinst") + word[at:],
            word[:at] + rng.choice("aeinst") + word[at + 1 :],
            word[:at] + word[at : at + 2][::-1] + word[at + 2 :],
        ]
    )


def some_names(kind: str, seed: int) -> list[str]:
    rng = random.Random(seed)
    if kind == "person":
        found = [f"{rng.choice(KEYED_FIRSTS)} {rng.choice(KEYED_LASTS)}".strip() for _ in range(150)] + HARD
    else:
        found = [*OTHERS, *(" ".join(rng.sample(rng.choice(OTHERS).split(), 1)) for _ in range(20))]
    return sorted(
        {*found, *(misspelt(name, rng) for name in found), *(misspelt(misspelt(name, rng), rng) for name in found)}
    )


@pytest.mark.parametrize("kind", ["person", "organisation", "place"])
@pytest.mark.parametrize("seed", range(3))
def test_names_that_agree_find_each_other(kind, seed):
    names = some_names(kind, seed)
    keys = [lookup_keys(name, kind) for name in names]
    pairs = agreeing(names, kind).pairs().tolist()
    assert sum(a != b for a, b in pairs) > 50
    for a, b in pairs:
        if keys[a].kept and keys[b].kept:
            assert keys[a].asked & keys[b].kept, (names[a], names[b])
            assert keys[b].asked & keys[a].kept, (names[b], names[a])


def test_few_others_are_found():
    names = some_names("person", 0)
    keys = [lookup_keys(name, "person") for name in names]
    pairs = list(combinations(range(len(names)), 2))
    found = sum(bool(keys[a].asked & keys[b].kept) for a, b in pairs)
    agreed = sum(relate(names[a], names[b]) > 0 for a, b in pairs)
    assert agreed < found < len(pairs) / 4


def test_names_of_no_letters_have_no_keys():
    assert not lookup_keys("", "person").kept
    assert not lookup_keys("…", "organisation").asked
