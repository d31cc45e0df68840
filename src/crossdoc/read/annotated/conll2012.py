"""CoNLL-2012 (OntoNotes): one word per line in columns, brackets for names (`(PERSON*`) and coreference (`(12`, `12)`).

A part of a document is a document, since chains do not cross parts. Words are joined by spaces.
Pradhan et al. 2012, https://aclanthology.org/W12-4501.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from crossdoc import errors
from crossdoc.model import Document, MentionKind
from crossdoc.read.annotated.marked_spans import PENN_BRACKETS, Name, Reference, RunningText, mentions_of
from crossdoc.read.clean_text import printable
from crossdoc.read.small_tables import lines_of
from crossdoc.read.sources import Source
from crossdoc.read.type_labels import type_of

_BEGIN = re.compile(r"#begin document \(?(.*?)\)?(?:; part (\d+))?\s*$")
_NAME = re.compile(r"\((?P<label>[^()*]+)|\*|(?P<end>\))")
_CLUSTER = re.compile(r"(?P<open>\()?(?P<key>[^()|\s]+)(?P<close>\))?(?:\||$)")
_ESCAPED = PENN_BRACKETS | {"/.": ".", "/?": "?"}
_WORD, _TAG, _NAMES = 3, 4, 10
_LEAST_COLUMNS = 4
_PHRASE_ENDS = ("IN", "TO", ",", ":", "WDT", "WP", "WRB", "VB", "-LRB-", "(")


@dataclass
class _Part:
    """State of the document that is being read."""

    id: str
    line: int
    running: RunningText = field(default_factory=RunningText)
    words: list[tuple[int, int]] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    names: list[tuple[int, int, str]] = field(default_factory=list)
    clusters: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    open_name: tuple[int, str] | None = None
    open_clusters: dict[str, list[int]] = field(default_factory=dict)


def read_conll2012(source: Source) -> Iterator[Document]:
    """Yield documents in file order; an id is that of the first line, with the part."""
    part: _Part | None = None
    for number, line in lines_of(source):
        begins = _BEGIN.match(line)
        if begins:
            if part is not None:
                raise errors.broken_line(source.path, number, f"the document of line {part.line:,} has no end")
            part = _Part(printable(f"{begins[1]}/{int(begins[2] or 0)}"), number)
        elif line.startswith("#end document"):
            if part is None:
                raise errors.broken_line(source.path, number, "a document ends that has not begun")
            yield _document(source, part, number)
            part = None
        elif not line.strip():
            if part is not None:
                part.running.end_sentence()
        elif not line.startswith("#"):
            if part is None:
                raise errors.broken_line(source.path, number, "a word before any `#begin document (NAME); part 000`")
            _add(source, part, number, line.split())
    if part is not None:
        raise errors.broken_line(source.path, part.line, "the document that begins here has no `#end document`")


def _add(source: Source, part: _Part, number: int, columns: list[str]) -> None:
    if len(columns) < _LEAST_COLUMNS + 1:
        why = f"{len(columns)} columns; the fourth must be the word and the last its coreference"
        raise errors.broken_line(source.path, number, why)
    word = columns[_WORD]
    at = len(part.words)
    part.words.append(part.running.add(_ESCAPED.get(word, word)))
    part.tags.append(columns[_TAG] if len(columns) > _TAG + 1 else "-")
    if len(columns) > _NAMES + 1:
        _add_names(source, part, number, columns[_NAMES], at)
    _add_clusters(source, part, number, columns[-1], at)


def _add_names(source: Source, part: _Part, number: int, cell: str, at: int) -> None:
    for found in _NAME.finditer(cell):
        if found["label"]:
            if part.open_name is not None:
                raise errors.broken_line(source.path, number, f"the name {cell!r} begins within another")
            part.open_name = at, found["label"]
        if found["end"]:
            if part.open_name is None:
                raise errors.broken_line(source.path, number, "a name ends that has not begun")
            start, label = part.open_name
            part.names.append((start, at, label))
            part.open_name = None


def _add_clusters(source: Source, part: _Part, number: int, cell: str, at: int) -> None:
    if cell in ("-", "_", "*"):
        return
    end = 0
    for found in _CLUSTER.finditer(cell):
        if found.start() != end or not (found["open"] or found["close"]):
            break
        end = found.end()
        begun = part.open_clusters.setdefault(found["key"], [])
        if found["open"]:
            begun.append(at)
        if found["close"]:
            if not begun:
                raise errors.broken_line(source.path, number, f"a mention of {found['key']} ends that has not begun")
            part.clusters.setdefault(found["key"], []).append((begun.pop(), at))
    if end != len(cell):
        raise errors.broken_line(source.path, number, f"the last column is {cell!r}, and not like (12, 12) or (3)|12)")


def _document(source: Source, part: _Part, line: int) -> Document:
    still = [key for key, begun in part.open_clusters.items() if begun]
    if still or part.open_name is not None:
        what = f"mention of {still[0]}" if still else "name"
        raise errors.broken_line(source.path, line, f"a {what} is still open at the end of {part.id}")
    names = [Name(*_span(part, start, end), type_of(label)) for start, end, label in part.names if type_of(label)]
    clusters = {
        key: [Reference(*_span(part, *span), _kind(part, *span), _head(part, *span)) for span in spans]
        for key, spans in part.clusters.items()
    }
    if not part.names:
        # A file with coreference only: proper nouns are the names, without a type.
        names = [Name(*span, None) for spans in part.clusters.values() for span in _proper(part, spans)]
    return Document(part.id, part.running.text, mentions=mentions_of(part.id, part.running.text, names, clusters))


def _span(part: _Part, first: int, last: int) -> tuple[int, int]:
    return part.words[first][0], part.words[last][1]


def _kind(part: _Part, first: int, last: int) -> MentionKind:
    return "pronoun" if first == last and part.tags[first].startswith(("PRP", "WP")) else "nominal"


def _head(part: _Part, first: int, last: int) -> tuple[int, int] | None:
    """Return the span of the head of a phrase; a group of people has none."""
    head = head_of(part.tags[first : last + 1])
    return None if head is None else part.words[first + head]


def head_of(tags: Sequence[str]) -> int | None:
    """Return the position of the head of a noun phrase by its Penn tags; "Ann and Bob" has none.

    >>> head_of(["DT", "NN", "IN", "NNP"]), head_of(["NNP", "POS", "NN"]), head_of(["NN", "NNP", ",", "DT", "NN"])
    (1, 2, 1)
    """
    head = None
    for at, tag in enumerate(tags):
        if tag.startswith(("NN", "PRP")):
            head = at
        elif tag == "POS":
            head = None
        elif tag == "CC" and head is not None and tags[head].startswith("NNP"):
            return None
        elif head is not None and tag.startswith(_PHRASE_ENDS):
            break
    return head


def _proper(part: _Part, spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the proper nouns around the head of each phrase whose head is one."""
    for first, last in spans:
        head = head_of(part.tags[first : last + 1])
        if head is None or not part.tags[first + head].startswith("NNP"):
            continue
        start = first + head
        while start > first and part.tags[start - 1].startswith("NNP"):
            start -= 1
        yield _span(part, start, first + head)
