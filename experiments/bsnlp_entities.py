"""Entities across six Slavic languages (BSNLP 2019): link detection where names differ in script and inflection.

    python experiments/bsnlp_entities.py [groups] [mentions]

`groups`: a node is an entity in one language of a topic with the forms of its name, as if each language had been
resolved by itself; two nodes of one language are never one. `mentions`: a node is one form in one document of a sample
of documents; nodes of one type alone may be one, and nothing is known of languages. Gold is the cross-lingual id.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np
from common import data, table
from corpora import bsnlp
from corpora.annotations import TYPES
from corpora.bsnlp import Form

from crossdoc.cluster.correlation import CorrelationClustering
from crossdoc.cluster.hierarchical import LinkageClustering
from crossdoc.crosslingual import ArticleGroup, LinkDetector, features
from crossdoc.crosslingual.linking import score_links
from crossdoc.crosslingual.similarity import similarities
from crossdoc.model.evidence_protocol import Constraints
from crossdoc.scoring import Assignment, align, pairwise

TOPICS = ("asia_bibi", "nord_stream", "ryanair", "brexit")
SEEN = ("asia_bibi", "nord_stream", "ryanair")
DOCUMENTS = 8
"""Of each language in a sample of mentions."""
BIASES = 25
LEAST = 0.0002
"""The share of pairs that the first bias makes positive."""
MOST_GROUPS, MOST_MENTIONS = 0.02, 0.3
"""The share at the last bias: an entity has one group in a language, but may have dozens of mentions."""


def named(topic: str) -> list[Form]:
    return [form for form in bsnlp.forms(data("bsnlp2019", topic)) if form.type in TYPES]


def groups_of(topic: str) -> tuple[list[ArticleGroup], Assignment]:
    """One group for each entity and language: its distinct forms, as titles."""
    titles: dict[tuple[str, str], dict[str, None]] = {}
    for form in named(topic):
        titles.setdefault((form.language, form.entity), {})[form.text] = None
    groups = [
        ArticleGroup(f"{language}/{entity}", language, tuple(forms)) for (language, entity), forms in titles.items()
    ]
    return groups, Assignment.of({group.id: group.id.partition("/")[2] for group in groups})


def biases(strength: np.ndarray, pairs: int, most: float) -> list[float]:
    ordered = np.append(np.sort(strength.astype(np.float64))[::-1], 0.0)
    shares = np.geomspace(LEAST, most, BIASES)
    at = np.unique(np.clip((shares * pairs).astype(int), 1, len(ordered) - 1))
    return [float(value) for value in (ordered[at - 1] + ordered[at]) / 2]


def groups_part() -> None:
    rows: list[list[object]] = []
    for topic in TOPICS:
        groups, truth = groups_of(topic)
        detector = LinkDetector(solver="moves").compare(groups)
        chosen = detector.choose_bias()
        row: list[object] = [f"{topic}{' (seen)' if topic in SEEN else ''}", len(groups), chosen.bias]
        for method in ("correlation", "chc", "hc"):
            detector.method = method  # type: ignore[assignment]
            scores = []
            for bias in [chosen.bias, *biases(detector.relations_.strength, detector.pairs_, MOST_GROUPS)]:
                detector.cluster(bias)
                scores.append(score_links(detector, truth).f1)
            row += [scores[0], max(scores)]
        rows.append(row)
        print(table(["…"] * len(row), [row]).splitlines()[-1], flush=True)
    print("\n### entities of one language as nodes: F1 over pairs\n")
    methods = [f"{name} {how}" for name in ("correlation", "CHC", "HC") for how in ("honest", "oracle")]
    print(table(["topic", "nodes", "bias", *methods], rows))


def mentions_part() -> None:
    """Correlation clustering and single link, each without and with cannot-links between types."""
    rows: list[list[object]] = []
    for topic in TOPICS:
        found: dict[str, list[tuple[float, float]]] = {}
        sizes = []
        for seed in range(3):
            forms = sample(named(topic), seed)
            sizes.append(len(forms))
            for name, scores in mention_scores(forms).items():
                found.setdefault(name, []).append(scores)
        means = [np.mean(found[name], axis=0) for name in found]
        rows.append([topic, int(np.mean(sizes)), *(float(value) for mean in means for value in mean)])
        print(table(["…"] * len(rows[-1]), rows[-1:]).splitlines()[-1], flush=True)
    print("\n### mentions as nodes, three samples: best F1 (oracle) over all pairs, and over those of two languages\n")
    print(table(["topic", "nodes", *(f"{name} {what}" for name in found for what in ("all", "across"))], rows))


def sample(forms: Sequence[Form], seed: int) -> list[Form]:
    rng = np.random.default_rng(seed)
    kept: set[str] = set()
    for language in bsnlp.BSNLP_LANGUAGES:
        there = sorted({form.document for form in forms if form.language == language})
        kept |= set(rng.choice(there, min(DOCUMENTS, len(there)), replace=False).tolist())
    return [form for form in forms if form.document in kept]


def mention_scores(forms: Sequence[Form]) -> dict[str, tuple[float, float]]:
    n = len(forms)
    ids = [str(row) for row in range(n)]
    # A language of its own for each mention: all pairs are compared.
    relations = similarities(
        [features(form.text, form.language) for form in forms], np.arange(n, dtype=np.int32), measure="cosine"
    )
    types = np.array([form.type for form in forms])
    left, right = np.nonzero(np.triu(types[:, None] != types[None, :], k=1))
    apart = Constraints(n, np.arange(n, dtype=np.int32), np.column_stack([left, right]).astype(np.int32))
    gold = np.array([form.entity for form in forms])
    language = np.array([form.language for form in forms])
    truth = Assignment.from_rows(ids, gold.tolist())
    best = dict.fromkeys(("CC", "CC types", "HC", "CHC types"), (0.0, 0.0))
    for bias in biases(relations.strength, n * (n - 1) // 2, MOST_MENTIONS):
        for name, clusterer, limits in (
            ("CC", CorrelationClustering("moves", bias=bias), None),
            ("CC types", CorrelationClustering("moves", bias=bias), apart),
            ("HC", LinkageClustering("single", bias), None),
            ("CHC types", LinkageClustering("single", bias), apart),
        ):
            labels = clusterer.fit(relations, constraints=limits).labels_
            every = pairwise(align(Assignment.from_rows(ids, [str(label) for label in labels]), truth)).f1
            best[name] = max(best[name][0], every), max(best[name][1], across(labels, gold, language))
    return best


def across(labels: np.ndarray, gold: np.ndarray, language: np.ndarray) -> float:
    """F1 over pairs of different languages, from the numbers of pairs with and without regard to languages."""

    def pairs(*keys: np.ndarray) -> int:
        counts = np.unique(np.column_stack([key.astype(str) for key in keys]), axis=0, return_counts=True)[1]
        return int((counts * (counts - 1) // 2).sum())

    predicted, true, right = (pairs(*keys) - pairs(*keys, language) for keys in ((labels,), (gold,), (labels, gold)))
    return 2 * right / max(predicted + true, 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=["groups", "mentions"], default=["groups", "mentions"])
    asked = parser.parse_args().parts
    if "groups" in asked:
        groups_part()
    if "mentions" in asked:
        mentions_part()


if __name__ == "__main__":
    main()
