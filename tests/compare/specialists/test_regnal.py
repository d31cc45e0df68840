"""Monarchs, who are called by their first names, and people of that surname."""

import numpy as np

import crossdoc
from crossdoc.compare.specialists.regnal import RegnalName
from crossdoc.model import Document, Profile, Profiles


def person(number: int, name: str, title: str = "") -> Profile:
    attributes = {"last": [name.split()[-1].lower()]} | ({"title": [title]} if title else {})
    return Profile(str(number), "d", name, "person", attributes=attributes)


def test_a_monarchs_only_name_speaks_against_a_surname_and_nothing_else() -> None:
    people = Profiles.of(
        [
            person(0, "King Hussein", "king"),
            person(1, "Hussein", "King"),
            person(2, "Saddam Hussein", "president"),
            person(3, "Hussein"),
            person(4, "King Hassan", "king"),
            person(5, "Hussein Onn"),
            person(6, "King Hussein Talal", "king"),
        ]
    )
    pairs = [(0, 2), (2, 1), (0, 1), (0, 3), (4, 2), (0, 5), (6, 2)]
    scores = RegnalName().score(people, people, pairs)
    assert scores[:2].tolist() == [0.0, 0.0]
    assert np.isnan(scores[2:]).all()
    assert "Saddam Hussein" in RegnalName().evidence(people[0], people[2])


def test_without_monarchs_nobody_is_asked() -> None:
    people = Profiles.of([person(0, "Saddam Hussein", "president"), person(1, "Hussein")])
    specialist = RegnalName()
    assert specialist.silent(specialist.encode(people))


def test_king_hussein_is_not_saddam_hussein() -> None:
    texts = [
        "President Saddam Hussein of Iraq said in Baghdad that his army would not leave Kuwait.",
        "Saddam Hussein met his generals in Baghdad. The Iraqi president said that the war was over.",
        "King Hussein of Jordan said in Amman that talks between Iraq and Kuwait had failed. Hussein flew to Baghdad.",
        "King Hussein met the leaders of Egypt in Amman. The king said that peace was near in Kuwait.",
    ]
    with crossdoc.resolve([Document(f"d{n}", text, language="en") for n, text in enumerate(texts)]) as answer:
        found = {identity.name: identity.n_documents for identity in answer.find("Hussein")}
    assert found == {"Saddam Hussein": 2, "King Hussein": 2}
