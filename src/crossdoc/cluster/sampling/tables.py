"""numba kernels of the entities' sum vectors: one open-addressing table for each entity, none for a short singleton.

A table slot is a pair (feature + 1, sum); 0 marks an empty slot. Sums are integers (see `model.py`), so that a move and
its undoing leave exactly what was there. All tables of one round live in one arena, in power-of-two sizes with a list
of free pieces for each size. Nothing here is validated.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

LONG_ROW = 256
"""A lone node with more cells than this has a table too: merging sorted rows would read them all."""
SMALLEST = 4
"""log2 of the fewest slots of a table."""
MULTIPLIER = np.uint32(2654435769)
"""2³² divided by the golden ratio: Knuth's multiplicative hashing."""

Array = Any
"""numba cares about the types, mypy cannot."""


class Rows(NamedTuple):
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
    """The entities of one round; m nodes, entity numbers below m."""

    nodes: Array
    label: Array
    following: Array
    before: Array
    head: Array
    count: Array
    mass: Array
    table: Array
    """Where an entity's table begins in the arena, −1 without one."""
    bits: Array
    used: Array
    arena: Array
    free: Array
    empty: Array
    """A stack of the numbers of empty entities."""
    live: Array
    """The numbers of non-empty entities, and in `place` where each stands."""
    place: Array
    tally: Array
    """[slots taken from the arena, empty numbers, live entities, whether the arena ran out]."""


TAKEN, EMPTY, LIVE, FULL = 0, 1, 2, 3


@intrinsic
def prefetch(typing_context, array, index):  # type: ignore[no-untyped-def]
    """Ask for the cache line of a row of a two-column array of 32-bit numbers."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        given, row = arguments
        view = context.make_array(signature.args[0])(context, builder, given)
        offset = builder.mul(row, ir.Constant(row.type, 2))
        pointer = builder.bitcast(builder.gep(view.data, [offset]), cgutils.voidptr_t)
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        builder.call(function, [pointer, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


@njit(cache=True, nogil=True, inline="always")
def slot_of(key, bits):  # type: ignore[no-untyped-def]
    # numba multiplies 32-bit numbers as 64-bit ones.
    return np.int64(np.uint32(np.uint32(key) * MULTIPLIER) >> np.uint32(32 - bits))


@njit(cache=True, nogil=True)
def allocate(entities, bits):  # type: ignore[no-untyped-def]
    """A cleared piece of 2^bits slots, or −1 (and the FULL mark) if the arena has none left."""
    tally, arena = entities.tally, entities.arena
    at = entities.free[bits]
    slots = np.int64(1) << bits
    if at >= 0:
        # A free piece holds the number of the next one, split over its first slot.
        entities.free[bits] = (np.int64(arena[at, 0]) << 32) | (np.int64(arena[at, 1]) & np.int64(0xFFFFFFFF))
    else:
        at = tally[TAKEN]
        if at + slots > len(arena):
            tally[FULL] = 1
            return np.int64(-1)
        tally[TAKEN] = at + slots
    arena[at : at + slots] = 0
    return at


@njit(cache=True, nogil=True)
def release(entities, at, bits):  # type: ignore[no-untyped-def]
    arena, following = entities.arena, entities.free[bits]
    arena[at, 0] = np.int32(following >> 32)
    arena[at, 1] = np.int32(following & np.int64(0xFFFFFFFF))
    entities.free[bits] = at


@njit(cache=True, nogil=True)
def bits_for(keys):  # type: ignore[no-untyped-def]
    """log2 of the slots for so many keys, at most half full: a key that is not there is missed at once."""
    bits = SMALLEST
    while (np.int64(1) << bits) < keys * 2:
        bits += 1
    return bits


@njit(cache=True, nogil=True)
def grow(entities, e, more):  # type: ignore[no-untyped-def]
    """Room for `more` further keys in an entity's table; sums that are zero are dropped on the way."""
    arena, at, bits = entities.arena, entities.table[e], entities.bits[e]
    alive = 0
    for slot in range(at, at + (np.int64(1) << bits)):
        if arena[slot, 1] != 0:
            alive += 1
    wanted = bits_for(alive + more)
    new = allocate(entities, wanted)
    if new < 0:
        return False
    mask = (np.int64(1) << wanted) - 1
    for slot in range(at, at + (np.int64(1) << bits)):
        if arena[slot, 1] != 0:
            key = arena[slot, 0]
            to = slot_of(key, wanted)
            while arena[new + to, 0] != 0:
                to = (to + 1) & mask
            arena[new + to, 0] = key
            arena[new + to, 1] = arena[slot, 1]
    release(entities, at, bits)
    entities.table[e] = new
    entities.bits[e] = wanted
    entities.used[e] = alive
    return True


@njit(cache=True, nogil=True)
def add_row(rows, entities, node, e, sign):  # type: ignore[no-untyped-def]
    """Add a node's stored row to an entity's table, or take it away; False if the arena ran out."""
    arena = entities.arena
    start, end = rows.start[node], rows.start[node + 1]
    if sign > 0 and (entities.used[e] + end - start) * 2 > (np.int64(1) << entities.bits[e]):
        new = count_new(rows, entities, node, e)
        if (entities.used[e] + new) * 2 > (np.int64(1) << entities.bits[e]) and not grow(entities, e, 2 * new):
            return False
    at, bits = entities.table[e], entities.bits[e]
    mask = (np.int64(1) << bits) - 1
    cells = rows.cells
    for c in range(start, end):
        key = cells[c, 0]
        slot = slot_of(key, bits)
        while arena[at + slot, 0] != key:
            if arena[at + slot, 0] == 0:
                arena[at + slot, 0] = key
                entities.used[e] += 1
                break
            slot = (slot + 1) & mask
        arena[at + slot, 1] += sign * cells[c, 1]
    return True


@njit(cache=True, nogil=True)
def count_new(rows, entities, node, e):  # type: ignore[no-untyped-def]
    """How many keys of a node's row an entity's table lacks."""
    arena, at, bits = entities.arena, entities.table[e], entities.bits[e]
    mask = (np.int64(1) << bits) - 1
    new = 0
    for c in range(rows.start[node], rows.start[node + 1]):
        key = rows.cells[c, 0]
        slot = slot_of(key, bits)
        while arena[at + slot, 0] != key and arena[at + slot, 0] != 0:
            slot = (slot + 1) & mask
        if arena[at + slot, 0] == 0:
            new += 1
    return new


@njit(cache=True, nogil=True)
def open_table(rows, entities, e):  # type: ignore[no-untyped-def]
    """Give an entity without a table the sum of its members."""
    cells = np.int64(0)
    member = entities.head[e]
    members = 0
    while member >= 0 and members < 4:
        node = entities.nodes[member]
        cells += rows.start[node + 1] - rows.start[node]
        member = entities.following[member]
        members += 1
    bits = bits_for(cells)
    at = allocate(entities, bits)
    if at < 0:
        return False
    entities.table[e] = at
    entities.bits[e] = bits
    entities.used[e] = 0
    member = entities.head[e]
    while member >= 0:
        if not add_row(rows, entities, entities.nodes[member], e, 1):
            return False
        member = entities.following[member]
    return True


@njit(cache=True, nogil=True)
def close_table(entities, e):  # type: ignore[no-untyped-def]
    release(entities, entities.table[e], entities.bits[e])
    entities.table[e] = -1


@njit(cache=True, nogil=True)
def row_dot(rows, node, other):  # type: ignore[no-untyped-def]
    """query(node) · stored(other), both sorted."""
    a, end_a = rows.query_start[node], rows.query_start[node + 1]
    b, end_b = rows.start[other], rows.start[other + 1]
    query, cells = rows.query_cells, rows.cells
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


@njit(cache=True, nogil=True, inline="always")
def ask_row(rows, node):  # type: ignore[no-untyped-def]
    """Prefetch a node's row, as far as most rows go."""
    at = rows.query_start[node]
    for line in range(6):
        prefetch(rows.query_cells, at + 8 * line)


@njit(cache=True, nogil=True, inline="always")
def ask_table(rows, entities, node, e):  # type: ignore[no-untyped-def]
    """Prefetch what `entity_dot` will look at."""
    at = entities.table[e]
    if at < 0:
        if entities.count[e] == 1:
            other = rows.start[entities.nodes[entities.head[e]]]
            prefetch(rows.cells, other)
            prefetch(rows.cells, other + 8)
            prefetch(rows.cells, other + 16)
        return
    bits = entities.bits[e]
    for c in range(rows.query_start[node], rows.query_start[node + 1]):
        prefetch(entities.arena, at + slot_of(rows.query_cells[c, 0], bits))


@njit(cache=True, nogil=True)
def entity_dot(rows, entities, node, e):  # type: ignore[no-untyped-def]
    """query(node) · sum of an entity's stored rows."""
    at = entities.table[e]
    if at < 0:
        return row_dot(rows, node, entities.nodes[entities.head[e]])
    arena, query = entities.arena, rows.query_cells
    # Unsigned, since numba would look at each index whether it counts from the end.
    start, shift = np.uint64(at), np.uint32(32 - entities.bits[e])
    mask = (np.uint64(1) << np.uint64(entities.bits[e])) - np.uint64(1)
    total = np.int64(0)
    for c in range(np.uint64(rows.query_start[node]), np.uint64(rows.query_start[node + 1])):
        key = query[c, 0]
        slot = np.uint64(np.uint32(np.uint32(key) * MULTIPLIER) >> shift)
        found = arena[start + slot, 0]
        while found != key and found != 0:
            slot = (slot + np.uint64(1)) & mask
            found = arena[start + slot, 0]
        # No branch, since whether an entity has a word cannot be predicted.
        total += np.int64(query[c, 1]) * np.int64(arena[start + slot, 1]) * np.int64(found == key)
    return total


@njit(cache=True, nogil=True)
def take_out(rows, entities, i):  # type: ignore[no-untyped-def]
    """Take node i (a local number) out of its entity."""
    e, node = entities.label[i], entities.nodes[i]
    before, after = entities.before[i], entities.following[i]
    if before >= 0:
        entities.following[before] = after
    else:
        entities.head[e] = after
    if after >= 0:
        entities.before[after] = before
    entities.count[e] -= 1
    entities.mass[e] -= rows.size[node]
    left = entities.count[e]
    if entities.table[e] >= 0:
        only = entities.nodes[entities.head[e]] if left == 1 else np.int64(0)
        if left == 0 or (left == 1 and rows.start[only + 1] - rows.start[only] <= LONG_ROW):
            close_table(entities, e)
        else:
            add_row(rows, entities, node, e, np.int32(-1))
    if left == 0:
        tally = entities.tally
        entities.empty[tally[EMPTY]] = e
        tally[EMPTY] += 1
        tally[LIVE] -= 1
        last = entities.live[tally[LIVE]]
        entities.live[entities.place[e]] = last
        entities.place[last] = entities.place[e]


@njit(cache=True, nogil=True)
def put_into(rows, entities, i, e):  # type: ignore[no-untyped-def]
    """Put node i, which is in no entity, into one (−1: a new one); returns its number, or −1 if the arena ran out."""
    node, tally = entities.nodes[i], entities.tally
    if e < 0:
        tally[EMPTY] -= 1
        e = entities.empty[tally[EMPTY]]
        entities.live[tally[LIVE]] = e
        entities.place[e] = tally[LIVE]
        tally[LIVE] += 1
    entities.before[i] = -1
    entities.following[i] = entities.head[e] if entities.count[e] > 0 else -1
    if entities.count[e] > 0:
        entities.before[entities.head[e]] = i
    entities.head[e] = i
    entities.label[i] = e
    entities.count[e] += 1
    entities.mass[e] += rows.size[node]
    if entities.table[e] >= 0:
        done = add_row(rows, entities, node, e, np.int32(1))
    elif entities.count[e] > 1 or rows.start[node + 1] - rows.start[node] > LONG_ROW:
        done = open_table(rows, entities, e)
    else:
        done = True
    return e if done else np.int64(-1)


@njit(cache=True, nogil=True)
def build(rows, nodes, labels, arena):  # type: ignore[no-untyped-def]
    """The entities of a round from the local labels (numbers below m) of its nodes."""
    m = len(nodes)
    label = labels.astype(np.int32)
    following = np.full(m, -1, dtype=np.int32)
    before = np.full(m, -1, dtype=np.int32)
    head = np.full(m, -1, dtype=np.int32)
    count = np.zeros(m, dtype=np.int32)
    mass = np.zeros(m, dtype=np.int64)
    empty = np.empty(m, dtype=np.int32)
    live = np.empty(m, dtype=np.int32)
    place = np.full(m, -1, dtype=np.int32)
    tally = np.zeros(4, dtype=np.int64)
    for i in range(m - 1, -1, -1):
        e = label[i]
        following[i] = head[e]
        if head[e] >= 0:
            before[head[e]] = i
        head[e] = i
        count[e] += 1
        mass[e] += rows.size[nodes[i]]
    entities = Entities(
        nodes, label, following, before, head, count, mass, np.full(m, -1, dtype=np.int64),
        np.zeros(m, dtype=np.int64), np.zeros(m, dtype=np.int64), arena, np.full(40, -1, dtype=np.int64),
        empty, live, place, tally,
    )  # fmt: skip
    for e in range(m - 1, -1, -1):
        if count[e] == 0:
            empty[tally[EMPTY]] = e
            tally[EMPTY] += 1
    for e in range(m):
        if count[e] > 0:
            live[tally[LIVE]] = e
            place[e] = tally[LIVE]
            tally[LIVE] += 1
            only = nodes[head[e]]
            if (count[e] > 1 or rows.start[only + 1] - rows.start[only] > LONG_ROW) and not open_table(
                rows, entities, e
            ):
                break
    return entities
