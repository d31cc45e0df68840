"""Numbers and dates in texts of many languages, as values that are the same in all of them.

"40 billion", "40.000 millones" and "40 miljard" are one number; "March 1, 2008" and "1 de marzo de 2008" one date.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from crossdoc.lang import pack
from crossdoc.names import fold

# Months as written in dates: in Slavic languages in the genitive. Languages with a pack have their months there.
_MONTHS = {
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "pl": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
    "cs": "ledna února března dubna května června července srpna září října listopadu prosince",
    "sl": "januarja februarja marca aprila maja junija julija avgusta septembra oktobra novembra decembra",
    "ru": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "uk": "січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня",
    "bg": "януари февруари март април май юни юли август септември октомври ноември декември",
}
_DECIMAL_POINT = frozenset("en zh ja ko th he hi bn ta te mr ur ms ga cy mt sw".split())
_TRILLION_IS_BILLION = frozenset("es de nl it fr pl cs sk sl hr sr uk hu da sv no nb nn fi".split())
"""Languages of the long scale, in which a billion is 10¹²."""
_SCALES = (
    (re.compile(r"(?:miljard|mil+iard|mld|mlrd|mrd|milyard|bn$|bilh|bil+i?ao)"), 1e9),
    (re.compile(r"(?:mil+i?on|miljo|milj$|mln|mio$|milh|milyon|mn$)"), 1e6),
    (re.compile(r"(?:thousand|mil(?:a|le)?$|duizend|tausend|tysi|tys$|tisic|tis$|khilyad|khil$|hilyad|hil$)"), 1e3),
)
_BILLION = re.compile(r"bil+i?[oj]n|bilyon")
_NUMBER = re.compile(
    r"(?<![\w.,])(\d{1,3}(?:[.,\u00a0\u202f ]\d{3})+|\d+)([.,]\d+)?(?:[ \u00a0]?([^\W\d_]+)\.?(?:\s([^\W\d_]+))?)?"
)
_ISO = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b")
_NUMERIC = re.compile(r"\b(\d{1,2})([./])\s?(\d{1,2})\2\s?(\d{4}|\d{2})\b")
_DAY_FIRST = re.compile(
    r"\b(\d{1,2})(?:st|nd|rd|th|º|\.)?[-\s]+(?:de |of )?([^\W\d_]{3,})\.?(?:[-,\s]+(?:de |del )?(\d{4}|\d{2})\b)?"
)
_MONTH_FIRST = re.compile(r"\b([^\W\d_]{3,})\.?\s+(\d{1,2})(?:st|nd|rd|th)?\b(?:,?\s+(\d{4})\b)?")


def dates(text: str, language: str | None = "en") -> tuple[list[str], str]:
    """Return the dates (`2008-03-01`, or `03-01` without a year) and the text without them.

    >>> dates("Am 1. März 2008 begann es", "de"), dates("On May 24 Boeing")[0]
    ((['2008-03-01'], 'Am   begann es'), ['05-24'])
    """
    found: list[str] = []

    def add_date(day: str, month: int | None, year: str | None, written: str) -> str:
        if month is None or not (1 <= month <= 12 and 1 <= int(day) <= 31):
            return written
        found.append(f"{_full_year(year)}-{month:02d}-{int(day):02d}" if year else f"{month:02d}-{int(day):02d}")
        return " "

    def numeric(match: re.Match[str]) -> str:
        # Americans write the month first, and English text does not show its variety.
        unclear = language == "en" and match[2] == "/" and int(match[1]) <= 12
        return match[0] if unclear else add_date(match[1], int(match[3]), match[4], match[0])

    text = _ISO.sub(lambda m: add_date(m[3], int(m[2]), m[1], m[0]), text)
    text = _NUMERIC.sub(numeric, text)
    text = _DAY_FIRST.sub(lambda m: add_date(m[1], month_number(m[2], language), m[3], m[0]), text)
    text = _MONTH_FIRST.sub(lambda m: add_date(m[2], month_number(m[1], language), m[3], m[0]), text)
    return found, text


def month_number(word: str, language: str | None) -> int | None:
    """Return the month of a word or of its beginning, in the language or in English.

    >>> month_number("mar", "nl"), month_number("грудня", "uk"), month_number("lipca", "pl"), month_number("die", "de")
    (3, 12, 7, None)
    """
    wanted = fold(word)
    # "may" and "march" are words, "May" and "March" months.
    if len(wanted) < 3 or (language == "en" and word.islower()):
        return None
    for table in dict.fromkeys((language, "en")):
        for number, name in enumerate(pack(table or "en").dates.months or _MONTHS.get(table or "", "").split(), 1):
            if fold(name).startswith(wanted):
                return number
    return None


def _full_year(year: str) -> str:
    if len(year) == 4:
        return year
    return f"20{year}" if int(year) < 50 else f"19{year}"


def numbers(text: str, language: str | None = "en") -> Iterator[str]:
    """Yield the values of numbers with two digits or more, a fraction or a scale word.

    >>> list(numbers("$40 billion for 179 planes, 1.5 a day, 5 types")), list(numbers("40.000 millones de $", "es"))
    (['4e+10', '179', '1.5'], ['4e+10'])
    """
    point = "." if language in _DECIMAL_POINT else ","
    for whole, fraction, word, after in _NUMBER.findall(text):
        separators = re.sub(r"\d", "", whole)
        if point in separators and len(separators) == 1 and not fraction:
            # "9,900" in a language that writes fractions so.
            digits = whole.replace(point, ".")
        else:
            digits = re.sub(r"\D", "", whole) + (f".{fraction[1:]}" if fraction else "")
        scale = _scale(word, language)
        if scale > 1 and after:
            following = _scale(after, language)
            # Spanish and Portuguese: "40 mil millones".
            scale *= following if scale == 1e3 else 1.0
        value = float(digits) * scale
        if value >= 10 or "." in digits or scale > 1:
            yield f"{value:g}" if value >= 1e6 or "." in digits else str(int(value))


def _scale(word: str, language: str | None) -> float:
    folded = fold(word) if word else ""
    if not folded:
        return 1.0
    if _BILLION.match(folded):
        return 1e12 if language in _TRILLION_IS_BILLION else 1e9
    for pattern, scale in _SCALES:
        if pattern.match(folded):
            return scale
    return 1.0
