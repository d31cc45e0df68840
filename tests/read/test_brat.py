"""brat's standoff: pairs of files, spans checked against the text, chains from equivalences, relations and links."""

import pytest

from crossdoc import errors, read_documents

TEXT = "Steve Jobs, head of Apple, spoke.\r\nHe left Apple. Jobs and the firm sat. ünïcode Ann 😀 Lee"
PIECES = {"Steve Jobs": 0, "Apple": 20, "He": 35, "APPLE": 43, "Jobs": 50, "the firm": 59}


def bound(key: str, label: str, text: str, start: int | None = None) -> str:
    start = TEXT.index(text) if start is None else start
    return f"{key}\t{label} {start} {start + len(text)}\t{text}"


ANNOTATIONS = "\n".join(
    [
        bound("T1", "Person", "Steve Jobs"),
        bound("T2", "Organization", "Apple"),
        bound("T3", "Person", "He"),
        bound("T4", "Organization", "Apple", 43),
        bound("T5", "PER", "Jobs", 50),
        bound("T6", "Firm", "the firm"),
        f"T7\tPerson {TEXT.index('Ann')} {TEXT.index('Ann') + 3};{TEXT.index('Lee')} {TEXT.index('Lee') + 3}\tAnn Lee",
        bound("T8", "Date", "spoke"),
        "E1\tEmploy:T8 Who:T1",
        "A1\tNegated E1",
        "R1\tCoreference Arg1:T3 Arg2:T1",
        "R2\tWorksFor Arg1:T1 Arg2:T2",
        "*\tEquiv T1 T5",
        "*\tEquiv T2 T6",
        "N1\tReference T2 Wikidata:Q312\tApple Inc.",
        "N2\tReference T4 Wikidata:Q312\tApple Inc.",
        "#1\tAnnotatorNotes T1\tsure",
    ]
)


def read(write, annotations, text=TEXT):
    write("in/a.txt", text)
    return read_documents(write("in/a.ann", annotations))


def test_chains(write):
    (document,) = read(write, ANNOTATIONS)
    assert (document.id, document.text) == ("a.txt", TEXT)
    told = {(m.start, m.text, m.type, m.kind, m.chain) for m in document.mentions}
    assert {row for row in told if row[2] == "person" and row[4]} == {
        (0, "Steve Jobs", "person", "name", "*1"),
        (35, "He", "person", "pronoun", "*1"),
        (50, "Jobs", "person", "name", "*1"),
    }
    assert {row for row in told if row[2] == "organisation"} == {
        (20, "Apple", "organisation", "name", "link:Wikidata:Q312"),
        (43, "Apple", "organisation", "name", "link:Wikidata:Q312"),
        (59, "the firm", "organisation", "nominal", "link:Wikidata:Q312"),
    }
    (lee,) = [m for m in document.mentions if m.chain is None]
    assert (lee.text, document.text[lee.start : lee.end]) == ("Ann 😀 Lee", "Ann 😀 Lee")


def test_in_a_folder_the_text_is_read_once(write):
    read(write, ANNOTATIONS)
    folder = write("in/b.txt", "Another text without any marks.").parent
    assert [(d.id, d.mentions is None) for d in read_documents(folder)] == [("a.txt", False), ("b.txt", True)]


def test_packed(write):
    write("a.txt.gz", TEXT)
    (document,) = read_documents(write("a.ann.gz", bound("T1", "Person", "Steve Jobs")))
    assert [m.text for m in document.mentions] == ["Steve Jobs"]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("T2\tPerson 0 500\tSteve", "0 500 does not lie in the text"),
        ("T2\tPerson 5 5\tSteve", "5 5 does not lie in the text"),
        ("T2\tPerson 0 4\tSteve", "T2 says 'Steve', and its place in the text 'Stev'"),
        ("T2 Person 0 5 Steve", "is not written as brat does"),
        ("R1\tCoref Arg1:T1 Arg2:T9", "there is no T9"),
        ("*\tEquiv T1 T9", "there is no T9"),
        ("N1\tReference", "is not written as brat does"),
        ("?1\twhat", "is not a brat annotation"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(write, line, why):
    with pytest.raises(errors.InputError, match=r"a\.ann, line 2: ") as told:
        read(write, f"{bound('T1', 'Person', 'Steve Jobs')}\n{line}\n")
    assert why in told.value.what


def test_the_text_must_be_there_and_text(write):
    with pytest.raises(errors.InputError, match="is not next to it"):
        read_documents(write("alone.ann", ANNOTATIONS))
    with pytest.raises(errors.InputError, match="not UTF-8"):
        read(write, "", b"M\xfcller")
