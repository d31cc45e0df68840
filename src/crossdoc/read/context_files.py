"""ContextSet of an ambiguous name or word: JSONL, CSV or Parquet records with a marked target, and Senseval-2 XML.

A context is a profile whose name is the written target, so it can be used as a profile everywhere.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from crossdoc import errors
from crossdoc.model import Profile, Profiles
from crossdoc.read.records import Record, UniqueIds, read_records
from crossdoc.read.sources import TABLE_KINDS, Source, check_file, find_sources, kind_of, without_compression
from crossdoc.read.xml import parse_xml

XML_ENDINGS = (".xml", ".sval2", ".pos")
RECORD_ENDINGS = (".jsonl", ".csv", ".parquet")
_HEAD = re.compile(r"<head\b[^>]*>(.*?)</head>", re.DOTALL)
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Context:
    """A text with its target at [start, end) (half-open code points; equal where none is marked)."""

    id: str
    text: str
    start: int = 0
    end: int = 0
    sense: str | None = None

    @property
    def target(self) -> str:
        return self.text[self.start : self.end]

    def within(self, words: int) -> Context:
        """Return the context cut to a number of words on either side of the target.

        >>> Context("1", "one two John Smith three four", 8, 18).within(1)
        Context(id='1', text='two John Smith three', start=4, end=14, sense=None)
        """
        if self.start == self.end:
            return self
        before = [match.start() for match in _WORD.finditer(self.text, 0, self.start)][-words:] if words else []
        after = [match.end() for match in _WORD.finditer(self.text, self.end)][:words]
        first, last = before[0] if before else self.start, after[-1] if after else self.end
        return Context(self.id, self.text[first:last], self.start - first, self.end - first, self.sense)

    def profile(self) -> Profile:
        return Profile(self.id, self.id, " ".join(self.target.split()), context=self.text, language="en")


@dataclass(frozen=True, slots=True)
class ContextSet:
    """All contexts of a file."""

    items: list[Context]

    def __len__(self) -> int:
        return len(self.items)

    @property
    def ids(self) -> list[str]:
        return [context.id for context in self.items]

    @property
    def unmarked(self) -> int:
        """Number of contexts without a target."""
        return sum(context.start == context.end for context in self.items)

    @property
    def senses(self) -> list[str | None]:
        return [context.sense for context in self.items]

    def within(self, words: int) -> ContextSet:
        return ContextSet([context.within(words) for context in self.items])

    def profiles(self) -> Profiles:
        return Profiles.of(context.profile() for context in self.items)


def read_contexts(path: str | Path) -> ContextSet:
    """Return the contexts of a file; errors name the line."""
    path = Path(path)
    check_file(path)
    if without_compression(path).endswith(XML_ENDINGS):
        found = list(_from_senseval(path))
    else:
        if kind_of(path) not in TABLE_KINDS:
            raise errors.unknown_format(path, [*RECORD_ENDINGS, *XML_ENDINGS])
        found = list(read_records(find_sources([path])[0], _from_record))
    if not found:
        raise errors.no_records(path, "context")
    ids = UniqueIds()
    for context in found:
        ids.add(context.id, Source(path, path.name, "jsonl"))
    ids.raise_if_repeated()
    return ContextSet(found)


def read_words(path: str | Path) -> frozenset[str]:
    """Return the words of a stop list: separated by white space, in any case."""
    path = Path(path)
    check_file(path)
    try:
        return frozenset(path.read_text(encoding="utf-8").lower().split())
    except UnicodeDecodeError as error:
        raise errors.undecodable(path, error.reason) from error


def _from_record(record: Record) -> Context | None:
    if "text" not in record.fields:
        record.fault("the field 'text' is missing")
    text = record.text("text", empty=True) or ""
    id = record.text("id") or str(record.line)
    sense = record.text("sense")
    start, end = (_place(record, name) for name in ("start", "end"))
    if (start is None) != (end is None):
        record.fault("a target needs both 'start' and 'end'")
    if not record.sound:
        return None
    if start is None or end is None:
        return _find_head(id, text, sense)
    if not 0 <= start < end <= len(text):
        record.fault(f"the target {start}–{end} is not within the text of {len(text):,} characters")
        return None
    return Context(id, text, start, end, sense)


def _place(record: Record, name: str) -> int | None:
    value = record.fields.get(name)
    if value is None or value == "":
        return None
    try:
        if isinstance(value, bool) or int(value) != float(value):
            raise ValueError
        return int(value)
    except (TypeError, ValueError):
        record.fault(f"the field {name!r} must be a whole number, not {value!r}")
        return None


def _find_head(id: str, text: str, sense: str | None) -> Context:
    """Return a context whose target is marked by <head> … </head>; the first one counts."""
    found = _HEAD.search(text)
    if found is None:
        return Context(id, text, sense=sense)
    plain = [_HEAD.sub(r"\1", part) for part in (text[: found.start()], found[1], text[found.end() :])]
    start = len(plain[0])
    return Context(id, "".join(plain), start, start + len(plain[1]), sense)


def _from_senseval(path: Path) -> Iterator[Context]:
    """Yield contexts of Senseval-2: <instance id> with <answer senseid> and a <context> whose target is in <head>."""
    for number, instance in enumerate(parse_xml(path).iter("instance"), 1):
        context = instance.find("context")
        if context is None:
            raise errors.unreadable(path, f"instance {instance.get('id') or number} has no <context>")
        answer = instance.find("answer")
        sense = None if answer is None else answer.get("senseid")
        try:
            pieces = list(_pieces(context, False))
        except RecursionError as error:
            raise errors.unreadable(path, f"instance {instance.get('id') or number} is nested too deeply") from error
        words = [(word, inside) for piece, inside in pieces for word in piece.split()]
        head = [at for at, (_, inside) in enumerate(words) if inside]
        plain = [word for word, _ in words]
        # The first of several heads counts.
        last = next((at for at in head if at + 1 not in head), None)
        start = len(" ".join([*plain[: head[0]], ""])) if head and head[0] else 0
        end = 0 if last is None else len(" ".join(plain[: last + 1]))
        yield Context(instance.get("id") or str(number), " ".join(plain), start if head else 0, end, sense)


def _pieces(element: ET.Element, inside: bool) -> Iterator[tuple[str, bool]]:
    """Yield the pieces of text of an element in order, and whether each is in <head>."""
    inside = inside or element.tag == "head"
    yield element.text or "", inside
    for child in element:
        yield from _pieces(child, inside)
        yield child.tail or "", inside
