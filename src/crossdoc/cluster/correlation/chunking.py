"""The paper's linear program some rows at a time (Van Gael & Zhu 2007, section 3.2, after Bradley & Mangasarian 2000).

A chunk of the triangle rows is added, the program solved, and what is not active taken out, until the optimum has
stayed the same for ν = 4 further chunks. With more chunks than that the paper's rule can stop before all rows were
seen, so that here a row that is violated keeps the work going.
"""

from __future__ import annotations

import time

import numpy as np

from crossdoc import errors
from crossdoc.cluster.correlation.full import PairProgram, finished, worst_triangle
from crossdoc.cluster.correlation.objective import Solution
from crossdoc.cluster.correlation.problem import CorrelationProblem
from crossdoc.cluster.correlation.rounding import Rounding

CHUNK_ROWS = 1_000_000
IDLE_CHUNKS = 4
MOST_CHUNKED_ROWS = 100_000_000
"""All triangle rows of 585 nodes: hours of chunks."""
ACTIVE = 1e-7
VIOLATED = 1e-6


def solve(
    problem: CorrelationProblem,
    *,
    rows: int = CHUNK_ROWS,
    patience: int = IDLE_CHUNKS,
    rounding: Rounding = "region",
    restarts: int | None = None,
    seed: int = 0,
    time_limit: float | None = None,
    polish: bool = True,
) -> Solution:
    """The program in chunks of `rows` rows, rounded; local moves follow unless `polish` is False."""
    began = time.perf_counter()
    ends = np.inf if time_limit is None else began + time_limit
    program = PairProgram(problem)
    if program.n_rows > MOST_CHUNKED_ROWS:
        raise errors.too_many_triangles("chunking", program.n_rows, MOST_CHUNKED_ROWS)
    value, chunks = _in_chunks(program, rows, patience, ends)
    note = f"the linear program of {program.n_rows:,} rows, {rows:,} at a time, solved in {chunks:,} steps"
    return finished(problem, program, value, note, began, rounding, restarts, seed, polish)


def _in_chunks(program: PairProgram, rows: int, patience: int, ends: float) -> tuple[float | None, int]:
    """The optimum (None: out of time) and how often a program was solved."""
    starts = list(range(0, program.n_rows, rows)) or [0]
    last, same, solved, at = -np.inf, 0, 0, 0
    while True:
        program.add(starts[at], min(rows, program.n_rows - starts[at]))
        value = program.run(None if np.isinf(ends) else ends - time.perf_counter())
        solved += 1
        if value is None:
            return None, solved
        same = same + 1 if value <= last + 1e-9 * max(abs(last), 1.0) else 0
        last = value
        stops = same >= patience or solved >= len(starts)
        if stops and worst_triangle(program.n, program.x) <= VIOLATED:
            return value, solved
        # While the optimum stands still nothing is taken out, or the same rows could come and go for ever.
        if same < max(patience, len(starts)):
            program.drop_inactive(ACTIVE)
        at = (at + 1) % len(starts)
