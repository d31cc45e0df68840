"""The published corpora, where CROSSDOC_DATA has them; and what is said of a folder that is not one."""

import pytest
from corpora import CORPORA, corpus_errors

from crossdoc.errors import CrossdocError

NOT_UTF8 = b"1\nMay\tMay\tPER\tPER-M\x80K\x9e2ay\n"


@pytest.mark.parametrize("name", CORPORA)
def test_a_folder_that_is_no_corpus(name, tmp_path):
    reader = CORPORA[name]
    read = getattr(reader, "documents", None) or reader.profiles
    for folder in (tmp_path, tmp_path / "missing"):
        with pytest.raises(CrossdocError):
            list(read(folder))


def test_a_file_that_is_not_as_published(write, tmp_path):
    write("t/raw/pl/a.txt", "1\npl\n2018-01-12\nx\nMay.\n")
    write("t/annotated/pl/a.out", NOT_UTF8)
    with (
        pytest.raises(CrossdocError, match="not the corpus bsnlp as it was published"),
        corpus_errors("bsnlp", tmp_path),
    ):
        list(CORPORA["bsnlp"].documents(tmp_path))
