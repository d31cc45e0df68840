"""The published corpora, where CROSSDOC_DATA has them; and what is said of a folder that is not one."""

from collections import Counter

import pytest

from crossdoc.errors import CrossdocError
from crossdoc.read.corpora import CORPORA, aida, john_smith, weps


def people(gold):
    return len(set(gold.column("entity").to_pylist()))


def test_john_smith(corpus_folder):
    folder = corpus_folder("john_smith")
    documents = list(john_smith.documents(folder))
    gold = john_smith.gold(folder)
    assert (len(documents), people(gold)) == (197, 35)
    assert [document.id for document in documents] == gold.column("id").to_pylist()
    assert all("Smith" in document.text and document.date[:2] == "19" for document in documents)


@pytest.mark.parametrize(
    ("part", "names", "entities", "labelled"), [("train", 49, 527, 2206), ("test", 30, 1378, 2516)]
)
def test_weps_gold(corpus_folder, part, names, entities, labelled):
    folder = corpus_folder(f"weps1/{part}")
    gold = weps.gold(folder)
    assert len(weps.names(folder)) == names
    assert people(gold) == entities
    assert len(set(gold.column("id").to_pylist())) == labelled
    assert all(row["id"].startswith(row["group"] + "/") for row in gold.to_pylist())


def test_weps_documents(corpus_folder):
    folder = corpus_folder("weps1/train")
    name = weps.names(folder)[0]
    documents = {document.id: document for document in weps.documents(folder, name)}
    labelled = {row["id"] for row in weps.gold(folder).to_pylist() if row["group"] == name}
    assert labelled <= documents.keys()
    assert all("<script" not in document.text and "\x00" not in document.text for document in documents.values())
    assert sum(name.split("_")[-1] in document.text for document in documents.values()) > len(documents) / 2


def test_aida(corpus_folder):
    folder = corpus_folder("aida")
    documents = {document.id: document for document in aida.documents(folder)}
    gold = aida.gold(folder).to_pylist()
    assert len(documents) == 1162
    assert Counter(id.split("/")[0] for id in documents) == {"train": 946, "testa": 216}
    mentions = {mention.id: mention for document in documents.values() for mention in document.mentions}
    assert {row["id"] for row in gold} <= mentions.keys()
    assert len({row["id"] for row in gold}) == len(gold)
    for mention in mentions.values():
        assert documents[mention.document].text[mention.start : mention.end] == mention.text


@pytest.mark.parametrize("name", CORPORA)
def test_a_folder_that_is_no_corpus(name, tmp_path):
    reader = CORPORA[name]
    read = getattr(reader, "documents", None) or reader.profiles
    for folder in (tmp_path, tmp_path / "missing"):
        with pytest.raises(CrossdocError):
            list(read(folder))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("eng.train", "-DOCSTART- -X- O O\n\nEU NNP\n", "not a word with its three tags"),
        ("annotations.tsv", "-DOCSTART- (1 EU)\nfirst\tPage\n", "not a token's number"),
        ("eng.train", b"-DOCSTART-\n\xff\xfe\n", "cannot be read"),
    ],
)
def test_broken_aida(write, tmp_path, name, content, message):
    for each in ("eng.train", "eng.testa", "annotations.tsv"):
        write(each, "-DOCSTART-\n")
    write(name, content)
    with pytest.raises(CrossdocError, match=message):
        list(aida.documents(tmp_path))


def test_aida_mentions(write, tmp_path):
    write("annotations.tsv", "-DOCSTART- (1)\n0\tEuropean_Union\thttp://\n2\t--NME--\n4\tParis\n\n-DOCSTART- (2)\n")
    write(
        "eng.train",
        "-DOCSTART- -X- O O\n\nEU NNP I-NP I-ORG\nand CC O O\nJohn NNP I-NP I-PER\nSmith NNP I-NP I-PER\n"
        "Paris NNP I-NP I-LOC\nFrench JJ I-NP I-MISC\n",
    )
    write("eng.testa", "-DOCSTART- -X- O O\n\nRome NNP I-NP I-LOC\n")
    first, second = aida.documents(tmp_path)
    assert (first.id, first.text) == ("train/0", "EU and John Smith Paris French")
    assert [(m.text, m.type, m.chain) for m in first.mentions] == [
        ("EU", "organisation", "European_Union"),
        ("John Smith", "person", None),
        ("Paris", "place", "Paris"),
    ]
    assert [(m.id, m.chain) for m in second.mentions] == [("testa/0:0:4", None)]
    assert aida.gold(tmp_path).column("id").to_pylist() == ["train/0:0:2", "train/0:18:23"]


DESCRIPTION = """<corpus><doc rank="1" title="A & B" url="u"/>
<doc rank="2" title="T"><snippet>S</snippet></doc></corpus>"""
TRUTH = """<c><entity id="0"><doc rank="1"/></entity>
<entity id="1"><doc rank="1"/><doc rank="2"/></entity></c>"""


def test_weps_on_a_small_folder(write, tmp_path):
    write("description_files/Ann_Lee.xml", DESCRIPTION)
    write("web_pages/Ann_Lee/raw/001/index.html", "<p>Ann Lee teaches.")
    write("truth_files/Ann_Lee.clust.xml", TRUTH)
    assert [(d.id, d.text, d.title) for d in weps.documents(tmp_path)] == [
        ("Ann_Lee/1", "Ann Lee teaches.", "A & B"),
        ("Ann_Lee/2", "T\nS", "T"),
    ]
    assert weps.gold(tmp_path).to_pylist() == [
        {"id": f"Ann_Lee/{rank}", "entity": f"Ann_Lee/{entity}", "group": "Ann_Lee"}
        for rank, entity in ((1, 0), (1, 1), (2, 1))
    ]
    write("truth_files/Ann_Lee.clust.xml", '<c><entity><doc rank="first"/></entity></c>')
    with pytest.raises(CrossdocError, match="rank 'first'"):
        weps.gold(tmp_path)
