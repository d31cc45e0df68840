"""Cases of names: the endings that Slavic languages, German, Swedish and Finnish add, and how Slavic letters are read.

Endings are in Latin letters without accents, as :func:`crossdoc.names.fold` writes both scripts. No form of a Slavic
name need be the plain one; the other languages have it.
"""

import re

INFLECTING = frozenset("be bg bs cs hr mk pl ru sk sl sr uk".split())
"""Slavic languages."""
SLAVIC_ENDINGS = (
    "a e i o u y am em im om um ym oj oy ou ej ey ij iy yj yy ie ia ii io iu ja je ju jo ya ye yu yo ami emi imi ymi "
    "ama ach ech ich ych ah eh ih yh akh ikh ykh iya iyu iyi iey iye ija ije iji ijo iju ijom ego ogo eho iho oho emu "
    "omu imu ega iego iemu oyu eyu ova ove ovou ovi owi"
).split()
NOMINATIVE = ("", *"a o e y i iya ija ie ia ja ya sko ko".split())
"""Endings of the names of places in the nominative."""

_CZECH = (("ch", "kh"), ("č", "tch"), ("š", "sh"), ("[žř]", "zh"), ("c", "ts"), ("j", "y"), ("w", "v"))
_SOUTHERN = (("č|ć", "tch"), ("š", "sh"), ("ž", "zh"), ("c", "ts"), ("j", "y"), ("h", "kh"))
_POLISH = (
    ("sz", "sh"), ("cz", "tch"), ("rz|ż|ź", "zh"), ("ch", "kh"), ("ć", "tch"), ("ł", "l"), ("w", "v"), ("c", "ts"),
    ("j", "y"),
)  # fmt: skip
READ_AS = {
    code: [(re.compile(pattern), sound) for pattern, sound in rules]
    for codes, rules in (("cs sk", _CZECH), ("sl hr bs", _SOUTHERN), ("pl", _POLISH))
    for code in codes.split()
}
"""By language its letters as English would write what they sound like, in the order in which they are replaced."""
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
