"""Addresses of pages, and closing an explorer."""

from pathlib import Path

import pytest

from crossdoc.web.session import Session, identity_url, page_url


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        (identity_url("news/1.txt:0:3"), "/identity?id=news%2F1.txt%3A0%3A3"),
        (page_url("document", id="a&b", identity=None), "/document?id=a%26b"),
        (page_url("document", id="d", identity="e?"), "/document?id=d&identity=e%3F"),
        (page_url("why", a="a/1", b="b", identity=""), "/why?a=a%2F1&b=b"),
        (page_url("why", a="a", identity="e 1"), "/why?a=a&identity=e%201"),
    ],
)
def test_ids_are_quoted_in_addresses(address, expected):
    assert address == expected


class Closing:
    def __init__(self, name, log):
        self.name, self.log = name, log

    def close(self):
        self.log.append(self.name)


def test_changes_are_finished_before_the_reader_is_closed():
    log = []
    session = Session(Path("x"), Closing("reader", log), Closing("changes", log))
    assert not session.read_only
    session.close()
    assert log == ["changes", "reader"]
    assert Session(Path("x"), Closing("reader", log), None).read_only
