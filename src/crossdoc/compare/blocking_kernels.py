"""numba kernels of blocking: which distinct names of a block may be one, and the pairs of rows that bear them."""

from __future__ import annotations

import numpy as np
from numba import njit

from crossdoc.compare.specialists.kernels import _person_name


@njit(cache=True, nogil=True)
def _first_in_common(lists, a, b):  # type: ignore[no-untyped-def]
    i, j = lists.start[a], lists.start[b]
    while lists.values[i] != lists.values[j]:
        if lists.values[i] < lists.values[j]:
            i += 1
        else:
            j += 1
    return lists.values[i]


@njit(cache=True, nogil=True)
def agreeing_people(words, names, keys, key, members, begin, end, out):  # type: ignore[no-untyped-def]
    """Pairs of the members of a key, the first from begin to end, whose names do not clash; how many there are.

    Names that share several keys meet at the first of them alone, so that every pair comes once.
    """
    longest = 1
    for i in range(len(words.letters.length)):
        longest = max(longest, words.letters.length[i])
    taken = np.empty((2, longest), dtype=np.uint8)
    count = 0
    for i in range(begin, end):
        for j in range(i + 1, len(members)):
            a, b = members[i], members[j]
            if _first_in_common(keys, a, b) == key and _person_name(words, names, a, b, taken) > 0.0:
                out[count, 0], out[count, 1] = a, b
                count += 1
    return count


@njit(cache=True, nogil=True)
def spread(names, bearers, state, out, filled):  # type: ignore[no-untyped-def]
    """Write the pairs of rows that bear pairs of names into `out` from `filled` on, until it or they are full.

    `state` is where to go on: the pair of names, and the bearer of each. A name paired with itself gives each pair of
    its bearers once.
    """
    k, i, j = state
    while k < len(names) and filled < len(out):
        a, b = names[k, 0], names[k, 1]
        a_end, b_end = bearers.start[a + 1] - bearers.start[a], bearers.start[b + 1] - bearers.start[b]
        if i == a_end:
            k, i, j = k + 1, 0, 0
            continue
        if a == b and j <= i:
            j = i + 1
        if j >= b_end:
            i, j = i + 1, 0
            continue
        one, other = bearers.values[bearers.start[a] + i], bearers.values[bearers.start[b] + j]
        out[filled, 0], out[filled, 1] = min(one, other), max(one, other)
        filled += 1
        j += 1
    state[0], state[1], state[2] = k, i, j
    return filled
