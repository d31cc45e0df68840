"""Table 1 of Van Gael & Zhu 2007: seconds for the linear program by chunking and in full, and here by lazy rows, by n.

    python experiments/correlation_table1.py [--sizes 32 64 96 128 160 200] [--rows 1000000] [--limit 300]

The paper's instances are article groups in eight languages, with similarity − bias as weight and no two of a language
in one cluster; they are drawn here (see `correlation_instances`), at 3% attractive pairs. Each
program runs in a process of its own, so that the memory is its own. Seconds are of the wall clock and, in brackets, of
the processor.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time

from common import table
from correlation_instances import languages

from crossdoc.cluster.correlation import build, full_program, relaxation

POSITIVE = 0.03
WAYS = ("full", "chunking", "lazy")


def solved(way: str, n: int, rows: int, limit: float) -> tuple[float, float, float, float, str]:
    """Seconds, those of the processor, GB, the optimum of the program, and a note."""
    drawn = languages(n, 8, POSITIVE)
    problem = build(drawn.similarity, bias=drawn.bias, groups=drawn.language)
    small = languages(16, 8, 0.1)
    relaxation.solve(build(small.similarity, bias=small.bias))
    full_program.solve(build(small.similarity, bias=small.bias))
    began, busy = time.perf_counter(), time.process_time()
    if way == "full":
        solution = full_program.solve(problem, time_limit=limit)
    elif way == "chunking":
        solution = full_program.solve(problem, chunk=rows, time_limit=limit)
    else:
        solution = relaxation.solve(problem, time_limit=limit)
    seconds, cpu = time.perf_counter() - began, time.process_time() - busy
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return seconds, cpu, memory, solution.lower_bound, solution.note


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=[32, 64, 96, 128, 160, 200])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--limit", type=float, default=300.0)
    options = parser.parse_args()
    lines: list[list[object]] = []
    for n in options.sizes:
        line: list[object] = [n, f"{n * (n - 1) * (n - 2) // 2:,}"]
        optima = []
        for way in WAYS:
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                seconds, cpu, memory, optimum, note = pool.apply(solved, (way, n, options.rows, options.limit))
            stopped = "time limit" in note
            line += [f"> {options.limit:g}" if stopped else f"{seconds:.2f} ({cpu:.2f})", f"{memory:.2f}"]
            if not stopped:
                optima.append(optimum)
        line.append("yes" if max(optima) - min(optima) <= 1e-5 * max(optima) else "NO")
        lines.append(line)
        print(
            table(["n", "rows", "full s", "GB", "chunking s", "GB", "lazy s", "GB", "equal optima"], lines), flush=True
        )


if __name__ == "__main__":
    main()
