"""WePS-1."""

import pytest
from corpora import weps

from crossdoc.errors import CrossdocError


@pytest.mark.parametrize(
    ("part", "names", "entities", "labelled"), [("train", 49, 527, 2206), ("test", 30, 1378, 2516)]
)
def test_weps_gold(corpus_folder, part, names, entities, labelled):
    folder = corpus_folder(f"weps1/{part}")
    gold = weps.gold(folder)
    assert len(weps.names(folder)) == names
    assert len(set(gold.column("entity").to_pylist())) == entities
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
