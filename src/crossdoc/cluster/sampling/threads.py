"""Kernels that look at a range of nodes, on several threads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

import numpy as np

Found = TypeVar("Found")


def in_pieces(work: Callable[[int, int], Found], n: int, threads: int) -> list[Found]:
    """work(first, last) for as many ranges as there are threads, which together are the numbers below n.

    >>> in_pieces(lambda first, last: list(range(first, last)), 5, 2)
    [[0, 1], [2, 3, 4]]
    """
    bounds = [int(bound) for bound in np.linspace(0, n, threads + 1)]
    if threads == 1:
        return [work(0, n)]
    with ThreadPoolExecutor(threads) as pool:
        return [done.result() for done in [pool.submit(work, *piece) for piece in pairwise(bounds)]]
