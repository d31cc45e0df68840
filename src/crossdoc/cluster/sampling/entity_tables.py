"""numba kernels of the entities of a round: who is in which, and the sum of each one's rows.

An entity of several nodes has an open-addressing table of sums, a short lone node has none. All tables are in one
arena. A table is 2^bits buckets; a bucket is one cache line of eight keys (feature + 1, 0 where a slot is free) and
their eight sums, which are looked at all at once: a look-up has no branch that could be mispredicted. Keys that find
their bucket full are in the next. Freed tables go to a list for each size.

Sums are integers (see `factor_graph.py`), so that a move and its undoing leave exactly what was there. Functions
called for every proposal take plain arrays, since numba counts the references to each array of a tuple that it hands
on. Nothing here is validated.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from llvmlite import ir  # type: ignore[import-untyped]
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

BUCKET_SLOTS = 8
LINE = 2 * BUCKET_SLOTS
"""32-bit numbers of a bucket."""
FEWEST_BITS = 1
FILLED = 4
"""Keys a bucket on average, at most: with five of eight slots taken one bucket in eight is full."""
MULTIPLIER = np.uint32(2654435769)
"""2³² divided by the golden ratio: Knuth's multiplicative hashing."""
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
    """Buckets taken from the arena, empty numbers, live entities, and whether the arena ran out."""


TAKEN, N_EMPTY, N_LIVE, ARENA_FULL = range(4)
HEAD, COUNT, MASS, TABLE, BITS, USED, LIVE_PLACE, CHANGES = range(8)
"""A member, how many there are, their size in all, the table (−1 without one), log2 of its buckets, its keys, the place
among the live, and how often the entity has changed."""

_NUMBER = ir.IntType(32)


def new_arena(buckets: int) -> npt.NDArray[np.int32]:
    """Room for so many buckets, each on a cache line of its own."""
    room = np.empty(buckets * LINE + LINE, dtype=np.int32)
    first = -room.ctypes.data % (4 * LINE) // 4
    return room[first : first + buckets * LINE]


# Eight lanes without a branch, which LLVM turns into vector instructions.
@njit(cache=True, nogil=True, inline="always")
def value_in(arena, base, key):  # type: ignore[no-untyped-def]
    """The sum of a key in the bucket at `base`, or 0."""
    found = np.int32(0)
    for slot in range(np.uint64(BUCKET_SLOTS)):
        found |= arena[base + slot + np.uint64(BUCKET_SLOTS)] if arena[base + slot] == key else np.int32(0)
    return found


@njit(cache=True, nogil=True, inline="always")
def slot_in(arena, base, key):  # type: ignore[no-untyped-def]
    """Which slot of the bucket at `base` holds a key (0: a free one), or BUCKET_SLOTS."""
    found = BUCKET_SLOTS
    for back in range(BUCKET_SLOTS):
        slot = BUCKET_SLOTS - 1 - back
        found = slot if arena[base + np.uint64(slot)] == key else found
    return found


@intrinsic
def prefetch(typing_context, array, index):  # type: ignore[no-untyped-def]
    """Ask for the cache line of an array's 32-bit number."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        place = builder.bitcast(builder.gep(data, [arguments[1]]), cgutils.voidptr_t)
        kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, _NUMBER, _NUMBER, _NUMBER])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        builder.call(function, [place, _NUMBER(0), _NUMBER(3), _NUMBER(1)])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


@njit(cache=True, nogil=True, inline="always")
def bucket_of(key, bits):  # type: ignore[no-untyped-def]
    # numba multiplies 32-bit numbers as 64-bit ones.
    return np.uint64(np.uint32(np.uint32(key) * MULTIPLIER) >> np.uint32(32 - bits))


@njit(cache=True, nogil=True)
def bits_for(keys):  # type: ignore[no-untyped-def]
    """log2 of the buckets for so many keys."""
    bits = FEWEST_BITS
    while FILLED * (np.int64(1) << bits) < keys:
        bits += 1
    return bits


@njit(cache=True, nogil=True)
def take_table(arena, free, tally, bits):  # type: ignore[no-untyped-def]
    """A cleared table of 2^bits buckets, or −1 (and the ARENA_FULL mark) if the arena has none left."""
    at = free[bits]
    buckets = np.int64(1) << bits
    if at >= 0:
        # A free table holds the number of the next one, split over its first two places.
        low = np.int64(arena[LINE * at + 1]) & np.int64(0xFFFFFFFF)
        free[bits] = (np.int64(arena[LINE * at]) << 32) | low
    else:
        at = tally[TAKEN]
        if LINE * (at + buckets) > len(arena):
            tally[ARENA_FULL] = 1
            return np.int64(-1)
        tally[TAKEN] = at + buckets
    arena[LINE * at : LINE * (at + buckets)] = 0
    return at


@njit(cache=True, nogil=True)
def give_back(arena, free, at, bits):  # type: ignore[no-untyped-def]
    following = free[bits]
    arena[LINE * at] = np.int32(following >> 32)
    arena[LINE * at + 1] = np.int32(following & np.int64(0xFFFFFFFF))
    free[bits] = at


@njit(cache=True, nogil=True, inline="always")
def place_of(arena, at, bits, key):  # type: ignore[no-untyped-def]
    """Return the place of a key in the arena, or the free place for it (which holds 0); its sum is SLOTS further on."""
    mask = (np.uint64(1) << np.uint64(bits)) - np.uint64(1)
    bucket = bucket_of(key, bits)
    while True:
        base = (np.uint64(at) + bucket) * np.uint64(LINE)
        slot = slot_in(arena, base, key)
        if slot == BUCKET_SLOTS:
            slot = slot_in(arena, base, np.int32(0))
        if slot < BUCKET_SLOTS:
            return np.int64(base) + slot
        bucket = (bucket + np.uint64(1)) & mask


@njit(cache=True, nogil=True)
def move_table(arena, at, bits, new, new_bits):  # type: ignore[no-untyped-def]
    """Copy the sums that are not 0 into an empty table, and count them."""
    kept = 0
    for bucket in range(at, at + (np.int64(1) << bits)):
        for slot in range(LINE * bucket, LINE * bucket + BUCKET_SLOTS):
            if arena[slot + BUCKET_SLOTS] != 0:
                to = place_of(arena, new, new_bits, arena[slot])
                arena[to] = arena[slot]
                arena[to + BUCKET_SLOTS] = arena[slot + BUCKET_SLOTS]
                kept += 1
    return kept


@njit(cache=True, nogil=True)
def count_sums(arena, at, bits):  # type: ignore[no-untyped-def]
    """How many sums of a table are not 0."""
    many = 0
    for bucket in range(at, at + (np.int64(1) << bits)):
        for slot in range(LINE * bucket + BUCKET_SLOTS, LINE * bucket + LINE):
            many += arena[slot] != 0
    return many


# Plain arrays, not the tuples they are kept in: numba would copy those at each call.
@njit(cache=True, nogil=True)
def ask_sums(cells, start, end, arena, at, bits):  # type: ignore[no-untyped-def]
    """Prefetch what `sums_dot` will look at."""
    for c in range(np.uint64(start), np.uint64(end)):
        prefetch(arena, LINE * (at + np.int64(bucket_of(cells[c, 0], bits))))


@njit(cache=True, nogil=True)
def sums_dot(cells, start, end, arena, at, bits):  # type: ignore[no-untyped-def]
    """Σ value · sum over the cells (key, value) of a row."""
    mask = (np.uint64(1) << np.uint64(bits)) - np.uint64(1)
    first = np.uint64(at)
    total = np.int64(0)
    # Unsigned, since numba would look at each index whether it counts from the end.
    for c in range(np.uint64(start), np.uint64(end)):
        key = cells[c, 0]
        bucket = bucket_of(key, bits)
        base = (first + bucket) * np.uint64(LINE)
        value = value_in(arena, base, key)
        while value == 0 and arena[base + np.uint64(BUCKET_SLOTS - 1)] != 0:
            bucket = (bucket + np.uint64(1)) & mask
            base = (first + bucket) * np.uint64(LINE)
            value = value_in(arena, base, key)
        total += np.int64(cells[c, 1]) * np.int64(value)
    return total


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
def grow(entities, e, more):  # type: ignore[no-untyped-def]
    """Room for `more` further keys in an entity's table; sums that are zero are dropped on the way."""
    arena, entity = entities.arena, entities.record[e]
    at, bits = entity[TABLE], entity[BITS]
    wanted = bits_for(count_sums(arena, at, bits) + more)
    new = take_table(arena, entities.free, entities.tally, wanted)
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
    at = take_table(entities.arena, entities.free, entities.tally, bits)
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
    """The entities of a round, in an arena that has room for them: a third full, and growing leaves smaller pieces."""
    cells = int((rows.start[nodes.astype(np.int64) + 1] - rows.start[nodes]).sum())
    buckets = (5 * cells) // BUCKET_SLOTS + 4 * len(nodes) + 128
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
