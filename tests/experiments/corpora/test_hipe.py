"""The HIPE-2022 reader, on files made here and, where they are to be had, on the real ones."""

import lzma
import re
from collections import Counter

import pytest
from corpora import hipe

from crossdoc.errors import CrossdocError
from crossdoc.read.clean_text import tidy

HEADER = "TOKEN\tNE-COARSE-LIT\tNE-COARSE-METO\tNEL-LIT\tMISC"
NAME = "HIPE-2022-v2.1-tiny-dev-fr.tsv"


def line(word, tag="O", link="_", notes="_"):
    return f"{word}\t{tag}\tB-org\t{link}\t{notes}"


def article(*lines, id="a1", language="fr", dataset="tiny", date="1888-08-03"):
    told = {"document_id": id, "date": date, "language": language, "dataset": dataset}
    comments = [f"# hipe2022:{key} = {value}" for key, value in told.items()]
    return "\n".join([*comments, "# tiny:publication_title =  L_Oeuvre ", *lines, ""])


def one(write, tmp_path, *lines, **told):
    write(NAME, f"{HEADER}\n{article(*lines, **told)}")
    (document,) = hipe.documents(tmp_path)
    assert all(document.text[m.start : m.end] == m.text for m in document.mentions)
    assert all(m.id == f"{document.id}:{m.start}:{m.end}" for m in document.mentions)
    return document


def test_a_document(write, tmp_path):
    document = one(
        write,
        tmp_path,
        line("M", "B-pers", "Q7", "NoSpaceAfter"),
        line(".", "I-pers", "Q7"),
        line("Lon¬", "I-pers", "Q7", "NoSpaceAfter|EndOfLine"),
        line("det", "I-pers", "Q7"),
        line("à", notes="EndOfLine"),
        line("Paris", "B-loc", "NIL", "NoSpaceAfter"),
        line(",", notes="EndOfSentence"),
        line("#", "B-ORG", "_"),
        line("hier", "B-time", "NIL"),
    )
    assert document.id == "tiny/fr/a1"
    assert document.text == "M. Londet à\nParis, # hier"
    assert (document.language, document.date, document.source) == ("fr", "1888-08-03", "L_Oeuvre")
    assert [(m.text, m.type, m.kind, m.chain) for m in document.mentions] == [
        ("M. Londet", "person", "name", "Q7"),
        ("Paris", "place", "name", None),
        ("#", "organisation", "name", None),
    ]
    assert hipe.left_out(tmp_path) == {"time": 1}


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        ([("Ed", "NoSpaceAfter"), ("-", "EndOfLine"), ("ward", "_")], "Edward"),
        ([("Ed-", "EndOfLine"), ("ward", "NoSpaceAfter")], "Edward"),
        ([("Staats", "NoSpaceAfter"), ("-", "EndOfLine"), ("Rat", "_")], "Staats-Rat"),
        ([("ver", "NoSpaceAfter"), ("¬", "EndOfLine"), ("lor", "_")], "verlor"),
        ([("open", "_"), ("-", "EndOfLine"), ("vote", "NoSpaceAfter")], "open -\nvote"),
        ([("con", "NoSpaceAfter"), ("-", "EndOfLine"), ("5", "_")], "con-\n5"),
        ([("Ogden", "NoSpaceAfter"), ("-", "NoSpaceAfter"), ("lane", "_")], "Ogden-lane"),
        ([("l'", "NoSpaceAfter|EndOfLine"), ("an", "_")], "l'an"),
        # Letters are not parted from letters: this is the end of a line.
        ([("gestern", "NoSpaceAfter"), ("vor", "_"), ("13", "_")], "gestern vor 13"),
        # Nothing is told of spaces.
        ([("H", "_"), (".", "_"), ("Klee", "_"), (".", "EndOfSentence")], "H. Klee."),
        ([("H", "NoSpaceAfter"), (".", "_"), (".", "_")], "H. ."),
    ],
)
def test_the_text_from_tokens(write, tmp_path, tokens, text):
    lines = [line(word, notes=notes) for word, notes in tokens]
    assert one(write, tmp_path, *lines).text == text


def test_mentions_that_touch(write, tmp_path):
    document = one(
        write,
        tmp_path,
        line("Rome", "B-LOC", "Q1"),
        line("Paris", "B-LOC", "Q2"),
        line("Street", "I-STREET", "Q3"),
        line("¬", "B-LOC", "Q4", "EndOfLine"),
        line("End", "O"),
    )
    assert [(m.text, m.type, m.chain) for m in document.mentions] == [
        ("Rome", "place", "Q1"),
        ("Paris", "place", "Q2"),
        ("Street", "place", "Q3"),
    ]


def test_gold_is_of_the_first_mention_in_each_document(write, tmp_path):
    rome = line("Rome", "B-loc", "Q220")
    write(NAME, f"{HEADER}\n{article(rome, rome, line('X', 'B-pers', 'NIL'))}\n{article(rome, id='b', language='it')}")
    assert hipe.gold(tmp_path).to_pylist() == [
        {"id": "tiny/fr/a1:0:4", "entity": "Q220"},
        {"id": "tiny/it/b:0:4", "entity": "Q220"},
    ]


def test_languages_and_parts(write, tmp_path):
    write(NAME, f"{HEADER}\n{article(line('Un'))}\n{article(line('One'), id='b', language='en')}")
    other = tmp_path / "HIPE-2022-v2.1-other-dev-fr.tsv.xz"
    other.write_bytes(lzma.compress(f"{HEADER}\n{article(line('Deux'), dataset='other', date='NA')}".encode()))

    def ids(path, *asked):
        return [document.id for document in hipe.documents(path, *asked)]

    assert ids(tmp_path) == ["other/fr/a1", "tiny/fr/a1", "tiny/en/b"]
    assert ids(tmp_path, "fr") == ["other/fr/a1", "tiny/fr/a1"]
    assert ids(tmp_path, None, "tiny") == ["tiny/fr/a1", "tiny/en/b"]
    assert ids(tmp_path, "fr", "tiny") == ["tiny/fr/a1"]
    assert ids(other) == ["other/fr/a1"]
    assert next(hipe.documents(other)).date is None
    with pytest.raises(CrossdocError, match="no article with language sv and part tiny"):
        ids(tmp_path, "sv", "tiny")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (article(line("Rome")), "line 1: it is not the header, which names the columns TOKEN"),
        ("TOKEN\tMISC\nRome\t_\n", "line 1.*NE-COARSE-LIT, NEL-LIT"),
        (f"{HEADER}\n{line('Rome')}\n", "line 2: no line above it has the article's document_id, language, dataset"),
        (f"{HEADER}\n{article(line('Rome'), 'Paris	O')}", "line 8: it has 2 columns, and the header 5"),
        (f"{HEADER}\n{article(line('Rome', '_'))}", "line 7: NE-COARSE-LIT is '_', which is not an annotation"),
        (f"{HEADER}\n", "articles"),
        (b"\xff\xfe", "cannot be read"),
    ],
)
def test_broken_files(write, tmp_path, content, message):
    write(NAME, content)
    with pytest.raises(CrossdocError, match=message):
        list(hipe.documents(tmp_path))


def test_a_file_cut_short(tmp_path):
    whole = lzma.compress(f"{HEADER}\n{article(line('Rome'))}".encode())
    (tmp_path / f"{NAME}.xz").write_bytes(whole[:-20])
    with pytest.raises(CrossdocError, match="cannot be read"):
        list(hipe.documents(tmp_path))


def test_what_is_no_corpus(tmp_path):
    with pytest.raises(CrossdocError, match="no file or folder"):
        list(hipe.documents(tmp_path / "missing"))
    with pytest.raises(CrossdocError, match="holds no document"):
        list(hipe.documents(tmp_path))


def test_the_real_corpus(corpus_folder):
    folder = corpus_folder("hipe2022")
    documents = list(hipe.documents(folder))
    assert len({document.id for document in documents}) == 648
    sets = Counter(document.id.rsplit("/", 1)[0] for document in documents)
    assert sets["newseye/fr"] == 70
    assert sets["topres19th/en"] == 343
    assert len(sets) == 9
    mentions = {m.id: m for document in documents for m in document.mentions}
    assert sum(len(document.mentions) for document in documents) == len(mentions)
    for document in documents:
        assert tidy(document.text) == document.text
        assert "¬" not in document.text
        assert all(document.text[m.start : m.end] == m.text != "" for m in document.mentions)
    # The plain count of first tokens with an id, less products, and one I- that begins a mention.
    lines = [each for path in folder.glob("*.xz") for each in lzma.decompress(path.read_bytes()).decode().split("\n")]
    linked = Counter(found[1] for each in lines if (found := re.match(r"[^\t]+\tB-(\w+)\t(?:[^\t]*\t){5}Q\d", each)))
    assert linked.total() == 8590
    assert sum(m.chain is not None for m in mentions.values()) == 8590 - linked["prod"] - linked["HumanProd"] + 1
    assert hipe.left_out(folder) == {"time": 166, "prod": 131, "HumanProd": 68}
    gold = hipe.gold(folder)
    assert (len(gold), set(gold["id"].to_pylist()) <= mentions.keys()) == (5748, True)
