"""Kill workers, nodes and the driver of runs on a Ray cluster of several nodes, at random moments, and compare.

    python benchmarks/ray_faults.py FOLDER [--kills 50] [--seed 0] [--mentions 12500] [--only links] [--during round]

FOLDER gets the input (the sample's documents in three files, and a synthetic table of links), the answers and logs.
*Links* are resolved by sampling in five partitions.
The cluster is one of `ray.cluster_utils` on this machine: nodes are sets of processes, with object stores of 80 MB (the
least that Ray takes) that spill from a hundredth on; what was spilled is counted. Each run is disturbed until it has
finished; its driver is begun again with --resume when it was killed. Whether the answer is that of an undisturbed run
is said at the end of each, profile by profile.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import crossdoc
from crossdoc.scoring import Assignment, score_assignments

STORE_BYTES = 80 * 2**20
SPILLING = {"object_spilling_threshold": 0.01, "min_spilling_size": 2**16}
"""So that objects of a corpus that is resolved in a minute are spilled, too; those below 100 kB are in no store."""
NODES = 3
FILES = 3
"""In which the sample's documents are: as many parts."""
SHARES = {"worker": 0.6, "node": 0.25, "driver": 0.15}


class Disturbed:
    """A cluster whose parts die."""

    def __init__(self, folder: Path, seed: int, during: str) -> None:
        from ray.cluster_utils import Cluster

        self.folder, self.random, self.during = folder, random.Random(seed), during
        head = {"num_cpus": 0, "object_store_memory": STORE_BYTES, "_system_config": SPILLING}
        self.cluster = Cluster(initialize_head=True, head_node_args=head)
        self.spilled: dict[Path, int] = {}
        self.nodes = [self._node() for _ in range(NODES)]
        self.killed: Counter[str] = Counter()

    def _node(self) -> Any:
        for _ in range(5):
            try:
                return self.cluster.add_node(num_cpus=1, object_store_memory=STORE_BYTES)
            except Exception as error:  # noqa: BLE001 - Ray raises a plain one where a busy machine is too slow
                print(f"  a node did not start: {str(error)[:60]}", flush=True)
        raise SystemExit("no node starts")

    def kill(self, driver: subprocess.Popen[bytes]) -> str:
        what = self.random.choices(list(SHARES), list(SHARES.values()))[0]
        if what == "driver":
            driver.send_signal(signal.SIGKILL)
        elif what == "node":
            at = self.random.randrange(len(self.nodes))
            self.cluster.remove_node(self.nodes[at], allow_graceful=False)
            self.nodes[at] = self._node()
        elif not self._kill_worker():
            return ""
        self.killed[what] += 1
        return what

    def _kill_worker(self) -> bool:
        """Kill a process that runs one of our tasks; those are children of our nodes' own processes."""
        parents = {each.process.pid for node in self.nodes for each in node.all_processes.get("raylet", [])}
        busy = [
            pid
            for pid, parent, words in _processes()
            if parent in parents and words.startswith("ray::") and not any(idle in words for idle in ("IDLE", "Agent"))
        ]
        if not busy:
            return False
        os.kill(self.random.choice(busy), signal.SIGKILL)
        return True

    def run(self, name: str, command: list[str], kills: int, gap: tuple[float, float]) -> Path:
        """One run, disturbed so often, or until it ends."""
        out = self.folder / f"{name}.crossdoc"
        log = self.folder / f"{name}.log"
        begun, done, again = time.monotonic(), 0, 0
        with log.open("ab") as stream:
            driver = self._driver(command, out, stream)
            while True:
                wait = self.random.uniform(*gap)
                try:
                    code = self._wait(driver, wait)
                except subprocess.TimeoutExpired:
                    stage = _last(log)
                    if done < kills and stage.startswith(self.during) and (what := self.kill(driver)):
                        done += 1
                        print(f"  {time.monotonic() - begun:6.0f} s: killed a {what} during “{stage}”", flush=True)
                    continue
                if code == 0:
                    break
                again += 1
                if again > 60:
                    raise SystemExit(f"{name} does not finish: {_last(log)}")
                driver = self._driver(command, out, stream)
        print(
            f"{name}: finished after {time.monotonic() - begun:.0f} s, {done} kills, begun again {again} times",
            flush=True,
        )
        return out

    def _wait(self, driver: subprocess.Popen[bytes], seconds: float) -> int:
        """Wait for the driver, and look meanwhile at what lies on disk of the object stores."""
        end = time.monotonic() + seconds
        while True:
            for path in Path(self.cluster.head_node.get_session_dir_path()).glob("ray_spilled_objects*/*"):
                with suppress(OSError):
                    self.spilled[path] = path.stat().st_size
            with suppress(subprocess.TimeoutExpired):
                return driver.wait(0.5)
            if time.monotonic() > end:
                raise subprocess.TimeoutExpired(driver.args, seconds)

    def _driver(self, command: list[str], out: Path, stream: Any) -> subprocess.Popen[bytes]:
        words = [sys.executable, "-m", "crossdoc", "resolve", *command, "-o", str(out), "--engine", "ray",
                 "--address", self.cluster.address, "--resume"]  # fmt: skip
        return subprocess.Popen(words, stdout=stream, stderr=stream, env={**os.environ, "COLUMNS": "200"})


def _processes() -> list[tuple[int, int, str]]:
    """Number, parent and command of all processes."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((place / "stat").read_text().rpartition(")")[2].split()[1])
            words = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except (OSError, ValueError):
            continue
        found.append((int(place.name), parent, words))
    return found


def _last(log: Path) -> str:
    """The stage that a run was said to be in last; Ray's own lines do not end like it."""
    lines = log.read_bytes().decode(errors="replace").splitlines()
    return next((line.strip()[:60] for line in reversed(lines) if line.strip().endswith("…")), "")


def fingerprint(out: Path) -> tuple[str, int]:
    """A hash of who is who, and how many profiles there are."""
    with crossdoc.open(out) as answer:
        rows = answer.answer().select(["id", "entity"]).sort_by("id")
    return hashlib.sha256(json.dumps(rows.to_pylist()).encode()).hexdigest()[:16], len(rows)


def inputs(folder: Path, mentions: int) -> tuple[list[Path], Path]:
    sample = Path(crossdoc.__file__).parent / "sample" / "documents.jsonl"
    records = [json.loads(line) for line in sample.read_text().splitlines()]
    documents = folder / "documents"
    documents.mkdir(exist_ok=True)
    # A file is a part at least.
    for number in range(FILES):
        pq.write_table(pa.Table.from_pylist(records[number::FILES]), documents / f"{number}.parquet")
    links = folder / "links.parquet"
    maker = str(Path(__file__).with_name("wikilink_corpus.py"))
    subprocess.run([sys.executable, maker, str(links), "--mentions", str(mentions)], check=True)
    return sorted(documents.iterdir()), links


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--a-run", type=int, default=9, help="kills in one run at most")
    parser.add_argument("--gap", type=float, nargs=2, default=(4.0, 25.0), help="seconds between two kills")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--mentions", type=int, default=12_500)
    parser.add_argument("--only", choices=["documents", "links"], help="disturb runs of one kind")
    parser.add_argument("--during", default="", help="how stages begin in which to kill, such as `round`; else in any")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    documents, links = inputs(given.folder, given.mentions)
    gold = Assignment.from_table(pq.read_table(links, columns=["id", "entity"]))
    jobs = {
        "documents": [str(path) for path in documents],
        "links": [str(links), "--method", "sampling", "--set", "sampling.partitions=5",
                  "--set", "sampling.bias=0.025", "--set", "sampling.name_weight=0.028"],
    }  # fmt: skip
    jobs = {name: command for name, command in jobs.items() if given.only in (None, name)}
    disturbed = Disturbed(given.folder, given.seed, given.during)
    whole: dict[str, tuple[str, int]] = {}
    for name, command in jobs.items():
        whole[name] = fingerprint(disturbed.run(f"{name}-whole", command, 0, given.gap))
    number = same = 0
    while sum(disturbed.killed.values()) < given.kills:
        name = list(jobs)[number % len(jobs)]
        out = disturbed.run(f"{name}-{number}", jobs[name], given.a_run, given.gap)
        found = fingerprint(out)
        same += found == whole[name]
        print(f"  {found[1]:,} profiles, the answer {'the same' if found == whole[name] else 'ANOTHER'}", flush=True)
        if name != "documents":
            with crossdoc.open(out) as answer:
                b3 = score_assignments(Assignment.from_table(answer.answer()), gold).values["b3"]["f1"]
            print(f"  B³ {b3:.4f}", flush=True)
        number += 1
    spilled = disturbed.spilled.values()
    print(f"{dict(disturbed.killed)}: {same} of {number} disturbed runs gave the answer of the undisturbed one; "
          f"{len(spilled)} files of spilled objects, {sum(spilled) / 2**20:,.0f} MB, seen", flush=True)  # fmt: skip
    disturbed.cluster.shutdown()


if __name__ == "__main__":
    main()
