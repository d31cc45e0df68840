"""Features that can be compared across languages: translated words, names, cognates, numbers, dates and places.

Van Gael & Zhu 2007 compare translated words only. Names, numbers, dates and places come from the original text, since a
translator may change them; all scripts are transliterated to Latin letters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Literal

from crossdoc.compare.vectors import raw_words, stop_words
from crossdoc.crosslingual.quantities import dates, numbers
from crossdoc.names import fold
from crossdoc.names.forms import heard, skeleton
from crossdoc.names.gazetteer import find_place

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
