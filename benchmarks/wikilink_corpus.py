"""A synthetic corpus like the Wikipedia-link corpus of Singh et al. 2011: mentions with a name, a context and a gold
entity. Entity sizes follow Zipf's law (at least 6 mentions each); an entity goes by several names, and many names are
shared by several entities; of the 30–60 words of a context about a fifth are the entity's own, three tenths its topic's
and the rest background, over a vocabulary of 200,000. String match has B³ between .60 and .63.

    python benchmarks/wikilink_corpus.py OUT.parquet [--mentions 25000] [--seed 0] [--kind plain]

writes a table `id, name, context, entity`. Other kinds (KINDS) have more ambiguous names, fewer telling words and more.
BUILD and HELD_OUT are unlike those, each with a seed of its own; the rule of `crossdoc.cluster.bags` was chosen on
KINDS and BUILD, and HELD_OUT was looked at once, at the end, by `sampling_speed.py kinds --held-out`.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
from numba import njit
from scipy import sparse

VOCABULARY = 200_000
MENTIONS_PER_TOPIC = 2_500


@dataclass(frozen=True)
class Kind:
    """What a corpus is like."""

    mentions_per_entity: float = 1_567_028 / 43_928
    fewest_mentions: int = 6
    zipf: float = 0.9
    own_words: int = 100
    own_share: float = 0.2
    topic_words: int = 400
    topic_share: float = 0.3
    name_shares: tuple[float, ...] = (0.64, 0.225, 0.135)
    """How often an entity goes by its first, second, third name."""
    shared_names: float = 0.32
    """The part of the names that were drawn from a pool which other entities draw from too."""
    single_entities: float = 0.0
    """The part of the entities that have one mention only."""
    draws_per_name: float = 5.0
    """How often a name of the pool is drawn, on average."""
    pool_exponent: float = 0.0
    """How much more often the first names of the pool are drawn than the last, as an exponent of Zipf's law."""
    misspelt: float = 0.0
    """The part of the mentions with one of ten misspellings of the name."""
    fewest_words: int = 30
    most_words: int = 60
    empty: float = 0.0
    """The part of the mentions without any context."""
    own_exponent: float = 0.5
    topic_exponent: float = 0.5
    background_exponent: float = 1.0
    mentions_per_topic: int = 2_500
    topics_per_entity: int = 1
    """A mention is about one of its entity's topics."""
    stock: int = 0
    """Own words are drawn from this many words of all, so that entities share them; 0: from the whole vocabulary."""
    aspects: int = 1
    """Own words come in this many equal parts; a mention has words of one of them."""
    wrong: float = 0.0
    """The part of the own words that are another entity's."""
    copied: float = 0.0
    """The part of the mentions with the context of another mention of the entity, a tenth of its words new."""
    in_one_passage: float = 0.0
    """The part of the mentions whose context is that of a mention of another entity of the topic, word for word."""
    seed: int = 0


KINDS = {
    "plain": Kind(),
    "ambiguous names": Kind(shared_names=0.8),
    "clear": Kind(own_share=0.35, shared_names=0.1),
    "few telling words": Kind(own_share=0.12, own_words=60),
    "small entities": Kind(mentions_per_entity=8, fewest_mentions=2, shared_names=0.6),
    "many names": Kind(name_shares=(0.4, 0.2, 0.15, 0.1, 0.1, 0.05), shared_names=0.2),
    "steep": Kind(zipf=1.1, mentions_per_entity=20),
    "strong topics": Kind(own_share=0.15, topic_share=0.5, topic_words=150),
}


BUILD = {
    # Like a corpus that others measured: string match .616, pairs from singletons .70 and less.
    "topics shared by many": Kind(
        own_share=0.22, own_words=500, own_exponent=0.6, topic_words=800, shared_names=0.3, fewest_words=20, zipf=1.0,
        name_shares=(0.63, 0.23, 0.14), seed=101,
    ),
    "a name for many": Kind(
        name_shares=(0.7, 0.3), shared_names=0.95, draws_per_name=25, pool_exponent=0.7, own_share=0.22, seed=102,
    ),
    "misspelt": Kind(misspelt=0.35, own_share=0.18, shared_names=0.2, seed=103),
    "heavy tail": Kind(
        zipf=1.3, single_entities=0.5, mentions_per_entity=12, fewest_mentions=2, shared_names=0.5, seed=104,
    ),
    "short contexts": Kind(fewest_words=6, most_words=14, own_share=0.35, own_words=60, empty=0.1, seed=105),
    "one passage": Kind(in_one_passage=0.4, own_share=0.25, shared_names=0.15, seed=106),
}  # fmt: skip
HELD_OUT = {
    "flat, many aliases": Kind(
        zipf=0.0, mentions_per_entity=14, fewest_mentions=4, name_shares=(0.25, 0.2, 0.15, 0.1, 0.1, 0.1, 0.05, 0.05),
        shared_names=0.1, seed=201,
    ),
    "aspects": Kind(aspects=3, own_words=150, topics_per_entity=2, own_share=0.25, shared_names=0.3, seed=202),
    "long, wrong words": Kind(
        fewest_words=100, most_words=200, wrong=0.3, own_share=0.12, own_words=200, topic_share=0.4, seed=203,
    ),
    "short names": Kind(
        name_shares=(0.5, 0.3, 0.2), shared_names=0.6, draws_per_name=40, pool_exponent=0.4, mentions_per_entity=15,
        fewest_mentions=3, seed=204,
    ),
    "common stock": Kind(
        stock=6_000, own_words=60, own_exponent=0.8, background_exponent=1.2, topic_share=0.35, seed=205,
    ),
    "copies and gaps": Kind(copied=0.3, empty=0.2, own_share=0.2, zipf=0.6, shared_names=0.25, seed=206),
}  # fmt: skip
ALL_KINDS = KINDS | BUILD | HELD_OUT


@dataclass(frozen=True)
class Corpus:
    """`words` holds the word numbers of all contexts, mention i's from start[i] to start[i + 1]."""

    start: npt.NDArray[np.int64]
    words: npt.NDArray[np.int32]
    name: npt.NDArray[np.int32]
    entity: npt.NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.name)

    def vectors(self) -> sparse.csr_matrix:
        """Unit-length rows of (1 + log tf) · (log((1 + N) / (1 + df)) + 1), as `crossdoc.compare.vectors` has them."""
        start, words, counts = count_words(self.start, self.words, VOCABULARY)
        frequency = np.bincount(words, minlength=VOCABULARY)
        idf = np.log((1 + len(self)) / (1 + frequency)) + 1
        weigh(start, words, counts, idf)
        return sparse.csr_matrix((counts, words, start), shape=(len(self), VOCABULARY))

    def names(self) -> npt.NDArray[np.object_]:
        return np.array([f"n{code}" for code in range(self.name.max() + 1)], dtype=object)[self.name]

    def development(self, share: float = 0.05, seed: int = 0) -> npt.NDArray[np.bool_]:
        """The mentions of some of the entities, to choose values on."""
        entities = self.entity.max() + 1
        chosen = np.random.default_rng(seed).random(entities) < share
        return chosen[self.entity]

    def table(self, first: int, last: int) -> pa.Table:
        """Some of the mentions, as people would write them."""
        spelt = np.array([f"w{word}" for word in range(VOCABULARY)], dtype=object)
        rows = range(first, last)
        contexts = [" ".join(spelt[self.words[self.start[i] : self.start[i + 1]]]) for i in rows]
        names = self.names()[first:last]
        return pa.table(
            {
                "id": [f"m{i}" for i in rows],
                "name": pa.array(names, pa.string()),
                "context": contexts,
                "entity": [f"e{e}" for e in self.entity[first:last]],
            }
        )

    def write(self, path: Path, piece: int = 50_000) -> None:
        with pq.ParquetWriter(path, self.table(0, 1).schema) as writer:
            for first in range(0, len(self), piece):
                writer.write_table(self.table(first, min(first + piece, len(self))))


def corpus(mentions: int, seed: int | None = None, kind: Kind = KINDS["plain"]) -> Corpus:
    """Mentions in random order; 35.7 an entity on average, as in the paper, unless the kind says otherwise."""
    seed = kind.seed if seed is None else seed
    rng = np.random.default_rng(seed)
    entities = max(2, round(mentions / kind.mentions_per_entity))
    entity = rng.permutation(np.repeat(np.arange(entities), entity_sizes(entities, mentions, kind))).astype(np.int32)
    own_names = entity_names(entities, kind, rng)
    which = rng.choice(len(kind.name_shares), mentions, p=kind.name_shares)
    topics = max(4, mentions // kind.mentions_per_topic)
    topic_of = rng.integers(0, topics, (entities, kind.topics_per_entity))
    length = rng.integers(kind.fewest_words, kind.most_words + 1, mentions)
    if kind.empty:
        length[rng.random(mentions) < kind.empty] = 0
    start = np.concatenate([[0], np.cumsum(length)]).astype(np.int64)
    own = rng.integers(0, kind.stock or VOCABULARY, (entities, kind.own_words)).astype(np.int32)
    topical = rng.integers(0, VOCABULARY, (topics, kind.topic_words)).astype(np.int32)
    background = np.cumsum(1 / (np.arange(VOCABULARY) + 10.0) ** kind.background_exponent)
    words = write(
        start, entity, topic_of, own, topical, rng.permutation(VOCABULARY).astype(np.int32),
        zipf(kind.own_words // kind.aspects, kind.own_exponent), zipf(kind.topic_words, kind.topic_exponent),
        background / background[-1], kind.own_share, kind.topic_share, kind.aspects, kind.wrong, seed,
    )  # fmt: skip
    start, words = with_copies(start, words, entity, topic_of[:, 0], kind, rng)
    name = own_names[entity, which]
    if kind.misspelt:
        wrong = rng.random(mentions) < kind.misspelt
        name = np.where(wrong, own_names.max() + 1 + 10 * name + rng.integers(0, 10, mentions), name).astype(np.int32)
    return Corpus(start, words, name, entity)


def entity_sizes(entities: int, mentions: int, kind: Kind) -> npt.NDArray[np.int64]:
    """Zipf sizes of at least as many as the kind asks for that add up, and entities of one mention after them."""
    single = int(entities * kind.single_entities)
    entities, mentions = entities - single, mentions - single
    weight = 1 / (np.arange(entities) + 5.0) ** kind.zipf
    spare = mentions - kind.fewest_mentions * entities
    sizes = kind.fewest_mentions + np.floor(spare * weight / weight.sum()).astype(np.int64)
    sizes[: mentions - sizes.sum()] += 1
    return np.append(sizes, np.ones(single, dtype=np.int64))


def entity_names(entities: int, kind: Kind, rng: np.random.Generator) -> npt.NDArray[np.int32]:
    """Each entity's names: some its own, some from a pool, by default of a fifth as many as there are shared ones."""
    shape = (entities, len(kind.name_shares))
    shared = rng.random(shape) < kind.shared_names
    pool = max(1, int(shared.sum() / kind.draws_per_name))
    own = pool + np.arange(entities * len(kind.name_shares)).reshape(shape)
    if kind.pool_exponent:
        drawn = np.searchsorted(zipf(pool, kind.pool_exponent), rng.random(shape))
    else:
        drawn = rng.integers(0, pool, shape)
    return np.where(shared, drawn, own).astype(np.int32)


def with_copies(
    start: npt.NDArray[np.int64],
    words: npt.NDArray[np.int32],
    entity: npt.NDArray[np.int32],
    topic_of: npt.NDArray[np.int64],
    kind: Kind,
    rng: np.random.Generator,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Some contexts in the place of others: of the same entity with new words in them, or of the same topic."""
    if not kind.copied and not kind.in_one_passage:
        return start, words
    rows = np.split(words, start[1:-1])
    drawn = rng.random(len(entity))
    for copies, group in ((drawn < kind.copied, entity), (drawn > 1 - kind.in_one_passage, topic_of[entity])):
        source = np.flatnonzero((drawn >= kind.copied) & (drawn <= 1 - kind.in_one_passage))
        source = source[np.argsort(group[source], kind="stable")]
        for i in np.flatnonzero(copies):
            first, last = np.searchsorted(group[source], [group[i], group[i] + 1])
            if first < last:
                rows[i] = rows[source[rng.integers(first, last)]].copy()
    for i in np.flatnonzero(drawn < kind.copied):
        new = rng.random(len(rows[i])) < 0.1
        rows[i][new] = rng.integers(0, VOCABULARY, new.sum())
    return np.cumsum([0, *map(len, rows)], dtype=np.int64), np.concatenate(rows)


def zipf(n: int, exponent: float) -> npt.NDArray[np.float64]:
    """Cumulative shares of n words."""
    total = np.cumsum(1 / (np.arange(n) + 1.0) ** exponent)
    return total / total[-1]


@njit(cache=True)
def write(  # type: ignore[no-untyped-def]
    start, entity, topic_of, own, topical, common, own_shares, topic_shares, background, own_part, topic_part, aspects,
    wrong, seed,
):  # fmt: skip
    np.random.seed(seed)
    words = np.empty(start[-1], dtype=np.int32)
    for i in range(len(entity)):
        topic, aspect = topic_of[entity[i], 0], 0
        if topic_of.shape[1] > 1:
            topic = topic_of[entity[i], np.random.randint(topic_of.shape[1])]
        if aspects > 1:
            aspect = np.random.randint(aspects)
        for c in range(start[i], start[i + 1]):
            kind, place = np.random.random(), np.random.random()
            if kind < own_part:
                whose = entity[i]
                if wrong > 0 and np.random.random() < wrong:
                    whose = np.random.randint(len(own))
                words[c] = own[whose, aspect * len(own_shares) + np.searchsorted(own_shares, place)]
            elif kind < own_part + topic_part:
                words[c] = topical[topic, np.searchsorted(topic_shares, place)]
            else:
                words[c] = common[np.searchsorted(background, place)]
    return words


@njit(cache=True)
def count_words(start, words, width):  # type: ignore[no-untyped-def]
    """Rows of distinct sorted words and how often they occur."""
    n = len(start) - 1
    out_start = np.zeros(n + 1, dtype=np.int64)
    out = np.empty(len(words), dtype=np.int32)
    counts = np.empty(len(words), dtype=np.float32)
    at = 0
    for i in range(n):
        row = np.sort(words[start[i] : start[i + 1]])
        for k in range(len(row)):
            if k > 0 and row[k] == row[k - 1]:
                counts[at - 1] += 1
            else:
                out[at] = row[k]
                counts[at] = 1
                at += 1
        out_start[i + 1] = at
    return out_start, out[:at], counts[:at]


@njit(cache=True)
def weigh(start, words, counts, idf):  # type: ignore[no-untyped-def]
    for i in range(len(start) - 1):
        total = 0.0
        for c in range(start[i], start[i + 1]):
            counts[c] = (1 + np.log(counts[c])) * idf[words[c]]
            total += counts[c] ** 2
        for c in range(start[i], start[i + 1]):
            counts[c] /= np.sqrt(total)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--mentions", type=int, default=25_000)
    parser.add_argument("--seed", type=int, help="the kind's own unless told")
    parser.add_argument("--kind", choices=list(ALL_KINDS), default="plain")
    options = parser.parse_args()
    made = corpus(options.mentions, options.seed, ALL_KINDS[options.kind])
    made.write(options.out)
    print(f"{len(made):,} mentions of {made.entity.max() + 1:,} entities, {len(np.unique(made.name)):,} names")


if __name__ == "__main__":
    main()
