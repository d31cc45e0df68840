"""A small answer: three identities in two documents, with everything that can go wrong in a name or an id."""

import pytest

from crossdoc.model import Appearance, Identity


@pytest.fixture
def identities() -> list[Identity]:
    return [
        Identity("d/1 :0:3", "Ann <Lee>", "person", 'a "pilot" & more', {"Ann <Lee>": 2, "A. Lee": 1}, 2, 3, "1996",
                 "1997", 0.912345, known="Q42", known_probability=0.9),
        Identity("o1", "Acme\x01 Ltd.", "organisation", "", {"Acme\x01 Ltd.": 1}, 1, 1, None, None, 1.0, known="acme"),
        Identity("p:ü", "Zürich", "place", "", {"Zürich": 1}, 1, 1, None, None, 1.0,
                 known="https://example.org/zurich"),
        Identity("u1", "It", None, "", {"It": 1}, 1, 1, None, None, 1.0),
    ]  # fmt: skip


@pytest.fixture
def documents() -> list[dict[str, str | None]]:
    return [{"id": "d/1 ", "title": "A day", "date": "1996-01-14"}, {"id": "d2", "title": None, "date": None}]


@pytest.fixture
def appearances() -> list[Appearance]:
    return [
        Appearance("d/1 :0:3", "d/1 ", ["A. Lee", "Ann <Lee>"]),
        Appearance("o1", "d/1 ", ["Acme\x01 Ltd."]),
        Appearance("p:ü", "d/1 ", ["Zürich"]),
        Appearance("d/1 :0:3", "d2", ["Ann <Lee>"]),
    ]
