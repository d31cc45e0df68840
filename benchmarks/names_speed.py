"""How long it takes to find all pairs of names that agree, on the inventors of PatentsView, beside asking the rule of
every pair (on a sample of the same names in the same run).

    CROSSDOC_DATA=… python benchmarks/names_speed.py [--sample N]
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from itertools import combinations
from pathlib import Path

import numpy as np

from crossdoc.compare.name_prior import NameCounts, Priors
from crossdoc.names import agreeing, compare_people, parse_person

sys.path.insert(0, str(Path(__file__).parents[1] / "experiments"))
from corpora import patentsview


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, default=2_000, help="names of which every pair is asked")
    sample = parser.parse_args().sample
    names = sorted({profile.name for profile in patentsview.profiles(Path(os.environ["CROSSDOC_DATA"], "patentsview"))})
    start = time.process_time()
    found = agreeing(names, "person")
    seconds = time.process_time() - start
    count = len(names) * (len(names) - 1) // 2
    print(f"{len(names):,} names: {len(found.pairs()) - len(names):,} of {count:,} pairs agree, {seconds:.2f} s")

    pairs = np.random.default_rng(0).integers(len(names), size=(1_000_000, 2))
    start = time.process_time()
    found.of(pairs)
    print(f"looked up: {len(pairs) / (time.process_time() - start):,.0f} pairs/s")

    some = [names[at] for at in np.sort(np.random.default_rng(0).choice(len(names), sample, replace=False))]
    start = time.process_time()
    clashes = Priors(some, "person", NameCounts(()), None).all_pairs()[1]
    by_index = time.process_time() - start
    parsed = [parse_person(name) for name in some]
    start = time.process_time()
    clashing = sum(not compare_people(a, b)[0] for a, b in combinations(parsed, 2))
    by_rule = time.process_time() - start
    assert clashing == len(clashes)
    print(f"clashes of {sample:,} names: index {by_index:.2f} s, rule of every pair {by_rule:.2f} s")
    print(f"ratio {by_rule / by_index:.0f}, the same pairs")


if __name__ == "__main__":
    main()
