"""Names beside contexts: products of rows are the affinities."""

from functools import partial

import numpy as np
import pytest
from scipy import sparse

from crossdoc import errors
from crossdoc.cluster.sampling.factor_graph import FactorGraph
from crossdoc.cluster.sampling.mention_rows import checked_rows, compatibility, name_codes, with_names
from crossdoc.names import agreeing_names, parse_person, persons_agree

from .common import affinities, random_rows

PEOPLE, COMPANIES = (partial(agreeing_names, entity_type=kind) for kind in ("person", "organisation"))
NAMES = ["Bill Clinton", "William J. Clinton", "Hillary Clinton", "Clinton", "", "Bill", "Bill Clinton"]


def products(stored, query):
    return ((stored if query is None else query) @ stored.T).toarray()


def test_the_same_name_adds_its_weight():
    rows = random_rows(np.random.default_rng(0), 7)
    stored, query = with_names(rows, NAMES, 0.3)
    same = np.array([[a == b != "" for a in NAMES] for b in NAMES])
    assert query is None
    np.testing.assert_allclose(products(stored, None), (rows @ rows.T).toarray() + 0.3 * same, atol=1e-5)


def test_names_that_agree_add_theirs():
    rows = random_rows(np.random.default_rng(0), 7)
    stored, query = with_names(rows, NAMES, 0.3, 0.5, PEOPLE)
    same = np.array([[a == b != "" for a in NAMES] for b in NAMES])
    parsed = [parse_person(name) for name in NAMES]
    agree = np.array([[bool(a and b) and persons_agree(x, y) for a, x in zip(NAMES, parsed, strict=True)]
                      for b, y in zip(NAMES, parsed, strict=True)])  # fmt: skip
    found = products(stored, query)
    np.testing.assert_allclose(found, (rows @ rows.T).toarray() + 0.3 * same + 0.5 * agree, atol=1e-5)
    np.testing.assert_allclose(affinities(FactorGraph.of(stored, query), 7), found, atol=1e-3)


def test_every_pair_that_agrees_is_found():
    names = ["Bill Clinton", "William Clinton", "B. Clinton", "Clinton", "Bill", "President Clinton", "George W. Bush"]
    found = compatibility(names, PEOPLE).toarray().astype(bool)
    parsed = [parse_person(name) for name in names]
    assert (found == [[persons_agree(a, b) for a in parsed] for b in parsed]).all()
    others = compatibility(["General Motors Corp.", "General Motors", "GM", "Ford"], COMPANIES).toarray()
    assert others[0].tolist() == [1, 1, 1, 0]


def test_without_names_or_weight_rows_stay_as_they_are():
    rows = random_rows(np.random.default_rng(0), 3)
    assert with_names(rows, None, 0.5)[0] is rows
    assert with_names(rows, ["a", "b", "c"], 0.0)[0] is rows


def test_bad_rows_are_refused():
    with pytest.raises(errors.InputError, match="2 names for 3 rows"):
        with_names(random_rows(np.random.default_rng(0), 3), ["a", "b"], 0.5)
    with pytest.raises(errors.InputError, match="not finite"):
        checked_rows(np.array([[np.nan, 1.0]]))
    with pytest.raises(errors.InputError, match="not numbers"):
        checked_rows(np.array([["a", "b"]]))
    with pytest.raises(errors.InputError, match="not numbers"):
        checked_rows(sparse.csr_matrix(np.array([[1j, 0]])))
    assert name_codes([None, "a"])[0].tolist() == [-1, 0]
