"""How two names relate, weakest first; the weakest of its parts is a name's."""

from __future__ import annotations

from enum import IntEnum


class Grade(IntEnum):
    """
    >>> Grade.PART > Grade.SIMILAR > Grade.CLASH, str(Grade.EQUAL)
    (True, 'equal')
    """

    CLASH = 0
    """Something in the names says that they are two entities'."""
    SIMILAR = 1
    """Another spelling: "Hussein" and "Hussain"."""
    PART = 2
    """One has less than the other: a bare surname, a bare first name, a title and surname, "Ford" of "Ford Motor"."""
    VARIANT = 3
    """The same name written otherwise: nickname, initial, hyphen, particle, order, acronym, "U.S."."""
    EQUAL = 4

    def __str__(self) -> str:
        return self.name.lower()
