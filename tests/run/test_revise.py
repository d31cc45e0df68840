"""Changes in place: what is touched is clustered as if all had been resolved at once, and nothing is half done."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import crossdoc
from crossdoc import errors
from crossdoc.compare.memory_collection import compare
from crossdoc.model import Document, Judgement, KnownEntry, Mention, Profile, Profiles, Relation
from crossdoc.progress import Quiet
from crossdoc.run import revise as revision
from crossdoc.run.affected import ChangedCollection
from crossdoc.run.resolution import Resolution
from crossdoc.run.revise import Revision

TOPICS = {
    "race": "engine race lap pit wheel driver circuit podium",
    "poem": "verse spring poem rhyme ode stanza lyric reading",
    "law": "court judge trial verdict appeal lawyer bench jury",
}
NAMES = ["Ann Li", "Ann Li", "Bo Kim", "Cy Ode", "Dee Fox", "Ann B. Li", "Kim", "Eva Moss", "Fay Gold", "Gus Hill"]

ONCE = (
    "Ivo Brandt, Jo Castellan, Kai Dumont, Lea Ericson, Mia Falkner, Nia Grosz, Oda Hamsun, Pia Ibarra, Quy Jablonski, "
    "Ria Kovacs, Sia Lindqvist, Tia Mbeki, Uli Novak, Vic Okafor, Wim Petrov, Xia Quiroga, Yan Rossi, Zoe Sandoval, "
    "Abe Tanaka, Bea Urquhart"
).split(", ")
"""Names that occur once, as most do in texts. Without them the names count as chosen, and equal names say little."""


def profile(number: int, name: str, topic: str, beside: str = "") -> Profile:
    rng = np.random.default_rng(number)
    words = [*rng.choice(TOPICS[topic].split(), 2), *(f"word{chr(97 + k)}" for k in rng.integers(0, 26, 12))]
    context = f"{' '.join(words)} {name}"
    relations = (Relation("list", beside),) if beside else ()
    return Profile(f"d{number:02}:0", f"d{number:02}", name, "person", context, "en", {}, relations)


def profiles(count: int = 60, seed: int = 0) -> list[Profile]:
    rng = np.random.default_rng(seed)
    found = []
    for number in range(count):
        name = NAMES[int(rng.integers(len(NAMES)))] if number % 4 else ONCE[number // 4]
        topic = list(TOPICS)[int(rng.integers(3))]
        found.append(profile(number, name, topic, NAMES[int(rng.integers(len(NAMES)))] if number % 3 == 0 else ""))
    return found


def groups(resolution: Resolution) -> set[frozenset[str]]:
    found: dict[str, set[str]] = {}
    for id, entity in resolution.store.entity_of().items():
        found.setdefault(entity, set()).add(id)
    return {frozenset(ids) for ids in found.values()}


def is_whole(resolution: Resolution) -> None:
    """Every profile has an identity, every identity its members, and the table of identities says so."""
    held = resolution.store.entity_of()
    assert sorted(held) == sorted(resolution.profiles.ids)
    listed = {identity.id: identity for identity in resolution.identities()}
    assert set(listed) == set(held.values())
    for id, identity in listed.items():
        members = {profile for profile, entity in held.items() if entity == id}
        documents = {row.document for row in resolution.profiles if row.id in members}
        assert identity.n_documents == len(documents)


@pytest.fixture(scope="module")
def _result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "a.crossdoc"
    crossdoc.resolve(profiles(), output=path).close()
    return path


@pytest.fixture
def result(_result, tmp_path) -> Path:
    return Path(shutil.copy(_result, tmp_path / "a.crossdoc"))


@pytest.fixture
def opened(result):
    with crossdoc.open(result) as resolution:
        yield resolution


# -- evidence from what was counted ------------------------------------------------------------------------------------


def strengths_of_part(resolution: Resolution, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The strengths among some rows: by the counts that are kept, and by a comparison of all profiles."""
    change = Revision(resolution.store)
    everything = resolution.profiles
    part = change.collection([]).evidence(rows)["person"]
    whole = compare(everything, model=change.model, background=False)["person"].part(rows)
    return part.relations().dense(), whole.relations().dense()


def test_counts_that_are_kept_say_what_all_profiles_say(opened):
    kept, whole = strengths_of_part(opened, np.arange(5, 45, 2))
    assert kept == pytest.approx(whole, abs=1e-6)
    assert len(np.unique(kept.round(4))) > 10


def test_counts_follow_what_is_added_replaced_and_removed(opened):
    more = profiles(64, seed=1)[60:]
    other = profile(3, "Zed Orr", "law", "Yan Orr")
    opened.add([*more, other])
    opened.remove("d07:0", "d20:0")
    kept, whole = strengths_of_part(opened, np.arange(0, len(opened.profiles), 2))
    assert kept == pytest.approx(whole, abs=1e-6)
    assert opened.store.size == 62


def test_an_old_result_counts_when_it_is_first_changed(result):
    with crossdoc.open(result) as resolution:
        with resolution.store.for_writing(), resolution.store.batch():
            for table in ("word_counts", "bearers", "spellings"):
                resolution.store._db.execute(f"DELETE FROM {table}")
            resolution.store._db.execute("DELETE FROM meta WHERE key = 'counted'")
        resolution.judge("d00:0", "d01:0", "different")
        kept, whole = strengths_of_part(resolution, np.arange(0, 60, 4))
    assert kept == pytest.approx(whole, abs=1e-6)


# -- documents ---------------------------------------------------------------------------------------------------------


def test_adding_is_as_if_all_had_been_resolved_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr(revision, "REFRESH", 10.0)
    everything = profiles(80)
    with crossdoc.resolve(everything[:72], output=tmp_path / "a.crossdoc") as resolution:
        ids = {identity.id for identity in resolution.identities()}
        for one in everything[72:]:
            change = resolution.add([one])
            assert (change.added, change.replaced, change.removed) == (1, 0, 0)
            is_whole(resolution)
        model = Revision(resolution.store).model
        kept = {identity.id for identity in resolution.identities()} & ids
        assert len(kept) > 0.8 * len(ids)
        assert len(resolution.runs) == 9
        path = tmp_path / "model.json"
        model.save(path)
        with crossdoc.resolve(everything, model=path, background=False) as at_once:
            ours, theirs = groups(resolution), groups(at_once)
        assert len(ours & theirs) >= 0.9 * len(theirs)


def test_only_what_is_new_touches_the_rest(opened):
    before = opened.store.entity_of()
    change = opened.add([profile(60, "Una Nowhere", "race")])
    assert change.clustered == 1
    assert [str(event) for event in change.events] == ["d60:0 appeared, 1 profile"]
    assert {id: entity for id, entity in opened.store.entity_of().items() if id != "d60:0"} == before
    assert opened.history()[-1].cause == "1 profiles added"


def test_the_same_again_is_a_note_and_nothing_is_done(opened):
    revision_before, before = opened.store.revision, opened.store.entity_of()
    change = opened.add(profiles()[:2])
    assert change.clustered == change.added == change.replaced == 0
    assert "2 profiles were already there" in change.notes[0]
    assert "d00:0, d01:0" in change.notes[0]
    assert (opened.store.revision, opened.store.entity_of()) == (revision_before, before)


def test_another_content_takes_the_place_of_the_old_one(opened):
    change = opened.add([profile(3, "Zed Orr", "law")])
    assert (change.added, change.replaced) == (0, 1)
    assert [row.name for row in opened.profiles if row.id == "d03:0"] == ["Zed Orr"]
    assert len(opened.profiles) == 60
    is_whole(opened)


def test_removing_takes_identities_along(opened):
    alone = opened.add([profile(60, "Una Nowhere", "race")]).events[0].id
    change = opened.remove("d60:0")
    assert [str(event) for event in change.events] == [f"{alone} vanished"]
    assert change.removed == 1
    is_whole(opened)
    assert opened.store.successors(alone) == []
    with pytest.raises(errors.InputError, match="no such profiles: 'd60:0'"):
        opened.remove("d60:0", "d00:0")
    assert "d00:0" in opened.profiles.ids
    with pytest.raises(errors.UsageError, match="The collection would be empty"):
        opened.remove(*opened.profiles.ids)


def test_all_is_compared_anew_when_the_collection_has_grown_by_a_tenth(opened):
    model = Revision(opened.store).model
    few = opened.add(profiles(65, seed=2)[60:])
    assert not any("anew" in note for note in few.notes)
    assert Revision(opened.store).model == model
    more = opened.add(profiles(69, seed=2)[65:])
    assert any("compared again" in note for note in more.notes)
    assert more.clustered == 69
    assert Revision(opened.store).model != model
    assert opened.store.meta("counted") == "69"
    is_whole(opened)
    kept, whole = strengths_of_part(opened, np.arange(0, 69, 5))
    assert kept == pytest.approx(whole, abs=1e-6)


def test_all_is_compared_again_when_the_collection_has_shrunk_by_a_tenth(opened, monkeypatch):
    monkeypatch.setattr(revision, "FEW", 0)
    ids = opened.profiles.ids.tolist()
    few = opened.remove(*ids[:5])
    assert not any("compared again" in note for note in few.notes)
    more = opened.remove(*ids[5:8])
    assert any("compared again" in note for note in more.notes)
    assert more.clustered == 52


def test_undoing_an_entry_clusters_all_that_it_moved(opened, monkeypatch):
    """A later judgement on the same profiles keeps the rows from being put back as they were."""
    monkeypatch.setattr(revision, "FEW", 0)
    several = next(identity for identity in opened.identities() if len(identity.members) > 2)
    first, *others = [member.profile for member in several.members]
    entry = opened.split(several.id, [first]).entry
    opened.judge(first, others[0], "different")
    moved, looked = opened.store.moved_by(f"entry {entry}:"), []
    close = ChangedCollection.close

    def watched(self, rows, changed, fellows, joins):
        looked.append(set(fellows))
        return close(self, rows, changed, fellows, joins)

    monkeypatch.setattr(ChangedCollection, "close", watched)
    opened.undo(entry)
    assert {first, *others} <= moved
    assert looked == [moved]


def certainties(resolution: Resolution) -> dict[frozenset[str], float]:
    by_id = {identity.id: identity.certainty for identity in resolution.store.identities()}
    found: dict[str, set[str]] = {}
    for id, entity in resolution.store.entity_of().items():
        found.setdefault(entity, set()).add(id)
    return {frozenset(ids): by_id[entity] for entity, ids in found.items()}


@pytest.mark.parametrize("count", [10, 60])
def test_certainties_after_a_change_are_those_of_a_run(count):
    """Ten profiles are too few to measure a background, so that certainties are moved towards even odds."""
    everything = profiles(count)
    a, b = next(
        (one.id, other.id) for one in everything for other in everything if one.name == other.name and one.id < other.id
    )
    said = [Judgement(a, b, "same")]
    with crossdoc.resolve(everything, constraints=said) as at_once, crossdoc.resolve(everything) as changed:
        changed.judge(a, b, "same")
        assert certainties(changed) == pytest.approx(certainties(at_once))
    with crossdoc.resolve(everything) as at_once, crossdoc.resolve(everything[:-1]) as changed:
        changed.add(everything[-1:])
        expected, found = certainties(at_once), certainties(changed)
        same = expected.keys() & found.keys()
        assert any(everything[-1].id in ids for ids in same)
        assert {ids: found[ids] for ids in same} == pytest.approx({ids: expected[ids] for ids in same}, abs=0.05)


def odds_of(resolution: Resolution) -> dict[tuple[str, str], float]:
    return {(row["id"], row["known"]): row["odds"] for row in resolution.store.known_odds().to_pylist()}


def test_links_to_known_entries_follow_when_all_is_compared_anew():
    known = [KnownEntry("k1", "Ann Li", description=TOPICS["race"]), KnownEntry("k2", "Bo Kim")]
    everything = profiles(60)
    with crossdoc.resolve(everything, known=known) as whole:
        expected = odds_of(whole)
    with crossdoc.resolve(everything[:50], known=known) as grown:
        assert any("compared again" in note for note in grown.add(everything[50:]).notes)
        assert odds_of(grown) == pytest.approx(expected)


def test_of_large_components_only_what_is_close_is_clustered_again(opened, monkeypatch):
    # "Kim" connects Bo and Dee Kim, who are two people.
    opened.add([profile(61, "Dee Kim", "law")])
    opened.add([profile(60, "Dee Kim", "law")])
    change = Revision(opened.store)
    part = change.collection([]).to_cluster({"d60:0"})
    opened.remove("d60:0")
    monkeypatch.setattr(revision, "FEW", 0)
    before = opened.store.entity_of()
    close = opened.add([profile(60, "Dee Kim", "law")])
    assert 0 < close.clustered < len(part)
    is_whole(opened)
    held = opened.store.entity_of()
    strengths = strengths_of_part(opened, np.arange(62))[1]
    ids, joins = opened.profiles.ids, Revision(opened.store).joins
    new = int(np.flatnonzero(ids == "d60:0")[0])
    strong = {before[ids[row]] for row in range(62) if row != new and strengths[new, row] >= joins}
    moved = {id for id in before if held[id] != before[id]}
    assert {before[id] for id in moved} <= strong
    assert close.clustered == 1 + sum(entity in strong for entity in before.values())
    a, b = ids[0], ids[1]
    opened.judge(a, b, "different")
    assert opened.store.entity_of()[a] != opened.store.entity_of()[b]
    is_whole(opened)


def test_a_document_that_is_added_counts_when_all_is_compared_anew():
    with crossdoc.resolve(DOCUMENTS[:2]) as resolution:
        change = resolution.add(DOCUMENTS[2:])
        assert any("compared again" in note for note in change.notes)
        words = resolution.store.word_frequencies(["jamestown", "detroit"])
        assert words == {"jamestown": 1, "detroit": 2}


def test_headlines_of_what_is_added_are_read_as_the_answer_writes_its_words():
    """No line of what is added tells that prices are written small."""
    told = [
        Document(f"a{n}", "Ann Lee said that oil prices in Japan are falling as they fell last year.") for n in (1, 2)
    ]
    with crossdoc.resolve(told) as answer:
        before = answer.store.capital_counts(None)
        answer.add([Document("b1", "OIL PRICES FALLING IN JAPAN\nAnn Lee was there.")])
        names = {profile.name for profile in answer.profiles if profile.document == "b1"}
        assert {"Japan", "Ann Lee"} <= names
        assert not {"OIL PRICES", "Prices", "Oil Prices"} & names
        assert answer.store.capital_counts(None) != before
        answer.remove("b1")
        assert answer.store.capital_counts(None) == before


def test_a_name_that_is_added_has_the_type_that_the_answer_gives_it():
    """Nothing in what is added says that he is a person; how the answer speaks of him does."""
    told = ["{0} said that the talks had failed.", "President {0} agreed.", "Then {0} thought again, and {0} agreed."]
    documents = [Document(f"a{n}", told[n % 3].format("Sukarno"), language="en") for n in range(9)]
    with crossdoc.resolve(documents) as answer:
        answer.add([Document("b1", "The rest of the army broke with Sukarno last year.", language="en")])
        assert [(p.name, p.type) for p in answer.profiles if p.document == "b1"] == [("Sukarno", "person")]


def document(id: str, text: str) -> Document:
    names = ("John Smith", "Ann Lee")
    spans = [(text.index(name), name) for name in names if name in text]
    mentions = tuple(
        Mention(f"{id}:{at}:{at + len(name)}", id, at, at + len(name), name, "person", "name", name)
        for at, name in spans
    )
    return Document(id, text, language="en", date="1996-01-14", mentions=mentions)


DOCUMENTS = [
    document("gm1", "John Smith, chairman of the car maker, said in Detroit that cars and trucks sold well."),
    document("gm2", "The chairman John Smith told dealers in Detroit that cars and trucks would sell."),
    document("va", "The colonists of Jamestown chose captain John Smith, who mapped the rivers."),
    document("lee", "Ann Lee sang in Boston."),
]


def test_an_edited_document_keeps_judgements_names_and_ids(tmp_path):
    with crossdoc.resolve(DOCUMENTS, output=tmp_path / "a.crossdoc") as resolution:
        resolution.judge("gm1:0:10", "va:41:51", "same", who="ada")
        resolution.rename(resolution.store.entity_of()["gm1:0:10"], "Captain Smith")
        edited = document("gm1", f"News. {DOCUMENTS[0].text}")
        change = resolution.add([edited])
        assert (change.added, change.replaced, change.notes) == (0, 1, [])
        held = resolution.store.entity_of()
        assert held["gm1:6:16"] == held["va:41:51"]
        assert [identity.name for identity in resolution.find("Captain")] == ["Captain Smith"]
        assert [event.what for event in change.events] == []
        is_whole(resolution)
        gone = resolution.remove("va")
        assert any("1 entry of the log no longer matches" in note for note in gone.notes)
        ((entry, told),) = resolution.store.located().unmatched
        assert (entry.number, told) == (1, ["va:41:51 (John Smith in va)"])
    # A new run over the same file is told, too, and honours what it can.
    with crossdoc.resolve([*DOCUMENTS[:2], DOCUMENTS[3]], output=tmp_path / "a.crossdoc") as again:
        assert any("--unmatched" in note for note in again.notes)
        assert [identity.name for identity in again.find("Captain")] == ["Captain Smith"]


def test_a_new_run_keeps_ids_and_tells_what_happened(tmp_path):
    path = tmp_path / "a.crossdoc"
    with crossdoc.resolve(DOCUMENTS, output=path) as resolution:
        entity = resolution.store.entity_of()["lee:0:7"]
        resolution.judge("gm1:0:10", "gm2:13:23", "same")
        together = resolution.store.entity_of()["gm2:13:23"]
    edited = document("lee", "Yesterday Ann Lee sang in Boston.")
    with crossdoc.resolve([*DOCUMENTS[:3], edited], output=path) as again:
        held = again.store.entity_of()
        assert held["lee:10:17"] == entity
        assert held["gm2:13:23"] == together
    with crossdoc.resolve(DOCUMENTS[:3], output=path) as less:
        assert [(event.id, event.what, event.cause) for event in less.history()][-1] == (
            entity,
            "vanished",
            "a new run",
        )


class Interjecting(Quiet):
    """Judges while a run works."""

    def __init__(self, path: Path) -> None:
        self.path, self.done = path, False

    def start(self, stage: str, total: int | None = None) -> None:
        if stage.startswith("clustering") and not self.done:
            self.done = True
            with crossdoc.open(self.path) as answer:
                held = answer.store.entity_of()
                a, b = next((a, b) for a in held for b in held if a < b and held[a] == held[b])
                answer.judge(a, b, "different", who="meanwhile")
                answer.rename(held[a], "Meanwhile")


def test_what_is_judged_while_a_run_works_counts_in_its_answer(result):
    with crossdoc.resolve(profiles(), output=result, progress=Interjecting(result)) as again:
        (said,) = again.store.entries()[0].judgements
        held = again.store.entity_of()
        assert held[said.a] != held[said.b]
        assert [entry.act for entry in again.store.entries()] == ["judge", "rename"]
        assert len(again.find("Meanwhile")) == 1
        is_whole(again)


def test_other_kinds_of_input_are_refused(opened, tmp_path):
    with pytest.raises(errors.UsageError, match="was made from profiles"):
        opened.add(DOCUMENTS)
    with crossdoc.resolve(DOCUMENTS) as resolution, pytest.raises(errors.UsageError, match="was made from documents"):
        resolution.add(profiles()[:1])


# -- judgements --------------------------------------------------------------------------------------------------------


def test_a_result_cannot_name_a_folder_as_its_language_model(tmp_path):
    """Whoever sent the result may have sent the folder, and what is in a model is run."""
    documents = [Document(f"d{n}", "Ann Li sang.") for n in range(3)]
    with crossdoc.resolve(documents[:2], name="Ann Li", describe=False, language_model=str(tmp_path)) as answer:
        with pytest.raises(errors.UsageError, match="not installed"):
            answer.add(documents[2])
        assert len(answer.profiles) == 2


def test_judgements_count_at_once_and_are_taken_back(opened):
    before = opened.store.entity_of()
    same = {entity: [id for id in before if before[id] == entity] for entity in before.values()}
    a, b = max(same.values(), key=len)[:2]
    change = opened.judge(a, b, "different", who="ada", why="seen")
    held = opened.store.entity_of()
    assert held[a] != held[b]
    assert change.entry == 1
    assert change.events
    assert opened.history()[0].cause == f"entry 1: {a} is different from {b} (ada): seen"
    is_whole(opened)
    assert opened.undo(why="wrong").entry == 1
    assert opened.store.entity_of() == before
    assert [entry.act for entry in opened.store.entries(standing=False)] == ["judge", "undo"]


def test_a_contradiction_is_refused_with_its_chain_and_nothing_is_written(opened):
    opened.judge("d00:0", "d01:0", "same", who="ada")
    opened.judge("d01:0", "d02:0", "same")
    before, revision_before = opened.store.entity_of(), opened.store.revision
    with pytest.raises(errors.ConstraintError) as raised:
        opened.judge("d00:0", "d02:0", "different", who="bo")
    assert "1. d00:0 is the same as d01:0 (ada, entry 1)" in str(raised.value)
    assert "2. d01:0 is the same as d02:0 (entry 2)" in str(raised.value)
    assert "3. d00:0 is different from d02:0 (bo, this one)" in str(raised.value)
    assert "crossdoc undo" in str(raised.value)
    assert (opened.store.entity_of(), opened.store.revision) == (before, revision_before)
    assert [entry.number for entry in opened.store.entries()] == [1, 2]


def test_merge_split_and_back(opened):
    before = opened.store.entity_of()
    one, two = (opened.find(name)[0] for name in ("Eva Moss", "Gus Hill"))
    change = opened.merge(one.id, two.id, who="ada")
    members = {member.profile for each in (one, two) for member in each.members}
    merged = {opened.store.entity_of()[id] for id in members}
    assert len(merged) == 1
    (whole,) = merged
    lost = ({one.id, two.id} - merged).pop()
    assert opened.store.successors(lost) == [whole]
    assert [identity.id for identity in opened.find(lost)] == [whole]
    assert [(event.id, event.what, event.other) for event in change.events] == [(lost, "merged", whole)]
    is_whole(opened)
    apart = sorted(members)[:2]
    with pytest.raises(errors.ConstraintError):
        opened.split(whole, apart)
    opened.undo()
    assert opened.store.entity_of() == before
    identity = max(opened.identities(), key=lambda each: len(each.members))
    apart = sorted(member.profile for member in identity.members)[:2]
    opened.split(identity.id, apart, why="others")
    held = opened.store.entity_of()
    assert held[apart[0]] == held[apart[1]]
    rest = {member.profile for member in identity.members} - set(apart)
    assert held[apart[0]] not in {held[id] for id in rest}
    assert len(opened.store.entries()[0].judgements) == 1 + len(rest)
    is_whole(opened)
    opened.undo()
    assert opened.store.entity_of() == before


def test_a_name_that_was_given_stays(opened):
    identity = opened.find("Eva Moss")[0]
    assert opened.rename(identity.id, " Madame Moss ").events == []
    assert [each.id for each in opened.find("Madame Moss")] == [identity.id]
    opened.rename(identity.id, "La Moss")
    assert [each.name for each in opened.find(identity.id)] == ["La Moss"]
    # Clustering it again does not forget it.
    other = opened.find("Gus Hill")[0]
    opened.merge(identity.id, other.id)
    (merged,) = opened.find("La Moss")
    assert len(merged.members) == len(identity.members) + len(other.members)
    opened.undo()
    opened.undo()
    assert [each.name for each in opened.find(identity.id)] == ["Madame Moss"]
    opened.undo()
    assert [each.name for each in opened.find(identity.id)] == [identity.name]
    with pytest.raises(errors.UsageError):
        opened.rename(identity.id, "  ")


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (lambda r: r.judge("d00:0", "nobody", "same"), "'nobody'"),
        (lambda r: r.judge("d00:0", "d00:0", "same"), "against itself"),
        (lambda r: r.judge("d00:0", "d01:0", "alike"), "must be 'same' or 'different'"),
        (lambda r: r.merge("nobody", "d00:0"), "no identity 'nobody'"),
        (lambda r: r.merge(r.identities()[0].id, r.identities()[0].id), "nothing to merge"),
        (lambda r: r.merge(), "nothing to merge"),
        (lambda r: r.split(r.identities()[0].id, []), "Nothing would be split"),
        (lambda r: r.split(r.identities()[0].id, [m.profile for m in r.identities()[0].members]), "Nothing would be"),
        (lambda r: r.split(r.identities()[0].id, [r.identities()[1].members[0].profile]), "not members"),
        (lambda r: r.split(r.identities()[0].id, ["nobody"]), "'nobody'"),
        (lambda r: r.rename("nobody", "x"), "no identity 'nobody'"),
        (lambda r: r.undo(), "nothing to undo"),
        (lambda r: r.undo(7), "no judgement number 7"),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_is_written(opened, ask, told):
    before = opened.store.entity_of()
    with pytest.raises(errors.CrossdocError, match=told) as raised:
        ask(opened)
    assert raised.value.hint
    assert opened.store.entity_of() == before
    assert opened.store.count("judgements") == 0


def test_a_judgement_between_types_is_refused():
    rows = [Profile("a", "d", "Lincoln", "person", "x"), Profile("b", "e", "Lincoln", "place", "y"),
            Profile("c", "f", "Lincoln", None, "x")]  # fmt: skip
    with crossdoc.resolve(rows) as resolution:
        with pytest.raises(errors.InputError, match="'a' is a person and 'b' a place"):
            resolution.judge("a", "b", "same")
        resolution.judge("a", "c", "same")
        assert resolution.store.entity_of()["a"] == resolution.store.entity_of()["c"]
        is_whole(resolution)
        resolution.undo()
        is_whole(resolution)


def test_a_result_that_does_not_say_how_it_was_made(soft_store):
    with pytest.raises(errors.StoreError, match="does not say how it was made"):
        Resolution(soft_store).judge("a", "b", "same")


@pytest.fixture
def soft_store():
    from crossdoc.model import Documents, Mentions, Partition
    from crossdoc.store import Run, Store

    with Store.memory() as store:
        store.add(Documents.of(()), Mentions.of(()), Profiles.of(Profile(id, id, "Ann", "person") for id in "ab"))
        store.save_partition("person", Partition(["a", "b"], [[0.7, 0.3], [0.4, 0.6]]), 0.0)
        store.save_run(Run("", "", "", "karc", 0, "{}", [], []))
        yield store


# -- every method ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "method", ["correlation", "average-linkage", "karc", "frc", "contexts", "sampling", "string-match"]
)
def test_every_method_takes_what_is_added_and_judged(tmp_path, method):
    everything = profiles(40)
    with crossdoc.resolve(everything[:38], output=tmp_path / "a.crossdoc", method=method) as resolution:
        change = resolution.add(everything[38:])
        assert change.added == 2
        cannot = method in ("karc", "frc", "contexts", "string-match")
        assert any("cannot continue from an earlier answer" in note for note in change.notes) == cannot
        is_whole(resolution)
        held = resolution.store.entity_of()
        a, b = next((a, b) for a in held for b in held if a < b and held[a] == held[b])
        resolution.judge(a, b, "different")
        assert resolution.store.entity_of()[a] != resolution.store.entity_of()[b]
        is_whole(resolution)
        resolution.remove(a)
        is_whole(resolution)
        rank = resolution.answer(soft=True).group_by("id").aggregate([("membership", "sum")])
        assert max(rank.column("membership_sum").to_pylist()) <= 1 + 1e-6


def test_under_one_name(tmp_path):
    texts = [
        Document(f"d{n}", f"Ann Li {TOPICS[t]} {n}.", language="en") for n, t in enumerate(["race", "race", "poem"])
    ]
    with crossdoc.resolve(texts, name="Ann Li", describe=False) as resolution:
        change = resolution.add([Document("d9", f"Ann Li {TOPICS['poem']} again.", language="en")])
        assert change.added == 1
        is_whole(resolution)
        held = resolution.store.entity_of()
        assert held["d9"] == held["d2"]
        resolution.judge("d0", "d1", "different")
        assert resolution.store.entity_of()["d0"] != resolution.store.entity_of()["d1"]


def test_constraints_of_a_run_are_in_the_log(tmp_path):
    said = [Judgement("d00:0", "d01:0", "same", who="ada")]
    with crossdoc.resolve(profiles(), output=tmp_path / "a.crossdoc", constraints=said) as resolution:
        assert resolution.store.entity_of()["d00:0"] == resolution.store.entity_of()["d01:0"]
        resolution.undo(1)
        assert [entry.number for entry in resolution.store.entries()] == []


def test_a_run_that_replaces_the_file_while_documents_are_read_is_the_one_that_is_changed(tmp_path, monkeypatch):
    path, new = tmp_path / "a.crossdoc", tmp_path / "new.jsonl"
    made = [Profile(f"p{n}", f"d{n}", "Ann Li", "person", "verse poem rhyme") for n in range(3)]
    crossdoc.resolve(made, output=path).close()
    new.write_text('{"id": "q", "document": "e", "name": "Ann Li", "type": "person", "context": "verse ode"}')
    read, times = Revision.read, []

    def read_slowly(self, inputs):
        times.append(len(times))
        crossdoc.resolve(made[:2], output=path, method="average-linkage").close()
        return read(self, inputs)

    monkeypatch.setattr(Revision, "read", read_slowly)
    with crossdoc.open(path) as answer:
        assert answer.add(new).added == 1
        assert [run.method for run in answer.runs][1:] == ["average-linkage", "average-linkage"]
        assert sorted(answer.profiles.ids) == ["p0", "p1", "q"]
    assert times == [0], "documents are read once"
