"""The model fitted to a collection, against collections drawn from the mixture that it assumes."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import expit

from crossdoc.compare import fit as fitting
from crossdoc.compare.background import Background
from crossdoc.compare.collection import pair_evidence
from crossdoc.compare.curve import Curve
from crossdoc.compare.fit import NamePairs, bin_field, describe_fit, maximise, pairs_of_names
from crossdoc.compare.learned import Fitted, LearnedModel, Shrinkage
from crossdoc.compare.memory_collection import compare
from crossdoc.compare.name_prior import NameCounts, Priors
from crossdoc.model import Profile, Profiles

CURVE = Curve(mean=0.2, sd=0.1, intercept=-1.2, slope=0.75, low=-4, high=6)
WEAK = Shrinkage(curve_pairs=100, name_sd=0.5)
"""Lets the collection decide."""
SHIPPED = Shrinkage()
FIRST = ["Ann", "Bo", "Cy", "Di", "Ed", "Flo"]


def drawn(seed: int, shares: list[float], n: int = 120, near: float = 0.5) -> tuple[NamePairs, np.ndarray, Background]:
    """Pairs of names of which a share is of one entity: √cosines around `near` there, around .2 elsewhere."""
    random = np.random.default_rng(seed)
    elsewhere = np.clip(random.normal(0.2, 0.1, 5_000), 0, 1)
    background = Background.of(elsewhere.reshape(50, 100) ** 2, np.ones((50, 100), dtype=bool))
    one = np.concatenate([random.random(n) < share for share in shares])
    roots = np.where(one, random.normal(near, 0.1, len(one)), random.normal(0.2, 0.1, len(one)))
    name = np.repeat(np.arange(len(shares)), n)
    pairs = np.column_stack([np.arange(len(one)), np.arange(len(one)) + 1]).astype(np.int32)
    own = NamePairs(
        np.arange(len(one) + 1), pairs, name, [f"n{at}" for at in range(len(shares))],
        np.full(len(shares), float(n)), np.zeros(len(shares)), np.zeros(len(shares)), np.ones(len(shares), dtype=bool),
    )  # fmt: skip
    return own, (np.clip(roots, 0, 1) ** 2).astype(np.float32), background


@pytest.mark.parametrize("near", [0.4, 0.6])
def test_the_share_of_one_entity_and_its_likeness_are_recovered(near):
    own, cosine, background = drawn(0, [0.1, 0.5, 0.9], near=near)
    field = bin_field(cosine, background, CURVE)
    fitted = maximise(own, [field], np.zeros(len(cosine)), WEAK)
    names, odds = fitted.names, fitted.odds
    assert names[0] < -0.8 < names[1] < 1 < 1.5 < names[2]
    # The true ratio of two normal distributions of one sd crosses 1 halfway between their means.
    even = np.interp(field.excess, odds[0], field.roots)
    assert even == pytest.approx((0.2 + near) / 2, abs=0.06)


def test_more_alike_pairs_of_one_entity_move_the_curve():
    """At a √cosine of .35 a collection whose entities have .35 speaks for one entity, another one against it."""
    found = {}
    for near in (0.35, 0.7):
        own, cosine, background = drawn(1, [0.5] * 6, near=near)
        field = bin_field(cosine, background, CURVE)
        odds = maximise(own, [field], np.zeros(len(cosine)), WEAK).odds[0]
        found[near] = np.interp(0.35, field.roots, odds - field.excess)
    assert found[0.35] > 0.3 > -0.3 > found[0.7]


@given(st.integers(0, 50), st.integers(0, 50), st.floats(-3, 3))
def test_the_share_of_a_name_maximises_its_likelihood(one, more, prior):
    of = one + more

    def cost(theta):
        return -(one * theta - of * np.logaddexp(0, theta) - (theta - prior) ** 2 / (2 * SHIPPED.name_sd**2))

    best = minimize_scalar(cost, bounds=(-20, 20), method="bounded", options={"xatol": 1e-8}).x
    found = fitting._most_likely(np.array([float(one)]), np.array([float(of)]), np.array([prior]), SHIPPED.name_sd)
    assert found[0] == pytest.approx(best, abs=1e-3)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(-3, 5), st.floats(0.01, 1)), min_size=1, max_size=5))
def test_the_shift_of_all_names_maximises_its_likelihood(names):
    share, without, weight = (np.array(each, dtype=float) for each in zip(*names, strict=True))

    def cost(shift):
        theta = without + weight * shift
        return -(weight * (share * theta - np.logaddexp(0, theta))).sum() + shift**2 / (
            2 * (SHIPPED.shift_sd if shift < 0 else SHIPPED.raise_sd) ** 2
        )

    best = minimize_scalar(cost, bounds=(-60, 60), method="bounded", options={"xatol": 1e-8}).x
    found = fitting._likely_shift(share, without, weight, SHIPPED)
    assert found == pytest.approx(best, abs=1e-3)


def test_a_famous_name_counts_once_in_the_shift():
    """One name of a hundred documents with unlike contexts against nine names whose two documents are alike."""
    own, cosine, background = drawn(7, [0.02], n=100)
    few, alike, _ = drawn(8, [1.0] * 9, n=1)
    joined = replace(
        own,
        name=np.concatenate([own.name, few.name + 1]),
        keys=[*own.keys, *(f"other {key}" for key in few.keys)],
        independent=np.append(own.independent, few.independent),
        common=np.append(own.common, few.common) + 3.0,
        chosen=np.append(own.chosen, few.chosen),
        fitted=np.append(own.fitted, few.fitted),
    )
    cosine = np.concatenate([cosine, alike])
    field = bin_field(cosine, background, CURVE)
    assert maximise(joined, [field], np.zeros(len(cosine)), SHIPPED).shift > -1


def test_chosen_names_are_not_shifted():
    own, cosine, background = drawn(5, [0.1] * 20, n=1)
    own = replace(own, common=np.full(20, 3.0), chosen=np.ones(20))
    field = bin_field(cosine, background, CURVE)
    assert maximise(own, [field], np.zeros(20), SHIPPED).shift == 0


@pytest.mark.parametrize(
    ("share", "common", "least", "most"), [(0.1, 3.0, -5.0, -1.0), (0.5, 3.0, -4.0, 0.0), (1.0, -2.0, 1.0, 4.0)]
)
def test_a_collection_shifts_the_prior_of_every_name(share, common, least, most):
    """Twenty names of two documents each: no name says much by itself, all of them together do."""
    own, cosine, background = drawn(5, [share] * 20, n=1)
    own = replace(own, common=np.full(20, common))
    field = bin_field(cosine, background, CURVE)
    fitted = maximise(own, [field], np.zeros(20), SHIPPED)
    names, shift = fitted.names, fitted.shift
    assert least <= shift <= most
    assert names == pytest.approx(np.full(20, common + shift), abs=0.2)


@given(st.integers(0, 100), st.lists(st.floats(0, 1), min_size=1, max_size=4))
def test_log_odds_rise_with_likeness(seed, shares):
    own, cosine, background = drawn(seed, shares, n=30)
    field = bin_field(cosine, background, CURVE)
    odds = maximise(own, [field], np.zeros(len(cosine)), SHIPPED).odds[0]
    assert np.all(np.diff(odds) >= -1e-9)
    assert np.all(np.diff(field.roots) > 0)
    assert field.p0.sum() == pytest.approx(1)


def test_a_background_without_any_likeness_leaves_likeness_its_weight():
    """Papers of clashing first names share no word at all; those of one writer do."""
    writers = [("Jun Wang", "laser optics"), ("Wei Wang", "opera stage"), ("Hong Wang", "soil farm")]
    rows = [
        Profile(f"p{number}", f"d{number}", name, "person", f"{words} {words.split()[number % 2]}{number % 4}x")
        for number, (name, words) in enumerate(writers * 20)
    ]
    found = compare(Profiles.of(rows))
    curve = found.model.curves("person")["context"]
    assert found.model.fields["context"].mean == 0
    assert curve.odds[0] < 0 < curve.odds[-1]
    assert found["person"].explain(0, 3).strength > 0.9


def test_few_pairs_keep_the_shipped_curve():
    own, cosine, background = drawn(2, [0.5], n=1)
    field = bin_field(cosine, background, CURVE)
    fitted = maximise(own, [field], np.zeros(1), SHIPPED)
    names, odds = fitted.names, fitted.odds
    assert odds[0] == pytest.approx(field.shipped, abs=0.6)
    assert abs(names[0] - fitted.shift) < 0.2


def test_what_is_known_otherwise_counts():
    own, cosine, background = drawn(3, [0.5])
    field = bin_field(cosine, background, CURVE)
    fixed = (np.full(len(cosine), odds) for odds in (-5.0, 0.0))
    against, both = (maximise(own, [field], odds, SHIPPED).names[0] for odds in fixed)
    assert against < both


def test_a_profile_without_a_value_says_nothing():
    _, cosine, background = drawn(4, [0.5])
    cosine[:50] = np.nan
    field = bin_field(cosine, background, CURVE)
    assert set(field.bin[:50].tolist()) == {-1}
    assert not field.ratios(field.shipped)[:50].any()


def people(n: int, seed: int = 0, words: int = 40) -> Profiles:
    """Documents of two people called Ann Poe, with vocabularies of their own, and of other people."""
    random = np.random.default_rng(seed)
    rows = []
    for at in range(n):
        who = at % 8
        name = "Ann Poe" if who < 2 else f"{FIRST[who - 2]} {chr(97 + who) * 2}son"
        own = random.choice([f"w{chr(97 + who)}{chr(97 + k)}" for k in range(12)], 8)
        usual = random.choice([f"u{chr(97 + k // 8)}{chr(97 + k % 8)}" for k in range(words)], 8)
        rows.append(Profile(f"p{at:03}", f"d{at}", name, "person", " ".join([*own, *usual])))
    return Profiles.of(rows)


def test_a_collection_is_fitted_by_type():
    profiles = people(200)
    found = compare(profiles).model
    fitted = found.fitted["person"]
    others = {f"{FIRST[who - 2].lower()} {chr(97 + who) * 2}son" for who in range(2, 8)}
    assert set(fitted.names) == {"ann poe", *others}
    assert fitted.names["ann poe"] < min(odds for name, odds in fitted.names.items() if name in others)
    assert fitted.pairs == 200 - 7
    curve = found.curves("person")["context"]
    assert curve.roots
    assert curve.odds == tuple(sorted(curve.odds))
    assert found.curves("place") == found.fields


def test_the_fitted_ambiguity_of_a_name_is_part_of_its_prior():
    profiles = people(200)
    found = compare(profiles)
    plain = found.model.model_copy(
        update={"fitted": {"person": found.model.fitted["person"].model_copy(update={"names": {}, "shift": 0.0})}}
    )
    ann = [row for row, name in enumerate(profiles.column("name").to_pylist()) if name == "Ann Poe"][:2]
    with_names = found["person"].explain(*ann)
    found.model = plain
    without = found["person"].explain(*ann)
    shift = compare(profiles).model.fitted["person"].names["ann poe"]
    weight = [next(o.weight for o in each.opinions if o.specialist == "names") for each in (with_names, without)]
    assert weight[0] - weight[1] == pytest.approx(shift, abs=1e-3)


def test_pairs_are_of_different_documents_and_one_name():
    rows = [
        Profile("a", "d1", "Ann Poe", "person", "x"),
        Profile("b", "d1", "Ann Poe", "person", "x"),
        Profile("c", "d2", "A. Poe", "person", "x"),
        Profile("d", "d3", "Poe", "person", "x"),
        Profile("e", "d4", "Bo Poe", "person", "x"),
        Profile("f", "", "Bo Poe", "person", "x"),
        Profile("g", "", "Bo Poe", "person", "x"),
    ]
    own = pairs_of_names(compare(Profiles.of(rows)), "person")
    ids = np.array([row.id for row in rows])[own.rows]
    found = {tuple(sorted(ids[pair])) for pair in own.pairs}
    assert found == {("a", "c"), ("e", "f"), ("e", "g"), ("f", "g")}
    assert dict(zip(own.keys, own.independent.tolist(), strict=True)) == {"bo poe": 2, "ann poe": 1}
    assert np.bincount(own.name, own.weight).tolist() == pytest.approx(own.independent.tolist())


def test_many_profiles_of_a_name_are_sampled_and_the_time_is_bounded(monkeypatch):
    monkeypatch.setattr(fitting, "MOST_PROFILES", 5)
    monkeypatch.setattr(fitting, "MOST_PAIRS", 25)
    collection = compare(people(80), background=False)
    own = pairs_of_names(collection, "person", seed=3)
    assert own.independent.tolist() == [4, 4, 4]
    assert own.keys[0] == "ann poe"
    assert pairs_of_names(collection, "person", seed=3).rows.tolist() == own.rows.tolist()
    assert pairs_of_names(collection, "person", seed=4).rows.tolist() != own.rows.tolist()


def test_one_name_or_none_keeps_the_shipped_model():
    one = Profiles.of(Profile(f"p{i}", f"d{i}", "Ann Poe", "person", f"w{chr(97 + i)}x") for i in range(20))
    assert compare(one).model.fitted == {}
    assert compare(Profiles.of([])).model.fitted == {}


def named(*rows):
    """Profiles from pairs of name and document; texts differ."""
    texts = ("red car engine", "senate vote law", "golf club green", "opera singer stage")
    made = (Profile(f"p{i}", doc, name, "person", texts[i % 4]) for i, (name, doc) in enumerate(rows))
    return Profiles.of(made)


def test_chosen_names_lose_what_their_rarity_says_and_names_in_articles_do_not():
    pages = [(f"{first} Quuxson", f"{first}{n}") for first in FIRST for n in range(3)]
    articles = [(f"{chr(97 + n)}mor {chr(97 + n)}berg", f"article{n // 5}") for n in range(25)]
    articles += [("Zed Lindqvist", f"article{n}") for n in range(3)]
    found = compare(named(*pages, *articles), background=False)
    own = pairs_of_names(found, "person")
    chosen = dict(zip(own.keys, own.chosen.tolist(), strict=True))
    common = dict(zip(own.keys, own.common.tolist(), strict=True))
    prior = dict(zip(own.keys, own.prior.tolist(), strict=True))
    assert chosen["ann quuxson"] > 0.9
    assert chosen["zed lindqvist"] < 0.01
    assert common["ann quuxson"] > 1
    assert prior["ann quuxson"] == pytest.approx((1 - chosen["ann quuxson"]) * common["ann quuxson"])
    assert prior["zed lindqvist"] == pytest.approx(common["zed lindqvist"], abs=0.05)


def test_without_a_background_the_priors_of_names_are_fitted_alone():
    few = named(*[("Ann Poe", f"d{n}") for n in range(4)], ("Bo Orr", "e1"), ("Bo Orr", "e2"))
    fitted = compare(few).model.fitted["person"]
    own = pairs_of_names(compare(few, background=False), "person")
    assert fitted.curves == {}
    assert fitted.names["ann poe"] == pytest.approx(-own.chosen[0] * max(own.common[0], 0), abs=1e-3)


def test_logistic_of_nothing_is_even():
    assert expit(fitting._most_likely(np.zeros(1), np.zeros(1), np.zeros(1), 1.0))[0] == 0.5


def test_the_fit_is_described_in_words():
    found = compare(people(200)).model
    (line,) = describe_fit(found)
    assert line.startswith("person: fitted on 193 pairs of one name; the names were chosen, as in a search, with prob")
    shipped, here = found.fields["context"].cosine_at(0.0), found.curves("person")["context"].cosine_at(0.0)
    assert f"even odds at a cosine of {here:.3f} in context (shipped: {shipped:.3f})" in line
    most = max(found.fitted["person"].names.items(), key=lambda item: abs(item[1]))
    assert f"names moved most: {most[0]} {most[1]:+.1f}" in line
    assert describe_fit(compare(Profiles.of([])).model) == []
    for shift, words in (
        (-1.234, "more ambiguous here than elsewhere: -1.2"),
        (1.234, "less ambiguous here than elsewhere: +1.2"),
    ):
        moved = found.fitted["person"].model_copy(update={"shift": shift})
        (line,) = describe_fit(found.model_copy(update={"fitted": {"person": moved}}))
        assert f"; names are {words} for each; even odds" in line
    (line,) = describe_fit(
        found.model_copy(update={"fitted": {"person": found.fitted["person"].model_copy(update={"shift": 0.0})}})
    )
    assert "ambiguous here" not in line


def test_why_says_what_the_collection_adds_to_a_name():
    found = compare(people(200))
    ann = [row for row, name in enumerate(found.profiles.column("name").to_pylist()) if name == "Ann Poe"][:2]
    shift = found.model.fitted["person"].names["ann poe"]
    opinion = next(o for o in found["person"].explain(*ann).opinions if o.specialist == "names")
    assert opinion.evidence == f"Ann Poe / Ann Poe: equal; {shift:+.1f} by how this name is used here"


@pytest.mark.parametrize(
    ("near", "shares", "expected"), [(0.5, [0.3] * 6, 1), (0.2, [0.3] * 6, 0), (0.5, [0.0] * 6, 0)]
)
def test_contexts_are_informative_if_pairs_of_one_name_stand_out(near, shares, expected):
    own, cosine, background = drawn(4, shares, near=near)
    own = replace(own, common=np.full(len(shares), 3.0))
    fitted = maximise(own, [bin_field(cosine, background, CURVE)], np.zeros(len(cosine)), SHIPPED)
    assert fitted.informative == pytest.approx(expected, abs=0.01)


def test_contexts_that_cannot_differ_are_not_informative():
    background = Background.of(np.ones((1, 500)), np.ones((1, 500), dtype=bool))
    own, cosine, _ = drawn(5, [0.5])
    field = bin_field(np.ones_like(cosine), background, CURVE)
    assert field.information == pytest.approx(0, abs=1e-9)
    assert maximise(own, [field], np.zeros(len(cosine)), SHIPPED).informative == pytest.approx(0, abs=1e-6)


def test_few_pairs_leave_what_other_collections_showed():
    """One pair that looks like the background hardly changes the odds of 21 for each nat of the curve."""
    own, _, background = drawn(6, [0.0], n=1)
    field = bin_field(np.array([0.04], dtype=np.float32), background, CURVE)
    odds = fitting.INFORMATIVE * field.information
    found = maximise(own, [field], np.zeros(1), SHIPPED).informative
    assert odds / (1 + odds) - 0.1 < found < odds / (1 + odds)


def test_names_that_are_not_fitted_show_only_whether_contexts_are_informative():
    own, cosine, background = drawn(9, [0.1, 0.1])
    other = replace(own, fitted=np.array([True, False]))
    found = maximise(other, [bin_field(cosine, background, CURVE)], np.zeros(len(cosine)), WEAK)
    assert found.names[1] == 0
    assert found.names[0] < -0.05
    one, own_cosine = drawn(9, [0.1])[0], cosine[:120]
    alone = maximise(one, [bin_field(own_cosine, background, CURVE)], np.zeros(120), WEAK)
    assert found.names[0] == pytest.approx(alone.names[0], abs=1e-6)
    assert found.informative > alone.informative


def test_bare_surnames_have_pairs_and_no_ambiguity_of_their_own():
    rows = [Profile(f"p{n}", f"d{n}", name, "person", "x") for n, name in enumerate(["Poe"] * 3 + ["Ann Orr"] * 2)]
    own = pairs_of_names(compare(Profiles.of(rows)), "person")
    assert own.independent.tolist() == [1, 2]
    assert own.fitted.tolist() == [True, False]


def articles_and_records(seed: int = 0) -> Profiles:
    """Two collections in one: articles of long texts about much the same, records of two words that few share."""
    random = np.random.default_rng(seed)
    rows = []
    for n in range(60):
        text = " ".join(random.choice([f"common{c}" for c in "abcdefgh"], 30))
        rows += [
            Profile(f"a{n}{side}", f"article{n}", f"{FIRST[n % 6]} {side}{'bcdfghklmn'[n // 6]}ston", "person", text)
            for side in "XY"
        ]
    for n in range(120):
        words = random.choice([f"rare{a}{b}" for a in "abcdefghij" for b in "klmnopqrst"], 2)
        rows.append(
            Profile(f"r{n}", f"r{n}", f"{FIRST[n % 6]} {'bcdfghklmn'[n // 12]}uxley", "person", " ".join(words))
        )
    return Profiles.of(rows)


def test_articles_and_records_in_one_collection_have_curves_of_their_own():
    """A record that shares a word stands out among records, though two articles share most of theirs."""
    mixed = compare(articles_and_records()).model.fields["context"]
    assert len(mixed.kinds) == 3
    articles, between, records = (curve.mean for curve in mixed.kinds)
    assert articles > 0.5 > 0.1 > max(records, between)
    faint = np.array([0.3], dtype=np.float32)
    assert mixed(faint, np.array([2]))[0] > 1 > -1 > mixed(faint, np.array([0]))[0]
    own = articles_and_records()
    records_alone = compare(own.take(np.flatnonzero([id.startswith("r") for id in own.ids])))
    assert records_alone.model.fields["context"].kinds == ()
    assert records_alone.model.fields["context"].mean == pytest.approx(records, abs=0.02)


def test_the_parts_of_mixed_evidence_are_compared_as_all_of_it():
    collection = compare(articles_and_records())
    dense = collection["person"].relations().dense()
    pairs = np.array([[0, 1], [0, 130], [130, 131], [2, 200]], dtype=np.int32)
    some = collection["person"].part(np.array([0, 130, 131])).relations().dense()
    assert some[1, 2] == pytest.approx(dense[130, 131], abs=1e-6)
    assert some[0, 1] == pytest.approx(dense[0, 130], abs=1e-6)
    for (a, b), strength in zip(pairs, collection["person"].strengths(pairs), strict=True):
        explained = pair_evidence(collection, a, b).relations().dense()[0, 1]
        assert explained == pytest.approx(dense[a, b], abs=1e-6)
        assert strength == pytest.approx(dense[a, b], abs=1e-6) or dense[a, b] == 0


def test_a_name_of_many_bearers_does_not_show_that_contexts_say_nothing():
    """All pairs of such a name look like pairs of different names in any case."""
    own, cosine, background = drawn(10, [0.0] * 4)
    field = bin_field(cosine, background, CURVE)
    found = [maximise(replace(own, common=np.full(4, c)), [field], np.zeros(len(cosine)), SHIPPED) for c in (-3.0, 3.0)]
    assert found[0].informative > 0.8 > 0.2 > found[1].informative


@pytest.mark.parametrize(
    ("shift", "others", "added"), [(1.5, 0.0, 1.5), (-1.5, 0.0, 0.0), (1.5, 1.0, None), (1.0, 0.5, None)]
)
def test_bare_surnames_are_raised_with_all_names_and_never_lowered(shift, others, added):
    names = ["Jones", "Jones", "Ann Lee", "Howard Jones"]
    counts = NameCounts(names)
    sizes = LearnedModel.default().names
    fitted = Fitted(names={"ann lee": -2.0}, shift=shift, others=others, curves={}, pairs=1, chosen=0.0)
    pairs = np.array([[0, 1], [0, 3], [2, 2], [3, 3]], dtype=np.int32)
    before = Priors(names, "person", counts, sizes).of(pairs)
    after = Priors(names, "person", counts, sizes, fitted=fitted.name_shifts).of(pairs)
    raised = max(shift, 0.0) * (1 - others) if added is None else added
    weaker = others * np.maximum(before, 0)
    expected = before - weaker + np.array([raised, 0.0, 0.0, raised])
    expected[2] = before[2] - 2.0
    np.testing.assert_allclose(after, expected, atol=1e-6)
