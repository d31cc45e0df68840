"""Choice of the words that distinguish entities, by their agreement with names and without labels.

Bags are made from words alone. If words distinguish entities, two mentions of a bag share a name with probability 1 /
(names per entity), and two mentions of a name share a bag with probability 1 / (entities per name). If both are small,
words indicate something else, such as the article of a link. A bag is then taken for an article, and a word shared by
mentions of several names there for a word of the article, unless the mentions that share it have names in common as
often as those of one entity do. Such words are removed from these mentions and kept elsewhere. The remaining words are
tested with names that had no part in choosing them.

Whether bags of words and names explain a collection better than names alone, measured on words that were held out.

The words are split into two halves. Bags are found by the names and the first half; then the second half and the names
are scored by the log odds of the bag model (`bags.py`), once with these bags and once with one bag per name. Bags that
follow topics or articles instead of entities lose on names what they gain on words.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit
from scipy import sparse

from crossdoc.cluster.bags.bag_kernels import held_by
from crossdoc.cluster.bags.bag_run import BEGINNING, CYCLE, BagRun
from crossdoc.cluster.bags.bags import BagMentions, EntityBags, Labels
from crossdoc.cluster.bags.topics import bags_near_each_other
from crossdoc.cluster.hierarchical import renumber
from crossdoc.cluster.sampling.mention_clusterer import label_by_code, name_codes
from crossdoc.cluster.sampling.pair_run import Workers
from crossdoc.cluster.sampling.proposals import entity_blocks
from crossdoc.model.evidence_protocol import Constraints
from crossdoc.progress import Quiet

SAMPLED_MENTIONS = 20_000
"""Mentions whose words are held against their names."""
SPREAD = 3.0
"""Entities of more names than this, each of which has more entities than this: then words do not tell who is who."""
WITHIN_NAMES = 0.7
"""Bags of which more pairs than this have one name only take names apart."""
CLEAR_AGREEMENT = 0.4
"""Bags that agree with names in fewer pairs than this, of both kinds, may agree better by some of the words."""
BETTER = 1.25
"""Times as well as with all words: if names agree so with the words that are left, they count."""
IN_COMMON = 1 / SPREAD**2
"""A word of a bag is an entity's if more of the pairs of mentions that share it have the same name."""
HASH_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)

WordChoice = Literal["all", "some", "none"]


class Agreement(NamedTuple):
    """Ordered pairs of mentions with words: in one bag, of one name, both; and of one name, with words or without."""

    in_bags: int
    of_names: int
    both: int
    of_all_names: int

    @classmethod
    def of(cls, bag: Labels, name: Labels, worded: npt.NDArray[np.bool_], counted: npt.NDArray[np.bool_]) -> Agreement:
        """Sums over the counted mentions."""
        here = worded & counted
        bags, names = bag[here].astype(np.int64), name[here].astype(np.int64)
        return cls(*map(_pairs, (bags, names, bags * len(bag) + names, name[counted])))

    def tells(self, least: float = 1 / SPREAD) -> bool:
        """Return whether bags agree with names, as they do if words distinguish entities.

        If entities hardly ever have a second name, words can only split names, and nothing shows that they should:
        patents of one inventor differ like those of two. If no two mentions with words share a name, names are no
        evidence about words.
        """
        either = 0 < least * self.in_bags <= self.both and not self.splits
        return self.both >= least * self.of_names or either

    @property
    def splits(self) -> bool:
        """Whether bags only take names apart."""
        return self.both > WITHIN_NAMES * self.in_bags

    @property
    def f1(self) -> float:
        return 2 * self.both / max(self.in_bags + self.of_all_names, 1)


def words_that_count(telling: WordChoice) -> str:
    """Describe the choice in a note.

    >>> words_that_count("all"), words_that_count("none")
    ('bags of words and names', 'names only: words do not distinguish entities')
    """
    some = ", without the words that contexts of different names have in common, as those of one article have"
    return {
        "all": "bags of words and names",
        "some": f"bags of words and names{some}",
        "none": "names only: words do not distinguish entities",
    }[telling]


def mentions_that_tell(
    mentions: BagMentions, by_name: Labels, seed: int, threads: int, which: WordChoice | None = None
) -> tuple[BagMentions, WordChoice]:
    """Return the mentions with the words that tell who is who, and which words these are; None measures it."""
    which = which or which_words_tell(*mentions_looked_at(mentions, by_name, seed, threads), seed, threads)
    if which != "some":
        return mentions if which == "all" else mentions.wordless(), which
    bag = bags_by_words(mentions, by_name, seed, threads)[1]
    every = np.ones(mentions.n, dtype=np.bool_)
    return mentions.speaking(words_of_one(mentions, bag, by_name, every)), which


def mentions_looked_at(mentions: BagMentions, by_name: Labels, seed: int, threads: int) -> tuple[BagMentions, Labels]:
    """Return about `SAMPLED_MENTIONS` mentions of neighbouring topics, or all, and the labels of their names."""
    if mentions.n <= SAMPLED_MENTIONS:
        return mentions, by_name
    near = bags_near_each_other(EntityBags.of(mentions, by_name), SAMPLED_MENTIONS, seed, threads)
    rows = np.flatnonzero(near[by_name])
    return mentions.only(rows), by_name[rows]


def which_words_tell(some: BagMentions, by_name: Labels, seed: int, threads: int) -> WordChoice:
    """Return which words of some mentions tell who is who: three of four names choose words, the others judge them."""
    names, chosen = entity_blocks(by_name), hashed(by_name, seed, 4) > 0
    everyone = np.ones(some.n, dtype=np.bool_)

    def agreeing(mentions: BagMentions, *counted: npt.NDArray[np.bool_]) -> tuple[Labels, list[Agreement]]:
        worded, bag = bags_by_words(mentions, names, seed, threads)
        return bag, [Agreement.of(bag, names, worded, each) for each in counted]

    bag, (whole, before) = agreeing(some, everyone, ~chosen)
    kept: WordChoice = "all" if whole.tells() else "none"
    if whole.tells(CLEAR_AGREEMENT) or whole.splits:
        return kept
    left, judged = (some.speaking(words_of_one(some, bag, names, each)) for each in (everyone, chosen))
    rest, after = agreeing(left, everyone)[1][0], agreeing(judged, ~chosen)[1][0]
    if whole.tells():
        better = after.f1 > BETTER * before.f1
    else:
        # All names have chosen what is left; those that had no part in choosing must agree about as well as before.
        better = rest.f1 > BETTER * whole.f1 and BETTER * after.f1 > before.f1
    return "some" if better and not rest.splits else kept


def words_of_one(
    mentions: BagMentions, bag: Labels, names: Labels, chosen: npt.NDArray[np.bool_]
) -> npt.NDArray[np.bool_]:
    """Return for each word of each mention whether too few names share it for a word of an article.

    Only the `chosen` mentions of the same bag count, either all of a name or none.
    """
    width = int(names.max(initial=-1)) + 1
    pairs, pair = np.unique(bag.astype(np.int64) * width + names, return_inverse=True)
    counted = np.zeros(len(pairs), dtype=np.bool_)
    counted[pair] = chosen
    holders = EntityBags.of(mentions, pair.astype(np.int32)).words
    shared = np.empty(len(holders.entity), dtype=np.int32)
    held_by_many_names(*holders[:3], pairs // width, counted, IN_COMMON, shared)
    cells = np.empty(len(mentions.words.feature), dtype=np.bool_)
    # The words of a passage are stored once, for its first mention.
    words, every = mentions.words, np.arange(mentions.n)
    held_by(words.start, words.feature, pair[mentions.stands_for], *holders[:2], shared, every, cells)
    return ~cells


def bags_by_words(some: BagMentions, names: Labels, seed: int, threads: int) -> tuple[npt.NDArray[np.bool_], Labels]:
    """Which mentions have words, and bags by words alone."""
    run = BagRun(some.unnamed(), np.arange(some.n, dtype=np.int32), names, Quiet(), False, 0.0, seed, threads)
    with Workers(threads) as engine:
        run.go(engine, len(BEGINNING) + 2 * len(CYCLE), None)
    return np.diff(some.words.start) > 0, run.labels


def hashed(key: npt.NDArray[Any], seed: int, into: int) -> npt.NDArray[np.int64]:
    """A number below `into` for each key, another with another seed."""
    mixed = (key.astype(np.uint64) + np.uint64(seed * int(HASH_MULTIPLIER) % 2**64)) * HASH_MULTIPLIER
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    return ((mixed >> np.uint64(33)) % np.uint64(into)).astype(np.int64)


def _pairs(code: npt.NDArray[np.integer]) -> int:
    """Ordered pairs with the same code."""
    many = np.unique(code, return_counts=True)[1]
    return int((many * (many - 1)).sum())


@njit(cache=True, nogil=True)
def held_by_many_names(ends, entity, times, bag, counted, least, found):  # type: ignore[no-untyped-def]
    """Whether so many names of each holder's bag hold a feature, 1 or 0; holders are names of bags, by bag.

    That is where, of the ordered pairs of times that names of the bag that are counted hold it, the part within one
    name is below `least`.
    """
    for f in range(len(ends) - 1):
        first = ends[f]
        while first < ends[f + 1]:
            last, total, same = first, 0.0, 0.0
            while last < ends[f + 1] and bag[entity[last]] == bag[entity[first]]:
                if counted[entity[last]]:
                    total += times[last]
                    same += times[last] * (times[last] - 1.0)
                last += 1
            found[first:last] = same < least * total * (total - 1)
            first = last


FIT_CYCLES = 2
"""Cycles of the run that finds bags by half of the words."""
LEAST_OWN_CONTEXTS = 0.25
"""Share of the mentions. Below it most windows overlap with those of other names, and bags would rest on few.

Chosen on tables of running text (.02 to .27, linkage is better) and generated links (.32 to 1, bags are better)."""
SURE_GAIN = 2.0
"""Standard errors by which bags must be better. Chosen on generated links, whose gains are 2.7 errors or more."""


class BagFit(NamedTuple):
    """How well bags and names explain some mentions."""

    own: float
    """The share of mentions whose context no mention of another name shares."""
    words: WordChoice
    """The words that distinguish entities (`informative_words.py`)."""
    gain: float = 0.0
    """Mean over mentions of the log odds of its name and held-out words: with bags, minus with one bag per name."""
    error: float = 0.0
    """Standard error of the gain."""

    @property
    def is_better(self) -> bool:
        """Whether bags explain the mentions better than names do.

        A choice of words that tell has been checked by names that had no part in it, so that it counts by itself.
        """
        return self.own > LEAST_OWN_CONTEXTS and (self.words == "some" or self.gain > SURE_GAIN * self.error)


def fit_of_bags(matrix: sparse.csr_matrix, names: npt.NDArray[Any], *, seed: int = 0, threads: int = 1) -> BagFit:
    """Measure how well bags explain mentions.

    Parameters
    ----------
    matrix : sparse.csr_matrix
        One row per mention; non-zero where its context has the word.
    names : array
        The name of each mention, as it is compared.

    Notes
    -----
    Linear in the words of the mentions. About 20,000 mentions of neighbouring topics of a large collection are used.
    """
    by_name = renumber(label_by_code(name_codes(names)[0]))
    mentions = BagMentions.of(matrix, names, Constraints.none(len(by_name)), threads)
    mentions, by_name = mentions_looked_at(mentions, by_name, seed, threads)
    own = float((np.diff(mentions.words.start) > 0).mean()) if mentions.n else 0.0
    if not 1 < len(np.unique(by_name)) < len(by_name):
        return BagFit(own, "none")
    which = which_words_tell(mentions, by_name, seed, threads)
    if which != "all":
        return BagFit(own, which)
    by_name = entity_blocks(by_name)
    first = hashed(mentions.words.feature, seed, 2) > 0

    def run_of(kept: npt.NDArray[np.bool_], labels: Labels) -> BagRun:
        """A run over some words of each mention, which are half of all, and half of its length."""
        words = mentions.words.of_cells(kept)
        half = replace(mentions, words=words._replace(length=words.length / 2))
        return BagRun(half, labels, by_name, Quiet(), together=False, seed=seed, threads=threads)

    run = run_of(first, np.arange(mentions.n, dtype=np.int32))
    with Workers(threads) as engine:
        run.go(engine, len(BEGINNING) + FIT_CYCLES * len(CYCLE), None)
    gain = run_of(~first, run.labels).log_odds(refit=True) - run_of(~first, by_name).log_odds(refit=True)
    return BagFit(own, which, float(gain.mean()), float(gain.std() / np.sqrt(mentions.n)))
