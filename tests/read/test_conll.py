"""CoNLL-2012: names, chains and places from brackets and tags, and what is wrong, with its line."""

import csv
import json

import pytest

from crossdoc import errors, read_documents, resolve
from crossdoc.read.conll import Name, Reference, mentions_of

TEXT = "The chairman John Smith of General Motors spoke. He left. John Smith, the chairman, and Ann Lee sat."


def at(text: str, nth: int = 0) -> tuple[int, int]:
    start = -1
    for _ in range(nth + 1):
        start = TEXT.index(text, start + 1)
    return start, start + len(text)


def told(names, clusters):
    return {(m.text, m.type, m.kind, m.chain) for m in mentions_of("d", TEXT, names, clusters)}


SMITH, MOTORS = Name(*at("John Smith"), "person"), Name(*at("General Motors"), "organisation")


def test_a_cluster_is_the_chain_of_its_names():
    again = Name(*at("John Smith", 1), "person")
    cluster = [
        Reference(*at("The chairman John Smith")),
        Reference(*at("He"), "pronoun"),
        Reference(*at("John Smith", 1)),
    ]
    found = mentions_of("d", TEXT, [again, SMITH, MOTORS], {"c": cluster})
    assert [(m.id, m.text, m.type, m.kind, m.chain) for m in found] == [
        ("d:13:23", "John Smith", "person", "name", "c"),
        ("d:27:41", "General Motors", "organisation", "name", None),
        ("d:49:51", "He", "person", "pronoun", "c"),
        ("d:58:68", "John Smith", "person", "name", "c"),
    ]


@pytest.mark.parametrize(
    ("phrase", "head", "chained"),
    [
        ("The chairman John Smith", None, {"John Smith"}),
        # By their words alone both could be about General Motors; the head tells.
        ("The chairman John Smith of General Motors", None, set()),
        ("The chairman John Smith of General Motors", at("Smith"), {"John Smith"}),
        ("The chairman John Smith of General Motors", at("chairman"), set()),
        ("General Motors", at("Motors"), {"General Motors"}),
    ],
)
def test_the_name_that_a_phrase_is_about(phrase, head, chained):
    found = mentions_of("d", TEXT, [SMITH, MOTORS], {"c": [Reference(*at(phrase), head=head)]})
    assert {m.text for m in found if m.chain == "c" and m.kind == "name"} == chained


def test_what_is_added_after_a_comma_is_not_the_name_but_a_group_is_nobodys():
    smith, lee = Name(*at("John Smith", 1), "person"), Name(*at("Ann Lee"), "person")
    both = Reference(*at("John Smith, the chairman, and Ann Lee"))
    added = Reference(*at("John Smith, the chairman"))
    assert told([smith, lee], {"c": [added]}) == {
        ("John Smith", "person", "name", "c"),
        ("Ann Lee", "person", "name", None),
    }
    assert told([smith], {"c": [both]}) == {("John Smith", "person", "name", "c")}
    assert ("John Smith", "person", "name", None) in told([smith, lee], {"c": [both]})


def test_the_shortest_phrase_has_the_name():
    long, short = Reference(*at("The chairman John Smith")), Reference(*at("John Smith"))
    for clusters in ({"a": [long], "b": [short]}, {"b": [short], "a": [long]}):
        assert told([SMITH], clusters) == {("John Smith", "person", "name", "b")}


def test_a_cluster_without_a_name_is_left_out():
    assert told([MOTORS], {"c": [Reference(*at("He"), "pronoun"), Reference(*at("the chairman"))]}) == {
        ("General Motors", "organisation", "name", None)
    }


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
    (document,) = read_documents(path)
    assert [(m.text, m.type, m.kind, m.chain) for m in document.mentions] == [
        ("John Smith", None, "name", "7"), ("he", None, "pronoun", "7"),
    ]  # fmt: skip


def test_few_columns_and_no_part(write):
    content = "#begin document (d)\nd 0 0 Ann (1)\nd 0 1 sat -\n#end document\n#begin document (e)\n#end document\n"
    first, second = read_documents(write("a.conll", content))
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
    documents = list(read_documents(path))
    listed = {}
    for told in json.loads((folder / "entities_mentions.json").read_text(encoding="utf-8")):
        listed.setdefault((told["conll_doc_key"] + "/0", told["coref_chain"]), []).append(told["tokens_str"])
    named = [m for d in documents for m in d.mentions if m.kind == "name" and (d.id, m.chain) in listed]
    assert len(named) > 400
    assert all(any(m.text in phrase for phrase in listed[m.document, m.chain]) for m in named)


def test_a_file_that_is_cut_short(write):
    path = write("a.v4_gold_conll.gz", FILE)
    path.write_bytes(path.read_bytes()[:-12])
    with pytest.raises(errors.InputError, match="cannot be read"):
        read_documents(path)
