"""Tables of sums against dictionaries, and their cut of the arena."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crossdoc.cluster.sampling.buckets import (
    BUCKET_SLOTS,
    FILLED,
    LINE,
    bits_for,
    count_sums,
    give_back,
    move_table,
    new_arena,
    place_of,
    sums_dot,
    take_table,
)

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
