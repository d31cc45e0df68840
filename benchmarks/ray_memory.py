"""Resident memory of the driver and of the workers of runs on Ray, while the corpus grows.

    python benchmarks/ray_memory.py [--sizes 3000 10000 30000] [--figure FILE.svg]

Each size is a run in a process of its own, by sampling, on a cluster of two workers that it starts. What is resident is
looked at twice a second: the driver, and the largest worker (memory that it shares with the object store included).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def resident(pid: int) -> float:
    """In GB; 0 for a process that is gone."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096 / 1e9
    except (OSError, IndexError):
        return 0.0


def below(root: int) -> list[int]:
    """The processes that come of one."""
    parent = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            parent[int(place.name)] = int((place / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            continue
    found, left = [], [root]
    while left:
        at = left.pop()
        more = [pid for pid, above in parent.items() if above == at]
        found += more
        left += more
    return found


def worker(pid: int) -> bool:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
    return words.startswith(b"ray::") and b"Agent" not in words


def measure(mentions: int, folder: Path) -> tuple[float, float]:
    source = folder / f"{mentions}.parquet"
    maker = str(Path(__file__).with_name("wikilink_corpus.py"))
    subprocess.run([sys.executable, maker, str(source), "--mentions", str(mentions)], check=True, capture_output=True)
    weights = {"partitions": "4", "bias": "0.0254", "name_weight": "0.0279", "max_iter": "24"}
    settings = [word for name, value in weights.items() for word in ("--set", f"sampling.{name}={value}")]
    command = [
        sys.executable,
        "-m",
        "crossdoc",
        "resolve",
        str(source),
        "-o",
        str(folder / f"{mentions}.crossdoc"),
        "--json",
    ]
    command += ["--engine", "ray", "--method", "sampling", *settings]
    run = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    driver = workers = 0.0
    while run.poll() is None:
        driver = max(driver, resident(run.pid))
        workers = max([workers, *(resident(pid) for pid in below(run.pid) if worker(pid))])
        time.sleep(0.5)
    if run.returncode:
        raise SystemExit(f"the run of {mentions:,} mentions failed")
    return driver, workers


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="*", default=[3_000, 10_000, 30_000])
    parser.add_argument("--figure", type=Path)
    given = parser.parse_args()
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for mentions in given.sizes:
            found.append(measure(mentions, Path(folder)))
            print(
                f"{mentions:,} mentions: driver {found[-1][0]:.2f} GB, largest worker {found[-1][1]:.2f} GB", flush=True
            )
    if given.figure is not None:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot

        _, axes = pyplot.subplots(figsize=(6, 4))
        for name, values in zip(("driver", "largest worker"), zip(*found, strict=True), strict=True):
            axes.plot(given.sizes, values, marker=".", label=name)
        axes.set(xlabel="mentions", ylabel="GB resident", xscale="log", ylim=(0, None))
        axes.legend()
        pyplot.savefig(given.figure, bbox_inches="tight")


if __name__ == "__main__":
    main()
