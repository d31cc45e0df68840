"""A reviewer who knows the gold answers what `crossdoc review` would ask: B³ by the number of answers.

    CROSSDOC_DATA=… [CROSSDOC_CACHE=FOLDER] python experiments/reviewing.py [SET …]

Beside it the same reviewer answers about random pairs of profiles that can be one. The default method is clustered
again after every answer, in the part of the collection that the answer is about, as `Resolution.judge` and `merge` do
it: "same" of two identities merges them whole, every other answer is one pair. A page about several people is the same
as another where they share one. Gold is that of the parts build and choose. The constants of
`crossdoc.cluster.questions` were chosen on WePS-1; that a worth goes with √(|A|·|B|), and not with |A|·|B| or their
harmonic mean, was settled after a look at all three sets.
"""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
from common import table
from labelled import Gold, Labelled, load

from crossdoc.cluster.estimators import kept_apart
from crossdoc.cluster.hierarchical import LinkageClustering
from crossdoc.cluster.questions import Answered, Question, questions
from crossdoc.compare.evidence import ProfileEvidence
from crossdoc.compare.learned import LearnedModel
from crossdoc.errors import ConstraintError
from crossdoc.model import Judgement
from crossdoc.model.evidence_protocol import Constraints

SETS = ("john-smith", "weps-windows", "arnetminer")
SHARES = (0.025, 0.05, 0.075, 0.1, 0.2)
"""Answers, as a share of the profiles."""
HEADER = ("profiles", "B³", *(f"{share:.1%}" for share in SHARES), "errors gone at 10%")
THRESHOLD = LearnedModel.default().threshold["mean-max-linkage"]


class Block:
    """Profiles that are clustered together, and what was said of them."""

    def __init__(self, evidence: ProfileEvidence, gold: Gold) -> None:
        self.ids = evidence.ids.tolist()
        self.gold = [gold.get(id, set()) for id in self.ids]
        self.relations, self.limits = evidence.relations(), evidence.limits
        self.strength = self.relations.dense()
        self.judgements: list[Judgement] = []
        self.answered: dict[str, list[tuple[int, int]]] = {"merged": [], "same": [], "different": []}
        open_pairs = np.ones_like(self.strength, dtype=bool)
        a, b = kept_apart(self.limits).T
        open_pairs[a, b] = open_pairs[b, a] = False
        self.pairs = np.argwhere(np.triu(open_pairs, k=1))
        self.cluster()

    def cluster(self) -> None:
        judged = Constraints.between(self.ids, self.judgements)
        self.judged = replace(self.limits, group=judged.group, cannot=judged.cannot)
        self.labels = (
            LinkageClustering("mean-max", threshold=THRESHOLD).fit(self.relations, constraints=self.judged).labels_
        )

    def best(self) -> Question | None:
        answered = Answered(*(np.array(pairs, dtype=np.int64).reshape(-1, 2) for pairs in self.answered.values()))
        asked = questions(self.strength, self.labels, self.judged, answered, threshold=THRESHOLD, most=1)
        return asked[0] if asked else None

    def answer(self, a: int, b: int, joined: bool) -> None:
        """The reviewer's word on two rows; what contradicts earlier words is refused, and nothing changes."""
        same = bool(self.gold[a] & self.gold[b])
        new = [Judgement(self.ids[a], self.ids[b], "same" if same else "different")]
        if same and not joined:
            fellows = [(row, o) for row in (a, b) for o in np.flatnonzero(self.labels == self.labels[row]) if o != row]
            new += [Judgement(self.ids[row], self.ids[other], "same") for row, other in fellows]
        self.answered["different" if not same else "same" if joined else "merged"].append((a, b))
        before = self.judgements
        self.judgements = [*before, *new]
        try:
            self.cluster()
        except ConstraintError:
            self.judgements = before
            self.cluster()


def blocks_of(given: Labelled) -> list[Block]:
    parts = (found.part(rows) for c in given.collections for found in c.evidence() for rows in found.components())
    return [Block(part, given.gold) for part in parts if any(id in given.gold for id in part.ids)]


def b3(given: Labelled, blocks: list[Block]) -> float:
    return given.b3(
        {id: f"{n}:{label}" for n, b in enumerate(blocks) for id, label in zip(b.ids, b.labels, strict=True)}
    )


def reviewed(given: Labelled, blocks: list[Block], at: list[int], seed: int | None = None) -> list[float]:
    """B³ after so many answers, to the best questions or, with a seed, about random pairs."""
    random = np.random.default_rng(seed)
    weights = np.array([len(block.pairs) for block in blocks], dtype=np.float64)
    best = [block.best() for block in blocks]
    found = []
    for number in range(1, max(at) + 1):
        if seed is not None:
            block = blocks[random.choice(len(blocks), p=weights / weights.sum())]
            a, b = (int(row) for row in random.choice(block.pairs))
            block.answer(a, b, joined=True)
        else:
            which = int(np.argmax([-1.0 if each is None else each.worth for each in best]))
            asked = best[which]
            if asked is not None:
                blocks[which].answer(asked.a, asked.b, asked.joined)
                best[which] = blocks[which].best()
        if number in at:
            found.append(b3(given, blocks))
    return found


def rows(name: str) -> list[list[object]]:
    given = load(name, "all")
    start = blocks_of(given)
    profiles, first = sum(len(block.ids) for block in start), b3(given, start)
    at = [round(share * profiles) for share in SHARES]
    found = []
    for order, seed in (("review", None), ("random", 0)):
        curve = reviewed(given, start if seed is not None else blocks_of(given), at, seed)
        gone = 1 - (1 - curve[SHARES.index(0.1)]) / (1 - first)
        found.append([name, profiles, order, first, *curve, f"{gone:.0%}"])
    return found


def main() -> None:
    header = ["set", HEADER[0], "order", *HEADER[1:]]
    for name in sys.argv[1:] or SETS:
        print(table(header, rows(name)) + "\n", flush=True)


if __name__ == "__main__":
    main()
