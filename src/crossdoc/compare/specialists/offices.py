"""Contradicting titles: a monarch's name and a surname, a monarch and a president, offices of two countries.

"King Hussein" is not Saddam Hussein, and a president of Syria is not a president of Egypt. Offices of one country do
not contradict each other, because senators become presidents.

Party, state and office: rules of the kind of "Senator" ~ "D-N.Y." (Huang et al. 2009, section 3.3).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from crossdoc.compare.specialists import kernels
from crossdoc.compare.specialists.base import (
    Pairs,
    Scores,
    SharedValues,
    SparseRows,
    Specialist,
    attribute_rows,
    codes_of,
    lists,
    meanings,
    related,
)
from crossdoc.lang import en
from crossdoc.model import Profile, Profiles
from crossdoc.names import fold, parse_person
from crossdoc.names.evidence_types import ATTRIBUTES, RELATIONS
from crossdoc.names.gazetteer import gazetteer

OTHER_OFFICE = 0.25
"""Score for two different offices. It is above 0, since senators become presidents."""
PARTY_AND_STATE = 0.75
"""Score for a senator and "D-N.Y.": the form is specific to such offices, but hundreds of people hold them."""


def party_of(text: str) -> str:
    """
    >>> party_of("Democrats"), party_of("GOP"), party_of("Likud Party")
    ('democrat', 'republican', 'likud')
    """
    folded = fold(re.sub(r"\bparty\b", "", text, flags=re.IGNORECASE))
    return en.PARTIES.get(folded) or en.PARTIES.get(folded.removesuffix("s")) or folded


def offices_of(text: str) -> Iterator[str]:
    """
    >>> list(offices_of("former Texas governor and vice president"))
    ['governor', 'vice president']
    """
    lowered = text.lower()
    return (office for pattern, office in en.OFFICES if pattern.search(lowered))


def _stated(profiles: Profiles, *keys: str) -> Iterator[tuple[int, str]]:
    for key in keys:
        yield from zip(*attribute_rows(profiles, key), strict=True)


# The longest first, so that "West Virginia" is not Virginia.
_STATE = re.compile(rf"\b(?:{'|'.join(sorted(en.STATES, key=len, reverse=True))})\b")


class Party(SharedValues):
    """1 for the same party, 0 for different ones; from the attribute and from descriptors.

    >>> parties = ("Democrat", "Democratic", "GOP")
    >>> table = Profiles.of(Profile(party, "d", "Ann", attributes={"party": [party]}) for party in parties)
    >>> Party().score(table, table, [(0, 1), (0, 2)])
    array([1., 0.], dtype=float32)
    """

    name = "party"
    reads_attributes = meanings(ATTRIBUTES, "party", "descriptor")

    def values(self, profiles: Profiles) -> Iterator[tuple[int, str]]:
        for row, text in _stated(profiles, "party"):
            yield row, party_of(text)
        for row, text in _stated(profiles, "descriptor"):
            # "rep" before a name is a representative, and "independent" and "conservative" describe more than parties.
            parties = [en.PARTIES.get(word) for word in re.findall(r"[a-z]+", text.lower()) if word != "rep"]
            yield from ((row, party) for party in parties if party in ("democrat", "republican"))

    def evidence(self, left: Profile, right: Profile) -> str:
        return _both(left, right, "party")


class State(SharedValues):
    """1 for the same state, 0 for different ones; "N.Y." is New York, and so is a "senator from New York".

    >>> table = Profiles.of([Profile("1", "d", "Ann", attributes={"state": ["N.Y."]}),
    ...     Profile("2", "d", "Ann", attributes={"descriptor": ["senator from New York"]})])
    >>> State().score(table, table, [(0, 1)])
    array([1.], dtype=float32)
    """

    name = "state"
    reads_attributes = meanings(ATTRIBUTES, "state", "descriptor")

    def values(self, profiles: Profiles) -> Iterator[tuple[int, str]]:
        for row, text in _stated(profiles, "state"):
            yield row, fold(en.state_named(text) or text)
        for row, text in _stated(profiles, "descriptor"):
            if any(offices_of(text)):
                yield from ((row, fold(state)) for state in _STATE.findall(text))

    def evidence(self, left: Profile, right: Profile) -> str:
        return _both(left, right, "state")


class Offices(NamedTuple):
    held: npt.NDArray[np.uint16]
    """A bit for each office."""
    party_and_state: npt.NDArray[np.bool_]


class Office(Specialist[Offices]):
    """1 for the same public office, .25 for different ones, .75 for one of a state's offices and "D-N.Y.".

    >>> table = Profiles.of([Profile("1", "d", "Ann", attributes={"title": ["sen"]}),
    ...     Profile("2", "d", "Ann", attributes={"party": ["Democrat"], "state": ["N.Y."]}),
    ...     Profile("3", "d", "Ann", attributes={"descriptor": ["mayor of Boston"]})])
    >>> Office().score(table, table, [(0, 0), (0, 1), (0, 2), (1, 2)]).tolist()
    [1.0, 0.75, 0.25, nan]
    """

    name = "office"
    reads_attributes = meanings(ATTRIBUTES, "title", "descriptor", "party", "state")

    def encode(self, profiles: Profiles) -> Offices:
        bit = {office: np.uint16(1 << number) for number, (_, office) in enumerate(en.OFFICES)}
        held = np.zeros(len(profiles), dtype=np.uint16)
        for row, text in _stated(profiles, "title", "descriptor"):
            for office in offices_of(text):
                held[row] |= bit[office]
        has_party, has_state = (np.zeros(len(profiles), dtype=bool) for _ in range(2))
        has_party[[row for row, _ in _stated(profiles, "party")]] = True
        has_state[[row for row, _ in _stated(profiles, "state")]] = True
        return Offices(held, has_party & has_state)

    def compare(self, encoded: Offices, pairs: Pairs) -> Scores:
        a, b = encoded.held[pairs[:, 0]], encoded.held[pairs[:, 1]]
        out = np.full(len(pairs), np.nan, dtype=np.float32)
        both = (a > 0) & (b > 0)
        out[both] = np.where(a[both] & b[both], 1.0, OTHER_OFFICE)
        of_a_state = np.uint16(sum(1 << n for n, (_, office) in enumerate(en.OFFICES) if office in en.OF_A_STATE))
        written = encoded.party_and_state
        for mine, theirs, other in ((a, b, pairs[:, 1]), (b, a, pairs[:, 0])):
            out[((mine & of_a_state) > 0) & (theirs == 0) & written[other]] = PARTY_AND_STATE
        return out

    def evidence(self, left: Profile, right: Profile) -> str:
        return _both(left, right, "title", "descriptor", "state")


def _both(left: Profile, right: Profile, *keys: str) -> str:
    values = [", ".join(v for key in keys for v in profile.attributes.get(key, [])) for profile in (left, right)]
    return " / ".join(values) if all(values) else ""


MONARCHS = en.LANGUAGE.titles.monarchs
TWO_COUNTRIES, MONARCH_AND_OFFICE = 0.35, 0.2
"""Scores; the default model turns them into log odds of −3.9 and −4.8, and a monarch's name (score 0) into −6.

Chosen on six FRUS volumes and AIDA's training part: −3.9, −4.9 and −6.4 there (experiments/title_evidence.py). The same
office in two countries has score 0, too: that takes back the 2 that the fact `office` adds for the same office."""
BESIDE = 80
"""Characters on each side of a name in which its title is searched."""
_HOLDERS = rf"{en.OF_A_COUNTRY}|{'|'.join(sorted(MONARCHS))}"
_OFFICE = rf"(?i:(?:(?:{en.OFFICE_MODIFIERS})[ -])*\b(?P<office>{_HOLDERS}))\b"
_COURTESY = rf"(?i:\b(?:{'|'.join(sorted(en.COURTESIES))})\.? )"
_CAPITALISED = r"(?:(?:[A-Z]\.)+|[A-Z][\w-]*)"
_WORD = rf"(?!(?i:{en.OFFICE_MODIFIERS}|{_HOLDERS})\b){_CAPITALISED}"
_COUNTRY_BEFORE = rf"(?:(?P<before>{_WORD}(?: {_WORD}){{0,2}})(?:['’]s)? )?"
_COUNTRY_AFTER = rf" of (?:the )?(?P<after>{_CAPITALISED}(?: {_CAPITALISED}){{0,2}})"
_MENTIONED = re.compile(rf"\b(?:{_HOLDERS})\b", re.IGNORECASE)
_MARK = "\0"
"""Placeholder of a name in a text."""
_STATEMENTS = tuple(
    re.compile(pattern)
    for pattern in (
        # "Egyptian President Sadat", "President Sadat of Egypt"; "the Egyptian President, Sadat" may be a list
        rf"{_COUNTRY_BEFORE}{_OFFICE} {_COURTESY}?{_MARK}(?!\w)(?:{_COUNTRY_AFTER})?",
        # "President of Egypt Sadat"
        rf"{_OFFICE}{_COUNTRY_AFTER} {_COURTESY}?{_MARK}(?!\w)",
        # "Sadat, the President of Egypt", "Mr. Sadat (Egypt's president)", but not "Ann Sadat, the President"
        rf"(?:^|[^\w\s.]\s*|\n|\b[a-z]\w* |{_COURTESY}|(?i:\b{_HOLDERS}) ){_MARK}(?:,| \() ?(?:the )?"
        rf"{_COUNTRY_BEFORE}{_OFFICE}(?:{_COUNTRY_AFTER})?",
    )
)
_DESCRIPTION = re.compile(rf"{_COUNTRY_BEFORE}{_OFFICE}(?:{_COUNTRY_AFTER})?")


class EncodedTitles(NamedTuple):
    countries: SparseRows
    """The countries in which a profile holds an office or reigns, as numbers."""
    offices: npt.NDArray[np.uint16]
    """A bit for each office that the fact `office` compares."""
    reigns: npt.NDArray[np.bool_]
    """Profiles with the title of a monarch and no other office."""
    governs: npt.NDArray[np.bool_]
    """Profiles with another office of a country and no title of a monarch; none if no profile has such a title."""
    regnal: npt.NDArray[np.int32]
    """The only name of a monarch or pope as a number, 0 for other people."""
    surname: npt.NDArray[np.int32]
    """The surname of a person with a first name and without such a title, by the same numbers; 0 if no monarch's."""


class TitleContradictions(Specialist[EncodedTitles]):
    """At most .35 if titles contradict each other; abstains on other pairs.

    >>> people = [Profile("1", "d", "King Hussein", "person"), Profile("2", "d", "Saddam Hussein", "person"),
    ...     Profile("3", "d", "Assad", "person", "Talks with President Assad of Syria ended."),
    ...     Profile("4", "d", "Assad", "person", attributes={"descriptor": ["Egyptian foreign minister"]}),
    ...     Profile("5", "d", "Assad", "person", attributes={"descriptor": ["Syrian foreign minister"]})]
    >>> TitleContradictions().score(Profiles.of(people), Profiles.of(people), [(0, 1), (2, 3), (2, 4), (1, 2)])
    array([0.  , 0.35,  nan,  nan], dtype=float32)
    """

    name = "title"
    reads_attributes = meanings(ATTRIBUTES, "title", "descriptor", "nationality")
    reads_relations = meanings(RELATIONS, "employment")
    reads_text = True

    def encode(self, profiles: Profiles) -> EncodedTitles:
        n = len(profiles)
        held: list[tuple[int, str, str]] = list(_held(profiles))
        monarchs = {row for row, office, _ in held if office in MONARCHS}
        others = {row for row, office, _ in held if office not in MONARCHS}
        reigns, governs = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
        reigns[list(monarchs - others)] = True
        governs[list(others - monarchs)] = reigns.any()
        stated = [(row, country) for row, _, country in held if country]
        code = codes_of(country for _, country in stated)
        countries = lists([row for row, _ in stated], [code[country] for _, country in stated], n)
        offices = Office().encode(profiles).held
        return EncodedTitles(countries, offices, reigns, governs, *_names_of_monarchs(profiles, monarchs))

    def speaking(self, encoded: EncodedTitles) -> npt.NDArray[np.bool_]:
        states_country = np.diff(encoded.countries.start) > 0
        return states_country | encoded.reigns | encoded.governs | (encoded.regnal > 0) | (encoded.surname > 0)

    def compare(self, encoded: EncodedTitles, pairs: Pairs) -> Scores:
        out = np.full(len(pairs), np.nan, dtype=np.float32)
        one_country = kernels.shared(encoded.countries, pairs, 1.0, 0.0)
        same_office = (encoded.offices[pairs[:, 0]] & encoded.offices[pairs[:, 1]]) > 0
        out[one_country == 0.0] = TWO_COUNTRIES
        reigns, governs = encoded.reigns[pairs], encoded.governs[pairs]
        out[(reigns & governs[:, ::-1]).any(axis=1) & (one_country != 1.0)] = MONARCH_AND_OFFICE
        out[(one_country == 0.0) & same_office] = 0.0
        regnal, surname = encoded.regnal[pairs], encoded.surname[pairs]
        out[((regnal > 0) & (regnal == surname[:, ::-1])).any(axis=1)] = 0.0
        return out

    def evidence(self, left: Profile, right: Profile) -> str:
        sides = []
        for profile in (left, right):
            titles = dict.fromkeys(
                f"{office} ({country})" if country else office for _, office, country in _held(Profiles.of([profile]))
            )
            sides.append(", ".join([profile.name, *titles]))
        return " / ".join(sides)


def _held(profiles: Profiles) -> Iterator[tuple[int, str, str]]:
    """Yield row, office and country ('' if none is stated) of each office that a profile states."""
    titled: dict[int, str] = {}
    for row, text in zip(*attribute_rows(profiles, "title"), strict=True):
        if match := re.fullmatch(_HOLDERS, fold(text)):
            titled[row] = match[0]
            yield row, match[0], ""
    described = [(row, text) for row, text in zip(*attribute_rows(profiles, "descriptor"), strict=True)]
    for row, relations in enumerate(related(profiles, "employment")):
        described += [(row, f"{type.partition(':')[2]} of {name}") for type, name in relations]
    for row, text in described:
        for match in _DESCRIPTION.finditer(text):
            titled.setdefault(row, match["office"].lower())
            yield _read(row, match)
    for row, text in zip(*attribute_rows(profiles, "nationality"), strict=True):
        if row in titled:
            yield row, titled[row], _country(text)
    yield from _held_in_text(profiles)


def _held_in_text(profiles: Profiles) -> Iterator[tuple[int, str, str]]:
    """Yield the same fields from the names themselves and the words around them."""
    columns = [profiles.column(column) for column in ("name", "context")]
    mentioned = [pc.match_substring_regex(column, _MENTIONED.pattern, ignore_case=True) for column in columns]
    people = pc.fill_null(pc.equal(profiles.column("type"), "person"), True)
    rows = np.flatnonzero(pc.and_(people, pc.or_(*(pc.fill_null(each, False) for each in mentioned))))
    for row, name, context in zip(rows.tolist(), *(column.take(rows).to_pylist() for column in columns), strict=True):
        bare = re.sub(rf"^(?:{_OFFICE} |{_COURTESY})", "", name or "")
        if len(bare) > 1:
            pieces = f"{context or ''}\n{name}".split(bare)
            for left, right in pairwise(pieces):
                beside = left[-BESIDE:] + _MARK + right[:BESIDE]
                if _MENTIONED.search(beside):
                    yield from (_read(row, match) for pattern in _STATEMENTS if (match := pattern.search(beside)))


def _read(row: int, match: re.Match[str]) -> tuple[int, str, str]:
    stated = match.groupdict()
    before, after = ((stated.get(side) or "").split() for side in ("before", "after"))
    # "But Egyptian President …", "the President of Iraq Saddam Hussein"
    texts = [after[:last] for last in range(len(after), 0, -1)] + [before[first:] for first in range(len(before))]
    return row, match["office"].lower(), next(filter(None, (_country(" ".join(words)) for words in texts)), "")


@lru_cache(maxsize=10_000)
def _country(text: str) -> str:
    """Return the code of the country that a text names, '' if none.

    >>> [_country(text) for text in ("Egypt", "Egyptian", "Soviet", "South Korean", "England", "Acme")]
    ['EG', 'EG', 'RU', 'KR', 'GB', '']
    """
    place = gazetteer().nation(en.FORMER_COUNTRIES.get(text, text))
    return "" if place is None else place.country


def _names_of_monarchs(profiles: Profiles, monarchs: set[int]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """The columns `regnal` and `surname` of `EncodedTitles`."""
    numbers: dict[str, int] = {}
    regnal, surname = (np.zeros(len(profiles), dtype=np.int32) for _ in range(2))
    for row, name in enumerate(profiles.column("name").to_pylist() if monarchs else ()):
        parsed = parse_person(name or "")
        number = numbers.setdefault(parsed.last, len(numbers) + 1) if parsed.last else 0
        if row in monarchs:
            regnal[row] = 0 if parsed.first else number
        elif parsed.first:
            surname[row] = number
    surname[~np.isin(surname, regnal[regnal > 0])] = 0
    return regnal, surname
