"""Profiles → Vectors: unit-length TF-IDF rows of their contexts.

Document frequencies come from the full collection or a larger one, never from one name's documents. On WePS-1 and John
Smith this, and windows around the name, are the largest cheap gains (docs/results.md). A profile's own name is masked,
since every namesake shares it.

Documents gathered for one name are about few people. The words that distinguish these people are in so many of the
documents that their own counts make them common. Adding counts of general texts (tools/build_usual_words.py) keeps
their weights high.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from importlib import import_module
from itertools import chain

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from scipy import sparse
from sklearn.preprocessing import normalize

from crossdoc.lang import DEFAULT, pack
from crossdoc.model import Profiles, Vectors

_WORD = re.compile(r"(?<![^\W_])[^\W\d_]+\d[^\W_]*|[^\W\d_]{2,}(?:['’][^\W\d_]+)?")
ROWS_AT_ONCE = 4096
BYTES_AT_ONCE = 2**22

Texts = Callable[[Sequence[str]], Mapping[str, str]]
"""The texts of some documents, by their ids."""


def words(text: str, language: str | None = "en") -> list[str]:
    """Lower-cased words of two letters or more, without the language's stop words and possessive endings.

    Digits belong to a word that begins with a letter; numbers are no words.

    >>> words("The chairman's car, a Volvo, stood in Elm Street.")
    ['chairman', 'car', 'volvo', 'stood', 'elm', 'street']
    >>> words("42 of the F16 in 1996, the 90s")
    ['f16']
    """
    ignored = stop_words(language)
    return [word for word in raw_words(text) if word not in ignored]


def raw_words(text: str) -> list[str]:
    """All lower-cased words of two letters or more, stop words too, without possessive endings.

    >>> raw_words("The poet's life")
    ['the', 'poet', 'life']
    """
    return [word.removesuffix("'s").removesuffix("’s") for word in _WORD.findall(text.lower())]


def _words_of_piece(piece: str) -> list[str]:
    """Return the :func:`raw_words` of what stands between two spaces, nearly always one word and its punctuation."""
    bare = piece.strip('.,;:()"')
    return [bare.lower()] if len(bare) > 1 and bare.isascii() and bare.isalpha() else raw_words(piece)


@lru_cache(maxsize=64)
def stop_words(language: str | None) -> frozenset[str]:
    """Stop words of the language's pack, or spaCy's if it has none; English ones for an unknown language."""
    language = language or DEFAULT
    if listed := pack(language).function_words.stop:
        return listed
    try:
        return frozenset(import_module(f"spacy.lang.{language}.stop_words").STOP_WORDS)
    except ModuleNotFoundError:
        return frozenset()


class ContextVectoriser:
    """TF-IDF with document frequencies from a full collection.

    A word has weight (1 + log tf) · (log((1 + N) / (1 + df)) + 1); rows are scaled to unit length. Time and memory are
    linear in the words of the texts.

    >>> vectoriser = ContextVectoriser().fit([["a car maker in Detroit", "a poet in Paris"]])
    >>> vectoriser.document_count
    2
    """

    def __init__(self, documents: int = 0, frequency: Mapping[str, int] | None = None) -> None:
        self.document_count = documents
        self.document_frequency = frequency if isinstance(frequency, Counter) else Counter(frequency)
        self._along: tuple[Mapping[str, int], int] = {}, 0

    def fit(self, batches: Iterable[Iterable[str | None] | pa.ChunkedArray]) -> ContextVectoriser:
        """Count in how many texts each word occurs, and add that to earlier counts; batches are read once.

        Stop words stay, because a collection may have several languages.
        """
        for texts in batches:
            column = texts if isinstance(texts, pa.ChunkedArray) else pa.chunked_array([list(texts)], pa.large_string())
            for found, counts in _counted(column):
                frequency = np.bincount(counts.indices, minlength=len(found)).tolist()
                self.document_frequency.update(
                    {word: count for word, count in zip(found, frequency, strict=True) if count}
                )
            self.document_count += len(column)
        for name in ("_vocabulary", "_columns", "_weights"):
            self.__dict__.pop(name, None)
        return self

    def count_along(self, usual: Mapping[str, int]) -> None:
        """Weigh words as if `TEXTS_FROM_ELSEWHERE` general texts were counted too; `usual` has the counts in `TEXTS`.

        The idf becomes log((1 + N + more) / (1 + df + more · usual / TEXTS)) + 1; no word is added, the counts stay.
        """
        self._along = usual, TEXTS_FROM_ELSEWHERE
        self.__dict__.pop("_weights", None)

    @cached_property
    def _weights(self) -> npt.NDArray[np.float32]:
        usual, texts = self._along
        own = np.array([self.document_frequency[word] for word in self._vocabulary])
        along = np.array([usual.get(word, 0) for word in self._vocabulary]) * (texts / TEXTS)
        return (np.log((1 + self.document_count + texts) / (1 + own + along)) + 1).astype(np.float32)

    @cached_property
    def _vocabulary(self) -> list[str]:
        return sorted(self.document_frequency)

    @cached_property
    def _columns(self) -> dict[str, int]:
        return {word: column for column, word in enumerate(self._vocabulary)}

    def transform(self, profiles: Profiles) -> Vectors:
        if not self._vocabulary or not len(profiles):
            return Vectors(sparse.csr_matrix((len(profiles), 1), dtype=np.float32))
        return self._weighted(self._count(profiles), profiles)

    def _weighted(self, counts: sparse.csr_matrix, profiles: Profiles) -> Vectors:
        """Return the rows of word counts as vectors, each without the words of its profile's own name."""
        counts = without_words(counts, self._columns, profiles)
        counts.data = (1 + np.log(counts.data)) * self._weights[counts.indices]
        return Vectors(normalize(counts, copy=False), np.array(self._vocabulary, dtype=object))

    def transform_documents(self, profiles: Profiles, texts: Texts) -> Vectors:
        """Return vectors of the full documents of profiles, without the profiles' own names."""
        if not self._vocabulary or not len(profiles):
            return Vectors(sparse.csr_matrix((len(profiles), max(1, len(self._vocabulary))), dtype=np.float32))
        where = profiles.arrow.schema.get_field_index("context")
        parts = []
        # Some rows at a time; a document is counted once for all of its profiles that are read in one language.
        for first in range(0, len(profiles), ROWS_AT_ONCE):
            part = profiles.arrow.slice(first, ROWS_AT_ONCE)
            keys = list(zip(*(part.column(name).to_pylist() for name in ("document", "language")), strict=True))
            row_of = {key: row for row, key in reversed(list(enumerate(keys)))}
            distinct = {key: number for number, key in enumerate(row_of)}
            known = texts([document or "" for document, _ in distinct])
            filled = pa.array([known.get(document or "", "") for document, _ in distinct], pa.large_string())
            rows = part.take(list(row_of.values())).set_column(where, "context", filled)
            counts = self._count(Profiles(rows))[np.array([distinct[key] for key in keys])]
            parts.append(self._weighted(counts, Profiles(part)).matrix)
        return Vectors(sparse.vstack(parts, format="csr"), np.array(self._vocabulary, dtype=object))

    def _count(self, profiles: Profiles) -> sparse.csr_matrix:
        """Count each known word in each profile's context, without the stop words of its language."""
        languages = np.array(profiles.column("language").to_pylist(), dtype=object)
        parts = [sparse.csr_matrix((0, len(self._vocabulary)), dtype=np.float32)]
        first = 0
        for found, counts in _counted(profiles.column("context")):
            column = np.array([self._columns.get(word, -1) for word in found], dtype=np.int64)
            kept = column[counts.indices] >= 0
            spoken = languages[first : first + counts.shape[0]]
            for language in set(spoken):
                stops = stop_words(language)
                stopped = np.array([word in stops for word in found], dtype=bool)
                kept &= ~(stopped[counts.indices] & np.repeat(spoken == language, np.diff(counts.indptr)))
            start = np.concatenate([[0], np.cumsum(kept)])[counts.indptr]
            cells = counts.data[kept], column[counts.indices[kept]], start
            parts.append(sparse.csr_matrix(cells, shape=(len(spoken), len(self._vocabulary))))
            parts[-1].sort_indices()
            first += len(spoken)
        return sparse.vstack(parts, format="csr")


def _counted(texts: pa.ChunkedArray) -> Iterator[tuple[list[str], sparse.csr_matrix]]:
    """Yield the words of some texts, a few megabytes at a time, and how often each text has each of them.

    Arrow splits at spaces and finds the distinct pieces, and only these are split further in Python.
    """
    for chunk in texts.chunks:
        column = pc.fill_null(chunk.cast(pa.large_string()), "")
        batch = np.cumsum(pc.binary_length(column).to_numpy()) // BYTES_AT_ONCE
        for rows in np.split(np.arange(len(column)), np.flatnonzero(np.diff(batch)) + 1) if len(column) else ():
            pieces = pc.ascii_split_whitespace(column.slice(rows[0], len(rows)))
            coded = pieces.flatten().dictionary_encode()
            found: dict[str, int] = {}
            split = [_words_of_piece(piece) for piece in coded.dictionary.to_pylist()]
            numbers = [[found.setdefault(word, len(found)) for word in own] for own in split]
            start = np.cumsum([0, *map(len, numbers)])
            flat = np.array(list(chain.from_iterable(numbers)), dtype=np.int64)
            piece = coded.indices.to_numpy()
            size = np.diff(start)[piece]
            end = np.cumsum(size)
            word = flat[np.arange(size.sum()) + np.repeat(start[piece] - end + size, size)]
            rows_end = np.cumsum(pc.list_value_length(pieces).to_numpy())
            cells = np.ones(len(word), dtype=np.float32), word, np.append(0, end)[np.append(0, rows_end)]
            counts = sparse.csr_matrix(cells, shape=(len(rows), max(1, len(found))))
            counts.sum_duplicates()
            yield list(found), counts


def without_words(counts: sparse.csr_matrix, column: Mapping[str, int], profiles: Profiles) -> sparse.csr_matrix:
    """Remove the words of each profile's own name from its row; `column` is that of each word."""
    named = lru_cache(maxsize=100_000)(words)
    columns = profiles.column("name").fill_null("").to_pylist(), profiles.column("language").to_pylist()
    own = [
        (row, column[word])
        for row, name in enumerate(zip(*columns, strict=True))
        for word in set(named(*name))
        if word in column
    ]
    cells = np.array(own, dtype=np.int64).reshape(-1, 2).T
    named_cells = sparse.csr_matrix((np.ones(cells.shape[1], dtype=np.float32), tuple(cells)), shape=counts.shape)
    return (counts - counts.multiply(named_cells)).tocsr()


TEXTS = 10_000
"""Texts counted in the shipped table."""
TEXTS_FROM_ELSEWHERE = 1_000
"""Texts added to the collection's own counts. Chosen on WePS-1, each name by itself (the part `build`), and John Smith.
"""


def main_language(profiles: Profiles) -> str:
    """The language of most profiles; of those that name none, English."""
    spoken = Counter(language or DEFAULT for language in profiles.column("language").to_pylist())
    return min(spoken, key=lambda language: (-spoken[language], language)) if spoken else DEFAULT


def joined_contexts(profiles: Profiles) -> Texts:
    """Return the joined contexts of each document's profiles, for profiles without documents."""
    columns = (profiles.column(name).to_pylist() for name in ("document", "context"))
    joined: dict[str, list[str]] = {}
    for document, context in zip(*columns, strict=True):
        joined.setdefault(document, []).append(context or "")
    return lambda ids: {id: "\n".join(joined.get(id, [])) for id in ids}
