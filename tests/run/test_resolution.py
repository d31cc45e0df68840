"""An answer to look at: who is found, in which order, and as which tables."""

from __future__ import annotations

import duckdb
import pyarrow as pa
import pytest

import crossdoc
from crossdoc import errors
from crossdoc.model import Document, Documents, Identity, Mention, Mentions, Partition, Profile, Profiles
from crossdoc.names.texts import make_snippet
from crossdoc.run.resolution import Resolution
from crossdoc.run.stages import compare_profiles
from crossdoc.store import Run, Store
from crossdoc.store.schema import LEVELS


def fill(store: Store) -> Store:
    named = {"d1:0": "Ann Lee", "d2:0": "A. Lee", "d2:9": "Bo"}
    profiles = Profiles.of(Profile(id, id[:2], name, "person", f"{name} spoke.") for id, name in named.items())
    with store.batch():
        store.add(Documents.of([Document("d1", "Ann Lee spoke."), Document("d2", "A. Lee spoke. Bo spoke.")]))
        store.add(
            Mentions.of(
                [
                    Mention("m1", "d1", 0, 7, "Ann Lee", "person", "name", "d1:0"),
                    Mention("m2", "d2", 0, 6, "A. Lee", "person", "name", "d2:0"),
                    Mention("m3", "d2", 14, 16, "Bo", "person", "name", "d2:9"),
                ]
            )
        )
        store.add(profiles)
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


# -- why two profiles are one or two -------------------------------------------------------------------------------

CARS, POEMS = "engine race lap pit wheel", "verse spring poem rhyme ode"
ROWS = [
    Profile("p0", "d0", "Ann Li", "person", CARS),
    Profile("p1", "d1", "Ann Li", "person", f"{CARS} ode"),
    Profile("p2", "d2", "Ann Li", "person", POEMS),
    Profile("o0", "d0", "Acme", "organisation", "engine wheel works shares"),
    Profile("o1", "d1", "Acme", "organisation", "engine wheel works market"),
    Profile("u0", "d2", "Ann Li", None, f"{POEMS} lap"),
]


def seen_by_the_run(rows, a, b, **options):
    """The strength that a run gave two profiles of one type."""
    comparison = compare_profiles(Profiles.of(rows), **options)
    for evidence in comparison.values():
        position = {id: row for row, id in enumerate(evidence.ids)}
        if {a, b} <= set(position):
            return float(evidence.relations().dense()[position[a], position[b]])
    raise KeyError(a)


@pytest.mark.parametrize(("a", "b"), [("p0", "p1"), ("p1", "p2"), ("o0", "o1")])
def test_the_explanation_has_the_strength_that_the_run_saw(a, b):
    with crossdoc.resolve(ROWS) as answer:
        told = answer.explain(a, b)
    assert told.strength == pytest.approx(seen_by_the_run(ROWS, a, b), abs=1e-6)
    assert {opinion.specialist for opinion in told.opinions} == {"context", "names"}


def test_profiles_of_two_types_are_explained_too():
    with crossdoc.resolve(ROWS) as answer:
        assert answer.explain("p2", "u0").strength > answer.explain("p0", "u0").strength > 0
        with pytest.raises(errors.InputError, match="'nobody'"):
            answer.explain("nobody", "p0")


def test_under_a_name_it_is_the_same_reason_for_all():
    documents = [Document(id, f"Ann Li {words}.", language="en") for id, words in (("a", CARS), ("b", f"{CARS} ode"))]
    with crossdoc.resolve(documents, name="Ann Li") as answer:
        assert [opinion.specialist for opinion in answer.explain("a", "b").opinions] == ["context", "document", "name"]


def test_a_closed_answer_is_closed_and_can_be_opened_again(tmp_path):
    path = tmp_path / "x.crossdoc"
    with crossdoc.resolve(ROWS, output=path) as answer:
        assert [identity.name for identity in answer.identities(find="acme")] == ["Acme"]
    with pytest.raises(duckdb.Error, match="closed"):
        answer.identities()
    with crossdoc.open(path) as opened:
        assert opened.identities(top=1)[0].members
        assert len(opened.identities(top=2, members=1)[0].members) == 1


@pytest.mark.parametrize("name", ["General Motors Corp.", "John Smith Jr.", "C++"])
def test_a_snippet_shows_a_name_that_ends_in_a_mark(name):
    shown = make_snippet("word " * 80 + f"the chairman of {name} resigned. " + "more " * 80, name)
    assert f"of {name} resigned" in shown


def test_an_answer_is_a_collection_of_identities(tmp_path):
    documents = [Document(name, f"{name} spoke in Rome.") for name in ("Ann Lee", "Bo <b>Orr", "Cy Poe")]
    documents.append(Document("again", "Ann Lee left Rome."))
    with crossdoc.resolve(documents, describe=False, types=["person"]) as answer:
        listed = list(answer)
        assert len(answer) == len(listed) == len(answer.identities())
        assert listed == answer.identities()
        assert answer[listed[0].id] == listed[0]
        assert listed[0].members
        with pytest.raises(crossdoc.CrossdocError, match="There is no identity 'nobody'"):
            answer["nobody"]
        assert repr(listed[0]).count("\n") == 0
        frames = {level: answer.to_pandas(level) for level in ("identity", "profile", "mention")}
        assert len(frames["identity"]) == len(answer)
        assert {"identity_name"} <= set(frames["profile"].columns) & set(frames["mention"].columns)
        page = answer._repr_html_()
        assert page.count("<tr>") == len(answer) + 1
        assert f"{len(answer):,} identities" in page
        assert "<b>" not in page
    with crossdoc.resolve(documents[:1], describe=False) as one:
        assert one
