"""CoNLL-2012 and CoNLL-U: names, chains and places from brackets and tags, and what is wrong, with its line."""

import csv
import json

import pytest

from crossdoc import Settings, errors, read_documents, resolve

CONLL = Settings(format="conll2012")
OPENING = "#begin document (nw/wsj/00/wsj_0001); part 001"


def rows(*words: str) -> str:
    """`word TAG names coreference` as the twelve columns of a line."""
    told = (word.split() for word in words)
    return "\n".join(
        f"nw/wsj/00/wsj_0001 1 {n} {w} {tag} * - - - - {name} {coref}" for n, (w, tag, name, coref) in enumerate(told)
    )


FILE = f"""{OPENING}
{
    rows(
        "The DT * (0",
        "chairman NN * -",
        "of IN * -",
        "General NNP (ORG* (1",
        "Motors NNP *) 1)",
        ", , * -",
        "John NNP (PERSON* -",
        "Smith NNP *) 0)",
        "-LRB- -LRB- * -",
        "pictured VBN * -",
        "-RRB- -RRB- * -",
        ". . * -",
    )
}

{
    rows(
        "He PRP * (0)",
        "praised VBD * -",
        "GM NNP (ORG) (1)",
        "'s POS * -",
        "Ann NNP (PERSON* (2",
        "Lee NNP *) -",
        "and CC * -",
        "her PRP$ * (3)|2)",
        "Wednesday NNP (DATE) -",
    )
}

#end document
"""


def test_names_types_chains_places(write):
    (document,) = read_documents(write("a.v4_gold_conll", FILE))
    assert document.id == "nw/wsj/00/wsj_0001/1"
    assert document.text == (
        "The chairman of General Motors , John Smith ( pictured ) .\nHe praised GM 's Ann Lee and her Wednesday"
    )
    told = [(m.text, m.type, m.kind, m.chain) for m in document.mentions]
    assert told == [
        # The phrase of chain 0 is about the chairman, who has no name there.
        ("General Motors", "organisation", "name", "1"),
        ("John Smith", "person", "name", None),
        ("GM", "organisation", "name", "1"),
        # Chain 2 is of two people.
        ("Ann Lee", "person", "name", None),
    ]
    assert all(document.text[m.start : m.end] == m.text for m in document.mentions)


def test_a_phrase_with_its_name_at_the_head(write):
    words = rows(
        "chairman NN * (0", "John NNP (PERSON* -", "Smith NNP *) -", ", , * -", "who WP * (0)|0)", "He PRP * (0)"
    )
    (document,) = read_documents(write("a.v4_auto_conll", f"{OPENING}\n{words}\n#end document\n"))
    assert [(m.text, m.kind, m.chain) for m in document.mentions] == [
        ("John Smith", "name", "0"), ("who", "pronoun", "0"), ("He", "pronoun", "0"),
    ]  # fmt: skip


def test_coreference_alone(write):
    words = rows(
        "the DT * (7",
        "great JJ * -",
        "John NNP * -",
        "Smith NNP * 7)",
        "he PRP * (7)",
        "dogs NNS * (8)",
        "they PRP * (8)",
    )
    path = write("a.conll", f"{OPENING}\n{words}\n#end document\n")
    (document,) = read_documents(path, settings=CONLL)
    assert [(m.text, m.type, m.kind, m.chain) for m in document.mentions] == [
        ("John Smith", None, "name", "7"), ("he", None, "pronoun", "7"),
    ]  # fmt: skip


def test_few_columns_and_no_part(write):
    content = "#begin document (d)\nd 0 0 Ann (1)\nd 0 1 sat -\n#end document\n#begin document (e)\n#end document\n"
    first, second = read_documents(write("a.conll", content), settings=CONLL)
    assert (first.id, first.text, first.mentions) == ("d/0", "Ann sat", ())
    assert (second.id, second.text) == ("e/0", "")


@pytest.mark.parametrize(
    ("lines", "line", "why"),
    [
        (["x 0 0 Ann -"], 1, "a word before any"),
        ([OPENING, "x 0"], 2, "2 columns"),
        ([OPENING, rows("Ann NNP * 3)")], 2, "a mention of 3 ends"),
        ([OPENING, rows("Ann NNP * (3", "sat VB * -"), "#end document"], 4, "a mention of 3 is still open"),
        ([OPENING, rows("Ann NNP *) -")], 2, "a name ends"),
        ([OPENING, rows("Ann NNP (PERSON* -", "Lee NNP (ORG* -")], 3, "begins within another"),
        ([OPENING, rows("Ann NNP * 3")], 2, "the last column is '3'"),
        ([OPENING, rows("Ann NNP * (3)x")], 2, "the last column is"),
        ([OPENING, rows("Ann NNP * -")], 1, "has no `#end document`"),
        ([OPENING, OPENING], 2, "has no end"),
        (["#end document"], 1, "has not begun"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(write, lines, line, why):
    path = write("a.v4_gold_conll", "\n".join(lines) + "\n")
    with pytest.raises(errors.InputError, match=rf"a\.v4_gold_conll, line {line}: .*") as told:
        read_documents(path)
    assert why in told.value.what


def test_not_utf8(write):
    with pytest.raises(errors.InputError, match="line 2: not UTF-8"):
        read_documents(write("a.v4_gold_conll", f"{OPENING}\n".encode() + b"x 0 0 M\xfcller -\n"))


def test_resolved(write, tmp_path):
    second = FILE.replace("wsj_0001", "wsj_0002")
    resolution = resolve(write("a.v4_gold_conll", FILE + second), method="string-match")
    assert [(i.name, i.n_documents, i.n_mentions) for i in resolution.identities("General Motors")] == [
        ("General Motors", 2, 4)
    ]


@pytest.mark.parametrize("language", ["en", "es", "it", "nl"])
def test_real_annotations(corpus_folder, write, language):
    """MEANTIME's tokens and brackets, in these columns; its own list of mentions has the same chains and places."""
    folder = corpus_folder("meantime") / language
    lines, before, sentence = [], None, None
    with (folder / "conll.csv").open(encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            document = row["topic/subtopic_name"]
            if document != before:
                lines += ["#end document"] * (before is not None) + [f"#begin document ({document}); part 000"]
            elif row["sent_id"] != sentence:
                lines.append("")
            before, sentence = document, row["sent_id"]
            word = row["token"].strip().replace(" ", "_") or "_"
            tag = "NNP" if word[0].isupper() else "NN"
            lines.append(f"{document} 0 {row['token_id']} {word} {tag} {row['reference'].replace(' ', '')}")
    path = write("meantime.conll", "\n".join([*lines, "#end document", ""]))
    documents = list(read_documents(path, settings=CONLL))
    listed = {}
    for told in json.loads((folder / "entities_mentions.json").read_text(encoding="utf-8")):
        listed.setdefault((told["conll_doc_key"] + "/0", told["coref_chain"]), []).append(told["tokens_str"])
    named = [m for d in documents for m in d.mentions if m.kind == "name" and (d.id, m.chain) in listed]
    assert len(named) > 400
    assert all(any(m.text in phrase for phrase in listed[m.document, m.chain]) for m in named)


GLOBAL = "# global.Entity = eid-etype-head-other"


def line(id: object, form: str, tag: str, misc: str = "_") -> str:
    return "\t".join([str(id), form, form.lower(), tag, *["_"] * 5, misc])


UNIVERSAL = "\n".join(
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
    document, _ = read_documents(write("a.conllu", UNIVERSAL))
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
    _, document = read_documents(write("a.conllu", UNIVERSAL))
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
def test_what_is_wrong_in_conllu_is_said_with_its_line(write, lines, number, why):
    with pytest.raises(errors.InputError, match=rf"a\.conllu, line {number}: ") as told:
        read_documents(write("a.conllu", "\n".join(lines) + "\n"))
    assert why in told.value.what
