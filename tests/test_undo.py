"""Undo returns the partition and the ids of its identities, also after additions."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

import crossdoc
from crossdoc import errors
from crossdoc.model import Identity, Profile
from crossdoc.run import revise as revision
from crossdoc.run.resolution import Resolution

NAMES = ("Ann Li", "Ann B. Li", "Bo Kim", "Kim", "Cy Ode", "Dee Fox", "Eva Moss", "Fay Gold", "Gus Hill")
TOPICS = ("engine race lap pit wheel driver", "verse poem rhyme ode stanza lyric", "court trial verdict appeal bench")


def profiles(seed: int, count: int = 36) -> list[Profile]:
    """Profiles in random order, so that the id of an identity is not always the smallest of its profiles."""
    rng = random.Random(seed)
    made = []
    for number in range(count):
        name, words = rng.choice(NAMES), rng.choice(TOPICS).split()
        context = f"{' '.join(rng.sample(words, 2))} {' '.join(rng.sample('abcdefghijklm', 6))} {name}"
        made.append(Profile(f"d{number:02}:0", f"d{number:02}", name, "person", context, "en"))
    return rng.sample(made, count)


def members(answer: Resolution) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for profile, entity in sorted(answer.store.entity_of().items()):
        found.setdefault(entity, []).append(profile)
    return found


def state(answer: Resolution) -> tuple[list[tuple[object, ...]], list[Identity]]:
    """The whole answer: memberships with their strengths, and what is said of each identity."""
    rows = answer.store.query("SELECT id, rank, entity, membership FROM memberships ORDER BY id, rank")
    return list(zip(*(column.to_pylist() for column in rows.columns), strict=True)), sorted(
        answer.store.identities(), key=lambda identity: identity.id
    )


def change(answer: Resolution, rng: random.Random) -> bool:
    """One random act; False where it contradicts an earlier one, or there is no identity to split."""
    held = members(answer)
    large = [entity for entity, own in held.items() if len(own) > 1]
    act = rng.choice(["same", "different", "merge", "merge", "split", "rename"])
    if act in ("different", "split") and not large:
        return False
    try:
        if act == "same":
            answer.judge(*rng.sample([id for own in held.values() for id in own], 2), "same")
        elif act == "different":
            answer.judge(*rng.sample(held[rng.choice(large)], 2), "different")
        elif act == "merge":
            answer.merge(*rng.sample(sorted(held), 2))
        elif act == "split":
            entity = rng.choice(large)
            answer.split(entity, rng.sample(held[entity], rng.randint(1, len(held[entity]) - 1)))
        else:
            answer.rename(rng.choice(sorted(held)), "X")
    except errors.ConstraintError:
        return False
    return True


@pytest.fixture(params=range(2))
def grown(request, monkeypatch) -> Iterator[tuple[Resolution, random.Random]]:
    """An answer to which profiles were added a few at a time."""
    monkeypatch.setattr(revision, "REFRESH", 10.0)
    every, rng = profiles(request.param), random.Random(request.param)
    with crossdoc.resolve(every[:24]) as answer:
        while (size := len(answer.profiles)) < len(every):
            answer.add(every[size : size + rng.randint(1, 4)])
        yield answer, rng


def test_each_undo_returns_the_ids_before_the_act(grown):
    answer, rng = grown
    before, undone = [state(answer)], 0
    while undone < 8:
        if len(before) > 4 or (len(before) > 1 and rng.random() < 0.5):
            answer.undo()
            before.pop()
            undone += 1
            assert state(answer) == before[-1]
        elif change(answer, rng):
            before.append(state(answer))


def test_acts_that_are_undone_in_any_order_leave_the_ids_as_they_were(grown):
    answer, rng = grown
    before = state(answer)
    for _ in range(2):
        while len(answer.store.entries()) < 4:
            change(answer, rng)
        for entry in rng.sample(answer.store.entries(), 4):
            answer.undo(entry.number)
        assert state(answer) == before


@pytest.mark.parametrize("seed", range(2))
def test_who_joins_between_an_act_and_its_undo_takes_no_id_away(seed, monkeypatch):
    monkeypatch.setattr(revision, "REFRESH", 10.0)
    every, rng = profiles(seed), random.Random(seed)
    with crossdoc.resolve(every[:28]) as answer:
        for new in every[28:]:
            before = members(answer)
            answer.merge(*rng.sample(sorted(before), 2))
            answer.add([new])
            answer.undo()
            now = answer.store.entity_of()
            groups = [{id for id in own if id != new.id} for own in members(answer).values()]
            same = {entity: own for entity, own in before.items() if set(own) in groups}
            assert len(same) >= len(before) - 2
            assert {id: now[id] for own in same.values() for id in own} == {
                id: entity for entity, own in same.items() for id in own
            }


def test_a_new_run_keeps_what_undo_needs(tmp_path):
    made, path = profiles(1), tmp_path / "a.crossdoc"
    with crossdoc.resolve(made, output=path) as answer:
        before = answer.store.entity_of()
        answer.merge(*sorted(set(before.values()))[:2])
        kept = answer.store.id_changes(1, 1)
    assert len(kept) > 1
    with crossdoc.resolve(made, output=path) as answer:
        assert answer.store.id_changes(1, 1) == kept
        answer.undo()
        assert answer.store.entity_of() == before


def test_an_entry_is_undone_exactly_while_later_ones_elsewhere_stand():
    made = [Profile(f"{letter}{n}", f"{letter}{n}", f"{name} {letter}", "person", "engine race lap", "en")
            for letter, name in (("Adams", "Una"), ("Brandt", "Vic"), ("Castellan", "Wim"), ("Dumont", "Xia"))
            for n in range(2)]  # fmt: skip
    with crossdoc.resolve(made) as answer:
        before = answer.store.entity_of()
        answer.judge("Adams0", "Brandt0", "same")
        answer.judge("Castellan0", "Dumont0", "same")
        answer.rename(answer.store.entity_of()["Adams0"], "Ms Adams")
        change = answer.undo(1)
        assert change.clustered == 0
        now = answer.store.entity_of()
        assert now["Castellan0"] == now["Dumont0"]
        assert {id: now[id] for id in before if id[0] in "AB"} == {id: before[id] for id in before if id[0] in "AB"}
        assert [identity.id for identity in answer.find("Ms Adams")] == [before["Adams0"]]
        answer.undo()
        assert not answer.find("Ms Adams")
        answer.undo()
        assert answer.store.entity_of() == before


def test_a_judgement_that_stands_is_kept_when_an_earlier_one_is_undone():
    made = [Profile(f"p{n}", f"p{n}", "Ann Li", "person", "engine race lap pit", "en") for n in range(4)]
    with crossdoc.resolve(made) as answer:
        answer.judge("p0", "p1", "different")
        answer.judge("p0", "p2", "different")
        answer.undo(1)
        now = answer.store.entity_of()
        assert now["p0"] != now["p2"]
