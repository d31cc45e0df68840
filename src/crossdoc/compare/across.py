"""Profiles in several languages: their names in one form, and which pairs are in two languages.

Contexts in two languages share few words, so a low similarity is no evidence against a pair. Shared words, mostly
names, still count for it. The background is therefore measured between profiles of one language.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from crossdoc.compare.vectors import stop_words
from crossdoc.lang import DEFAULT
from crossdoc.model import Profiles
from crossdoc.names.forms import full_forms, in_one_form
from crossdoc.names.words import in_singular

LEAST_SHARE = 0.02
"""Share of profiles. A rarer language is ignored, because guesses from a few texts are often wrong."""
UNKNOWN = -1
SHORT_TITLES = {"fr": {"M.": "Monsieur", "MM.": "Monsieur"}}
"""Abbreviated titles, by language, that would be read as initials in English."""

Codes = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


class Languages:
    """Languages of the profiles of a collection, as far as they are known and not rare.

    >>> from crossdoc.model import Profile
    >>> people = Profiles.of(Profile(str(i), "d", "Ann", language=code) for i, code in enumerate(["en", "fr", None]))
    >>> found = Languages(people)
    >>> found.several, found.of(people).tolist()
    (True, [0, 1, -1])
    """

    def __init__(self, profiles: Profiles) -> None:
        counts = Counter(code for code in profiles.column("language").to_pylist() if code)
        least = LEAST_SHARE * len(profiles)
        self._profiles = profiles
        self._code = {language: code for code, language in enumerate(sorted(counts)) if counts[language] >= least}

    @property
    def several(self) -> bool:
        return len(self._code) > 1

    def of(self, profiles: Profiles) -> Codes:
        """Return the number of each profile's language; −1 if it is unknown."""
        languages = profiles.column("language").to_pylist()
        return np.array([self._code.get(language, UNKNOWN) for language in languages], dtype=np.int64)

    def named(self, profiles: Profiles) -> Profiles:
        """Return profiles of the collection with the names that they are compared by.

        Names of several languages get one form, nouns among names without a type the singular, and people's names are
        written out.
        """
        if not self._compared_as:
            return profiles
        names = zip(profiles.ids, profiles.column("name").to_pylist(), strict=True)
        formed = pa.array([self._compared_as.get(id, name) for id, name in names], pa.string())
        return Profiles(profiles.arrow.set_column(profiles.arrow.column_names.index("name"), "name", formed))

    @property
    def changes_names(self) -> bool:
        """Whether any profile is compared by another name than its own."""
        return bool(self._compared_as)

    @cached_property
    def _compared_as(self) -> dict[str, str]:
        """Names under which profiles are compared, by profile, if they differ from their own."""
        translated = bool(set(self._code) - {DEFAULT})
        names, types, languages = (self._profiles.column(column).to_pylist() for column in ("name", "type", "language"))
        formed = [(name or "") if type else in_singular(name or "") for name, type in zip(names, types, strict=True)]
        if translated:
            known = [language if language in self._code else None for language in languages]
            bare = [_in_english(name, *rest) for name, *rest in zip(formed, known, types, strict=True)]
            formed = in_one_form(bare, known, types)
        personal = [type in (None, "person") for type in types]
        full = full_forms(Counter(name for name, own in zip(formed, personal, strict=True) if own))
        formed = [full.get(name, name) if own else name for name, own in zip(formed, personal, strict=True)]
        return {id: new for id, old, new in zip(self._profiles.ids, names, formed, strict=True) if new != (old or "")}


def _in_english(name: str, language: str | None, type: str | None) -> str:
    """Return a person's name with its title written out, any other without the small words before it.

    >>> _in_english("los Estados Unidos", "es", "place"), _in_english("la Fontaine", "fr", "person")
    ('Estados Unidos', 'la Fontaine')
    >>> _in_english("M. Ador", "fr", "person"), _in_english("M. Ador", "en", "person")
    ('Monsieur Ador', 'M. Ador')
    """
    words = name.split()
    if language in (None, DEFAULT) or len(words) < 2:
        return name
    if type in (None, "person"):
        title = SHORT_TITLES.get(language, {}).get(words[0])
        return " ".join([title, *words[1:]]) if title else name
    while len(words) > 1 and words[0] in stop_words(language):
        del words[0]
    return " ".join(words)


def differ(left: Codes, right: Codes) -> Bools:
    """Return which pairs are known to be in two languages."""
    return (left != right) & (left != UNKNOWN) & (right != UNKNOWN)


def never_against(odds: npt.NDArray[np.float32], across: Bools) -> npt.NDArray[np.float32]:
    """Set negative context odds of pairs in two languages to 0.

    >>> never_against(np.array([-1.0, -1.0, 2.0], dtype=np.float32), np.array([True, False, True])).tolist()
    [0.0, -1.0, 2.0]
    """
    return np.maximum(odds, np.float32(0.0), out=odds, where=across)
