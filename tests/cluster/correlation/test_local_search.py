"""Local search: seeds, and clusters that were planted."""

from __future__ import annotations

from correlation_instances import planted

from crossdoc.cluster.correlation import build, local_search, relaxation


def test_the_same_seed_gives_the_same_answer():
    pairs, _ = planted(2_000, seed=0)
    problem = build(pairs, missing="sparse")
    for solve in (local_search.solve, relaxation.solve):
        assert (solve(problem, seed=0).labels == solve(problem, seed=0).labels).all()


def test_moves_find_what_was_planted_and_more():
    pairs, planted_clusters = planted(5_000)
    problem = build(pairs, missing="sparse")
    solution = local_search.solve(problem)
    assert solution.lower_bound <= solution.objective < problem.cost(planted_clusters)
    assert relaxation.solve(problem).gap < 0.01
