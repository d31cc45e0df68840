"""AIDA CoNLL-YAGO."""

from collections import Counter

import pytest
from corpora import aida

from crossdoc.errors import CrossdocError


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
