"""brat's standoff format (https://brat.nlplab.org/standoff.html): annotations in NAME.ann of the text in NAME.txt.

Text-bound annotations (T), links to a knowledge base (N) and chains are read. Chains are equivalences (`*`) and
relations (R) whose type begins with "coref", in any case. Events, attributes and notes are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from crossdoc import errors
from crossdoc.model import Document
from crossdoc.read.annotated.marked_spans import Name, Reference, kind_of, mentions_of
from crossdoc.read.clean_text import LEAST_CERTAINTY, identify_language, printable
from crossdoc.read.small_tables import bytes_of, lines_of
from crossdoc.read.sources import COMPRESSIONS, Source, without_compression
from crossdoc.read.type_labels import type_of

_BOUND = re.compile(r"(T\S+)\t(\S+) (\d{1,12} \d{1,12}(?:;\d{1,12} \d{1,12})*)\t(.*)$")
_LINKED = re.compile(r"N\S+\t\S+ (\S+) (\S+)")
_RELATED = re.compile(r"R\S+\t(\S+) Arg1:(\S+) Arg2:(\S+)")
_EQUIVALENT = re.compile(r"\*\t\S+ (.+)$")
_PASSED_OVER = "EAM#W"


@dataclass(frozen=True, slots=True)
class _Bound:
    start: int
    end: int
    label: str


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
    bound, links, same = _read(source, text)
    id = printable(f"{source.id.rpartition('/')[0]}/{beside.name}".removeprefix("/"))
    language = identify_language(text, LEAST_CERTAINTY)
    names = [
        Name(each.start, each.end, type_of(each.label), links.get(key))
        for key, each in bound.items()
        if type_of(each.label) and _is_name(text[each.start : each.end], language)
    ]
    clusters = {
        f"*{number}": [Reference(s.start, s.end, kind_of(text[s.start : s.end], language)) for s in members]
        for number, members in enumerate(_clusters(bound, same), 1)
    }
    yield Document(id, text, language=language, mentions=mentions_of(id, text, names, clusters))


def _is_name(marked: str, language: str | None) -> bool:
    """Return whether a marked text looks like a name; brat does not mark it."""
    return not marked.islower() and kind_of(marked, language) != "pronoun"


def text_beside(path: Path) -> Path | None:
    """Return the text file that belongs to a file of annotations, compressed or not."""
    # Only the length of `without_compression` is used: it is in lower case.
    stem = path.name[: len(without_compression(path)) - len(".ann")]
    found = (path.with_name(f"{stem}.txt{packed}") for packed in ("", *COMPRESSIONS))
    return next((text for text in found if text.is_file()), None)


def _read(source: Source, text: str) -> tuple[dict[str, _Bound], dict[str, str], list[list[str]]]:
    """Return the marked spans, their links, and groups of spans that are coreferent."""
    bound: dict[str, _Bound] = {}
    links: dict[str, str] = {}
    same: list[tuple[int, list[str]]] = []
    for number, line in lines_of(source):
        if line.startswith("T"):
            key, each = _bound(source, number, line, text)
            bound[key] = each
        elif line.startswith("N"):
            key, links_to = _fields(source, number, _LINKED, line)
            links[key] = links_to
        elif line.startswith("R"):
            type, first, second = _fields(source, number, _RELATED, line)
            if type.lower().startswith("coref"):
                same.append((number, [first, second]))
        elif line.startswith("*"):
            same.append((number, _fields(source, number, _EQUIVALENT, line)[0].split()))
        elif line.strip() and line[0] not in _PASSED_OVER:
            raise errors.broken_line(source.path, number, f"{line[:30]!r} is not a brat annotation")
    for number, keys in same:
        unknown = [key for key in keys if key not in bound]
        if unknown and not all(key.startswith("E") for key in unknown):
            raise errors.broken_line(source.path, number, f"there is no {unknown[0]}")
    return bound, links, [[key for key in keys if key in bound] for _, keys in same]


def _fields(source: Source, number: int, pattern: re.Pattern[str], line: str) -> Sequence[str]:
    found = pattern.match(line)
    if found is None:
        raise errors.broken_line(source.path, number, f"{line[:60]!r} is not written as brat does")
    return found.groups()


def _bound(source: Source, number: int, line: str, text: str) -> tuple[str, _Bound]:
    key, label, offsets, stated = _fields(source, number, _BOUND, line)
    parts = [tuple(map(int, part.split())) for part in offsets.split(";")]
    if not all(0 <= start < end <= len(text) for start, end in parts):
        raise errors.broken_line(source.path, number, f"{offsets} does not lie in the text of {len(text):,} characters")
    found = " ".join(" ".join(text[start:end].split()) for start, end in parts)
    if found != " ".join(stated.split()):
        raise errors.broken_line(source.path, number, f"{key} says {stated!r}, and its place in the text {found!r}")
    return key, _Bound(min(start for start, _ in parts), max(end for _, end in parts), label)


def _clusters(bound: Mapping[str, _Bound], same: Sequence[Sequence[str]]) -> list[list[_Bound]]:
    """Merge groups that share a span."""
    cluster_of: dict[str, list[str]] = {}
    for keys in same:
        merged = list(dict.fromkeys(member for key in keys for member in cluster_of.get(key, [key])))
        cluster_of.update(dict.fromkeys(merged, merged))
    distinct = {id(members): members for members in cluster_of.values()}
    return [[bound[key] for key in members] for members in distinct.values()]
