"""Personal names: how far two agree, from clash (0) to the same name with the same middle name (1).

Names in any script meet by transliteration, nicknames by dictionary, spellings by Double Metaphone (Philips 2000) and
Jaro-Winkler (Winkler 1990): the name specialist of Huang et al. 2009, section 3.3, which the paper does not spell out.
The rule is that of :mod:`crossdoc.names`, asked once for each pair of distinct names.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from crossdoc.compare.specialists.base import Pairs, Scores, Specialist
from crossdoc.compare.specialists.coding import Ints
from crossdoc.model import Profile, Profiles
from crossdoc.names import Agreeing, agreeing, parse_person


class EncodedNames(NamedTuple):
    agreeing: Agreeing
    name_of_row: Ints
    """−1 where asleep."""


def encode_names(profiles: Profiles) -> EncodedNames:
    """Which people's names agree, and the name of each row."""
    is_person = pc.fill_null(pc.equal(profiles.column("type"), "person"), False)
    coded = pc.if_else(is_person, profiles.column("name"), pa.scalar(None, pa.string()))
    coded = coded.combine_chunks().dictionary_encode()
    names = coded.dictionary.to_pylist()
    # In an order of their own, so that the names are looked up once for all who ask.
    listed = sorted(name for name in names if parse_person(name).last)
    number = {name: at for at, name in enumerate(listed)}
    numbers = np.array([*(number.get(name, -1) for name in names), -1], dtype=np.int32)
    rows = pc.fill_null(coded.indices, len(names)).to_numpy(zero_copy_only=False)
    return EncodedNames(agreeing(listed, "person"), numbers[rows])


class PersonNames(Specialist[EncodedNames]):
    """Awake for two people with names.

    The score is that of :func:`crossdoc.names.compare_people`, 0 where names clash.

    >>> people = Profiles.of(Profile(str(i), "d", name, "person") for i, name in enumerate(
    ...     ["William J. Clinton", "Clinton, Bill", "Hillary Clinton", "Билл Клинтон"]))
    >>> PersonNames().score(people, people, [(0, 0), (0, 1), (1, 3), (0, 2)]).astype(float).round(2).tolist()
    [0.97, 0.71, 0.76, 0.0]
    """

    name = "person_name"

    def encode(self, profiles: Profiles) -> EncodedNames:
        return encode_names(profiles)

    def compare(self, encoded: EncodedNames, pairs: Pairs) -> Scores:
        out = np.full(len(pairs), np.nan, dtype=np.float32)
        names = encoded.name_of_row[pairs]
        awake = (names >= 0).all(axis=1)
        out[awake] = encoded.agreeing.of(names[awake])[1]
        return out

    def evidence(self, left: Profile, right: Profile) -> str:
        return f"{left.name} / {right.name}" if left.type == right.type == "person" else ""
