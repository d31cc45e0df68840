"""HIPE-2022 (Ehrmann et al. 2022, doi 10.1007/978-3-031-13643-6_26): old newspapers whose names have Wikidata ids.

Read from `HIPE-2022-*.tsv` (also compressed), a token a line. The text is put together from the tokens; words that were
divided at the end of a line are whole again. Document ids are SET/LANGUAGE/ID, as in ``newseye/fr/dev_fr_1``; a part is
a set. Names that Wikidata does not have (`NIL`) are mentions without gold.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from crossdoc import errors
from crossdoc.corpora.meantime import NO_SPACE_BEFORE, first_mentions
from crossdoc.model import Document, Mention
from crossdoc.read.sources import READ_ERRORS, open_binary, reason
from crossdoc.read.text import tidy

TYPES = {
    **{"pers": "person", "org": "organisation", "loc": "place"},
    **{"PER": "person", "ORG": "organisation", "LOC": "place", "BUILDING": "place", "STREET": "place"},
}
_COLUMNS = ("TOKEN", "NE-COARSE-LIT", "NEL-LIT", "MISC")
_COMMENT = re.compile(r"# \w+:(\w+) =\s*([^\t]*)")
_TAG = re.compile(r"O|[BI]-(\w+)")


class Token(NamedTuple):
    word: str
    tag: str
    link: str
    notes: str


@dataclass
class _Article:
    notes: dict[str, str] = field(default_factory=dict)
    tokens: list[Token] = field(default_factory=list)


def documents(folder: Path, language: str | None = None, part: str | None = None) -> Iterator[Document]:
    """The articles with their names of people, organisations and places; a mention's chain is its Wikidata id."""
    for article in _articles(folder, language, part):
        notes = article.notes
        id = f"{notes['dataset']}/{notes['language']}/{notes['document_id']}"
        text, spans = _text(article.tokens)
        date = notes.get("date", "")
        mentions = []
        for first, last in _runs(article.tokens):
            kind, link = TYPES.get(article.tokens[first].tag[2:]), article.tokens[first].link
            start, end = spans[first][0], spans[last - 1][1]
            if kind is not None and start < end:
                chain = link if link.startswith("Q") else None
                mentions.append(Mention(f"{id}:{start}:{end}", id, start, end, text[start:end], kind, chain=chain))
        yield Document(
            id,
            text,
            language=notes["language"],
            date=date if re.fullmatch(r"\d{4}(-\d\d){0,2}", date) else None,
            source=notes.get("publication_title", "").strip() or None,
            mentions=tuple(mentions),
        )


def gold(folder: Path, language: str | None = None, part: str | None = None) -> pa.Table:
    """`id, entity`: one row a Wikidata id and document, its id that of the first mention; entities span languages."""
    return first_mentions(documents(folder, language, part))


def left_out(folder: Path, language: str | None = None, part: str | None = None) -> Counter[str]:
    """How many mentions are of other types, by type: times, products."""
    articles = _articles(folder, language, part)
    tags = (article.tokens[first].tag[2:] for article in articles for first, _ in _runs(article.tokens))
    return Counter(tag for tag in tags if tag not in TYPES)


def _articles(folder: Path, language: str | None, part: str | None) -> Iterator[_Article]:
    found = False
    for path in _files(folder):
        for article in _read(path):
            if language in (None, article.notes["language"]) and part in (None, article.notes["dataset"]):
                found = True
                yield article
    if not found:
        asked = {"--language": language, "--part": part}
        raise errors.no_such_part(folder, [f"{option} {value}" for option, value in asked.items() if value])


def _files(folder: Path) -> list[Path]:
    if not folder.exists():
        raise errors.no_such_path(folder)
    files = sorted(folder.glob("HIPE-2022-*.tsv*")) if folder.is_dir() else [folder]
    if not files:
        raise errors.nothing_to_read(folder, ["HIPE-2022-….tsv"])
    return files


def _read(path: Path) -> Iterator[_Article]:
    """The articles of a file; a token may be #, so a comment is known by its form."""
    try:
        with open_binary(path) as stream:
            lines = stream.read().decode("utf-8-sig").split("\n")
    except (*READ_ERRORS, UnicodeDecodeError) as error:
        raise errors.unreadable(path, reason(error)) from error
    header = lines[0].rstrip("\r").split("\t")
    if missing := [column for column in _COLUMNS if column not in header]:
        raise errors.broken_line(path, 1, f"it is not the header, which names the columns {', '.join(missing)}")
    places = [header.index(column) for column in _COLUMNS]
    article = _Article()
    for number, line in enumerate(lines[1:], 2):
        comment = _COMMENT.fullmatch(line.rstrip())
        if comment and comment[1] == "document_id" and article.notes:
            yield article
            article = _Article()
        if comment:
            article.notes.setdefault(comment[1], comment[2])
        elif line.strip():
            cells = line.rstrip("\r").split("\t")
            if len(cells) != len(header):
                raise errors.broken_line(path, number, f"it has {len(cells)} columns, and the header {len(header)}")
            if absent := [name for name in ("document_id", "language", "dataset") if name not in article.notes]:
                raise errors.broken_line(path, number, f"no line above it tells the article's {', '.join(absent)}")
            token = Token(*(cells[place] for place in places))
            if not _TAG.fullmatch(token.tag):
                raise errors.broken_line(path, number, f"NE-COARSE-LIT is {token.tag!r}, which is not an annotation")
            article.tokens.append(token._replace(word=tidy(token.word)))
    if not article.tokens:
        raise errors.no_records(path, "articles")
    yield article


def _runs(tokens: list[Token]) -> Iterator[tuple[int, int]]:
    """Where mentions begin and end, in tokens."""
    first = 0
    while first < len(tokens):
        last = first + 1
        if tokens[first].tag != "O":
            while last < len(tokens) and tokens[last].tag == f"I-{tokens[first].tag[2:]}":
                last += 1
            yield first, last
        first = last


def _text(tokens: list[Token]) -> tuple[str, list[tuple[int, int]]]:
    """The text, and where each token stands in it."""
    # One set does not tell where spaces are; without this its names would be "H . Klee".
    untold = not any("NoSpaceAfter" in token.notes for token in tokens)
    pieces: list[str] = []
    spans: list[tuple[int, int]] = []
    length = 0
    for number, token in enumerate(tokens):
        following = tokens[number + 1].word if number + 1 < len(tokens) else ""
        word, gap = token.word, " "
        # NewsEye says NoSpaceAfter at the end of a line too, and a tokenizer does not part letters from letters.
        if "NoSpaceAfter" in token.notes and not (word[-1:].isalpha() and following[:1].isalpha()):
            gap = ""
        elif "EndOfLine" in token.notes:
            gap = "\n"
        elif untold and following in NO_SPACE_BEFORE:
            gap = ""
        if "EndOfLine" in token.notes and word.endswith("¬"):
            word, gap = word[:-1], ""
        elif "EndOfLine" in token.notes and word.endswith("-") and (len(word) > 1 or pieces[-1:] == [""]):
            # "Ed-/ward" is one word, "Staats-/Ministerium" has a hyphen.
            word, gap = word[:-1] if following[:1].islower() else word, "" if following[:1].isalpha() else gap
        gap = gap if following else ""
        spans.append((length, length + len(word)))
        pieces += [word, gap]
        length += len(word) + len(gap)
    return "".join(pieces), spans
