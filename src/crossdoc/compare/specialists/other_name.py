"""Names of organisations and places: the same distinctive words, one name a part of the other, or neither."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from crossdoc.compare.specialists.base import Pairs, Scores, Specialist
from crossdoc.compare.specialists.coding import Ints
from crossdoc.model import Profile, Profiles
from crossdoc.names import is_acronym, others_agree, telling_words

SAME, PART, SHARED, NONE = 1.0, 0.7, 0.3, 0.0


def name_score(a: str, b: str) -> float | None:
    """1 for the same distinctive words, .7 for a part, .3 for half of them shared, 0 for none; None for an acronym.

    >>> name_score("The General Motors Corp.", "General Motors"), name_score("Ford", "Ford Motor Company")
    (1.0, 0.7)
    >>> name_score("Fiat", "Ford"), name_score("GM", "General Motors")
    (0.0, None)
    """
    x, y = telling_words(a), telling_words(b)
    if not x or not y:
        return None
    if x == y or "".join(x) == "".join(y):
        return SAME
    if is_acronym(a) != is_acronym(b):
        return None
    if others_agree(a, b):
        return PART
    return SHARED if 2 * len(set(x) & set(y)) >= min(len(x), len(y)) else NONE


class EncodedNames(NamedTuple):
    names: npt.NDArray[np.object_]
    name_of_row: Ints
    """−1 where asleep."""


class OtherNames(Specialist[EncodedNames]):
    """How two names of organisations, or of places, agree; acronyms are another specialist's.

    >>> names = ("General Motors", "General Motors Corp.", "Ford")
    >>> table = Profiles.of(Profile(name, "d", name, "organisation") for name in names)
    >>> OtherNames().score(table, table, [(0, 1), (0, 2)])
    array([1., 0.], dtype=float32)
    """

    name = "other_name"

    def encode(self, profiles: Profiles) -> EncodedNames:
        awake = pc.fill_null(pc.is_in(profiles.column("type"), value_set=pa.array(["organisation", "place"])), False)
        named = pc.if_else(awake, profiles.column("name"), pa.scalar(None, pa.string()))
        coded = named.combine_chunks().dictionary_encode()
        rows = pc.fill_null(coded.indices, -1).to_numpy(zero_copy_only=False).astype(np.int32)
        return EncodedNames(coded.dictionary.to_numpy(zero_copy_only=False), rows)

    def compare(self, encoded: EncodedNames, pairs: Pairs) -> Scores:
        out = np.full(len(pairs), np.nan, dtype=np.float32)
        codes = np.sort(encoded.name_of_row[pairs], axis=1)
        awake = np.flatnonzero(codes[:, 0] >= 0)
        if not len(awake):
            return out
        distinct, which = np.unique(codes[awake], axis=0, return_inverse=True)
        found = [name_score(encoded.names[a], encoded.names[b]) for a, b in distinct]
        scores = np.array([np.nan if score is None else score for score in found], dtype=np.float32)
        out[awake] = scores[which.ravel()]
        return out

    def evidence(self, left: Profile, right: Profile) -> str:
        return f"{left.name} / {right.name}" if left.type in ("organisation", "place") else ""
