import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossdoc import errors
from crossdoc.cluster.contexts.stopping import delta_k, gap, hardly_improved, pk1, pk2, pk3, three_digits

PRINTED = [40.0, 54.6, 68.3, 80.0, 80.0]
curves = st.lists(st.floats(0.1, 100), min_size=1, max_size=12)
rising = curves.map(lambda steps: np.cumsum(steps).tolist())


def answers(values, **options):
    return [rule(values, **options).k for rule in (pk1, pk2, pk3)]


def test_the_released_program_s_answers_on_its_own_values():
    assert answers(PRINTED, compat="senseclusters") == [1, 5, 4]
    assert delta_k(PRINTED, compat="senseclusters") == 5
    better = [40.0, 56.6, 68.3, 80.0, 80.0]
    assert answers(better, compat="senseclusters") == [1, 5, 3]


def test_the_published_rules_on_the_same_values():
    assert answers(PRINTED) == [1, 4, 4]


def test_the_program_s_form_without_its_rounding():
    assert answers_in_form(PRINTED) == [5, 4]
    curve = [100.0, 130.0, 131.0, 131.04]
    # The ratios are 1.3, 1.0077, 1.0003; with three digits the last is exactly 1.
    assert pk2(curve, form="program").k == 2
    assert pk2(curve, compat="senseclusters").k == 2
    observed, reference = [10.0, 20.0, 25.0, 33.0], [[10.0, 15.0, 21.0, 25.0]]
    assert gap(observed, reference, form="program").k == 2
    with pytest.raises(errors.UsageError, match="form"):
        pk3(curve, form="newspaper")


def answers_in_form(values):
    return [pk2(values, form="program").k, pk3(values, form="program").k]


def test_pk1_by_hand():
    said = pk1([1.0, 2.0, 3.0, 4.0])
    np.testing.assert_allclose(said.value, (np.arange(4) - 1.5) / np.std([1, 2, 3, 4]))
    # −1.34, −0.45: the second is the first above −0.70, so that k is the one before.
    assert said.k == 1
    assert pk1([1.0, 1.1, 1.2, 5.0, 5.1, 5.2]).k == 3
    assert pk1([1.0, 1.1, 1.2, 5.0, 5.1, 5.2], threshold=0.97).k == 4
    assert pk1([1.0, 1.1, 1.2, 5.0, 5.1, 5.2], threshold=2.0).k == 6


def test_pk2_and_pk3_by_hand():
    curve = np.array([10.0, 20.0, 30.0, 31.0, 31.5])
    ratios = curve[1:] / curve[:-1]
    said = pk2(curve)
    np.testing.assert_allclose(said.value, ratios)
    assert said.at.tolist() == [2, 3, 4, 5]
    assert said.high == pytest.approx(1 + ratios.std())
    assert said.k == 3
    middle = 2 * curve[1:-1] / (curve[:-2] + curve[2:])
    said = pk3(curve)
    np.testing.assert_allclose(said.value, middle)
    assert said.at.tolist() == [2, 3, 4]
    assert said.k == 3


@pytest.mark.parametrize("compat", [None, "senseclusters"])
def test_no_improvement_is_one_cluster(compat):
    for values in ([5.0], [5.0, 5.0], [5.0, 5.0, 5.0], [0.0, 0.0, 0.0]):
        assert answers(values, compat=compat) == [1, 1, 1]
        assert gap(values, [values, values], compat=compat).k == 1


@given(rising, st.sampled_from([None, "senseclusters"]), st.integers(1, 4))
def test_answers_lie_within_the_curve_and_move_with_its_start(values, compat, first):
    for rule in (pk1, pk2, pk3):
        said = rule(values, compat=compat, first=first)
        assert first <= said.k <= first + len(values) - 1
        assert said.k - first == rule(values, compat=compat).k - 1


@given(rising)
def test_rules_do_not_depend_on_the_unit(values):
    scaled = [value * 8 for value in values]
    assert answers(values) == answers(scaled)
    assert delta_k(values) == delta_k(scaled)


@given(rising)
def test_a_minimised_criterion_turned_round_gives_the_same_ratios(values):
    falling = [1 / value for value in values]
    assert pk2(values).k == pk2(falling, minimised=True).k
    np.testing.assert_allclose(pk2(values).value, pk2(falling, minimised=True).value)
    negated = [1000 - value for value in values]
    np.testing.assert_allclose(pk1(values).value, pk1(negated, minimised=True).value, atol=1e-6)


def by_definition_outside(ratios):
    """The released program's rule for PK2 and PK3, by plain loops."""
    mean, spread = np.mean(ratios), np.std(ratios)
    held = [(value, k) for k, value in enumerate(ratios, 2) if value >= 1 and abs(value - mean) > spread]
    return min(held)[1] if held else 1


@settings(max_examples=60)
@given(rising.filter(lambda values: len(values) > 2))
def test_the_released_program_s_rule_by_plain_loops(values):
    curve = three_digits(values)
    ratios = [round(b / a, 4) for a, b in itertools.pairwise(curve)]
    assert pk2(values, compat="senseclusters").k == by_definition_outside(ratios)
    triples = zip(curve[:-2], curve[1:-1], curve[2:], strict=True)
    assert pk3(values, compat="senseclusters").k == by_definition_outside(
        [round(2 * b / (a + c), 4) for a, b, c in triples]
    )


@pytest.mark.parametrize(
    ("before", "now", "delta", "wanted"),
    [
        (68.3, 68.4, None, True),
        (68.3, 68.5, None, False),
        (68.3, 68.5, 2, True),
        (1230, 1230, None, True),
        (1230, 1240, None, False),
        (1230, 1240, 1, True),
        (0.0123, 0.0124, None, True),
        (0.0123, 0.0125, None, False),
    ],
)
def test_the_released_program_counts_delta_in_the_last_digit(before, now, delta, wanted):
    assert hardly_improved(before, now, delta, "senseclusters") is wanted


def test_delta_k_is_the_first_that_hardly_improves():
    assert delta_k([10, 15, 18, 18.3, 30]) == 4
    assert delta_k([10, 15, 18, 18.5, 30]) == 5
    assert delta_k([10, 15, 18, 18.1, 30], delta=0.001) == 5
    assert delta_k([10, 15, 18, 18.1, 30], first=3) == 6
    assert delta_k([10]) == 1


def test_gap_takes_the_largest_distance_and_the_program_the_first_that_does_not_grow():
    observed, reference = [10.0, 20.0, 25.0, 33.0], [[9.0, 15.0, 21.0, 25.0], [11.0, 15.0, 21.0, 25.0]]
    said = gap(observed, reference)
    assert said.value.tolist() == [0, 5, 4, 8]
    np.testing.assert_allclose(said.error, [np.sqrt(1.5), 0, 0, 0])
    assert (said.k, said.support) == (4, 1.0)
    assert (said.interval[:, 0] <= said.value).all()
    assert (said.value <= said.interval[:, 1]).all()
    assert said.interval[0].tolist() == [-1.0, 1.0]
    assert gap(observed, reference, compat="senseclusters").k == 2
    assert gap([-v for v in observed], np.negative(reference), minimised=True).k == 4


def test_gap_says_how_sure_it_is():
    observed = [10.0, 20.0]
    said = gap(observed, [[5.0, 18.0], [9.0, 12.0], [5.0, 18.0], [9.0, 12.0], [6.0, 14.0]])
    assert 0 < said.support < 1
    assert gap(observed, [[5.0, 18.0]]).support == 1


@pytest.mark.parametrize("values", [[], [1.0, float("nan")], [[1.0, 2.0]], [float("inf")]])
def test_values_that_are_no_curve(values):
    for rule in (pk1, pk2, pk3):
        with pytest.raises(errors.InputError, match="finite numbers"):
            rule(values)


def test_what_cannot_be_meant():
    with pytest.raises(errors.UsageError, match="cluto"):
        pk1(PRINTED, compat="cluto")
    with pytest.raises(errors.InputError, match="reference"):
        gap(PRINTED, [[1.0, 2.0]])
    with pytest.raises(errors.UsageError, match="confidence"):
        gap(PRINTED, [PRINTED], confidence=1.0)
