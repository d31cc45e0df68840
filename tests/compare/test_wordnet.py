"""WordNet: distances against a brute-force reading of the same arrays, orderings known by hand, and odd words."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from importlib.resources import files
from math import isnan, log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossdoc.compare.wordnet import PERSON, TOPS, Vocabulary, word_similarity, wordnet

ROOT = Path(__file__).parents[2]
ROLES = "president chairman senator pastor poet pitcher king wife lawyer boss goalkeeper chair head banana".split()


@cache
def brute_force() -> tuple[list[frozenset[int]], list[float]]:
    """Every synset's ancestors (itself included) and information content, by sets and loops over the stored arrays."""
    with np.load(str(files("crossdoc.compare") / "data" / "wordnet.npz"), allow_pickle=False) as stored:
        counts, steps = stored["hypernym_counts"].tolist(), stored["hypernym_steps"].tolist()
        senses, tagged = stored["senses"].tolist(), stored["tagged"].tolist()
    parents: list[list[int]] = []
    place = 0
    for synset, count in enumerate(counts):
        parents.append([synset + step for step in steps[place : place + count]])
        place += count
    own = [1] * len(parents)
    for synset, count in zip(senses, tagged, strict=True):
        own[synset] += count
    ancestors = []
    below = [0] * len(parents)
    for synset in range(len(parents)):
        found, waiting = {synset}, [synset]
        while waiting:
            for parent in parents[waiting.pop()]:
                if parent not in found:
                    found.add(parent)
                    waiting.append(parent)
        ancestors.append(frozenset(found))
        for node in found:
            below[node] += own[synset]
    total = sum(own)
    return ancestors, [-log(mass / total) for mass in below]


def test_distances_are_those_of_brute_force() -> None:
    net = wordnet()
    ancestors, information = brute_force()
    rng = np.random.default_rng(7)
    tagged = np.flatnonzero(net.tags)
    pairs = np.vstack([rng.integers(0, net.n_synsets, (300, 2)), rng.choice(tagged, (300, 2))])
    # Near pairs too: a synset and its parent or grandparent.
    near = [(a, int(net.hypernyms[net.hypernym_starts[a]])) for a in rng.integers(1, net.n_synsets, 100)]
    pairs = np.vstack([pairs, near])
    expected = [
        information[a] + information[b] - 2 * max((information[c] for c in ancestors[a] & ancestors[b]), default=0.0)
        for a, b in pairs.tolist()
    ]
    np.testing.assert_allclose(net.distances(pairs[:, 0], pairs[:, 1]), expected, atol=1e-9)
    np.testing.assert_allclose(net.information, information, atol=1e-9)


def test_information_grows_downwards_and_the_root_has_none() -> None:
    net = wordnet()
    children = np.repeat(np.arange(net.n_synsets), np.diff(net.hypernym_starts))
    assert (net.information[children] > net.information[net.hypernyms]).all()
    root = np.flatnonzero(np.diff(net.hypernym_starts) == 0)
    assert root.tolist() == [int(net.senses("entity")[0])]
    assert net.information[root[0]] == pytest.approx(0.0, abs=1e-12)
    assert net.information.max() == pytest.approx(net.greatest)


@pytest.mark.parametrize(
    ("word", "near", "far"),
    [
        ("president", "commander in chief", "banana"),
        ("senator", "legislator", "carpenter"),
        ("chairman", "president", "shortstop"),
        ("pastor", "clergyman", "engineer"),
        ("pitcher", "shortstop", "banker"),
        ("general", "colonel", "poet"),
        ("professor", "teacher", "goalkeeper"),
    ],
)
def test_orderings_known_by_hand(word: str, near: str, far: str) -> None:
    net = wordnet()
    assert net.similarity(word, near) > net.similarity(word, far)
    assert net.similarity(word, near, PERSON) > net.similarity(word, far, PERSON)


def test_similarity_falls_as_distance_grows_within_a_kind() -> None:
    net = wordnet()
    people = np.flatnonzero(net.kinds == PERSON)
    rng = np.random.default_rng(3)
    a, b = rng.choice(people, 500), rng.choice(people, 500)
    order = np.argsort(net.distances(a, b))
    similarities = net.similarities(a, b)[order]
    assert (np.diff(similarities) <= 1e-12).all()
    assert (net.similarities(a, a) == 1.0).all()


def test_kinds_keep_apart_but_tops_meet_all() -> None:
    net = wordnet()
    assert net.similarity("carpenter", "oak") == 0.0
    assert net.kinds[net.senses("person")[0]] == TOPS
    assert net.similarity("carpenter", "person") > 0.0


@pytest.mark.parametrize(
    ("phrase", "lemma"),
    [
        ("Chairmen", "chairman"),
        ("wives", "wife"),
        ("attorneys general", "attorney_general"),
        ("Vice-President", "vice_president"),
        ("vice_presidents", "vice_president"),
        ("co-founder", "cofounder"),
        ("fiancée", "fiancee"),
        ("boss", "boss"),
        ("secretaries", "secretary"),
        ("  commander   in chief ", "commander_in_chief"),
    ],
)
def test_lemmas(phrase: str, lemma: str) -> None:
    assert wordnet().lemma(phrase) == lemma


@pytest.mark.parametrize("phrase", ["", " ", "a", "-", "--", "дом", "北京", "xyzzy", "x" * 10_000, "_", "’", "\x00"])
def test_unknown_words(phrase: str) -> None:
    net = wordnet()
    assert net.lemma(phrase) is None
    assert len(net.senses(phrase)) == 0
    assert isnan(net.similarity(phrase, "president"))


def test_a_kind_picks_its_senses_and_rare_ones_are_left_out() -> None:
    net = wordnet()
    assert set(net.kinds[net.senses("pitcher", PERSON)]) == {PERSON}
    assert PERSON not in net.kinds[net.senses("banana", PERSON)]
    assert len(net.senses("banana", PERSON)) == 2
    assert len(net.senses("head")) < 33


def test_the_kernel_agrees_with_the_plain_way() -> None:
    net = wordnet()
    vocabulary = Vocabulary([(word, PERSON) for word in ROLES], net)
    for i, a in enumerate(ROLES):
        for j, b in enumerate(ROLES):
            fast = word_similarity(i, j, vocabulary.starts, vocabulary.senses, net.graph, net.greatest)
            assert fast == pytest.approx(net.similarity(a, b, PERSON), abs=1e-12)


@given(st.text(max_size=20) | st.sampled_from(ROLES), st.text(max_size=20) | st.sampled_from(ROLES))
def test_similarity_is_symmetric_and_in_range(a: str, b: str) -> None:
    net = wordnet()
    forth, back = net.similarity(a, b), net.similarity(b, a)
    if net.lemma(a) is None or net.lemma(b) is None:
        assert isnan(forth)
        assert isnan(back)
    else:
        assert 0.0 <= forth <= 1.0
        assert forth == back
        assert net.similarity(a, a) == 1.0


def test_the_stored_table_is_what_the_tool_builds() -> None:
    command = [sys.executable, str(ROOT / "tools" / "build_wordnet.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    if done.stdout.startswith("skipped"):
        pytest.skip(done.stdout.strip())
    assert done.stdout.strip() == "current"
