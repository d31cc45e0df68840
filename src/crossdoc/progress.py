"""Long work: how it reports on itself, how much memory it needs, and when the garbage collector pauses.

The command line draws progress, the library keeps quiet unless asked.
"""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol

BYTES_A_PROFILE = 10_000
"""Bytes per profile for comparing and clustering, without words. Measured on 40,000 synthetic profiles with few words.
"""
LARGE = 1 << 20
MMAP_THRESHOLD = -3
"""Parameter of glibc's `mallopt`: allocations of more bytes come from the system and not from a thread's arena."""


def shortage(profiles: int, size: int) -> str | None:
    """Return a warning if work on these profiles, of `size` bytes in all, may not fit into memory.

    >>> shortage(10, 1_000) is None
    True
    """
    needed, free = BYTES_A_PROFILE * profiles + 3 * size, free_bytes()
    if free is None or needed <= free:
        return None
    return (
        f"{profiles:,} profiles need about {needed / 2**30:.1f} GB of memory, but {free / 2**30:.1f} GB are free; "
        "if that is not enough, the run ends with a message, and nothing is lost"
    )


@contextmanager
def uncollected() -> Iterator[None]:
    """Pause the garbage collector for a few seconds in which many objects are created and kept.

    >>> with uncollected():
    ...     gc.isenabled()
    False
    >>> gc.isenabled()
    True
    """
    looks = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if looks:
            gc.enable()


def return_large() -> None:
    """Return freed memory of a megabyte or more to the system; does nothing without glibc.

    By default glibc keeps pieces of up to 32 MB for the thread that had them, once one was freed: after a search by two
    threads that was a fifth of all memory.
    """
    with suppress(OSError, AttributeError, TypeError):
        ctypes.CDLL(None).mallopt(MMAP_THRESHOLD, LARGE)


def return_unused() -> None:
    """Return memory that Arrow has freed, but still holds, to the system."""
    import pyarrow as pa

    pa.default_memory_pool().release_unused()


def free_bytes() -> int | None:
    """Return the memory that this process can still have; None if the system does not report it."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        found = [int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")]
    except (OSError, ValueError, IndexError):
        return None
    return min([*found, *_group_limit(), *_process_limit()], default=None)


def _process_limit() -> list[int]:
    """Limits of `ulimit -v` and `ulimit -d`."""
    try:
        import resource

        pages = Path("/proc/self/statm").read_text().split()
        used = {resource.RLIMIT_AS: int(pages[0]), resource.RLIMIT_DATA: int(pages[5])}
        most = {limit: resource.getrlimit(limit)[0] for limit in used}
        left = {limit: most[limit] - used[limit] * resource.getpagesize() for limit in used}
        return [max(0, left[limit]) for limit in used if most[limit] != resource.RLIM_INFINITY]
    except (ImportError, OSError, ValueError, IndexError):
        return []


def _group_limit() -> list[int]:
    """Limit of a container."""
    try:
        most = Path("/sys/fs/cgroup/memory.max").read_text().strip()
        used = int(Path("/sys/fs/cgroup/memory.current").read_text())
        return [] if most == "max" else [max(0, int(most) - used)]
    except (OSError, ValueError):
        return []


class Progress(Protocol):
    def start(self, stage: str, total: int | None = None) -> None:
        """A new stage begins; `total` steps if that is known."""

    def advance(self, steps: int = 1) -> None: ...

    def note(self, message: str) -> None:
        """Something the user should know; also kept with the run."""


class Quiet:
    """Reports nothing."""

    def start(self, stage: str, total: int | None = None) -> None:
        pass

    def advance(self, steps: int = 1) -> None:
        pass

    def note(self, message: str) -> None:
        pass
