"""Names and defaults that `--help` lists, copied here because importing numba and spaCy takes seconds.

tests/cli/test_choices.py checks every value against its module.
"""

from __future__ import annotations

from importlib.metadata import entry_points

CLUSTERERS = "crossdoc.clusterers"
METHODS = (
    "mean-max-linkage", "average-linkage", "single-linkage", "complete-linkage", "karc", "arca", "frc", "correlation",
    "contexts", "sampling", "bags", "string-match", "one-in-one", "all-in-one",
)  # fmt: skip
NOT_OF_GRAPHS = ("contexts", "sampling", "bags", "string-match")
DEFAULT_METHOD = "mean-max-linkage"
ANNOTATED = ("conll2012", "conllu", "naf", "brat", "cas")
CORPUS_NAMES = (
    "aida", "arnetminer", "bsnlp", "ecbplus", "hipe", "john-smith", "john-smith-serif", "meantime", "patentsview",
    "reuters", "weps",
)  # fmt: skip
STOPPING_RULES = ("pk1", "pk2", "pk3", "gap", "even", "calibrated")
LEAST_SIZE = 4
CRITERIA = ("i1", "i2", "e1", "h1", "h2")
PARTITIONERS = ("direct", "rb", "rbr", "agglomerative")
VECTORS = ("background", "tfidf", "unigrams", "bigrams", "co-occurrences", "target", "second-order")
PAIR_WINDOW, LEAST_COUNT, LEAST_SCORE = 5, 2, 0.0
SOLVERS = ("auto", "exact", "lp", "moves", "full", "chunking")
LINK_METHODS = ("correlation", "chc", "hc")
LINK_FEATURES = ("word", "name", "cognate", "number", "date", "place")
LINK_MEASURES = ("relative", "cosine", "inner")
CONTEXT_WORDS = 25
TRAINING_PAIRS = 32_000
LEAST_WORDS, MOST_DISTANCE, LEAST_LINKS, DEVELOPMENT_SHARE, LINK_SEED = 36, 0.75, 6, 0.05, 0


def methods() -> list[str]:
    """Return all methods of clustering: crossdoc's own, then those that packages add."""
    return [*METHODS, *sorted({entry.name for entry in entry_points(group=CLUSTERERS)} - {*METHODS})]
