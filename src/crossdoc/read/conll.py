"""CoNLL-2012: one word per line in columns, with names as `(PERSON*` and coreference as `(12`, `12)`.

OntoNotes' format (Pradhan et al. 2012, https://aclanthology.org/W12-4501). A part of a document is a document, since
chains do not cross parts; words are joined by spaces. A cluster is a chain if one of its phrases is about a name.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from crossdoc import errors
from crossdoc.model import Document, Mention, MentionKind
from crossdoc.read.clean_text import printable
from crossdoc.read.profiles import type_of
from crossdoc.read.records import MOST_LINE_BYTES
from crossdoc.read.sources import Source, reading

Span = tuple[int, int]
"""Start and end in the text, or first and last word."""

_BEGIN = re.compile(r"#begin document \(?(.*?)\)?(?:; part (\d+))?\s*$")
_NAME = re.compile(r"\((?P<label>[^()*]+)|\*|(?P<end>\))")
_CLUSTER = re.compile(r"(?P<open>\()?(?P<key>[^()|\s]+)(?P<close>(?(open)\)?|\)))(?:\||$)")
_ESCAPED = {
    "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}", "/.": ".", "/?": "?",
}  # fmt: skip
_WORD, _TAG, _NAMES = 3, 4, 10
_PHRASE_ENDS = ("IN", "TO", ",", ":", "WDT", "WP", "WRB", "VB", "-LRB-", "(")


@dataclass(frozen=True, slots=True)
class Name:
    """A name of an entity."""

    start: int
    end: int
    type: str | None


@dataclass(frozen=True, slots=True)
class Reference:
    """A member of a cluster, often a longer phrase than its name; `kind` is used if its head is no name."""

    start: int
    end: int
    kind: MentionKind = "nominal"
    head: Span | None = None
    """Span of the head word, if there is one."""


class _Lines:
    """The lines of a file in UTF-8, and the number of the current one."""

    def __init__(self, source: Source) -> None:
        self.source, self.number = source, 0

    def __iter__(self) -> Iterator[str]:
        with reading(self.source.path), self.source.open() as stream:
            for self.number, raw in enumerate(iter(lambda: stream.readline(MOST_LINE_BYTES), b""), 1):
                try:
                    yield raw.decode("utf-8-sig" if self.number == 1 else "utf-8").rstrip("\r\n")
                except UnicodeDecodeError as error:
                    raise self.fault(f"not UTF-8 ({error.reason} at byte {error.start})") from error

    def fault(self, why: str) -> errors.InputError:
        """Return an error that names the current line."""
        return errors.broken_line(self.source.path, self.number, why)


def read_conll2012(source: Source) -> Iterator[Document]:
    """Yield documents in file order; an id is that of the first line, with the part."""
    part: _Part | None = None
    lines = _Lines(source)
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
            if part is not None and part.words:
                part.gap = "\n"
        elif not line.startswith("#"):
            if part is None:
                raise lines.fault("a word before any `#begin document (NAME); part 000`")
            part.add(line.split())
    if part is not None:
        lines.number = part.begins
        raise lines.fault("the document that begins here has no `#end document`")


class _Part:
    """The part of a document that is being read: its words with tags and spans, names and clusters."""

    def __init__(self, id: str, lines: _Lines) -> None:
        self.id, self.lines, self.begins = id, lines, lines.number
        self.words: list[str] = []
        self.length, self.gap = 0, ""
        self.spans: list[Span] = []
        self.tags: list[str] = []
        self.names: list[Name] = []
        self.has_names = False
        self.open_name: tuple[str, int] | None = None
        self.clusters: dict[str, list[Span]] = {}
        self.open_clusters: dict[str, list[int]] = {}

    def add(self, columns: list[str]) -> None:
        if len(columns) <= _TAG:
            why = f"{len(columns)} columns; the fourth must be the word and the last its coreference"
            raise self.lines.fault(why)
        word = _ESCAPED.get(columns[_WORD], columns[_WORD])
        start = self.length + len(self.gap)
        self.words += (self.gap, word)
        self.length, self.gap = start + len(word), " "
        self.spans.append((start, self.length))
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
                label, first = self.open_name
                if type_of(label):
                    self.names.append(Name(*self._span(first, at), type_of(label)))
                self.open_name, self.has_names = None, True

    def _add_clusters(self, cell: str) -> None:
        at, end = len(self.spans) - 1, 0
        for found in _CLUSTER.finditer(cell):
            if found.start() != end:
                break
            key, end = found["key"], found.end()
            begun = self.open_clusters.setdefault(key, [])
            if found["open"]:
                begun.append(at)
            if found["close"]:
                if not begun:
                    raise self.lines.fault(f"a mention of {key} ends that has not begun")
                self.clusters.setdefault(key, []).append((begun.pop(), at))
        if end != len(cell):
            raise self.lines.fault(f"the last column is {cell!r}, and not like (12, 12) or (3)|12)")

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
        text = "".join(self.words)
        return Document(self.id, text, mentions=mentions_of(self.id, text, self.names, clusters))

    def _span(self, first: int, last: int) -> Span:
        return self.spans[first][0], self.spans[last][1]

    def _reference(self, first: int, last: int) -> Reference:
        head = head_of(self.tags[first : last + 1])
        is_pronoun = first == last and self.tags[first].startswith(("PRP", "WP"))
        kind: MentionKind = "pronoun" if is_pronoun else "nominal"
        return Reference(*self._span(first, last), kind, None if head is None else self.spans[first + head])

    def _proper_noun(self, first: int, last: int) -> Span | None:
        """Return the proper noun around the head of a phrase."""
        head = head_of(self.tags[first : last + 1])
        if head is None or not self.tags[first + head].startswith("NNP"):
            return None
        start = first + head
        while start > first and self.tags[start - 1].startswith("NNP"):
            start -= 1
        return self._span(start, first + head)


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


def mentions_of(
    document: str, text: str, names: Sequence[Name], clusters: Mapping[str, Sequence[Reference]]
) -> tuple[Mention, ...]:
    """Return all names, and the other members of clusters that contain a name.

    A name that is the head of several phrases belongs to the shortest one's cluster; a name without cluster has no
    chain.
    """
    ordered = sorted(set(names), key=lambda name: (name.start, -name.end))
    starts = [name.start for name in ordered]
    home: dict[Name, tuple[str, Reference]] = {}
    for key, references in clusters.items():
        for reference in references:
            inside = ordered[bisect_left(starts, reference.start) : bisect_left(starts, reference.end)]
            name = _find_name(text, reference, [each for each in inside if each.end <= reference.end])
            if name is not None and (name not in home or _length(reference) < _length(home[name][1])):
                home[name] = key, reference
    by_span: dict[Span, Mention] = {}
    types: dict[str, str | None] = {}
    for name in ordered:
        chain = home[name][0] if name in home else None
        if chain is not None:
            types[chain] = types.get(chain) or name.type
        span = name.start, name.end
        by_span.setdefault(span, Mention.at(document, *span, text[slice(*span)], name.type, "name", chain))
    named = {(key, reference) for key, reference in home.values()}
    for key, type in types.items():
        for one in clusters[key]:
            if (key, one) not in named:
                span = one.start, one.end
                by_span.setdefault(span, Mention.at(document, *span, text[slice(*span)], type, one.kind, key))
    return tuple(by_span[span] for span in sorted(by_span))


def _find_name(text: str, reference: Reference, inside: Sequence[Name]) -> Name | None:
    """Return the name inside a phrase that the phrase refers to: the one at its head, else the likely one."""
    same = next((name for name in inside if (name.start, name.end) == (reference.start, reference.end)), None)
    if same is not None or not inside:
        return same
    if reference.head is not None:
        at, until = reference.head
        return next((name for name in inside if name.start <= at and until <= name.end), None)
    for name in inside:
        before, after = text[reference.start : name.start].split(), text[name.end : reference.end].strip()
        if any(other.type == name.type and other.start > name.end for other in inside) and name.type != "place":
            continue
        # "the chairman John Smith", and "John Smith, the chairman"; but not "the chairman of General Motors".
        if (not after or after.startswith(",")) and not any(word.islower() and len(word) < 4 for word in before[1:]):
            return name
    return None


def _length(reference: Reference) -> int:
    return reference.end - reference.start
