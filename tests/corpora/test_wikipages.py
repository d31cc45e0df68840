"""Pages from web archives, folders and files."""

import gzip
import lzma

import pytest

from crossdoc import errors
from crossdoc.corpora.wikilinks import LinkCorpus
from crossdoc.corpora.wikipages import find_files

from .common import EVERYTHING, LINK, mentions


def record(address, body, kind="text/html; charset=latin-1", more=b""):
    http = b"HTTP/1.1 200 OK\r\nContent-Type: " + kind.encode() + b"\r\n" + more + b"\r\n" + body
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Target-URI: {address}\r\n"
        "WARC-Date: 2011-06-19T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(http)}\r\n\r\n"
    )
    return head.encode() + http + b"\r\n\r\n"


RECORDS = [
    record("http://a.org/1", LINK.encode("latin-1")),
    record("http://a.org/2", gzip.compress(LINK.encode()), "text/html", b"Content-Encoding: gzip\r\n"),
    record("http://a.org/1", LINK.encode("latin-1")),
    record("http://a.org/3", b"%PDF", "application/pdf"),
    record("https://en.wikipedia.org/wiki/Rhine", b"<p>The <a href='/wiki/Bonn'>town</a>", "application/xhtml+xml"),
]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.warc", b"".join(RECORDS)),
        ("a.warc.gz", b"".join(map(gzip.compress, RECORDS))),
        ("a.warc.xz", lzma.compress(b"".join(RECORDS))),
    ],
)
def test_archives(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    found, corpus = mentions(tmp_path / name)
    assert [(m["document"], m["name"], m["context"]) for m in found] == [
        ("http://a.org/1", "Bonn", "Herr Müller in Bonn"),
        ("http://a.org/2", "Bonn", "Herr Müller in Bonn"),
        ("https://en.wikipedia.org/wiki/Rhine", "town", "The town"),
    ]
    assert corpus.counts["pages that came before"] == 1


@pytest.mark.parametrize("cut", [len(RECORDS[0]) + 50, len(RECORDS[0] + RECORDS[1]) - 30])
def test_an_archive_cut_off(write, cut):
    path = write("a.warc", b"".join(RECORDS)[:cut])
    with pytest.raises(errors.InputError, match="the record at byte"):
        mentions(path)
    assert len(mentions(path, partial=True)[0]) == 1


def test_what_is_no_archive(write):
    with pytest.raises(errors.InputError, match="cannot be read"):
        mentions(write("a.warc", "hello world\n" * 100))


def test_a_folder_of_pages(write, tmp_path):
    write("in/b/page.html", LINK.encode("latin-1"))
    write("in/a.htm.gz", LINK)
    write("in/picture.html", b"\x00\x01\x02" * 100)
    write("in/notes.txt", "no page")
    found, corpus = mentions(tmp_path / "in")
    assert [(m["id"], m["context"]) for m in found] == [
        ("a.htm.gz:15:19", "Herr Müller in Bonn"),
        ("b/page.html:15:19", "Herr Müller in Bonn"),
    ]
    assert corpus.counts["pages that are not text"] == 1
    with pytest.raises(errors.InputError, match=r"page\.html"):
        LinkCorpus(EVERYTHING).read([tmp_path / "in/b", tmp_path / "in/b"])


def test_inputs_that_are_not_there(tmp_path, write):
    for path, message in (
        (tmp_path / "none", "no file or folder"),
        (write("a.pdf", "x"), r"a\.pdf"),
        (tmp_path, "holds no"),
    ):
        with pytest.raises(errors.CrossdocError, match=message):
            find_files([path])
