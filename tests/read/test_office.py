"""Office documents and e-mails, and what becomes of files that are broken or crafted."""

import io
import signal
import zipfile
from collections import Counter

import pytest

from crossdoc.errors import CrossdocError
from crossdoc.read import DocumentReader, find_sources, office
from crossdoc.read.office import read_office

SAID = "John Smith, chairman of Müller & Söhne, spoke."
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
MAIL = b"""From: Ann Lee <ann@example.org>
To: John Smith <john@example.org>
Subject: The race
Date: Mon, 15 Jan 1996 09:00:00 +0000
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/html; charset=utf-8

<p>Meet <b>Ayrton</b> in Monaco.</p>
--b
Content-Type: application/pdf; name=a.pdf
Content-Disposition: attachment

x
--b--
"""


def zipped(**parts: str) -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name.replace("__", "/"), content)
    return sink.getvalue()


def pdf(text: str) -> bytes:
    """One page with one line, written by hand."""
    drawn = f"BT /F1 12 Tf 20 100 Td ({text}) Tj ET".encode("cp1252")
    parts = [
        b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 500 200]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%b\nendstream" % (len(drawn), drawn),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>", b"<</Title(The race)>>",
    ]  # fmt: skip
    written, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(written))
        written += b"%d 0 obj%b endobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    start = len(written)
    written += b"xref\n0 7\n0000000000 65535 f \n" + table
    return written + b"trailer<</Size 7/Root 1 0 R/Info 6 0 R>>\nstartxref\n%d\n%%%%EOF" % start


def docx(text: str) -> bytes:
    escaped = text.replace("&", "&amp;")
    return zipped(**{
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
        "_rels/.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/'
        'officeDocument" Target="word/document.xml"/></Relationships>',
        "word/document.xml": f'<w:document xmlns:w="{WORD}"><w:body><w:p><w:r><w:t>{escaped}</w:t></w:r></w:p>'
        "</w:body></w:document>",
        "docProps/core.xml": "<c><dc:title>The race</dc:title></c>",
    })  # fmt: skip


def odt(body: str) -> bytes:
    return zipped(**{
        "content.xml": f"<office:document-content xmlns:office='o' xmlns:text='t'><office:body>{body}</office:body>"
        "</office:document-content>",
        "meta.xml": "<m><dc:title>The race</dc:title></m>",
    })  # fmt: skip


def epub(text: str) -> bytes:
    return zipped(**{
        "META-INF/container.xml": "<c><rootfiles><rootfile full-path='O/p.opf' media-type='x'/></rootfiles></c>",
        "O/p.opf": "<package><dc:title>The race</dc:title><manifest><item id='b' href='b.xhtml'/>"
        "<item id='a' href='a.xhtml'/></manifest><spine><itemref idref='a'/><itemref idref='b'/></spine></package>",
        "O/a.xhtml": f"<html><body><p>{text.replace('&', '&amp;')}</p></body></html>",
        "O/b.xhtml": "<html><body><p>Second.</p></body></html>",
    })  # fmt: skip


BROKEN_ODT = "<text:p>John Smith,<text:s text:c='1'/>chairman of Müller &amp; Söhne, spoke.</text:p>"
WHOLE = {
    "a.pdf": pdf(SAID), "a.docx": docx(SAID), "a.odt": odt(BROKEN_ODT), "a.epub": epub(SAID),
    "a.rtf": b"{\\rtf1\\ansi\\ansicpg1252 John Smith, chairman of M\\'fcller & S\\'f6hne, spoke.}",
}  # fmt: skip


def read(path):
    return [document for batch in DocumentReader(find_sources([path])) for document in batch]


@pytest.mark.parametrize("name", WHOLE)
def test_the_text_of_each_kind(write, name):
    (document,) = read(write(name, WHOLE[name]))
    assert document.id == name
    assert SAID in document.text
    assert document.title == (None if name == "a.rtf" else "The race")


def test_chapters_stand_in_the_order_of_the_book(write):
    (document,) = read(write("a.epub", epub("First.")))
    assert document.text.split() == ["First.", "Second."]


def test_comments_and_deleted_text_of_odt_are_not_read(write):
    body = "<text:tracked-changes><text:p>gone</text:p></text:tracked-changes><text:p>kept<office:annotation>"
    (document,) = read(write("a.odt", odt(f"{body}<text:p>aside</text:p></office:annotation></text:p>")))
    assert document.text == "kept"


def test_an_email_says_who_wrote_to_whom(write):
    reader = DocumentReader(find_sources([write("a.eml", MAIL)]))
    (document,) = [document for batch in reader for document in batch]
    assert document.text.splitlines()[:3] == [
        "From: Ann Lee <ann@example.org>", "To: John Smith <john@example.org>", "Subject: The race"
    ]  # fmt: skip
    assert "Meet Ayrton in Monaco." in document.text
    assert (document.title, document.date) == ("The race", "1996-01-15")
    assert reader.notes["attachments of e-mails (not read)"] == 1


def test_a_mailbox_is_its_messages(write):
    box = b"From a\n" + MAIL + b"\nFrom b\nSubject: Two\n\n>From here on.\nFrom the middle.\n\nFrom c\nno header\n"
    reader = DocumentReader(find_sources([write("box.mbox", box)]))
    found = [document for batch in reader for document in batch]
    assert [document.id for document in found] == ["box.mbox/1", "box.mbox/2"]
    assert found[1].text == "Subject: Two\n\nFrom here on.\nFrom the middle."
    assert reader.notes["messages that cannot be read"] == 1


ENTITIES = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.pdf", b"%PDF-1.4 cut", "not a whole PDF"),
        ("a.pdf", pdf(""), "scanned pages need OCR"),
        ("a.docx", b"PK\x03\x04cut", "not a whole file"),
        ("a.docx", zipped(a="x"), "not a whole"),
        ("a.odt", zipped(**{"content.xml": ENTITIES}), "document type"),
        ("a.odt", zipped(**{"content.xml": "<a>"}), "not XML inside"),
        ("a.odt", zipped(**{"mimetype": "x"}), "content.xml cannot be read"),
        ("a.odt", zipped(**{"content.xml": "a" * (1 << 28) + "a"}), "unpacks to"),
        ("a.epub", zipped(a="x"), "container.xml cannot be read"),
        ("a.rtf", b"John Smith", "not RTF"),
        ("a.eml", b"\0\1\2", "no sender"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(write, name, content, told):
    with pytest.raises(CrossdocError, match=told):
        read(write(name, content))


def test_beside_others_a_broken_file_is_a_note(write, tmp_path):
    write("in/a.pdf", b"%PDF-1.4 cut")
    write("in/b.rtf", WHOLE["a.rtf"])
    reader = DocumentReader(find_sources([tmp_path / "in"]))
    assert [document.id for batch in reader for document in batch] == ["b.rtf"]
    assert "a.pdf cannot be read: it is not a whole PDF" in reader.skipped[0]


def test_a_file_that_hangs_or_kills_its_reader(write, monkeypatch):
    (source,) = find_sources([write("a.rtf", WHOLE["a.rtf"])])
    (before,) = read_office(source, 1000, Counter())
    office._Worker.running.send_signal(signal.SIGSTOP)
    monkeypatch.setattr(office, "OFFICE_SECONDS", 0.3)
    with pytest.raises(CrossdocError, match="took more than 0 seconds"):
        list(read_office(source, 1000, Counter()))
    monkeypatch.setattr(office, "OFFICE_SECONDS", 60)
    (after,) = read_office(source, 1000, Counter())
    assert after == before
    monkeypatch.setattr(office._Worker, "_process", classmethod(lambda cls: _dies(cls)))
    with pytest.raises(CrossdocError, match="ended the process"):
        list(read_office(source, 1000, Counter()))


def _dies(cls):
    import subprocess

    cls.running = subprocess.Popen(["false"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    return cls.running


def test_a_text_too_long_is_refused(write):
    with pytest.raises(CrossdocError, match="limit"):
        list(DocumentReader(find_sources([write("a.rtf", WHOLE["a.rtf"])]), max_document_characters=10))
