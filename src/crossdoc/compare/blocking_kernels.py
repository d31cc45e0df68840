"""The numba kernel of blocking: the pairs of rows that bear pairs of names."""

from __future__ import annotations

from numba import njit


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
