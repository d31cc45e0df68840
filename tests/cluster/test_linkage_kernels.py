"""Components that are too large for a matrix of all pairs."""

from itertools import combinations

import numpy as np
import pytest

import crossdoc.cluster.linkage_kernels as large
from crossdoc.cluster.clusterer import Work
from crossdoc.cluster.hierarchical import LinkageClustering
from crossdoc.compare.memory_collection import compare
from crossdoc.model import Judgement, Profile, Profiles
from crossdoc.model.evidence_protocol import Constraints
from crossdoc.names import Grade, relate

FIRSTS = ("Jun", "Jing", "Wei", "Hong")


def papers(n: int = 120, seed: int = 0) -> tuple[Profiles, list[int]]:
    """Papers of eight people of one surname, some signed with an initial or the surname alone, and who wrote each."""
    random = np.random.default_rng(seed)
    writers = random.integers(0, 8, n)
    rows = []
    for number, writer in enumerate(writers):
        first = FIRSTS[writer % 4]
        name = random.choice([f"{first} Wang", f"{first} Wang", f"{first[0]}. Wang", "Wang"])
        words = " ".join(f"topic{writer}x{word}" for word in random.integers(0, 9, 6))
        rows.append(Profile(f"p{number:03}", f"d{number}", str(name), "person", words))
    return Profiles.of(rows), writers.tolist()


def labels(profiles: Profiles, constraints: Constraints | None = None, one_name: bool = False) -> np.ndarray:
    [evidence] = compare(profiles, constraints=constraints, one_name=one_name).values()
    assert len(evidence.components()) == 1
    answer = large.fit_mean_max(LinkageClustering("mean-max", threshold=0.6), evidence, Work())
    return np.asarray(answer.membership.argmax(axis=1)).ravel()


def joined(found: np.ndarray) -> set[tuple[int, int]]:
    return {(a, b) for a, b in combinations(range(len(found)), 2) if found[a] == found[b]}


@pytest.mark.parametrize("seed", range(3))
def test_two_levels_are_nearly_one(monkeypatch, seed):
    profiles, _ = papers(seed=seed)
    exact = joined(labels(profiles))
    monkeypatch.setattr(large, "MOST_EXACT", 30)
    found = joined(labels(profiles))
    assert len(exact) > 500
    # Pieces of 30 of 120 profiles are far smaller than those of a run.
    assert 2 * len(exact & found) / (len(exact) + len(found)) > 0.8


def test_names_that_clash_are_kept_apart(monkeypatch):
    profiles, _ = papers()
    monkeypatch.setattr(large, "MOST_EXACT", 30)
    names = profiles.column("name").to_pylist()
    assert all(relate(names[a], names[b], "person") > Grade.CLASH for a, b in joined(labels(profiles)))


def test_judgements_hold_across_pieces(monkeypatch):
    profiles, _ = papers()
    monkeypatch.setattr(large, "MOST_EXACT", 30)
    before = joined(labels(profiles))
    names = profiles.column("name").to_pylist()
    apart = next(pair for pair in sorted(before) if names[pair[0]] != names[pair[1]])
    # Neither has a first name, so that no rule stands against them.
    bare = [row for row, name in enumerate(names) if name == "Wang"]
    together = next(pair for pair in combinations(bare, 2) if pair not in before)
    ids = profiles.ids
    judged = [
        Judgement(ids[apart[0]], ids[apart[1]], "different"),
        Judgement(ids[together[0]], ids[together[1]], "same"),
    ]
    after = joined(labels(profiles, Constraints.compile(judged, {id: row for row, id in enumerate(ids)}, len(ids))))
    assert apart not in after
    assert together in after


def test_rows_of_one_asked_for_name_are_cut_into_pieces(monkeypatch):
    profiles, writers = papers()
    monkeypatch.setattr(large, "MOST_EXACT", 30)
    found = joined(labels(profiles, one_name=True))
    assert sum(writers[a] == writers[b] for a, b in found) > 0.9 * len(found) > 100


def test_a_row_is_open_if_its_name_fits_names_that_clash():
    [evidence] = compare(papers()[0], background=False).values()
    names = ["Jun Wang", "Jing Wang", "J. Wang", "Wei Wang", "W. Wang", "Wang"]
    assert large._fits_several(evidence, names).tolist() == [False, False, True, False, False, True]


def test_too_many_clusters_are_an_error(monkeypatch):
    monkeypatch.setattr(large, "MOST_EXACT", 30)
    monkeypatch.setattr(large, "MOST_CLUSTERS", 3)
    with pytest.raises(Exception, match="too many for this linkage"):
        labels(papers()[0])
