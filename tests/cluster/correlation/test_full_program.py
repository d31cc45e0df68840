"""The paper's program with all its rows, in chunks, and with lazy rows."""

from __future__ import annotations

import numpy as np
import pytest
from correlation_instances import languages
from hypothesis import given, settings
from hypothesis import strategies as st

from crossdoc.cluster.correlation import build, exact, full_program, relaxation

from .cases import (
    NEAR,
    random_weights,
    seeds,
)


@given(seed=seeds, n=st.integers(2, 24), bias=st.floats(0.1, 0.9), share=st.floats(0.05, 1), missing=st.booleans())
@settings(max_examples=25, deadline=None)
def test_the_lazy_program_has_the_optimum_of_the_full_one(seed, n, bias, share, missing):
    rng = np.random.default_rng(seed)
    weights = random_weights(rng, n, share)
    problem = build(weights, bias=bias if missing else None, groups=rng.integers(0, 6, n) if seed % 2 else None)
    lazy, whole = relaxation.solve(problem), full_program.solve(problem)
    assert lazy.lower_bound == pytest.approx(min(whole.lower_bound, lazy.objective), abs=NEAR)


@pytest.mark.parametrize(("n", "positive"), [(64, 0.05), (64, 0.3), (128, 0.03)])
def test_the_lazy_program_on_languages(n, positive):
    drawn = languages(n, 8, positive)
    problem = build(drawn.similarity, bias=drawn.bias, groups=drawn.language)
    lazy = relaxation.solve(problem)
    if n == 64:
        assert lazy.lower_bound == pytest.approx(full_program.solve(problem).lower_bound, abs=1e-5)
    assert lazy.lower_bound <= exact.solve(problem).objective + NEAR <= lazy.objective + 2 * NEAR


@pytest.mark.slow
@pytest.mark.parametrize("positive", [0.03, 0.1])
def test_the_lazy_program_equals_the_full_one_at_128(positive):
    drawn = languages(128, 8, positive)
    problem = build(drawn.similarity, bias=drawn.bias, groups=drawn.language)
    assert relaxation.solve(problem).lower_bound == pytest.approx(full_program.solve(problem).lower_bound, abs=1e-5)


@pytest.mark.parametrize("rows", [100, 700, 5000])
@given(seed=seeds, n=st.integers(8, 18))
@settings(max_examples=5, deadline=None)
def test_chunks_have_the_optimum_of_all_rows(rows, seed, n):
    problem = build(random_weights(np.random.default_rng(seed), n))
    chunks, whole = full_program.solve(problem, chunk=rows), full_program.solve(problem)
    assert chunks.lower_bound == pytest.approx(whole.lower_bound, abs=1e-5)
