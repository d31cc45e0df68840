"""Names that agree are found by their keys: against all pairs of names, as the rule has them."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from crossdoc.names import agreeing, relate
from crossdoc.names.lookup import lookup_keys

FIRSTS = ["John", "Jon", "William", "Bill", "J.", "J. Edgar", "Mary Ann", "Maryann", "Seong-Nam", "Hans", "Vigdís", ""]
LASTS = [
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
        found = [f"{rng.choice(FIRSTS)} {rng.choice(LASTS)}".strip() for _ in range(150)] + HARD
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
