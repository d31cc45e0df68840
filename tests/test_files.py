"""Files that are whole or not there: their permissions, and what is said when the disk fails before or after."""

import errno
import os
import stat

import pytest

from crossdoc import errors, files
from crossdoc.files import created_like, mode_of, whole_file


def fails(*given):
    raise OSError(errno.EIO, "Input/output error")


def test_names_are_flushed_with_the_file(tmp_path, monkeypatch):
    flushed = []
    real = os.fsync
    monkeypatch.setattr(os, "fsync", lambda handle: (flushed.append(os.fstat(handle).st_ino), real(handle)))
    with whole_file(tmp_path / "a.txt") as stream:
        stream.write(b"new")
    assert flushed == [(tmp_path / "a.txt").stat().st_ino, tmp_path.stat().st_ino]


@pytest.mark.parametrize(("call", "kept"), [("fsync", True), ("replace", True), ("flush_to_disk", False)])
def test_a_failing_disk_is_told_with_which_file_is_there(tmp_path, monkeypatch, call, kept):
    path = tmp_path / "a.txt"
    path.write_text("old")
    monkeypatch.setattr(files if call == "flush_to_disk" else os, call, fails)
    with pytest.raises(errors.CrossdocError, match="Input/output error") as told, whole_file(path) as stream:
        stream.write(b"new")
    assert path.read_text() == ("old" if kept else "new")
    assert ("the previous file of that name is untouched" in str(told.value)) == kept
    assert ("has replaced the previous file" in str(told.value)) != kept
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_folder_that_cannot_be_flushed_is_no_failure(tmp_path, monkeypatch):
    """As on some network file systems."""
    real = os.fsync

    def fsync(handle):
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "Invalid argument")
        real(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    with whole_file(tmp_path / "a.txt") as stream:
        stream.write(b"new")
    assert (tmp_path / "a.txt").read_text() == "new"


def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path):
    path = tmp_path / "a.txt"
    for mode in (0o600, 0o640, 0o664):
        path.write_text("old")
        path.chmod(mode)
        with whole_file(path) as stream:
            stream.write(b"new")
        assert mode_of(path) == mode


def test_what_is_created_is_as_closed_as_the_model(tmp_path):
    (tmp_path / "private").touch(0o600)
    before = os.umask(0o022)
    try:
        with created_like(tmp_path / "private"):
            (tmp_path / "a").touch()
        with created_like(tmp_path / "absent"):
            (tmp_path / "b").touch()
        assert (mode_of(tmp_path / "a"), mode_of(tmp_path / "b")) == (0o600, 0o644)
        assert mode_of(tmp_path / "absent") is None
        assert os.umask(0o022) == 0o022
    finally:
        os.umask(before)
