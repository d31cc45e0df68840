"""Gazetteer: names of cities, divisions, countries and continents, each with the places that contain it.

Data: GeoNames (CC BY 4.0), by tools/build_places.py; see docs/resources.md. A bare name means its most populous bearer
if that one has most of the people ("Paris" is in France), else nothing ("Springfield"); "Paris, Texas" says which.
"""

from __future__ import annotations

import csv
import gzip
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from crossdoc.lang import DEFAULT, languages, pack
from crossdoc.lang.en import ARTICLE, DIVISIONS_ABBREVIATED, PLACES_ALSO_CALLED
from crossdoc.names.words import fold

LEAST_SHARE = 0.5
"""The share of all people of that name's places that the most populous must have."""
BY_ANOTHER_NAME = 0.1
"""Factor. Weight of a place under a name of another language: "Naples" in Florida has that name in English too."""
LONGEST_NAME = 100
# Two places of these names are spoken of about equally, whatever the number of people.
UNDECIDED = frozenset({"georgia", "congo", "korea"})
_PARENTHESIS = re.compile(r"[(\[]([^)\]]*)[)\]]?")


@dataclass(frozen=True, slots=True)
class Place:
    """A place and what it lies in; what it is not part of, or not known to be, is ''."""

    name: str
    continent: str
    country: str = ""
    division: str = ""
    city: str = ""

    @property
    def chain(self) -> tuple[str, ...]:
        """Its own code and those of what it lies in, smallest first."""
        return tuple(code for code in (self.city, self.division, self.country, self.continent) if code)

    def lies_in(self, other: Place) -> bool:
        """Whether it is a part of another place, and not that place itself."""
        return other.chain[0] in self.chain[1:]


class Gazetteer:
    """Places by code and by folded name; `rows` are code, parent, name, population and other (folded) names."""

    def __init__(self, rows: Iterable[tuple[str, str, str, int, str]]) -> None:
        self.places: dict[str, Place] = {}
        self._weight: dict[str, int] = {}
        self._named: dict[str, dict[str, float]] = defaultdict(dict)
        for code, parent, name, population, others in rows:
            key = fold(name)
            # Rows come most populous first, so that of two cities of one name in one division the larger stays.
            code = code or f"{parent}/{key}"
            if code in self.places:
                continue
            self.places[code] = _place(code, name, self.places.get(parent))
            self._weight[code] = max(population, 1)
            for other in filter(None, others.split("|")):
                self._named[other][code] = BY_ANOTHER_NAME * self._weight[code]
            if key:
                self._named[key][code] = float(self._weight[code])
        self._decided = self._codes(PLACES_ALSO_CALLED)
        self._abbreviated = self._codes(DIVISIONS_ABBREVIATED)
        self._abbreviated |= {code[3:].lower(): code for code in self.places if re.fullmatch(r"US\.[A-Z]{2}", code)}
        self._demonyms: dict[str, str] = {}
        # If two languages share a word, the first has it: "Argentine" is of both.
        for language in sorted(languages(), key=lambda code: (code != DEFAULT, code)):
            self._demonyms = self._codes(pack(language).affiliations.demonyms) | self._demonyms

    def _codes(self, listed: Mapping[str, str]) -> dict[str, str]:
        return {fold(name): code for name, code in listed.items() if code in self.places}

    def candidates(self, name: str) -> list[Place]:
        """All places of a name (without a qualifier), the likeliest first."""
        weights = self._named.get(fold(_bare(name)), {})
        ordered = sorted(weights, key=lambda code: (-weights[code], code))
        return [self.places[code] for code in ordered]

    def find(self, text: str) -> Place | None:
        """The place that a text names, None where there is none, or several and none of them is much larger.

        >>> gazetteer().find("Paris").chain
        ('FR.11/paris', 'FR.11', 'FR', '+EU')
        >>> gazetteer().find("Paris, Tex.").chain, gazetteer().find("Springfield")
        (('US.TX/paris', 'US.TX', 'US', '+NA'), None)
        """
        if len(text) > LONGEST_NAME:
            return None
        bare = _bare(text)
        if (decided := self._decided.get(fold(bare))) is not None:
            return self.places[decided]
        first, *rest = [part for part in map(_bare, _PARENTHESIS.sub(r",\1", bare).split(",")) if fold(part)] or [""]
        if rest:
            return self._within(first, rest)
        # "The Hague" has its article.
        return self._abbreviation(bare) or self._likeliest(fold(first)) or self._likeliest(fold(text))

    def state(self, text: str) -> Place | None:
        """A division of the United States or Canada, written out or abbreviated: "N.Y.", "Mass", "TX", "Texas"."""
        key = fold(text)
        if (code := self._abbreviated.get(key)) is not None:
            return self.places[code]
        return next((place for place in self.candidates(text) if _is_state(place)), None)

    def nation(self, text: str) -> Place | None:
        """The country of a demonym ("French", "Britons") or of the name of a country."""
        key = fold(text)
        code = self._demonyms.get(key) or self._demonyms.get(key.removesuffix("s"))
        if code is not None:
            return self.places[code]
        place = self.find(text)
        return place if place is not None and not place.city else None

    def _abbreviation(self, text: str) -> Place | None:
        """A bare abbreviation counts only if it looks like one: "Miss" and "Wash" are words, "Miss." and "WA" not."""
        code = self._abbreviated.get(fold(text))
        looks = "." in text or (len(text) == 2 and text.isupper())
        return self.places[code] if code is not None and looks else None

    def _likeliest(self, key: str) -> Place | None:
        weights = self._named.get(key, {})
        if not weights or key in UNDECIDED:
            return None
        best = self.places[max(weights, key=lambda code: (weights[code], code))]
        # "New York" is the city rather than the state round it, but "Luxembourg" the country.
        inside = [code for code in weights if self.places[code].city and self.places[code].division == best.chain[0]]
        if best.country in weights:
            best = self.places[best.country]
        elif inside:
            best = self.places[max(inside, key=lambda code: (weights[code], code))]
        here, elsewhere = 0.0, 0.0
        for code, weight in weights.items():
            place = self.places[code]
            if place == best or place.lies_in(best) or best.lies_in(place):
                here = max(here, weight)
            else:
                elsewhere += weight
        return best if here >= LEAST_SHARE * (here + elsewhere) else None

    def _containers(self, text: str) -> list[Place]:
        """Places that a qualifier may mean; an abbreviation is one in any position ("Lafayette, La")."""
        key = fold(text)
        decided = self._abbreviated.get(key) or self._decided.get(key)
        return [self.places[decided]] if decided is not None else self.candidates(text)

    def _within(self, name: str, qualifiers: list[str]) -> Place | None:
        wanted = [{place.chain[0] for place in self._containers(text)} for text in qualifiers]
        fitting = [place for place in self.candidates(name) if all(codes & set(place.chain[1:]) for codes in wanted)]
        if fitting:
            return next((place for place in fitting if place.city), fitting[0])
        # A town too small for the table is still somewhere in Texas.
        region = self.state(qualifiers[0]) if len(qualifiers) == 1 else None
        region = region or self.find(", ".join(qualifiers))
        if region is None or region.city or not region.country:
            return None
        code = f"{region.chain[0]}/{fold(name)}"
        return Place(name, region.continent, region.country, region.division, code)


def _bare(text: str) -> str:
    return ARTICLE.sub("", " ".join(text.split()))


def _is_state(place: Place) -> bool:
    return bool(place.division) and not place.city and place.country in {"US", "CA"}


def _place(code: str, name: str, parent: Place | None) -> Place:
    if parent is None:
        return Place(name, code)
    if "/" in code:
        return Place(name, parent.continent, parent.country, parent.division, code)
    if "." in code:
        return Place(name, parent.continent, parent.country, code)
    return Place(name, parent.continent, code)


@lru_cache(maxsize=100_000)
def find_place(text: str) -> Place | None:
    """`Gazetteer.find` in the gazetteer that comes with crossdoc, remembered."""
    return gazetteer().find(text)


@lru_cache(maxsize=1)
def gazetteer() -> Gazetteer:
    """The gazetteer that comes with crossdoc, read at the first call."""
    packed = (files("crossdoc") / "data" / "places.csv.gz").read_bytes()
    reader = csv.reader(gzip.decompress(packed).decode("utf-8").splitlines())
    next(reader)
    return Gazetteer((code, parent, name, int(people), others) for code, parent, name, people, others in reader)
