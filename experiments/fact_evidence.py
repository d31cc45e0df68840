"""What stated facts are worth: of pairs that names leave open, how often each score is of one entity and of two.

Usage: CROSSDOC_DATA=… python experiments/fact_evidence.py [sets…] [--part build|choose] [--ablation]
Prints, by fact and by fifth of its score, log(share of pairs of one entity / share of pairs of two); with `--ablation`
B³ of the default with all facts, with none, and without each. The worth in default_model.json was chosen from the first
table, halved where a fact repeats what the context says, and kept where the second does not speak against it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from common import table
from labelled import Labelled, load

from crossdoc.compare import blocking
from crossdoc.compare.evidence import FACTS, ProfileEvidence
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.specialists.base import all_pairs
from crossdoc.run.stages import cluster_evidence

SETS = ("sample", "john-smith", "weps-windows", "reuters-people")
BINS = np.array([0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
MOST_PAIRS = 400_000


def labelled_pairs(
    labelled: Labelled,
) -> Iterator[tuple[ProfileEvidence, npt.NDArray[np.int32], npt.NDArray[np.bool_]]]:
    """Of people with one known identity, the pairs whose names agree, and which of them are one person."""
    for collection in labelled.collections:
        for evidence in collection.evidence(background=False):
            if evidence.entity_type not in ("person", "", None):
                continue
            known = np.array([len(labelled.gold.get(id, ())) == 1 for id in evidence.ids], dtype=bool)
            listed = (
                [all_pairs([np.arange(len(evidence))])]
                if collection.one_name
                else list(blocking.candidates(evidence.profiles, evidence.constraints))
            )
            pairs = np.concatenate([np.zeros((0, 2), dtype=np.int32), *listed])
            pairs = pairs[known[pairs].all(axis=1)]
            pairs = np.random.default_rng(0).permutation(pairs)[:MOST_PAIRS].astype(np.int32)
            same = [labelled.gold[evidence.ids[a]] == labelled.gold[evidence.ids[b]] for a, b in pairs]
            yield evidence, pairs, np.array(same, dtype=bool)


def counted(labelled: Labelled) -> tuple[npt.NDArray[np.int64], dict[str, npt.NDArray[np.int64]]]:
    """How many pairs are of one person and of two, and the same by fact and fifth of its score."""
    total, found = np.zeros(2, dtype=np.int64), {name: np.zeros((2, 5), dtype=np.int64) for name in FACTS}
    for evidence, pairs, same in labelled_pairs(labelled):
        total += [same.sum(), (~same).sum()]
        for name, maker in FACTS.items():
            fact = maker()
            score = fact.compare(fact.encode(evidence.profiles), pairs)
            for kind, chosen in enumerate((same, ~same)):
                found[name][kind] += np.histogram(score[chosen & ~np.isnan(score)], BINS)[0]
    return total, found


def b3(labelled: Labelled, model: LearnedModel) -> float:
    answer: dict[str, str] = {}
    for at, collection in enumerate(labelled.collections):
        for number, evidence in enumerate(collection.evidence(model=model)):
            found = cluster_evidence(evidence, "mean-max-linkage", model=model).partition
            answer |= {id: f"{at}.{number}.{label}" for id, label in zip(found.ids, found.labels, strict=True)}
    return labelled.b3(answer)


def ablation(labelled: Labelled) -> list[object]:
    """B³ with all facts, none, and all but each."""
    model = LearnedModel.default()
    variants = [model.facts, {}, *({n: f for n, f in model.facts.items() if n != left_out} for left_out in model.facts)]
    return [f"{b3(labelled, model.model_copy(update={'facts': facts})):.4f}" for facts in variants]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--part", choices=("build", "choose"), default="build")
    parser.add_argument("--ablation", action="store_true")
    options = parser.parse_args()
    if options.ablation:
        header = ["set", "all facts", "none", *(f"without {name}" for name in LearnedModel.default().facts)]
        print(table(header, [[name, *ablation(load(name, options.part))] for name in options.sets]))
        return
    rows: list[list[object]] = []
    for name in options.sets:
        total, found = counted(load(name, options.part))
        for fact, counts in found.items():
            if counts.any():
                share = (counts + 0.5) / (total[:, None] + 1)
                cells = [
                    f"{one}:{two} ({odds:+.1f})"
                    for one, two, odds in zip(*counts, np.log(share[0] / share[1]), strict=True)
                ]
                rows.append([name, fact, *cells])
    print(table(["set", "fact", *(f"{low:.1f}–{high:.1f}" for low, high in pairwise(BINS))], rows))


if __name__ == "__main__":
    main()
