"""numba kernels of the entities of a round: who is in which, and the sum of each one's rows.

An entity of several nodes has a table of sums (`buckets.py`), a short lone node has none. Sums are integers (see
`factor_graph.py`), so that a move and its undoing leave exactly what was there. Functions called for every proposal
take plain arrays, since numba counts the references to each array of a tuple that it hands on. Nothing here is
validated.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from crossdoc.cluster.sampling.buckets import (
    BUCKET_SLOTS,
    FILLED,
    LINE,
    arena_buckets,
    ask_sums,
    bits_for,
    count_sums,
    give_back,
    move_table,
    new_arena,
    place_of,
    prefetch,
    sums_dot,
    take_table,
)

LONG_ROW = 256
"""A lone node with more cells than this has a table too: merging sorted rows would read them all."""

Array = Any
"""numba cares about the types, mypy cannot."""


class NodeRows(NamedTuple):
    """The nodes of a factor graph, read only. `query` rows meet `stored` rows: affinity without bias = query · stored.

    Cells are interleaved (feature + 1, value) and sorted by feature. Node i has soft and
    cannot-link limits with limit_other[limit_start[i]:limit_start[i + 1]]; −inf is cannot.
    """

    start: Array
    cells: Array
    query_start: Array
    query_cells: Array
    size: Array
    own: Array
    limit_start: Array
    limit_other: Array
    limit_weight: Array


class Entities(NamedTuple):
    """The entities of one round; m of the n nodes take part, and entity numbers are below m."""

    nodes: Array
    label: Array
    """The entity of each of the n nodes, −1 for those that take no part; `following` and `before` link its members."""
    following: Array
    before: Array
    record: Array
    """A cache line for each entity, with the fields below."""
    arena: Array
    free: Array
    empty: Array
    """A stack of the numbers of empty entities."""
    live: Array
    """The numbers of non-empty entities; each one's PLACE is where it stands there."""
    tally: Array
    """[buckets taken from the arena, empty numbers, live entities, whether the arena ran out]."""


N_EMPTY, N_LIVE, ARENA_FULL = 1, 2, 3
HEAD, COUNT, MASS, TABLE, BITS, USED, LIVE_PLACE, CHANGES = range(8)
"""A member, how many there are, their size in all, the table (−1 without one), log2 of its buckets, its keys, the place
among the live, and how often the entity has changed."""


@njit(cache=True, nogil=True)
def row_dot(query, query_start, cells, start, node, other):  # type: ignore[no-untyped-def]
    """query(node) · stored(other), both sorted."""
    a, end_a = query_start[node], query_start[node + 1]
    b, end_b = start[other], start[other + 1]
    total = np.int64(0)
    if end_a - a > 8 * (end_b - b):
        while b < end_b:
            low, high = a, end_a
            while low < high:
                middle = (low + high) >> 1
                if query[middle, 0] < cells[b, 0]:
                    low = middle + 1
                else:
                    high = middle
            if low < end_a and query[low, 0] == cells[b, 0]:
                total += np.int64(query[low, 1]) * np.int64(cells[b, 1])
            a = low
            b += 1
        return total
    while a < end_a and b < end_b:
        key, with_key = query[a, 0], cells[b, 0]
        if key == with_key:
            total += np.int64(query[a, 1]) * np.int64(cells[b, 1])
        a += key <= with_key
        b += with_key <= key
    return total


@njit(cache=True, nogil=True)
def entity_dot(query, query_start, cells, start, record, arena, node, e):  # type: ignore[no-untyped-def]
    """query(node) · sum of an entity's stored rows."""
    at = record[e, TABLE]
    if at < 0:
        return row_dot(query, query_start, cells, start, node, record[e, HEAD])
    return sums_dot(query, query_start[node], query_start[node + 1], arena, at, record[e, BITS])


@njit(cache=True, nogil=True)
def ask_row(query, query_start, node):  # type: ignore[no-untyped-def]
    """Prefetch a node's row, as far as most rows go."""
    at = 2 * query_start[node]
    for line in range(6):
        prefetch(query, at + LINE * line)


@njit(cache=True, nogil=True)
def ask_entity(query, query_start, cells, start, record, arena, node, e):  # type: ignore[no-untyped-def]
    """Prefetch what `entity_dot` will look at."""
    at = record[e, TABLE]
    if at >= 0:
        ask_sums(query, query_start[node], query_start[node + 1], arena, at, record[e, BITS])
    elif record[e, COUNT] == 1:
        other = 2 * start[record[e, HEAD]]
        for line in range(3):
            prefetch(cells, other + LINE * line)


@njit(cache=True, nogil=True)
def allocate(entities, bits):  # type: ignore[no-untyped-def]
    """A cleared table, or −1 (and the ARENA_FULL mark) if the arena has none left."""
    at = take_table(entities.arena, entities.free, entities.tally, bits)
    if at < 0:
        entities.tally[ARENA_FULL] = 1
    return at


@njit(cache=True, nogil=True)
def grow(entities, e, more):  # type: ignore[no-untyped-def]
    """Room for `more` further keys in an entity's table; sums that are zero are dropped on the way."""
    arena, entity = entities.arena, entities.record[e]
    at, bits = entity[TABLE], entity[BITS]
    wanted = bits_for(count_sums(arena, at, bits) + more)
    new = allocate(entities, wanted)
    if new < 0:
        return False
    entity[USED] = move_table(arena, at, bits, new, wanted)
    give_back(arena, entities.free, at, bits)
    entity[TABLE] = new
    entity[BITS] = wanted
    return True


@njit(cache=True, nogil=True)
def add_row(rows, entities, node, e, sign):  # type: ignore[no-untyped-def]
    """Add a node's stored row to an entity's table, or take it away; False if the arena ran out."""
    arena, cells, entity = entities.arena, rows.cells, entities.record[e]
    start, end = rows.start[node], rows.start[node + 1]
    room = FILLED * (np.int64(1) << entity[BITS])
    if sign > 0 and entity[USED] + end - start > room:
        new = 0
        for c in range(start, end):
            new += arena[place_of(arena, entity[TABLE], entity[BITS], cells[c, 0])] == 0
        if entity[USED] + new > room and not grow(entities, e, 2 * new):
            return False
    at, bits, used = entity[TABLE], entity[BITS], entity[USED]
    for c in range(start, end):
        place = place_of(arena, at, bits, cells[c, 0])
        used += arena[place] == 0
        arena[place] = cells[c, 0]
        arena[place + BUCKET_SLOTS] += sign * cells[c, 1]
    entity[USED] = used
    return True


@njit(cache=True, nogil=True)
def open_table(rows, entities, e):  # type: ignore[no-untyped-def]
    """Give an entity without a table the sum of its members."""
    entity = entities.record[e]
    cells = np.int64(0)
    node = entity[HEAD]
    members = 0
    while node >= 0 and members < 4:
        cells += rows.start[node + 1] - rows.start[node]
        node = entities.following[node]
        members += 1
    bits = bits_for(cells)
    at = allocate(entities, bits)
    if at < 0:
        return False
    entity[TABLE] = at
    entity[BITS] = bits
    entity[USED] = 0
    node = entity[HEAD]
    while node >= 0:
        following = entities.following[node]
        if following >= 0:
            ask_row(rows.cells, rows.start, following)
        if not add_row(rows, entities, node, e, 1):
            return False
        node = following
    return True


@njit(cache=True, nogil=True)
def take_out(rows, entities, node):  # type: ignore[no-untyped-def]
    """Take a node out of its entity."""
    e = entities.label[node]
    entity = entities.record[e]
    before, after = entities.before[node], entities.following[node]
    if before >= 0:
        entities.following[before] = after
    else:
        entity[HEAD] = after
    if after >= 0:
        entities.before[after] = before
    entity[COUNT] -= 1
    entity[MASS] -= rows.size[node]
    entity[CHANGES] += 1
    left = entity[COUNT]
    if entity[TABLE] >= 0:
        only = entity[HEAD] if left == 1 else np.int64(0)
        if left == 0 or (left == 1 and rows.start[only + 1] - rows.start[only] <= LONG_ROW):
            give_back(entities.arena, entities.free, entity[TABLE], entity[BITS])
            entity[TABLE] = -1
        else:
            add_row(rows, entities, node, e, np.int32(-1))
    if left == 0:
        tally = entities.tally
        entities.empty[tally[N_EMPTY]] = e
        tally[N_EMPTY] += 1
        tally[N_LIVE] -= 1
        last = entities.live[tally[N_LIVE]]
        entities.live[entity[LIVE_PLACE]] = last
        entities.record[last, LIVE_PLACE] = entity[LIVE_PLACE]


@njit(cache=True, nogil=True)
def put_into(rows, entities, node, e):  # type: ignore[no-untyped-def]
    """Put a node that is in no entity into one (−1: a new one); returns its number, or −1 if the arena ran out."""
    tally = entities.tally
    if e < 0:
        tally[N_EMPTY] -= 1
        e = np.int64(entities.empty[tally[N_EMPTY]])
        entities.live[tally[N_LIVE]] = e
        entities.record[e, LIVE_PLACE] = tally[N_LIVE]
        tally[N_LIVE] += 1
    entity = entities.record[e]
    entities.before[node] = -1
    entities.following[node] = entity[HEAD] if entity[COUNT] > 0 else -1
    if entity[COUNT] > 0:
        entities.before[entity[HEAD]] = node
    entity[HEAD] = node
    entities.label[node] = e
    entity[COUNT] += 1
    entity[MASS] += rows.size[node]
    entity[CHANGES] += 1
    done = True
    if entity[TABLE] >= 0:
        done = add_row(rows, entities, node, e, np.int32(1))
    elif entity[COUNT] > 1 or rows.start[node + 1] - rows.start[node] > LONG_ROW:
        done = open_table(rows, entities, e)
    return e if done else np.int64(-1)


def entities_of(rows: NodeRows, nodes: Array, labels: Array) -> Entities:
    """The entities of a round, in an arena that has room for them."""
    cells = int((rows.start[nodes.astype(np.int64) + 1] - rows.start[nodes]).sum())
    buckets = arena_buckets(cells, len(nodes))
    while (entities := build(rows, nodes, labels, new_arena(buckets))).tally[ARENA_FULL]:
        buckets *= 2
    return entities  # type: ignore[no-any-return]


@njit(cache=True, nogil=True)
def build(rows, nodes, labels, arena):  # type: ignore[no-untyped-def]
    """The entities of a round from the labels (numbers below m) of its m nodes."""
    n, m = len(rows.size), len(nodes)
    label = np.full(n, -1, dtype=np.int32)
    following = np.full(n, -1, dtype=np.int32)
    before = np.full(n, -1, dtype=np.int32)
    record = np.zeros((m, 8), dtype=np.int64)
    empty = np.empty(m, dtype=np.int32)
    live = np.empty(m, dtype=np.int32)
    tally = np.zeros(4, dtype=np.int64)
    for e in range(m):
        record[e, HEAD] = -1
        record[e, TABLE] = -1
    for i in range(m - 1, -1, -1):
        node = nodes[i]
        e = labels[i]
        label[node] = e
        following[node] = record[e, HEAD]
        if record[e, HEAD] >= 0:
            before[record[e, HEAD]] = node
        record[e, HEAD] = node
        record[e, COUNT] += 1
        record[e, MASS] += rows.size[node]
    entities = Entities(
        nodes, label, following, before, record, arena, np.full(40, -1, dtype=np.int64), empty, live, tally
    )
    for e in range(m - 1, -1, -1):
        if record[e, COUNT] == 0:
            empty[tally[N_EMPTY]] = e
            tally[N_EMPTY] += 1
    for e in range(m):
        if record[e, COUNT] > 0:
            live[tally[N_LIVE]] = e
            record[e, LIVE_PLACE] = tally[N_LIVE]
            tally[N_LIVE] += 1
            only = record[e, HEAD]
            long = rows.start[only + 1] - rows.start[only] > LONG_ROW
            if (record[e, COUNT] > 1 or long) and not open_table(rows, entities, e):
                break
    return entities
