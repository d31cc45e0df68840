"""Pages from web archives, folders and files."""

import bz2
import gzip
import lzma

import pytest
from wikilinks import LinkCorpus
from wikipages import find_files

from crossdoc import errors

from .common import EVERYTHING, LINK, dump, mentions


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


def test_mentions_of_a_dump(write):
    path = write(
        "d.xml",
        dump(
            ("Alpha", "He met [[USA|them]].\n\nIn [[bonn]] & [[Portail:Rhine]] it was [[Twice]]."),
            ("USA", ">United States"),
            ("United States", "See [[Alpha]]."),
            ("Twice", ">Thrice"),
            ("Thrice", ">Twice"),
            ("Talk:Alpha", "[[Never]]"),
            ("Bonn", "[[Rhine]] {{disambig}}"),
        ),
    )
    found, corpus = mentions(path)
    assert [(m["id"], m["name"], m["entity"]) for m in found] == [
        ("Alpha:7:11", "them", "United States"),
        ("Alpha:16:20", "bonn", "Bonn"),
        ("Alpha:30:35", "Twice", "Thrice"),
        ("United States:4:9", "Alpha", "Alpha"),
    ]
    assert all(m["context"][m["start"] : m["end"]] == m["name"] and m["split"] == "test" for m in found)
    assert corpus.counts["pages"] == 3


@pytest.mark.parametrize(("ending", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)])
def test_compressed_dumps_whole_and_cut_off(tmp_path, ending, pack):
    whole = dump(*((f"P{i}", f"[[Bonn]] {i} {i * 7919 % 1000} " * 50) for i in range(400)))
    path = tmp_path / f"d.xml{ending}"
    path.write_bytes(pack(whole))
    assert len(mentions(path)[0]) == 20_000
    path.write_bytes(pack(whole)[:-20])
    with pytest.raises(errors.InputError, match=r"ends in the middle, at line"):
        mentions(path)


def test_a_dump_cut_off_can_be_made_do_with(write):
    path = write("d.xml", dump(("A", "[[Bonn]]"), ("B", "[[Rome]]"))[:-60])
    with pytest.raises(errors.InputError, match="at line 3, after 1 complete pages") as error:
        mentions(path)
    assert "--partial" in error.value.hint
    assert [m["entity"] for m in mentions(path, partial=True)[0]] == ["Bonn"]


def test_bytes_within_a_letter_cut_off(write):
    whole = dump(("A", "[[Bonn]]"), ("B", "Ü"))
    path = write("d.xml", whole[: whole.index("Ü".encode()) + 1])
    assert len(mentions(path, partial=True)[0]) == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (dump(("A", "x"), end="</page>"), "line 3: it is not well-formed XML (mismatched tag)"),
        (dump(("A", "x"), end="&nosuch;</mediawiki>"), "line 3: it is not well-formed XML (undefined entity)"),
        (b"<html><p>x</p></html>", "its first element is <html>"),
        (b"", "line 1: it is not well-formed XML (no element found)"),
        (b"\x00\x01", "line 1"),
        (dump(("A", "no link")), "No link to Wikipedia is left"),
    ],
)
def test_what_is_no_dump(write, content, message):
    with pytest.raises(errors.InputError) as error:
        mentions(write("d.xml", content))
    assert message in error.value.what
