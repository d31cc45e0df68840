"""Dumps of a wiki: complete, cut off, compressed and broken."""

import bz2
import gzip
import lzma

import pytest

from crossdoc import errors

from .common import dump, mentions


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
