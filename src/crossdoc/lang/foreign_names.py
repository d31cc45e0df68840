"""Names in other languages: endings of cases, how Slavic letters are read, and what countries and international bodies
are called (`bodies.toml`).

Endings are in Latin letters without accents, as :func:`crossdoc.names.fold` writes both scripts. No form of a Slavic
name need be the plain one; the other languages have it.
"""

import re
import tomllib
from importlib.resources import files

INFLECTING = frozenset("be bg bs cs hr mk pl ru sk sl sr uk".split())
"""Slavic languages."""
SLAVIC_ENDINGS = (
    "a e i o u y am em im om um ym oj oy ou ej ey ij iy yj yy ie ia ii io iu ja je ju jo ya ye yu yo ami emi imi ymi "
    "ama ach ech ich ych ah eh ih yh akh ikh ykh iya iyu iyi iey iye ija ije iji ijo iju ijom ego ogo eho iho oho emu "
    "omu imu ega iego iemu oyu eyu ova ove ovou ovi owi"
).split()
NOMINATIVE = ("", *"a o e y i iya ija ie ia ja ya sko ko".split())
"""Endings of the names of places in the nominative."""

_LETTERS = {
    "cs sk": "ch:kh č:tch š:sh ž:zh ř:zh c:ts j:y w:v",
    "sl hr bs": "č:tch ć:tch š:sh ž:zh c:ts j:y h:kh",
    "pl": "sz:sh cz:tch rz:zh ż:zh ź:zh ch:kh ć:tch ł:l w:v c:ts j:y",
}
SOUNDS: dict[str, dict[str, str]] = {
    code: dict(pair.split(":") for pair in letters.split())
    for codes, letters in _LETTERS.items()
    for code in codes.split()
}
"""By language its letters as English would write what they sound like."""
PLAIN_ENDINGS: dict[str, tuple[str, ...]] = {
    "de": ("s", "es"),
    "sv": ("s",),
    "fi": tuple(
        """n in en an on un yn ssa sta lla lle lta ksi na a ta iin aan een oon uun han hon hun hin issa ista illa ille
        ilta iksi""".split()
    ),
}
"""Endings by language."""
OF_PEOPLE = frozenset({"fi"})
"""Languages whose people are called so as well: in German, Peters is another surname than Peter."""
SOFTENED: dict[str, tuple[tuple[str, str], ...]] = {"fi": (("ng", "nk"), ("d", "t"), ("v", "p"), ("e", "i"))}
"""By language, how sounds before an ending are written without it: "Helsingin" is of Helsinki, "Suomen" of Suomi."""
CALLED: dict[str, list[tuple[str, str]]] = {
    language: [(name, english) for english, names in table.items() for name in names]
    for language, table in tomllib.loads((files(__package__) / "bodies.toml").read_text("utf-8")).items()
}
"""By language the names of countries and bodies, where they do not sound alike, and the English one of each."""


def spell_sounds(word: str, language: str | None) -> str:
    """A word in small letters as English would write what it sounds like; letters are read once, longest first.

    >>> spell_sounds("tomaszczyk", "pl"), spell_sounds("čapek", "cs"), spell_sounds("čapek", "en")
    ('tomashtchyk', 'tchapek', 'čapek')
    """
    sounds = SOUNDS.get(language or "")
    if sounds is None:
        return word
    letters = sorted(sounds, key=len, reverse=True)
    return re.sub("|".join(letters), lambda match: sounds[match[0]], word)
