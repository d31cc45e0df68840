"""Monolingual article groups, the nodes of link detection, and their file format.

A group is some articles of one language on one event (or the forms of one name in one language). A file has one record
per group with `id`, `language`, `titles` and `texts`, as JSONL, Parquet or CSV (in which `titles` may be one text).
Languages are written as ISO 639-1 (two letters) and read as ISO 639-3 and tags such as `pt-BR` too.

Features that can be compared across languages: translated words, names, cognates, numbers, dates and places.

Van Gael & Zhu 2007 compare translated words only. Names, numbers, dates and places come from the original text, since a
translator may change them; all scripts are transliterated to Latin letters. Numbers and dates are values: "40 billion",
"40.000 millones" and "40 miljard" are one number; "March 1, 2008" and "1 de marzo de 2008" one date.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Literal

from crossdoc import errors
from crossdoc.compare.vectors import raw_words, stop_words
from crossdoc.lang import pack
from crossdoc.names import fold
from crossdoc.names.forms import heard, skeleton
from crossdoc.names.gazetteer import find_place
from crossdoc.read.clean_text import identify_language, printable
from crossdoc.read.records import Record, read_records

_CODES = tomllib.loads((files(__package__) / "words.toml").read_text("utf-8"))
THREE_LETTERS = dict(pair.split(":") for pair in _CODES["codes"].split())
"""ISO 639-1 → ISO 639-3."""
TRANSLATION_TARGET = "en"
"""Language that all translators translate into."""
_TWO_LETTERS = {three: two for two, three in THREE_LETTERS.items()}
_TWO_LETTERS |= dict(pair.split(":") for pair in _CODES["bibliographic"].split())


def language_code(tag: str) -> str | None:
    """Return the two-letter code of a language (three letters if it has none); None for other tags.

    >>> language_code("en"), language_code("spa"), language_code("pt-BR"), language_code("ceb"), language_code("xx")
    ('en', 'es', 'pt', 'ceb', None)
    """
    first = tag.strip().lower().replace("_", "-").partition("-")[0]
    if first in THREE_LETTERS:
        return first
    if first in _TWO_LETTERS:
        return _TWO_LETTERS[first]
    return first if len(first) == 3 and first.isascii() and first.isalpha() else None


@dataclass(frozen=True, slots=True)
class ArticleGroup:
    r"""Articles of one language that belong together; one title or text may be given as it is.

    Parameters
    ----------
    id : str
        The id of the group.
    language : str
        ISO 639 code of the language.
    titles : tuple[str, ...]
        Titles of the articles.
    texts : tuple[str, ...], default ()
        Their texts.

    Examples
    --------
    >>> ArticleGroup("g1", "eng", ("Airbus wins order", "Qatar buys jets")).text()
    'Airbus wins order\nQatar buys jets'
    """

    id: str
    language: str
    """ISO 639-1; other codes that `language_code` knows are turned into it."""
    titles: tuple[str, ...]
    texts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        code = language_code(self.language)
        if code is None:
            raise errors.unknown_language(self.id, self.language)
        object.__setattr__(self, "language", code)
        for name in ("titles", "texts"):
            given: str | Iterable[str] = getattr(self, name)
            object.__setattr__(self, name, (given,) if isinstance(given, str) else tuple(given))

    def text(self, titles_only: bool = False) -> str:
        """Return the titles and, unless `titles_only`, the texts, one per line."""
        return "\n".join(self.titles if titles_only else (*self.titles, *self.texts))


def read_groups(path: str | Path) -> tuple[list[ArticleGroup], list[str]]:
    """Return the groups of a file and notes for the user; all faults of the file are reported together."""
    identified: list[str] = []
    groups = read_records(path, lambda record: _group(record, identified), "article group")
    notes = []
    if identified:
        shown = ", ".join(identified[:5]) + (" …" if identified[5:] else "")
        notes.append(f"Groups whose language was identified from the text: {len(identified):,} ({shown}).")
    if rare := sorted({group.language for group in groups} - set(THREE_LETTERS)):
        notes.append(f"Languages without a two-letter code, used as written: {', '.join(rare)}.")
    return groups, notes


def _group(record: Record, identified: list[str]) -> ArticleGroup | None:
    id, stated = record.text("id", required=True), record.text("language")
    titles, texts = (_texts(record, name) for name in ("titles", "texts"))
    if not titles and not texts and record.sound:
        record.fault("there is neither a title nor a text")
    if id is None or not record.sound:
        return None
    language = language_code(stated) if stated is not None else identify_language("\n".join((*titles, *texts)))
    if language is None:
        unknown = f"{stated!r} is not a language code (ISO 639-1, such as en or pt)"
        reason = unknown if stated else "the text is too short to identify it"
        record.fault(f"the language is unknown: {reason}")
        return None
    if stated is None:
        identified.append(f"{id}: {language}")
    return ArticleGroup(id, language, titles, texts)


def _texts(record: Record, name: str) -> tuple[str, ...]:
    """Return a list of texts, or one text as a list; empty ones are left out."""
    given = record.fields.get(name)
    listed = given if isinstance(given, list) else [] if given is None else [given]
    if not all(isinstance(text, str) for text in listed):
        record.fault(f"the field {name!r} must be a list of texts")
        return ()
    return tuple(printable(text) for text in listed if text.strip())


Kind = Literal["word", "name", "cognate", "number", "date", "place"]
FEATURE_KINDS: tuple[Kind, ...] = ("word", "name", "cognate", "number", "date", "place")
Features = dict[Kind, Counter[str]]
PIECE_LETTERS = 3
"""Letters. Length of the pieces that cognates share. Chosen on MEANTIME and BSNLP: 3 is better than 4."""
LONGEST_PLACE = 3
"""Words."""

_TOKEN = re.compile(r"[^\W_]+(?:['’.&-][^\W_]+)*")
_SENTENCE_END = re.compile(r"[.!?:]\s|[\n«“\"]")
_NO_SPACES = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]+")
_MONTHS: dict[str, str] = _CODES["months"]
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


def features(text: str, language: str, translation: str | None = None) -> Features:
    """Return the features of a text by kind, with their counts; `translation` is the text in English, if available.

    Without a translation only an English text has words; those of other languages are compared as names and cognates.

    >>> found = features("Boeing liefert 179 Tanker für 40 Milliarden Dollar nach London", "de")
    >>> sorted(found["number"]), sorted(found["place"]), "lndn" in found["name"], found["word"]
    (['179', '4e+10'], ['GB.ENG/london'], True, Counter())
    """
    english = text if language == "en" else translation
    found_dates, rest = dates(text, language)
    return {
        "word": Counter(filter(None, map(fold, words(english, "en")))) if english else Counter(),
        "name": Counter(filter(None, (skeleton(fold(name)) for name in names(text)))),
        "cognate": _cognates(fold(word) for word in words(text, language)),
        "number": Counter(numbers(rest, language)),
        "date": Counter(part for date in found_dates for part in {date, date[-5:]}),
        "place": Counter(places(text, language)),
    }


def words(text: str, language: str) -> list[str]:
    """Return words without stop words; pairs of characters for languages without spaces between words.

    >>> words("De beurs van Amsterdam", "nl"), words("北京大学", "zh")
    (['beurs', 'amsterdam'], ['北京', '京大', '大学'])
    """
    ignored = stop_words(language)
    found = []
    for word in raw_words(text):
        if _NO_SPACES.fullmatch(word):
            found += [word[i : i + 2] for i in range(max(1, len(word) - 1))]
        elif word not in ignored and len(word) > 1:
            found.append(word)
    return found


@lru_cache(maxsize=200_000)
def pieces(word: str) -> tuple[str, ...]:
    """Return the pieces of a folded word that a cognate in another language is likely to share.

    >>> sorted(set(pieces("contrato")) & set(pieces("contract")))
    ['^ko', 'kon', 'ntr', 'ont', 'tra']
    """
    sounds = heard(word)
    if len(sounds) < PIECE_LETTERS:
        return ()
    marked = f"^{sounds}"
    return tuple(marked[i : i + PIECE_LETTERS] for i in range(len(marked) - PIECE_LETTERS + 1))


def _cognates(folded: Iterable[str]) -> Counter[str]:
    """Count the pieces of words, weighted so that a word counts as much as any other feature."""
    found: Counter[str] = Counter()
    for word in folded:
        own = pieces(word)
        for piece in own:
            found[piece] += len(own) ** -0.5  # type: ignore[assignment]
    return found


def names(text: str) -> Iterator[str]:
    """Yield words written like names: with a capital inside a sentence, several capitals, or a digit.

    >>> list(names("Orders for the A380 from Qatar: EADS cheers. Boeing waits"))
    ['A380', 'Qatar', 'EADS']
    """
    begins, position = True, 0
    for match in _TOKEN.finditer(text):
        begins = begins or bool(_SENTENCE_END.search(text, position, match.start()))
        token, position = match[0], match.end()
        capitals = sum(letter.isupper() for letter in token)
        mixed = any(c.isdigit() for c in token) and any(c.isalpha() for c in token)
        if capitals > 1 or mixed or (token[0].isupper() and not begins):
            yield re.sub(r"['’]s?$", "", token)
        begins = False


def places(text: str, language: str) -> Iterator[str]:
    """Yield codes of the places named by runs of capitalised words, the longest name first.

    >>> list(places("La bolsa de Nueva York abre, la de Londres no", "es"))
    ['US.NY/newyork', 'GB.ENG/london']
    """
    tokens = [match[0] for match in _TOKEN.finditer(text)]
    ignored = stop_words(language)
    at = 0
    while at < len(tokens):
        length = 1
        for wanted in range(min(LONGEST_PLACE, len(tokens) - at), 0, -1):
            name = tokens[at : at + wanted]
            if not (name[0][0].isupper() and name[-1][0].isupper()):
                continue
            # "La bolsa" is not in Los Angeles.
            if wanted == 1 and (name[0].lower() in ignored or (len(name[0]) < 3 and not name[0].isupper())):
                continue
            if (place := find_place(" ".join(name))) is not None:
                yield place.chain[0]
                length = wanted
                break
        at += length


def dates(text: str, language: str | None = "en") -> tuple[list[str], str]:
    """Return the dates (`2008-03-01`, or `03-01` without a year) and the text without them.

    >>> dates("Am 1. März 2008 begann es", "de"), dates("On May 24 Boeing")[0]
    ((['2008-03-01'], 'Am   begann es'), ['05-24'])
    """
    found: list[str] = []

    def add_date(day: str, month: int | None, year: str | None, written: str) -> str:
        if month is None or not (1 <= month <= 12 and 1 <= int(day) <= 31):
            return written
        if year and len(year) == 2:
            year = f"20{year}" if int(year) < 50 else f"19{year}"
        found.append(f"{year}-{month:02d}-{int(day):02d}" if year else f"{month:02d}-{int(day):02d}")
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
