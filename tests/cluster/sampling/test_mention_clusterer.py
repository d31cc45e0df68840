"""What a run begins with and goes on from: labels, names, judgements, checkpoints, an answer that was killed."""

import os
import signal
import subprocess
import sys
import time
from functools import partial

import numpy as np
import pytest
from scipy import sparse

from crossdoc import errors
from crossdoc.cluster.sampling import SamplingClustering
from crossdoc.cluster.sampling.factor_graph import FactorGraph
from crossdoc.cluster.sampling.mention_clusterer import checked_rows, compatibility, name_codes, with_names
from crossdoc.model.evidence_protocol import Constraints
from crossdoc.names import agreeing_names, parse_person, persons_agree

from .common import ENTITY, NAMES, VECTORS, affinities, f1, random_rows

RUN = """
import sys
from crossdoc.cluster.sampling import SamplingClustering, mention_clusterer
from tests.cluster.sampling.common import NAMES, VECTORS
mention_clusterer.SECONDS_BETWEEN_CHECKPOINTS = 0.0
SamplingClustering(.1, .05, max_iter=10**6, tol=0, temperature=.1, partitions=2, checkpoint=sys.argv[1]).fit(
    VECTORS, names=NAMES
)
"""


@pytest.mark.parametrize("hierarchy", ["combined", "flat"])
@pytest.mark.parametrize("start", [np.zeros(400, dtype=int), ENTITY // 4, np.full(400, "all")])
def test_what_holds_too_much_is_split(hierarchy, start):
    how = {"bias": 0.1, "name_weight": 0.05, "hierarchy": hierarchy}
    alone = SamplingClustering(**how).fit(VECTORS, names=NAMES)
    merged = SamplingClustering(**how, start=start).fit(VECTORS, names=NAMES)
    assert merged.energy_ > 0.95 * alone.energy_
    assert f1(merged.labels_) > 0.75


@pytest.mark.parametrize("rounds", [0, 5])
@pytest.mark.parametrize("start", ["names", np.zeros(400, dtype=int)])
def test_a_start_that_breaks_constraints_is_mended(start, rounds):
    rng = np.random.default_rng(0)
    group = np.arange(400, dtype=np.int32)
    group[[5, 9]] = 5
    cannot = rng.integers(0, 400, (300, 2)).astype(np.int32)
    limits = Constraints(400, group, cannot[group[cannot[:, 0]] != group[cannot[:, 1]]])
    found = SamplingClustering(0.1, 0.05, start=start, max_iter=rounds).fit(VECTORS, names=NAMES, constraints=limits)
    assert limits.violated_by(found.labels_) == 0
    assert np.isfinite(found.energy_)


@pytest.mark.parametrize("start", [np.zeros(3, dtype=int), [None] * 400])
def test_a_start_of_other_rows_is_refused(start):
    with pytest.raises(errors.InputError, match="do not fit the 400 rows"):
        SamplingClustering(0.1, start=start).fit(VECTORS)


def test_a_judgement_joins_what_shares_no_word():
    rows = sparse.identity(4, dtype=np.float32, format="csr")
    limits = Constraints(
        4, np.arange(4, dtype=np.int32), soft=np.array([[0, 1]], dtype=np.int32), soft_weight=np.array([5.0])
    )
    assert SamplingClustering(0.1).fit(rows, constraints=limits).labels_.tolist() == [0, 0, 1, 2]


def test_each_sitting_has_its_own_time(tmp_path):
    how = {"bias": 0.1, "max_iter": 10**6, "temperature": 0.3, "time_limit": 0.5, "checkpoint": tmp_path / "run"}
    first = SamplingClustering(**how).fit(VECTORS)
    second = SamplingClustering(**how, resume=True).fit(VECTORS)
    assert first.stopped_ == second.stopped_ == "time"
    assert second.n_iter_ > first.n_iter_


def test_a_killed_run_goes_on_from_its_checkpoint(tmp_path):
    path = tmp_path / "run"
    work = subprocess.Popen([sys.executable, "-c", RUN, str(path)])
    until = time.monotonic() + 120
    while not path.exists() and work.poll() is None and time.monotonic() < until:
        time.sleep(0.05)
    work.send_signal(signal.SIGKILL)
    assert work.wait() == -signal.SIGKILL
    assert os.listdir(tmp_path).count("run") == 1
    how = {"bias": 0.1, "name_weight": 0.05, "tol": 0, "temperature": 0.1, "partitions": 2}
    begun = SamplingClustering(**how, max_iter=0, checkpoint=path, resume=True).fit(VECTORS, names=NAMES).n_iter_
    assert begun > 0
    rest = SamplingClustering(**how, max_iter=begun + 3, checkpoint=path, resume=True).fit(VECTORS, names=NAMES)
    whole = SamplingClustering(**how, max_iter=begun + 3).fit(VECTORS, names=NAMES)
    assert (rest.labels_ == whole.labels_).all()


def test_energy_where_tables_need_more_room_than_was_thought():
    rows = sparse.hstack([sparse.kron(sparse.identity(9), np.full((1, 1000), 0.02)), np.full((9, 1), 0.7)]).tocsr()
    graph = FactorGraph.of(rows.astype(np.float32))
    together = np.zeros(9, dtype=np.int32)
    exact = (rows @ rows.T).toarray()[np.triu_indices(9, 1)].sum() - 0.45 * 36
    assert graph.energy(together, 0.45) == pytest.approx(exact, rel=1e-3)


PEOPLE, COMPANIES = (partial(agreeing_names, entity_type=kind) for kind in ("person", "organisation"))
NAMES_MENTION_ROWS = ["Bill Clinton", "William J. Clinton", "Hillary Clinton", "Clinton", "", "Bill", "Bill Clinton"]


def products(stored, query):
    return ((stored if query is None else query) @ stored.T).toarray()


def test_the_same_name_adds_its_weight():
    rows = random_rows(np.random.default_rng(0), 7)
    stored, query = with_names(rows, NAMES_MENTION_ROWS, 0.3)
    same = np.array([[a == b != "" for a in NAMES_MENTION_ROWS] for b in NAMES_MENTION_ROWS])
    assert query is None
    np.testing.assert_allclose(products(stored, None), (rows @ rows.T).toarray() + 0.3 * same, atol=1e-5)


def test_names_that_agree_add_theirs():
    rows = random_rows(np.random.default_rng(0), 7)
    stored, query = with_names(rows, NAMES_MENTION_ROWS, 0.3, 0.5, PEOPLE)
    same = np.array([[a == b != "" for a in NAMES_MENTION_ROWS] for b in NAMES_MENTION_ROWS])
    parsed = [parse_person(name) for name in NAMES_MENTION_ROWS]
    agree = np.array([[bool(a and b) and persons_agree(x, y) for a, x in zip(NAMES_MENTION_ROWS, parsed, strict=True)]
                      for b, y in zip(NAMES_MENTION_ROWS, parsed, strict=True)])  # fmt: skip
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
    with pytest.raises(errors.InputError, match="do not fit the 3 rows"):
        with_names(random_rows(np.random.default_rng(0), 3), ["a", "b"], 0.5)
    with pytest.raises(errors.InputError, match="not finite"):
        checked_rows(np.array([[np.nan, 1.0]]))
    with pytest.raises(errors.InputError, match="not numbers"):
        checked_rows(np.array([["a", "b"]]))
    with pytest.raises(errors.InputError, match="not numbers"):
        checked_rows(sparse.csr_matrix(np.array([[1j, 0]])))
    assert name_codes([None, "a"])[0].tolist() == [-1, 0]
