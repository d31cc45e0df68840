"""What the names of two profiles say: whether they agree, and how much similarity of context that is worth.

A name is evidence of its own: two profiles with the same rare full name are one person far more often than two "John
Smith"s picked because they are ambiguous. The learned model says how much cosine a kind of agreement is worth; for
profiles of one asked-for name it is worth nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from crossdoc.names import Agreeing, Grade, agreeing, relate

WORTH_OF = {
    Grade.CLASH: "clash",
    Grade.SIMILAR: "similar",
    Grade.PART: "part",
    Grade.VARIANT: "variant",
    Grade.EQUAL: "same",
}
"""What a learned model calls each grade."""


def agreement(a: str, b: str, entity_type: str | None) -> str:
    """How two names agree, as a learned model calls it.

    >>> agreement("Bill Clinton", "William J. Clinton", "person"), agreement("Bush", "Jeb Bush", "person")
    ('variant', 'part')
    >>> agreement("Bill Clinton", "Hillary Clinton", "person"), agreement("Boston", "boston", "place")
    ('clash', 'same')
    """
    return WORTH_OF[relate(a, b, entity_type)]


class NamesOfRows:
    """How the names of rows agree, all of one type, found once for each pair of distinct names."""

    def __init__(self, names: Sequence[str], entity_type: str | None, evidence: Mapping[str, float]) -> None:
        """`evidence` is the worth of each kind of agreement."""
        distinct, self.code = np.unique(np.array(names, dtype=object).astype(str), return_inverse=True)
        self.agreeing: Agreeing = agreeing(distinct.tolist(), entity_type)
        self.worths = np.array([evidence.get(WORTH_OF[grade], 0.0) for grade in Grade], dtype=np.float32)

    def worth(self, pairs: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
        """What the names of pairs of rows are worth."""
        return self.worths[self.agreeing.of(self.code[pairs])[0]]

    def all_pairs(self) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int32]]:
        """What the names of each pair are worth, as a matrix, and the pairs whose names clash."""
        table = np.zeros((self.agreeing.n, self.agreeing.n), dtype=np.int8)
        left, right = np.divmod(self.agreeing.code, max(self.agreeing.n, 1))
        table[left, right] = table[right, left] = self.agreeing.grade
        grades = table[self.code[:, None], self.code[None, :]]
        return self.worths[grades], np.argwhere(np.triu(grades == Grade.CLASH, k=1)).astype(np.int32)
