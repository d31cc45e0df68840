"""Jaccard of what stands beside a profile: against Python's sets, and which type a name is counted under."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossdoc.compare.specialists import CoOccurring
from crossdoc.model import EntityType, Profile, Profiles, Relation

NAMES = st.sets(st.sampled_from([f"Name{letter} Last{letter}" for letter in "ABCDEFGH"]))


def beside(id: str, names: set[str]) -> Profile:
    return Profile(id, "d", id, "person", relations=tuple(Relation("list", name) for name in sorted(names)))


@settings(deadline=None)
@given(NAMES, NAMES)
def test_is_jaccard_of_sets(one: set[str], other: set[str]) -> None:
    table = Profiles.of([beside("1", one), beside("2", other)])
    found = CoOccurring("others", None).score(table, table, [(0, 1), (1, 0)])
    if one and other:
        assert found.tolist() == pytest.approx([len(one & other) / len(one | other)] * 2)
    else:
        assert np.isnan(found).all()


def test_the_type_is_that_of_the_profile_then_that_of_the_name() -> None:
    table = Profiles.of(
        [
            Profile(
                "1",
                "d",
                "Ann",
                "person",
                relations=(
                    Relation("list", "Washington", "p"),
                    Relation("list", "Acme Inc."),
                    Relation("list", "Nowhere"),
                ),
            ),
            Profile("2", "d", "Ann", "person", relations=(Relation("list", "Washington"), Relation("list", "Acme"))),
            Profile("p", "e", "Washington", "place"),
            Profile("q", "e", "Washington", "place"),
            Profile("r", "e", "Washington", "person"),
            Profile("o", "e", "ACME", "organisation"),
            Profile("o2", "e", "Acme Inc.", "organisation"),
        ]
    )
    kinds: list[EntityType | None] = ["person", "organisation", "place", None]
    found = {kind: CoOccurring(str(kind), kind).score(table, table, [(0, 1)])[0] for kind in kinds}
    assert found["organisation"] == 1.0
    assert found["place"] == 1.0
    # Washington is a place for most, and only one of the two stands beside Nowhere.
    assert np.isnan(found["person"])
    assert np.isnan(found[None])


def test_people_meet_without_middle_names_and_titles() -> None:
    table = Profiles.of(
        [
            beside("1", {"Mr. John Q. Smith"}),
            beside("2", {"John Smith"}),
            Profile("3", "d", "John Smith", "person"),
            Profile("4", "d", "Mr. John Q. Smith", "person"),
        ]
    )
    assert CoOccurring("people", "person").score(table, table, [(0, 1)]) == [1.0]


def test_other_relations_are_not_co_occurrence() -> None:
    kin = Profile("1", "d", "Ann", "person", relations=(Relation("family:wife", "Bo"),))
    table = Profiles.of([kin, kin])
    assert np.isnan(CoOccurring("others", None).score(table, table, [(0, 1)])).all()
