"""Tables to download."""

from collections import namedtuple

from crossdoc.web.downloads import downloaded

Row = namedtuple("Row", "name n")


def table(rows, columns):
    return downloaded(rows, columns, "rows.csv").body.decode()


def test_columns_are_in_the_given_order_and_all_rows_are_written():
    rows = [Row("Ann", 1), Row('"Bo", Jr.', None), Row("Élodie", 3)]
    assert table(rows, ("n", "name")) == '"n","name"\n1,"Ann"\n,"""Bo"", Jr."\n3,"Élodie"\n'


def test_no_cell_is_a_formula():
    assert table([Row("=1+1", 1), Row("@x", 1), Row("-y", 1)], ("name",)) == '"name"\n"\'=1+1"\n"\'@x"\n"\'-y"\n'


def test_without_rows_there_is_a_header():
    assert table([], ("name", "n")) == '"name","n"\n'


def test_a_file_has_a_quoted_name():
    response = downloaded([], ("name",), 'Ann "Bo"/1.csv')
    assert response.headers["content-disposition"] == "attachment; filename*=UTF-8''Ann%20%22Bo%22%2F1.csv"
    assert response.media_type == "text/csv; charset=utf-8"
