"""Words that ContextVectoriser turns into TF-IDF rows in a second of processor time, as a ratio to scikit-learn's
TfidfVectorizer on the same texts in the same run: with its own notion of a word, and with crossdoc's.

    [CROSSDOC_DATA=…] python benchmarks/vector_speed.py [--corpus NAME] [--texts N] [--rounds N]
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from crossdoc.compare.context_vectors import ContextVectors, Cooccurrence
from crossdoc.compare.vectors import ContextVectoriser, raw_words, words
from crossdoc.model import Profile, Profiles

sys.path.insert(0, str(Path(__file__).parents[1] / "experiments"))
from corpora import patentsview, reuters


def synthetic(count: int, seed: int = 0) -> list[str]:
    """Texts of 100 words, drawn by Zipf's law from 50,000."""
    rng = np.random.default_rng(seed)
    letters = np.array(list("etaoinshrdlu"))
    vocabulary = np.array(["".join(rng.choice(letters, size)) for size in rng.integers(2, 10, 50_000)])
    drawn = np.minimum(rng.zipf(1.2, (count, 100)), len(vocabulary)) - 1
    return [", ".join(row) for row in vocabulary[drawn]]


def texts_of(corpus: str, count: int) -> list[str]:
    if corpus == "synthetic":
        return synthetic(count)
    data = Path(os.environ["CROSSDOC_DATA"])
    if corpus == "reuters":
        return [document.text for document in islice(reuters.documents(data / "reuters21578"), count)]
    return [profile.context for profile in islice(patentsview.profiles(data / "patentsview"), count)]


def seconds(work: Callable[[], Any]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    given = "CROSSDOC_DATA" in os.environ
    choices = ["reuters", "patentsview", "synthetic"]
    parser.add_argument("--corpus", choices=choices, default="reuters" if given else "synthetic")
    parser.add_argument("--texts", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    if options.corpus != "synthetic" and not given:
        parser.error("set CROSSDOC_DATA, or take --corpus synthetic")

    texts = texts_of(options.corpus, options.texts)
    profiles = Profiles.of(Profile(str(i), str(i), "", context=text, language="en") for i, text in enumerate(texts))
    count = sum(len(raw_words(text)) for text in texts)
    print(f"{options.corpus}: {len(texts):,} texts, {count:,} words, best of {options.rounds}")

    fitted = ContextVectoriser().fit([texts])
    own = TfidfVectorizer(stop_words="english", sublinear_tf=True, dtype=np.float32).fit(texts)
    same = TfidfVectorizer(analyzer=words, sublinear_tf=True, dtype=np.float32).fit(texts)
    runs: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
        "crossdoc": (
            lambda: ContextVectoriser().fit([texts]).transform(profiles),
            lambda: fitted.transform(profiles),
        ),
        # scikit-learn reads the texts once to do both, crossdoc twice, since its frequencies may be another's.
        "scikit-learn": (lambda: own.fit_transform(texts), lambda: own.transform(texts)),
        "scikit-learn, same words": (lambda: same.fit_transform(texts), lambda: same.transform(texts)),
    }
    best = {name: [np.inf, np.inf] for name in runs}
    # In turn rather than one after the other, so that a busy moment of the machine hits all alike.
    for _ in range(options.rounds):
        for name, works in runs.items():
            best[name] = [min(old, seconds(work)) for old, work in zip(best[name], works, strict=True)]
    print(f"{'':26s} {'fit + transform':>24s} {'ratio':>6s} {'transform':>24s} {'ratio':>6s}")
    for name, taken in best.items():
        cells = (
            f"{count / took:14,.0f} words/s {took / ours:7.2f}"
            for took, ours in zip(taken, best["crossdoc"], strict=True)
        )
        print(f"{name:26s}   " + "   ".join(cells))
    difference = abs(fitted.transform(profiles).matrix - same.transform(texts)).max()
    print(f"largest difference of a weight from scikit-learn's of the same words: {difference:.1e}")

    orders = {
        "bigrams by log-likelihood": ContextVectors("bigrams", Cooccurrence(2, "log-likelihood", 2, 3.841)),
        "second order, 100 dims": ContextVectors("second-order", Cooccurrence(5, "log-likelihood", 5, 3.841), 100),
    }
    for name, order in orders.items():
        took = seconds(partial(order.of, profiles))
        print(f"{name:26s} {took:.1f} s ({count / took:,.0f} words/s)")


if __name__ == "__main__":
    main()
