"""Best match of each group in each other language, and the agreement of third languages on it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from crossdoc.model import Relations

Floats = npt.NDArray[np.float64]
NEAR_ENOUGH = 0.5
"""Share of a pair's similarity. A third language counts if one of the pair's matches in it reaches this share.
Otherwise their subject is probably missing there, and the matches are due to chance."""


@dataclass(frozen=True, slots=True)
class BestMatches:
    """For each group and language the best match (−1: none), its similarity, and that of the second-best match."""

    languages: npt.NDArray[np.int32]
    match: npt.NDArray[np.int64]
    first: Floats
    second: Floats

    @classmethod
    def from_relations(cls, relations: Relations, languages: npt.NDArray[np.int32]) -> BestMatches:
        n, kinds = relations.n, int(languages.max(initial=-1)) + 1
        here = np.concatenate([relations.left, relations.right]).astype(np.int64)
        there = np.concatenate([relations.right, relations.left]).astype(np.int64)
        value = np.tile(relations.strength.astype(np.float64), 2)
        across = (languages[here] != languages[there]) & (value > 0)
        here, there, value = here[across], there[across], value[across]
        cell = here * kinds + languages[there]
        order = np.lexsort((there, -value, cell))
        cell, there, value = cell[order], there[order], value[order]
        starts = np.flatnonzero(np.diff(cell, prepend=-1))
        match, first, second = np.full(n * kinds, -1), np.zeros(n * kinds), np.zeros(n * kinds)
        match[cell[starts]], first[cell[starts]] = there[starts], value[starts]
        following = starts + 1
        following = following[following < len(cell)]
        same = following[cell[following] == cell[following - 1]]
        second[cell[same]] = value[same]
        shape = (n, kinds)
        return cls(languages, match.reshape(shape), first.reshape(shape), second.reshape(shape))

    def _mutual_cells(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        row, column = np.nonzero(self.match >= 0)
        back = self.match[self.match[row, column], self.languages[row]]
        return row[back == row], column[back == row]

    def mutual(self) -> tuple[Floats, Floats]:
        """Return the similarities of mutual best matches, and of their second-best ones."""
        row, column = self._mutual_cells()
        return self.first[row, column], self.second[row, column]

    def agreement(self) -> tuple[Floats, Floats]:
        """Return, for mutual best matches, the similarity and the share of third languages with the same match.

        A third language counts if both have a match in it and one of them is near enough.
        """
        row, column = self._mutual_cells()
        other = self.match[row, column]
        once = row < other
        row, column, other = row[once], column[once], other[once]
        ours, theirs = self.match[row], self.match[other]
        similarity = self.first[row, column]
        near = np.maximum(self.first[row], self.first[other]) >= NEAR_ENOUGH * similarity[:, None]
        counts = (ours >= 0) & (theirs >= 0) & near
        counts[np.arange(len(row)), column] = False
        counts[np.arange(len(row)), self.languages[row]] = False
        total = counts.sum(axis=1)
        kept = total > 0
        same = (counts & (ours == theirs)).sum(axis=1)
        return similarity[kept], same[kept] / total[kept]
