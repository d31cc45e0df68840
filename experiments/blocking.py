"""How many pairs blocking leaves to compare, which true pairs it loses, and the largest blocks.

python experiments/blocking.py profiles.parquet --gold gold.csv [--neighbours 3] [--most 5]
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping, Set
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crossdoc.compare.across import Languages
from crossdoc.compare.blocking import blocks, candidates
from crossdoc.compare.neighbours import context_neighbours
from crossdoc.compare.specialists import kernels
from crossdoc.compare.specialists.base import SparseRows, counted
from crossdoc.compare.training import entity_lists
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.model import Profiles
from crossdoc.read import read_all_profiles, read_gold


@dataclass(frozen=True, slots=True)
class BlockingReport:
    """Cost and savings of blocking."""

    profiles: int
    pairs: int
    """Candidates."""
    reduction: float
    """The share of all pairs that are no candidates."""
    completeness: float | None
    """The share of the gold's pairs that are candidates; None without gold."""
    blocks: int
    largest: list[tuple[int, str]]
    """Sizes of the largest blocks, each with the commonest name in it."""


def blocking_report(
    profiles: Profiles,
    gold: Mapping[str, Set[str]] | None = None,
    most: int = 5,
    more: npt.NDArray[np.int32] | None = None,
) -> BlockingReport:
    """Reduction ratio, pair completeness and the `most` largest blocks; `more` are further candidates."""
    n = len(profiles)
    entities = entity_lists(profiles, gold or {})
    count = hits = 0
    for pairs in candidates(profiles, more=more):
        count += len(pairs)
        if gold is not None:
            hits += int((kernels.shared(entities, pairs, 1.0, 0.0) == 1).sum())
    wanted = pairs_that_meet(entities)
    found = blocks(profiles)
    names = profiles.column("name").to_pylist()
    largest = sorted(found, key=len, reverse=True)[:most]
    return BlockingReport(
        n,
        count,
        1 - count / max(n * (n - 1) // 2, 1),
        None if gold is None else (hits / wanted if wanted else 1.0),
        len(found),
        [(len(rows), Counter(names[row] or "" for row in rows).most_common(1)[0][0]) for rows in largest],
    )


def pairs_that_meet(sets: SparseRows) -> int:
    """Count the pairs of rows that share a value, through the distinct sets of values."""
    rows = Counter(tuple(sets.columns[a:b].tolist()) for a, b in pairwise(sets.start.tolist()))
    rows.pop((), None)
    size = np.array(list(rows.values()), dtype=np.int64)
    matrix = counted([i for i, own in enumerate(rows) for _ in own], [v for own in rows for v in own], len(rows))
    meeting = sparse.triu(matrix @ matrix.T, k=1)
    return int((size * (size - 1) // 2).sum() + (size[meeting.row] * size[meeting.col]).sum())


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("profiles", type=Path, nargs="+")
    parser.add_argument("--gold", type=Path, help="id, entity")
    parser.add_argument("--neighbours", type=int, default=0, help="profiles of similar contexts to compare with, too")
    parser.add_argument("--most", type=int, default=5)
    given = parser.parse_args(arguments)
    table, gold = read_all_profiles(given.profiles), None if given.gold is None else read_gold(given.gold)
    more = None
    if given.neighbours:
        vectoriser = ContextVectoriser().fit([[text or "" for text in table.column("context").to_pylist()]])
        more = context_neighbours(vectoriser.transform(table), given.neighbours)
    report = blocking_report(Languages(table).named(table), gold, given.most, more)
    print(f"{report.profiles:,} profiles, {report.pairs:,} candidate pairs")
    print(f"reduction ratio    {report.reduction:.4f}  (share of all pairs that need no comparison)")
    if gold is not None:
        print(f"pair completeness  {report.completeness:.4f}  (share of the gold's pairs that are candidates)")
    print(f"{report.blocks:,} blocks; the largest, each with its most common name:")
    for size, name in report.largest:
        print(f"  {size:>9,}  {name}")


if __name__ == "__main__":
    main()
