"""Whether words tell who is who, and which of them do: names are held against them, without any label.

Bags are made from words alone. Two mentions of one bag have the same name in one of as many cases as an entity has
names, and two of one name are in the same bag in one of as many as a name has entities. Where both are many, words tell
something else: which article a link is in, say. Then those words are looked for that mentions of one name share more
often than chance has it: of the pairs of mentions that share a word, a part have the same name, a₁ where the word is an
entity's and a₀ elsewhere, and a word is one of the first kind with a chance that expectation and maximisation find
(Dempster, Laird & Rubin 1977, doi:10.1111/j.2517-6161.1977.tb01600.x), for words of about the same frequency together.
Whether they do tell is judged by names that had no part in choosing them: words that a name has chosen agree with it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from crossdoc.cluster.sampling.bag_kernels import totals
from crossdoc.cluster.sampling.bag_run import BEGINNING, CYCLE, BagRun
from crossdoc.cluster.sampling.bags import Bags, Holders, Labels, Mentions
from crossdoc.cluster.sampling.engine import Engine
from crossdoc.cluster.sampling.hierarchy import entity_blocks
from crossdoc.cluster.sampling.shards import hashed
from crossdoc.cluster.sampling.topics import bags_near_each_other
from crossdoc.progress import Quiet

LOOKED_AT = 20_000
"""Mentions whose words are held against their names."""
SPREAD = 3.0
"""Entities of more names than this, each of which has more entities than this: then words do not tell who is who."""
WITHIN_NAMES = 0.7
"""Bags of which more pairs than this have one name only take names apart."""
CLEAR = 0.4
"""Bags that agree with names in fewer pairs than this, of both kinds, may agree better by some of the words."""
BETTER = 1.25
"""Times as well as by all words: then the others are left out."""
LEAST_CHANCES = (0.1, 0.2, 0.4)
"""Words are left out that are an entity's with a chance below the first of these with which bags agree with names."""
STEPS = 30
FIRST_GUESS = 0.3
"""How many of the pairs that share a word of their entity have one name, if chance alone gave none."""

Words = npt.NDArray[np.bool_]


class Shared(NamedTuple):
    """Of each word its mentions, and the ordered pairs of them that have the same name; both add up over names."""

    mentions: npt.NDArray[np.float64]
    pairs: npt.NDArray[np.float64]

    @classmethod
    def of(cls, by_name: Holders, chosen: npt.NDArray[np.bool_]) -> Shared:
        """Counted for some of the names."""
        found = cls(*np.zeros((2, len(by_name.ends) - 1)))
        totals(*by_name[:3], chosen, *found)
        return found

    def chances(self) -> npt.NDArray[np.float64]:
        """Of each word the chance that it is an entity's; 0 of those that one mention has.

        A word of m mentions is as m − 1 trials, so many of which succeed as its pairs do.
        """
        several = self.mentions > 1
        trials = self.mentions[several] - 1
        right = self.pairs[several] / self.mentions[several]
        chance = np.zeros(len(self.mentions))
        if not len(trials):
            return chance
        tiny = 1e-6
        kind = np.log2(trials + 1).astype(np.int64)
        share = np.full(int(kind.max()) + 1, 0.5)
        low = float(np.clip(right.sum() / trials.sum(), tiny, 0.5))
        high = low + FIRST_GUESS * (1 - low)
        for _ in range(STEPS):
            odds = right * np.log(high / low) + (trials - right) * np.log((1 - high) / (1 - low))
            own = 1 / (1 + np.exp(-np.clip(odds + np.log(share / (1 - share))[kind], -50, 50)))
            high = float(np.clip((own * right).sum() / max((own * trials).sum(), tiny), tiny, 1 - tiny))
            low = float(np.clip(((1 - own) * right).sum() / max(((1 - own) * trials).sum(), tiny), tiny, 1 - tiny))
            share = np.clip(np.bincount(kind, own) / np.maximum(np.bincount(kind), 1), 0.001, 0.999)
        chance[several] = own
        return chance


class Agreement(NamedTuple):
    """Ordered pairs of mentions with words: in one bag, of one name, both; and of one name, with words or without."""

    in_bags: int
    of_names: int
    both: int
    of_all_names: int

    @classmethod
    def of(cls, bag: Labels, name: Labels, worded: npt.NDArray[np.bool_], counted: npt.NDArray[np.bool_]) -> Agreement:
        """Of the mentions that are counted."""
        here = worded & counted
        bags, names = bag[here].astype(np.int64), name[here].astype(np.int64)
        return cls(*map(_pairs, (bags, names, bags * len(bag) + names, name[counted])))

    def tells(self, least: float = 1 / SPREAD, everyone: Agreement | None = None) -> bool:
        """Whether bags have to do with names, as they have if words tell who is who.

        Where names have many entities and those hardly ever another name, words can only take names apart, and nothing
        says that they should: patents of one inventor differ as those of two do. That is said of `everyone`, if these
        are some: bags have fewer names of some. Where no two worded mentions have one name, names say nothing of words.
        """
        splits = (everyone or self).splits
        return self.both >= least * self.of_names or (0 < least * self.in_bags <= self.both and not splits)

    @property
    def splits(self) -> bool:
        """Whether bags only take names apart."""
        return self.both > WITHIN_NAMES * self.in_bags

    @property
    def f1(self) -> float:
        return 2 * self.both / max(self.in_bags + self.of_all_names, 1)


def words_that_count(part: float) -> str:
    """What is said of it, if that part of the words tells who is who.

    >>> words_that_count(1.0), words_that_count(0.123)
    ('bags of words and names', 'bags of words and names (12% of the words: those that agree with names)')
    >>> words_that_count(0.0)
    'names only: words do not distinguish entities'
    """
    if part == 0:
        return "names only: words do not distinguish entities"
    return "bags of words and names" + ("" if part == 1 else f" ({part:.0%} of the words: those that agree with names)")


def mentions_that_tell(mentions: Mentions, by_name: Labels, seed: int, threads: int) -> Mentions:
    """The mentions with all of their words, with those that tell who is who, or with none."""
    bags, chosen = Bags.of(mentions, by_name, threads), choosing(np.arange(int(by_name.max(initial=-1)) + 1), seed)
    by_some, by_all = (Shared.of(bags.words, names) for names in (chosen, np.ones_like(chosen)))
    rows = np.arange(mentions.n)
    if mentions.n > LOOKED_AT:
        near = bags_near_each_other(bags, LOOKED_AT, seed, threads)
        rows = np.flatnonzero(near[by_name])
    del bags
    judging, names = ~chosen[by_name[rows]], entity_blocks(by_name[rows])
    kept = telling_words(mentions.only(rows), names, judging, by_some, by_all, seed, threads)
    return mentions if kept.all() else mentions.speaking(kept) if kept.any() else mentions.wordless()


def choosing(name: npt.NDArray[Any], seed: int) -> npt.NDArray[np.bool_]:
    """Half of the names choose words, and the others judge them."""
    return hashed(name, seed, 2) == 0


def telling_words(
    some: Mentions, names: Labels, judging: npt.NDArray[np.bool_], by_some: Shared, by_all: Shared, seed: int,
    threads: int,
) -> Words:  # fmt: skip
    """Of all words those that tell who is who: all, some or none.

    It is found on some of the mentions, and judged by those with the names that had no part in `by_some`.
    """
    everyone = np.ones(some.n, dtype=np.bool_)
    worded, bag = bags_by_words(some, names, seed, threads)
    whole, before = (Agreement.of(bag, names, worded, counted) for counted in (everyone, judging))
    kept = np.full(len(by_all.pairs), whole.tells())
    if whole.tells(CLEAR) or whole.splits:
        return kept
    chances = by_some.chances()
    for least in LEAST_CHANCES:
        worded, bag = bags_by_words(some.speaking(chances >= least), names, seed, threads)
        by_everyone, found = (Agreement.of(bag, names, worded, counted) for counted in (everyone, judging))
        if found.tells(everyone=by_everyone) and (found.f1 > BETTER * before.f1 or not whole.tells()):
            return by_all.chances() >= least
    return kept


def bags_by_words(some: Mentions, names: Labels, seed: int, threads: int) -> tuple[npt.NDArray[np.bool_], Labels]:
    """Which mentions have words, and bags by words alone."""
    run = BagRun(some.unnamed(), np.arange(some.n, dtype=np.int32), names, Quiet(), False, 0.0, seed, threads)
    with Engine(threads) as engine:
        run.go(engine, len(BEGINNING) + 2 * len(CYCLE), None)
    return np.diff(some.words.start) > 0, run.labels


def _pairs(code: npt.NDArray[np.integer]) -> int:
    """Ordered pairs with the same code."""
    many = np.unique(code, return_counts=True)[1]
    return int((many * (many - 1)).sum())
