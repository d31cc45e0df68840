"""Names and clusters → mentions: which name a phrase is about, what a chain is, what is left out."""

import pytest

from crossdoc.errors import InputError
from crossdoc.read.annotations import Name, NumberedLines, Reference, RunningText, mentions_of
from crossdoc.read.sources import Source

TEXT = "The chairman John Smith of General Motors spoke. He left. John Smith, the chairman, and Ann Lee sat."


def at(text: str, nth: int = 0) -> tuple[int, int]:
    start = -1
    for _ in range(nth + 1):
        start = TEXT.index(text, start + 1)
    return start, start + len(text)


def told(names, clusters):
    return {(m.text, m.type, m.kind, m.chain) for m in mentions_of("d", TEXT, names, clusters)}


SMITH, MOTORS = Name(*at("John Smith"), "person"), Name(*at("General Motors"), "organisation")


def test_a_cluster_is_the_chain_of_its_names():
    again = Name(*at("John Smith", 1), "person")
    cluster = [
        Reference(*at("The chairman John Smith")),
        Reference(*at("He"), "pronoun"),
        Reference(*at("John Smith", 1)),
    ]
    found = mentions_of("d", TEXT, [again, SMITH, MOTORS], {"c": cluster})
    assert [(m.id, m.text, m.type, m.kind, m.chain) for m in found] == [
        ("d:13:23", "John Smith", "person", "name", "c"),
        ("d:27:41", "General Motors", "organisation", "name", None),
        ("d:49:51", "He", "person", "pronoun", "c"),
        ("d:58:68", "John Smith", "person", "name", "c"),
    ]


@pytest.mark.parametrize(
    ("phrase", "head", "chained"),
    [
        ("The chairman John Smith", None, {"John Smith"}),
        # By their words alone both could be about General Motors; the head tells.
        ("The chairman John Smith of General Motors", None, set()),
        ("The chairman John Smith of General Motors", at("Smith"), {"John Smith"}),
        ("The chairman John Smith of General Motors", at("chairman"), set()),
        ("General Motors", at("Motors"), {"General Motors"}),
    ],
)
def test_the_name_that_a_phrase_is_about(phrase, head, chained):
    found = mentions_of("d", TEXT, [SMITH, MOTORS], {"c": [Reference(*at(phrase), head=head)]})
    assert {m.text for m in found if m.chain == "c" and m.kind == "name"} == chained


def test_what_is_added_after_a_comma_is_not_the_name_but_a_group_is_nobodys():
    smith, lee = Name(*at("John Smith", 1), "person"), Name(*at("Ann Lee"), "person")
    both = Reference(*at("John Smith, the chairman, and Ann Lee"))
    added = Reference(*at("John Smith, the chairman"))
    assert told([smith, lee], {"c": [added]}) == {
        ("John Smith", "person", "name", "c"),
        ("Ann Lee", "person", "name", None),
    }
    assert told([smith], {"c": [both]}) == {("John Smith", "person", "name", "c")}
    assert ("John Smith", "person", "name", None) in told([smith, lee], {"c": [both]})


def test_the_shortest_phrase_has_the_name():
    long, short = Reference(*at("The chairman John Smith")), Reference(*at("John Smith"))
    for clusters in ({"a": [long], "b": [short]}, {"b": [short], "a": [long]}):
        assert told([SMITH], clusters) == {("John Smith", "person", "name", "b")}


def test_a_cluster_without_a_name_is_left_out():
    assert told([MOTORS], {"c": [Reference(*at("He"), "pronoun"), Reference(*at("the chairman"))]}) == {
        ("General Motors", "organisation", "name", None)
    }


def test_running_text():
    running = RunningText()
    running.end_sentence()
    assert [running.add("Ann", ""), running.add("'s")] == [(0, 3), (3, 5)]
    running.end_sentence()
    assert running.add("Bob") == (6, 9)
    assert running.text == "Ann's\nBob"


def source_of(path):
    return Source(path, path.name, "conllu")


def test_lines(write):
    path = write("a.conllu.gz", "\ufeffone\r\ntwo\n\nthree".encode())
    assert list(NumberedLines(source_of(path))) == ["one", "two", "", "three"]


def test_a_file_that_is_cut_short(write):
    path = write("a.conllu.gz", "one two three " * 100)
    path.write_bytes(path.read_bytes()[:-12])
    with pytest.raises(InputError, match="cannot be read"):
        list(NumberedLines(source_of(path)))
