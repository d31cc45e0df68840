"""Annotated files: their lines, and mentions with types and chains from the names and clusters they mark in a text."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from crossdoc import errors
from crossdoc.lang import DEFAULT, pack
from crossdoc.model import Mention, MentionKind
from crossdoc.read.sources import Source, reading

MOST_ANNOTATED_BYTES = 1 << 28
"""Bytes of one line, or of one text, decompressed; a larger one is refused."""

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


def bytes_of(source: Source) -> bytes:
    """Return the content of a file of limited size."""
    with reading(source.path), source.open() as stream:
        content = stream.read(MOST_ANNOTATED_BYTES + 1)
    if len(content) > MOST_ANNOTATED_BYTES:
        size = f"it holds more than {MOST_ANNOTATED_BYTES >> 20} MB, and is read as a whole"
        raise errors.unreadable(source.path, size)
    return content


@dataclass(frozen=True, slots=True)
class Name:
    """A name of an entity; names with one `link` (id of a knowledge base) are one entity."""

    start: int
    end: int
    type: str | None
    link: str | None = None


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


def kind_of(phrase: str, language: str | None) -> MentionKind:
    """Return the kind of a member of a cluster without a name.

    >>> kind_of("She", "en"), kind_of("the company", "en")
    ('pronoun', 'nominal')
    """
    return "pronoun" if phrase.lower() in pack(language or DEFAULT).pronouns.all else "nominal"


def mentions_of(
    document: str, text: str, names: Iterable[Name], clusters: Mapping[str, Sequence[Reference]]
) -> tuple[Mention, ...]:
    """Return all names, and the other members of clusters that contain a name.

    A name that is the head of several phrases belongs to the shortest one's cluster. A cluster and the links of its
    names are one chain; a name without cluster and link has no chain.
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
    chain_of = {key: _chain_of_link(name.link) for name, (key, _) in home.items() if name.link is not None}
    by_span: dict[tuple[int, int], Mention] = {}
    types: dict[str, str | None] = {}
    for name in ordered:
        chain = None if name.link is None else _chain_of_link(name.link)
        if name in home:
            key = home[name][0]
            chain = chain_of.get(key, key)
            types[key] = types.get(key) or name.type
        by_span.setdefault(
            (name.start, name.end), mention(document, text, name.start, name.end, name.type, "name", chain)
        )
    named = {(key, reference) for key, reference in home.values()}
    for key, type in types.items():
        for one in clusters[key]:
            if (key, one) not in named:
                made = mention(document, text, one.start, one.end, type, one.kind, chain_of.get(key, key))
                by_span.setdefault((one.start, one.end), made)
    return tuple(by_span[span] for span in sorted(by_span))


def mention(
    document: str, text: str, start: int, end: int, type: str | None, kind: MentionKind, chain: str | None
) -> Mention:
    words = " ".join(text[start:end].split())
    return Mention(f"{document}:{start}:{end}", document, start, end, words, type, kind, chain)


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


def _chain_of_link(link: str) -> str:
    return f"link:{link}"
