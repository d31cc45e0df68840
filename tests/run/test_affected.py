"""A part of a collection is told as among all of it: topics, names as they are read, what is counted."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from tests.store.consistency import inconsistency

import crossdoc
from crossdoc.compare import blocking
from crossdoc.compare.collection import evidence
from crossdoc.compare.memory_collection import compare
from crossdoc.compare.statistics import Lookup
from crossdoc.compare.stories import Topics
from crossdoc.model import Profile
from crossdoc.run import revise as revision
from crossdoc.run.affected import ChangedCollection
from crossdoc.run.resolution import Resolution
from crossdoc.run.revise import Revision


@pytest.fixture
def opened(answer):
    with crossdoc.open(answer) as resolution:
        yield resolution


def whole(resolution: Resolution) -> ChangedCollection:
    return Revision(resolution.store).collection([])


def at_once(resolution: Resolution):
    """Everything compared, with topics found anew."""
    store = resolution.store
    return compare(resolution.profiles, store, model=Revision(store).model, background=False)


def test_a_part_is_compared_as_all_are(opened):
    everything, of_all = whole(opened), at_once(opened)
    for entity_type in of_all:
        own = everything.names.rows(entity_type)
        for seed, share in ((0, 4), (1, 4), (2, 10), (3, 40)):
            some = np.sort(np.random.default_rng(seed).permutation(len(own))[: len(own) // share])
            part = everything.evidence(own[some])[entity_type]
            expected = of_all[entity_type].part(some)
            assert part.relations().dense() == pytest.approx(expected.relations().dense(), abs=1e-5)
            assert [rows.tolist() for rows in part.components()] == [rows.tolist() for rows in expected.components()]
            assert share > 4 or len(np.unique(part.relations().dense().round(3))) > 5


NAMES = {
    "Fund": 3, "Int. Fund": 2, "International Monetary Fund": 4, "World Wildlife Fund": 1, "IMF": 3, "I.M.F.": 1,
    "Velox": 2, "Velox Ltd": 1, "Velox Tyres": 2, "Velox Bank": 1, "Fed": 3, "Federal Reserve": 1, "Zenodotus": 2,
    "Federal Reserve Board": 2, "Zenodotos": 1, "Zenodotous": 1, "Ministry of Finance": 1, "MOF": 1, "Finance": 1,
    "Labor": 2, "Labour": 1, "Traditional Labor": 2, "Amalgamated Labour": 3, "Reserve": 1,
    "Strategic Petroleum Reserve": 3,
}  # fmt: skip


def organisations(names: list[str]) -> list[Profile]:
    return [Profile(f"{at}", f"d{at}", name, "organisation", f"{name} said") for at, name in enumerate(names)]


@pytest.mark.parametrize("seed", range(2))
def test_what_a_short_name_is_worth_depends_on_all_names_of_the_collection(seed, monkeypatch):
    monkeypatch.setattr(revision, "REFRESH", 10.0)
    rng = random.Random(seed)
    every = organisations([name for name, n in NAMES.items() for _ in range(n)])
    first = sorted(rng.sample(every, 30), key=lambda profile: profile.id)
    rest = [profile for profile in every if profile not in first]
    with crossdoc.resolve(first) as answer:
        answer.add(rest[:6])
        answer.remove(*(profile.id for profile in rest[:3]))
        answer.add(rest[6:])
        everything, of_all = whole(answer), at_once(answer)["organisation"]
        linked, names = everything.linked_names("organisation"), everything.read("organisation")
        assert list(map(list, blocking.components(names, linked=linked))) == list(map(list, blocking.components(names)))
        assert inconsistency(answer.store._db) is None
        called = everything.names.named.column("name").to_pylist()
        labor = np.flatnonzero(np.isin(called, ["Labor", "Traditional Labor"]))
        reserve = np.flatnonzero(np.isin(called, ["Reserve", "Strategic Petroleum Reserve"]))
        drawn = [np.sort(rng.sample(range(len(everything.ids)), 5)) for _ in range(20)]
        for some in (labor, reserve, *drawn):
            part = everything.evidence(some)["organisation"]
            expected = of_all.part(some)._names_compared
            assert part._names_compared.all_odds() == pytest.approx(expected.all_odds())
            assert part._names_compared.clashes.tolist() == expected.clashes.tolist()


def test_names_that_nobody_kept_are_looked_at_all():
    with crossdoc.resolve(organisations(list(NAMES))) as answer:
        some, store = np.arange(0, len(NAMES), 3), answer.store
        kept = whole(answer).evidence(some)["organisation"]._names_compared.all_odds()
        linked = whole(answer).linked_names("organisation")
        assert store.linked_names("organisation") == linked
        with store.changing():
            store._empty("spellings")
            store._empty("linked_names")
            store.drop("meta", ["called"], "key")
        old = whole(answer)
        assert old.evidence(some)["organisation"]._names_compared.all_odds().tolist() == kept.tolist()
        assert old.linked_names("organisation") == linked
        assert store.linked_names("organisation") == {}
        answer.judge("0", "1", "same")
        assert store.linked_names("organisation") == linked


STORIES = {
    "a": "robbers took diamonds jewellery store paris police",
    "b": "police hunted robbers diamonds jewellery store paris",
    "c": "quarterback threw touchdowns team season coach stadium",
    "d": "coach praised quarterback touchdowns team season stadium",
}
NAMED = ["Ann Lee", "Bo Kim", "Cy Ode", "Dee Fox", "Eva Moss"]


def described() -> list[Profile]:
    """A suspect in each document, who is one within a topic, and people."""
    names = {id: ["suspect", *NAMED[at : at + 2]] for at, id in enumerate(STORIES)}
    return [
        Profile(f"{id}:{at}", id, name, "person", f"{STORIES[id]} {name}", "en")
        for id, listed in names.items()
        for at, name in enumerate(listed)
    ]


def test_a_part_has_the_topics_of_all_though_it_does_not_show_them():
    with crossdoc.resolve(described()) as answer:
        everything, of_all = whole(answer), compare(answer.profiles, model=Revision(answer.store).model)["person"]
        some = np.array([everything.row_of[f"{id}:0"] for id in "abc"])
        part = everything.evidence(some)["person"]
        met = [each._names_compared._found.pairs.tolist() for each in (part, of_all.part(some))]
        assert met == [[[0, 1]], [[0, 1]]]
        assert part._stories.in_topics.described.all()
        rows = everything.to_cluster({"a:0"})
        assert everything.ids[rows].tolist() == ["a:0", "b:0"]
        assert everything._in_a_topic("person", rows[1:]).tolist() == [rows[::-1].tolist()]


def test_parts_are_those_that_a_run_clusters(opened):
    everything, of_all = whole(opened), at_once(opened)
    for entity_type in of_all:
        own = everything.names.rows(entity_type)
        wanted = {frozenset(own[rows].tolist()) for rows in of_all[entity_type].components()}
        for rows in list(wanted)[:5]:
            found = set(everything.to_cluster({everything.ids[min(rows)]}).tolist())
            assert rows <= found
            assert found == set().union(*(part for part in wanted if part & found))


def test_an_identity_is_near_if_one_pair_is_as_strong_as_the_method_joins(opened):
    """Exactly as strong counts; a little less does not."""
    collection, held = whole(opened), opened.store.entity_of()
    people = collection.names.rows("person")
    strengths = evidence(collection, people)["person"].relations().dense()
    ids = collection.ids[people]
    entity = np.array([held[id] for id in ids])
    pairs = np.searchsorted(people, collection._pairs(set(ids)))
    pairs = pairs[entity[pairs[:, 0]] != entity[pairs[:, 1]]]
    row, other = pairs[np.argmax(strengths[tuple(pairs.T)])]
    strength = strengths[row, other]
    changed = {ids[row]}
    near, far = (
        set(collection.ids[whole(opened).close(None, changed, set(), joins)])
        for joins in (strength, np.nextafter(strength, np.float32(2)))
    )
    assert set(ids[entity == entity[row]]) == far
    assert far | set(ids[entity == entity[other]]) <= near


def test_topics_are_kept_and_those_of_new_documents_are_added(opened):
    store = opened.store
    before, cut = store.topics()
    assert Topics(before, cut) == at_once(opened).topics
    assert store.topics(["nobody"]) == ({}, cut)
    documents = list(store.documents())
    copied = crossdoc.Document("copy", documents[0].text, language=documents[0].language)
    odd = crossdoc.Document("odd", "Zed Orr sold zithers to Xavier Quill at the zither fair.", language="en")
    opened.add([copied, odd])
    after, still = store.topics()
    assert still == cut
    assert after["copy"] == before[documents[0].id]
    assert after["odd"] not in before.values()
    assert {id: topic for id, topic in after.items() if id in before} == before
    opened.remove("copy", "odd")
    assert store.topics() == (before, cut)


def test_an_old_result_finds_its_topics_when_it_is_first_changed(opened):
    before = opened.store.topics()
    with opened.store.for_writing(), opened.store.batch():
        opened.store._db.execute("DELETE FROM document_topics")
        opened.store._db.execute("DELETE FROM meta WHERE key = 'topics_cut'")
    one, other = [identity.id for identity in opened.identities() if identity.type == "person"][:2]
    opened.merge(one, other)
    assert opened.store.topics() == before


def test_counts_for_several_types_are_those_of_each(opened):
    everything = whole(opened)
    types = np.array([kind or "" for kind in opened.profiles.column("type").to_pylist()])
    asked = {kind: Lookup.of(opened.profiles.take(np.flatnonzero(types == kind))) for kind in everything}
    together = everything.type_counts(asked)
    for kind, own in asked.items():
        found, all_names = everything.type_counts({kind: own})[kind], at_once(opened).type_counts({kind: own})[kind]
        for names in (found.names, all_names.names):
            assert together[kind].names.firsts.items() <= names.firsts.items() or names is found.names
            assert together[kind].names.people == names.people > 0
            lasts = own.lasts & names.bearers.keys()
            assert {last: together[kind].names.bearers[last] for last in lasts} == {
                last: names.bearers[last] for last in lasts
            }


@pytest.mark.parametrize("seed", range(2))
def test_what_is_undone_was_never_there(opened, seed):
    rng = random.Random(seed)
    before = opened.store.entity_of()
    members: dict[str, list[str]] = {}
    for id, entity in sorted(before.items()):
        members.setdefault(entity, []).append(id)
    kind = {profile.id: profile.type for profile in opened.profiles}
    moved = 0
    for act in ("same", "different", "merge", "split"):
        one = rng.choice([entity for entity in members if len(members[entity]) > (2 if act == "split" else 1)])
        two = rng.choice([entity for entity in members if entity != one and kind[entity] == kind[one]])
        if act == "same":
            opened.judge(rng.choice(members[one]), rng.choice(members[two]), "same")
        elif act == "different":
            opened.judge(*rng.sample(members[one], 2), "different")
        elif act == "merge":
            opened.merge(one, two)
        else:
            opened.split(one, rng.sample(members[one], len(members[one]) // 2))
        moved += opened.store.entity_of() != before
        opened.undo()
        assert opened.store.entity_of() == before
    assert moved == 4


READ = {
    "a": ["Ronald Reagan", "Ron Reagan", "Reagan", "suspect"], "b": ["Reagn", "Ronald Reagan", "AP", "suspect"],
    "c": ["Associated Press", "Jo Kim", "suspect"], "d": ["AP", "Jo Kimm", "Bo Reagan", "suspect"],
}  # fmt: skip


def read_in_stories(names: dict[str, list[str]]) -> list[Profile]:
    return [
        Profile(f"{id}{at}", id, name, "person", f"{STORIES[id[0]]} {name}", "en")
        for id, listed in names.items()
        for at, name in enumerate(listed)
    ]


def anew(resolution: Resolution) -> ChangedCollection:
    """The same, where nothing but topics was kept."""
    found = whole(resolution)
    found.readings = {each: found.in_topics(each, found.names.rows(each), None).readings for each in found}
    return found


def kept_is_as_found_anew(resolution: Resolution, rng: random.Random) -> int:
    """Names that are kept, and as what they are read, against all of them looked at again; the number of readings."""
    kept, found = whole(resolution), anew(resolution)
    assert kept.readings == found.readings
    called = resolution.store.spellings()
    listed = [(row.type or "", row.name) for row in resolution.profiles if row.name]
    assert {(row["type"], row["name"]): row["n"] for row in called.to_pylist()} == Counter(listed)
    for entity_type in kept:
        own = kept.names.rows(entity_type)
        read, linked = kept.read(entity_type), kept.linked_names(entity_type)
        by_linked, by_pairs = blocking.components(read, linked=linked), blocking.components(read)
        assert list(map(list, by_linked)) == list(map(list, by_pairs))
        some = np.array(sorted(rng.sample(range(len(own)), min(7, len(own)))))
        by_keys = kept._by_name(entity_type, some)
        by_all = blocking.meeting(found.read(entity_type), some)
        assert sorted(map(tuple, by_keys.tolist())) == sorted(map(tuple, by_all.tolist()))
        among = found._in_topics(entity_type, own)
        every, of_some = among.among(np.arange(len(own)))[0].tolist(), kept._in_a_topic(entity_type, some).tolist()
        wanted = {(a, b) for pair in every for a, b in (pair, pair[::-1]) if a in some}
        assert set(map(tuple, of_some)) == wanted
    return sum(map(len, kept.readings.values()))


@pytest.mark.parametrize("seed", range(2))
def test_what_is_kept_of_names_is_what_all_of_them_say(seed, monkeypatch):
    monkeypatch.setattr(revision, "REFRESH", 10.0)
    rng, readings = random.Random(seed), 0
    every = [name for listed in READ.values() for name in listed]
    more = {f"{id}{n}": rng.sample(every, 3) for n in range(3) for id in STORIES}
    with crossdoc.resolve(read_in_stories(READ)) as answer:
        for id, names in more.items():
            answer.add(read_in_stories({id: names}))
            if rng.random() < 0.3:
                answer.remove(*rng.sample(answer.profiles.ids.tolist(), 2))
            readings += kept_is_as_found_anew(answer, rng)
            assert inconsistency(answer.store._db) is None
    assert readings


def test_what_is_kept_of_the_sample_is_what_all_of_it_says(opened):
    rng = random.Random(0)
    kept_is_as_found_anew(opened, rng)
    documents = list(opened.store.documents())
    opened.add([crossdoc.Document(f"copy of {each.id}", each.text) for each in documents[:3]])
    kept_is_as_found_anew(opened, rng)
    opened.remove(documents[0].id, f"copy of {documents[1].id}")
    kept_is_as_found_anew(opened, rng)


def test_an_old_result_finds_what_is_kept_of_names_when_it_is_first_changed(opened):
    store = opened.store
    with store.changing():
        store._empty("spellings")
        store._empty("readings")
        store.drop("meta", ["called", "readings"], "key")
    assert store.readings("person") == {}
    opened.add([crossdoc.Document("odd", "Zed Orr sold zithers to Xavier Quill at the zither fair.", language="en")])
    kept_is_as_found_anew(opened, random.Random(1))
    assert store.meta("called") == store.meta("readings") == "all"
