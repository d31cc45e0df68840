import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossdoc.compare import blocking
from crossdoc.compare.blocking import blocks, candidates, components, keys
from crossdoc.compare.specialists import PersonNames
from crossdoc.errors import InputError
from crossdoc.model import Judgement, Profile, Profiles
from crossdoc.model.evidence_protocol import Constraints
from crossdoc.names import Grade, parse_person, relate_surnames
from crossdoc.names.others import relate_others

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


def pairs_of(profiles, **more):
    """The candidates, each once and in order."""
    found = [tuple(pair) for portion in candidates(profiles, **more) for pair in portion.tolist()]
    assert len(found) == len(set(found))
    assert all(a < b for a, b in found)
    return set(found)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.sampled_from(NAMES), max_size=15))
def test_blocks_are_a_partition(names):
    found = blocks(people(names))
    assert sorted(row for block in found for row in block) == list(range(len(names)))
    assert all(list(block) == sorted(block) for block in found)


PARTS = [
    st.sampled_from(["", "Dr.", "Mrs."]),
    st.sampled_from(["", "John", "Jon", "J.", "Jane", "Bill", "William", "Seong-Nam", "Seongnam", "Kim", "Иван"]),
    st.sampled_from(["", "", "W.", "García", "Nam"]),
    st.sampled_from(["Smith", "Smyth", "García", "García-Márquez", "Kim", "Li", "Liu", "van Dyke", "John", "Seongnam"]),
    st.sampled_from(["", "", "Jr."]),
]
ANY_NAME = (
    st.builds(lambda *parts: " ".join(filter(None, parts)), *PARTS) | st.sampled_from(NAMES) | st.text(max_size=9)
)


@settings(deadline=None, max_examples=150)
@given(st.lists(ANY_NAME, max_size=12), st.integers(1, 9))
def test_people_who_may_be_one_are_candidates_however_small_the_portions(names, at_once):
    """Against the specialist asked about all pairs; only a bare first name does not meet the full one."""
    profiles = people(names)
    pairs = np.array(list(combinations(range(len(names)), 2)), dtype=np.int32).reshape(-1, 2)
    scores = PersonNames().score(profiles, profiles, pairs)
    expected = {
        (a, b)
        for (a, b), score in zip(pairs.tolist(), scores, strict=True)
        if score > 0 and not _first_alone(names[a], names[b])
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocking, "PAIRS_AT_ONCE", at_once)
        assert pairs_of(profiles) == expected


def _first_alone(*names):
    a, b = map(parse_person, names)
    return bool(a.first) != bool(b.first) and not relate_surnames(a, b)


@settings(deadline=None, max_examples=150)
@given(
    st.lists(
        st.lists(
            st.sampled_from(
                "National Cycling Association Motors N.C.A. NCA of The New York new-york Inc. NY A-B".split()
            ),
            max_size=4,
        ).map(" ".join),
        max_size=12,
    )
)
def test_organisations_whose_names_agree_are_candidates(names):
    expected = {
        (a, b) for a, b in combinations(range(len(names)), 2) if relate_others(names[a], names[b]) > Grade.CLASH
    }
    assert pairs_of(people(names, "organisation")) == expected


def test_types_do_not_meet():
    profiles = Profiles.of(
        Profile(str(i), "d", "Washington", entity_type)
        for i, entity_type in enumerate(["person", "place", "person", None, None])
    )
    assert pairs_of(profiles) == {(0, 2), (3, 4)}


def test_what_hard_judgements_decide_is_not_compared():
    profiles = people(["Ann Lee"] * 5)
    position = {str(i): i for i in range(5)}
    said = [Judgement("0", "1", "same"), Judgement("2", "1", "different"), Judgement("3", "4", "different", hard=False)]
    left = pairs_of(profiles, constraints=Constraints.compile(said, position, 5))
    assert left == set(combinations(range(5), 2)) - {(0, 1), (1, 2), (0, 2)}
    assert pairs_of(profiles, constraints=Constraints.none(5)) == set(combinations(range(5), 2))
    with pytest.raises(InputError, match="4"):
        pairs_of(profiles, constraints=Constraints.none(4))


def test_further_pairs_come_once_too_and_only_of_one_type():
    kinds = ["person", "person", "person", "place", "person"]
    names = ["Ann Lee", "A. Lee", "Dr. No", "Lee", "Bo Chen"]
    profiles = Profiles.of(
        Profile(str(i), "d", name, kind) for i, (name, kind) in enumerate(zip(names, kinds, strict=True))
    )
    more = np.array([[1, 0], [2, 0], [0, 2], [0, 3], [4, 4], [1, 4]], dtype=np.int32)
    assert pairs_of(profiles, more=more) == {(0, 1), (0, 2), (1, 4)}
    apart = Constraints.compile([Judgement("0", "2", "different")], {"0": 0, "2": 2}, 5)
    assert pairs_of(profiles, constraints=apart, more=more) == {(0, 1), (1, 4)}
    assert pairs_of(Profiles.of([]), more=more[:0]) == set()


def test_nicknames_and_missing_first_names_are_candidates_and_other_initials_are_not():
    profiles = people(["Bill Clinton", "William Clinton", "Hillary Clinton", "Mr. Clinton"])
    assert pairs_of(profiles) == {(0, 1), (0, 3), (1, 3), (2, 3)}


def test_what_must_be_one_meets():
    profiles = people(["Ann Lee", "Ann Miller"])
    assert len(blocks(profiles)) == 2
    assert len(blocks(profiles, np.array([0, 0]))) == 1


def test_a_name_without_letters_is_alone():
    assert keys("", "person") == [""]
    assert len(blocks(people(["", "", "?!"]))) == 3
    assert keys("", "organisation") == []


def test_the_example_of_the_guide(capsys):
    page = (Path(__file__).parents[2] / "docs" / "comparing.md").read_text()
    code = page.split("```python\n")[1].split("```")[0]
    exec(code, {})
    assert capsys.readouterr().out.splitlines() == re.findall(r"# (\[.*)", code)


def test_organisations_of_one_acronym_that_clash_do_not_meet():
    assert pairs_of(people(["NCA", "National Cycling Association", "National Coal Authority"], "organisation")) == {
        (0, 1),
        (0, 2),
    }


def components_of(names, said=(), more=None):
    profiles = people(names)
    limits = Constraints.between(profiles.ids, [Judgement(*each) for each in said]) if said else None
    return sorted(rows.tolist() for rows in components(profiles, limits, more))


def test_components_are_what_candidates_connect():
    names = ["Ann Lee", "Ann Miller", "A. Lee", "Zoe Orr", "", "Ann Lee"]
    assert components_of(names) == [[0, 2, 5], [1], [3], [4]]
    assert components_of([]) == []
    assert components_of(["", ""]) == [[0], [1]]
    assert components_of(names, more=np.array([[3, 1]], dtype=np.int32)) == [[0, 2, 5], [1, 3], [4]]


@pytest.mark.parametrize("hard", [True, False])
def test_judgements_that_two_are_the_same_connect(hard):
    names = ["Ann Lee", "Ann Miller", "Zoe Orr", "Bo Dee"]
    assert components_of(names, [("0", "1", "same", hard), ("2", "3", "different", hard)]) == [[0, 1], [2], [3]]
    assert components_of(names, [("0", "1", "same", hard), ("1", "2", "same", hard)]) == [[0, 1, 2], [3]]
    assert components_of(names, [("0", "1", "same", False, 0.0)]) == [[0], [1], [2], [3]]


@settings(deadline=None, max_examples=60)
@given(st.lists(ANY_NAME, max_size=10))
def test_components_are_those_of_the_graph_of_candidates(names):
    component = list(range(len(names)))
    for a, b in pairs_of(people(names)):
        component = [component[a] if c == component[b] else c for c in component]
    wanted = sorted([i for i, c in enumerate(component) if c == label] for label in set(component))
    assert components_of(names) == wanted


def test_keys_of_organisations():
    assert keys("Ford", "organisation") == ["=ford"]
    assert keys("NCA", "place")[0] == "=nca"
