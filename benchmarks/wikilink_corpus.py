"""A synthetic corpus like the Wikipedia-link corpus of Singh et al. 2011: mentions with a name, a context and a gold
entity. Entity sizes follow Zipf's law (at least 6 mentions each); an entity goes by several names, and many names are
shared by several entities; of the 30–60 words of a context about a fifth are the entity's own, three tenths its topic's
and the rest background, over a vocabulary of 200,000. String match has B³ between .60 and .63.

    python benchmarks/wikilink_corpus.py OUT.parquet [--mentions 25000] [--seed 0] [--kind plain]

writes a table `id, name, context, entity`. Other kinds (KINDS) have more ambiguous names, fewer telling words and more.
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


def corpus(mentions: int, seed: int = 0, kind: Kind = KINDS["plain"]) -> Corpus:
    """Mentions in random order; 35.7 an entity on average, as in the paper, unless the kind says otherwise."""
    rng = np.random.default_rng(seed)
    entities = max(2, round(mentions / kind.mentions_per_entity))
    entity = rng.permutation(np.repeat(np.arange(entities), entity_sizes(entities, mentions, kind))).astype(np.int32)
    own_names = entity_names(entities, kind, rng)
    which = rng.choice(len(kind.name_shares), mentions, p=kind.name_shares)
    topics = max(4, mentions // MENTIONS_PER_TOPIC)
    topic_of = rng.integers(0, topics, entities)
    length = rng.integers(30, 61, mentions)
    start = np.concatenate([[0], np.cumsum(length)]).astype(np.int64)
    own = rng.integers(0, VOCABULARY, (entities, kind.own_words)).astype(np.int32)
    topical = rng.integers(0, VOCABULARY, (topics, kind.topic_words)).astype(np.int32)
    background = np.cumsum(1 / (np.arange(VOCABULARY) + 10.0))
    words = write(
        start, entity, topic_of, own, topical, rng.permutation(VOCABULARY).astype(np.int32),
        zipf(kind.own_words, 0.5), zipf(kind.topic_words, 0.5), background / background[-1], kind.own_share,
        kind.topic_share, seed,
    )  # fmt: skip
    return Corpus(start, words, own_names[entity, which], entity)


def entity_sizes(entities: int, mentions: int, kind: Kind) -> npt.NDArray[np.int64]:
    """Zipf sizes of at least as many as the kind asks for that add up."""
    weight = 1 / (np.arange(entities) + 5.0) ** kind.zipf
    spare = mentions - kind.fewest_mentions * entities
    sizes = kind.fewest_mentions + np.floor(spare * weight / weight.sum()).astype(np.int64)
    sizes[: mentions - sizes.sum()] += 1
    return sizes


def entity_names(entities: int, kind: Kind, rng: np.random.Generator) -> npt.NDArray[np.int32]:
    """Each entity's names: some its own, some from a pool of a fifth as many as there are shared ones."""
    shape = (entities, len(kind.name_shares))
    shared = rng.random(shape) < kind.shared_names
    pool = max(1, int(shared.sum() / 5))
    own = pool + np.arange(entities * len(kind.name_shares)).reshape(shape)
    return np.where(shared, rng.integers(0, pool, shape), own).astype(np.int32)


def zipf(n: int, exponent: float) -> npt.NDArray[np.float64]:
    """Cumulative shares of n words."""
    total = np.cumsum(1 / (np.arange(n) + 1.0) ** exponent)
    return total / total[-1]


@njit(cache=True)
def write(  # type: ignore[no-untyped-def]
    start, entity, topic_of, own, topical, common, own_shares, topic_shares, background, own_part, topic_part, seed
):
    np.random.seed(seed)
    words = np.empty(start[-1], dtype=np.int32)
    for i in range(len(entity)):
        for c in range(start[i], start[i + 1]):
            kind, place = np.random.random(), np.random.random()
            if kind < own_part:
                words[c] = own[entity[i], np.searchsorted(own_shares, place)]
            elif kind < own_part + topic_part:
                words[c] = topical[topic_of[entity[i]], np.searchsorted(topic_shares, place)]
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
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", choices=list(KINDS), default="plain")
    options = parser.parse_args()
    made = corpus(options.mentions, options.seed, KINDS[options.kind])
    piece = 50_000
    with pq.ParquetWriter(options.out, made.table(0, 1).schema) as writer:
        for first in range(0, len(made), piece):
            writer.write_table(made.table(first, min(first + piece, len(made))))
    print(f"{len(made):,} mentions of {made.entity.max() + 1:,} entities, {len(np.unique(made.name)):,} names")


if __name__ == "__main__":
    main()
