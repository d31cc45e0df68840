"""The name of a monarch or pope against a surname: "King Hussein" is no Saddam Hussein.

Monarchs are called by their first names. A full name that ends in such a name is another person's, unless it is the
monarch's own family name ("Norodom Sihanouk"); hence a soft fact, and no rule.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from crossdoc.compare.specialists.base import Pairs, Scores, Specialist, attribute_rows, meanings
from crossdoc.model import Profile, Profiles
from crossdoc.names import fold, parse_person
from crossdoc.names.evidence_types import ATTRIBUTES

CROWNED = frozenset({"king", "queen", "emperor", "empress", "sultan", "emir", "pope"})
"""Titles before first names."""


class EncodedTitles(NamedTuple):
    regnal: npt.NDArray[np.int32]
    """The only name of a monarch or pope as a number, 0 for everybody else."""
    surname: npt.NDArray[np.int32]
    """The surname of a person with a first name and without such a title, by the same numbers."""


class RegnalName(Specialist[EncodedTitles]):
    """0 where the only name of a monarch is the other's surname; no opinion on other pairs.

    >>> people = [Profile("1", "d", "King Hussein", "person", attributes={"title": ["king"]}),
    ...     Profile("2", "d", "Saddam Hussein", "person"), Profile("3", "d", "Hussein", "person")]
    >>> RegnalName().score(Profiles.of(people), Profiles.of(people), [(0, 1), (0, 2), (1, 2)])
    array([ 0., nan, nan], dtype=float32)
    """

    name = "regnal_name"
    # It compares names; these say that a text was read, and are the ones that other facts read, too.
    reads_attributes = meanings(ATTRIBUTES, "title", "gender", "descriptor")

    def encode(self, profiles: Profiles) -> EncodedTitles:
        crowned = {row for row, title in zip(*attribute_rows(profiles, "title"), strict=True) if fold(title) in CROWNED}
        numbers: dict[str, int] = {}
        regnal, surname = (np.zeros(len(profiles), dtype=np.int32) for _ in range(2))
        for row, name in enumerate(profiles.column("name").to_pylist()):
            parsed = parse_person(name or "")
            number = numbers.setdefault(parsed.last, len(numbers) + 1) if parsed.last else 0
            if row in crowned or parsed.title in CROWNED:
                regnal[row] = 0 if parsed.first else number
            elif parsed.first:
                surname[row] = number
        return EncodedTitles(regnal, surname)

    def silent(self, encoded: EncodedTitles) -> bool:
        return not encoded.regnal.any()

    def compare(self, encoded: EncodedTitles, pairs: Pairs) -> Scores:
        regnal, surname = encoded.regnal[pairs], encoded.surname[pairs]
        out = np.full(len(pairs), np.nan, dtype=np.float32)
        out[((regnal > 0) & (regnal == surname[:, ::-1])).any(axis=1)] = 0.0
        return out

    def evidence(self, left: Profile, right: Profile) -> str:
        return f"{left.name} / {right.name}: a monarch's name and a surname"
