"""Names found in raw text against those that annotators marked, span by span: AIDA's newswire and the sample corpus.

    CROSSDOC_DATA=… python experiments/extraction.py [--part train|testa|sample] [--lines] [--worst N]
    CROSSDOC_DATA=… python experiments/extraction.py --fit

The first prints precision, recall and F1 of exact spans, of spaCy's entities, of crossdoc's rules alone, and with each
step on top: headlines written in small letters, the model of names, cues of words and types over the collection.
Documents are read as one run of words, or with a sentence a line (`--lines`). The second fits the model of names to
AIDA's train part and writes it into the package. Built on train; testa is for looking.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import resources
from pathlib import Path

import numpy as np
from common import data, table
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from spacy.language import Language
from spacy.tokens import Doc

from crossdoc.extract import mentions, models
from crossdoc.extract.corrections import settled_types, votes_of
from crossdoc.extract.mention_spans import SpanMention
from crossdoc.extract.name_model import CLASSES, NameCandidate, candidates, weighed
from crossdoc.extract.truecase import CaseCounts, truecased
from crossdoc.model import ENTITY_TYPES

Span = tuple[int, int, str]
Article = tuple[str, set[Span]]
TYPES = {"PER": "person", "ORG": "organisation", "LOC": "place"}
LEAST, LEAST_OF_WORDS = 8, 20
"""How often a feature, and one that has a word of the text in it, must be seen to get a weight."""
STRENGTH = 0.15
"""Inverse strength of the L2 penalty: .5 fits AIDA's train part better (F1 of organisations .831, with .1 .819) and the
sample corpus, which is other text, worse (people .947, with .1 .956)."""
TARGET = Path(__file__).parents[1] / "src" / "crossdoc" / "lang" / "en" / "name_model.json"


def aida(part: str, lines: bool) -> list[Article]:
    """Texts and gold spans in characters; words are set apart by one blank or, between sentences, by a line break."""
    articles = []
    for sentences in _sentences(data("aida") / f"eng.{part}"):
        at, gold = 0, set()
        for words in sentences:
            gold |= {span for span in _spans(words, at) if span[2] in ENTITY_TYPES}
            at += sum(len(word) + 1 for word, _ in words)
        text = ("\n" if lines else " ").join(" ".join(word for word, _ in words) for words in sentences)
        articles.append((text, gold))
    return articles


def _sentences(path: Path) -> Iterator[list[list[tuple[str, str]]]]:
    sentences: list[list[tuple[str, str]]] = [[]]
    for line in [*path.read_text(encoding="utf-8").splitlines(), "-DOCSTART- -X- O O"]:
        if line.startswith("-DOCSTART-"):
            if any(sentences):
                yield [words for words in sentences if words]
            sentences = [[]]
        elif not line.strip():
            sentences.append([])
        else:
            word, *_, tag = line.split(" ")
            sentences[-1].append((word, tag))


def _spans(words: Sequence[tuple[str, str]], at: int) -> Iterator[Span]:
    """Runs of one tag (IOB1) of a sentence that begins at a character."""
    begin, kind = at, ""
    for word, tag in [*words, ("", "O")]:
        if kind and tag != f"I-{kind}":
            yield begin, at - 1, TYPES.get(kind, kind)
            kind = ""
        if tag != "O" and not kind:
            begin, kind = at, tag[2:]
        at += len(word) + 1


def sample() -> list[Article]:
    folder = resources.files("crossdoc") / "sample"
    documents = map(json.loads, (folder / "documents.jsonl").read_text("utf-8").splitlines())
    gold: dict[str, set[Span]] = {}
    for row in (folder / "gold.csv").read_text("utf-8").splitlines()[1:]:
        _, _, document, start, end, *_, type_ = row.split(",")
        gold.setdefault(document, set()).add((int(start), int(end), type_))
    return [(each["text"], gold.get(each["id"], set())) for each in documents]


def parsed(nlp: Language, articles: Sequence[Article], headlines: bool) -> list[Doc]:
    texts = [text for text, _ in articles]
    counts = CaseCounts().update(texts)
    return list(nlp.pipe((truecased(text, counts) for text in texts) if headlines else texts, batch_size=32))


def characters(doc: Doc, names: Iterable[SpanMention]) -> set[Span]:
    return {(span.start_char, span.end_char, n.type) for n in names for span in (doc[n.start : n.end],)}


def as_tagged(doc: Doc) -> set[Span]:
    known = mentions.TYPE_OF_LABEL
    return {(e.start_char, e.end_char, known[e.label_]) for e in doc.ents if e.label_ in known}


def by_rules(doc: Doc) -> set[Span]:
    return characters(doc, mentions.found_names(doc))


def by_model(doc: Doc) -> set[Span]:
    return characters(doc, weighed(doc, mentions.found_names(doc)))


def over_collection(articles: Sequence[Article], found: Sequence[set[Span]]) -> list[set[Span]]:
    """The spans with the types that the collection as a whole gives their texts."""
    named: list[tuple[str, str | None]] = []
    for (text, _), spans in zip(articles, found, strict=True):
        named += {(text[start:end], type_) for start, end, type_ in spans}
    settled = settled_types(votes_of(named))
    return [
        {(start, end, settled.get((text[start:end], type_), type_)) for start, end, type_ in spans}
        for (text, _), spans in zip(articles, found, strict=True)
    ]


def rows(label: str, found: Sequence[set[Span]], articles: Sequence[Article]) -> Iterator[list[object]]:
    for type_ in ENTITY_TYPES:
        pairs = [({s for s in own if s[2] == type_}, {s for s in gold if s[2] == type_})
                 for own, (_, gold) in zip(found, articles, strict=True)]  # fmt: skip
        right, answered, wanted = (sum(map(len, each)) for each in zip(*((a & b, a, b) for a, b in pairs), strict=True))
        precision, recall = right / max(answered, 1), right / max(wanted, 1)
        yield [
            label,
            type_,
            precision,
            recall,
            2 * precision * recall / max(precision + recall, 1e-9),
            answered,
            wanted,
        ]


def worst(found: Sequence[set[Span]], articles: Sequence[Article], most: int) -> Iterator[list[object]]:
    """The errors that are made most often: what the text says, what it was taken for, what it is."""
    errors: Counter[tuple[str, str, str]] = Counter()
    for own, (text, gold) in zip(found, articles, strict=True):
        mine, right = ({(s, e): t for s, e, t in spans} for spans in (own, gold))
        for start, end in {*mine, *right}:
            taken, is_ = mine.get((start, end), "nothing"), right.get((start, end), "nothing")
            if taken != is_:
                errors[" ".join(text[start:end].split()), taken, is_] += 1
    for error, count in sorted(errors.items(), key=lambda item: (-item[1], item[0]))[:most]:
        yield [*error, count]


def measure(nlp: Language, articles: Sequence[Article], most: int) -> None:
    before, after = parsed(nlp, articles, headlines=False), parsed(nlp, articles, headlines=True)
    steps: list[tuple[str, list[Doc], Callable[[Doc], set[Span]]]] = [
        ("spaCy", before, as_tagged), ("rules", before, by_rules), ("and headlines", after, by_rules),
        ("model of names", before, by_model), ("both", after, by_model),
    ]  # fmt: skip
    lines: list[list[object]] = []
    found: list[set[Span]] = []
    for label, docs, names in steps:
        found = [names(doc) for doc in docs]
        lines += rows(label, found, articles)
    cases = CaseCounts().update(text for text, _ in articles)
    found = [characters(doc, weighed(doc, mentions.found_names(doc, cases), cases)) for doc in after]
    lines += rows("and cues of the collection", found, articles)
    found = over_collection(articles, found)
    lines += rows("and its types", found, articles)
    print(table(["step", "type", "precision", "recall", "F1", "found", "gold"], lines))
    print()
    print(table(["text", "taken for", "is", "times"], list(worst(found, articles, most))))


def _labelled(doc: Doc, gold: set[Span]) -> Iterator[tuple[NameCandidate, int]]:
    of = {(start, end): CLASSES.index(type_) for start, end, type_ in gold}
    for candidate in candidates(doc, mentions.found_names(doc)):
        span = doc[candidate.start : candidate.end]
        yield candidate, of.get((span.start_char, span.end_char), 0)


def fit(nlp: Language) -> None:
    """Weights from the train part, read in all four ways, so that none is relied on."""
    features: list[list[str]] = []
    labels: list[int] = []
    ways = [(lines, headlines) for lines in (False, True) for headlines in (False, True)]
    for lines, headlines in ways:
        articles = aida("train", lines)
        for doc, (_, gold) in zip(parsed(nlp, articles, headlines), articles, strict=True):
            for candidate, label in _labelled(doc, gold):
                features.append(candidate.features)
                labels.append(label)
    seen = Counter(each for own in features for each in own)
    kept = sorted(each for each, n in seen.items() if n >= len(ways) * (LEAST_OF_WORDS if ": " in each else LEAST))
    column = {each: number for number, each in enumerate(kept)}
    cells = [[column[each] for each in own if each in column] for own in features]
    ends = np.cumsum([0, *map(len, cells)])
    matrix = csr_matrix((np.ones(ends[-1]), np.concatenate(cells), ends), (len(features), len(kept)))
    model = LogisticRegression(C=STRENGTH / len(ways), max_iter=1000, fit_intercept=False).fit(matrix, labels)
    centred = model.coef_ - model.coef_.mean(axis=0)
    weights = {each: [round(float(w), 2) for w in centred[:, n]] for each, n in column.items()}
    listed = ",\n".join(f"{json.dumps(each, ensure_ascii=False)}: {own}" for each, own in weights.items())
    head = json.dumps({"learned_on": "AIDA CoNLL-YAGO, train (946 articles)", "classes": CLASSES})
    TARGET.write_text(f'{head[:-1]}, "weights": {{\n{listed}\n}}}}\n', encoding="utf-8")
    print(f"{len(features):,} candidates, {len(kept):,} features")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=["train", "testa", "sample"], default="train")
    parser.add_argument("--lines", action="store_true", help="AIDA's sentences on lines of their own")
    parser.add_argument("--worst", type=int, default=20)
    parser.add_argument("--fit", action="store_true")
    given = parser.parse_args()
    nlp = models.load(models.model_for("en"))
    if given.fit:
        fit(nlp)
    else:
        measure(nlp, sample() if given.part == "sample" else aida(given.part, given.lines), given.worst)


if __name__ == "__main__":
    main()
