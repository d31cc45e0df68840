"""Annotated files: their lines, and mentions with types and chains from the names and clusters they mark in a text."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from crossdoc import errors
from crossdoc.model import Mention, MentionKind
from crossdoc.read.sources import Source, reading

MOST_ANNOTATED_BYTES = 1 << 28
"""Bytes of one line, decompressed."""

PENN_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
"""Brackets as the Penn Treebank writes them."""


class NumberedLines:
    """The lines of a file in UTF-8, and the number of the current one."""

    def __init__(self, source: Source) -> None:
        self.source, self.number = source, 0

    def __iter__(self) -> Iterator[str]:
        with reading(self.source.path), self.source.open() as stream:
            for self.number, raw in enumerate(iter(lambda: stream.readline(MOST_ANNOTATED_BYTES), b""), 1):
                try:
                    yield raw.decode("utf-8-sig" if self.number == 1 else "utf-8").rstrip("\r\n")
                except UnicodeDecodeError as error:
                    raise self.fault(f"not UTF-8 ({error.reason} at byte {error.start})") from error

    def fault(self, why: str) -> errors.InputError:
        """Return an error that names the current line."""
        return errors.broken_line(self.source.path, self.number, why)


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
    head: tuple[int, int] | None = None
    """Span of the head word, if the file marks it."""


@dataclass
class RunningText:
    """A text that is built from words, with the span of each.

    >>> running = RunningText()
    >>> [running.add(word) for word in ("Ann", "Lee")], running.text
    ([(0, 3), (4, 7)], 'Ann Lee')
    """

    parts: list[str] = field(default_factory=list)
    length: int = 0
    _gap: str = ""

    def add(self, word: str, after: str = " ") -> tuple[int, int]:
        self.parts += (self._gap, word)
        start = self.length + len(self._gap)
        self.length = start + len(word)
        self._gap = after
        return start, self.length

    def end_sentence(self) -> None:
        """Put the next word on a new line."""
        if self.length:
            self._gap = "\n"

    def join_next(self) -> None:
        """Put the next word directly after the last one."""
        self._gap = ""

    @property
    def text(self) -> str:
        return "".join(self.parts)


def mentions_of(
    document: str, text: str, names: Iterable[Name], clusters: Mapping[str, Sequence[Reference]]
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
    by_span: dict[tuple[int, int], Mention] = {}
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
