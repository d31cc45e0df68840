"""Runs that get in each other's way, on a disk that fills and with little memory: is anything lost?

    python tools/load_runs.py [--runs 10] [--steps 12] [--profiles 100000] [--memory 1.0] [--only runs disk memory]

runs    so many `resolve` at once, each onto a file of its own (the answers must be the same), then all onto one.
disk    a file may grow to so many bytes and no more (RLIMIT_FSIZE), from next to nothing to enough, so that every stage
        meets its end: the old result and its judgement must be there, and the next run without a limit must succeed.
memory  so many profiles with so many GB (RLIMIT_DATA): an answer, or a message, and nothing in the way of a later run.
        Arrow takes memory from the system, since its own allocator asks for 1 GB of addresses that it never uses.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import crossdoc
from crossdoc.store import Store

COMMAND = [sys.executable, "-m", "crossdoc"]


def profiles(path: Path, count: int) -> Path:
    names = ["Ann Li", "Bo Kim", "Cy Orr", "Di Fox"]
    with path.open("w") as stream:
        for n in range(count):
            name = names[n % 4] if count < 1000 else f"{names[n % 4].split()[0]} {chr(97 + n % 26)}{n % 9973}"
            row = {
                "id": f"p{n}",
                "document": f"d{n // 2}",
                "name": name,
                "type": "person",
                "context": f"race lap w{n % 97} {n}",
            }
            stream.write(json.dumps(row) + "\n")
    return path


def started(*words: object, limit: tuple[int, int] | None = None) -> subprocess.Popen[str]:
    def limited() -> None:
        if limit is not None:
            resource.setrlimit(limit[0], (limit[1], limit[1]))

    return subprocess.Popen(
        [*COMMAND, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=limited
    )  # fmt: skip


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    _, printed = process.communicate()
    assert not any(sign in printed for sign in ("Traceback", "has a bug")), printed
    return process.returncode, printed


def answer(path: Path) -> dict[str, str]:
    with Store.open(path) as store:
        held = store.entity_of()
        assert set(held) == set(store.profiles().ids), "a profile without an identity"
        return held


def left(folder: Path, kept: Sequence[str]) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name not in kept)


def at_once(folder: Path, runs: int) -> str:
    given = profiles(folder / "in.jsonl", 40)
    own = [folder / f"{n}.crossdoc" for n in range(runs)]
    for process in [started("resolve", given, "-o", path) for path in own]:
        code, printed = ended(process)
        assert code == 0, printed
    assert all(answer(path) == answer(own[0]) for path in own), "the answers differ"
    one = folder / "one.crossdoc"
    codes = [ended(process)[0] for process in [started("resolve", given, "-o", one) for _ in range(runs)]]
    assert 0 in codes, codes
    assert answer(one) == answer(own[0]), "the answer on one file differs"
    assert left(folder, [given.name, one.name, *(path.name for path in own)]) == [], "something is left behind"
    wrote = codes.count(0)
    return f"{runs} runs at once: the same answer; onto one file: {wrote} wrote, {runs - wrote} were told to wait"


def full_disk(folder: Path, steps: int) -> str:
    given, out = profiles(folder / "in.jsonl", 40), folder / "out.crossdoc"
    crossdoc.resolve(given, output=out).close()
    with crossdoc.open(out) as result:
        entry = result.judge("p0", "p4", "different").entry
    size = out.stat().st_size
    failed = 0
    for step in range(steps):
        most = int(size * 1.2 * step / max(1, steps - 1)) + 1000
        act = [
            ("resolve", given, "-o", out),
            ("judge", out, "same", "p1", "p5"),
            ("export", out, "-o", folder / "a.csv"),
        ][step % 3]
        code, printed = ended(started(*act, limit=(resource.RLIMIT_FSIZE, most)))
        assert code in (0, 1), printed
        failed += code
        answer(out)
        with crossdoc.open(out) as result:
            assert entry in [each.number for each in result.store.entries()], "the judgement is lost"
    code, printed = ended(started("resolve", given, "-o", out))
    assert code == 0, printed
    assert left(folder, [given.name, out.name, "a.csv"]) == [], "something is left behind"
    return f"{steps} limits of a file's size: {failed} runs could not write and said so, nothing was lost"


def little_memory(folder: Path, count: int, gigabytes: float) -> str:
    given, out = profiles(folder / "in.jsonl", count), folder / "out.crossdoc"
    began = time.monotonic()
    os.environ["ARROW_DEFAULT_MEMORY_POOL"] = "system"
    code, printed = ended(started("resolve", given, "-o", out, limit=(resource.RLIMIT_DATA, int(gigabytes * 2**30))))
    assert code in (0, 1), printed
    outcome = "an answer" if code == 0 else printed.strip().splitlines()[-2:]
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
    return (
        f"{count:,} profiles with {gigabytes:g} GB: {outcome}, {peak:.2f} GB at most, {time.monotonic() - began:.0f} s"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--profiles", type=int, default=100_000)
    parser.add_argument("--memory", type=float, default=1.0)
    parser.add_argument("--only", nargs="*", default=["runs", "disk", "memory"])
    given = parser.parse_args()
    parts: dict[str, Any] = {
        "runs": lambda folder: at_once(folder, given.runs),
        "disk": lambda folder: full_disk(folder, given.steps),
        "memory": lambda folder: little_memory(folder, given.profiles, given.memory),
    }
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    for name in given.only:
        with tempfile.TemporaryDirectory() as folder:
            print(parts[name](Path(folder)), flush=True)


if __name__ == "__main__":
    main()
