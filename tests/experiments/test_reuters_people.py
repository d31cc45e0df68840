"""Whose profile is whose in Reuters: the editors' labels against names."""

import doctest
import importlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


@pytest.fixture
def people(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(EXPERIMENTS)
    return importlib.import_module("reuters_people")


def test_examples(people: ModuleType) -> None:
    assert doctest.testmod(people) == (0, 4)


@pytest.mark.parametrize(
    ("name", "labels", "expected"),
    [
        ("Ronald Reagan", ["reagan"], "reagan"),
        ("Reaganomics", ["reagan"], None),
        ("Willy De Clercq", ["de-clercq", "yeutter"], "de-clercq"),
        ("Robin Leigh-Pemberton", ["leigh-pemberton"], "leigh-pemberton"),
        ("Volcker", [], None),
    ],
)
def test_the_surname_of_a_label(people: ModuleType, name: str, labels: list[str], expected: str | None) -> None:
    assert people.labelled(name, labels) == expected


def test_labels_of_stories_with_a_body(people: ModuleType, write: Callable[..., Path]) -> None:
    story = '<REUTERS OLDID="{0}" NEWID="{0}">\n<PEOPLE>{1}</PEOPLE>\n<TEXT>{2}</TEXT>\n</REUTERS>\n'
    content = (
        story.format(7, "<D>reagan</D><D>james-baker</D>", "<BODY>One.</BODY>")
        + story.format(8, "", "<BODY>Two.</BODY>")
        + story.format(9, "<D>volcker</D>", "<TITLE>A title alone</TITLE>")
    )
    folder = write("reut2-000.sgm", content).parent
    assert people.labels(folder) == {"7": ["reagan", "james-baker"]}


def test_the_labelled_stories(people: ModuleType, corpus_folder: Callable[[str], Path]) -> None:
    found = people.labels(corpus_folder("reuters21578"))
    assert len(found) == 1012
    assert sum(map(len, found.values())) == 1232
