"""What the names of two profiles say: whether they agree, and how much similarity of context that is worth.

A name is evidence of its own: two profiles with the same rare full name are one person far more often than two "John
Smith"s picked because they are ambiguous. The learned model says how much cosine a kind of agreement is worth; for
profiles of one asked-for name it is worth nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from crossdoc.names import others_agree, parse_person, persons_agree, telling_words

Agreement = Literal["clash", "part", "variant", "same"]
AGREEMENTS: tuple[Agreement, ...] = ("clash", "part", "variant", "same")


def agreement(a: str, b: str, entity_type: str | None) -> Agreement:
    """How two names agree.

    >>> agreement("Bill Clinton", "William J. Clinton", "person"), agreement("Bush", "Jeb Bush", "person")
    ('variant', 'part')
    >>> agreement("Bill Clinton", "Hillary Clinton", "person"), agreement("Boston", "boston", "place")
    ('clash', 'same')
    """
    if entity_type == "person":
        x, y = parse_person(a), parse_person(b)
        if not persons_agree(x, y):
            return "clash"
        if not x.first or not y.first:
            return "part"
        return "same" if (x.first, x.last) == (y.first, y.last) and x.middle == y.middle else "variant"
    if not others_agree(a, b):
        return "clash"
    if telling_words(a) == telling_words(b):
        return "same"
    return "variant"


def clashes_and_worth(
    names: Sequence[str], entity_type: str | None, evidence: Mapping[str, float]
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int32]]:
    """What the names of a block are worth for each pair (all of one type), and the pairs whose names clash.

    Each pair of distinct names is looked at once, however many profiles have them; `evidence` is the worth of each
    kind of agreement.
    """
    distinct, code = np.unique(np.array(names, dtype=object).astype(str), return_inverse=True)
    table = np.zeros((len(distinct), len(distinct)), dtype=np.int8)
    for i, a in enumerate(distinct):
        for j in range(i, len(distinct)):
            table[i, j] = table[j, i] = AGREEMENTS.index(agreement(str(a), str(distinct[j]), entity_type))
    worth = np.array([evidence.get(kind, 0.0) for kind in AGREEMENTS], dtype=np.float32)
    kinds = table[code[:, None], code[None, :]]
    return worth[kinds], np.argwhere(np.triu(kinds == 0, k=1)).astype(np.int32)
