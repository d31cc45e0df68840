"""Gold and baselines over given mentions, by profile and by mention."""

import doctest
import importlib
from pathlib import Path
from types import ModuleType

import pytest

from crossdoc.model import Document, Mention

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(EXPERIMENTS)
    return importlib.import_module("given_mentions")


@pytest.fixture
def documents() -> list[Document]:
    text = "Ann Lee left. Lee, the host, saw Bo."

    def mention(document: str, said: str, at: int, chain: str | None, kind: str = "name") -> Mention:
        return Mention(f"{document}:{at}", document, at, at + len(said), said, "person", kind, chain)  # type: ignore[arg-type]

    first = (
        mention("a", "Ann Lee", 0, "Q1"),
        mention("a", "Lee", 14, "Q1"),
        mention("a", "the host", 19, "Q1", "nominal"),
        mention("a", "Bo", 33, None),
    )
    return [Document("a", text, mentions=first), Document("b", "Lee", mentions=(mention("b", "Lee", 0, "Q2"),))]


def test_examples(given: ModuleType) -> None:
    assert doctest.testmod(given) == (0, 1)


def test_gold_by_level(given: ModuleType, documents: list[Document]) -> None:
    assert given.truth_of(documents, "profile") == {"a:0": "Q1", "b:0": "Q2"}
    assert given.truth_of(documents, "mention") == {"a:0": "Q1", "a:14": "Q1", "a:19": "Q1", "b:0": "Q2"}
    assert given.truth_of(given.unchained(documents), "mention") == {}


def test_heads_by_level(given: ModuleType, documents: list[Document]) -> None:
    assert given.heads_of(documents, "profile") == {"a:0": "lee", "a:33": "bo", "b:0": "lee"}
    assert given.heads_of(documents, "mention") == {
        "a:0": "lee",
        "a:14": "lee",
        "a:19": "host",
        "a:33": "bo",
        "b:0": "lee",
    }


def test_scores(given: ModuleType, documents: list[Document]) -> None:
    found = {(system, level): value for system, level, value in given.scores(documents, ("string match", "head match"))}
    # Profiles: Ann Lee and Lee are two strings and one head.
    assert found["string match", "profile"] == 1
    assert found["head match", "profile"] == pytest.approx(2 / 3)
    # Mentions: {a:0, a:14, b:0}, {a:19} against {a:0, a:14, a:19}, {b:0}; P = (2/3 + 2/3 + 1 + 1/3) / 4 = 2/3,
    # R = (2/3 + 2/3 + 1/3 + 1) / 4 = 2/3.
    assert found["head match", "mention"] == pytest.approx(2 / 3)
