"""HIPE-2022 (Ehrmann et al. 2022, doi 10.1007/978-3-031-13643-6_26): old newspapers whose names have Wikidata ids.

Read from `HIPE-2022-*.tsv` (also compressed), one token per line. The text is put together from the tokens, and words
that were divided at the end of a line are joined. Document ids are SET/LANGUAGE/ID, as in ``newseye/fr/dev_fr_1``; a
part is a set. Names that Wikidata does not have (`NIL`) are mentions without gold.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from corpora.annotations import (
    NO_SPACE_BEFORE,
    RunningText,
    corpus_files,
    gold_of_chains,
    mention_at,
    read_utf8,
    tag_runs,
)
from crossdoc import errors
from crossdoc.model import Document
from crossdoc.read.clean_text import tidy

HIPE_TYPES = {
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
class _HipeArticle:
    notes: dict[str, str] = field(default_factory=dict)
    tokens: list[Token] = field(default_factory=list)

    def runs(self) -> Iterator[tuple[int, int]]:
        """Return the token ranges of the mentions."""
        return tag_runs([token.tag for token in self.tokens])


def documents(folder: Path, language: str | None = None, part: str | None = None) -> Iterator[Document]:
    """Yield the articles with their names of people, organisations and places; a mention's chain is its Wikidata id."""
    for article in _articles(folder, language, part):
        notes = article.notes
        id = f"{notes['dataset']}/{notes['language']}/{notes['document_id']}"
        text, spans = _text(article.tokens)
        date = notes.get("date", "")
        mentions = []
        for first, last in article.runs():
            kind, link = HIPE_TYPES.get(article.tokens[first].tag[2:]), article.tokens[first].link
            span = spans[first][0], spans[last - 1][1]
            if kind is not None and span[0] < span[1]:
                mentions.append(mention_at(id, text, span, kind, chain=link if link.startswith("Q") else None))
        yield Document(
            id,
            text,
            language=notes["language"],
            date=date if re.fullmatch(r"\d{4}(-\d\d){0,2}", date) else None,
            source=notes.get("publication_title", "").strip() or None,
            mentions=tuple(mentions),
        )


def gold(folder: Path, language: str | None = None, part: str | None = None) -> pa.Table:
    """Return `id, entity`: one row per Wikidata id and document, with the id of its first mention."""
    return gold_of_chains(documents(folder, language, part))


def left_out(folder: Path, language: str | None = None, part: str | None = None) -> Counter[str]:
    """Count the mentions of other types, such as times and products, by type."""
    articles = _articles(folder, language, part)
    tags = (article.tokens[first].tag[2:] for article in articles for first, _ in article.runs())
    return Counter(tag for tag in tags if tag not in HIPE_TYPES)


def _articles(folder: Path, language: str | None, part: str | None) -> Iterator[_HipeArticle]:
    found = False
    files = [folder] if folder.is_file() else corpus_files(folder, "HIPE-2022-*.tsv*", "HIPE-2022-….tsv")
    for path in files:
        for article in _read(path):
            if language in (None, article.notes["language"]) and part in (None, article.notes["dataset"]):
                found = True
                yield article
    if not found:
        asked = {"language": language, "part": part}
        listed = " and ".join(f"{option} {value}" for option, value in asked.items() if value)
        raise errors.InputError(f"{folder} has no article with {listed}.", "The ids show what there is.")


def _read(path: Path) -> Iterator[_HipeArticle]:
    """Yield the articles of a file. A token may be #, so comments are recognised by their form."""
    lines = read_utf8(path).split("\n")
    header = lines[0].rstrip("\r").split("\t")
    if missing := [column for column in _COLUMNS if column not in header]:
        raise errors.broken_line(path, 1, f"it is not the header, which names the columns {', '.join(missing)}")
    places = [header.index(column) for column in _COLUMNS]
    article = _HipeArticle()
    for number, line in enumerate(lines[1:], 2):
        comment = _COMMENT.fullmatch(line.rstrip())
        if comment and comment[1] == "document_id" and article.notes:
            yield article
            article = _HipeArticle()
        if comment:
            article.notes.setdefault(comment[1], comment[2])
        elif line.strip():
            cells = line.rstrip("\r").split("\t")
            if len(cells) != len(header):
                raise errors.broken_line(path, number, f"it has {len(cells)} columns, and the header {len(header)}")
            if absent := [name for name in ("document_id", "language", "dataset") if name not in article.notes]:
                raise errors.broken_line(path, number, f"no line above it has the article's {', '.join(absent)}")
            token = Token(*(cells[place] for place in places))
            if not _TAG.fullmatch(token.tag):
                raise errors.broken_line(path, number, f"NE-COARSE-LIT is {token.tag!r}, which is not an annotation")
            article.tokens.append(token._replace(word=tidy(token.word)))
    if not article.tokens:
        raise errors.no_records(path, "articles")
    yield article


def _text(tokens: list[Token]) -> tuple[str, list[tuple[int, int]]]:
    """Return the text, and start and end of each token."""
    # One set does not mark spaces; without this its names would be "H . Klee".
    unmarked = not any("NoSpaceAfter" in token.notes for token in tokens)
    running, spans, gap = RunningText(), list[tuple[int, int]](), " "
    for number, token in enumerate(tokens):
        following = tokens[number + 1].word if number + 1 < len(tokens) else ""
        word, last_gap, gap = token.word, gap, " "
        # NewsEye has NoSpaceAfter at the end of a line too, and a tokenizer does not split between letters.
        if "NoSpaceAfter" in token.notes and not (word[-1:].isalpha() and following[:1].isalpha()):
            gap = ""
        elif "EndOfLine" in token.notes:
            gap = "\n"
        elif unmarked and following in NO_SPACE_BEFORE:
            gap = ""
        if "EndOfLine" in token.notes and word.endswith("¬"):
            word, gap = word[:-1], ""
        elif "EndOfLine" in token.notes and word.endswith("-") and (len(word) > 1 or not last_gap):
            # "Ed-/ward" is one word, "Staats-/Ministerium" has a hyphen.
            word, gap = word[:-1] if following[:1].islower() else word, "" if following[:1].isalpha() else gap
        spans.append(running.add(word, gap))
    return running.text, spans
