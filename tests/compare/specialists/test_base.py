"""What specialists declare that they read is what they read, however the types are spelt."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from crossdoc.compare.ensemble import SEG, Ensemble
from crossdoc.compare.specialists import default_specialists, specialist
from crossdoc.compare.specialists.base import attribute_rows, related, relation_rows
from crossdoc.model import Profile, Profiles, Relation
from crossdoc.names.evidence_types import ATTRIBUTES, RELATIONS

TOLD = {
    "descriptor": ["republican mayor in Ohio", "town in Texas"], "title": ["Sen.", "Gov."], "gender": ["m", "f"],
    "gender_confidence": ["0.5", "0.99"], "born": ["1931", "1950"], "died": ["1996", "1991"], "age": ["64", "40"],
    "nationality": ["French", "Canadian"], "party": ["Democrat", "GOP"], "state": ["N.Y.", "Texas"],
    "email": ["ann@example.org", "bo@example.org"], "phone": ["212-555-0100", "212-555-0199"],
    "url": ["example.org/a", "example.org/b"],
}  # fmt: skip
RELATED = {
    "list": ["Bo Li", "Ann Wu"], "family:wife": ["Cy Ode", "Di Ode"], "resident": ["Detroit", "Boston"],
    "employment:chairman": ["General Motors", "Acme"], "ownership:founder": ["IBM", "Acme Rockets"],
    "location": ["Paris", "Lyon"], "citizen": ["France", "Canada"],
}  # fmt: skip
NAMES = [("John Smith", "person"), ("Springfield", "place"), ("Acme", "organisation")]
ROWS = 40
PAIRS = [(i, j) for i in range(ROWS) for j in range(ROWS)]


def everything(bearers: str = "person") -> list[Profile]:
    """Profiles each with about half of all types of evidence, and, last, two that bear the names beside them."""
    random = np.random.default_rng(1)
    profiles = []
    for number in range(ROWS):
        attributes = {type: [values[random.integers(2)]] for type, values in TOLD.items() if random.random() < 0.5}
        ends = {type: names[random.integers(2)] for type, names in RELATED.items() if random.random() < 0.5}
        relations = tuple(Relation(type, name) for type, name in ends.items())
        name, kind = NAMES[number % 3]
        profiles.append(Profile(str(number), "d", name, kind, attributes=attributes, relations=relations))
    return profiles + [Profile(name, "d", name, bearers) for name in RELATED["list"] if bearers]


def only(profiles: list[Profile], attributes: set[str], relations: set[str]) -> Profiles:
    return Profiles.of(
        replace(
            profile,
            attributes={type: values for type, values in profile.attributes.items() if type in attributes},
            relations=tuple(r for r in profile.relations if r.type.split(":")[0] in relations),
        )
        for profile in profiles
    )


def scores(judge, profiles: list[Profile], attributes, relations):
    table = only(profiles, set(attributes), set(relations))
    return judge.score(table, table, PAIRS)


@pytest.mark.parametrize("judge", default_specialists(), ids=lambda judge: judge.name)
def test_reads_what_it_declares_and_nothing_else(judge):
    # Of which type the other end of "list" is, the profiles of its name say.
    bearers = {"list_organisations": "organisation", "list_places": "place", "list_others": ""}
    people = everything(bearers.get(judge.name, "person"))
    whole = scores(judge, people, ATTRIBUTES, RELATIONS)
    declared = (judge.reads_attributes, judge.reads_relations)
    assert np.array_equal(scores(judge, people, *declared), whole, equal_nan=True)
    for number, types in enumerate(declared):
        for type in types:
            fewer = [set(own) for own in declared]
            fewer[number].remove(type)
            assert not np.array_equal(scores(judge, people, *fewer), whole, equal_nan=True), type


def test_all_that_has_a_meaning_is_read():
    judges = default_specialists()
    assert {type for judge in judges for type in judge.reads_attributes} == set(ATTRIBUTES)
    assert {type for judge in judges for type in judge.reads_relations} == set(RELATIONS)


def respelt(profile: Profile) -> Profile:
    def shout(type: str) -> str:
        head, colon, detail = type.partition(":")
        return f" {head.upper().replace('_', '-')} {colon}{detail}"

    return replace(
        profile,
        attributes={shout(type): values for type, values in profile.attributes.items()},
        relations=tuple(replace(r, type=shout(r.type)) for r in profile.relations),
    )


@pytest.mark.parametrize("judge", default_specialists(), ids=lambda judge: judge.name)
def test_spelling_does_not_count(judge):
    people = everything()
    plain, loud = Profiles.of(people), Profiles.of(map(respelt, people))
    assert np.array_equal(judge.score(plain, plain, PAIRS), judge.score(loud, loud, PAIRS), equal_nan=True)
    for a, b in PAIRS[:ROWS]:
        seen = (judge.seen(respelt(people[a])), judge.seen(respelt(people[b])))
        if judge.reads_attributes or judge.reads_relations:
            assert judge.evidence(*seen) == judge.evidence(people[a], people[b])


def test_columns_are_found_by_any_spelling():
    table = Profiles.of([Profile("1", "d", "Ann", attributes={"Gender-Confidence": ["1"], "gender_confidence": ["0"]},
                                 relations=(Relation("Family : Wife", "Bo"), Relation("families", "Cy")))])  # fmt: skip
    assert attribute_rows(table, "gender confidence") == ([0, 0], ["1", "0"])
    assert relation_rows(table, "FAMILY")[1].to_pylist() == ["Bo"]
    assert related(table, "family") == [[("family:Wife", "Bo")]]


@specialist("shoe", attributes={"shoe_size": "of the left foot"}, relations={"shoe shop": "where it buys"})
def same_shoe(a: Profile, b: Profile) -> float | None:
    shops = [{r.name for r in p.relations if r.type.split(":")[0] == "shoe shop"} for p in (a, b)]
    sizes = [p.attributes.get("shoe_size") for p in (a, b)]
    return float(sizes[0] == sizes[1] and shops[0] == shops[1] != set()) if all(sizes) else None


def test_a_plain_function_sees_types_as_it_declares_them():
    table = Profiles.of([
        Profile("1", "d", "Ann", attributes={"Shoe Size": ["40"]}, relations=(Relation("Shoe-Shop", "Ott"),)),
        Profile("2", "d", "Bo", attributes={"shoe_size": ["40"]}, relations=(Relation("shoe shop:x", "Ott"),)),
        Profile("3", "d", "Cy", attributes={"hat size": ["40"]}),
    ])  # fmt: skip
    assert same_shoe.score(table, table, [(0, 1), (0, 2)]).tolist() == pytest.approx([1.0, np.nan], nan_ok=True)
    assert same_shoe.seen(table[2]) == table[2]


def test_reasons_are_given_for_any_spelling():
    judges = [judge for judge in default_specialists() if judge.name in {"party", "life_dates", "list_names"}]
    told = [
        Profile("1", "d", "Ann", attributes={"party": ["GOP"], "age": ["7"]}, relations=(Relation("list", "Bo"),)),
        Profile("2", "d", "Ann", attributes={"party": ["Tory"], "age": ["9"]}, relations=(Relation("list", "Bo"),)),
    ]
    table = Profiles.of(map(respelt, told))
    pairs = np.array([[0, 0], [1, 1], [0, 1], [1, 0]], dtype=np.int32)
    ensemble = Ensemble.train(judges, table, pairs, np.array([1, 1, 0, 0], dtype=np.int8), SEG())
    reasons = {opinion.specialist: opinion.evidence for opinion in ensemble.explain(table, 0, 1).opinions}
    assert reasons == {"party": "GOP / Tory", "life_dates": "age 7 / 9", "list_names": "both with Bo"}
