"""How collections of several languages are measured as a whole."""

import doctest
import importlib
from pathlib import Path
from types import ModuleType

import pytest

from crossdoc import Document, Mention

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


@pytest.fixture
def across(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(EXPERIMENTS)
    return importlib.import_module("across_languages")


def document(id: str, language: str, text: str, **names: str) -> Document:
    mentions = tuple(
        Mention(f"{id}:{entity}", id, text.index(name), text.index(name) + len(name), name, "person", chain=entity)
        for entity, name in names.items()
    )
    return Document(id, text, language=language, mentions=mentions)


def test_examples(across: ModuleType) -> None:
    assert doctest.testmod(across) == (0, 2)


def test_rows_of_a_small_collection(across: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    told = [
        document("a", "en", "Theresa May met Ann Lee.", may="Theresa May", lee="Ann Lee"),
        document("b", "pl", "Rząd Theresy May upadł.", may="Theresy May"),
        document("c", "pl", "Theresa May mówiła. Jan Nowak milczał.", may="Theresa May", nowak="Jan Nowak"),
    ]
    monkeypatch.setitem(across.COLLECTIONS, "small", lambda: told)
    ((_, row),) = across.rows(["small"])
    assert (row["profiles"], row["entities"]) == (5, 3)
    assert row["B³ resolve"] == row["across: resolve"] == row["within: resolve"] == row["by itself"] == 1.0
    # Theresy is another name where no language counts: of two pairs across languages one is found.
    assert row["across: string match"] == row["across: one language"] == pytest.approx(2 / 3)
    assert row["within: string match"] < 1


@pytest.mark.parametrize("name", ["BSNLP Asia Bibi (built on)", "MEANTIME GM, stock market", "HIPE newseye"])
def test_the_collections_are_there(across: ModuleType, corpus_folder, name: str) -> None:
    corpus_folder({"B": "bsnlp2019", "M": "meantime", "H": "hipe2022"}[name[0]])
    _, profiles, gold = across.profiles_of(across.COLLECTIONS[name]())
    assert len(set(profiles.column("language").to_pylist())) >= 4
    assert set(profiles.ids) == set(gold)
