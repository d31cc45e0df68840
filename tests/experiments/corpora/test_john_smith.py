"""The John Smith corpus."""

from corpora import john_smith


def test_john_smith(corpus_folder):
    folder = corpus_folder("john_smith")
    documents = list(john_smith.documents(folder))
    gold = john_smith.gold(folder)
    assert (len(documents), len(set(gold.column("entity").to_pylist()))) == (197, 35)
    assert [document.id for document in documents] == gold.column("id").to_pylist()
    assert all("Smith" in document.text and document.date[:2] == "19" for document in documents)
