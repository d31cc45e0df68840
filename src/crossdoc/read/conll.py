"""CoNLL-2012 and CoNLL-U: one word per line in columns, with names and coreference in brackets.

CoNLL-2012 is OntoNotes' format (Pradhan et al. 2012, https://aclanthology.org/W12-4501), with names as `(PERSON*` and
coreference as `(12`, `12)`. A part of a document is a document, since chains do not cross parts; words are joined by
spaces. CoNLL-U has entities in its last column: `Entity=(e1-person-1` … `e1)` in the brackets of CorefUD
(https://ufal.mff.cuni.cz/corefud), with the fields that `# global.Entity` lists, or `NER=B-PER`. An entity in brackets
is read if one of its mentions is a name (its head a proper noun) and its type, if stated, is one of crossdoc's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from crossdoc.model import Document, Mention, MentionKind
from crossdoc.read.annotations import PENN_BRACKETS, Name, NumberedLines, Reference, RunningText, mentions_of
from crossdoc.read.clean_text import printable
from crossdoc.read.profiles import type_of
from crossdoc.read.sources import Source

Span = tuple[int, int]
"""Start and end in the text, or first and last word."""

_BEGIN = re.compile(r"#begin document \(?(.*?)\)?(?:; part (\d+))?\s*$")
_NAME = re.compile(r"\((?P<label>[^()*]+)|\*|(?P<end>\))")
_CLUSTER = re.compile(r"(?P<open>\()?(?P<key>[^()|\s]+)(?P<close>(?(open)\)?|\)))(?:\||$)")
_ESCAPED = PENN_BRACKETS | {"/.": ".", "/?": "?"}
_WORD, _TAG, _NAMES = 3, 4, 10
_PHRASE_ENDS = ("IN", "TO", ",", ":", "WDT", "WP", "WRB", "VB", "-LRB-", "(")

_COLUMNS = 10
_BRACKET = re.compile(r"\((?P<fields>[^()]+)(?P<single>\))?|(?P<closes>[^()]+)\)")
_PART = re.compile(r"\[\d+/\d+\]$")
_USUAL_FIELDS = ("eid", "etype", "head")
_TAG_FEATURES = ("NER", "NE", "Entity")
_LONGEST_NAME = 6


class _Words:
    """The document that is being read: its words with their tags and spans, and the names in it."""

    def __init__(self, id: str, lines: NumberedLines) -> None:
        self.id, self.lines, self.begins = id, lines, lines.number
        self.running = RunningText()
        self.spans: list[Span] = []
        self.tags: list[str] = []
        self.names: list[Name] = []

    def add_name(self, label: str, first: int, last: int) -> None:
        if type_of(label):
            self.names.append(Name(*self.span(first, last), type_of(label)))

    def span(self, first: int, last: int) -> Span:
        return self.spans[first][0], self.spans[last][1]

    def matches(self, pattern: re.Pattern[str], cell: str, fault: str) -> Iterator[re.Match[str]]:
        """Yield the matches that make up a cell; anything between them is a fault."""
        end = 0
        for found in pattern.finditer(cell):
            if found.start() != end:
                break
            end = found.end()
            yield found
        if end != len(cell):
            raise self.lines.fault(fault)


def read_conll2012(source: Source) -> Iterator[Document]:
    """Yield documents in file order; an id is that of the first line, with the part."""
    part: _Part | None = None
    lines = NumberedLines(source)
    for line in lines:
        if begins := _BEGIN.match(line):
            if part is not None:
                raise lines.fault(f"the document of line {part.begins:,} has no end")
            part = _Part(printable(f"{begins[1]}/{int(begins[2] or 0)}"), lines)
        elif line.startswith("#end document"):
            if part is None:
                raise lines.fault("a document ends that has not begun")
            yield part.document()
            part = None
        elif not line.strip():
            if part is not None:
                part.running.end_sentence()
        elif not line.startswith("#"):
            if part is None:
                raise lines.fault("a word before any `#begin document (NAME); part 000`")
            part.add(line.split())
    if part is not None:
        lines.number = part.begins
        raise lines.fault("the document that begins here has no `#end document`")


class _Part(_Words):
    """A part of a document in CoNLL-2012."""

    def __init__(self, id: str, lines: NumberedLines) -> None:
        super().__init__(id, lines)
        self.has_names = False
        self.open_name: tuple[str, int] | None = None
        self.clusters: dict[str, list[Span]] = {}
        self.open_clusters: dict[str, list[int]] = {}

    def add(self, columns: list[str]) -> None:
        if len(columns) <= _TAG:
            why = f"{len(columns)} columns; the fourth must be the word and the last its coreference"
            raise self.lines.fault(why)
        self.spans.append(self.running.add(_ESCAPED.get(columns[_WORD], columns[_WORD])))
        self.tags.append(columns[_TAG] if len(columns) > _TAG + 1 else "-")
        if len(columns) > _NAMES + 1:
            self._add_names(columns[_NAMES])
        if columns[-1] not in ("-", "_", "*"):
            self._add_clusters(columns[-1])

    def _add_names(self, cell: str) -> None:
        at = len(self.spans) - 1
        for found in _NAME.finditer(cell):
            if found["label"]:
                if self.open_name is not None:
                    raise self.lines.fault(f"the name {cell!r} begins within another")
                self.open_name = found["label"], at
            if found["end"]:
                if self.open_name is None:
                    raise self.lines.fault("a name ends that has not begun")
                self.add_name(*self.open_name, at)
                self.open_name, self.has_names = None, True

    def _add_clusters(self, cell: str) -> None:
        at = len(self.spans) - 1
        for found in self.matches(_CLUSTER, cell, f"the last column is {cell!r}, and not like (12, 12) or (3)|12)"):
            key = found["key"]
            begun = self.open_clusters.setdefault(key, [])
            if found["open"]:
                begun.append(at)
            if found["close"]:
                if not begun:
                    raise self.lines.fault(f"a mention of {key} ends that has not begun")
                self.clusters.setdefault(key, []).append((begun.pop(), at))

    def document(self) -> Document:
        still = [key for key, begun in self.open_clusters.items() if begun]
        if still or self.open_name is not None:
            what = f"mention of {still[0]}" if still else "name"
            raise self.lines.fault(f"a {what} is still open at the end of {self.id}")
        clusters = {key: [self._reference(*span) for span in spans] for key, spans in self.clusters.items()}
        if not self.has_names:
            # A file with coreference only: proper nouns are the names, without a type.
            spans = [span for spans in self.clusters.values() for span in spans]
            self.names = [Name(*proper, None) for span in spans if (proper := self._proper_noun(*span))]
        text = self.running.text
        return Document(self.id, text, mentions=mentions_of(self.id, text, self.names, clusters))

    def _reference(self, first: int, last: int) -> Reference:
        head = head_of(self.tags[first : last + 1])
        is_pronoun = first == last and self.tags[first].startswith(("PRP", "WP"))
        kind: MentionKind = "pronoun" if is_pronoun else "nominal"
        return Reference(*self.span(first, last), kind, None if head is None else self.spans[first + head])

    def _proper_noun(self, first: int, last: int) -> Span | None:
        """Return the proper noun around the head of a phrase."""
        head = head_of(self.tags[first : last + 1])
        if head is None or not self.tags[first + head].startswith("NNP"):
            return None
        start = first + head
        while start > first and self.tags[start - 1].startswith("NNP"):
            start -= 1
        return self.span(start, first + head)


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


def read_conllu(source: Source) -> Iterator[Document]:
    """Yield documents in file order, by `# newdoc id`; without any the file is one document."""
    read: _Universal | None = None
    fields: Sequence[str] = _USUAL_FIELDS
    made = 0
    lines = NumberedLines(source)
    for line in lines:
        key, _, value = line.removeprefix("#").partition("=")
        comment = key.strip() if line.startswith("#") else ""
        if comment.split(" ")[0] == "newdoc":
            if read is not None and read.spans:
                yield read.document()
                made += 1
            read = _Universal(printable(value.strip()) or f"{source.id}/{made + 1}", lines)
        elif comment == "global.Entity":
            fields = value.strip().split("-")
        elif comment in ("title", "meta::title") and read is not None:
            read.title = value.strip() or None
        elif not line.strip() and read is not None:
            read.end_sentence()
        elif line.strip() and not line.startswith("#"):
            read = read or _Universal(source.id, lines)
            read.add(line.split("\t"), fields)
    if read is not None and read.spans:
        yield read.document()


@dataclass
class _BracketSpan:
    """A mention in brackets: first and last word, and the fields of its brackets."""

    entity: str
    type: str | None
    head: int | None
    first: int
    last: int = -1


class _Universal(_Words):
    """A document in CoNLL-U."""

    def __init__(self, id: str, lines: NumberedLines) -> None:
        super().__init__(id, lines)
        self.title: str | None = None
        self.open: list[_BracketSpan] = []
        self.marked: list[_BracketSpan] = []
        self.open_tag: tuple[str, int] | None = None
        # Last word and span of a token of several words.
        self.covered: tuple[int, Span] = (0, (0, 0))

    def add(self, columns: list[str], fields: Sequence[str]) -> None:
        if len(columns) != _COLUMNS:
            raise self.lines.fault(f"{len(columns)} columns with tabs between them, and not ten")
        id, form, tag, features = columns[0], columns[1], columns[3], columns[9]
        feature = dict(part.partition("=")[::2] for part in features.split("|"))
        after = "" if feature.get("SpaceAfter") == "No" else " "
        if re.fullmatch(r"\d+-\d+", id):
            self.covered = int(id.split("-")[1]), self.running.add(form, after)
            return
        if not re.fullmatch(r"\d+(\.\d+)?", id):
            raise self.lines.fault(f"the first column is {id!r}, and not a word's number")
        if "." in id:
            # An empty node is not in the text.
            span = (self.running.length, self.running.length)
        else:
            span = self.covered[1] if int(id) <= self.covered[0] else self.running.add(form, after)
        self.spans.append(span)
        self.tags.append(tag)
        entity = feature.get("Entity", "")
        if "(" in entity or ")" in entity:
            self._add_brackets(entity, fields)
        else:
            self._add_tag(next((feature[key] for key in _TAG_FEATURES if feature.get(key)), ""))

    def end_sentence(self) -> None:
        self._close_tag(len(self.spans) - 1)
        self.running.end_sentence()
        self.covered = (0, (0, 0))

    def _add_tag(self, tag: str) -> None:
        """Continue or start a name by the tags B- and I- (some tools also write E- and S-)."""
        mark, _, label = tag.partition("-")
        at = len(self.spans) - 1
        if mark not in ("I", "E") or self.open_tag is None or self.open_tag[0] != label:
            self._close_tag(at - 1)
            self.open_tag = (label, at) if mark in ("B", "I", "E", "S") else None

    def _close_tag(self, last: int) -> None:
        if self.open_tag is not None:
            self.add_name(*self.open_tag, last)
            self.open_tag = None

    def _add_brackets(self, cell: str, fields: Sequence[str]) -> None:
        at = len(self.spans) - 1
        for found in self.matches(_BRACKET, cell, f"Entity={cell} is not brackets as of CorefUD"):
            if found["fields"]:
                values = dict(zip(fields, found["fields"].split("-"), strict=False))
                head = values.get("head", "")
                entity = _PART.sub("", values.get("eid", ""))
                position = int(head) - 1 if head.isdecimal() else None
                self.open.append(_BracketSpan(entity, values.get("etype") or None, position, at))
            if found["single"] or found["closes"]:
                entity = _PART.sub("", found["closes"]) if found["closes"] else self.open[-1].entity
                begun = next((each for each in reversed(self.open) if each.entity == entity), None)
                if begun is None:
                    raise self.lines.fault(f"a mention of {entity} ends that has not begun")
                self.open.remove(begun)
                begun.last = at
                self.marked.append(begun)

    def document(self) -> Document:
        self._close_tag(len(self.spans) - 1)
        if self.open:
            raise self.lines.fault(f"a mention of {self.open[0].entity} is still open at the end of {self.id}")
        text = self.running.text
        given = {(m.start, m.end): m for m in (*mentions_of(self.id, text, self.names, {}), *self._mentions(text))}
        return Document(self.id, text, self.title, mentions=tuple(given[span] for span in sorted(given)))

    def _mentions(self, text: str) -> Iterator[Mention]:
        by_entity: dict[str, list[_BracketSpan]] = {}
        for marked in self.marked:
            by_entity.setdefault(marked.entity, []).append(marked)
        for entity, all_of_it in by_entity.items():
            label = next((marked.type for marked in all_of_it if marked.type), None)
            phrases = [self._phrase(marked) for marked in all_of_it]
            if (label and not type_of(label)) or not any(kind == "name" for _, kind in phrases):
                continue
            for (start, end), kind in phrases:
                if start < end:
                    yield Mention.at(self.id, start, end, text[start:end], type_of(label), kind, entity)

    def _phrase(self, marked: _BracketSpan) -> tuple[Span, MentionKind]:
        """Return span and kind of a mention; a name in a long phrase is cut to the proper nouns at its head."""
        first, last, head = marked.first, marked.last, marked.head
        tags = self.tags[first : last + 1]
        if head is None or not 0 <= head < len(tags):
            head = next((at for at, tag in enumerate(tags) if tag in ("PROPN", "PRON", "NOUN")), 0)
        if tags[head] != "PROPN":
            return self.span(first, last), "pronoun" if tags[head] in ("PRON", "DET") else "nominal"
        while tags[0] == "DET" and head:
            first, head, tags = first + 1, head - 1, tags[1:]
        if len(tags) > _LONGEST_NAME or {"PUNCT", "VERB", "AUX", "PRON", "SCONJ"} & set(tags):
            start = end = head
            while start and tags[start - 1] == "PROPN":
                start -= 1
            while end + 1 < len(tags) and tags[end + 1] == "PROPN":
                end += 1
            first, last = first + start, first + end
        return self.span(first, last), "name"
