"""The BSNLP reader, on a corpus made here and, where it is to be had, on the real one."""

from pathlib import Path

import pytest
from corpora import bsnlp

from crossdoc.errors import CrossdocError


@pytest.fixture
def corpus(write, tmp_path):
    write("brexit/raw/pl/a_1.txt", "pl-1\npl\n2018-01-12\nhttp://x\nMay w Londynie\n\nTheresa May i Tory. Mayer nie.\n")
    write(
        "brexit/annotated/pl/a_1.out",
        "pl-1\nTheresa May\tTheresa May\tPER\tPER-May\nMay\tMay\tPER\tPER-May\nLondynie\tLondyn\tLOC\tGPE-London\n"
        "Tory\tTory\tORG\tORG-Tory\nBrexit\tBrexit\tEVT\tEVT-Brexit\nbroken\tline\n",
    )
    write("brexit/raw/ru/b.txt", "ru-1\nru\n2018-01-13\nhttp://y\nМэй\n")
    write("brexit/annotated/ru/b.out", "ru-1\nМэй\tМэй\tPER\tPER-May\n")
    return tmp_path


def test_forms(corpus):
    found = list(bsnlp.forms(corpus))
    assert [(form.language, form.text, form.lemma, form.type, form.entity) for form in found][2:4] == [
        ("pl", "Londynie", "Londyn", "LOC", "GPE-London"),
        ("pl", "Tory", "Tory", "ORG", "ORG-Tory"),
    ]
    assert len(found) == 6
    assert found[-1].document == "brexit/ru/b"


@pytest.mark.parametrize("below", ["", "brexit"])
def test_documents_and_gold(corpus, below):
    first, second = bsnlp.documents(corpus / below)
    assert (first.id, first.title, first.date, first.language) == (
        "brexit/pl/a_1",
        "May w Londynie",
        "2018-01-12",
        "pl",
    )
    assert [(m.text, m.type, m.chain) for m in first.mentions] == [
        ("May", "person", "PER-May"),
        ("Londynie", "place", "GPE-London"),
        ("Theresa May", "person", "PER-May"),
        ("Tory", "organisation", "ORG-Tory"),
    ]
    assert all(first.text[m.start : m.end] == m.text for m in first.mentions)
    assert second.text == "Мэй"
    rows = bsnlp.gold(corpus / below).to_pylist()
    assert [row["entity"] for row in rows] == ["PER-May", "GPE-London", "ORG-Tory", "PER-May"]


def test_what_is_no_corpus(tmp_path):
    with pytest.raises(CrossdocError, match="no file or folder"):
        list(bsnlp.documents(tmp_path / "missing"))
    with pytest.raises(CrossdocError, match="holds no document"):
        list(bsnlp.documents(tmp_path))


def test_the_real_corpus(corpus_folder):
    folder: Path = corpus_folder("bsnlp2019") / "asia_bibi"
    documents = list(bsnlp.documents(folder))
    assert len(documents) == 406
    located = {(d.id, m.chain) for d in documents for m in d.mentions}
    wanted = {(form.document, form.entity) for form in bsnlp.forms(folder) if form.type in bsnlp.TYPES}
    assert len(wanted - located) < 0.005 * len(wanted)


def test_annotations_named_as_those_of_2021(write, tmp_path):
    write("c/raw/pl/pl.txt_file_7.txt", "pl-7\npl\n2020-01-12\nhttp://x\nTheresa May.\n")
    write("c/annotated/pl/pl.out_file_7.out", "pl-7\nTheresa May\tTheresa May\tPER\tPER-May\n")
    (document,) = bsnlp.documents(tmp_path / "c")
    assert [(document.id, m.text, m.chain) for m in document.mentions] == [("c/pl/pl_file_7", "Theresa May", "PER-May")]
