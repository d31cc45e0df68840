"""brat's standoff format (https://brat.nlplab.org/standoff.html): annotations in NAME.ann of the text in NAME.txt.

Text-bound annotations (T), links to a knowledge base (N) and chains are read. Chains are equivalences (`*`) and
relations (R) whose type begins with "coref", in any case. Events, attributes and notes are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from crossdoc import errors
from crossdoc.model import Document
from crossdoc.read.annotations import Name, NumberedLines, Reference, bytes_of, kind_of, mentions_of
from crossdoc.read.clean_text import LEAST_CERTAINTY, identify_language, printable
from crossdoc.read.profiles import type_of
from crossdoc.read.sources import COMPRESSIONS, Source, without_compression

_BOUND = re.compile(r"(T\S+)\t(\S+) (\d{1,12} \d{1,12}(?:;\d{1,12} \d{1,12})*)\t(.*)$")
_LINKED = re.compile(r"N\S+\t\S+ (\S+) (\S+)")
_RELATED = re.compile(r"R\S+\t(\S+) Arg1:(\S+) Arg2:(\S+)")
_EQUIVALENT = re.compile(r"\*\t\S+ (.+)$")
_PASSED_OVER = "EAM#W"


def read_brat(source: Source) -> Iterator[Document]:
    """Yield the document of a pair of files; its id is the path of the text below the input."""
    beside = text_beside(source.path)
    if beside is None:
        raise errors.no_text_beside(source.path)
    try:
        # Line ends stay as they are: brat counts every character.
        text = bytes_of(Source(beside, beside.name, "text")).decode()
    except UnicodeDecodeError as error:
        raise errors.undecodable(beside, f"it is not UTF-8 (at byte {error.start:,})") from error
    read = _Annotations(NumberedLines(source), text)
    id = printable(f"{source.id.rpartition('/')[0]}/{beside.name}".removeprefix("/"))
    language = identify_language(text, LEAST_CERTAINTY)

    def is_name(start: int, end: int) -> bool:
        """Return whether a marked text looks like a name; brat does not mark it."""
        return not text[start:end].islower() and kind_of(text[start:end], language) != "pronoun"

    names = [
        Name(*span, type_of(label), read.links.get(key))
        for key, (span, label) in read.bound.items()
        if type_of(label) and is_name(*span)
    ]
    clusters = {
        f"*{number}": [Reference(start, end, kind_of(text[start:end], language)) for start, end in spans]
        for number, spans in enumerate(read.clusters(), 1)
    }
    yield Document(id, text, language=language, mentions=mentions_of(id, text, names, clusters))


def text_beside(path: Path) -> Path | None:
    """Return the text file that belongs to a file of annotations, compressed or not."""
    # Only the length of `without_compression` is used: it is in lower case.
    stem = path.name[: len(without_compression(path)) - len(".ann")]
    found = (path.with_name(f"{stem}.txt{packed}") for packed in ("", *COMPRESSIONS))
    return next((text for text in found if text.is_file()), None)


class _Annotations:
    """The annotations of a file: marked spans with their labels, links, and groups of coreferent spans, by key."""

    def __init__(self, lines: NumberedLines, text: str) -> None:
        self.lines, self.text = lines, text
        self.bound: dict[str, tuple[tuple[int, int], str]] = {}
        self.links: dict[str, str] = {}
        self.groups: list[list[str]] = []
        group_lines = []
        for line in lines:
            groups = len(self.groups)
            if line.startswith("T"):
                self._add_bound(line)
            elif line.startswith("N"):
                key, link = self._fields(_LINKED, line)
                self.links[key] = link
            elif line.startswith("R"):
                type, *ends = self._fields(_RELATED, line)
                self.groups += [ends] if type.lower().startswith("coref") else []
            elif line.startswith("*"):
                self.groups.append(self._fields(_EQUIVALENT, line)[0].split())
            elif line.strip() and line[0] not in _PASSED_OVER:
                raise lines.fault(f"{line[:30]!r} is not a brat annotation")
            group_lines += [lines.number] * (len(self.groups) - groups)
        for lines.number, keys in zip(group_lines, self.groups, strict=True):
            unknown = [key for key in keys if key not in self.bound]
            if not all(key.startswith("E") for key in unknown):
                raise lines.fault(f"there is no {unknown[0]}")

    def _fields(self, pattern: re.Pattern[str], line: str) -> Sequence[str]:
        found = pattern.match(line)
        if found is None:
            raise self.lines.fault(f"{line[:60]!r} is not written as brat does")
        return found.groups()

    def _add_bound(self, line: str) -> None:
        key, label, offsets, stated = self._fields(_BOUND, line)
        parts = [tuple(map(int, part.split())) for part in offsets.split(";")]
        if not all(0 <= start < end <= len(self.text) for start, end in parts):
            raise self.lines.fault(f"{offsets} does not lie in the text of {len(self.text):,} characters")
        found = " ".join(" ".join(self.text[start:end].split()) for start, end in parts)
        if found != " ".join(stated.split()):
            raise self.lines.fault(f"{key} says {stated!r}, and its place in the text {found!r}")
        self.bound[key] = (min(start for start, _ in parts), max(end for _, end in parts)), label

    def clusters(self) -> list[list[tuple[int, int]]]:
        """Return the spans of groups, those that share a span merged."""
        cluster_of: dict[str, list[str]] = {}
        for group in self.groups:
            keys = [key for key in group if key in self.bound]
            merged = list(dict.fromkeys(member for key in keys for member in cluster_of.get(key, [key])))
            cluster_of.update(dict.fromkeys(merged, merged))
        distinct = {id(members): members for members in cluster_of.values()}
        return [[self.bound[key][0] for key in members] for members in distinct.values()]
