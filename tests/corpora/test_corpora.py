"""The published corpora, where CROSSDOC_DATA has them; and what is said of a folder that is not one."""

import pytest

from crossdoc.corpora import CORPORA
from crossdoc.errors import CrossdocError


@pytest.mark.parametrize("name", CORPORA)
def test_a_folder_that_is_no_corpus(name, tmp_path):
    reader = CORPORA[name]
    read = getattr(reader, "documents", None) or reader.profiles
    for folder in (tmp_path, tmp_path / "missing"):
        with pytest.raises(CrossdocError):
            list(read(folder))
