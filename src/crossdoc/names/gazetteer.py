"""Where a place is: a name looked up as a city, division, country or continent, with all that it lies in.

Data: GeoNames (CC BY 4.0), by tools/build_places.py; see docs/resources.md. A bare name means its most populous bearer
if that one has most of the people ("Paris" is in France), else nothing ("Springfield"); "Paris, Texas" says which.
"""

from __future__ import annotations

import csv
import gzip
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from crossdoc.names.words import fold

SURE = 0.5
"""The share of all people of that name's places that the most populous must have."""
BY_ANOTHER_NAME = 0.1
"""What a place weighs under a name of another language: "Naples" in Florida has that name in English too."""
LONGEST_NAME = 100
# Two places of these names are spoken of about equally, whatever the number of people.
UNDECIDED = frozenset({"georgia", "congo", "korea"})
DIVISIONS_ABBREVIATED = """US.AL ala; US.AZ ariz; US.AR ark; US.CA calif cal; US.CO colo; US.CT conn; US.DE del; US.FL
fla; US.GA ga; US.ID ida; US.IL ill; US.IN ind; US.KS kan kans; US.KY ky; US.LA la; US.ME me; US.MD md; US.MA mass;
US.MI mich; US.MN minn; US.MS miss; US.MO mo; US.MT mont; US.NE neb nebr; US.NV nev; US.NH nh; US.NJ nj; US.NM nm nmex;
US.NY ny; US.NC nc; US.ND nd ndak; US.OK okla; US.OR ore oreg; US.PA pa penn penna; US.RI ri; US.SC sc; US.SD sd sdak;
US.TN tenn; US.TX tex; US.VT vt; US.VA va; US.WA wash; US.WV wva; US.WI wis wisc; US.WY wyo; US.DC dc; CA.01 alta;
CA.02 bc; CA.03 man; CA.04 nb; CA.05 nfld; CA.07 ns; CA.08 ont; CA.09 pei; CA.10 que; CA.11 sask"""
ALSO_CALLED = """US us usa america unitedstates unitedstatesofamerica; GB uk britain greatbritain; AE uae; CN prc; NL
holland; MM burma; CZ czechia czechrepublic; BA bosnia; KR southkorea; KP northkorea; CI cotedivoire; SZ swaziland; MK
macedonia; RU russianfederation; PS palestinianterritories westbank; US.DC/washingtondc washington washingtondc;
US.CA/losangeles la; US.NY/newyork nyc newyorkcity"""
# What people of a country are called, as adjective and noun; a plural loses its s.
DEMONYMS = """+AF African; +AS Asian; +EU European; +SA South-American; AD Andorran; AE Emirati; AF Afghan Afghani; AL
Albanian; AM Armenian; AO Angolan; AR Argentine Argentinian; AT Austrian; AU Australian Aussie; AZ Azerbaijani Azeri;
BA Bosnian; BB Barbadian Bajan; BD Bangladeshi; BE Belgian; BF Burkinabe; BG Bulgarian; BH Bahraini; BI Burundian; BJ
Beninese; BM Bermudian; BN Bruneian; BO Bolivian; BR Brazilian; BS Bahamian; BT Bhutanese; BW Botswanan Motswana; BY
Belarusian Byelorussian; BZ Belizean; CA Canadian; CF Central-African; CH Swiss; CI Ivorian; CL Chilean; CM
Cameroonian; CN Chinese; CO Colombian; CR Costa-Rican; CU Cuban; CV Cape-Verdean; CY Cypriot; CZ Czech; DE German; DJ
Djiboutian; DK Danish Dane; DO Dominican; DZ Algerian; EC Ecuadorian Ecuadorean; EE Estonian; EG Egyptian; ER Eritrean;
ES Spanish Spaniard; ET Ethiopian; FI Finnish Finn; FJ Fijian; FR French Frenchman Frenchwoman Frenchmen; GA Gabonese;
GB British Briton Brit; GB.ENG English Englishman Englishwoman Englishmen; GB.NIR Northern-Irish; GB.SCT Scottish Scot
Scotsman Scots; GB.WLS Welsh Welshman; GE Georgian; GH Ghanaian; GL Greenlandic Greenlander; GM Gambian; GN Guinean; GR
Greek; GT Guatemalan; GY Guyanese; HN Honduran; HR Croatian Croat; HT Haitian; HU Hungarian; ID Indonesian; IE Irish
Irishman Irishwoman Irishmen; IL Israeli; IN Indian; IQ Iraqi; IR Iranian Persian; IS Icelandic Icelander; IT Italian;
JM Jamaican; JO Jordanian; JP Japanese; KE Kenyan; KG Kyrgyz; KH Cambodian; KP North-Korean; KR South-Korean; KW
Kuwaiti; KZ Kazakh Kazakhstani; LA Laotian Lao; LB Lebanese; LI Liechtensteiner; LK Sri-Lankan; LR Liberian; LS
Basotho; LT Lithuanian; LU Luxembourger; LV Latvian; LY Libyan; MA Moroccan; MC Monegasque; MD Moldovan; ME
Montenegrin; MG Malagasy; MK Macedonian; ML Malian; MM Burmese; MN Mongolian; MR Mauritanian; MT Maltese; MU Mauritian;
MV Maldivian; MW Malawian; MX Mexican; MY Malaysian; MZ Mozambican; NA Namibian; NE Nigerien; NG Nigerian; NI
Nicaraguan; NL Dutch Dutchman Dutchwoman Dutchmen; NO Norwegian; NP Nepalese Nepali; NZ New-Zealander Kiwi; OM Omani;
PA Panamanian; PE Peruvian; PG Papuan; PH Filipino Filipina Philippine; PK Pakistani; PL Polish Pole; PR Puerto-Rican;
PS Palestinian; PT Portuguese; PY Paraguayan; QA Qatari; RO Romanian; RS Serbian Serb; RU Russian; RW Rwandan; SA Saudi
Saudi-Arabian; SC Seychellois; SD Sudanese; SE Swedish Swede; SG Singaporean; SI Slovenian Slovene; SK Slovak
Slovakian; SL Sierra-Leonean; SN Senegalese; SO Somali Somalian; SR Surinamese; SS South-Sudanese; SV Salvadoran
Salvadorean; SY Syrian; SZ Swazi; TD Chadian; TG Togolese; TH Thai; TJ Tajik; TL Timorese; TM Turkmen; TN Tunisian; TR
Turkish Turk; TT Trinidadian; TW Taiwanese; TZ Tanzanian; UA Ukrainian; UG Ugandan; US American; UY Uruguayan; UZ
Uzbek; VA Vatican; VE Venezuelan; VN Vietnamese; XK Kosovar; YE Yemeni; ZA South-African; ZM Zambian; ZW Zimbabwean"""

_PARENTHESIS = re.compile(r"[(\[]([^)\]]*)[)\]]?")
_ARTICLE = re.compile(r"^the\s+|['’]s?$", re.IGNORECASE)


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


def _listed(table: str) -> Iterator[tuple[str, str]]:
    for entry in table.split(";"):
        code, *names = entry.split()
        yield from ((fold(name), code) for name in names)


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
        self._decided = {key: code for key, code in _listed(ALSO_CALLED) if code in self.places}
        self._abbreviated = {key: code for key, code in _listed(DIVISIONS_ABBREVIATED) if code in self.places}
        self._abbreviated |= {code[3:].lower(): code for code in self.places if re.fullmatch(r"US\.[A-Z]{2}", code)}
        self._demonyms = {key: code for key, code in _listed(DEMONYMS) if code in self.places}

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
        """Whose citizen someone is, said by demonym ("French", "Britons") or by the name of a country."""
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
        return best if here >= SURE * (here + elsewhere) else None

    def _containers(self, text: str) -> list[Place]:
        """What a qualifier may mean; an abbreviation is one wherever it stands ("Lafayette, La")."""
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
    return _ARTICLE.sub("", " ".join(text.split()))


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
