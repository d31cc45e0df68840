"""What a run says before it starts: that it will not fit, or that it has to be compiled first."""

from __future__ import annotations

from pathlib import Path

from crossdoc import errors
from crossdoc.cluster.sampling.moves import best_moves
from crossdoc.memory import free_bytes
from crossdoc.progress import Progress

BYTES_PER_CELL = 34
"""8 for the rows, 8 for the blocks (at most as many cells again), 18 for tables: slots of 8 bytes, half full."""
BYTES_PER_NODE = 400


def check_memory(mentions: int, cells: int) -> None:
    """Refuse a job that needs more memory than is free."""
    needed, free = needed_bytes(mentions, cells), free_bytes()
    if free is not None and needed > free:
        raise errors.too_little_memory(needed, free, mentions)


def needed_bytes(mentions: int, cells: int) -> int:
    return BYTES_PER_CELL * cells + BYTES_PER_NODE * mentions


def say_if_compiling(progress: Progress) -> None:
    """The first use on a machine compiles the kernels for about a minute; later ones find them in numba's cache."""
    if best_moves.signatures:
        return
    cached = Path(best_moves._cache.cache_path)
    if not any(cached.glob("moves.best_moves-*.nbi")):
        progress.start("compiling the sampler, which happens once and takes about a minute")
