"""Which words of a collection are people's names, by the cues next to their occurrences.

Each capitalised word has three counts: occurrences without a cue, with a cue of a person (a title before it, a verb of
saying after it …), and with a cue of something else ("in", "the"). Words are a mixture of classes, in each of which the
counts follow a Dirichlet-multinomial distribution. The shares of cues in each class are estimated on the collection by
EM (as Dawid and Skene 1979 estimate error rates of observers), shrunk towards shipped shares.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln, logsumexp

Floats = npt.NDArray[np.float64]

PLAIN, PERSON, OTHER = range(3)
SHIPPED = np.array([[0.40, 0.52, 0.08], [0.55, 0.03, 0.42], [0.95, 0.03, 0.02]])
"""Share of occurrences by cue (columns) for people, for places and bodies, and for other words (rows): where EM begins.
Rounded from the labelled words of AIDA train and six volumes of FRUS, whose fits differ by .1."""
CONCENTRATION = np.array([2.3, 12.0, 60.0])
"""Occurrences. How alike the words of a class are: high where all have nearly the same shares. The same data; with 30
in place of 60 the most frequent name of one volume, with cues in a fifth of its occurrences, is typed as no person."""
SHRINKAGE = 50.0
"""Words. The shipped shares count as much as this many words of the collection. Set by hand."""
ROUNDS = 10
LEAST_OCCURRENCES = 3
"""Occurrences of a word that takes part in the estimate."""


def estimate_shares(counts: npt.NDArray[np.integer]) -> Floats:
    """The shares of cues in each class, by EM over the counts of words (rows: plain, person, other)."""
    words = counts[counts.sum(axis=1) >= LEAST_OCCURRENCES].astype(float)
    shares, prior = SHIPPED, np.full(len(SHIPPED), 1 / len(SHIPPED))
    for _ in range(ROUNDS if len(words) else 0):
        likelihoods = log_likelihoods(words, shares) + np.log(prior)
        belongs = np.exp(likelihoods - logsumexp(likelihoods, axis=1, keepdims=True))
        sizes = belongs.sum(axis=0)
        prior = (sizes + 1) / (sizes + 1).sum()
        alpha = shares * CONCENTRATION[:, None]
        for number, own in enumerate(belongs.T):
            means = (words + alpha[number]) / (words.sum(axis=1) + CONCENTRATION[number])[:, None]
            shares = shares.copy()
            shares[number] = (own @ means + SHRINKAGE * SHIPPED[number]) / (own.sum() + SHRINKAGE)
    return shares


def log_likelihoods(counts: Floats, shares: Floats) -> Floats:
    """Log likelihood of each word's counts in each class."""
    alpha = (shares * CONCENTRATION[:, None])[None]
    cells = gammaln(counts[:, None, :] + alpha) - gammaln(alpha)
    total = counts.sum(axis=1)[:, None]
    found: Floats = cells.sum(axis=2) + gammaln(CONCENTRATION) - gammaln(total + CONCENTRATION)
    return found


def class_odds(counts: Sequence[int], shares: Floats) -> tuple[float, float]:
    """Log odds of a word's counts among people's names, and among those of things, against the other classes.

    >>> [[round(odds, 1) for odds in class_odds(counts, SHIPPED)] for counts in ((0, 0, 0), (80, 20, 0), (60, 2, 38))]
    [[0.0, 0.0], [4.6, -12.1], [-4.4, 4.4]]
    """
    person, thing, other = log_likelihoods(np.array([counts], dtype=float), shares)[0].tolist()
    return person - max(thing, other), thing - max(person, other)
