"""Tables of sums against dictionaries, their cut of the arena, and moves between entities with their undoing."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crossdoc.cluster.sampling.entity_tables import (
    BUCKET_SLOTS,
    COUNT,
    FILLED,
    LINE,
    MASS,
    N_LIVE,
    bits_for,
    build,
    count_sums,
    entity_dot,
    give_back,
    move_table,
    new_arena,
    place_of,
    put_into,
    sums_dot,
    take_out,
    take_table,
)
from crossdoc.cluster.sampling.factor_graph import FactorGraph

from .common import random_rows
from .test_factor_graph import seeds

some_sums = st.dictionaries(st.integers(1, 2**31 - 1), st.integers(-(2**20), 2**20), max_size=300)


def filled(sums, arena, at, bits):
    for key, value in sums.items():
        place = place_of(arena, at, bits, np.int32(key))
        arena[place] = key
        arena[place + BUCKET_SLOTS] += value


@given(sums=some_sums, asked=some_sums)
@settings(max_examples=60, deadline=None)
def test_a_table_holds_what_a_dictionary_does(sums, asked):
    bits = bits_for(len(sums))
    arena = new_arena(2 << bits)
    free, tally = np.full(40, -1, dtype=np.int64), np.zeros(4, dtype=np.int64)
    at = take_table(arena, free, tally, bits)
    filled(sums, arena, at, bits)
    assert count_sums(arena, at, bits) == sum(value != 0 for value in sums.values())
    row = np.array([*asked.items(), *sums.items()], dtype=np.int32).reshape(-1, 2)
    expected = sum(int(value) * sums.get(int(key), 0) for key, value in row)
    assert sums_dot(row, 0, len(row), arena, at, bits) == expected


@given(sums=some_sums)
@settings(max_examples=30, deadline=None)
def test_moving_a_table_keeps_its_sums_and_drops_zeros(sums):
    bits = bits_for(len(sums))
    arena = new_arena(8 << bits)
    free, tally = np.full(40, -1, dtype=np.int64), np.zeros(4, dtype=np.int64)
    at = take_table(arena, free, tally, bits)
    filled(sums, arena, at, bits)
    new = take_table(arena, free, tally, bits + 1)
    assert move_table(arena, at, bits, new, bits + 1) == sum(value != 0 for value in sums.values())
    for key, value in sums.items():
        place = place_of(arena, new, bits + 1, np.int32(key))
        assert (arena[place] == key) == (value != 0)
        assert arena[place + BUCKET_SLOTS] == value


def test_tables_are_given_back_cleared_and_an_arena_ends():
    arena = new_arena(6)
    free, tally = np.full(40, -1, dtype=np.int64), np.zeros(4, dtype=np.int64)
    first, second = take_table(arena, free, tally, 1), take_table(arena, free, tally, 1)
    arena[LINE * first : LINE * (first + 2)] = 7
    give_back(arena, free, first, 1)
    give_back(arena, free, second, 1)
    assert take_table(arena, free, tally, 1) == second
    assert take_table(arena, free, tally, 1) == first
    assert not arena[LINE * first : LINE * (first + 2)].any()
    assert take_table(arena, free, tally, 2) == -1
    assert arena.ctypes.data % 64 == 0


def test_tables_are_never_too_full():
    for keys in (0, 1, 10, 11, 1000):
        assert FILLED * 2 ** bits_for(keys) >= keys


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
    entities = build(graph.rows, nodes, begin, new_arena(50_000))
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
    live = entities.live[: entities.tally[N_LIVE]]
    assert sorted(live.tolist()) == sorted(set(entities.label.tolist()))
