"""The bias t: similarities below it count against a link. Values to sweep, and a choice without gold.

The choice needs no labels, since a group has at most one partner in another language. Two groups that are each other's
best match may belong together; if they do, they should have the same best match in a third language, unless it has
none. The bias is the similarity at which third languages agree half as often as on the most similar pairs. Developed on
BSNLP (asia_bibi, nord_stream, ryanair) and MEANTIME (seeds 0, 1); docs/crosslingual.md measures it elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sklearn.isotonic import IsotonicRegression

from crossdoc.crosslingual.similarity import BestMatches
from crossdoc.model import Relations

Floats = npt.NDArray[np.float64]
AGREEING = 0.5
"""Share of the agreement on the most similar pairs. Above it third languages count for a link. See above."""
MOST_SIMILAR = 0.2
"""Share of best matches, by similarity, that are assumed to be correct."""
FEWEST = 20
"""Best matches with a third language. Below this number no curve of agreement is fitted."""


@dataclass(frozen=True, slots=True)
class BiasChoice:
    """A bias, the rule that chose it, and the number of best matches behind it."""

    bias: float
    rule: str
    matches: int


def sweep_biases(relations: Relations, pairs: int, step: float = 0.001, until: float = 0.1) -> Floats:
    """Return descending biases: the first leaves one pair positive, each further one `step` of the `pairs` more.

    `pairs` counts those of different languages. A bias lies halfway between two similarities; the sweep ends when
    `until` of the pairs, or all that have any similarity, are positive.

    >>> three = Relations(3, np.array([0, 0]), np.array([1, 2]), np.array([0.8, 0.4], dtype=np.float32))
    >>> sweep_biases(three, 3, step=0.3, until=1.0).round(2).tolist()
    [0.6, 0.2]
    """
    ordered = np.sort(relations.strength.astype(np.float64))[::-1]
    ordered = ordered[ordered > 0]
    if not len(ordered):
        return np.zeros(0)
    most = min(len(ordered), int(np.floor(until * pairs + 1e-9)))
    counts = np.unique(np.clip(np.round(1 + np.arange(0.0, until * pairs, max(step * pairs, 1.0))), 1, max(most, 1)))
    below = np.append(ordered, 0.0)
    at = counts.astype(np.int64)
    # All pairs of a tie become positive together.
    at = np.unique(np.searchsorted(-below, -below[at - 1], side="right"))
    return (below[at - 1] + below[np.minimum(at, len(ordered))]) / 2


def positive_share(relations: Relations, pairs: int, bias: float) -> float:
    """Return the share of the pairs of different languages with a similarity above the bias."""
    return float((relations.strength > bias).sum() / max(pairs, 1))


def choose_bias(relations: Relations, languages: npt.NDArray[np.int32], plain: Relations | None = None) -> BiasChoice:
    """Return a bias from the similarities alone; see the head of this file.

    With two languages there is no third one. Then the second-best matches, which are wrong where the best are right,
    represent wrong pairs, and the bias maximises the F1 that this predicts. `plain` are the similarities before
    second-best ones were lowered.
    """
    best = BestMatches.from_relations(relations, languages)
    similarity, agreement = best.agreement()
    if len(agreement) >= FEWEST:
        return BiasChoice(_half_way(similarity, agreement), "third languages agree", len(agreement))
    first, second = (best if plain is None else BestMatches.from_relations(plain, languages)).mutual()
    if len(first):
        return BiasChoice(_by_second_best(first, second), "second-best matches", len(first))
    return BiasChoice(1.0, "nothing in common", 0)


def _half_way(similarity: Floats, agreement: Floats) -> float:
    """Return the similarity at which a rising curve of agreement reaches half of that of the most similar pairs."""
    curve = IsotonicRegression(increasing=True).fit(similarity, agreement)
    ordered = np.unique(similarity)
    surest = np.argsort(-similarity, kind="stable")[: max(FEWEST // 2, int(MOST_SIMILAR * len(similarity)))]
    at = int(np.searchsorted(curve.predict(ordered), AGREEING * agreement[surest].mean()))
    if at == 0:
        return float(ordered[0] / 2)
    return float((ordered[at - 1] + ordered[at]) / 2) if at < len(ordered) else float(ordered[-1])


def _by_second_best(first: Floats, second: Floats) -> float:
    candidates = np.unique(first)
    targets = len(first) - np.searchsorted(np.sort(first), candidates)
    decoys = len(second) - np.searchsorted(np.sort(second), candidates)
    right = np.maximum(targets - decoys, 0)
    f1 = 2 * right / (targets + max(int(right.max()), 1))
    at = int(np.argmax(f1))
    return float((candidates[at] + (candidates[at - 1] if at else 0.0)) / 2)
