"""Descriptors, employment and ownership: examples, what is asleep, odd input, and invariants.

WordNet: distances against a brute-force reading of the same arrays, orderings known by hand, and odd words.
"""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from importlib.resources import files
from itertools import product
from math import isnan, log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossdoc.compare.specialists.jiang_conrath import (
    MOST_VALUES,
    PERSON,
    TOPS,
    Descriptors,
    Posts,
    head_phrases,
    synset_distance,
    wordnet,
)
from crossdoc.model import Profile, Profiles, Relation

COMPANIES = [
    "General Motors", "General Motors Corp.", "GM", "General", "Motors", "G.M.", "Green Mountain", "Bank of America",
    "America", "National Cycling Association", "NCA", "IBM", "Cycling Association", "GeneralMotors", "", "...", "日産",
]  # fmt: skip


def person(*descriptors: str, titles: tuple[str, ...] = (), relations: tuple[tuple[str, str], ...] = ()) -> Profile:
    attributes = {"descriptor": list(descriptors), "title": list(titles)}
    links = tuple(Relation(type, name) for type, name in relations)
    return Profile("id", "doc", "John Smith", "person", attributes=attributes, relations=links)


def score(specialist: Descriptors | Posts, a: Profile, b: Profile) -> float:
    return float(specialist.score(Profiles.of([a]), Profiles.of([b]), [(0, 0)])[0])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("former vice president of General Motors", ("vice_president",)),
        ("commander in chief", ("commander_in_chief",)),
        ("Secretary of State", ("secretary_of_state",)),
        ("GM chairman and chief executive officer", ("chairman", "chief_executive_officer")),
        ("president of Smith and Sons", ("president",)),
        ("the club's goalkeeper", ("goalkeeper",)),
        ("vice-captain", ("captain",)),
        ("xyzzy", ()),
        ("of", ()),
        ("a", ()),
        ("", ()),
        ("дом", ()),
        ("医者", ()),
    ],
)
def test_heads(text: str, expected: tuple[str, ...]) -> None:
    assert head_phrases(text) == expected


def test_descriptors_are_scored_by_their_heads() -> None:
    near = score(Descriptors(), person("senior senator from Ohio"), person("veteran legislator"))
    far = score(Descriptors(), person("senior senator from Ohio"), person("goalkeeper"))
    assert near == pytest.approx(wordnet().similarity("senator", "legislator", PERSON), abs=1e-6)
    assert near > 0.9 > 0.5 > far


def test_titles_of_office_count_and_courtesies_do_not() -> None:
    assert score(Descriptors(), person(titles=("sen",)), person("senator")) == 1.0
    assert np.isnan(score(Descriptors(), person(titles=("mr",)), person("senator")))


def test_the_profiles_type_picks_the_senses() -> None:
    company = Profile("o", "d", "Acme", "organisation", attributes={"descriptor": ["company"]})
    firm = Profile("p", "d", "Acme", "organisation", attributes={"descriptor": ["business"]})
    assert score(Descriptors(), company, firm) > 0.5
    assert score(Descriptors(), person("pitcher"), person("jug")) == 0.0


def test_best_match_average() -> None:
    net = wordnet()
    a, b = person("poet", "banker"), person("poet")
    other = net.similarity("banker", "poet", PERSON)
    assert score(Descriptors(), a, b) == pytest.approx((1 + other + 1) / 3, abs=1e-6)


@pytest.mark.parametrize("odd", [person(), person("x"), person("xyzzy"), person("дом", "医者"), person("", " ", "-")])
def test_asleep_without_a_known_word(odd: Profile) -> None:
    assert np.isnan(score(Descriptors(), odd, person("poet")))
    assert np.isnan(score(Descriptors(), odd, odd))
    assert Descriptors().evidence(odd, person("poet")) == ""


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (("employment:chairman", "General Motors"), ("employment:chairman", "GM"), 1.0),
        (("employment:chairman", "General Motors"), ("employment:chairman", "IBM"), 0.5),
        (("employment", "General Motors"), ("employment:chairman", "General Motors Corp."), 1.0),
        (("employment", "General Motors"), ("employment:chairman", "IBM"), 0.0),
        (("employment:xyzzy", "General Motors"), ("employment:chairman", "IBM"), 0.0),
        (("employment:chairman", "..."), ("employment:chairman", "IBM"), 1.0),
    ],
)
def test_employment(a: tuple[str, str], b: tuple[str, str], expected: float) -> None:
    assert score(Posts("employment"), person(relations=(a,)), person(relations=(b,))) == pytest.approx(expected)


def test_employment_and_ownership_read_their_own_relations() -> None:
    owner, chairman = (
        person(relations=(("ownership:owner", "IBM"),)),
        person(relations=(("employment:chairman", "IBM"),)),
    )
    assert score(Posts("ownership"), owner, owner) == 1.0
    assert np.isnan(score(Posts("ownership"), owner, chairman))
    assert np.isnan(score(Posts("employment"), owner, chairman))


def test_an_organisation_is_known_by_its_people() -> None:
    def texas(name: str) -> Profile:
        return Profile("t", "d", "Texas", "place", relations=(Relation("employment:governor", name),))

    assert score(Posts("employment"), texas("Gov. George W. Bush"), texas("George Bush")) == 1.0
    assert score(Posts("employment"), texas("George Bush"), texas("Ann Richards")) == 0.5
    assert score(Posts("employment"), texas("George Bush"), texas("Bush")) == 1.0


def test_evidence_says_what_was_compared() -> None:
    a, b = (person(relations=((f"employment:{role}", name),)) for role, name in (("president", "GM"), ("chief", "IBM")))
    assert Posts("employment").evidence(a, b) == "president of GM ~ chief of IBM"


def test_ten_thousand_relations() -> None:
    many = person(
        relations=tuple((f"employment:{'boss' if i % 2 else 'clerk'}", f"Company {i}") for i in range(10_000))
    )
    encoded = Posts("employment").encode(Profiles.of([many, person(relations=(("employment:boss", "Company 1"),))]))
    assert encoded.starts.tolist() == [0, MOST_VALUES, MOST_VALUES + 1]
    scores = Posts("employment").compare(encoded, np.array([[0, 1], [0, 0]], dtype=np.int32))
    assert 0 < scores[0] < scores[1] == 1.0


def test_no_pairs_and_no_profiles() -> None:
    empty = Profiles.of([])
    for specialist in (Descriptors(), Posts("employment"), Posts("ownership")):
        assert len(specialist.score(empty, empty, [])) == 0


texts = st.text(max_size=12) | st.sampled_from(["poet", "chairman of IBM", "vice president", "king and queen", "head"])
relations = st.tuples(texts.map(lambda role: f"employment:{role}"), st.sampled_from(COMPANIES) | st.text(max_size=6))
people = st.builds(
    lambda said, held: person(*said, relations=tuple(held)),
    st.lists(texts, max_size=4),
    st.lists(relations, max_size=4),
)


@settings(deadline=None)
@given(st.lists(people, min_size=2, max_size=5))
def test_scores_are_symmetric_in_range_and_one_with_oneself(profiles: list[Profile]) -> None:
    table = Profiles.of(profiles)
    pairs = np.array(list(product(range(len(table)), repeat=2)), dtype=np.int32)
    for specialist in (Descriptors(), Posts("employment")):
        scores = specialist.score(table, table, pairs)
        np.testing.assert_array_equal(scores, specialist.score(table, table, pairs[:, ::-1]))
        own = scores[pairs[:, 0] == pairs[:, 1]]
        assert (np.isnan(own) | (own == 1.0)).all()


ROOT = Path(__file__).parents[3]
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
    np.testing.assert_allclose([synset_distance(a, b, net.graph) for a, b in pairs], expected, atol=1e-9)
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
