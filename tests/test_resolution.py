"""An answer to look at: who is found, in which order, and as which tables."""

from __future__ import annotations

import pyarrow as pa
import pytest

import crossdoc
from crossdoc import errors
from crossdoc.model import Document, Documents, Identity, Mention, Mentions, Partition, Profile, Profiles
from crossdoc.resolution import Resolution, make_snippet
from crossdoc.store import Run, Store
from crossdoc.store.schema import LEVELS


def fill(store: Store) -> Store:
    named = {"d1:0": "Ann Lee", "d2:0": "A. Lee", "d2:9": "Bo"}
    profiles = Profiles.of(Profile(id, id[:2], name, "person", f"{name} spoke.") for id, name in named.items())
    with store.batch():
        store.add_documents(Documents.of([Document("d1", "Ann Lee spoke."), Document("d2", "A. Lee spoke. Bo spoke.")]))
        store.add_mentions(
            Mentions.of(
                [
                    Mention("m1", "d1", 0, 7, "Ann Lee", "person", "name", "d1:0"),
                    Mention("m2", "d2", 0, 6, "A. Lee", "person", "name", "d2:0"),
                    Mention("m3", "d2", 14, 16, "Bo", "person", "name", "d2:9"),
                ]
            )
        )
        store.add_profiles(profiles)
    store.save_partition("person", Partition(profiles.ids, [[1.0, 0.0], [0.7, 0.3], [0.0, 1.0]]), 0.1)
    store.save_identities(
        [
            Identity("d2:9", "Bo", "person", "", {"Bo": 1}, 1, 1, None, None, 1.0),
            Identity("d1:0", "Ann Lee", "person", "chair", {"Ann Lee": 1, "A. Lee": 1}, 2, 2, None, None, 0.85),
        ]
    )
    store.save_run(Run("2024", "2024", "0.1.0", "average-linkage", 7, "{}", ["docs/"], ["a note"]))
    return store


@pytest.fixture
def resolution():
    with Resolution(fill(Store.memory())) as made:
        yield made


def test_identities_and_members(resolution):
    assert [identity.name for identity in resolution.identities()] == ["Ann Lee", "Bo"]
    assert [identity.name for identity in resolution.identities(top=1, members=0)] == ["Ann Lee"]
    (found,) = resolution.find("a. lee")
    assert [(m.profile, m.name, m.membership, m.snippet) for m in found.members] == [
        ("d1:0", "Ann Lee", 1.0, "Ann Lee spoke."),
        ("d2:0", "A. Lee", 0.7, "A. Lee spoke."),
    ]
    assert resolution.find("Lee Ann") == []
    assert resolution.notes == ["a note"]
    assert repr(resolution) == "<Resolution: 3 profiles, 2 identities>"


def test_an_answer_has_one_row_an_id_unless_it_is_soft(resolution):
    for level, ids in (("profile", ["d1:0", "d2:0", "d2:9"]), ("mention", ["m1", "m2", "m3"])):
        hard, soft = resolution.answer(level), resolution.answer(level, soft=True)
        assert hard.schema == soft.schema == LEVELS[level]
        assert hard.column("id").to_pylist() == ids
        assert hard.column("entity").to_pylist() == ["d1:0", "d1:0", "d2:9"]
        assert hard.column("membership").to_pylist() == [1.0, 0.7, 1.0]
        assert soft.column("id").to_pylist() == [ids[0], ids[1], ids[1], ids[2]]
        assert soft.column("entity").to_pylist() == ["d1:0", "d1:0", "d2:9", "d2:9"]
    assert resolution.answer() == resolution.answer("profile")
    with pytest.raises(errors.UsageError, match="no level 'word'"):
        resolution.answer("word")


def test_frames_are_the_identities(resolution):
    arrow = resolution.to_arrow()
    assert isinstance(arrow, pa.Table)
    assert arrow.column("name").to_pylist() == ["Ann Lee", "Bo"]
    assert list(resolution.to_pandas()["certainty"]) == [0.85, 1.0]
    assert resolution.to_polars()["n_documents"].to_list() == [2, 1]


def test_an_answer_on_file(tmp_path, resolution):
    with Store.begin(tmp_path / "x.crossdoc", "f") as store:
        fill(store).finish()
    with crossdoc.open(tmp_path / "x.crossdoc") as opened:
        assert opened.identities() == resolution.identities()
        assert opened.partition.entities == ["d1:0", "d2:9"]
        assert list(opened.profiles) == list(resolution.profiles)
        assert opened.runs[0].seed == 7


def test_profiles_that_are_not_there_are_not_explained(resolution):
    with pytest.raises(errors.InputError, match="'nobody'"):
        resolution.explain("d1:0", "nobody")


@pytest.mark.parametrize(
    ("context", "name", "characters", "snippet"),
    [
        ("short", "Ann", 10, "short"),
        ("a  b\n c", "Ann", 10, "a b c"),
        ("one two three four five Ann", "Ann", 12, "… five Ann"),
        ("Ann one two three four five", "Ann", 12, "Ann one two …"),
        ("x" * 30, "Ann", 10, "x" * 10 + " …"),
    ],
)
def test_snippets(context, name, characters, snippet):
    assert make_snippet(context, name, characters) == snippet
