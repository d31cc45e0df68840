"""Candidates for names, and weighing them with weights written for the purpose and with the shipped ones."""

import math
from dataclasses import replace

import pytest
from spacy.language import Language

from crossdoc.extract import name_model
from crossdoc.extract.mention_spans import SpanMention
from crossdoc.extract.name_model import TokenKinds, candidates, shares, sport_of, weighed
from crossdoc.extract.truecase import CaseCounts
from crossdoc.lang import pack


def with_weights(monkeypatch: pytest.MonkeyPatch, weights: dict[str, tuple[float, ...]]) -> None:
    english = pack("en")
    own = replace(english, models=replace(english.models, names=weights))
    monkeypatch.setattr(name_model, "pack", lambda code: own)


def found(nlp: Language, text: str, *names: tuple[int, int, str]) -> list[tuple[str, str]]:
    doc = nlp(text)
    return [(doc[n.start : n.end].text, n.type) for n in weighed(doc, [SpanMention(*name) for name in names])]


def test_shares_are_a_softmax() -> None:
    weights = {"a": (0.0, 1.0, 0.0, -1.0), "b": (0.0, 1.0, 2.0, 0.0)}
    odds = [1.0, math.exp(2), math.exp(2), math.exp(-1)]
    assert shares(["a", "b", "unknown"], weights) == pytest.approx([each / sum(odds) for each in odds])
    assert shares([], weights) == [0.25] * 4


def test_without_weights_names_stay(nlp: Language, monkeypatch: pytest.MonkeyPatch) -> None:
    with_weights(monkeypatch, {})
    assert found(nlp, "Twente won.", (0, 1, "person")) == [("Twente", "person")]


def test_a_run_becomes_a_name_and_a_found_name_needs_more_to_be_none(
    nlp: Language, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "Twente won, said Ajax."
    with_weights(monkeypatch, {"": (0.0, 0.0, 1.0, 0.0)})
    assert found(nlp, text) == [("Twente", "organisation"), ("Ajax", "organisation")]
    with_weights(monkeypatch, {"": (2.0, 0.0, 1.0, 0.0)})
    assert found(nlp, text, (0, 1, "place")) == [("Twente", "organisation")]
    with_weights(monkeypatch, {"": (4.0, 0.0, 1.0, 0.0)})
    assert found(nlp, text, (0, 1, "place")) == []


def test_a_run_is_a_name_if_that_is_likelier_than_not_whatever_it_is(
    nlp: Language, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_weights(monkeypatch, {"": (math.log(4), math.log(2), math.log(3), 0.0)})
    assert found(nlp, "The mayor of Twente.") == [("Twente", "organisation")]
    with_weights(monkeypatch, {"": (math.log(7), math.log(2), math.log(3), 0.0)})
    assert found(nlp, "The mayor of Twente.") == []


def test_only_what_is_sure_becomes_a_person(nlp: Language, monkeypatch: pytest.MonkeyPatch) -> None:
    with_weights(monkeypatch, {"": (0.0, 1.5, 1.0, 0.0)})
    assert found(nlp, "Twente won.", (0, 1, "organisation")) == [("Twente", "organisation")]
    assert found(nlp, "Twente won.", (0, 1, "person")) == [("Twente", "person")]
    with_weights(monkeypatch, {"": (0.0, 4.0, 1.0, 0.0)})
    assert found(nlp, "Twente won.", (0, 1, "organisation")) == [("Twente", "person")]


def test_of_overlapping_candidates_the_surer_stays(nlp: Language, monkeypatch: pytest.MonkeyPatch) -> None:
    with_weights(monkeypatch, {"words 2": (0.0, 0.0, 3.0, 0.0), "words 1": (0.0, 0.0, 0.0, 2.0)})
    assert found(nlp, "Hansa Rostock won.", (1, 2, "place")) == [("Hansa Rostock", "organisation")]
    with_weights(monkeypatch, {"words 2": (0.0, 0.0, 2.0, 0.0), "words 1": (0.0, 0.0, 0.0, 3.0)})
    assert found(nlp, "Hansa Rostock won.", (1, 2, "place")) == [("Rostock", "place")]


def test_the_shipped_model_reads_a_table_of_clubs(nlp: Language) -> None:
    rows = ["SOCCER - DUTCH RESULTS .", "Twente 2 Fortuna Sittard 1", "Chicago 3 Utrecht 0", "Heerenveen 1 Volendam 1"]
    doc = nlp("\n".join(rows))
    found = {doc[n.start : n.end].text: n.type for n in weighed(doc, [])}
    clubs = {"Twente", "Fortuna Sittard", "Chicago", "Utrecht", "Heerenveen", "Volendam"}
    assert clubs <= found.keys()
    assert {found[club] for club in clubs} == {"organisation"}


def test_the_model_alone_does_not_overrule_a_tagger_that_found_a_person(
    nlp: Language, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In running text; what the words beside a name settle outweighs a verb, and a title outweighs all."""
    with_weights(monkeypatch, {"": (0.0, -0.5, 1.0, 0.0)})
    assert found(nlp, "Twente won.", (0, 1, "person")) == [("Twente", "person")]
    with_weights(monkeypatch, {"": (0.0, -4.0, 1.0, 0.0)})
    assert found(nlp, "Twente won.", (0, 1, "person")) == [("Twente", "organisation")]
    assert found(nlp, "Velmo said so.", (0, 1, "person")) == [("Velmo", "person")]
    assert found(nlp, "Then Mr. Velmo won.", (2, 3, "organisation")) == [("Mr. Velmo", "person")]


def test_cues_of_the_collection_make_a_person_of_what_the_tagger_takes_for_a_place(
    nlp: Language, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_weights(monkeypatch, {"": (0.0, -4.0, 0.0, 1.0)})
    cases = CaseCounts().update(["Sukarno said so. Then Sukarno agreed. The army of Sukarno won."] * 10)
    doc = nlp("The army of Sukarno won.")
    name = SpanMention(3, 4, "place")
    assert [n.type for n in weighed(doc, [name])] == ["place"]
    assert [n.type for n in weighed(doc, [name], cases)] == ["person"]


def test_runs_end_at_numbers_marks_and_the_ends_of_rows(nlp: Language) -> None:
    doc = nlp("Fortuna Sittard 2 Heerenveen 4\nPSV, Bank of Velmont & Sons\nAJAX 3")
    words = TokenKinds.of(doc)
    found = [doc[start:end].text for start, end in words.runs(frozenset({"&", "of"}))]
    assert found == ["Fortuna Sittard", "Heerenveen", "PSV", "Bank of Velmont & Sons", "AJAX"]


def test_runs_go_on_over_wrapped_lines(nlp: Language) -> None:
    first = "The ministry in the capital has sold its shares of General"
    doc = nlp(f"{first}\nHarbors to a bank, which pays for them by parts\nuntil June.")
    found = [doc[s:e].text for s, e in TokenKinds.of(doc).runs(frozenset())]
    assert found == ["The", "General\nHarbors", "June"]


def test_runs_end_with_the_line_where_lines_are_paragraphs(nlp: Language) -> None:
    doc = nlp(
        "4. Memorandum From the Secretary of State to President Johnson\nWashington, November 27.\nThe report follows."
    )
    found = [doc[s:e].text for s, e in TokenKinds.of(doc).runs(frozenset())]
    assert "President Johnson" in found
    assert "Washington" in found


@pytest.mark.parametrize(
    ("text", "sport", "numbers"),
    [
        ("SOCCER - Results in the league. Ajax 1 PSV 2 Twente 3 Heerenveen 0", "team", True),
        ("Tennis - Sampras beat Agassi on Monday in New York", "single", False),
        ("The bank raised its rates.", "", False),
    ],
)
def test_a_document_tells_its_sport_and_its_tables(nlp: Language, text: str, sport: str, numbers: bool) -> None:
    doc = nlp(text)
    words = TokenKinds.of(doc)
    assert (sport_of(words.text, "en"), words.has_table()) == (sport, numbers)


def test_what_is_said_of_a_candidate(nlp: Language) -> None:
    doc = nlp("Soccer - Ajax Amsterdam 3 Twente 1. Ann Lee saw Lee.")
    lee = [token.i for token in doc if token.text == "Lee"]
    names = [SpanMention(lee[0] - 1, lee[0] + 1, "person"), SpanMention(lee[1], lee[1] + 1, "place")]
    found = {doc[c.start : c.end].text: set(c.features) for c in candidates(doc, names)}
    assert {"called nothing", "words 2", "ends in city", "after number", "sport team table"} <= found["Ajax Amsterdam"]
    assert {"called person", "first name True"} <= found["Ann Lee"]
    assert {"called place", "surname here", "surname here place", "before: saw"} <= found["Lee"]
