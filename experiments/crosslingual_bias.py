"""The bias chosen without gold, and what translation adds, on MEANTIME: Wikinews in four languages.

    python experiments/crosslingual_bias.py draws blind two translation

Scores are F1 over pairs; `honest` is at the bias chosen without gold, `oracle` at the best bias of a sweep. `draws`:
the articles of figure 3 (crosslingual_links.py) in six draws. `blind`: what nobody had looked at when the rule was
made, three of the languages in a new draw, and names of entities. `two`: two languages, where there is no third to
agree. Nothing is translated in these three.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import combinations

import numpy as np
from common import data, table
from corpora import meantime
from crosslingual_links import BIASES, DROPPED, articles, biases, gold_of, translators

from crossdoc.crosslingual import (
    FEATURE_KINDS,
    LINK_METHODS,
    ArticleGroup,
    LinkDetector,
    Translator,
    make_translator,
)
from crossdoc.crosslingual.detector import Method
from crossdoc.crosslingual.groups import Kind
from crossdoc.crosslingual.linking import score_links

TEXTS = ("titles", "lead")
NEW_SEED = 6
COLUMNS = ("groups", "bias", *(f"{m} {how}" for m in ("CC", "CHC", "HC") for how in ("honest", "oracle")))


def entities(seed: int) -> list[ArticleGroup]:
    """A group for each entity and language: its names as titles; versions that are not English are dropped as ever."""
    rng = np.random.default_rng(seed)
    kept = []
    for language in meantime.MEANTIME_LANGUAGES:
        names: dict[str, dict[str, None]] = {}
        for mentions in meantime.gold_mentions(data("meantime"), language).values():
            for mention in mentions:
                if mention.kind == "name":
                    names.setdefault(str(mention.chain), {})[mention.text] = None
        for entity, forms in names.items():
            if language == "en" or rng.random() >= DROPPED:
                kept.append(ArticleGroup(f"{language}/{entity}", language, tuple(forms)))
    return kept


def honest_and_oracle(
    groups: Sequence[ArticleGroup], detector: LinkDetector, method: Method, count: int = BIASES
) -> tuple[float, float]:
    truth = gold_of(groups)
    detector.method = method
    scores = []
    for bias in [detector.choose_bias().bias, *biases(detector, 0.1, count)]:
        detector.cluster(float(bias))
        scores.append(score_links(detector, truth).f1)
    return scores[0], max(scores)


def row_of(groups: Sequence[ArticleGroup]) -> list[object]:
    detector = LinkDetector(solver="moves").compare(groups)
    row: list[object] = [len(groups), detector.choose_bias().bias]
    for method in LINK_METHODS:
        row += honest_and_oracle(groups, detector, method)
    return row


def draws() -> None:
    """Seeds 0 and 1 were seen when the rule was made."""
    rows = [[what, seed, *row_of(articles(seed, what == "lead"))] for what in TEXTS for seed in range(6)]
    print("\n### six draws of the articles\n")
    print(table(["texts", "seed", *COLUMNS], rows), flush=True)


def of_languages(many: int) -> list[list[object]]:
    return [
        [what, " ".join(languages), *row_of(articles(NEW_SEED, what == "lead", languages))]
        for what in TEXTS
        for languages in combinations(meantime.MEANTIME_LANGUAGES, many)
    ]


def blind() -> None:
    rows = [*of_languages(3), *(["names", f"all, draw {seed}", *row_of(entities(seed))] for seed in range(3))]
    print("\n### blind: three languages, and names of entities in four\n")
    print(table(["texts", "languages", *COLUMNS], rows), flush=True)


def two() -> None:
    print("\n### two languages\n")
    print(table(["texts", "languages", *COLUMNS], of_languages(2)), flush=True)


def translation() -> None:
    """What translation adds to features that need none; means over seeds 2 to 5."""
    choices: list[tuple[str, Translator | None, tuple[Kind, ...]]] = [
        ("words alone, translated", translators(), ("word",)),
        ("all, not translated", None, FEATURE_KINDS),
        ("all, Spanish translated (Apertium)", make_translator(["apertium"]), FEATURE_KINDS),
        ("all, translated (Apertium; FreeDict for it, nl)", translators(), FEATURE_KINDS),
    ]
    rows = []
    for name, translator, kinds in choices:
        row: list[object] = [name]
        for what in TEXTS:
            scores = []
            for seed in range(2, 6):
                groups = articles(seed, what == "lead")
                detector = LinkDetector(translator=translator, kinds=kinds, solver="moves").compare(groups)
                scores.append(honest_and_oracle(groups, detector, "correlation", 12))
            row += np.mean(scores, axis=0).tolist()
        rows.append(row)
    print("\n### what translation adds: correlation clustering\n")
    print(table(["features", "titles honest", "oracle", "lead honest", "oracle"], rows), flush=True)


PARTS = {"draws": draws, "blind": blind, "two": two, "translation": translation}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="+", choices=PARTS)
    for part in parser.parse_args().parts:
        PARTS[part]()


if __name__ == "__main__":
    main()
