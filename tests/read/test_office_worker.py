"""The process that reads office documents: its protocol, without starting it."""

import io
import json
import zipfile

import pytest

from crossdoc.read.office_worker import OFFICE_READERS, answers

RTF = b"{\\rtf1\\ansi John Smith}"
MAIL = b"From: Ann\nTo: Bob\nSubject: Hi\nDate: Mon, 15 Jan 1996 10:00:00 +0000\n\nBody\n"


def ask(*files, most=1000):
    """Answers to (ending, content) pairs, sent one after the other."""
    stream = io.BytesIO()
    for ending, content in files:
        head = {"ending": ending, "size": len(content), "most": most}
        stream.write(json.dumps(head).encode() + b"\n" + content)
    stream.seek(0)
    return list(answers(stream))


def test_each_file_gets_one_answer_in_order():
    first, second, third = ask((".rtf", RTF), (".rtf", b"\n\n"), (".eml", MAIL))
    assert first == {"text": "John Smith"}
    assert second == {"problem": "it is not RTF"}
    assert third["text"] == "From: Ann\nTo: Bob\nSubject: Hi\n\nBody\n"
    assert (third["title"], third["date"]) == ("Hi", "1996-01-15")


def test_an_html_mail_is_a_page():
    (reply,) = ask((".eml", b"From: Ann\nContent-Type: text/html\n\n<p>Body"))
    assert (reply["text"], reply["pages"]) == ("From: Ann\n\n", ["<p>Body"])


def test_a_text_above_the_limit():
    assert ask((".rtf", RTF), most=5) == [{"too_large": True}]


@pytest.mark.parametrize("ending", OFFICE_READERS)
@pytest.mark.parametrize("content", [b"", b"\x00" * 50, b"PK\x03\x04", b"%PDF-1.4"])
def test_broken_files_are_problems(ending, content):
    (reply,) = ask((ending, content))
    assert set(reply) == {"problem"}


def test_a_zip_with_an_entity_is_refused():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("content.xml", '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>')
    assert "document type" in ask((".odt", packed.getvalue()))[0]["problem"]
