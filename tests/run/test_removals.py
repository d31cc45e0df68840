"""After a removal the answer is that of a run without the document, whatever was added and removed before."""

from __future__ import annotations

import random

import pytest
from tests.store.consistency import inconsistency

import crossdoc
from crossdoc.model import Profile
from crossdoc.run import affected, revise

NAMES = ("Ann Li", "Ann B. Li", "Bo Kim", "Kim", "Cy Ode", "Dee Fox", "Eva Moss", "Fay Gold", "Gus Hill")
TOPICS = ("engine race lap pit wheel driver", "verse poem rhyme ode stanza lyric", "court trial verdict appeal bench")
METHODS = ("mean-max-linkage", "correlation", "karc", "contexts", "average-linkage")
FIRST, LATER = 24, 6


def profiles(seed: int) -> list[Profile]:
    rng, made = random.Random(seed), []
    names = rng.sample(NAMES, rng.randint(2, 9))
    for number in range(FIRST + LATER):
        name, words = rng.choice(names), rng.choice(TOPICS).split()
        context = f"{' '.join(rng.sample(words, 2))} {' '.join(rng.sample('abcdefghijklm', 6))} {name}"
        made.append(Profile(f"d{number:02}:0", f"d{number:02}", name, "person", context, "en"))
    return rng.sample(made, len(made))


def groups(answer: crossdoc.Resolution) -> set[frozenset[str]]:
    found: dict[str, set[str]] = {}
    for profile, entity in answer.store.entity_of().items():
        found.setdefault(entity, set()).add(profile)
    return set(map(frozenset, found.values()))


def run_anew(made: list[Profile], method: str) -> set[frozenset[str]]:
    with crossdoc.resolve(made, method=method) as answer:
        return groups(answer)


def check(seed: int, method: str) -> None:
    """Add and remove at random; after each removal, compare with a run over what is left."""
    every, rng = profiles(seed), random.Random(seed)
    with crossdoc.resolve(every[:FIRST], method=method) as answer:
        before, waiting, there = answer.store.entity_of(), every[FIRST:], list[Profile]()
        while waiting or there:
            if waiting and (not there or rng.random() < 0.6):
                count = rng.randint(1, 3)
                answer.add(waiting[:count])
                there, waiting = there + waiting[:count], waiting[count:]
                continue
            gone = rng.sample(there, rng.randint(1, len(there)))
            there = [each for each in there if each not in gone]
            assert answer.remove(*(each.id for each in gone)).removed == len(gone)
            assert groups(answer) == run_anew([*every[:FIRST], *there], method)
        touched = {id for event in answer.store.events() for id in (event.id, event.other)}
        now = answer.store.entity_of()
        assert {id: now[id] for id in now if before[id] not in touched} == {
            id: entity for id, entity in before.items() if entity not in touched
        }
        assert inconsistency(answer.store._db) is None


@pytest.mark.parametrize("seed", [1, 3, 17])
def test_a_removal_leaves_the_answer_of_a_run_without_it(seed):
    check(seed, "mean-max-linkage")


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(40))
def test_a_removal_leaves_the_answer_of_a_run_without_it_by_many_methods(seed, method):
    check(seed, method)


def test_what_was_fitted_is_not_counted_again(monkeypatch):
    """A full comparison starts from the shipped model, not from what an earlier one made of it."""
    monkeypatch.setattr(revise, "REFRESH", -1.0)
    made = profiles(1)
    with crossdoc.resolve(made[:FIRST]) as answer:
        first = revise.Revision(answer.store).model
        for _ in range(3):
            answer.add(made[FIRST:])
            answer.remove(*(each.id for each in made[FIRST:]))
        assert revise.Revision(answer.store).model == first


def test_of_a_large_collection_only_what_is_near_is_compared_again(monkeypatch):
    monkeypatch.setattr(affected, "FEW", 0)
    monkeypatch.setattr(revise, "FEW", 0)
    made = profiles(5)
    with crossdoc.resolve(made) as answer:
        assert 0 < answer.remove(made[0].id).clustered < len(made) - 1
