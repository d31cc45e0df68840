"""AIDA CoNLL-YAGO (Hoffart et al. 2011): CoNLL-2003 newswire whose names are linked to Wikipedia pages.

`annotations.tsv` numbers the tokens of each document from 0; its documents come in the order of `eng.train` and
`eng.testa`. A document's id is PART/NUMBER, as in ``train/0``. Names that no page is about (`--NME--`) are mentions
without gold.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pyarrow as pa

from crossdoc import errors
from crossdoc.model import Document, Mention

PARTS = ("train", "testa")
_TYPES = {"PER": "person", "ORG": "organisation", "LOC": "place"}
_NO_PAGE = "--NME--"


def documents(folder: Path, part: str | None = None) -> Iterator[Document]:
    for id, tokens, links in _articles(folder, part):
        text = " ".join(word for word, _ in tokens)
        yield Document(id, text, language="en", source="Reuters", mentions=tuple(_mentions(id, tokens, links)))


def gold(folder: Path, part: str | None = None) -> pa.Table:
    """`id, entity` of every mention that has a page."""
    rows = [
        (mention.id, mention.chain)
        for id, tokens, links in _articles(folder, part)
        for mention in _mentions(id, tokens, links)
        if mention.chain is not None
    ]
    return pa.table({"id": [row[0] for row in rows], "entity": [row[1] for row in rows]})


def _articles(folder: Path, part: str | None) -> Iterator[tuple[str, list[tuple[str, str]], dict[int, str]]]:
    """(id, [(word, tag)], {token number: page}) of each article."""
    if part not in (None, *PARTS):
        raise errors.unknown_choice("part", str(part), PARTS)
    links = _links(folder / "annotations.tsv")
    for each in PARTS:
        for number, tokens in enumerate(_tokens(folder / f"eng.{each}")):
            linked = next(links, {})
            if part in (None, each):
                yield f"{each}/{number}", tokens, linked


def _tokens(path: Path) -> Iterator[list[tuple[str, str]]]:
    tokens: list[tuple[str, str]] | None = None
    for line in chain(_lines(path), ["-DOCSTART-"]):
        if line.startswith("-DOCSTART-"):
            if tokens is not None:
                yield tokens
            tokens = []
        elif line.strip() and tokens is not None:
            cells = line.split()
            if len(cells) != 4:
                raise errors.unreadable(path, f"{line[:50]!r} is not a word with its three tags")
            tokens.append((cells[0], cells[3]))


def _links(path: Path) -> Iterator[dict[int, str]]:
    links: dict[int, str] | None = None
    for line in chain(_lines(path), ["-DOCSTART-"]):
        if line.startswith("-DOCSTART-"):
            if links is not None:
                yield links
            links = {}
        elif line.strip() and links is not None:
            number, _, rest = line.partition("\t")
            if not number.isdigit() or not rest:
                raise errors.unreadable(path, f"{line[:50]!r} is not a token's number and its page")
            links[int(number)] = rest.split("\t")[0]


def _lines(path: Path) -> list[str]:
    if not path.exists():
        raise errors.no_such_path(path)
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise errors.unreadable(path, str(error)) from error


def _mentions(id: str, tokens: list[tuple[str, str]], links: dict[int, str]) -> Iterator[Mention]:
    """Runs of one tag (IOB1: B- only where two of a kind touch), with the page as chain."""
    starts = []
    at = 0
    for word, _ in tokens:
        starts.append(at)
        at += len(word) + 1
    first = 0
    while first < len(tokens):
        tag = tokens[first][1]
        last = first + 1
        while tag != "O" and last < len(tokens) and tokens[last][1] == f"I-{tag[2:]}" and last not in links:
            last += 1
        if tag[2:] in _TYPES:
            start, end = starts[first], starts[last - 1] + len(tokens[last - 1][0])
            page = links.get(first, _NO_PAGE)
            text = " ".join(word for word, _ in tokens[first:last])
            yield Mention(
                f"{id}:{start}:{end}", id, start, end, text, _TYPES[tag[2:]], chain=None if page == _NO_PAGE else page
            )
        first = last
