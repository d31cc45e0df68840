"""Senseval-2 XML, the matrices of SenseClusters, name conflation, and the evaluation by the best mapping.

A matrix of SenseClusters: the first line has the rows and columns of vectors, then one dense row a line; with a third
number, the count of the entries, each line holds pairs of a column (from 1) and a value.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.optimize import linear_sum_assignment

from corpora.annotations import parse_xml
from crossdoc import errors
from crossdoc.model import Document
from crossdoc.read.context_files import Context
from crossdoc.read.sources import open_binary, reading


@dataclass(frozen=True, slots=True)
class SenseContext(Context):
    """A context with the sense of its target, if that is known."""

    sense: str | None = None


def senseval_contexts(path: Path) -> Iterator[SenseContext]:
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
        yield SenseContext(instance.get("id") or str(number), " ".join(plain), start if head else 0, end, sense)


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
            hint = 'Give them as --names "A" "B"; variants of a name follow it, as in "A|A. Smith".'
            raise errors.UsageError(f"Give two or more different names to conflate; these are {list(names)}.", hint)
        self.pseudonym = pseudonym or "".join(re.sub(r"\W+", "", name) for name in self.names)
        self.words = words
        self.once = once
        longest_first = sorted(self.senses, key=len, reverse=True)
        # A name may be broken over two lines.
        written = [r"\s+".join(map(re.escape, form.split())) for form in longest_first]
        self._pattern = re.compile(rf"(?<!\w)(?:{'|'.join(written)})(?!\w)")

    def contexts(self, documents: Iterable[Document]) -> Iterator[SenseContext]:
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
                sense = self.senses[" ".join(match[0].split())]
                context = SenseContext(id, text, start, start + len(self.pseudonym), sense)
                yield context if self.words is None else context.within(self.words)


def read_vectors(path: Path) -> sparse.csr_matrix:
    """Return the vectors of a file of SenseClusters, one per row."""
    with reading(path, UnicodeDecodeError), open_binary(path) as stream:
        lines = stream.read().decode("ascii").removesuffix("\n").split("\n")
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


@dataclass(frozen=True)
class SenseMapping:
    """A one-to-one mapping of clusters to senses with the most correct contexts.

    `confusion[r, s]` is how many contexts of cluster r have sense s; `sense_of[r]` is a sense's column, or −1.
    """

    confusion: npt.NDArray[np.int64]
    senses: list[str]
    sense_of: npt.NDArray[np.int64]

    @property
    def right(self) -> int:
        mapped = np.flatnonzero(self.sense_of >= 0)
        return int(self.confusion[mapped, self.sense_of[mapped]].sum())

    @property
    def precision(self) -> float:
        """Share of correct contexts among those in clusters with a sense."""
        judged = int(self.confusion[self.sense_of >= 0].sum())
        return self.right / judged if judged else 0.0

    @property
    def recall(self) -> float:
        """Share of correct contexts among all: the accuracy."""
        return self.right / int(self.confusion.sum())

    @property
    def f(self) -> float:
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0

    @property
    def majority(self) -> float:
        """Accuracy of a single cluster: the share of the most frequent sense."""
        return float(self.confusion.sum(axis=0).max() / self.confusion.sum())


def map_senses(labels: npt.NDArray[Any], senses: Sequence[str | None]) -> SenseMapping:
    """Return the best mapping; contexts without a known sense (None) are left out.

    >>> mapping = map_senses(np.array([0, 0, 0, 1, 2]), ["cord", "cord", "text", "text", "text"])
    >>> mapping.confusion.tolist(), mapping.sense_of.tolist()
    ([[2, 1], [0, 1], [0, 1]], [0, 1, -1])
    >>> mapping.precision, mapping.recall, mapping.majority
    (0.75, 0.6, 0.6)
    """
    known = np.array([sense is not None for sense in senses], dtype=bool)
    if not known.any():
        raise errors.ScoreError(
            "None of the contexts has a known sense.", "Give gold whose ids are those of the contexts."
        )
    names, sense = np.unique([str(each) for each in senses if each is not None], return_inverse=True)
    _, cluster = np.unique(np.asarray(labels)[known], return_inverse=True)
    confusion = np.zeros((int(cluster.max()) + 1, len(names)), dtype=np.int64)
    np.add.at(confusion, (cluster, sense), 1)
    sense_of = np.full(len(confusion), -1, dtype=np.int64)
    rows, columns = linear_sum_assignment(confusion, maximize=True)
    sense_of[rows] = columns
    return SenseMapping(confusion, names.tolist(), sense_of)
