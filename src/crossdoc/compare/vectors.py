"""Profiles → Vectors: unit-length TF-IDF rows of their contexts.

Document frequencies come from the full collection or a larger one, never from one name's documents. On WePS-1 and John
Smith this, and windows around the name, are the largest cheap gains (docs/results.md). A profile's own name is masked,
since every namesake shares it.

Document frequencies of words in general texts of a language (tools/build_usual_words.py).

Documents gathered for one name are about few people. The words that distinguish these people are in so many of the
documents that their own counts make them common. Adding counts of general texts keeps their weights high.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, lru_cache, partial
from importlib import import_module
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
from joblib import Parallel, delayed
from scipy import sparse
from sklearn.preprocessing import normalize

from crossdoc import errors
from crossdoc.compare.word_codes import Coded, clear_cells, count_texts, word_table
from crossdoc.files import whole_file
from crossdoc.lang import DEFAULT, pack
from crossdoc.model import Profiles, Vectors
from crossdoc.names.commonness import usual_words

_WORD = re.compile(r"(?<![^\W_])[^\W\d_]+\d[^\W_]*|[^\W\d_]{2,}(?:['’][^\W\d_]+)?")
_NUMBER = re.compile(r"(?<![a-z\d])\d[a-z\d]*")
_ONLY_WORDS = {point: " " for point in range(128) if not chr(point).isalnum() and chr(point) != "'"}
_COUNTED = pa.schema([("word", pa.string()), ("count", pa.int64())])
_DOCUMENTS = b"crossdoc.documents"
ROWS_AT_ONCE = 4096
ROWS_A_THREAD = 20_000
"""Rows per thread. Fewer are counted faster without another thread."""

Found = TypeVar("Found")
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
    return [word for word in raw_words(text) if word not in ignored and len(word) > 1]


def raw_words(text: str) -> list[str]:
    """All lower-cased words without possessive endings, stop words and perhaps single letters among them.

    >>> raw_words("A poet's life")
    ['a', 'poet', 'life']
    """
    text = text.lower()
    if not text.isascii():
        return [word.removesuffix("'s").removesuffix("’s") for word in _WORD.findall(text)]
    # Translating and splitting is several times as fast as the expression, which handles only words with an apostrophe
    # other than that of a possessive.
    text = _NUMBER.sub(_letters, text.translate(_ONLY_WORDS))
    if "'" not in text:
        return text.split()
    text = f"{text} ".replace("'s ", " ")
    found = text.split()
    if "'" not in text:
        return found
    return [word.removesuffix("'s") for piece in found for word in (_WORD.findall(piece) if "'" in piece else (piece,))]


def _letters(found: re.Match[str]) -> str:
    """Return the letters of a number with letters."""
    return "".join(" " if character.isdigit() else character for character in found.group())


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

    A word has weight (1 + log tf) · (log((1 + N) / (1 + df)) + 1); rows are scaled to unit length.

    Notes
    -----
    Time and memory are linear in the words of the texts.

    Examples
    --------
    >>> vectoriser = ContextVectoriser().fit([["a car maker in Detroit", "a poet in Paris"]])
    >>> vectoriser.document_count
    2
    """

    def __init__(self) -> None:
        self.document_count = 0
        self.document_frequency: Counter[str] = Counter()
        self._along: tuple[Mapping[str, int], int, int] = ({}, 0, 1)

    @classmethod
    def from_counts(cls, documents: int, frequency: Mapping[str, int]) -> ContextVectoriser:
        """Return a vectoriser for a collection that was counted before."""
        vectoriser = cls()
        vectoriser.document_count = documents
        vectoriser.document_frequency = frequency if isinstance(frequency, Counter) else Counter(frequency)
        return vectoriser

    def fit(self, batches: Iterable[Iterable[str] | pa.ChunkedArray], processes: int = 1) -> ContextVectoriser:
        """Count in how many texts each word occurs, and add that to earlier counts.

        Batches are read once, and only a few at a time; with several `processes` each counts entire batches. Sending
        the texts to them costs nearly as much as counting: two were no faster than one on two busy cores.
        """
        if processes == 1:
            counted = map(_document_frequency, batches)
        else:
            # A batch may be a generator, which no other process could read.
            tasks = (delayed(_document_frequency)(list(texts)) for texts in batches)
            counted = Parallel(n_jobs=processes, return_as="generator")(tasks)
        for documents, frequency in counted:
            self.document_count += documents
            self.document_frequency.update(frequency)
        for found in ("_vocabulary", "_columns", "_weights"):
            self.__dict__.pop(found, None)
        return self

    def count_along(self, usual: Mapping[str, int], texts: int, of: int) -> None:
        """Weigh words as if `texts` general texts were counted too; `usual` has the counts in `of` such texts.

        The idf becomes log((1 + N + texts) / (1 + df + texts · usual / of)) + 1; no word is added, the counts stay.
        """
        self._along = usual, texts, of
        self.__dict__.pop("_weights", None)

    @cached_property
    def _weights(self) -> npt.NDArray[np.float32]:
        usual, texts, of = self._along
        own = np.array([self.document_frequency[word] for word in self._vocabulary])
        along = np.array([usual.get(word, 0) for word in self._vocabulary]) * (texts / of)
        return (np.log((1 + self.document_count + texts) / (1 + own + along)) + 1).astype(np.float32)

    @cached_property
    def _vocabulary(self) -> list[str]:
        return sorted(self.document_frequency)

    @cached_property
    def _columns(self) -> dict[str, int]:
        return {word: column for column, word in enumerate(self._vocabulary)}

    def save(self, path: Path) -> None:
        """Write the counts as a Parquet table `word, count`, with the number of documents in its metadata."""
        known = self._vocabulary
        columns = {"word": known, "count": [self.document_frequency[word] for word in known]}
        table = pa.table(columns, schema=_COUNTED.with_metadata({_DOCUMENTS: str(self.document_count).encode()}))
        with whole_file(path) as stream:
            pq.write_table(table, stream)

    @classmethod
    def load(cls, path: Path) -> ContextVectoriser:
        """Read the counts of another, larger collection.

        Words that it lacks have no column, so a collection with words of its own is counted on top:
        ``ContextVectoriser.load(path).fit(batches)``.
        """
        if not path.is_file():
            raise errors.no_such_path(path)
        try:
            table = pq.read_table(path)
            counts = table.select(_COUNTED.names).cast(_COUNTED)
            loaded = cls()
            loaded.document_count = int((table.schema.metadata or {})[_DOCUMENTS])
        except (pa.ArrowException, KeyError, ValueError, OSError) as error:
            raise errors.unreadable(path, f"it is not a table of document frequencies ({error})") from error
        loaded.document_frequency = Counter(
            dict(zip(counts.column("word").to_pylist(), counts.column("count").to_pylist(), strict=True))
        )
        return loaded

    def transform(self, profiles: Profiles) -> Vectors:
        if not self._vocabulary or not len(profiles):
            return Vectors(sparse.csr_matrix((len(profiles), 1), dtype=np.float32))
        return self._weighted(_count(profiles, self._columns), profiles)

    def _weighted(self, counts: sparse.csr_matrix, profiles: Profiles) -> Vectors:
        """Return the rows of word counts as vectors, each without the words of its profile's own name."""
        _drop_names(counts, profiles, self._columns)
        counts.data = (1 + np.log(counts.data)) * self._weights[counts.indices]
        return Vectors(normalize(counts, copy=False), np.array(self._vocabulary, dtype=object))

    def transform_documents(self, profiles: Profiles, texts: Texts) -> Vectors:
        """Return vectors of the full documents of profiles, without the profiles' own names."""
        where = profiles.arrow.schema.get_field_index("context")
        parts = [sparse.csr_matrix((0, max(1, len(self.document_frequency))), dtype=np.float32)]
        if not self._vocabulary:
            return Vectors(sparse.csr_matrix((len(profiles), 1), dtype=np.float32))
        # Some rows at a time; a document is counted once for all of its profiles that are read in one language.
        for first in range(0, len(profiles), ROWS_AT_ONCE):
            part = profiles.arrow.slice(first, ROWS_AT_ONCE)
            keys = list(zip(*(part.column(name).to_pylist() for name in ("document", "language")), strict=True))
            distinct = {key: number for number, key in enumerate(dict.fromkeys(keys))}
            at = {key: row for row, key in reversed(list(enumerate(keys)))}
            rows = part.take([at[key] for key in distinct])
            known = texts([document or "" for document, _ in distinct])
            filled = pa.array([known.get(document or "", "") for document, _ in distinct], pa.large_string())
            counts = _count(Profiles(rows.set_column(where, "context", filled)), self._columns)
            own = np.array([distinct[key] for key in keys], dtype=np.int64)
            parts.append(self._weighted(counts[own], Profiles(part)).matrix)
        features = np.array(self._vocabulary, dtype=object) if self.document_frequency else None
        return Vectors(sparse.vstack(parts, format="csr"), features)


def _document_frequency(texts: Iterable[str | None] | pa.ChunkedArray) -> tuple[int, Counter[str]]:
    counted = _in_threads(_frequency_of, _column(texts))
    frequency: Counter[str] = Counter()
    for _, found in counted:
        frequency.update(found)
    return sum(documents for documents, _ in counted), frequency


def _in_threads(count: Callable[..., Found], rows: Any) -> list[Found]:
    """Count pieces of the rows in threads and return the results in order. The kernels release Python's lock."""
    pieces = max(1, min(os.cpu_count() or 1, len(rows) // ROWS_A_THREAD))
    bounds = np.linspace(0, len(rows), pieces + 1).astype(int)
    with ThreadPoolExecutor(pieces) as pool:
        return list(pool.map(count, (rows.slice(first, last - first) for first, last in pairwise(bounds))))


def _frequency_of(texts: pa.ChunkedArray) -> tuple[int, Counter[str]]:
    table, documents = word_table(raw_words), 0
    seen, counted = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    for coded in table.codes(texts):
        more = len(table) - len(seen)
        seen, counted = np.append(seen, np.full(more, -1)), np.append(counted, np.zeros(more, dtype=np.int64))
        count_texts(*coded, seen, counted, documents)
        documents += len(coded.start) - 1
    # Stop words stay: a collection may have several languages. The stop words of a profile's own language are dropped
    # when its words are counted.
    counts = zip(table.words(), counted.tolist(), strict=True)
    return documents, Counter({word: count for word, count in counts if len(word) > 1})


def _column(texts: Iterable[str | None] | pa.ChunkedArray) -> pa.ChunkedArray:
    return texts if isinstance(texts, pa.ChunkedArray) else pa.chunked_array([pa.array(list(texts), pa.large_string())])


def _count(profiles: Profiles, known: Mapping[str, int]) -> sparse.csr_matrix:
    """Count each known word in each profile's context, by column."""
    none = sparse.csr_matrix((0, len(known)), dtype=np.float32)
    return _stacked([none, *chain(*_in_threads(partial(_counts_of, known=known), profiles.arrow))])


def _counts_of(rows_of_profiles: pa.Table, known: Mapping[str, int]) -> list[sparse.csr_matrix]:
    profiles = Profiles(rows_of_profiles)
    parts, row = [], 0
    table = word_table(raw_words)
    column = np.zeros(0, dtype=np.int32)
    for coded in table.codes(profiles.column("context")):
        rows = len(coded.start) - 1
        new = [known.get(word, -1) if len(word) > 1 else -1 for word in table.words(len(column))]
        column = np.append(column, np.array(new, dtype=np.int32))
        parts.append(_counted(coded, column, Profiles(profiles.arrow.slice(row, rows)), known))
        row += rows
    return parts


def _counted(
    coded: Coded, column: npt.NDArray[np.int32], profiles: Profiles, known: Mapping[str, int]
) -> sparse.csr_matrix:
    """Count the known words of a few rows whose words are numbered."""
    start, found = coded.start, column[coded.code]
    languages = profiles.column("language").to_pylist()
    for language in sorted(set(languages), key=str):
        ignored = [known[word] for word in stop_words(language) if word in known]
        stopped = np.zeros(len(known) + 1, dtype=np.bool_)
        stopped[ignored] = True
        spoken = np.repeat(np.array([code == language for code in languages], dtype=np.bool_), np.diff(start))
        found = np.where(spoken & stopped[found], np.int32(-1), found)
    kept = found >= 0
    start = np.concatenate([[0], np.cumsum(kept)])[start]
    found = found[kept]
    counts = sparse.csr_matrix((np.ones(len(found), dtype=np.float32), found, start), shape=(len(profiles), len(known)))
    counts.sum_duplicates()
    return counts


def _drop_names(counts: sparse.csr_matrix, profiles: Profiles, known: Mapping[str, int]) -> None:
    """Remove the words of each profile's own name from its row."""
    named = lru_cache(maxsize=100_000)(words)
    columns = (profiles.column(name).to_pylist() for name in ("name", "language"))
    own = [
        (row, known[word])
        for row, (name, language) in enumerate(zip(*columns, strict=True))
        for word in named(name, language)
        if word in known
    ]
    drop_cells(counts, *np.array(own, dtype=np.int64).reshape(-1, 2).T)


def _stacked(parts: list[sparse.csr_matrix]) -> sparse.csr_matrix:
    """Stack matrices by rows; the arrays of the parts are freed as soon as they are joined."""
    shape = sum(part.shape[0] for part in parts), parts[0].shape[1]
    ends = np.cumsum([0, *(part.nnz for part in parts)])
    kind = np.int32 if ends[-1] < 2**31 else np.int64
    start = np.concatenate([np.zeros(1), *(part.indptr[1:] + end for part, end in zip(parts, ends, strict=False))])
    indices = np.concatenate([part.indices for part in parts]).astype(kind, copy=False)
    values = [part.data for part in parts]
    parts.clear()
    return sparse.csr_matrix((np.concatenate(values), indices, start.astype(kind)), shape=shape)


def drop_cells(counts: sparse.csr_matrix, rows: npt.NDArray[np.int64], columns: npt.NDArray[np.int64]) -> None:
    """Remove some cells of a matrix whose rows are sorted."""
    clear_cells(counts.indptr, counts.indices, counts.data, np.ascontiguousarray(rows), np.ascontiguousarray(columns))
    counts.eliminate_zeros()


TEXTS = 10_000
"""Texts counted in the shipped table."""
TEXTS_FROM_ELSEWHERE = 1_000
"""Texts added to the collection's own counts. Chosen on WePS-1, each name by itself (the part `build`), and John Smith.
"""


def count_usual_words(vectoriser: ContextVectoriser, profiles: Profiles) -> None:
    """Weigh the words of one name's documents as if general texts were part of the collection."""
    vectoriser.count_along(usual_words(main_language(profiles)), TEXTS_FROM_ELSEWHERE, of=TEXTS)


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
