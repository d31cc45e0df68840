"""Tables to download."""

from collections import namedtuple
from operator import getitem

import pytest

from crossdoc.web import downloads
from crossdoc.web.downloads import as_csv, downloaded

Row = namedtuple("Row", "name n")


@pytest.mark.parametrize("batch", [1, 2, 5000])
def test_columns_are_in_the_given_order_and_all_rows_are_written(monkeypatch, batch):
    monkeypatch.setattr(downloads, "CSV_BATCH", batch)
    rows = [Row("Ann", 1), Row('"Bo", Jr.', None), Row("Élodie", 3)]
    assert "".join(as_csv(rows, ("n", "name"))) == 'n,name\n1,Ann\n,"""Bo"", Jr."\n3,Élodie\n'


def test_no_cell_is_a_formula():
    assert "".join(as_csv([{"a": "=1+1"}, {"a": "@x"}, {"a": "-y"}], ("a",), getitem)) == "a\n'=1+1\n'@x\n'-y\n"


def test_without_rows_there_is_a_header():
    assert "".join(as_csv([], ("a", "b"))) == "a,b\n"


def test_a_file_has_a_quoted_name():
    response = downloaded(iter(["a\n"]), 'Ann "Bo"/1.csv')
    assert response.headers["content-disposition"] == "attachment; filename*=UTF-8''Ann%20%22Bo%22%2F1.csv"
    assert response.media_type == "text/csv; charset=utf-8"
