"""CoNLL-U: one word per line in ten columns, with entities in the last: `Entity=(e1-person-1` … `e1)`, or `NER=B-PER`.

The brackets are CorefUD's (https://ufal.mff.cuni.cz/corefud), with the fields that `# global.Entity` lists. An entity
is read if one of its mentions is a name (its head a proper noun) and its type, if stated, is one of crossdoc's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from crossdoc import errors
from crossdoc.model import Document, Mention, MentionKind
from crossdoc.read.annotated.marked_spans import Name, RunningText, mention, mentions_of
from crossdoc.read.clean_text import printable
from crossdoc.read.small_tables import lines_of
from crossdoc.read.sources import Source
from crossdoc.read.type_labels import type_of

_COLUMNS = 10
_BRACKET = re.compile(r"\((?P<fields>[^()]+)(?P<single>\))?|(?P<closes>[^()]+)\)")
_PART = re.compile(r"\[\d+/\d+\]$")
_USUAL = ("eid", "etype", "head")
_BIO = ("NER", "NE", "Entity")
_LONGEST_NAME = 6


@dataclass
class _Word:
    span: tuple[int, int]
    tag: str


@dataclass
class _BracketSpan:
    """A mention in brackets: first and last word, and the fields of its brackets."""

    entity: str
    type: str | None
    head: int | None
    first: int
    last: int = -1


@dataclass
class _DocumentState:
    """State of the document that is being read."""

    id: str
    title: str | None = None
    running: RunningText = field(default_factory=RunningText)
    words: list[_Word] = field(default_factory=list)
    open: list[_BracketSpan] = field(default_factory=list)
    marked: list[_BracketSpan] = field(default_factory=list)
    names: list[Name] = field(default_factory=list)
    tag: tuple[str, int] | None = None
    """Type and first word of an open name by tags (B-, I-)."""
    covered: tuple[int, tuple[int, int]] = (0, (0, 0))
    """Last word and span of a token of several words."""


def read_conllu(source: Source) -> Iterator[Document]:
    """Yield documents in file order, by `# newdoc id`; without any the file is one document."""
    read: _DocumentState | None = None
    fields: tuple[str, ...] = _USUAL
    number = made = 0
    for number, line in lines_of(source):
        key, _, value = line.removeprefix("#").partition("=")
        comment = key.strip() if line.startswith("#") else ""
        if comment.split(" ")[0] == "newdoc":
            if read is not None and read.words:
                yield _document(source, read, number)
                made += 1
            read = _DocumentState(printable(value.strip()) or f"{source.id}/{made + 1}")
        elif comment == "global.Entity":
            fields = tuple(value.strip().split("-"))
        elif comment in ("title", "meta::title") and read is not None:
            read.title = value.strip() or None
        elif not line.strip() and read is not None:
            _close_tag(read)
            read.running.end_sentence()
            read.covered = (0, (0, 0))
        elif line.strip() and not line.startswith("#"):
            read = read or _DocumentState(source.id)
            _add(source, read, number, line.split("\t"), fields)
    if read is not None and read.words:
        yield _document(source, read, number)


def _add(source: Source, read: _DocumentState, number: int, columns: list[str], fields: tuple[str, ...]) -> None:
    if len(columns) != _COLUMNS:
        raise errors.broken_line(source.path, number, f"{len(columns)} columns with tabs between them, and not ten")
    id, form, tag, misc = columns[0], columns[1], columns[3], columns[9]
    features = dict(part.partition("=")[::2] for part in misc.split("|"))
    after = "" if features.get("SpaceAfter") == "No" else " "
    if re.fullmatch(r"\d+-\d+", id):
        read.covered = int(id.split("-")[1]), read.running.add(form, after)
        return
    if not re.fullmatch(r"\d+(\.\d+)?", id):
        raise errors.broken_line(source.path, number, f"the first column is {id!r}, and not a word's number")
    if "." in id:
        # An empty node is not in the text.
        span = (read.running.length, read.running.length)
    else:
        span = read.covered[1] if int(id) <= read.covered[0] else read.running.add(form, after)
    read.words.append(_Word(span, tag))
    entity = features.get("Entity", "")
    if "(" in entity or ")" in entity:
        _add_brackets(source, read, number, entity, fields)
    else:
        _add_tag(read, next((features[key] for key in _BIO if features.get(key)), ""))


def _add_tag(read: _DocumentState, tag: str) -> None:
    """Continue or start a name by the tags B- and I- (some tools also write E- and S-)."""
    mark, _, label = tag.partition("-")
    at = len(read.words) - 1
    if mark not in ("I", "E") or read.tag is None or read.tag[0] != label:
        _close_tag(read, at - 1)
        read.tag = (label, at) if mark in ("B", "I", "E", "S") else None


def _close_tag(read: _DocumentState, last: int | None = None) -> None:
    if read.tag is not None:
        label, first = read.tag
        end = read.words[len(read.words) - 1 if last is None else last].span[1]
        if type_of(label):
            read.names.append(Name(read.words[first].span[0], end, type_of(label)))
        read.tag = None


def _add_brackets(source: Source, read: _DocumentState, number: int, cell: str, fields: tuple[str, ...]) -> None:
    at = len(read.words) - 1
    end = 0
    for found in _BRACKET.finditer(cell):
        if found.start() != end:
            break
        end = found.end()
        if found["fields"]:
            values = dict(zip(fields, found["fields"].split("-"), strict=False))
            head = values.get("head", "")
            entity = _PART.sub("", values.get("eid", ""))
            marked = _BracketSpan(entity, values.get("etype") or None, int(head) if head.isdecimal() else None, at)
            read.open.append(marked)
        if found["single"] or found["closes"]:
            entity = _PART.sub("", found["closes"]) if found["closes"] else read.open[-1].entity
            begun = next((m for m in reversed(read.open) if m.entity == entity), None)
            if begun is None:
                raise errors.broken_line(source.path, number, f"a mention of {entity} ends that has not begun")
            read.open.remove(begun)
            begun.last = at
            read.marked.append(begun)
    if end != len(cell):
        raise errors.broken_line(source.path, number, f"Entity={cell} is not brackets as of CorefUD")


def _document(source: Source, read: _DocumentState, line: int) -> Document:
    _close_tag(read)
    if read.open:
        why = f"a mention of {read.open[0].entity} is still open at the end of {read.id}"
        raise errors.broken_line(source.path, line, why)
    text = read.running.text
    given = {(m.start, m.end): m for m in (*mentions_of(read.id, text, read.names, {}), *_mentions(read, text))}
    return Document(read.id, text, read.title, mentions=tuple(given[span] for span in sorted(given)))


def _mentions(read: _DocumentState, text: str) -> Iterator[Mention]:
    by_entity: dict[str, list[_BracketSpan]] = {}
    for marked in read.marked:
        by_entity.setdefault(marked.entity, []).append(marked)
    for entity, all_of_it in by_entity.items():
        label = next((marked.type for marked in all_of_it if marked.type), None)
        read_as = [_phrase(read, marked) for marked in all_of_it]
        if (label and not type_of(label)) or not any(kind == "name" for _, kind in read_as):
            continue
        for (start, end), kind in read_as:
            if start < end:
                yield mention(read.id, text, start, end, type_of(label), kind, entity)


def _phrase(read: _DocumentState, marked: _BracketSpan) -> tuple[tuple[int, int], MentionKind]:
    """Return span and kind of a mention; a name in a long phrase is cut to the proper nouns at its head."""
    first, last = marked.first, marked.last
    tags = [word.tag for word in read.words[first : last + 1]]
    head = marked.head - 1 if marked.head is not None and 0 < marked.head <= len(tags) else None
    if head is None:
        head = next((at for at, tag in enumerate(tags) if tag in ("PROPN", "PRON", "NOUN")), 0)
    kind: MentionKind = "name" if tags[head] == "PROPN" else "pronoun" if tags[head] in ("PRON", "DET") else "nominal"
    if kind == "name":
        while tags[0] == "DET" and head:
            first, head, tags = first + 1, head - 1, tags[1:]
        if len(tags) > _LONGEST_NAME or {"PUNCT", "VERB", "AUX", "PRON", "SCONJ"} & set(tags):
            start = end = head
            while start and tags[start - 1] == "PROPN":
                start -= 1
            while end + 1 < len(tags) and tags[end + 1] == "PROPN":
                end += 1
            first, last = first + start, first + end
    return (read.words[first].span[0], read.words[last].span[1]), kind
