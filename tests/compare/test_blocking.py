from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossdoc.compare.blocking import blocking_report, blocks, candidates, context_neighbours, keys
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.model import Profile, Profiles

NAMES = [
    "George W. Bush",
    "President Bush",
    "Jeb Bush",
    "Bill Clinton",
    "William Clinton",
    "Tchernov",
    "A. Chernov",
    "X",
    "",
]


def people(names, entity_type="person", **more):
    return Profiles.of(Profile(str(i), f"d{i}", name, entity_type, **more) for i, name in enumerate(names))


@pytest.mark.parametrize(
    ("a", "b", "entity_type"),
    [
        ("President Bush", "George W. Bush", "person"),
        ("Aleksandr Tchernov", "A. Chernov", "person"),
        ("Чернов", "Chernov", "person"),
        ("Mohammed al-Rashid", "Muhammad Al Rasheed", "person"),
        ("NCA", "National Cycling Association", "organisation"),
        ("General Motors Corp.", "General Motors", "organisation"),
        ("U.S.", "United States", "place"),
        ("Boston", "BOSTON", "place"),
    ],
)
def test_names_that_can_be_one_share_a_block(a, b, entity_type):
    assert len(blocks(people([a, b], entity_type))) == 1


@settings(deadline=None, max_examples=50)
@given(st.lists(st.sampled_from(NAMES), max_size=15))
def test_blocks_are_a_partition_and_candidates_lie_within_them(names):
    profiles = people(names)
    found = blocks(profiles)
    assert sorted(row for block in found for row in block) == list(range(len(names)))
    block_of = {row: number for number, block in enumerate(found) for row in block}
    pairs = [tuple(pair) for portion in candidates(profiles) for pair in portion]
    assert len(pairs) == len(set(pairs))
    assert all(a < b and block_of[a] == block_of[b] for a, b in pairs)


def test_nicknames_and_missing_first_names_are_candidates_and_other_initials_are_not():
    profiles = people(["Bill Clinton", "William Clinton", "Hillary Clinton", "Mr. Clinton"])
    pairs = {tuple(pair) for portion in candidates(profiles) for pair in portion}
    assert pairs == {(0, 1), (0, 3), (1, 3), (2, 3)}


def test_what_must_be_one_meets():
    profiles = people(["Ann Lee", "Ann Miller"])
    assert len(blocks(profiles)) == 2
    assert len(blocks(profiles, np.array([0, 0]))) == 1


def test_a_name_without_letters_is_alone():
    assert keys("", "person") == [""]
    assert len(blocks(people(["", "", "?!"]))) == 3
    assert keys("", "organisation") == []


def test_report_counts_what_is_lost():
    gold = {"0": "bush", "1": "bush", "2": "jeb", "3": "bush"}
    report = blocking_report(people(["George W. Bush", "President Bush", "Jeb Bush", "Dubya"]), gold)
    assert report.completeness == pytest.approx(1 / 3)
    assert report.largest[0][0] == 3
    assert 0 < report.reduction < 1


def test_neighbours_are_the_most_similar_contexts():
    texts = ["cars engines Detroit", "engines cars Toledo", "squid boats lamps", "boats squid Falmouth"]
    profiles = Profiles.of(Profile(str(i), str(i), f"name{i}", context=text) for i, text in enumerate(texts))
    vectors = ContextVectoriser().fit([texts]).transform(profiles)
    assert {tuple(pair) for pair in context_neighbours(vectors, 1)} == {(0, 1), (2, 3)}
    dense = vectors.cosine()
    for a, b in context_neighbours(vectors, 2):
        assert any(dense[row, other] >= sorted(np.delete(dense[row], row))[-2] for row, other in ((a, b), (b, a)))


def test_all_pairs_of_an_organisations_block():
    profiles = people(["NCA", "National Cycling Association", "National Coal Authority"], "organisation")
    pairs = {tuple(pair) for portion in candidates(profiles) for pair in portion}
    assert pairs == set(combinations(range(3), 2))
