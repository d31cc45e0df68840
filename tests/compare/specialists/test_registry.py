"""The list of specialists, users' own, and what holds for every one of them whatever the profiles say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numba.core.dispatcher import Dispatcher

from crossdoc.compare import specialists
from crossdoc.compare.specialists import PairwiseSpecialist, Specialist, all_specialists, default_specialists, kernels
from crossdoc.compare.specialists.base import attribute_rows, related, relation_rows, values_of
from crossdoc.errors import InputError
from crossdoc.model import ENTITY_TYPES, Profile, Profiles, Relation
from crossdoc.names.evidence_types import plain_type, relation_type

KEYS = ["born", "died", "age", "gender", "gender_confidence", "email", "phone", "url", "party", "state", "title"]
TEXT = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        ["John Smith", "J. Smith", "NCA", "National Cycling Association", "1931-05-03", "40", "Иван", "李"]
    ),
)
RELATIONS = st.builds(
    Relation,
    st.sampled_from(["list", "family:wife", "employment:chairman", "resident", "", "list:x"]),
    TEXT,
    st.one_of(st.none(), st.sampled_from(["0", "1", "elsewhere"])),
)
PROFILES = st.builds(
    Profile,
    id=st.just("?"),
    document=st.sampled_from(["d", "e", "f"]),
    name=TEXT,
    type=st.sampled_from([*ENTITY_TYPES, None]),
    context=TEXT,
    language=st.sampled_from([None, "en", "fr", "xx"]),
    attributes=st.dictionaries(st.sampled_from([*KEYS, "descriptor"]), st.lists(TEXT, max_size=3), max_size=4),
    relations=st.lists(RELATIONS, max_size=5).map(tuple),
)
PAIRS = [(0, 1), (1, 0), (0, 0), (1, 1), (0, 2), (2, 0)]


def every() -> list[Specialist[Any]]:
    return default_specialists()


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(PROFILES, min_size=3, max_size=4))
def test_symmetric_within_bounds_and_highest_for_oneself(rows: list[Profile]) -> None:
    table = Profiles.of(rows)
    for specialist in every():
        ab, ba, aa, bb, ac, ca = specialist.score(table, table, PAIRS)
        assert np.array_equal([ab, ac], [ba, ca], equal_nan=True), specialist.name
        if not np.isnan(ab) and specialist.name != "contradiction":
            assert ab <= min(x for x in (aa, bb, 1.0) if not np.isnan(x)) + 1e-6, specialist.name
        assert isinstance(specialist.evidence(rows[0], rows[1]), str)


@pytest.mark.parametrize("given_specialist", every(), ids=lambda specialist: specialist.name)
def test_nothing_to_compare(given_specialist: Specialist[Any]) -> None:
    empty = Profiles.of([])
    assert given_specialist.score(empty, empty, []).shape == (0,)
    bare = Profiles.of([Profile("1", "d", ""), Profile("2", "x", "")])
    assert np.isnan(given_specialist.score(bare, bare, [(0, 1)])).all()


@pytest.mark.parametrize("given_specialist", every(), ids=lambda specialist: specialist.name)
def test_chunks_and_slices_are_one_table(given_specialist: Specialist[Any]) -> None:
    rows = [
        Profile(
            str(i),
            "de"[i % 2],
            f"John {'ABC'[i % 3]}. Smith",
            "person",
            f"a poet of {'Paris Detroit'.split()[i % 2]}",
            attributes={"born": [str(1930 + i)], "party": ["Democrat"], "email": [f"{i % 2}@example.org"]},
            relations=(Relation("list", "Bo Li"), Relation("employment", f"Acme {i % 2}")),
        )
        for i in range(6)
    ]
    whole = Profiles.of(rows)
    parts = Profiles(pa.concat_tables([whole.arrow.slice(0, 1), whole.arrow.slice(1, 3), whole.arrow.slice(4)]))
    pairs = [(i, j) for i in range(6) for j in range(6)]
    one, other = (given_specialist.score(table, table, pairs) for table in (whole, parts))
    assert np.array_equal(one, other, equal_nan=True)


def test_kernels_are_compiled_for_one_kind_of_array() -> None:
    rows = [Profile(str(i), "d", "Ann Li", "person", "a poet", relations=(Relation("list", "Bo"),)) for i in range(2)]
    for table in (Profiles.of(rows), Profiles.of([])):
        for specialist in every():
            specialist.score(table, table, [(0, 1)] if len(table) else [])
    compiled = {name: kernel for name, kernel in vars(kernels).items() if isinstance(kernel, Dispatcher)}
    assert len(compiled) > 5
    assert {name for name, kernel in compiled.items() if len(kernel.signatures) > 2} == set()


def test_names_are_distinct_and_in_one_order() -> None:
    names = [specialist.name for specialist in every()]
    assert len(set(names)) == len(names)
    assert names == [specialist.name for specialist in every()]


MINE = PairwiseSpecialist("mine", lambda a, b: 1.0)
CLASHING = PairwiseSpecialist("context", lambda a, b: 1.0)


def offer(monkeypatch: pytest.MonkeyPatch, *offered: Any) -> None:
    class Point:
        def __init__(self, thing: Any) -> None:
            self.name = self.value = "a.package"
            self.thing = thing

        def load(self) -> Any:
            return self.thing

    def points(group: str) -> list[Point]:
        assert group == "crossdoc.specialists"
        return [Point(thing) for thing in offered]

    monkeypatch.setattr(specialists, "entry_points", points)


def test_users_own(monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, MINE)
    assert all_specialists()[-1] is MINE
    offer(monkeypatch, lambda: MINE)
    assert all_specialists()[-1] is MINE


@pytest.mark.parametrize("offered", [(CLASHING,), (MINE, MINE), (lambda: "no specialist",)])
def test_users_own_that_cannot_be(monkeypatch: pytest.MonkeyPatch, offered: tuple[Any, ...]) -> None:
    offer(monkeypatch, *offered)
    with pytest.raises(InputError):
        all_specialists()


@settings(deadline=None)
@given(st.lists(PROFILES, max_size=4), st.integers(0, 3))
def test_columns_are_what_the_rows_say(rows: list[Profile], start: int) -> None:
    table = Profiles(Profiles.of(rows).arrow.slice(min(start, len(rows))))
    rows = rows[start:]
    for key in ("born", "descriptor"):
        assert values_of(table, key) == [row.attributes.get(key, []) for row in rows]
        owners, values = attribute_rows(table, key)
        assert list(zip(owners, values, strict=True)) == [
            (i, value) for i, row in enumerate(rows) for value in row.attributes.get(key, [])
        ]
    owners_of, names, ids = relation_rows(table, "list", "family")
    own = [[r for r in row.relations if relation_type(r.type) in {"list", "family"}] for row in rows]
    found = list(zip(owners_of.tolist(), names.to_pylist(), ids.to_pylist(), strict=True))
    assert found == [(i, r.name, r.profile) for i, relations in enumerate(own) for r in relations]
    assert related(table, "list", "family") == [[(plain_type(r.type), r.name) for r in each] for each in own]
