"""Documents in zip and tar archives, and archives that are made to do harm."""

import io
import lzma
import stat
import tarfile
import zipfile

import pytest

from crossdoc.errors import CrossdocError
from crossdoc.read import DocumentReader, find_sources
from crossdoc.read import sources as module

FILES = {"b/two.txt": b"Ann Lee.", "one.html": b"<p>John <b>Smith</b></p>", ".hidden.txt": b"x", "p.png": b"x"}


def zip_of(files: dict[str, bytes]) -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return sink.getvalue()


def tar_of(files: dict[str, bytes], mode: str = "w") -> bytes:
    sink = io.BytesIO()
    with tarfile.open(fileobj=sink, mode=mode) as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return sink.getvalue()


def texts(path):
    return {document.id: document.text for batch in DocumentReader(find_sources([path])) for document in batch}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.zip", zip_of(FILES)), ("a.tar", tar_of(FILES)), ("a.tgz", tar_of(FILES, "w:gz")),
        ("a.tar.bz2", tar_of(FILES, "w:bz2")),
    ],
)  # fmt: skip
def test_an_archive_is_read_as_a_folder_is(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    assert texts(tmp_path / name) == {"b/two.txt": "Ann Lee.", "one.html": "John Smith"}
    assert find_sources([tmp_path / name]).notes == ["skipped, because crossdoc does not read them: 1 .png"]


def test_archives_in_a_folder_with_other_files(write, tmp_path):
    write("in/a.zip", zip_of(FILES))
    write("in/c.txt", "Bo Kim.")
    write("in/bad.zip", b"PK")
    assert list(texts(tmp_path / "in")) == ["c.txt", "a.zip/b/two.txt", "a.zip/one.html"]
    assert "bad.zip" in find_sources([tmp_path / "in"]).notes[0]


def test_an_archive_of_tables(write):
    path = write("a.zip", zip_of({"d.jsonl": b'{"id": "1", "text": "Ann Lee."}\n', "e.csv": b"id,text\n2,Bo Kim.\n"}))
    assert texts(path) == {"1": "Ann Lee.", "2": "Bo Kim."}


def test_names_that_lead_out_of_the_archive_are_only_names(write):
    assert texts(write("a.zip", zip_of({"../../etc/a.txt": b"x", "/b.txt": b"y"}))) == {"etc/a.txt": "x", "b.txt": "y"}


def test_links_in_a_tar_are_not_followed(tmp_path):
    sink = io.BytesIO()
    with tarfile.open(fileobj=sink, mode="w") as archive:
        for name, kind in (("a.txt", tarfile.SYMTYPE), ("b.txt", tarfile.LNKTYPE), ("c.txt", tarfile.FIFOTYPE)):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
    (tmp_path / "a.tar").write_bytes(sink.getvalue())
    with pytest.raises(CrossdocError, match="holds no document"):
        find_sources([tmp_path / "a.tar"])


def test_what_is_no_file_in_an_archive_is_counted(tmp_path):
    sink = io.BytesIO()
    with tarfile.open(fileobj=sink, mode="w") as archive:
        kinds = {"a.txt": tarfile.REGTYPE, "b.txt": tarfile.SYMTYPE, "c.txt": tarfile.LNKTYPE}
        kinds |= {"d.txt": tarfile.FIFOTYPE, "e": tarfile.DIRTYPE, ".f.txt": tarfile.SYMTYPE}
        for name, kind in kinds.items():
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
    (tmp_path / "a.tar").write_bytes(sink.getvalue())
    found = find_sources([tmp_path / "a.tar"])
    assert [source.id for source in found] == ["a.txt"]
    assert found.skipped == {"links in archives": 2, "pipes, devices or files with holes": 1}
    assert "2 links in archives" in found.notes[0]

    link = zipfile.ZipInfo("b.txt")
    link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.txt", "Ann Lee.")
        archive.writestr(link, "/etc/passwd")
    found = find_sources([tmp_path / "a.zip"])
    assert [source.id for source in found] == ["a.txt"]
    assert found.skipped == {"links in archives": 1}
    assert texts(tmp_path) == {"a.zip/a.txt": "Ann Lee.", "a.tar/a.txt": ""}


def test_bombs(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MOST_UNPACKED", 1 << 20)
    zeros = bytes(8 << 20)
    (tmp_path / "a.zip").write_bytes(zip_of({"a.txt": zeros}))
    (tmp_path / "a.tar.xz").write_bytes(lzma.compress(tar_of({"a.txt": zeros})))
    (tmp_path / "a.txt.xz").write_bytes(lzma.compress(zeros))
    (tmp_path / "a.jsonl.xz").write_bytes(lzma.compress(zeros))
    for name in ("a.zip", "a.tar.xz", "a.txt.xz", "a.jsonl.xz"):
        with pytest.raises(CrossdocError, match="200 times its size"):
            texts(tmp_path / name)


@pytest.mark.parametrize("cut", [1, 40, 300])
def test_archives_cut_short(tmp_path, cut):
    for name, content in (("a.zip", zip_of(FILES)), ("a.tgz", tar_of(FILES, "w:gz"))):
        (tmp_path / name).write_bytes(content[:-cut] if cut < len(content) else b"x")
        with pytest.raises(CrossdocError, match=r"cannot be read|holds no document"):
            texts(tmp_path / name)


def test_a_part_locked_by_a_password_is_said(tmp_path):
    content = bytearray(zip_of({"a.txt": b"secret"}))
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "a.zip").write_bytes(content)
    with pytest.raises(CrossdocError, match="encrypted"):
        texts(tmp_path / "a.zip")
