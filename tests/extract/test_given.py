"""Given mentions through the within-document resolver."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crossdoc.extract import models
from crossdoc.extract.given import GivenExtractor, chains_by_name, kind_of, resolved
from crossdoc.extract.models import LONG_TEXT
from crossdoc.model import Document, Documents, Mention

TEXT = "Lindsay Lohan left the clinic. She is an actress who thanked Mark Heller. Heller is her lawyer."


def given(*texts: str, text: str = TEXT, id: str = "d", **fields) -> Document:
    mentions, at = [], 0
    for said in texts:
        at = text.index(said, at)
        mentions.append(Mention(f"{id}:{at}:{at + len(said)}", id, at, at + len(said), said, fields.get("type")))
        at += len(said)
    return Document(id, text, language="en", mentions=tuple(mentions))


def chains(document: Document) -> list[list[str]]:
    return [[mention.text for mention in chain] for chain in resolved([document])[document.id]]


@pytest.mark.parametrize("type", ["person", None])
def test_pronouns_find_whom_they_mean(type):
    document = given("Lindsay Lohan", "She", "Mark Heller", "Heller", "her", type=type)
    assert chains(document) == [["Lindsay Lohan", "She", "her"], ["Mark Heller", "Heller"]]


def test_every_mention_is_in_one_chain():
    document = given("Lindsay Lohan", "the clinic", "She", "an actress", "who", "Mark Heller", "Heller", "her lawyer")
    found = resolved([document])["d"]
    assert sorted(mention.id for chain in found for mention in chain) == sorted(m.id for m in document.mentions)
    assert all(chain == sorted(chain, key=lambda m: m.start) for chain in found)


def test_kinds_are_kept_where_they_are_known():
    she = Mention("m", "d", 0, 3, "She")
    assert [kind_of(replace(she, kind=kind), "en") for kind in ("name", "nominal")] == ["pronoun", "nominal"]
    assert kind_of(she, "fr") == "name"
    assert kind_of(Mention("m", "d", 0, 2, "US"), "en") == "name"


def test_names_alone_and_chains_that_are_known_need_no_parse(monkeypatch):
    monkeypatch.setattr(models, "load", lambda model: pytest.fail("nothing is to be parsed"))
    names = given("Lindsay Lohan", "Mark Heller")
    told = given("Lindsay Lohan", "She")
    told = replace(told, mentions=tuple(replace(mention, chain="x") for mention in told.mentions))
    long = given("Lindsay Lohan", "She", text=TEXT + " " * LONG_TEXT)
    assert resolved([names, told, long]) == {}
    assert len(GivenExtractor(50).extract(Documents.of([names, replace(told, id="e")]))[1]) == 3


def test_a_profile_has_the_name_and_all_its_mentions():
    mentions, profiles = GivenExtractor(200).extract(Documents.of([given("Lindsay Lohan", "She", "Mark Heller")]))
    assert profiles.column("name").to_pylist() == ["Lindsay Lohan", "Mark Heller"]
    assert mentions.column("chain").to_pylist() == ["d:0:13", "d:0:13", "d:61:72"]
    assert mentions.column("kind").to_pylist() == ["name", "pronoun", "name"]


def _mention(start, end, text, type="person", chain=None, kind="name"):
    return Mention(f"d:{start}:{end}", "d", start, end, text, type, kind, chain)


def test_given_chains_are_kept_and_mentions_without_one_are_chained_by_name():
    mentions = [
        _mention(40, 45, "Smith"),
        _mention(0, 10, "John Smith"),
        _mention(20, 30, "Mary Smith", chain="m"),
        _mention(50, 53, "she", chain="m", kind="pronoun"),
        _mention(60, 65, "Smith", "organisation"),
    ]
    chains = [[m.text for m in chain] for chain in chains_by_name(mentions)]
    assert chains == [["John Smith", "Smith"], ["Mary Smith", "she"], ["Smith"]]


def test_a_mention_without_a_type_joins_a_chain_that_has_one():
    untyped = _mention(20, 25, "Smith", type=None)
    for mentions in ([_mention(0, 10, "John Smith"), untyped], [untyped, _mention(40, 50, "John Smith")]):
        (chain,) = chains_by_name(mentions)
        assert len(chain) == 2
    assert len(chains_by_name([_mention(0, 10, "John Smith"), _mention(20, 25, "Smith", "place")])) == 2


def test_names_that_disagree_are_two_chains():
    chains = chains_by_name([_mention(0, 10, "John Smith"), _mention(20, 30, "Mary Smith")])
    assert len(chains) == 2


def test_given_mentions_become_profiles_under_their_fullest_name():
    text = "Smith, or rather John Smith, spoke."
    given = (_mention(0, 5, "Smith"), _mention(17, 27, "John Smith"))
    mentions, profiles = GivenExtractor(300).extract(Documents.of([Document("d", text, mentions=given)]))
    assert [(p.id, p.name, p.type, p.context) for p in profiles] == [("d:0:5", "John Smith", "person", text)]
    assert [m.chain for m in mentions] == ["d:0:5", "d:0:5"]
