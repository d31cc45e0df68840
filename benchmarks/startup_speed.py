"""How long the command takes to say anything: `crossdoc`, `--help` and each subcommand's `--help`, in CPU seconds and
as ratios to a bare `python -c pass` and to `import typer`, which every one of them pays.

    python benchmarks/startup_speed.py [--repeats N] [--demo]
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from crossdoc.cli import COMMANDS

CROSSDOC = ("-m", "crossdoc")


def seconds(arguments: tuple[str, ...], repeats: int, folder: Path | None = None) -> tuple[float, float]:
    """The least CPU and wall-clock seconds of a few runs: others on the machine can only add to either."""
    found = []
    for _ in range(repeats):
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, cwd=folder)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        found.append((spent, time.perf_counter() - start))
    return min(cpu for cpu, _ in found), min(wall for _, wall in found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--demo", action="store_true", help="also the demo, which may have to compile its kernels")
    given = parser.parse_args()
    bare, _ = seconds(("-c", "pass"), given.repeats)
    typer, _ = seconds(("-c", "import typer, typer.rich_utils"), given.repeats)
    print(f"{'':28s} {'CPU s':>7s} {'wall s':>7s} {'÷ python':>9s} {'÷ typer':>8s}")
    print(f"{'python -c pass':28s} {bare:7.3f}\n{'import typer':28s} {typer:7.3f}")
    asked = [(), ("--help",), *((name, "--help") for name in COMMANDS)]
    for words in asked:
        cpu, wall = seconds((*CROSSDOC, *words), given.repeats)
        print(f"{' '.join(('crossdoc', *words)):28s} {cpu:7.3f} {wall:7.3f} {cpu / bare:9.1f} {cpu / typer:8.2f}")
    if given.demo:
        with tempfile.TemporaryDirectory() as folder:
            cpu, wall = seconds((*CROSSDOC, "demo"), 1, Path(folder))
        print(f"{'crossdoc demo':28s} {cpu:7.1f} {wall:7.1f}")


if __name__ == "__main__":
    main()
