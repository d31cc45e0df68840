"""Build src/crossdoc/data/usual_words_en.csv.gz: of 10,000 English texts of 400 words, how many have each word.

Source: the log probabilities of words in the MIT-licensed PyPI package spacy-lookups-data 1.0.5.
Usage: pip download --no-deps spacy-lookups-data==1.0.5, unpack it, and
python tools/build_usual_words.py spacy_lookups_data/data/en_lexeme_prob.json.gz
"""

import argparse
import gzip
import json
from collections import defaultdict
from math import exp
from pathlib import Path

from crossdoc.compare.vectors import raw_words

TARGET = Path(__file__).parents[1] / "src" / "crossdoc" / "data" / "usual_words_en.csv.gz"
TEXTS, LENGTH, FEWEST = 10_000, 400, 3


def usual_words(log_probabilities: dict[str, float]) -> str:
    """A text of n words has a word of probability p with probability 1 − exp(−n·p)."""
    probability: defaultdict[str, float] = defaultdict(float)
    for written, log in log_probabilities.items():
        found = raw_words(written)
        if len(found) == 1 and len(found[0]) > 1:
            probability[found[0]] += exp(log)
    texts = {word: round(TEXTS * (1 - exp(-LENGTH * p))) for word, p in probability.items()}
    lines = [f"{word},{count}" for word, count in sorted(texts.items()) if count >= FEWEST]
    return "\n".join(["word,texts", *lines]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", type=Path, help="en_lexeme_prob.json.gz")
    parser.add_argument("--check", action="store_true", help="say whether the stored table is that of the source")
    asked = parser.parse_args()
    text = usual_words(json.loads(gzip.decompress(asked.table.read_bytes())))
    if asked.check:
        same = gzip.decompress(TARGET.read_bytes()) == text.encode()
        print(f"{TARGET}: {'as built' if same else 'differs from the source'}")
        return
    packed = gzip.compress(text.encode(), mtime=0)
    TARGET.write_bytes(packed)
    print(f"{text.count(chr(10)) - 1:,} words written to {TARGET}, {len(packed):,} bytes")


if __name__ == "__main__":
    main()
