"""Slavic languages: what their cases put at the ends of names, and how their Latin letters are read.

Endings are in Latin letters without accents, as :func:`crossdoc.names.fold` leaves them of both scripts.
"""

from __future__ import annotations

import re

INFLECTING = frozenset("be bg bs cs hr mk pl ru sk sl sr uk".split())
"""The languages."""
ENDINGS = (
    "a e i o u y am em im om um ym oj oy ou ej ey ij iy yj yy ie ia ii io iu ja je ju jo ya ye yu yo ami emi imi ymi "
    "ama ach ech ich ych ah eh ih yh akh ikh ykh iya iyu iyi iey iye ija ije iji ijo iju ijom ego ogo eho iho oho emu "
    "omu imu ega iego iemu oyu eyu ova ove ovou ovi owi"
).split()
NOMINATIVE = ("", *"a o e y i iya ija ie ia ja ya sko ko".split())
"""What the names of places end in, where they stand for themselves."""

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
