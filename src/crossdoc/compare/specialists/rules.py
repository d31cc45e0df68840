"""Party, state and office: rules of the kind of "Senator" ~ "D-N.Y." (Huang et al. 2009, section 3.3)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from crossdoc.compare.specialists import kernels
from crossdoc.compare.specialists.base import Pairs, Scores, Specialist, attribute_rows, meanings
from crossdoc.compare.specialists.coding import Lists, codes_of, lists
from crossdoc.lang.en.descriptors import OF_A_STATE, OFFICES, PARTIES
from crossdoc.lang.geography import STATES, state_named
from crossdoc.model import Profile, Profiles
from crossdoc.names import fold
from crossdoc.names.evidence_types import ATTRIBUTES

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
    return PARTIES.get(folded) or PARTIES.get(folded.removesuffix("s")) or folded


def offices_of(text: str) -> Iterator[str]:
    """
    >>> list(offices_of("former Texas governor and vice president"))
    ['governor', 'vice president']
    """
    lowered = text.lower()
    return (office for pattern, office in OFFICES if pattern.search(lowered))


def _stated(profiles: Profiles, *keys: str) -> Iterator[tuple[int, str]]:
    for key in keys:
        yield from zip(*attribute_rows(profiles, key), strict=True)


def _coded(found: list[tuple[int, str]], n: int) -> Lists:
    kept = [(row, value) for row, value in found if value]
    code = codes_of(value for _, value in kept)
    return lists([row for row, _ in kept], [code[value] for _, value in kept], n)


def _parties(profiles: Profiles) -> list[tuple[int, str]]:
    found = [(row, party_of(text)) for row, text in _stated(profiles, "party")]
    for row, text in _stated(profiles, "descriptor"):
        words = re.findall(r"[a-z]+", text.lower())
        # "rep" before a name is a representative, and "independent" and "conservative" describe more than parties.
        found += [(row, PARTIES[w]) for w in words if PARTIES.get(w) in {"democrat", "republican"} and w != "rep"]
    return found


def _states(profiles: Profiles) -> list[tuple[int, str]]:
    stated = list(_stated(profiles, "state"))
    described = [(row, text) for row, text in _stated(profiles, "descriptor") if any(offices_of(text))]
    found = [(row, fold(state_named(text) or text)) for row, text in stated]
    # The longest first, so that "West Virginia" is not Virginia.
    pattern = re.compile(rf"\b(?:{'|'.join(sorted(STATES, key=len, reverse=True))})\b")
    return found + [(row, fold(state)) for row, text in described for state in pattern.findall(text)]


class Party(Specialist[Lists]):
    """1 for the same party, 0 for different ones; from the attribute and from descriptors.

    >>> parties = ("Democrat", "Democratic", "GOP")
    >>> table = Profiles.of(Profile(party, "d", "Ann", attributes={"party": [party]}) for party in parties)
    >>> Party().score(table, table, [(0, 1), (0, 2)])
    array([1., 0.], dtype=float32)
    """

    name = "party"
    reads_attributes = meanings(ATTRIBUTES, "party", "descriptor")

    def encode(self, profiles: Profiles) -> Lists:
        return _coded(_parties(profiles), len(profiles))

    def compare(self, encoded: Lists, pairs: Pairs) -> Scores:
        return kernels.shared(encoded, pairs, 1.0, 0.0)

    def evidence(self, left: Profile, right: Profile) -> str:
        return _both(left, right, "party")


class State(Specialist[Lists]):
    """1 for the same state, 0 for different ones; "N.Y." is New York, and so is a "senator from New York".

    >>> table = Profiles.of([Profile("1", "d", "Ann", attributes={"state": ["N.Y."]}),
    ...     Profile("2", "d", "Ann", attributes={"descriptor": ["senator from New York"]})])
    >>> State().score(table, table, [(0, 1)])
    array([1.], dtype=float32)
    """

    name = "state"
    reads_attributes = meanings(ATTRIBUTES, "state", "descriptor")

    def encode(self, profiles: Profiles) -> Lists:
        return _coded(_states(profiles), len(profiles))

    def compare(self, encoded: Lists, pairs: Pairs) -> Scores:
        return kernels.shared(encoded, pairs, 1.0, 0.0)

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
        bit = {office: np.uint16(1 << number) for number, (_, office) in enumerate(OFFICES)}
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
        of_a_state = np.uint16(sum(1 << n for n, (_, office) in enumerate(OFFICES) if office in OF_A_STATE))
        written = encoded.party_and_state
        for mine, theirs, other in ((a, b, pairs[:, 1]), (b, a, pairs[:, 0])):
            out[((mine & of_a_state) > 0) & (theirs == 0) & written[other]] = PARTY_AND_STATE
        return out

    def evidence(self, left: Profile, right: Profile) -> str:
        return _both(left, right, "title", "descriptor", "state")


def _both(left: Profile, right: Profile, *keys: str) -> str:
    values = [", ".join(v for key in keys for v in profile.attributes.get(key, [])) for profile in (left, right)]
    return " / ".join(values) if all(values) else ""
