"""Tables of entities: moves and their undoing."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crossdoc.cluster.sampling.buckets import arena_buckets, new_arena
from crossdoc.cluster.sampling.entity_tables import COUNT, MASS, build, entity_dot, put_into, take_out
from crossdoc.cluster.sampling.factor_graph import FactorGraph

from .common import random_rows
from .test_factor_graph import seeds


def dot_of(rows, entities, node, e):
    held = rows.query_cells, rows.query_start, rows.cells, rows.start, entities.record, entities.arena
    return entity_dot(*held, node, e)


some_moves = st.lists(st.tuples(st.integers(0, 39), st.integers(-1, 39)), max_size=80)


@given(seed=seeds, n=st.integers(2, 40), moves=some_moves)
@settings(max_examples=40, deadline=None)
def test_moves_and_their_undoing_leave_no_drift(seed, n, moves):
    """Sums after any moves are those of the labels, and after undoing all of them what they were, to the last bit."""
    rng = np.random.default_rng(seed)
    graph = FactorGraph.of(random_rows(rng, n, 30, 0.3))
    nodes = np.arange(n, dtype=np.int32)
    begin = np.unique(rng.integers(0, max(1, n // 3), n), return_inverse=True)[1].astype(np.int32)
    entities = build(graph.rows, nodes, begin, new_arena(arena_buckets(len(graph.rows.cells), n) * 50))
    dot, pairs = graph.sums(begin)
    first = (dot, pairs)
    done = []
    for i, to in moves:
        i, to = np.int64(i % n), np.int64(entities.label[to % n] if to >= 0 else -1)
        source = np.int64(entities.label[i])
        if to == source or (to < 0 and entities.record[source, COUNT] == 1):
            continue
        size = int(graph.rows.size[i])
        dot -= int(dot_of(graph.rows, entities, i, source) - graph.rows.own[i])
        pairs -= size * (int(entities.record[source, MASS]) - size)
        friend = next((j for j in range(n) if j != i and entities.label[j] == source), -1)
        if to >= 0:
            dot += int(dot_of(graph.rows, entities, i, to))
            pairs += size * int(entities.record[to, MASS])
        take_out(graph.rows, entities, i)
        put_into(graph.rows, entities, i, to)
        done.append((i, friend))
        assert (dot, pairs) == graph.sums(entities.label)
    for i, friend in reversed(done):
        take_out(graph.rows, entities, i)
        put_into(graph.rows, entities, i, np.int64(entities.label[friend] if friend >= 0 else -1))
    assert graph.sums(entities.label) == first
    live = entities.live[: entities.tally[2]]
    assert sorted(live.tolist()) == sorted(set(entities.label.tolist()))
