"""numba kernels of open-addressing tables of integer sums, all in one arena.

A table is 2^bits buckets; a bucket is one cache line of eight keys (feature + 1, 0 where a slot is free) and their
eight sums, which are looked at all at once: a look-up has no branch that could be mispredicted. Keys that find their
bucket full are in the next. Freed tables go to a list for each size. Nothing here is validated.
"""

from __future__ import annotations

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

_NUMBER = ir.IntType(32)


def new_arena(buckets: int) -> npt.NDArray[np.int32]:
    """Room for so many buckets, each on a cache line of its own."""
    room = np.empty(buckets * LINE + LINE, dtype=np.int32)
    first = -room.ctypes.data % (4 * LINE) // 4
    return room[first : first + buckets * LINE]


def arena_buckets(cells: int, nodes: int) -> int:
    """Buckets for the tables of a round: a third full at worst, and growing leaves smaller pieces behind."""
    return (5 * cells) // BUCKET_SLOTS + 4 * nodes + 128


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
    """A cleared table of 2^bits buckets, or −1 if the arena has none left. `tally[0]` counts the buckets taken."""
    at = free[bits]
    buckets = np.int64(1) << bits
    if at >= 0:
        # A free table holds the number of the next one, split over its first two places.
        low = np.int64(arena[LINE * at + 1]) & np.int64(0xFFFFFFFF)
        free[bits] = (np.int64(arena[LINE * at]) << 32) | low
    else:
        at = tally[0]
        if LINE * (at + buckets) > len(arena):
            return np.int64(-1)
        tally[0] = at + buckets
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
