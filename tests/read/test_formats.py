"""Formats that installed packages bring: found by their endings, read as ours are, and told by name where they fail."""

import gzip

import pytest

from crossdoc import errors, read_documents
from crossdoc.read import DocumentReader, find_sources
from crossdoc.read.documents import holds_profiles
from crossdoc.read.sources import added_formats, endings

READER = '''
from crossdoc import Document, Mention

def read(source):
    """A document a line."""
    with source.open() as stream:
        for number, line in enumerate(stream, 1):
            text = line.decode().strip()
            if text == "stop":
                raise ValueError("no more")
            yield {"bad": "text", "none": Document("x", None)}.get(text) or Document(f"{source.id}#{number}", text)

def outside(source):
    yield Document("d", "Ann", mentions=(Mention("m", "d", 1, 9, "nn", "person"),))

def elsewhere(source):
    yield Document("d", "Ann Lee", mentions=(Mention("m", "other", 0, 3, "Ann", "person"),))

def unsafe(source):
    yield Document("a\\x1bb", "Ann\\x00Lee \\ud800")

def empty(source):
    yield Document("", "Ann")

def broken(source):
    with source.open() as stream:
        stream.read()
    yield
'''
POINTS = """
[project.entry-points."crossdoc.formats"]
lines = "their_reader:read"
outside = "their_reader:outside"
elsewhere = "their_reader:elsewhere"
unsafe = "their_reader:unsafe"
empty = "their_reader:empty"
broken = "their_reader:broken"
missing = "their_reader:nowhere"
txt = "their_reader:outside"
"""


@pytest.fixture
def installed(package):
    package({"their_reader": READER}, POINTS)


def test_read_like_ours(installed, write):
    spoke = "The chairman of the company spoke to the workers about their wages."
    path = write("notes.LINES", f"{spoke}\nBob left.\n")
    (first, second) = read_documents(path)
    assert (first.id, first.text, first.language) == ("notes.LINES#1", spoke, "en")
    assert (second.id, second.text) == ("notes.LINES#2", "Bob left.")
    (source,) = find_sources([path])
    assert not holds_profiles(source)
    squeezed = write("more.lines.gz", "Eve sang.\n")
    assert gzip.decompress(squeezed.read_bytes()) == b"Eve sang.\n"
    assert [d.text for d in read_documents(squeezed)] == ["Eve sang."]


def test_in_a_folder_beside_text(installed, write):
    write("all/a.lines", "Ann spoke.\n")
    write("all/b.txt", "Bob left.")
    write("all/c.csv", "id,text\nc,Cid\n")
    folder = write("all/deep/d.lines", "Dan sat.\nEve sang.\n").parent.parent
    assert [d.id for d in read_documents(folder)] == ["a.lines#1", "b.txt", "deep/d.lines#1", "deep/d.lines#2"]


def test_ours_cannot_be_replaced(installed, write):
    assert ".txt" not in added_formats()
    (document,) = read_documents(write("a.txt", "Ann."))
    assert document.id == "a.txt"


def test_without_the_package_the_file_is_of_no_kind(write):
    with pytest.raises(errors.InputError, match="cannot tell what kind") as caught:
        read_documents(write("notes.lines", "Ann."))
    assert ".lines" not in caught.value.hint


def test_endings_are_told(installed, write):
    assert endings()[:2] == [".txt", ".md"]
    with pytest.raises(errors.InputError) as caught:
        read_documents(write("a.png", "x"))
    assert ".mbox, .broken, .elsewhere" in caught.value.hint


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.lines", "Ann.\nbad\n", "reader of .lines files failed: what it gave as number 2 is a str and no crossdoc"),
        ("a.lines", "none\n", "number 1 has a NoneType for its text"),
        ("a.lines", "Ann.\nstop\n", "ValueError: no more"),
        ("a.outside", "", "mention 'm', which does not lie within its text"),
        ("a.elsewhere", "", "mention 'm', which does not lie within its text"),
        ("a.empty", "", "failed: .* id"),
        ("a.missing", "", "AttributeError: .*nowhere"),
        ("a.broken", "", None),
    ],
)
def test_what_a_reader_does_wrong_is_told_with_file_and_format(installed, write, name, content, told):
    path = write(name, content)
    if told is None:
        path = path.rename(path.with_name("a.broken.gz"))
        path.write_bytes(gzip.compress(b"much more than this")[:-9])
        told = "a.broken.gz cannot be read: .*end"
    with pytest.raises(errors.InputError, match=told) as caught:
        read_documents(path)
    assert str(path) in caught.value.what


def test_one_bad_file_of_many_is_left_out_and_told(installed, write):
    write("all/a.lines", "Ann spoke.\n")
    folder = write("all/b.lines", "Bob left.\nstop\n").parent
    reader = DocumentReader(find_sources([folder]))
    assert [d.id for batch in reader for d in batch] == ["a.lines#1", "b.lines#1"]
    (told,) = reader.skipped
    assert "b.lines" in told
    assert "no more" in told


def test_too_long(installed, write):
    path = write("a.lines", "short\nmuch too long\n")
    with pytest.raises(errors.InputError, match=r"a\.lines, document 2 is one document of more than 8"):
        list(DocumentReader(find_sources([path]), max_document_characters=8))


def test_control_characters_and_half_pairs_do_no_harm(installed, write):
    (document,) = read_documents(write("a.unsafe", ""))
    assert (document.id, document.text) == ("a b", "Ann Lee \ufffd")


def test_listed_by_the_command(installed, capsys):
    from crossdoc.cli.reference_commands import formats

    formats()
    assert "Installed packages read documents from: .broken" in capsys.readouterr().out
