"""Chains within a document, on sentences written for the purpose; the hard cases each by themselves."""

from __future__ import annotations

import time

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from crossdoc.extract.chains import build_chains
from crossdoc.extract.mention_spans import Chain, SpanMention
from crossdoc.extract.mentions import find_mentions


def mentioned(nlp: Language, text: str, *mentions: str) -> tuple[Doc, list[SpanMention]]:
    """Mentions given as "type kind: words", each at its next place in the text; kind is name unless said."""
    doc = nlp(text)
    found = []
    at = 0
    for entry in mentions:
        head, _, words = entry.partition(": ")
        type_, _, kind = head.partition(" ")
        start = text.index(words, at)
        at = start + len(words)
        span = doc.char_span(start, start + len(words))
        assert span is not None, f"{words} is no whole number of tokens"
        found.append(SpanMention(span.start, span.end, type_, kind or "name"))  # type: ignore[arg-type]
    return doc, found


def texts(doc: Doc, chains: list[Chain]) -> list[list[str]]:
    return [[m.text(doc) for m in chain.mentions] for chain in chains]


def people(nlp: Language, text: str, *names: str) -> list[list[str]]:
    doc, mentions = mentioned(nlp, text, *(f"person: {name}" for name in names))
    return texts(doc, build_chains(doc, mentions))


def chains_of(nlp: Language, text: str) -> tuple[Doc, list[Chain]]:
    doc = nlp(text)
    return doc, build_chains(doc, find_mentions(doc))


def chain_with(doc: Doc, chains: list[Chain], name: str) -> list[str]:
    (own,) = [c for c in chains if c.name == name]
    return [m.text(doc) for m in own.mentions]


# Descriptions


def test_apposition_joins(nlp: Language) -> None:
    doc, chains = chains_of(nlp, "John Hale, chairman of Norquist Corp., resigned. The chairman gave no reason.")
    assert chain_with(doc, chains, "John Hale") == ["John Hale", "chairman", "The chairman"]


def test_a_name_in_apposition_takes_the_noun(nlp: Language) -> None:
    doc, chains = chains_of(nlp, "The chairman, John Hale, resigned.")
    assert chain_with(doc, chains, "John Hale") == ["The chairman", "John Hale"]


def test_a_predicate_joins_unless_denied(nlp: Language) -> None:
    doc, chains = chains_of(nlp, "John Hale is a lawyer.")
    assert chain_with(doc, chains, "John Hale") == ["John Hale", "a lawyer"]
    doc, chains = chains_of(nlp, "John Hale is not a lawyer.")
    assert chain_with(doc, chains, "John Hale") == ["John Hale"]


def test_a_brother_is_somebody_else(nlp: Language) -> None:
    doc, chains = chains_of(nlp, "John Hale resigned. He told his brother Bill first.")
    assert chain_with(doc, chains, "John Hale") == ["John Hale", "He", "his"]


def test_the_senator_is_the_one_called_so(nlp: Language) -> None:
    doc, chains = chains_of(nlp, "Sen. Mary Clark met Tom Reed, a baker. The senator left early.")
    assert "The senator" in chain_with(doc, chains, "Mary Clark")
    assert "The senator" not in chain_with(doc, chains, "Tom Reed")


def test_a_special_noun_does_not_go_to_just_anybody(nlp: Language) -> None:
    doc, chains = chains_of(nlp, "Tom Reed runs a bakery. The senator left early.")
    assert chain_with(doc, chains, "Tom Reed") == ["Tom Reed"]


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("Tara Bell is at a clinic in Leeds. The actress, who lives in York, was tired.", "Tara Bell", "The actress"),
        ("Tara Bell met Robert Pole in Leeds. The actress was tired.", "Tara Bell", "The actress"),
        ("Brantwell Foods opened a plant in Leeds. The planemaker is old.", "Brantwell Foods", "The planemaker"),
        ("Lufthansa ordered five aircraft in May. The airline has a base in Leeds.", "Lufthansa", "The airline"),
    ],
)
def test_a_telling_noun_goes_to_the_only_one_it_fits(nlp: Language, text: str, name: str, expected: str) -> None:
    assert expected in chain_with(*chains_of(nlp, text), name)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Tara Bell met Martha Pole in Leeds. The actress was tired.", "Tara Bell"),  # of two
        ("Tara Bell is at a clinic in Leeds. The actress who left her was tired.", "Tara Bell"),  # says which
        ("Lufthansa ordered five aircraft in May. The Craiova airline has a base in Leeds.", "Lufthansa"),
        ("Lufthansa signed a contract with the union in May.", "Lufthansa"),  # of one clause
        ("Brantwell University opened a plant in Leeds. The airline was late.", "Brantwell University"),  # another kind
        ("Robert Pole is at a clinic in Leeds. The actress was tired.", "Robert Pole"),
        ("Tara Bell is at a clinic in Leeds. It rained. It snowed. It was cold. The actress was tired.", "Tara Bell"),
    ],
)
def test_a_telling_noun_does_not_go_to(nlp: Language, text: str, name: str) -> None:
    assert not [m for m in chain_with(*chains_of(nlp, text), name) if m.lower().startswith("the ")]


def test_the_woman_is_not_the_man(nlp: Language) -> None:
    doc, chains = chains_of(nlp, "Susan Hale met Robert Poe. The woman left early.")
    assert "The woman" in chain_with(doc, chains, "Susan Hale")


def test_the_company_and_its(nlp: Language) -> None:
    text = "Microsoft Corp. hired John Hale. The company raised its prices."
    doc, chains = chains_of(nlp, text)
    assert chain_with(doc, chains, "Microsoft Corp.") == ["Microsoft Corp.", "The company", "its"]


def test_the_country_is_not_the_city(nlp: Language) -> None:
    doc, chains = chains_of(
        nlp, "He flew from Boston to France. The country was calm. He missed Boston. The city was not."
    )
    assert chain_with(doc, chains, "France") == ["France", "The country"]
    assert chain_with(doc, chains, "Boston") == ["Boston", "Boston", "The city"]


def test_a_description_is_not_linked_from_afar(nlp: Language) -> None:
    text = "Microsoft Corp. hired people. " + "Rain fell again. " * 5 + "The company raised prices."
    doc, chains = chains_of(nlp, text)
    assert chain_with(doc, chains, "Microsoft Corp.") == ["Microsoft Corp."]


# Pronouns


def test_pronouns_by_gender(nlp: Language) -> None:
    doc, chains = chains_of(nlp, "Susan Hale met Robert Poe. She thanked him for his help.")
    assert chain_with(doc, chains, "Susan Hale") == ["Susan Hale", "She"]
    assert chain_with(doc, chains, "Robert Poe") == ["Robert Poe", "him", "his"]
    assert [c.gender for c in chains] == ["f", "m"]


def test_the_title_of_the_document_says_whom_it_is_about(nlp: Language) -> None:
    doc = nlp("A book by Martha Bell with a foreword by Agnes Pole came out in Leeds. She lives in York.")
    for title, other in (("Agnes Pole", "Martha Bell"), ("The life of Martha Bell", "Agnes Pole")):
        chains = build_chains(doc, find_mentions(doc), title=title)
        assert "She" not in chain_with(doc, chains, other)


def test_who_is_the_noun_before(nlp: Language) -> None:
    doc, chains = chains_of(nlp, "Robert Poe thanked Susan Hale, who left early.")
    assert chain_with(doc, chains, "Susan Hale") == ["Susan Hale", "who"]


def test_an_unclaimed_pronoun_is_in_no_chain(nlp: Language) -> None:
    _, chains = chains_of(nlp, "She left early.")
    assert chains == []


def test_chains_without_a_name_on_request(nlp: Language) -> None:
    doc = nlp("A woman left early. The woman was tired.")
    mentions = find_mentions(doc)
    assert build_chains(doc, mentions) == []
    assert texts(doc, build_chains(doc, mentions, unnamed=True)) == [["A woman", "The woman"]]


# Whatever comes


def test_the_name_is_the_fullest_and_on_one_line(nlp: Language) -> None:
    _, chains = chains_of(nlp, "Hale wins\n\nMary\nAnn Hale won. Hale smiled.")
    assert [c.name for c in chains if c.type == "person"] == ["Mary Ann Hale"]


def test_each_mention_is_in_one_chain_at_most_and_in_order(nlp: Language) -> None:
    text = "Sen. Mary Clark of Boston met Tom Reed, chairman of Norquist Corp. She told him that the company liked him."
    doc = nlp(text)
    mentions = find_mentions(doc)
    chains = build_chains(doc, mentions)
    placed = [(m.start, m.end) for c in chains for m in c.mentions]
    assert len(placed) == len(set(placed))
    assert set(placed) <= {(m.start, m.end) for m in mentions}
    assert all(c.mentions == sorted(c.mentions, key=lambda m: m.start) for c in chains)
    assert build_chains(nlp(text), find_mentions(nlp(text))) == chains


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n ",
        "Smith",
        "(",
        "he",
        "the company",
        "<b>John</b> <a href='x'>Smith</a> he",
        "John\x00Smith \x1bhe\x7f",
        "''' its -- '''",
    ],
)
def test_weird_text_never_raises(nlp: Language, text: str) -> None:
    doc = nlp(text)
    chains = build_chains(doc, find_mentions(doc), unnamed=True)
    assert all(chain.mentions for chain in chains)


def test_weird_mentions_never_raise(nlp: Language) -> None:
    doc = nlp("The 5 % of ''s, (EADS) ... Jr. Mr. and of")
    mentions = [
        SpanMention(start, end, type_, kind)  # type: ignore[arg-type]
        for start in range(len(doc))
        for end in range(start + 1, len(doc) + 1)
        for type_, kind in (("person", "name"), ("organisation", "name"), ("place", "nominal"), ("person", "pronoun"))
    ]
    build_chains(doc, mentions, unnamed=True)


def test_a_document_without_a_parse_is_chained_by_names(nlp: Language) -> None:
    doc = Doc(nlp.vocab, words="Mary Clark left . Clark told the company that she was tired .".split())
    mentions = [SpanMention(0, 2, "person"), SpanMention(4, 5, "person"), SpanMention(6, 8, "organisation", "nominal")]
    mentions.append(SpanMention(9, 10, "person", "pronoun"))
    assert texts(doc, build_chains(doc, mentions)) == [["Mary Clark", "Clark"]]


def test_the_name_is_not_the_shouted_one(nlp: Language) -> None:
    doc, mentions = mentioned(
        nlp, "BRANFORD (AP) -- The mayor of Branford resigned.", "place: BRANFORD", "place: Branford"
    )
    assert [c.name for c in build_chains(doc, mentions)] == ["Branford"]


def test_a_life_told_in_a_thousand_pronouns(nlp: Language) -> None:
    doc, chains = chains_of(nlp, "Tom Reed came home. " + "Then he ate his soup. " * 500)
    assert len(chain_with(doc, chains, "Tom Reed")) > 900


@pytest.mark.slow
def test_a_line_of_100_000_characters_is_cheap_beside_the_parse(nlp: Language) -> None:
    text = "Mary Clark met Tom Reed of Boston and she told him that the company liked it; " * 1300
    began = time.perf_counter()
    doc = nlp(text[:100_000])
    parsed = time.perf_counter()
    chains = build_chains(doc, find_mentions(doc))
    assert len(chains) >= 3
    assert time.perf_counter() - parsed < parsed - began


@pytest.mark.parametrize(
    ("article", "pronoun", "dep", "joined"),
    [
        ("La la DET Gender=Fem", "Elle", "nsubj", True),
        ("Le le DET Gender=Masc", "Elle", "nsubj", False),
        ("Le le DET Gender=Masc", "Il", "nsubj", True),
        ("Le le DET Gender=Masc", "Il", "expl", False),
    ],
)
def test_a_pronoun_of_people_and_things_agrees_with_the_names_article(article, pronoun, dep, joined):
    """ "La SNCF ment. Elle part." by hand, so that no French model is needed."""
    word, lemma, pos, gender = article.split()
    doc = Doc(
        spacy.blank("fr").vocab,
        [word, "SNCF", "ment", ".", pronoun, "part", "."],
        lemmas=[lemma, "SNCF", "mentir", ".", "lui", "partir", "."],
        pos=[pos, "PROPN", "VERB", "PUNCT", "PRON", "VERB", "PUNCT"],
        heads=[1, 2, 2, 2, 5, 5, 5],
        deps=["det", "nsubj", "ROOT", "punct", dep, "ROOT", "punct"],
        morphs=[gender, "", "", "", "", "", ""],
        ents=["O", "B-ORG", "O", "O", "O", "O", "O"],
    )
    (chain,) = build_chains(doc, find_mentions(doc))
    assert ([m.text(doc) for m in chain.mentions] == ["SNCF", pronoun]) == joined


def test_words_that_a_tagger_took_into_a_name_do_not_name_the_profile(nlp: Language) -> None:
    """ "Sato Recommendation" in a heading is Sato, who is called so elsewhere in the document."""
    names = ("Sato Recommendation", "Sato", "Sato")
    doc, mentions = mentioned(nlp, "Sato Recommendation. Sato left. Sato said so.", *(f"person: {n}" for n in names))
    assert [chain.name for chain in build_chains(doc, mentions)] == ["Sato"]
    doc, mentions = mentioned(nlp, "Sato Recommendation came.", "person: Sato Recommendation")
    assert [chain.name for chain in build_chains(doc, mentions)] == ["Sato Recommendation"], "there is no other name"
