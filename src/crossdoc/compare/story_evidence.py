"""Evidence from the documents of an open collection: profiles that meet in a topic, and names in one story.

Two profiles of one name are likelier one entity if their documents tell one story. Compared are the documents without
the name itself. The log odds are bounded and never negative.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.preprocessing import normalize

from crossdoc.compare.curve import Curve
from crossdoc.compare.in_topics import InTopics, Readings, TopicPrior
from crossdoc.compare.pairs import Pairs
from crossdoc.compare.specialists import kernels
from crossdoc.compare.specialists.contexts import sparse_rows
from crossdoc.compare.stories import Stories
from crossdoc.compare.vectors import drop_cells, words
from crossdoc.model import Profiles, Vectors
from crossdoc.names import fold

Floats = npt.NDArray[np.float32]


class StoryEvidence:
    """Topics of profiles, and their documents as rows without their own names, found when they are first needed.

    Parameters
    ----------
    stories : finds the documents of the profiles and their topics.
    in_topics : finds what topics make of the profiles, from the topic of each.
    """

    def __init__(
        self,
        stories: Callable[[], Stories],
        profiles: Profiles,
        sizes: TopicPrior,
        document: Curve | None,
        in_topics: Callable[[npt.NDArray[np.int64]], InTopics],
    ) -> None:
        self._find, self._profiles, self._meet = stories, profiles, in_topics
        # A profile has the words of its document for its own, so a story is evidence for one name, never against.
        self._curve = document and document.model_copy(update={"low": 0.0, "high": sizes.story})

    @cached_property
    def _documents(self) -> tuple[Stories, npt.NDArray[np.int64]]:
        """The documents, and the row of each profile among them."""
        stories = self._find()
        return stories, stories.of_profiles(self._profiles)

    @cached_property
    def topic(self) -> npt.NDArray[np.int64]:
        stories, at = self._documents
        return stories.topic[at]

    @cached_property
    def in_topics(self) -> InTopics:
        return self._meet(self.topic)

    @cached_property
    def rows(self) -> Vectors:
        """The row of each profile's document. It is empty if no other profile has the name: it is never compared."""
        stories, at = self._documents
        return _without_names(stories, self._profiles, at, _shared(self._name))

    @cached_property
    def _encoded(self) -> Any:
        return sparse_rows(self.rows)

    @cached_property
    def _name(self) -> npt.NDArray[np.int64]:
        """The number of each row's name; each description has one of its own."""
        spelt = np.unique([fold(name) for name in self.in_topics.names], return_inverse=True)[1].astype(np.int64)
        return np.where(self.in_topics.described, -1 - np.arange(len(self._profiles)), spelt)

    @property
    def readings(self) -> Readings | None:
        """Name readings by topic; None if topics were not needed so far."""
        return self.in_topics.readings if "in_topics" in vars(self) else None

    def read_names(self, own: list[str], rows: npt.NDArray[np.int64]) -> list[str]:
        """Return the names of rows as they are read in their topics."""
        return [self.in_topics.names[row] for row in rows.tolist()]

    def described(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Return which rows are descriptions."""
        return self.in_topics.described[rows]

    def topic_pairs(self, rows: npt.NDArray[np.int64]) -> tuple[Pairs, Floats]:
        """Return the pairs among rows that their topic brings together, and the log odds of each."""
        return self.in_topics.among(rows)

    def compare_all(self, rows: npt.NDArray[np.int64]) -> Floats | float:
        """Return the log odds of all pairs of rows from their documents."""
        same = self._name[rows][:, None] == self._name[rows][None, :]
        if self._curve is None or same.sum() == len(rows):
            return 0.0
        return np.where(same, self._curve(Vectors(self.rows.matrix[rows]).cosine()), np.float32(0.0))

    def compare(self, pairs: Pairs) -> Floats:
        """Return the log odds of pairs of rows from their documents."""
        odds = np.zeros(len(pairs), dtype=np.float32)
        same = np.flatnonzero(self._name[pairs[:, 0]] == self._name[pairs[:, 1]])
        if self._curve is not None and len(same):
            asked = np.ascontiguousarray(pairs[same], dtype=np.int32)
            odds[same] = self._curve(np.nan_to_num(kernels.sparse_cosine(*self._encoded, asked)))
        return odds


class NoStories:
    """A collection without topics: records, profiles of one asked-for name, or evidence of an ensemble."""

    readings: Readings | None = None
    topic: npt.NDArray[np.int64] = np.zeros(0, dtype=np.int64)
    rows = Vectors(sparse.csr_matrix((0, 1), dtype=np.float32))

    def read_names(self, own: list[str], rows: npt.NDArray[np.int64]) -> list[str]:
        return own

    def described(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        return np.zeros(len(rows), dtype=bool)

    def topic_pairs(self, rows: npt.NDArray[np.int64]) -> tuple[Pairs, Floats]:
        return np.zeros((0, 2), dtype=np.int32), np.zeros(0, dtype=np.float32)

    def compare_all(self, rows: npt.NDArray[np.int64]) -> Floats | float:
        return 0.0

    def compare(self, pairs: Pairs) -> Floats:
        return np.zeros(len(pairs), dtype=np.float32)


def _shared(numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Mark the numbers that occur more than once."""
    _, number, count = np.unique(numbers, return_inverse=True, return_counts=True)
    return count[number] > 1


def _without_names(
    stories: Stories, profiles: Profiles, at: npt.NDArray[np.int64], kept: npt.NDArray[np.bool_]
) -> Vectors:
    """The document of each profile that is `kept`, as a row of unit length without the words of the profile's name.

    One long document with thousands of profiles would otherwise be copied thousands of times.
    """
    own = stories.rows[at[kept]]
    lengths = np.zeros(len(at) + 1, dtype=own.indptr.dtype)
    lengths[1:][kept] = np.diff(own.indptr)
    matrix = sparse.csr_matrix((own.data, own.indices, np.cumsum(lengths)), shape=(len(at), own.shape[1]))
    if stories.features is None:
        return Vectors(matrix)
    matrix.sort_indices()
    column = {word: code for code, word in enumerate(stories.features)}
    names, languages = (profiles.column(each).to_pylist() for each in ("name", "language"))
    cells = [
        (row, column[word])
        for row in np.flatnonzero(kept).tolist()
        for word in words(names[row] or "", languages[row])
        if word in column
    ]
    drop_cells(matrix, *np.array(cells, dtype=np.int64).reshape(-1, 2).T)
    return Vectors(normalize(matrix, copy=False) if matrix.nnz else matrix, stories.features)
