"""Reuters-21578: SGML with the wire's line noise in it."""

import pytest
from corpora import reuters

from crossdoc.errors import InputError, UsageError

HEAD = '<REUTERS TOPICS="YES" OLDID="5544" NEWID="{}">\n<DATE>{}</DATE>\n'
STORY = (
    HEAD.format(1, "26-FEB-1987 15:01:01.79") + "<UNKNOWN>\n&#5;&#5;&#5;C T\n&#22;&#22;&#1;f0704&#31;reute</UNKNOWN>\n"
    "<TEXT>&#2;\n<TITLE>BAHIA &lt;COCOA> REVIEW</TITLE>\n<DATELINE>    SALVADOR, Feb 26 - </DATELINE>"
    "<BODY>Showers continued at AT&amp;T,\nComissaria Smith said.\n Reuter\n&#3;</BODY></TEXT>\n</REUTERS>\n"
)
BRIEF = HEAD.format(2, " 9-MAR-1987 09:00:00.00&#9;&#9;&#9;F") + (
    '<TEXT TYPE="BRIEF">&#2;\n******<TITLE>FED SETS REPURCHASE</TITLE>\nBlah blah blah.\n&#3;\n</TEXT></REUTERS>\n'
)
UNPROC = HEAD.format(3, "1-APR-1987 09:00:00.00") + (
    '<TEXT TYPE="UNPROC">&#2;\nMONEY SUPPLY\n growth.\xfc&#5;&#30;side measures\n REUTER\n&#3;</TEXT></REUTERS>\n'
)


@pytest.fixture
def folder(write):
    write("reut2-001.sgm", (BRIEF + UNPROC).encode("latin-1"))
    return write("reut2-000.sgm.xz", STORY.encode("latin-1")).parent


def test_a_story_is_dateline_and_body_without_line_noise_and_sign_off(folder):
    story = next(reuters.documents(folder))
    assert (story.id, story.title, story.date) == ("1", "BAHIA <COCOA> REVIEW", "1987-02-26")
    assert story.text == "SALVADOR, Feb 26 - Showers continued at AT&T,\nComissaria Smith said."


def test_a_story_without_a_body_is_its_headline(folder):
    brief = list(reuters.documents(folder))[1]
    assert (brief.id, brief.text, brief.date) == ("2", "FED SETS REPURCHASE", "1987-03-09")


def test_an_unprocessed_story_keeps_its_text(folder):
    unprocessed = list(reuters.documents(folder))[2]
    assert unprocessed.title is None
    assert unprocessed.text == "MONEY SUPPLY\n growth.üside measures"


def test_a_folder_without_the_files_is_said_to_be_so(tmp_path):
    with pytest.raises(InputError, match="no document"):
        next(reuters.documents(tmp_path))
    with pytest.raises(UsageError, match="no file or folder"):
        next(reuters.documents(tmp_path / "nowhere"))


def test_a_story_without_a_number_is_named_with_its_file(write):
    path = write("reut2-000.sgm", STORY.replace(' NEWID="1"', ""))
    with pytest.raises(InputError, match=r"reut2-000\.sgm cannot be read: .*NEWID"):
        next(reuters.documents(path.parent))


@pytest.mark.slow
def test_the_whole_corpus_is_there(corpus_folder):
    documents = list(reuters.documents(corpus_folder("reuters21578")))
    assert len(documents) == len({document.id for document in documents}) == 21_578
    assert all(document.date and document.date.startswith("1987-") for document in documents)
    # One story is nothing but its routing.
    assert [document.id for document in documents if not document.text] == ["12793"]
    assert not any(ord(c) < 32 and c not in "\n\t" for document in documents for c in document.text)
