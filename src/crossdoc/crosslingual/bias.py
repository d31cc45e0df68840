"""The bias t, below which a similarity speaks against a link: values to sweep, and a choice without gold.

The choice uses what is known of the groups without any label: each has at most one partner in another language. Two
groups that are each other's best match may or may not belong together; if they do, they should have the same best match
in a third language, unless it has none. The bias is the similarity at which third languages agree half as often as
they do on the most similar pairs. Made on BSNLP (asia_bibi, nord_stream, ryanair) and MEANTIME (seeds 0, 1);
docs/crosslingual.md measures it elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sklearn.isotonic import IsotonicRegression

from crossdoc.crosslingual.matches import BestMatches
from crossdoc.model import Relations

Floats = npt.NDArray[np.float64]
AGREEING = 0.5
"""How often third languages have to agree, of how often they do on the most similar pairs: for a link as against it."""
MOST_SIMILAR = 0.2
"""The share of best matches that are taken to be right."""
FEWEST = 20
"""Best matches with a third language that a curve of agreement needs."""


@dataclass(frozen=True, slots=True)
class BiasChoice:
    """A bias, the rule that chose it, and how many best matches it rests on."""

    bias: float
    rule: str
    matches: int


def sweep_biases(relations: Relations, pairs: int, step: float = 0.001, until: float = 0.1) -> Floats:
    """Descending biases: the first leaves one pair positive, each further one `step` of the `pairs` more.

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
    # A tie has no bias between its members: the whole of it becomes positive together.
    at = np.unique(np.searchsorted(-below, -below[at - 1], side="right"))
    return (below[at - 1] + below[np.minimum(at, len(ordered))]) / 2


def positive_share(relations: Relations, pairs: int, bias: float) -> float:
    """The share of the pairs of different languages with a similarity above the bias."""
    return float((relations.strength > bias).sum() / max(pairs, 1))


def choose_bias(relations: Relations, languages: npt.NDArray[np.int32], plain: Relations | None = None) -> BiasChoice:
    """A bias from the similarities alone; see the head of this file.

    With two languages only there is no third to agree: then the second-best matches, which cannot be right where the
    best is, stand for wrong ones, and the bias maximises the F1 that this predicts. `plain` are the similarities before
    second-best ones were lowered, if they were.
    """
    best = BestMatches.of(relations, languages)
    similarity, agreement = best.agreement()
    if len(agreement) >= FEWEST:
        return BiasChoice(_half_way(similarity, agreement), "third languages agree", len(agreement))
    first, second = (best if plain is None else BestMatches.of(plain, languages)).mutual()
    if len(first):
        return BiasChoice(_by_second_best(first, second), "second-best matches", len(first))
    return BiasChoice(1.0, "nothing in common", 0)


def _half_way(similarity: Floats, agreement: Floats) -> float:
    """The lowest similarity from which, on a rising curve, agreement is at least half of the most similar pairs'."""
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
