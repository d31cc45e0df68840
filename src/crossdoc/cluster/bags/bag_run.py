"""One run over bags: bags are joined and mentions moved in turn, until time, rounds or gains are used up.

From singletons, bags are joined three times, within the entities of the start if it has any: they are split where they
are mixed, and all mentions are moved twice. Then come cycles: β, μ and the topics are found afresh from the bags, bags
are joined three times, and all mentions are moved. A cycle depends on its first labels and its number alone, so
that a run can go on from the end of any, and on no number of threads.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crossdoc import errors
from crossdoc.cluster.bags import bag_kernels as kernels
from crossdoc.cluster.bags.bags import (
    DISCOUNT,
    BagMentions,
    EntityBags,
    Labels,
    Strengths,
    fitted,
    guessed,
    own_evidence,
)
from crossdoc.cluster.bags.topics import topic_odds
from crossdoc.cluster.sampling.factor_graph import in_pieces
from crossdoc.cluster.sampling.pair_run import Level, Round, Stopped, Workers
from crossdoc.cluster.sampling.proposals import entity_blocks
from crossdoc.progress import Progress

BEGINNING: tuple[Level, ...] = ("entities", "entities", "entities", "mentions", "mentions")
CYCLE: tuple[Level, ...] = ("entities", "entities", "entities", "mentions")
MOVE_PARTS = 4
"""Mentions move in so many parts, each seeing where the others went."""
MOST_HOLDERS = 8
"""Words that more entities hold do not propose any, but count."""
MOST_NAMED = 100
"""Entities. A name with more of them proposes only the heaviest; names may be all that a mention has."""
HEAVIEST_WORDS, HEAVIEST_NAMED = 2, 20
"""Maximum number of entities proposed by one shared feature, most frequent first."""
BAG_CANDIDATES = 4
SETTLED_ODDS = 10.0
"""Log odds. A mention whose entity exceeds the next best by this much is settled."""
MOVING = 50
"""A sweep that moves less than this times the tolerance, as a share of the mentions, is the last."""
JOINING = 0.005
"""When fewer of the bags than this were joined, none are until mentions have moved."""
NODES_AT_ONCE = 5_000
CERTAIN_BAG = 0.9
"""How sure it is that a bag that was found is of one entity, when β and μ are fitted."""


def _level(number: int) -> tuple[Level, bool]:
    """Return the level of a round, and whether it is the first of a cycle."""
    if number < len(BEGINNING):
        return BEGINNING[number], number == 0
    at = (number - len(BEGINNING)) % len(CYCLE)
    return CYCLE[at], at == 0


def _heaviest(bags: EntityBags) -> tuple[Any, Any]:
    words = kernels.heaviest(*bags.words[:3], MOST_HOLDERS, HEAVIEST_WORDS)
    return words, kernels.heaviest(*bags.names[:3], MOST_NAMED, HEAVIEST_NAMED)


@dataclass
class BagRun:
    """State of a run; `go` does rounds until a limit or convergence."""

    mentions: BagMentions
    labels: Labels
    by_name: Labels
    progress: Progress
    together: bool
    """Whether the first labels say what may be together, or nothing, as singletons do."""
    tolerance: float = 1e-4
    seed: int = 0
    threads: int = 1
    rounds: int = 0
    seconds: float = 0.0
    history: list[Round] = field(default_factory=list)
    settled: npt.NDArray[np.bool_] | None = None
    """The mentions that are not looked at again."""

    def __post_init__(self) -> None:
        self.began = time.monotonic() - self.seconds
        self.labels = entity_blocks(self.labels)
        self.sure = np.zeros(self.mentions.n, dtype=np.bool_) if self.settled is None else self.settled
        self.whole = self.rounds, self.labels, self.sure.copy()
        self.within = self.labels
        self.wishing = np.zeros(0, dtype=np.int64)
        self.strengths: Strengths | None = None

    def go(
        self,
        engine: Workers,
        rounds: int,
        time_limit: float | None,
        after_round: Callable[[BagRun], None] | None = None,
    ) -> Stopped:
        """Rounds until `rounds` are done in all, the seconds are used up, or a sweep over all mentions moved few.

        At the end bags of the same names are united.
        """
        stopped = self._rounds(engine, rounds, time_limit, after_round)
        if stopped != "interrupted" and self.rounds > len(BEGINNING):
            while self._unite_by_names():
                pass
        return stopped

    def _rounds(
        self, engine: Workers, rounds: int, time_limit: float | None, after_round: Callable[[BagRun], None] | None
    ) -> Stopped:
        deadline = None if time_limit is None else time.monotonic() + time_limit
        while self.rounds < rounds:
            if engine.interrupted:
                return "interrupted"
            if deadline is not None and time.monotonic() >= deadline:
                return "time"
            level, first = _level(self.rounds)
            if first or self.strengths is None:
                self._begin_cycle(by_name=self.rounds < len(BEGINNING))
            if self.rounds == 0:
                self.within = self.labels if self.together else np.zeros_like(self.labels)
                self.labels = np.arange(self.mentions.n, dtype=np.int32)
            if level == "mentions":
                done = self._move_mentions(engine, deadline)
            else:
                done = self._join_bags()
            if not done:
                return "interrupted" if engine.interrupted else "time"
            if _level(self.rounds)[1]:
                self.whole = self.rounds, self.labels, self.sure.copy()
                if self._converged():
                    return "converged"
            if after_round is not None:
                after_round(self)
        return "rounds"

    @property
    def saved(self) -> tuple[int, Labels, Labels]:
        """Content of a checkpoint: rounds of complete cycles, the labels after them, and the settled mentions."""
        rounds, labels, sure = self.whole
        return rounds, labels, sure.astype(np.int32)

    def memberships(self, numbers: Labels) -> sparse.csr_matrix:
        """u_ie ∝ p(node | entity) p(entity) over the best entities; columns are `numbers`, labels in another order."""
        n, k = self.mentions.n, int(numbers.max(initial=-1)) + 1
        column = np.zeros(k, dtype=np.int32)
        column[self.labels] = numbers
        who = np.full((n, BAG_CANDIDATES + 2), -2, dtype=np.int32)
        value = np.full(who.shape, -np.inf)
        open_ones = np.flatnonzero(~self.sure)
        who[open_ones], value[open_ones] = self.best_entities(open_ones, BAG_CANDIDATES)
        # The logarithm of a rounded difference may not be finite.
        valid = (who >= 0) & np.isfinite(value)
        # A settled node, or one without candidates, belongs to its own entity.
        alone = ~valid.any(axis=1)
        who[alone, 0], value[alone, 0], valid[alone, 0] = self.labels[alone], 0.0, True
        value = np.where(valid, value, -np.inf)
        weight = np.exp(value - value.max(axis=1, keepdims=True))[valid]
        row = np.repeat(np.arange(n), valid.sum(axis=1))
        return sparse.csr_matrix((weight, (row, column[who[valid]])), shape=(n, k))

    def _begin_cycle(self, by_name: bool) -> None:
        """The background, β and μ from the bags as they are, or first from those of the names."""
        bags = EntityBags.of(self.mentions, self.by_name if by_name else self.labels)
        odds = topic_odds(bags, self.seed, self.threads)
        words = self.mentions.words if odds is None else self.mentions.words._replace(odds=odds)
        names = self.mentions.names._replace(odds=bags.name_odds())
        self.mentions = replace(self.mentions, words=words, names=names)
        bags = replace(bags, mentions=self.mentions)
        if by_name:
            # Half of the bags of names may be one entity; the strengths of names are a guess.
            self.strengths = fitted(bags, guessed(bags), certain=0.5, words_only=True, threads=self.threads)
        else:
            before = self.strengths or guessed(bags)
            self.strengths = fitted(bags, before, CERTAIN_BAG, seed=self.seed, threads=self.threads)

    def _move_mentions(self, engine: Workers, deadline: float | None) -> bool:
        order = np.random.default_rng([self.seed, self.rounds]).permutation(self.mentions.n)
        order = order[~self.sure[order]]
        parts, moved = max(1, round(MOVE_PARTS * len(order) / max(self.mentions.n, 1))), 0
        # Until bags have been found, whatever seems sure is not.
        sure = SETTLED_ODDS if self.rounds >= len(BEGINNING) else np.inf
        for nodes in np.array_split(order, parts):
            if engine.interrupted or (deadline is not None and time.monotonic() >= deadline):
                return False
            who, value = self.best_entities(nodes, BAG_CANDIDATES)
            labels = self.labels.astype(np.int64)
            most = int(labels.max(initial=-1)) + 1
            moved += kernels.take_moves(nodes, who, value, labels, self.mentions.limits, most, sure, self.sure)
            self.labels = entity_blocks(labels)
        whole = _level(self.rounds + 1)[1]
        self._tell("mentions", self.energy() if whole else self._energy_before, self.mentions.n, moved)
        return True

    def energy(self, refit: bool = False) -> float:
        """The log odds of all mentions with their entities against entities of their own, added up."""
        return float(self.log_odds(refit).sum())

    def log_odds(self, refit: bool = False) -> npt.NDArray[np.float64]:
        """Return the log odds of each mention with its entity against an entity of its own.

        With `refit`, by β, μ and topics of the bags as they are, so that the ends of two runs can be compared.
        """
        if refit:
            self._begin_cycle(by_name=False)
        mentions, strengths = self.mentions, self.strengths_now
        bags = EntityBags.of(mentions, self.labels)

        def evidence(nodes: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
            words, names = own_evidence(bags, "words", nodes), own_evidence(bags, "names", nodes)
            return words(strengths.words) + names(strengths.names)

        pieces = np.array_split(np.arange(mentions.n), mentions.n // NODES_AT_ONCE + 1)
        found = in_pieces(lambda a, b: [evidence(nodes) for nodes in pieces[a:b]], len(pieces), self.threads)
        limits = mentions.limits
        node = np.repeat(np.arange(mentions.n), np.diff(limits.start))
        judged = np.where(self.labels[node] == self.labels[limits.other], limits.weight, 0.0)
        others = bags.mass[self.labels] - mentions.weight
        value = np.concatenate(list(chain.from_iterable(found)))
        value += np.log(np.maximum(others - DISCOUNT, 1e-9)) + np.bincount(node, judged, mentions.n)
        value[others == 0] = strengths.new
        if np.isnan(value).any():
            raise errors.not_finite(self.rounds, "the log odds of mentions with their bags")
        return value - strengths.new

    @property
    def strengths_now(self) -> Strengths:
        if self.strengths is None:
            self._begin_cycle(by_name=self.rounds < len(BEGINNING))
        assert self.strengths is not None
        return self.strengths

    def best_entities(
        self, nodes: npt.NDArray[np.int64], candidates: int
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        """For each node its own entity, a new one (−1) and the best others (−2 where there are fewer), and log odds."""
        strengths, bags = self.strengths_now, EntityBags.of(self.mentions, self.labels)
        mentions = self.mentions
        who = np.full((len(nodes), candidates + 2), -2, dtype=np.int32)
        value = np.full(who.shape, -np.inf)
        args = (nodes, self.labels, mentions.words, mentions.names, bags.words, bags.names, *_heaviest(bags),
                strengths.words, strengths.names, mentions.stands_for, bags.mass, mentions.weight, DISCOUNT,
                strengths.new, MOST_HOLDERS, MOST_NAMED, mentions.limits, who, value)  # fmt: skip
        in_pieces(kernels.best_entities, len(nodes), self.threads, *args)
        return who, value

    def _join_bags(self) -> bool:
        last = self.history[-1] if self.history else None
        if last is not None and last.level == "entities" and last.accepted < JOINING * last.proposed:
            # The bags are as they were, but for a few.
            self._tell("entities", self._energy_before, last.proposed, 0)
            return True
        strengths, bags = self.strengths_now, EntityBags.of(self.mentions, self.labels)
        entities = len(bags.mass)
        words, names = bags.words.rows(), bags.names.rows()
        partner, gain = np.full(entities, -1, dtype=np.int64), np.zeros(entities)
        within = np.zeros(entities, dtype=np.int32)
        if self.rounds < len(BEGINNING):
            within[self.labels] = self.within
        # Whom no bag would have joined before has to wait for one that has grown, which then looks at it.
        which = np.arange(entities) if last is None or last.level != "entities" else self.wishing
        args = (which, words, names, bags.words, bags.names, *_heaviest(bags), within, strengths.words, strengths.names,
                bags.mass, DISCOUNT, strengths.new, MOST_HOLDERS, MOST_NAMED, BAG_CANDIDATES, partner,
                gain)  # fmt: skip
        in_pieces(kernels.best_partners, len(which), self.threads, *args)
        self._take_partners("entities", partner, gain)
        return True

    def _unite_by_names(self) -> int:
        """Join bags with other words but the same names: they are sub-entities of one; how many were joined."""
        strengths, bags = self.strengths_now, EntityBags.of(self.mentions.wordless(), self.labels)
        names, entities = bags.names.rows(), len(bags.mass)
        partner, gain = np.full(entities, -1, dtype=np.int64), np.zeros(entities)
        kernels.partners_by_name(
            *names, *bags.names[:2], strengths.names[0], bags.mass, strengths.new, MOST_NAMED, partner, gain
        )
        return self._take_partners("sub-entities", partner, gain)

    def _take_partners(self, level: Level, partner: npt.NDArray[np.int64], gain: npt.NDArray[np.float64]) -> int:
        """Join what gains most first; how many were joined."""
        wish = np.flatnonzero(partner >= 0)
        order = wish[np.argsort(-gain[wish], kind="stable")]
        goes_to, joined = kernels.matched(order, partner, self._forbidden(len(partner)), len(partner))
        wishing = np.zeros(len(partner), dtype=np.bool_)
        wishing[goes_to[wish]] = True
        self.wishing = np.flatnonzero(wishing[np.unique(goes_to)])
        self.labels = entity_blocks(goes_to[self.labels])
        self._tell(level, self._energy_before, len(partner), joined)
        return int(joined)

    @property
    def _energy_before(self) -> float:
        """Energy of the last complete cycle, for rounds that do not compute it."""
        return self.history[-1].energy if self.history else 0.0

    def _forbidden(self, entities: int) -> npt.NDArray[np.int64]:
        limits = self.mentions.limits
        node = np.repeat(np.arange(self.mentions.n), np.diff(limits.start))
        never = limits.weight == -np.inf
        return np.unique(self.labels[node[never]].astype(np.int64) * entities + self.labels[limits.other[never]])

    def _converged(self) -> bool:
        """Whether the last sweep of a cycle moved next to nothing, or the cycle ended no higher than the one before."""
        last, few = self.history[-1], MOVING * self.tolerance
        if self.rounds <= len(BEGINNING):
            return False
        fallen = False
        if self.rounds > len(BEGINNING) + len(CYCLE) and self.tolerance > 0:
            fallen = last.energy <= self.history[-1 - len(CYCLE)].energy
        return fallen or last.accepted <= few * last.proposed

    def _tell(self, level: Level, energy: float, proposed: int, accepted: int) -> None:
        self.rounds += 1
        self.seconds = time.monotonic() - self.began
        entities = int(self.labels.max(initial=-1)) + 1
        self.history.append(
            Round(self.rounds, level, self.seconds, energy, entities, proposed, proposed, accepted, 0.0)
        )
        self.progress.start(
            f"round {self.rounds} ({level}): log odds {energy:,.1f}, {entities:,} entities, {accepted:,} moved"
        )
        self.progress.advance(self.rounds)
