"""Model files: the one that comes along, users' own, and what is none.

What no specialist reads is counted by its own spelling, batch after batch, and named to the user.
"""

from __future__ import annotations

import json

import pyarrow as pa
import pytest

from crossdoc.compare.ensemble import SEG
from crossdoc.compare.fields import FIELDS
from crossdoc.compare.learned import LearnedModel, types_read, unread_evidence, unread_notes, unread_types
from crossdoc.compare.specialists import default_specialists, specialist
from crossdoc.errors import InputError, UsageError
from crossdoc.model import Profile, Profiles, Relation
from crossdoc.names.evidence_types import ATTRIBUTES, RELATIONS, SHOWN_ATTRIBUTES, SHOWN_RELATIONS

CURVE = {"mean": 0.1, "sd": 0.1, "intercept": -1, "slope": 1, "low": -2, "high": 4}
NAMES = {"people": 1e4, "bare": 100, "census": 1e4, "bound": 3, "similar": -3, "others": {"place": 2}, "part": 1}
GOOD = {
    "crossdoc_model": 2,
    "learned_on": {"threshold": "a test"},
    "threshold": {"average-linkage": 0.4},
    "fields": {"context": CURVE},
    "names": NAMES,
}


def curve(**other):
    return {**GOOD, "fields": {"context": CURVE | other}}


def names(**other):
    return {**GOOD, "names": NAMES | other}


def without(*parts):
    return {key: value for key, value in GOOD.items() if key not in parts}


def test_the_model_that_comes_along():
    model = LearnedModel.load(None)
    assert model == LearnedModel.default()
    assert set(model.threshold) == {"mean-max-linkage", "single-linkage", "complete-linkage", "karc"}
    assert all(0 < value < 1 for value in model.threshold.values())
    assert set(model.fields) == set(FIELDS)
    assert set(model.names.others) == {"organisation", "place"}
    assert {"threshold", "fields", "names"} <= set(model.learned_on)


@pytest.mark.parametrize("with_ensemble", [False, True])
def test_saved_and_loaded(tmp_path, world, with_ensemble):
    ensemble = world.train(SEG()).to_file().model_dump() if with_ensemble else None
    model = LearnedModel.model_validate({**GOOD, "ensemble": ensemble})
    path = tmp_path / "model.json"
    model.save(path)
    assert LearnedModel.load(path) == model
    assert LearnedModel.load(str(path)) == model
    assert json.loads(path.read_text())["threshold"] == {"average-linkage": 0.4}
    assert path.read_text().count("\n") > 5
    assert [file.name for file in tmp_path.iterdir()] == ["model.json"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "Expecting value"),
        ('{"crossdoc_model": 2,', "line 1"),
        ("[]", "file: "),
        ("[" * 100_000, "recursion"),
        (b"\xff\xfe\x00", "codec"),
        ({}, "threshold: Field required"),
        ({**GOOD, "crossdoc_model": 3}, "crossdoc_model: Input should be 2"),
        ({**GOOD, "threshold": {"average-linkage": "high"}}, "threshold.average-linkage: "),
        ({**GOOD, "learned_on": {}}, "what the threshold was learned on"),
        ({**GOOD, "surprise": 1}, "surprise: Extra inputs"),
        ({**GOOD, "ensemble": {"learner": "seg"}}, "ensemble.specialists: Field required"),
        (without("fields"), "it must say what contexts and names are worth"),
        (without("names"), "it must say what contexts and names are worth"),
        ({**GOOD, "fields": {"work": CURVE}}, "it must say what contexts and names are worth"),
        ({**GOOD, "fields": {"context": CURVE, "shoes": CURVE}}, "no field 'shoes'; there are context, document"),
        (curve(slope=0), "a slope of 0 says nothing; leave the field out"),
        (curve(slope=-1), "fields.context.slope: "),
        (curve(mean=-0.1), "fields.context.mean: "),
        (curve(sd=0), "fields.context.sd: "),
        (curve(low=1), "fields.context.low: "),
        (curve(high=-1), "fields.context.high: "),
        (curve(shoes=1), "fields.context.shoes: Extra"),
        (names(people=0), "names.people: "),
        (names(bare=0), "names.bare: "),
        (names(census=0), "names.census: "),
        (names(bound=0), "names.bound: "),
        (names(similar=1), "names.similar: "),
        (names(part=-1), "names.part: "),
        (names(shoes=1), "names.shoes: Extra"),
    ],
)
def test_what_is_no_model_is_named_with_its_problem(write, content, message):
    path = write("model.json", json.dumps(content) if isinstance(content, dict) else content)
    with pytest.raises(InputError, match="is not a crossdoc model") as caught:
        LearnedModel.load(path)
    assert message in caught.value.what
    assert str(path) in caught.value.what
    assert "--model" in caught.value.hint


def test_an_ensemble_needs_no_fields_and_no_names(world):
    ensemble = world.train(SEG()).to_file().model_dump()
    assert LearnedModel.of({**without("fields", "names"), "ensemble": ensemble}, "here").fields == {}


def test_a_model_of_an_older_crossdoc_says_what_to_do(write):
    old = {"crossdoc_model": 1, "learned_on": {"threshold": "a test"}, "threshold": {}, "name_evidence": {}}
    path = write("model.json", json.dumps(old))
    with pytest.raises(InputError, match="a model of an older crossdoc") as caught:
        LearnedModel.load(path)
    assert str(path) in caught.value.what
    assert "`crossdoc train`" in caught.value.hint
    assert "leave --model out" in caught.value.hint


def test_no_file(tmp_path):
    for path in (tmp_path / "none.json", tmp_path):
        with pytest.raises(UsageError, match="no file"):
            LearnedModel.load(path)


def test_a_fact_of_an_earlier_version_is_read_under_its_new_name():
    content = LearnedModel.default().model_dump()
    content["facts"]["regnal_name"] = content["facts"].pop("title")
    assert LearnedModel.of(content, "old.crossdoc") == LearnedModel.default()


JUDGES = default_specialists()


@specialist("shoe", attributes={"shoe_size": "of the left foot"}, relations={"shoe-shop": ""})
def shoe(a: Profile, b: Profile) -> float | None:
    return None


def profile(id: str, *attributes: str, relations: tuple[str, ...] = ()) -> Profile:
    links = tuple(Relation(type, "IBM") for type in relations)
    return Profile(id, "d", "Ann", attributes={type: ["x"] for type in attributes}, relations=links)


def test_counts_over_chunks_and_within_slices():
    first = Profiles.of([profile("0", "hat"), profile("1", "hat", relations=("employer:boss", "Employer", "employer"))])
    second = Profiles.of([profile("2", "hat", "Hat", relations=("employment", "employer "))])
    assert unread_evidence(Profiles(pa.concat_tables([first.arrow, second.arrow])), JUDGES) == {
        ("attribute", "hat"): 3,
        ("attribute", "Hat"): 1,
        ("relation", "employer"): 3,
        ("relation", "Employer"): 1,
    }
    assert unread_evidence(first.take([1]), JUDGES)["attribute", "hat"] == 1
    sliced = Profiles(first.arrow.slice(0, 1))
    assert unread_evidence(sliced, JUDGES) == {("attribute", "hat"): 1}


def test_what_is_read_or_kept_for_people_is_no_news():
    known = profile("1", *ATTRIBUTES, *SHOWN_ATTRIBUTES, relations=(*RELATIONS, *SHOWN_RELATIONS, "Family:wife"))
    assert not unread_evidence(Profiles.of([known]), JUDGES)
    assert unread_notes({}, JUDGES) == []


def test_an_attribute_is_no_relation():
    """A type that is read as one kind of evidence is not read as the other."""
    mixed = profile("1", "employment", relations=("party",))
    assert unread_evidence(Profiles.of([mixed]), JUDGES) == {("attribute", "employment"): 1, ("relation", "party"): 1}


def test_a_users_specialist_reads_what_it_declares():
    own = Profiles.of([profile("1", "Shoe Size", relations=("shoe_shop",))])
    assert set(unread_evidence(own, JUDGES)) == {("attribute", "Shoe Size"), ("relation", "shoe_shop")}
    assert not unread_evidence(own, [*JUDGES, shoe])
    assert types_read("attribute", [*JUDGES, shoe])["shoe_size"] == ("of the left foot", ["shoe"])


def test_notes_name_the_commonest_first_and_what_is_known():
    counts = {("relation", "employer"): 2, ("relation", "boss"): 1_500, ("attribute", "hat"): 1}
    attributes, relations = unread_notes(counts, [*JUDGES, shoe])
    assert "the attribute types 'hat' (1)," in attributes
    assert "known types are age, born, descriptor" in attributes
    assert "the relation types 'boss' (1,500), 'employer' (2)," in relations
    assert relations.index("known types are citizen, employment") < relations.index("shoe-shop")
    assert "crossdoc formats" in relations


def test_a_long_list_is_cut():
    (note,) = unread_notes({("attribute", f"type {number:02}"): 1 for number in range(12)}, default_specialists())
    assert "'type 09' (1), … and 2 more" in note
    assert "'type 10'" not in note


def test_more_than_what_is_read():
    def one(**said):
        return Profiles.of([Profile("1", "d", "Ann"), Profile("2", "d", "Bo", **said)])

    assert not unread_types(one(), [], ["list"])
    assert not unread_types(one(relations=(Relation("List:author", "Cy"),)), [], ["list"])
    assert unread_types(one(relations=(Relation("list", "Cy"), Relation("family", "Di"))), [], ["list"])
    assert unread_types(one(attributes={"born": ["1931"]}), [], ["list"])
    assert not unread_types(one(attributes={"Gender-Confidence": ["1"]}), ["gender_confidence"], [])
    assert not unread_types(one(attributes={"first": ["Bo"]}, relations=(Relation("education", "MIT"),)), [], [])
