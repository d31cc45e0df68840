"""The door: packs of crossdoc, packs of others, and no word of English outside lang/en."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import crossdoc.lang
from crossdoc.errors import CrossdocError
from crossdoc.extract.attributes import stated_date
from crossdoc.lang import Language, languages, pack

SOURCE = Path(crossdoc.lang.__file__).resolve().parent.parent
POINTS = '[project.entry-points."crossdoc.languages"]\neo = "theirs:ESPERANTO"\n'
ENGLISH = frozenset(
    """senator chairman husband wife daughter january mr mrs president professor he she herself himself corporation inc
    university grandfather congressman wednesday spokesman doctor nephew mayor governor""".split()
)
EXCEPT = {
    "lang": "where words belong",
    "names/evidence_types.py": "prose for users, with examples of values; no rule reads it",
    "names/cultures.py": "He is a Chinese surname",
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
    assert "'eo' (theirs:ESPERANTO)" in str(caught.value)


def test_the_empty_language():
    assert isinstance(pack("tlh"), Language)
    assert stated_date("May 3, 1931", language="tlh") is None
