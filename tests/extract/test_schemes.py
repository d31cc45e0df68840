"""Parses in Universal Dependencies, rewritten: trees made by hand, so that no French model is needed."""

import pytest
import spacy
from spacy.tokens import Doc

from crossdoc.extract.schemes import as_rules_read

FRENCH = spacy.blank("fr")


def parsed(*rows: str, ents: dict[int, str] | None = None) -> Doc:
    """A parse from rows of word, lemma, part of speech, label, head and, where there are any, features."""
    cells = [row.split() for row in rows]
    return Doc(
        FRENCH.vocab,
        [cell[0] for cell in cells],
        lemmas=[cell[1] for cell in cells],
        pos=[cell[2] for cell in cells],
        deps=[cell[3] for cell in cells],
        heads=[int(cell[4]) for cell in cells],
        morphs=[cell[5] if len(cell) > 5 else "" for cell in cells],
        ents=[(ents or {}).get(i, "O") for i in range(len(cells))],
    )


def tree(doc: Doc) -> list[tuple[str, str, str]]:
    return [(token.text, token.dep_, token.head.text) for token in doc]


def test_a_copula_heads_its_clause_and_a_preposition_its_noun():
    doc = parsed(
        "Mme mme NOUN nsubj 4", "Moreau Moreau PROPN flat:name 0", "est être AUX cop 4", "la le DET det 4",
        "directrice directrice NOUN ROOT 4 Number=Sing", "de de ADP case 6", "Renault Renault PROPN nmod 4",
    )  # fmt: skip
    rewritten = as_rules_read(doc)
    assert tree(rewritten) == [
        ("Mme", "compound", "Moreau"), ("Moreau", "nsubj", "est"), ("est", "ROOT", "est"), ("la", "det", "directrice"),
        ("directrice", "attr", "est"), ("de", "prep", "directrice"), ("Renault", "pobj", "de"),
    ]  # fmt: skip
    assert rewritten.text == doc.text
    assert [token.lemma_ for token in rewritten] == [token.lemma_ for token in doc]
    assert rewritten[4].tag_ == "NN"


def test_labels_and_tags():
    rewritten = as_rules_read(
        parsed(
            "Son son DET det 1 Poss=Yes",
            "mari mari NOUN nsubj:pass 4",
            "pas pas ADV advmod 4 Polarity=Neg",
            "est être AUX aux:pass 4",
            "nommé nommer VERB ROOT 4 Tense=Past|VerbForm=Part",
            "directeur directeur NOUN xcomp 4",
            "qui qui PRON nsubj 7 PronType=Rel",
            "voit voir VERB acl:relcl 5",
            "amis ami NOUN obj 7 Number=Plur",
        )
    )
    assert [token.dep_ for token in rewritten] == ("poss nsubjpass neg auxpass ROOT oprd nsubj relcl dobj".split())
    assert [rewritten[i].tag_ for i in (0, 4, 6, 8)] == ["PRP$", "VBN", "WP", "NNS"]


def test_a_name_after_a_role_with_its_article_stands_in_apposition():
    rewritten = as_rules_read(
        parsed("sa son DET det 1", "femme femme NOUN ROOT 1", "Anne A PROPN flat:name 1", "Roux R PROPN flat:name 1")
    )
    assert tree(rewritten)[1:] == [
        ("femme", "ROOT", "femme"), ("Anne", "appos", "femme"), ("Roux", "compound", "Anne"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "left"),
    [
        (("président p NOUN ROOT 0", "Jean J PROPN appos 0", "Roux R PROPN flat:name 1"), ["Jean Roux"]),
        (("président p NOUN ROOT 0", "de de ADP case 2", "République r NOUN nmod 0"), []),
        (("de de ADP case 1", "Gaulle G PROPN ROOT 1", "parle p VERB dep 1"), ["de Gaulle parle"]),
    ],
)
def test_a_role_is_no_part_of_a_name(rows, left):
    doc = as_rules_read(parsed(*rows, ents={0: "B-PER", 1: "I-PER", 2: "I-PER"}))
    assert [entity.text for entity in doc.ents] == left
    assert {entity.label_ for entity in doc.ents} <= {"PERSON"}


def test_an_english_parse_stays_as_it_is():
    doc = Doc(spacy.blank("en").vocab, ["He", "left"], heads=[1, 1], deps=["nsubj", "ROOT"])
    assert as_rules_read(doc) is doc


def test_an_office_is_no_organisation_though_the_model_says_so():
    rows = ("ministre ministre NOUN ROOT 0", "des de ADP case 2", "Finances finance NOUN nmod 0")
    assert as_rules_read(parsed(*rows, ents={0: "B-ORG", 1: "I-ORG", 2: "I-ORG"})).ents == ()
    rows = ("musée musée NOUN ROOT 0", "du de ADP case 2", "Louvre Louvre PROPN nmod 0")
    assert len(as_rules_read(parsed(*rows, ents={0: "B-ORG", 1: "I-ORG", 2: "I-ORG"})).ents) == 1


@pytest.mark.parametrize(
    ("rows", "apposition"),
    [
        (("ministre ministre NOUN nsubj 3", ", , PUNCT punct 2", "Roux R PROPN conj 0", "part p VERB ROOT 3"), True),
        (("ministre ministre NOUN nsubj 3", "et et CCONJ cc 2", "Roux R PROPN conj 0", "part p VERB ROOT 3"), False),
        (("table t NOUN nsubj 3", ", , PUNCT punct 2", "Roux R PROPN conj 0", "part p VERB ROOT 3"), False),
        (("ministre ministre NOUN nsubj 3", ", , PUNCT punct 2", "Roux R PROPN nsubj 3", "part p VERB ROOT 3"), True),
        (("table t NOUN nsubj 3", ", , PUNCT punct 2", "Roux R PROPN nsubj 3", "part p VERB ROOT 3"), False),
        (("Roux R PROPN nsubj 3", ", , PUNCT punct 2", "ministre ministre NOUN nmod 0", "part p VERB ROOT 3"), True),
        (("frère frère NOUN nsubj 3", "bien bien ADV advmod 3", "Roux R PROPN nmod 0", "part p VERB ROOT 3"), True),
        (("frère frère NOUN nsubj 3", "de de ADP case 2", "Roux R PROPN nmod 0", "part p VERB ROOT 3"), False),
    ],
)  # fmt: skip
def test_appositions_that_are_taken_for_something_else(rows, apposition):
    rewritten = as_rules_read(parsed(*rows))
    assert (rewritten[2].dep_ == "appos" and rewritten[2].head == rewritten[0]) == apposition


def test_what_follows_an_apposition_belongs_to_it():
    rows = ("Roux R PROPN ROOT 0", ", , PUNCT punct 0", "économiste économiste NOUN appos 0", "chez chez ADP case 4")
    rewritten = as_rules_read(parsed(*rows, "Renault Renault PROPN nmod 0"))
    assert tree(rewritten)[3:] == [("chez", "prep", "économiste"), ("Renault", "pobj", "chez")]


def test_a_role_after_a_copula_is_a_noun_whatever_the_tagger_says():
    rewritten = as_rules_read(parsed("Roux R PROPN nsubj 2", "est être AUX cop 2", "professeur professeur ADJ ROOT 2"))
    assert [(token.pos_, token.tag_, token.dep_) for token in rewritten][2] == ("NOUN", "NN", "attr")


def test_what_follows_a_noun_after_a_copula_goes_on_with_it():
    rows = ("Roux R PROPN nsubj 2", "est être AUX cop 2", "professeur professeur NOUN ROOT 2")
    rewritten = as_rules_read(parsed(*rows, "à à ADP case 4", "Paris Paris PROPN obl:mod 2"))
    assert tree(rewritten)[3:] == [("à", "prep", "professeur"), ("Paris", "pobj", "à")]
    rows = ("Roux R PROPN nsubj 2", "est être AUX cop 2", "grand grand ADJ ROOT 2")
    rewritten = as_rules_read(parsed(*rows, "à à ADP case 4", "Paris Paris PROPN obl:mod 2"))
    assert tree(rewritten)[3:] == [("à", "prep", "est"), ("Paris", "pobj", "à")]
