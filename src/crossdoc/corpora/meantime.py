"""NewsReader MEANTIME (Minard et al. 2016, aclanthology L16-1699): Wikinews in four languages, with entity ids.

Read from LANGUAGE/conll.csv and LANGUAGE/entities_mentions.json. The text is put together from the tokens, a sentence a
line; document ids are LANGUAGE/TOPIC/NUMBER, and NUMBER is the same in all languages.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa

from crossdoc import errors
from crossdoc.lang import pack
from crossdoc.model import Document, Mention, MentionKind

LANGUAGES = ("en", "es", "it", "nl")
TYPES = {"PER": "person", "ORG": "organisation", "LOC": "place"}
NO_SPACE_BEFORE = frozenset({",", ".", ";", ":", "?", "!", ")", "]", "%", "'", "'s", "''", "n't", "’", "’s"})
_NO_SPACE_AFTER = frozenset({"(", "[", "``", "$", "£", "€"})
_GOLD = pa.schema([("id", pa.string()), ("entity", pa.string())])
_ENGLISH = pack("en").pronouns
_PRONOUNS = _ENGLISH.personal | _ENGLISH.thing | _ENGLISH.plural | _ENGLISH.relative | _ENGLISH.speakers

Offsets = dict[tuple[int, int], tuple[int, int]]


def documents(folder: Path, language: str = "en") -> Iterator[Document]:
    """The articles of a language with their gold mentions of people, organisations and places, in gold chains."""
    mentions = gold_mentions(folder, language)
    for key, rows in groupby(_rows(folder, language), key=lambda row: row[1]):
        text, _ = _text(rows)
        title, _, rest = text.partition("\n")
        own = tuple(mentions.get(f"{language}/{key}", ()))
        date = _date(rest.partition("\n")[0])
        yield Document(f"{language}/{key}", text, title, language, date, "Wikinews", own)


def gold(folder: Path, language: str = "en") -> pa.Table:
    """`id, entity`: one row a within-document chain, its id that of its first mention; entities span languages."""
    return first_mentions(documents(folder, language))


def gold_mentions(folder: Path, language: str = "en") -> dict[str, list[Mention]]:
    """Gold mentions by document, in text order; `chain` is the entity's id, which languages and documents share.

    Financial entities, products and mentions of several pieces are left out. Kinds are by the head word.
    """
    path = folder / language / "entities_mentions.json"
    if not path.is_file():
        raise errors.no_such_path(path)
    texts = {key: _text(rows) for key, rows in groupby(_rows(folder, language), key=lambda row: row[1])}
    found: dict[str, dict[tuple[int, int], Mention]] = {f"{language}/{key}": {} for key in texts}
    for entry in json.loads(path.read_text(encoding="utf-8")):
        if entry["mention_type"] in TYPES and entry["is_continuous"]:
            mention = _mention(entry, language, *texts[entry["conll_doc_key"]])
            found[mention.document].setdefault((mention.start, mention.end), mention)
    return {document: [own[span] for span in sorted(own)] for document, own in found.items() if own}


def _mention(entry: dict[str, Any], language: str, text: str, offsets: Offsets) -> Mention:
    document = f"{language}/{entry['conll_doc_key']}"
    sentence, tokens = entry["sent_id"], entry["tokens_number"]
    start, end = offsets[sentence, tokens[0]][0], offsets[sentence, tokens[-1]][1]
    kind = _kind(entry)
    # The prefix says at which level an annotator set the link, and differs between mentions of one entity.
    chain = entry["coref_chain"].rpartition("_")[2]
    return Mention(
        f"{document}:{start}:{end}", document, start, end, text[start:end], TYPES[entry["mention_type"]], kind, chain
    )


def _kind(entry: dict[str, Any]) -> MentionKind:
    if entry["tokens_str"].lower() in _PRONOUNS or entry["mention_head_pos"] == "PRON":
        return "pronoun"
    # The automatic tags of the file call many a capitalised name a common noun.
    opens_sentence = entry["tokens_number"][0] == 0 and len(entry["tokens_number"]) == 1
    capitalised = entry["mention_head"][:1].isupper() and not opens_sentence
    return "name" if entry["mention_head_pos"] == "PROPN" or capitalised else "nominal"


def _rows(folder: Path, language: str) -> Iterator[list[str]]:
    path = folder / language / "conll.csv"
    if not path.is_file():
        raise errors.no_such_path(path)
    with path.open(encoding="utf-8", newline="") as lines:
        reader = csv.reader(lines)
        next(reader, None)
        yield from reader


def _text(rows: Iterable[list[str]]) -> tuple[str, Offsets]:
    return joined((int(sentence), int(number), token) for _, _, sentence, number, token, *_ in rows)


def joined(tokens: Iterable[tuple[int, int, str]]) -> tuple[str, Offsets]:
    """The text of a document from (sentence, token, word), and where (sentence, token) stands in it.

    >>> joined([(0, 0, "Hello"), (0, 1, "."), (1, 0, "Ann"), (1, 1, "Lee")])[0]
    'Hello.\\nAnn Lee'
    """
    pieces: list[str] = []
    offsets: Offsets = {}
    length, last_sentence, last_word = 0, -1, ""
    for sentence, number, word in tokens:
        if pieces:
            glued = word in NO_SPACE_BEFORE or last_word in _NO_SPACE_AFTER
            gap = "\n" if sentence != last_sentence else "" if glued else " "
            pieces.append(gap)
            length += len(gap)
        offsets[sentence, number] = (length, length + len(word))
        pieces.append(word)
        length += len(word)
        last_sentence, last_word = sentence, word
    return "".join(pieces), offsets


def first_mentions(documents: Iterable[Document]) -> pa.Table:
    """`id, entity`: one row a chain and document, its id that of the first mention; none for a mention without."""
    first: dict[tuple[str, str], str] = {}
    for document in documents:
        for mention in document.mentions or ():
            if mention.chain is not None:
                first.setdefault((document.id, mention.chain), mention.id)
    return pa.table({"id": list(first.values()), "entity": [entity for _, entity in first]}, schema=_GOLD)


def _date(line: str) -> str | None:
    try:
        return datetime.strptime(line.replace(" ,", ","), "%B %d, %Y").date().isoformat()
    except ValueError:
        return None
