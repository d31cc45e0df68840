"""The bag model over partitions: a task does the rounds of a cycle on its nodes, then assigns its entities again.

Each task makes `BagMentions` of its rows, with the word shares of the full corpus, and runs `bag_run.py` on them: the
beginning of a run in the first round, a cycle in each later one. Topics, β and μ are fitted per partition. The numbers
of entities, and of entities per name, are summed over all partitions after each round.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crossdoc.cluster.bags.bag_run import BEGINNING, CYCLE, MOVING, BagRun
from crossdoc.cluster.bags.bags import (
    JUDGED,
    BagMentions,
    EntityBags,
    EntityCounts,
    Features,
    Labels,
    NodeLimits,
    bearers,
    by_node,
    name_totals,
    node_limits,
    without_rows,
)
from crossdoc.cluster.bags.passages import ContextRows, Marks
from crossdoc.cluster.bags.topics import MOST_OF_A_NAME, SharedTrait, TopicModel, main_names, usual_topics
from crossdoc.cluster.sampling.pair_run import Workers
from crossdoc.cluster.sampling.proposals import entity_blocks
from crossdoc.cluster.sampling.rounds import Ints, PartitionWork, Shard, StageCounts, global_labels, hashed
from crossdoc.progress import Quiet

CLOSING_ROUND = 1_000_000
"""The number of a round that is none: after the last."""


class BagBackground(NamedTuple):
    """Statistics of the words and names of all mentions, for every partition."""

    share: npt.NDArray[np.float64]
    """Share of each word in all words; 0 if only one mention has it."""
    topics: TopicModel
    named: npt.NDArray[np.float64]
    """The mentions of each name."""


class PartitionNames(NamedTuple):
    """Sums over a partition: mentions of each name, squares of its mentions per entity, and entities."""

    name: Ints
    total: npt.NDArray[np.float64]
    squares: npt.NDArray[np.float64]
    entities: int


@dataclass(frozen=True)
class BagWork(PartitionWork):
    """Tasks of the bag model over partitions."""

    parts: int
    n: int
    cycles: int
    """That a run has at most, of all stages."""
    seed: int = 0
    telling: bool = True
    """Whether words say who is who; else names alone do."""
    from_names: bool = False
    """Whether a run begins with the names as entities, and not with every mention as one."""

    def mentions(self, shard: Shard, background: BagBackground) -> BagMentions:
        made = mentions_of(shard, background.share, len(background.named))
        return made if self.telling else made.wordless()

    def stages(self, number: int) -> Sequence[Any]:
        """Return the stages of a round: by topic, and after the first round by name, too."""
        return (self.by_topic, self.by_name) if number and self.telling else (self.by_topic,)

    def by_topic(
        self, held: Sequence[Any], number: int, deadline: float | None, background: BagBackground, known: EntityCounts
    ) -> tuple[list[Any], StageCounts]:
        """A cycle among entities of near topics, or what a run begins with; words keep the odds they have in them."""
        shard, run, counts = self._moved(held, number, deadline, background, known, topics=True)
        if len(self.stages(number)) == 1:
            return self._dealt(shard, number + 1, "topic", background, counts)
        words = *shard.ragged["words"], run.mentions.words.odds
        shard = shard._replace(ragged={**shard.ragged, "words": words})
        return self._dealt(shard, number, "name", background, counts)

    def by_name(
        self, held: Sequence[Any], number: int, deadline: float | None, background: BagBackground, known: EntityCounts
    ) -> tuple[list[Any], StageCounts]:
        """All mentions once among entities of one name, with the odds of words that they have in their topics.

        Bags are not joined: here each would see those that have its name, and none that has its words.
        """
        shard, _, counts = self._moved(held, number, deadline, background, known, topics=False)
        shard = shard._replace(ragged={**shard.ragged, "words": shard.ragged["words"][:3]})
        return self._dealt(shard, number + 1, "topic", background, counts)

    def _moved(
        self, held: Sequence[Any], number: int, deadline: float | None, background: BagBackground, known: EntityCounts,
        topics: bool,
    ) -> tuple[Shard, BagRun, StageCounts]:  # fmt: skip
        """A partition, given as its own number and its pieces, after the levels of its stage."""
        part, *pieces = held
        shard = Shard.united(pieces)
        begun = time.perf_counter()
        run = self._run(shard, self.mentions(shard, background), shard.local_labels(), known, topics)
        # Each partition of each round draws for itself.
        run.seed = self.seed_of(number, part, topics)
        end = run.rounds + len(CYCLE)
        if number == 0:
            labels, end = run.by_name if self.from_names else run.labels, len(BEGINNING)
            run = replace(run, rounds=0, together=self.from_names, labels=labels)
        elif not topics:
            run.rounds = end - 1
        left = None if deadline is None else max(0.01, deadline - time.time())
        if shard.n:
            with Workers(1) as kernels:
                run.go(kernels, end, left, closes=False)
        proposed, moved = (sum(getattr(each, name) for each in run.history) for name in ("proposed", "accepted"))
        energy = run.history[-1].energy if run.history else 0.0
        counts = StageCounts(shard.n, 0, proposed, moved, energy, time.perf_counter() - begun)
        return shard.with_labels(global_labels(shard, run.labels)), run, counts

    def deal(
        self, held: Sequence[Any], number: int, background: BagBackground, known: EntityCounts
    ) -> tuple[list[Any], StageCounts]:
        return self._dealt(Shard.united(held[1:]), number, "topic", background)

    @property
    def closing(self) -> tuple[Any, ...]:
        """The last step of a run, among entities of one main name and then of any; at the end they are by topic."""
        steps: tuple[tuple[bool, SharedTrait], ...] = (False, "name"), (True, "any name"), (True, "topic")
        return tuple(partial(self.close, unites=unites, by=by) for unites, by in steps)

    def close(
        self, held: Sequence[Any], background: BagBackground, known: EntityCounts, *, unites: bool, by: SharedTrait
    ) -> tuple[list[Any], StageCounts]:
        """Join bags with other words but the same names, if asked to, and deal them."""
        shard = Shard.united(held[1:])
        if unites and shard.n:
            mentions = self.mentions(shard, background).wordless()
            run = self._run(shard, mentions, shard.local_labels(), known, topics=False)
            run.unite_by_names()
            shard = shard.with_labels(global_labels(shard, run.labels))
        return self._dealt(shard, CLOSING_ROUND, by, background)

    def _run(self, shard: Shard, mentions: BagMentions, labels: Labels, known: EntityCounts, topics: bool) -> BagRun:
        """A run that goes on from entities that were found."""
        return BagRun(mentions, labels, labels_by_name(shard), Quiet(), False, 0.0, self.seed, rounds=len(BEGINNING),
                      known=known, topics=topics)  # fmt: skip

    def _dealt(
        self, shard: Shard, number: int, by: SharedTrait, background: BagBackground, counts: StageCounts | None = None
    ) -> tuple[list[Any], StageCounts]:
        """The pieces of a partition for the next stage, with what it has to tell of its names."""
        labels = shard.local_labels()
        bags = EntityBags.of(mentions_of(shard, background.share, len(background.named)), labels)
        goes_to = self.goes_to(shard, bags, number, by, background)[labels]
        total, squares = name_totals(bags.names)
        name = np.flatnonzero(total)
        # Before the first round entities are not known, and names are.
        told = PartitionNames(name, total[name], squares[name], len(bags.mass)) if number else None
        counts = (counts or StageCounts(shard.n))._replace(entities=len(bags.mass), bytes=shard.bytes)
        return [*shard.split(goes_to, self.parts), told], counts

    def know(
        self, told: Sequence[PartitionNames | None], background: BagBackground, known: EntityCounts
    ) -> EntityCounts:
        """The names and entities of all partitions together."""
        every = [each for each in told if each is not None]
        total, squares = np.zeros(len(background.named)), np.zeros(len(background.named))
        for each in every:
            total[each.name] += each.total
            squares[each.name] += each.squares
        return EntityCounts(sum(each.entities for each in every), bearers(total, squares)) if every else known

    def goes_to(self, shard: Shard, bags: EntityBags, number: int, by: SharedTrait, background: BagBackground) -> Ints:
        """The partition of each entity in the round of that number: by its topic, or by a name.

        Entities without words that a topic has go with their names, those without a name, or with one that is too
        common for a partition, with their topics; with neither, anywhere.
        """
        seed = self.seed_of(number)
        words, names = bags.rows()
        name, topics = main_names(names, seed if by == "any name" else None), background.topics
        first = np.empty(len(bags.mass), dtype=np.int64)
        first[bags.labels[::-1]] = shard.flat["node"][::-1]
        with_name = hashed(np.where(name >= 0, name, len(background.named) + first), seed, self.parts)
        if not topics.many or not self.telling:
            return with_name
        topic = topics.nearest(words.start, words.feature)
        if number == 0:
            topic = np.where(topic >= 0, topic, usual_topics(name, topic)[name])
        with_topic = np.where(topic >= 0, topics.groups(self.parts, seed)[topic], with_name)
        common = np.append(background.named > MOST_OF_A_NAME * self.n / self.parts, True)
        return np.where(common[name], with_topic, with_name) if by != "topic" else with_topic

    def conditionals(
        self, shard: Shard, labels: Labels, background: BagBackground, known: EntityCounts
    ) -> sparse.csr_matrix:
        return self._run(shard, self.mentions(shard, background), labels, known, topics=True).memberships(labels)

    def converged(self, history: Sequence[Any], tolerance: float) -> bool:
        """Return whether the last round moved or gained next to nothing."""
        few = MOVING * tolerance
        if len(history) < 2 + self.telling:
            return False
        before, last = history[-2:]
        return bool(last.moved <= few * self.n or last.energy - before.energy <= few * abs(last.energy))


def labels_by_name(shard: Shard) -> Labels:
    """Nodes of one name together, those without a name alone; all alone if all have the same."""
    start, name, _ = shard.ragged["names"]
    first = np.append(name, 0)[np.minimum(start[:-1], max(len(name) - 1, 0))] if len(name) else np.zeros(shard.n)
    code = np.where(np.diff(start) > 0, first, int(name.max(initial=-1)) + 1 + np.arange(shard.n))
    labels = entity_blocks(code)
    return labels if labels.max(initial=0) > 0 else np.arange(shard.n, dtype=np.int32)


def mentions_of(shard: Shard, share: npt.NDArray[np.float64], names: int) -> BagMentions:
    """The nodes of a shard; of each passage the first that is here has its words."""
    share = np.array(share)
    start, word, times, *odds = shard.ragged["words"]
    name_start, name, name_times = shard.ragged["names"]
    words = Features(
        start, word, times, odds[0] if odds else (1 / share[word]).astype(np.float32), shard.flat["length"]
    )
    length = np.diff(np.concatenate([[0], np.cumsum(name_times)])[name_start]).astype(np.float64)
    named = Features(name_start, name, name_times, np.ones(len(name), dtype=np.float32), length)
    _, first, passage = np.unique(shard.flat["passage"], return_index=True, return_inverse=True)
    limits = NodeLimits(*shard.limits_here())
    return BagMentions(words, named, share, names, shard.flat["weight"], first[passage], limits)


def bag_shard(
    contexts: ContextRows, marks: Marks, share: npt.NDArray[np.float64], pairs: Ints, weight: npt.NDArray[np.float64]
) -> Shard:
    """Contexts as nodes, each an entity of its own, with judgements between them (−inf: never one)."""
    nodes, node = np.unique(contexts.node, return_inverse=True)
    start, word = spoken(contexts, marks)
    length = np.bincount(node, np.diff(start), len(nodes)).astype(np.float64)
    passage = contexts.row.copy()
    passage[np.searchsorted(contexts.row, marks.row)] = marks.first
    of_node = np.empty(len(nodes), dtype=np.int64)
    of_node[node[::-1]] = passage[::-1]
    mass = np.bincount(node, minlength=len(nodes)).astype(np.float64)
    # Rows that must be one have several contexts, and are no passage.
    of_node = np.where(mass == 1, of_node, -1 - nodes)
    kept = share[word] > 0
    start = np.concatenate([[0], np.cumsum(kept)])[start]
    named = np.concatenate([[0], np.cumsum(contexts.code >= 0)])
    words = by_node(start, word[kept], node, len(nodes), len(share))
    names = by_node(named, contexts.code[contexts.code >= 0], node, len(nodes), int(contexts.code.max(initial=0)) + 1)
    start, other, worth = node_limits(np.searchsorted(nodes, pairs), weight, len(nodes))
    limits = start, nodes[other], np.where(worth == -np.inf, worth, JUDGED * worth)
    flat = {"node": nodes, "label": nodes, "weight": mass, "passage": of_node, "length": length}
    return Shard(flat, {"words": words, "names": names, "limits": limits})


def spoken(contexts: ContextRows, marks: Marks) -> tuple[Ints, npt.NDArray[np.int32]]:
    """The words of each row, but for those of a passage that several names share: it says nothing of any of them."""
    silent = np.zeros(len(contexts.row), dtype=np.bool_)
    silent[np.searchsorted(contexts.row, marks.row[marks.shared])] = True
    start, cells = without_rows(contexts.start, silent)
    return start, contexts.word[cells]
