"""Contexts of an ambiguous name or word: JSONL, CSV or Parquet records with a marked target, and Senseval-2 XML.

A context is a profile whose name is the written target, so it can be used as a profile everywhere.

Name conflation: several names of a corpus become one ambiguous name.

Matrices of contexts: SenseClusters' own text formats, NumPy's .npy and SciPy's .npz.

SenseClusters: the first line has the rows and columns of vectors, then one dense row a line; with a third number, the
count of the entries, each line holds pairs of a column (from 1) and a value. Similarities have the number of rows
alone, or with the count of the entries if they are sparse.
"""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import sparse

from crossdoc import errors
from crossdoc.model import Document, Profile
from crossdoc.read.records import Record, check_ids, read_records
from crossdoc.read.small_tables import parse_xml
from crossdoc.read.sources import (
    READ_ERRORS,
    TABLE_KINDS,
    Source,
    check_file,
    find_sources,
    kind_of,
    open_binary,
    reason,
    without_compression,
)

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


def read_contexts(path: str | Path) -> list[Context]:
    """Return the contexts of a file; errors name the line."""
    path = Path(path)
    check_file(path)
    if without_compression(path).endswith(XML_ENDINGS):
        found = list(_from_senseval(path))
        check_ids(found, Source(path, path.name, "text"), "context")
        return found
    if kind_of(path) not in TABLE_KINDS:
        raise errors.unknown_format(path, [*RECORD_ENDINGS, *XML_ENDINGS])
    return read_records(find_sources([path])[0], _from_record, "context")


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
    span = record.span(text)
    if sum(record.fields.get(name) not in (None, "") for name in ("start", "end")) == 1:
        record.fault("a target needs both 'start' and 'end'")
    if not record.sound:
        return None
    return _find_head(id, text, sense) if span is None else Context(id, text, *span, sense)


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


CONFLATED_WORDS = 25
"""Words on each side of a name, as is usual for name conflation."""


class Conflation:
    """Replaces all mentions of some names by one pseudonym; the original names are the gold.

    Pedersen & Kulkarni 2006, section 1, after Gale, Church & Yarowsky 1992.

    Parameters
    ----------
    names : the names, each optionally with variants, as in ``Sonia Gandhi|Mrs. Gandhi|Gandhi``.
    pseudonym : the replacement; by default the names, joined.
    words : words of context on either side; None keeps the full document.
    once : use only the first mention of a document.

    >>> documents = [Document("d", "John met Mary in Rome.")]
    >>> for context in Conflation(["John", "Mary"], words=2).contexts(documents):
    ...     print(context.id, context.sense, context.text)
    d:0:4 John JohnMary met JohnMary
    d:9:13 Mary JohnMary met JohnMary in Rome.
    """

    def __init__(
        self,
        names: Sequence[str],
        *,
        pseudonym: str | None = None,
        words: int | None = CONFLATED_WORDS,
        once: bool = False,
    ) -> None:
        variants = [[" ".join(form.split()) for form in name.split("|") if form.strip()] for name in names]
        self.senses = {form: forms[0] for forms in variants for form in forms}
        self.names = [forms[0] for forms in variants if forms]
        repeated = len(set(self.names)) < len(names) or len(self.senses) < sum(map(len, variants))
        if len(self.names) < 2 or repeated:
            raise errors.names_to_conflate(names)
        self.pseudonym = pseudonym or "".join(re.sub(r"\W+", "", name) for name in self.names)
        self.words = words
        self.once = once
        longest_first = sorted(self.senses, key=len, reverse=True)
        # A name may be broken over two lines.
        written = [r"\s+".join(map(re.escape, form.split())) for form in longest_first]
        self._pattern = re.compile(rf"(?<!\w)(?:{'|'.join(written)})(?!\w)")

    def contexts(self, documents: Iterable[Document]) -> Iterator[Context]:
        """Yield one context per mention (or per document) with the id document:start:end."""
        for document in documents:
            found = list(self._pattern.finditer(document.text))
            pieces, starts, at, length = [], [], 0, 0
            for match in found:
                before = document.text[at : match.start()]
                starts.append(length + len(before))
                pieces += [before, self.pseudonym]
                length += len(before) + len(self.pseudonym)
                at = match.end()
            text = "".join([*pieces, document.text[at:]])
            for match, start in zip(found[:1] if self.once else found, starts, strict=False):
                id = f"{document.id}:{match.start()}:{match.end()}"
                context = Context(id, text, start, start + len(self.pseudonym), self.senses[" ".join(match[0].split())])
                yield context if self.words is None else context.within(self.words)


def looks_like_matrix(path: Path) -> bool:
    """Return whether a file is a NumPy or SciPy matrix, or text whose first line is one to three integers."""
    if without_compression(path).endswith((".npy", ".npz")):
        return True
    try:
        with open_binary(path) as stream:
            first = stream.read(200).decode("ascii").strip().splitlines()[:1]
    except (*READ_ERRORS, UnicodeDecodeError):
        return False
    cells = first[0].split() if first else []
    return 1 <= len(cells) <= 3 and all(cell.isdigit() for cell in cells)


def read_matrix(path: str | Path) -> sparse.csr_matrix:
    """Return the vectors on file, one per row."""
    path = Path(path)
    check_file(path)
    try:
        with open_binary(path) as stream:
            content = stream.read()
        if without_compression(path).endswith((".npy", ".npz")):
            return _from_numpy(path, content)
        lines = content.decode("ascii").removesuffix("\n").split("\n")
    except UnicodeDecodeError as error:
        raise errors.unreadable(path, "it is neither a matrix of SenseClusters nor of NumPy") from error
    except READ_ERRORS as error:
        raise errors.unreadable(path, reason(error)) from error
    return _from_text(path, lines)


def _from_numpy(path: Path, content: bytes) -> sparse.csr_matrix:
    try:
        if without_compression(path).endswith(".npz"):
            return sparse.csr_matrix(sparse.load_npz(io.BytesIO(content)), dtype=np.float64)
        matrix = np.lib.format.read_array(io.BytesIO(content), allow_pickle=False)
        if matrix.ndim != 2:
            raise ValueError(f"it has the shape {matrix.shape}, not rows and columns")
        return sparse.csr_matrix(matrix.astype(np.float64))
    except Exception as error:
        # NumPy checks little of a header, so a broken one fails in many ways.
        raise errors.unreadable(path, reason(error)) from error


def _from_text(path: Path, lines: list[str]) -> sparse.csr_matrix:
    head = lines[0].split()
    if not (1 <= len(head) <= 3 and all(cell.isdigit() for cell in head)):
        raise errors.broken_line(path, 1, "rows and columns were expected, and perhaps the count of entries")
    sizes = [int(cell) for cell in head]
    if max(sizes) >= 2**31:
        raise errors.broken_line(path, 1, "so many rows and columns cannot be held")
    n = sizes[0]
    while len(lines) > n + 1 and not lines[-1].strip():
        lines.pop()
    if len(lines) != n + 1:
        raise errors.broken_line(path, 1, f"{n:,} rows were announced and there are {len(lines) - 1:,}")
    body = [_numbers(path, line.split(), number) for number, line in enumerate(lines[1:], 2)]
    if len(sizes) == 3:
        return _sparse(path, body, sizes[1], sizes[2])
    entries = sum(map(len, body))
    # Two numbers are rows and columns, or rows and entries of similarities, depending on the lines.
    if len(sizes) == 1 or (entries == 2 * sizes[1] and entries != n * sizes[1]):
        raise errors.broken_line(path, 1, "these are similarities of pairs, not vectors; `crossdoc cluster` takes such")
    return _dense(path, body, sizes[1])


def _dense(path: Path, body: list[list[float]], width: int) -> sparse.csr_matrix:
    for number, row in enumerate(body, 2):
        if len(row) != width:
            raise errors.broken_line(path, number, f"{len(row):,} values for {width:,} columns")
    return sparse.csr_matrix(np.array(body, dtype=np.float64).reshape(len(body), width))


def _sparse(path: Path, body: list[list[float]], width: int, entries: int) -> sparse.csr_matrix:
    for number, row in enumerate(body, 2):
        if len(row) % 2:
            raise errors.broken_line(path, number, "a column without a value")
        if any(column != int(column) or not 1 <= column <= width for column in row[::2]):
            raise errors.broken_line(path, number, f"a column is not a whole number from 1 to {width:,}")
    columns = [int(column) - 1 for row in body for column in row[::2]]
    if len(columns) != entries:
        raise errors.broken_line(path, 1, f"{entries:,} entries were announced and there are {len(columns):,}")
    values = np.array([value for row in body for value in row[1::2]], dtype=np.float64)
    ends = np.cumsum([0, *(len(row) // 2 for row in body)])
    return sparse.csr_matrix((values, columns, ends), shape=(len(body), width))


def _numbers(path: Path, cells: list[str], line: int) -> list[float]:
    try:
        numbers = [float(cell) for cell in cells]
    except ValueError as error:
        raise errors.broken_line(path, line, str(error)) from error
    if not np.isfinite(numbers).all():
        raise errors.broken_line(path, line, "a number is not finite (NaN or infinite)")
    return numbers
