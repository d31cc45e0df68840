"""Recovery of a file after a power cut in the middle of a write.

DuckDB writes new data to free blocks, but rewrites the blocks that describe the tables in place. Each has 256 kB and
one checksum, so a cut during such a write would make the file unreadable. A copy of them is therefore kept next to the
file (`OUT.crossdoc.blocks`) while it is open for writing. If the last entry of DuckDB's log is incomplete, the log is
cut before it: that change had not been reported as done.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from contextlib import suppress
from pathlib import Path

import duckdb

from crossdoc.files import flush_to_disk, mode_of

HEADERS = 3 * 4096
"""Bytes before the first block of a DuckDB file: the file's header and two headers of states, written in turn."""
BLOCK = 262_144
"""Bytes."""
BAD_BLOCK = re.compile(r"Corrupt database file: .* in block at location (\d+)", re.DOTALL)
BAD_ENTRY = re.compile(r"Corrupt WAL file: entry at byte position (\d+)")


def blocks_of(path: Path) -> Path:
    """Return the path of the copied blocks."""
    return path.with_name(path.name + ".blocks")


def keep_blocks(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Copy the headers of an attached file, and the blocks that DuckDB rewrites in place."""
    numbers = connection.execute("SELECT block_id FROM pragma_metadata_info('stored') ORDER BY 1").fetchall()
    places = [(0, HEADERS), *((HEADERS + number * BLOCK, BLOCK) for (number,) in numbers)]
    with path.open("rb") as file:
        copied = b"".join(os.pread(file.fileno(), size, at) for at, size in places)
    kept, told = blocks_of(path), json.dumps(places).encode() + b"\n"
    kept.unlink(missing_ok=True)
    with os.fdopen(os.open(kept, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode_of(path) or 0o600), "wb") as stream:
        stream.write(hashlib.sha256(told + copied).digest() + told + copied)
        stream.flush()
        os.fsync(stream.fileno())
    flush_to_disk(kept.parent)


def forget_blocks(path: Path) -> None:
    # A copy that stays does no harm: it is not of the file's present state.
    with suppress(OSError):
        blocks_of(path).unlink()


def repair(path: Path, error: Exception) -> bool:
    """Repair a file that could not be opened; return whether something was repaired."""
    with suppress(OSError):
        if found := BAD_BLOCK.search(str(error)):
            return _restore_blocks(path, int(found[1]))
        if found := BAD_ENTRY.search(str(error)):
            return _cut_log(path.with_name(path.name + ".wal"), int(found[1]))
    return False


def _restore_blocks(path: Path, damaged: int) -> bool:
    kept = blocks_of(path)
    if kept.is_symlink() or not kept.is_file():
        return False
    stored = kept.read_bytes()
    digest, rest = stored[:32], stored[32:]
    if hashlib.sha256(rest).digest() != digest:
        return False
    told, _, copied = rest.partition(b"\n")
    places = json.loads(told)
    with path.open("r+b") as file:
        now = file.read(HEADERS)
        # A header that has changed says that the blocks were complete, unless the header itself is damaged.
        if now != copied[:HEADERS] and (damaged >= HEADERS or now[:4096] != copied[:4096]):
            return False
        for at, size in places:
            os.pwrite(file.fileno(), copied[:size], at)
            copied = copied[size:]
        os.fsync(file.fileno())
    kept.unlink()
    return True


def _cut_log(log: Path, position: int) -> bool:
    if log.is_symlink() or position >= log.stat().st_size:
        return False
    with log.open("r+b") as file:
        file.truncate(position)
        os.fsync(file.fileno())
    return True
