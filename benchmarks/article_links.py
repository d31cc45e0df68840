"""Links as articles have them: a second generator, unlike `wikilink_corpus.py` in how words and names come about.

An article has a topic, words of its own and several links, mostly to entities of the topic. The context of a link mixes
words of its entity, of the article, of another entity that the article links to, of the topic, and of the background.
Entities draw their words from a stock that all of a topic share, with weights of their own, so that hardly a word is
one entity's alone, and an entity's words may drift from article to article. Names come from pools by Zipf's law.

    python benchmarks/article_links.py OUT.parquet [--mentions 25000] [--kind articles]

`sampling_speed.py kinds --articles` looks at all kinds. They were fixed before any rule was tried on them; the rule of
`crossdoc.cluster.bags.informative_words` was then chosen on the first six. The others (UNSEEN) were looked at next, and
one of them led to a change; LATER came when all of these had been built on (docs/sampling.md).
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from wikilink_corpus import VOCABULARY, Corpus, zipf  # type: ignore[import-not-found]

LEAST_LINKS = 2
TOPIC_WORDS, ARTICLE_WORDS = 300, 40


@dataclass(frozen=True)
class Articles:
    """What a corpus is like."""

    seed: int
    mentions_per_entity: float = 20
    links: int = 8
    """Links of an article, on average."""
    entities_per_topic: int = 60
    at_home: float = 0.8
    """The part of an article's links to entities of its topic."""
    own: float = 0.25
    article: float = 0.2
    beside: float = 0.05
    topic: float = 0.2
    """Shares of a context's words; the rest is background."""
    stock: int = 3_000
    """Words of a topic from which its entities draw theirs."""
    own_words: int = 80
    drift: float = 0.0
    """How much of an entity's words its last mention no longer has in common with its first."""
    words: tuple[int, int] = (25, 70)
    popularity: float = 0.8
    """An exponent of Zipf's law: how much more is written about the first entities of a topic than about the last."""
    names: int = 3
    usual: float = 1.2
    """An exponent: how much more often an entity goes by its first name than by its last."""
    shared: tuple[float, ...] = (0.1, 0.3, 0.7)
    """Of first, second, third names, the part that comes from a pool."""
    pool: float = 0.3
    """Names in the pool for each entity."""


ARTICLES = {
    "articles": Articles(301),
    "articles, drifting": Articles(302, drift=0.7, own_words=120),
    "articles, little of their own": Articles(303, own=0.15, article=0.3, stock=1_500),
    "articles, one topic": Articles(304, entities_per_topic=100_000, stock=20_000, links=5),
    "articles, short names": Articles(305, shared=(0.6, 0.8, 0.9), pool=0.15, words=(15, 40)),
    "articles, few mentions": Articles(306, mentions_per_entity=5, popularity=1.1, entities_per_topic=200),
}
UNSEEN = {
    "articles, long": Articles(311, words=(100, 180), own=0.15, topic=0.3, links=12),
    "articles, six names": Articles(
        312, names=6, usual=0.8, shared=(0.05, 0.1, 0.2, 0.4, 0.6, 0.8), mentions_per_entity=30, stock=5_000,
    ),
    "articles, of many links": Articles(313, links=25, at_home=0.95, article=0.35, entities_per_topic=150),
    "articles, nothing of their own": Articles(314, own=0.0, beside=0.0, article=0.4),
}  # fmt: skip
"""Fixed when the rule had been chosen on the others. In the last, words say nothing: string match is all there is."""
LATER = {
    "articles, neighbours": Articles(321, own=0.2, beside=0.15, article=0.15),
    "articles, of two links": Articles(322, links=3, article=0.4, topic=0.15, mentions_per_entity=12),
    "articles, flat": Articles(323, popularity=0.0, mentions_per_entity=8, usual=0.4, entities_per_topic=120),
    "articles, names shared": Articles(324, shared=(0.5, 0.5, 0.5), pool=0.6, own_words=150, stock=6_000),
    "articles, long and few": Articles(325, words=(80, 150), own=0.1, article=0.35, mentions_per_entity=8, links=15),
}
"""Fixed when articles' words had come to be left out bag by bag; looked at once, with 25,000 mentions."""
ARTICLES |= UNSEEN | LATER


def articles(mentions: int, kind: Articles) -> Corpus:
    """Links in the order of the articles, mixed."""
    rng = np.random.default_rng(kind.seed)
    entities = max(2, round(mentions / kind.mentions_per_entity))
    topics = max(1, entities // kind.entities_per_topic)
    topic_of = rng.integers(0, topics, entities)
    members = [np.flatnonzero(topic_of == topic) for topic in range(topics)]
    article, entity, topic = _links(mentions, members, kind, rng)
    length = rng.integers(kind.words[0], kind.words[1] + 1, mentions)
    start = np.concatenate([[0], np.cumsum(length)]).astype(np.int64)
    row = np.repeat(np.arange(mentions), length)
    words = _words(row, article, entity, topic, topic_of, kind, rng)
    order = rng.permutation(mentions)
    rows = np.split(words, start[1:-1])
    mixed = [rows[at] for at in order]
    begins = np.cumsum([0, *map(len, mixed)], dtype=np.int64)
    name = _names(entities, kind, rng)[entity, _which(mentions, kind, rng)]
    return Corpus(begins, np.concatenate(mixed), name[order].astype(np.int32), entity[order].astype(np.int32))


def _links(
    mentions: int, members: list[npt.NDArray[np.int64]], kind: Articles, rng: np.random.Generator
) -> tuple[npt.NDArray[np.int64], ...]:
    """Of each link its article, entity and topic."""
    many = LEAST_LINKS + rng.poisson(kind.links - LEAST_LINKS, mentions // LEAST_LINKS + 1)
    article = np.repeat(np.arange(len(many)), many)[:mentions]
    filled = [topic for topic, own in enumerate(members) if len(own)]
    topic = rng.choice(filled, len(many))[article]
    elsewhere = rng.random(mentions) >= kind.at_home
    drawn_from = np.where(elsewhere, rng.choice(filled, mentions), topic)
    entity = np.empty(mentions, dtype=np.int64)
    for each in filled:
        here = np.flatnonzero(drawn_from == each)
        entity[here] = members[each][np.searchsorted(zipf(len(members[each]), kind.popularity), rng.random(len(here)))]
    return article, entity, topic


def _words(
    row: npt.NDArray[np.int64],
    article: npt.NDArray[np.int64],
    entity: npt.NDArray[np.int64],
    topic: npt.NDArray[np.int64],
    topic_of: npt.NDArray[np.int64],
    kind: Articles,
    rng: np.random.Generator,
) -> npt.NDArray[np.int32]:
    topics, entities, total = int(topic_of.max()) + 1, len(topic_of), len(row)
    stock = rng.integers(0, VOCABULARY, (topics, kind.stock))
    own = stock[topic_of[:, None], rng.integers(0, kind.stock, (entities, kind.own_words))]
    weights = np.cumsum(rng.gamma(0.5, size=(entities, kind.own_words)), axis=1)
    weights /= weights[:, -1:]
    of_article = rng.integers(0, VOCABULARY, (int(article.max()) + 1, ARTICLE_WORDS))
    of_topic = rng.integers(0, VOCABULARY, (topics, TOPIC_WORDS))
    background = np.cumsum(1 / (np.arange(VOCABULARY) + 10.0))
    words = np.searchsorted(background / background[-1], rng.random(total))
    drawn = rng.random(total)
    bounds = np.cumsum([kind.own, kind.beside, kind.article, kind.topic])
    # Words of another entity of the article: of the link before or after.
    neighbour = np.where(
        np.append(article[1:] == article[:-1], False), np.arange(len(entity)) + 1, np.arange(len(entity)) - 1
    )
    whose = np.where(drawn < bounds[0], entity[row], entity[neighbour[row]])
    seen = np.argsort(np.argsort(entity, kind="stable"), kind="stable") - np.searchsorted(np.sort(entity), entity)
    age = (seen / np.maximum(np.bincount(entity)[entity] - 1, 1))[row]
    first = drawn < bounds[1]
    place = (rng.random(first.sum()) * (1 - kind.drift / 2)) + age[first] * kind.drift / 2
    at = (weights[whose[first]] < place[:, None]).sum(axis=1)
    words[first] = own[whose[first], np.minimum(at, kind.own_words - 1)]
    of = (drawn >= bounds[1]) & (drawn < bounds[2])
    words[of] = of_article[article[row[of]], rng.integers(0, ARTICLE_WORDS, of.sum())]
    of = (drawn >= bounds[2]) & (drawn < bounds[3])
    words[of] = of_topic[topic[row[of]], np.searchsorted(zipf(TOPIC_WORDS, 0.5), rng.random(of.sum()))]
    return words.astype(np.int32)


def _names(entities: int, kind: Articles, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    shape = (entities, kind.names)
    pool = max(1, round(kind.pool * entities))
    drawn = np.searchsorted(zipf(pool, 0.7), rng.random(shape))
    own = pool + np.arange(entities * kind.names).reshape(shape)
    return np.where(rng.random(shape) < np.array(kind.shared), drawn, own)


def _which(mentions: int, kind: Articles, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    return np.searchsorted(zipf(kind.names, kind.usual), rng.random(mentions))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--mentions", type=int, default=25_000)
    parser.add_argument("--kind", choices=list(ARTICLES), default="articles")
    options = parser.parse_args()
    made = articles(options.mentions, ARTICLES[options.kind])
    made.write(options.out)
    print(f"{len(made):,} mentions of {len(np.unique(made.entity)):,} entities, {len(np.unique(made.name)):,} names")


if __name__ == "__main__":
    main()
