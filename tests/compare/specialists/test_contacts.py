"""Contact details: one in common, in any spelling or as a hash."""

from __future__ import annotations

import numpy as np
import pytest

from crossdoc.compare.specialists import Contacts
from crossdoc.model import Profile, Profiles

Said = dict[str, list[str]]
HASH = "0123456789abcdef0123456789abcdef"


def shared(a: Said, b: Said) -> bool:
    table = Profiles.of([Profile("1", "d", "Ann", attributes=a), Profile("2", "d", "Ann", attributes=b)])
    found = Contacts().score(table, table, [(0, 1), (1, 0)])
    assert found[0] == found[1] == 1.0 or np.isnan(found).all()
    return bool(found[0] == 1.0)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ({"email": ["ann@example.org"]}, {"email": ["bo@example.org", "Ann@Example.ORG "]}),
        ({"phone": ["(212) 555-0100"]}, {"phone": ["+1 212 555 0100"]}),
        ({"phone": ["(212) 555-0100"]}, {"phone": ["12125550100"]}),
        ({"url": ["http://www.example.org/ann/"]}, {"url": ["example.org/ann"]}),
        ({"email": [HASH]}, {"email": [HASH]}),
    ],
)
def test_shared(a: Said, b: Said) -> None:
    assert shared(a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ({"email": ["ann@example.org"]}, {"email": ["bo@example.org"]}),
        ({"email": [HASH]}, {"phone": [HASH]}),
        ({"email": [""]}, {"email": [" "]}),
        ({"url": []}, {}),
    ],
)
def test_no_opinion(a: Said, b: Said) -> None:
    assert not shared(a, b)


def test_the_evidence_does_not_show_the_detail() -> None:
    ann = Profile("1", "d", "Ann", attributes={"email": ["ann@example.org"]})
    assert Contacts().evidence(ann, ann) == "the same email"
