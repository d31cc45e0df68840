"""AIDA CoNLL-YAGO (Hoffart et al. 2011): CoNLL-2003 newswire whose names are linked to Wikipedia pages.

`annotations.tsv` numbers the tokens of each document from 0; its documents come in the order of `eng.train` and
`eng.testa`. A document's id is PART/NUMBER, as in ``train/0``. Names without a page (`--NME--`) are mentions without
gold.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from corpora.annotations import TYPES, check_part, gold_table, join_tokens, mention_at, read_utf8, tag_runs
from crossdoc import errors
from crossdoc.model import Document, Mention

AIDA_PARTS = ("train", "testa")
_NO_PAGE = "--NME--"
_START = "-DOCSTART-"


def documents(folder: Path, part: str | None = None) -> Iterator[Document]:
    """Yield the articles; the chain of a mention is its page."""
    check_part(part, AIDA_PARTS)
    links = _sections(folder / "annotations.tsv")
    for each in AIDA_PARTS:
        for number, lines in enumerate(_sections(folder / f"eng.{each}")):
            pages = dict(_page(folder / "annotations.tsv", line) for line in next(links, []))
            tokens = [_token(folder / f"eng.{each}", line) for line in lines]
            if part in (None, each):
                yield _document(f"{each}/{number}", tokens, pages)


def gold(folder: Path, part: str | None = None) -> pa.Table:
    """Return `id, entity` of every mention that has a page."""
    mentions = (mention for document in documents(folder, part) for mention in document.mentions or ())
    return gold_table((mention.id, mention.chain) for mention in mentions if mention.chain is not None)


def _sections(path: Path) -> Iterator[list[str]]:
    """Yield the lines of each document of a file."""
    section: list[str] | None = None
    for line in [*read_utf8(path).splitlines(), _START]:
        if line.startswith(_START):
            if section is not None:
                yield section
            section = []
        elif line.strip() and section is not None:
            section.append(line)


def _token(path: Path, line: str) -> tuple[str, str]:
    """Return word and tag."""
    cells = line.split()
    if len(cells) != 4:
        raise errors.unreadable(path, f"{line[:50]!r} is not a word with its three tags")
    return cells[0], cells[3]


def _page(path: Path, line: str) -> tuple[int, str]:
    """Return token number and page."""
    number, _, rest = line.partition("\t")
    if not number.isdigit() or not rest:
        raise errors.unreadable(path, f"{line[:50]!r} is not a token's number and its page")
    return int(number), rest.split("\t")[0]


def _document(id: str, tokens: list[tuple[str, str]], pages: dict[int, str]) -> Document:
    text, offsets = join_tokens(((0, number, word) for number, (word, _) in enumerate(tokens)), (), ())
    mentions: list[Mention] = []
    for first, last in tag_runs([tag for _, tag in tokens], pages):
        type = TYPES.get(tokens[first][1][2:])
        if type is not None:
            page = pages.get(first, _NO_PAGE)
            span = offsets[0, first][0], offsets[0, last - 1][1]
            mentions.append(mention_at(id, text, span, type, chain=None if page == _NO_PAGE else page))
    return Document(id, text, language="en", source="Reuters", mentions=tuple(mentions))
