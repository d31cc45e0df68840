"""Packs of crossdoc and of others, their parts and word lists, and no word of English outside lang/en."""

import ast
import itertools
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

import crossdoc.lang
from crossdoc.errors import CrossdocError
from crossdoc.extract.attributes import stated_date
from crossdoc.lang import (
    Dates,
    FunctionWords,
    Language,
    Pronouns,
    Row,
    Titles,
    by_word,
    languages,
    pack,
    row,
    tables,
    word_list,
    words,
)

SOURCE = Path(crossdoc.lang.__file__).resolve().parent.parent
POINTS = '[project.entry-points."crossdoc.languages"]\neo = "theirs:ESPERANTO"\n'
ENGLISH = frozenset(
    """senator chairman husband wife daughter january mr mrs president professor he she herself himself corporation inc
    university grandfather congressman wednesday spokesman doctor nephew mayor governor""".split()
)
EXCEPT = {
    "lang": "where words belong",
    "names/evidence_types.py": "prose for users, with examples of values; no rule reads it",
    "names/people.py": "He is a Chinese surname",
    "crosslingual/groups.py": "he and mr are codes of languages",
}
"""Where these words may stand, and why."""


def literals(path: Path) -> Iterator[tuple[int, str]]:
    """The string literals of a module with their lines, docstrings left out."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    statements = [node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in statements:
            yield node.lineno, node.value


def english_in(path: Path) -> list[tuple[int, str]]:
    return [
        (line, word) for line, text in literals(path) for word in re.split(r"[^a-z]+", text.lower()) if word in ENGLISH
    ]


def test_no_english_word_stands_outside_its_folder():
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        where = path.relative_to(SOURCE).as_posix()
        if not f"{where}/".startswith(tuple(f"{known}/" for known in EXCEPT)):
            found += [(where, *each) for each in english_in(path)]
    assert found == []


def test_the_words_are_listed_in_english():
    listed = re.split(r"[^a-z]+", (SOURCE / "lang" / "en" / "words.toml").read_text("utf-8").lower())
    assert set(listed) >= ENGLISH


@pytest.mark.parametrize("known", sorted(EXCEPT))
def test_an_exception_is_one(known):
    paths = [SOURCE / known] if known.endswith(".py") else (SOURCE / known).rglob("*.py")
    assert any(english_in(path) for path in paths)


def test_languages_are_ours_and_those_of_packages(package):
    assert languages() == {"en", "fr", "de"}
    package({"theirs": "ESPERANTO = 7\n"}, POINTS)
    assert languages() == {"en", "fr", "de", "eo"}


def test_english_has_every_part_and_is_what_an_unnamed_language_is():
    assert pack("en").missing == ()
    assert pack("") is pack("en")


def test_a_language_without_a_pack_has_no_parts():
    assert pack("pcm").code == "pcm"
    assert len(pack("pcm").missing) == 12


@pytest.mark.parametrize("code", sorted(crossdoc.lang.OWN))
def test_own_packs_are_called_as_their_folders(code):
    assert pack(code).code == code


def test_german_says_what_it_lacks():
    lacks = {"models", "kinship", "roles", "nominals", "pronouns", "affiliations", "statements", "relations"}
    assert set(pack("de").missing) == lacks


def test_a_pack_of_a_package(package):
    package({"theirs": "from crossdoc.lang import *\nESPERANTO = Language('eo', Models(('eo_news',)))\n"}, POINTS)
    assert pack("eo").models.packages == ("eo_news",)
    assert "models" not in pack("eo").missing


def test_a_pack_of_a_package_takes_the_place_of_our_own(package):
    code = "from crossdoc.lang import *\nESPERANTO = Language('de', dates=Dates(('jänner',)))\n"
    package({"theirs": code}, POINTS.replace("eo =", "de ="))
    assert pack("de").dates.months == ("jänner",)
    assert stated_date("3 May 1931", language="de") is None


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("import nowhere_at_all\n", "nowhere_at_all"),
        ("ESPERANTO = 7\n", "it is a int and no crossdoc Language"),
        ("from crossdoc.lang import *\nESPERANTO = Language('fr')\n", "its code is 'fr'"),
    ],
)
def test_a_pack_that_does_not_load_is_named(package, code, told):
    package({"theirs": code}, POINTS)
    with pytest.raises(CrossdocError, match=told) as caught:
        pack("eo")
    assert "theirs:ESPERANTO 'eo'" in str(caught.value)


def test_the_empty_language():
    assert isinstance(pack("tlh"), Language)
    assert stated_date("May 3, 1931", language="tlh") is None


def test_a_part_that_is_left_out_is_missing_and_empty():
    language = Language("xx", titles=Titles(male=words("mr")))
    assert "titles" not in language.missing
    assert set(language.missing) == {each.name for each in fields(language)} - {"code", "titles"}
    assert language.pronouns.personal == frozenset()
    assert language.dates.date.fullmatch("") is None
    assert language.function_words == FunctionWords()


def test_pronouns_of_people_are_those_of_either_gender():
    assert Pronouns(masculine=words("a"), feminine=words("b"), either=words("c"), plural=words("d")).personal == {
        *"abc"
    }


@pytest.mark.parametrize(
    ("language", "word", "month"),
    [
        ("en", "Sept", 9),
        ("en", "June", 6),
        ("en", "xyz", None),
        ("fr", "juin", 6),
        ("fr", "Juillet", 7),
        ("de", "Mai", 5),
    ],
)
def test_a_month_by_the_letters_that_tell_it(language, word, month):
    assert pack(language).dates.month(word) == month


def test_no_months_tell_nothing():
    assert Dates().month("may") is None
    assert pack("en").dates.month("") is None


def test_rows():
    assert row("family", "marry", "passive to with", "person", "spouse") == Row(
        "family", words("marry"), words("to with"), "person", "spouse", True
    )
    assert not row("family", words("marry"), "object", "person").passive


@pytest.mark.parametrize(
    ("kin", "gender", "expected"),
    [
        ("wife", "m", "husband"),
        ("brother", "f", "sister"),
        ("nephew", "", "uncle or aunt"),
        ("godson", "m", "relative"),
    ],
)
def test_inverse_kin(kin: str, gender: str, expected: str) -> None:
    assert pack("en").kinship.inverse_of(kin, gender) == expected


def test_whoever_is_kin_has_kin_back():
    known = pack("en").kinship
    for group, listed in known.groups.items():
        for kin, gender in itertools.product(listed.split(), "mf"):
            assert known.group_of(known.inverse_of(known.inverse_of(kin, gender), "m")) == group


ALSO = {"en": {"names", "descriptors", "places"}}
"""Tables that modules of a language read themselves."""


def test_a_list_may_hold_another_and_leave_words_out():
    assert word_list("en", "realm &nominals.countries") == {"realm", "country", "nation"}
    assert word_list("en", "&nominals.countries !nation") == {"country"}
    assert word_list("en", "&roles.roles !&roles.offices").isdisjoint(word_list("en", "&roles.offices"))
    assert word_list("en", "&affiliations.demonyms") >= {"French", "Frenchman"}


def test_a_list_that_does_not_exist_is_an_error():
    with pytest.raises(KeyError, match="nothing"):
        word_list("en", "&roles.nothing")


def test_words_by_value():
    assert by_word({"a": "x y", "b": "z"}) == {"x": "a", "y": "a", "z": "b"}


@pytest.mark.parametrize("code", sorted(crossdoc.lang.OWN))
def test_every_table_is_read(code):
    assert set(tables(code)) <= {each.name for each in fields(Language)} | ALSO.get(code, set())
