"""CoNLL-U: CorefUD's brackets and tags of names, words that share a token or are not written, and broken lines."""

import pytest

from crossdoc import errors, read_documents

GLOBAL = "# global.Entity = eid-etype-head-other"


def line(id: object, form: str, tag: str, misc: str = "_") -> str:
    return "\t".join([str(id), form, form.lower(), tag, *["_"] * 5, misc])


FILE = "\n".join(
    [
        GLOBAL,
        "# newdoc id = GUM_1",
        "# meta::title = A visit",
        line(1, "President", "PROPN", "Entity=(e1-person-2-sgl"),
        line(2, "Biden", "PROPN", "Entity=e1)"),
        line(3, "visited", "VERB"),
        line(4, "the", "DET", "Entity=(e2-place-2-giv"),
        line(5, "Berlin", "PROPN"),
        line(6, ",", "PUNCT", "SpaceAfter=No"),
        line(7, "which", "PRON", "Entity=(e2-place-1)"),
        line(8, "grew", "VERB", "Entity=e2)|SpaceAfter=No"),
        line(9, ".", "PUNCT"),
        "",
        line("1-2", "Zum", "_"),
        line(1, "Zu", "ADP"),
        line(2, "dem", "DET", "Entity=(e3-object-2"),
        line(3, "Haus", "NOUN", "Entity=e3)"),
        line("3.1", "he", "PRON", "Entity=(e1-person-1)"),
        line(4, "he", "PRON", "Entity=(e1-person-1)"),
        line(5, "Oslo", "PROPN", "Entity=(e4-time-1)"),
        "",
        "# newdoc id = GUM_2",
        line(1, "Ann", "PROPN", "NER=B-PER"),
        line(2, "Lee", "PROPN", "NER=I-PER"),
        line(3, "Paris", "PROPN", "NER=B-LOC"),
        line(4, "May", "PROPN", "NER=B-DATE"),
        "",
        line(1, "UN", "PROPN", "NER=S-ORG"),
    ]
)


def test_brackets(write):
    document, _ = read_documents(write("a.conllu", FILE))
    assert (document.id, document.title) == ("GUM_1", "A visit")
    assert document.text == "President Biden visited the Berlin ,which grew.\nZum Haus he Oslo"
    assert [(m.text, m.type, m.kind, m.chain) for m in document.mentions] == [
        ("President Biden", "person", "name", "e1"),
        ("Berlin", "place", "name", "e2"),
        ("which", "place", "pronoun", "e2"),
        ("he", "person", "pronoun", "e1"),
    ]
    assert all(document.text[m.start : m.end] == m.text for m in document.mentions)


def test_tags(write):
    _, document = read_documents(write("a.conllu", FILE))
    assert [(m.text, m.type, m.chain) for m in document.mentions] == [
        ("Ann Lee", "person", None), ("Paris", "place", None), ("UN", "organisation", None),
    ]  # fmt: skip


def test_without_types_and_without_documents(write):
    """A chain without a name is nobody's; the head is found where the brackets do not tell it."""
    content = "\n".join(
        [
            "# global.Entity = eid-etype-head",
            line(1, "old", "ADJ", "Entity=(e1"),
            line(2, "Smith", "PROPN", "Entity=e1)"),
            line(3, "it", "PRON", "Entity=(e2)"),
            line(4, "he", "PRON", "Entity=(e1)"),
        ]
    )
    (document,) = read_documents(write("a.conllu", content))
    assert document.id == "a.conllu"
    assert [(m.text, m.type, m.kind, m.chain) for m in document.mentions] == [
        ("old Smith", None, "name", "e1"), ("he", None, "pronoun", "e1"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "number", "why"),
    [
        (["1\tAnn"], 1, "2 columns"),
        ([line("x", "Ann", "PROPN")], 1, "not a word's number"),
        ([line(1, "Ann", "PROPN", "Entity=e1)")], 1, "a mention of e1 ends"),
        ([line(1, "Ann", "PROPN", "Entity=(e1-person-1"), ""], 2, "still open at the end of a.conllu"),
        ([line(1, "Ann", "PROPN", "Entity=(e1-person-1)x")], 1, "is not brackets"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(write, lines, number, why):
    with pytest.raises(errors.InputError, match=rf"a\.conllu, line {number}: ") as told:
        read_documents(write("a.conllu", "\n".join(lines) + "\n"))
    assert why in told.value.what
