"""The door to the labelled sets: how names are split into parts, and what is scored."""

import doctest
import importlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pyarrow as pa
import pytest

from crossdoc.model import Document, Documents, Mention, Profile, Profiles

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
SURNAMES = [f"Name{number}" for number in range(300)]


@pytest.fixture
def labelled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """The module, with a cache of its own."""
    monkeypatch.syspath_prepend(EXPERIMENTS)
    module, sets = importlib.import_module("labelled"), importlib.import_module("labelled_sets")
    monkeypatch.setenv("CROSSDOC_CACHE", str(tmp_path / "cache"))
    sets.cache_folder.cache_clear()
    sets.kept.cache_clear()
    yield module
    sets.cache_folder.cache_clear()
    sets.kept.cache_clear()


@pytest.fixture
def sets(labelled: ModuleType) -> ModuleType:
    """The module of the sets behind the door."""
    return importlib.import_module("labelled_sets")


@pytest.fixture
def tiny(sets: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Add a set of one profile for each of some names, and of a second with the same surname."""

    def add(kind: str = "open", split: str = "names", alone: bool = False) -> None:
        people = [(f"{first} {last}", f"{first} {last}") for last in SURNAMES for first in ("Ann", "Bob")]
        ids = [f"{name.replace(' ', '_')}/{number}" for _, name in people for number in (1, 2)]
        profiles = Profiles.of(
            Profile(id, id, id.split("/")[0].replace("_", " "), "person", f"about {id}") for id in ids
        )
        gold = pa.table(
            {
                "id": ids,
                "entity": [id.split("/")[0] for id in ids],
                "group": pa.array([id.split("/")[0] if kind == "one-name" else None for id in ids], pa.string()),
            }
        )
        pages = Documents.of(Document(id, f"about {id}") for id in ids).arrow
        group = pa.array([id.split("/")[0] for id in ids])
        tables = {
            "profiles": profiles.arrow,
            "gold": gold,
            "names": sets._names((name.replace(" ", "_"), name, "person") for _, name in people),
            "documents": pages.append_column("group", group),
            "others": profiles.arrow.append_column("group", group),
            "everyone": pa.concat_tables(
                [profiles.arrow, Profiles.of([Profile("y", "y", "Cy Young", "person")]).arrow]
            ),
        }
        monkeypatch.setitem(sets.SOURCES, "tiny", sets.Source(kind, lambda: tables, None, split, alone))

    return add


def test_examples(labelled: ModuleType) -> None:
    assert doctest.testmod(labelled).failed == 0


@pytest.mark.parametrize("size", [1, 2, 3, 4, 10, 49, 1000])
def test_parts(labelled: ModuleType, size: int) -> None:
    names = [f"name {number}" for number in range(size)]
    found = labelled.parts(names)
    assert labelled.parts(reversed(names)) == found
    count = Counter(found.values())
    assert 3 * count["choose"] >= size
    assert sum(count.values()) == size
    if size == 1000:
        assert count["choose"] == pytest.approx(620, abs=50)


def test_a_name_is_in_one_part_whatever_the_set(labelled: ModuleType) -> None:
    """But for the few that make a set's third full."""
    one, other = (labelled.parts([f"name {n}" for n in range(first, first + 500)]) for first in (0, 250))
    both = one.keys() & other.keys()
    assert len(both) == 250
    assert all(one[name] == other[name] for name in both)


def test_related_names_are_in_one_part(labelled: ModuleType, tiny: Callable[..., None]) -> None:
    tiny()
    found = labelled.entity_parts("tiny")
    assert len(found) == 2 * len(SURNAMES)
    assert all(found[f"Ann_{last}"] == found[f"Bob_{last}"] for last in SURNAMES)
    assert set(found.values()) == {"build", "choose"}


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        # Each shares a key with the next.
        ([("a", "x"), ("b", "x"), ("b", "y"), ("c", "y"), ("d", "z")], {"a": "x", "b": "x", "c": "x", "d": "z"}),
        ([("a", "y"), ("a", "x")], {"a": "x"}),
        ([], {}),
    ],
)
def test_blocks(labelled: ModuleType, names: list[tuple[str, str]], expected: dict[str, str]) -> None:
    assert labelled.blocks(names) == expected


def test_parts_share_profiles_and_split_the_gold(labelled: ModuleType, tiny: Callable[..., None]) -> None:
    tiny()
    build, choose, both = (labelled.load("tiny", part) for part in ("build", "choose", "all"))
    assert len(build.profiles) == len(choose.profiles) == 4 * len(SURNAMES)
    assert build.gold.keys().isdisjoint(choose.gold)
    assert both.gold == build.gold | choose.gold
    assert 0 < len(build.gold) <= 4 * len(SURNAMES) * 2 / 3 < len(both.gold) == 4 * len(SURNAMES)


@pytest.mark.parametrize(("split", "there"), [("build", ("build", "all")), ("choose", ("choose", "all"))])
def test_a_whole_set_in_one_part(
    labelled: ModuleType, tiny: Callable[..., None], split: str, there: tuple[str, ...]
) -> None:
    tiny(split=split)
    for part in ("build", "choose", "all"):
        assert bool(labelled.load("tiny", part).gold) == (part in there)
        assert ("tiny" in labelled.names_of_sets(part)) == (part in there)


def test_names_with_documents_of_their_own(labelled: ModuleType, tiny: Callable[..., None]) -> None:
    tiny("one-name", alone=True)
    found = labelled.load("tiny", "build")
    first = found.collections[0]
    own = {f"{first.name.replace(' ', '_')}/{number}" for number in (1, 2)}
    assert {collection.name.replace(" ", "_") for collection in found.collections} == set(found.groups.values())
    assert all(set(table.ids) == own for table in (first.profiles, first.documents, first.others))


def test_names_in_one_collection(labelled: ModuleType, tiny: Callable[..., None]) -> None:
    """All documents count, only names of the part are clustered, each by itself; others have none of the surnames."""
    tiny("one-name")
    found = labelled.load("tiny", "build")
    (whole,) = found.collections
    assert whole.one_name
    assert set(whole.profiles.ids) == set(found.gold)
    assert len(whole.documents) == 4 * len(SURNAMES)
    assert {profile.name for profile in whole.others} == {"Cy Young"}
    assert [{whole.profiles.ids[row].split("/")[0] for row in rows} for rows in whole.apart] == [
        {name} for name in sorted(set(found.groups.values()))
    ]


def test_evidence_of_each_name(labelled: ModuleType) -> None:
    """As if each name were asked for by itself."""
    contexts = ["chess club master", "chess master title", "apple farm", "chess game", "apple orchard", "apple farm"]
    profiles = Profiles.of(Profile(str(row), str(row), "Ann Lee", "person", each) for row, each in enumerate(contexts))
    apart = tuple(np.array(rows) for rows in ([0, 1, 2], [3, 4, 5]))
    found = list(labelled.Collection(profiles, apart=apart).evidence())
    assert [evidence.ids.tolist() for evidence in found] == [["0", "1", "2"], ["3", "4", "5"]]
    (whole,) = labelled.Collection(profiles, name="Ann Lee").evidence()
    np.testing.assert_allclose(found[1].relations().dense(), whole.relations().dense()[3:, 3:], atol=1e-6)


def test_scores_are_those_of_the_part(labelled: ModuleType, tiny: Callable[..., None]) -> None:
    """Everything that is not in the part is wrong in the answer, and nobody minds."""
    tiny()
    build = labelled.load("tiny", "build")
    right = {id: next(iter(build.gold.get(id, {"x"}))) for id in build.profiles.ids}
    assert build.b3(right) == build.scored(right).values["b3"]["f1"] == 1
    halves = {id: id for id in right}
    assert build.b3(halves) == build.scored(halves).values["b3"]["f1"] == pytest.approx(2 / 3)
    assert build.b3(right, type="person") == 1


def test_scores_of_one_type(labelled: ModuleType) -> None:
    """Of a gold entity, whatever type the profile was said to be."""
    profiles = Profiles.of(Profile(id, id, "Lee", "person") for id in "abcd")
    gold = {"a": {"x"}, "b": {"x"}, "c": {"y"}, "d": {"y"}}
    types = {"x": "person", "y": "place"}
    found = labelled.Labelled("t", "open", "build", (labelled.Collection(profiles),), gold, type_of=types)
    answer = {"a": "1", "b": "1", "c": "2", "d": "3"}
    assert found.b3(answer, type="person") == 1
    assert found.b3(answer, type="place") == found.scored(answer, type="place").values["b3"]["f1"]
    assert found.b3(answer, type="place") == pytest.approx(2 / 3)


def test_the_mean_over_names(labelled: ModuleType, tiny: Callable[..., None]) -> None:
    """A name with all right and a name with two halves, whatever they have in common with others."""
    tiny("one-name")
    build = labelled.load("tiny", "build")
    wrong = sorted(set(build.groups.values()))[0]
    answer = {id: id if build.groups[id] == wrong else "all" for id in build.gold}
    names = len(set(build.groups.values()))
    expected = (names - 1 + 2 / 3) / names
    assert build.b3(answer) == pytest.approx(expected)
    assert build.scored(answer).values["b3"]["f1"] == pytest.approx(expected)


def test_given_mentions(labelled: ModuleType, sets: ModuleType) -> None:
    text = "Ann Lee left. Lee, the host, saw Bo."

    def mention(document: str, said: str, at: int, chain: str | None, kind: str = "name") -> Mention:
        return Mention(f"{document}:{at}", document, at, at + len(said), said, "person", kind, chain)  # type: ignore[arg-type]

    first = (
        mention("a", "Ann Lee", 0, "Q1"),
        mention("a", "Lee", 14, "Q1"),
        mention("a", "the host", 19, "Q1", "nominal"),
        mention("a", "Bo", 33, None),
    )
    documents = [Document("a", text, mentions=first), Document("b", "Lee", mentions=(mention("b", "Lee", 0, "Q2"),))]
    chained = sets.given(lambda: documents)
    assert labelled._gold_of(chained["gold"]) == {"a:0": {"Q1"}, "b:0": {"Q2"}}
    assert chained["profiles"]["id"].to_pylist() == ["a:0", "a:33", "b:0"]
    # What an entity is called by name counts for its part; where it has none, whatever it is called.
    assert chained["names"].to_pylist() == [
        {"entity": "Q1", "name": "Ann Lee", "type": "person"},
        {"entity": "Q1", "name": "Lee", "type": "person"},
        {"entity": "Q2", "name": "Lee", "type": "person"},
    ]
    alone = sets.given(lambda: documents, chained=False)
    assert labelled._gold_of(alone["mention_gold"]) == {"a:0": {"Q1"}, "a:14": {"Q1"}, "a:19": {"Q1"}, "b:0": {"Q2"}}
    homes = dict(zip(*(alone["mentions"][c].to_pylist() for c in ("id", "chain")), strict=True))
    assert homes == {"a:0": "a:0", "a:14": "a:0", "a:19": "a:0", "a:33": "a:33", "b:0": "b:0"}
    assert labelled._gold_of(alone["gold"]) == {"a:0": {"Q1"}, "b:0": {"Q2"}}


def test_mentions_are_scored_by_their_profiles(labelled: ModuleType) -> None:
    """A mention that no profile has is alone in the answer."""
    gold = {"m1": {"x"}, "m2": {"x"}, "m3": {"x"}}
    found = labelled.Labelled("t", "open", "build", (), {"p": {"x"}}, None, gold, {"m1": "p", "m2": "p", "m9": "q"})
    # {m1, m2}, {m3} against {m1, m2, m3}: P = 1, R = (2/3 + 2/3 + 1/3) / 3 = 5/9.
    assert found.b3({"p": "1", "q": "2"}) == pytest.approx(2 * 5 / 9 / (1 + 5 / 9))


def test_what_was_extracted_is_kept(sets: ModuleType, tiny: Callable[..., None], tmp_path: Path) -> None:
    tiny()
    first = sets.kept("tiny")
    sets.kept.cache_clear()
    sets.SOURCES["tiny"] = sets.Source("open", lambda: 1 / 0)
    assert sets.kept("tiny")["profiles"].equals(first["profiles"])
    assert sets.cache_folder().is_relative_to(tmp_path / "cache")
    assert not list(sets.cache_folder().glob("*.part"))


def test_data_of_the_package_may_change(
    sets: ModuleType, tiny: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny()
    made = []
    source = sets.SOURCES["tiny"]
    for state in ("old", "new", "new"):
        monkeypatch.setattr(sets, "_state", lambda *rooms, state=state: state if rooms == ("sample",) else "code")
        own = sets.Source("open", lambda: made.append(1) or source.make(), own=("sample",))
        monkeypatch.setitem(sets.SOURCES, "tiny", own)
        sets.kept.cache_clear()
        sets.kept("tiny")
    assert len(made) == 2


def test_newswire(labelled: ModuleType, corpus_folder: Callable[[str], Path]) -> None:
    corpus_folder("aida")
    found = labelled.load("aida-testa", "build")
    assert len(found.profiles) == 2473
    assert 600 < len(found.gold) < 2473 * 2 / 3
    assert set(found.type_of.values()) == {"person", "organisation", "place"}
    by_type = {
        type: found.b3(dict.fromkeys(found.gold, "one"), type=type) for type in sorted(set(found.type_of.values()))
    }
    assert len(set(by_type.values())) == 3
