"""What German, Swedish and Finnish put at the ends of names, in small letters without accents.

Slavic languages are in `slavic.py`: there no form of a name need be the plain one.
"""

from __future__ import annotations

ENDINGS: dict[str, tuple[str, ...]] = {
    "de": ("s", "es"),
    "sv": ("s",),
    "fi": tuple(
        """n in en an on un yn ssa sta lla lle lta ksi na a ta iin aan een oon uun han hon hun hin issa ista illa ille
        ilta iksi""".split()
    ),
}
"""By language."""
OF_PEOPLE = frozenset({"fi"})
"""Languages whose people are called so as well: in German, Peters is another surname than Peter."""
SOFTENED: dict[str, tuple[tuple[str, str], ...]] = {"fi": (("ng", "nk"), ("d", "t"), ("v", "p"), ("e", "i"))}
"""By language, how sounds before an ending are written without it: "Helsingin" is of Helsinki, "Suomen" of Suomi."""
