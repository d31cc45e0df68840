"""The table of identities."""

from crossdoc.store.views import Line
from crossdoc.web.parts.line_table import Lines, shown

LINE = Line("d/1:0:3", "Ann", "poet", None, 1200, 3400, 1996, 1998, 0.7, known="Q1", snippet="by Ann")


def test_cells_are_text():
    assert shown(LINE) == {
        "id": "d/1:0:3", "href": "/identity?id=d%2F1%3A0%3A3", "name": "Ann", "descriptor": "poet", "known": "Q1",
        "snippet": "by Ann", "type": "Other", "kind": "x-other", "documents": "1,200", "mentions": "3,400",
        "years": "1996–1998", "sure": "x-sure-2", "word": "fairly sure", "certain": "70% certain",
    }  # fmt: skip


def test_rows_are_replaced_in_place(client):
    table = Lines([LINE], "Identities", "name", False)
    assert (table.props["label"], table.props["sort"], table.props["descending"]) == ("Identities", "name", False)
    table.show([], "documents")
    assert (table.props["rows"], table.props["sort"], table.props["descending"]) == ([], "documents", True)
