"""What the documents of an open collection say of its profiles: who meets in a topic, and who stands in one story.

Two bearers of one name in one story are likelier one. The cosine is that of their documents without the name itself,
which says the same in all of them; it speaks for one name, within a bound, and never against.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.preprocessing import normalize

from crossdoc.compare.curve import Curve
from crossdoc.compare.in_topics import InTopics, TopicPrior
from crossdoc.compare.pairs import Pairs
from crossdoc.compare.specialists import kernels
from crossdoc.compare.specialists.contexts import sparse_rows
from crossdoc.compare.stories import Stories
from crossdoc.compare.vectors import drop_cells, words
from crossdoc.model import Profiles, Vectors
from crossdoc.names import fold

Floats = npt.NDArray[np.float32]


class StoryEvidence:
    """The topics of profiles, and their documents as rows without their own names."""

    def __init__(
        self,
        stories: Stories,
        profiles: Profiles,
        sizes: TopicPrior,
        document: Curve | None,
        in_topics: InTopics | None = None,
    ) -> None:
        at = stories.of_profiles(profiles)
        self.topic = stories.topic[at]
        self.in_topics = InTopics(profiles, self.topic, sizes) if in_topics is None else in_topics
        # A profile has the words of its document for its own, so that the story speaks for one name, and against none.
        self.curve = document and document.model_copy(update={"low": 0.0, "high": sizes.story})
        spelt = np.unique([fold(name) for name in self.in_topics.names], return_inverse=True)[1].astype(np.int64)
        self.name = np.where(self.in_topics.described, -1 - np.arange(len(profiles)), spelt)
        """The number of each row's name; descriptions have one of their own."""
        self.rows = _without_names(stories, profiles, at, _shared(self.name))
        """The row of each profile's document. It is empty if no other profile has the name: it is never compared."""
        self.encoded = sparse_rows(self.rows)

    def only(self, rows: npt.NDArray[np.int64]) -> StoryEvidence:
        """The same of some rows."""
        some = object.__new__(StoryEvidence)
        some.topic, some.in_topics, some.curve = self.topic[rows], self.in_topics.only(rows), self.curve
        some.rows = Vectors(self.rows.matrix[rows], self.rows.features)
        some.encoded, some.name = sparse_rows(some.rows), self.name[rows]
        return some

    def of_all(self, rows: npt.NDArray[Any]) -> Floats | float:
        """What the documents of all pairs of rows say."""
        same = self.name[rows][:, None] == self.name[rows][None, :]
        if self.curve is None or same.sum() == len(rows):
            return 0.0
        return np.where(same, self.curve(Vectors(self.rows.matrix[rows]).cosine()), np.float32(0.0))

    def of(self, pairs: Pairs) -> Floats:
        """The same of some pairs of rows."""
        odds = np.zeros(len(pairs), dtype=np.float32)
        same = np.flatnonzero(self.name[pairs[:, 0]] == self.name[pairs[:, 1]])
        if self.curve is not None and len(same):
            asked = np.ascontiguousarray(pairs[same], dtype=np.int32)
            odds[same] = self.curve(np.nan_to_num(kernels.sparse_cosine(*self.encoded, asked)))
        return odds


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
