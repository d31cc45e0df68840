"""What the commands share."""

import os

import pytest

from crossdoc.cli.common import check_outputs
from crossdoc.errors import CrossdocError


def test_outputs_that_can_be_written(tmp_path, write):
    check_outputs([tmp_path / "new" / "folder" / "a.csv", None, write("old.csv", "x")], [write("in.csv", "x"), None])
    check_outputs([tmp_path / "b.csv"], [tmp_path])


def test_no_file_is_written_twice_or_over_an_input(tmp_path, write):
    path = write("a.csv", "x")
    (tmp_path / "link.csv").symlink_to(path)
    with pytest.raises(CrossdocError, match="Two of the outputs"):
        check_outputs([path, tmp_path / "link.csv"], [])
    with pytest.raises(CrossdocError, match="both read and written"):
        check_outputs([tmp_path / "link.csv"], [None, path])


def test_a_device_or_pipe_is_taken_as_it_is(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    check_outputs([tmp_path / "pipe", tmp_path.__class__("/dev/null")], [])


def test_a_folder_is_no_output(tmp_path, write):
    write("file", "x")
    with pytest.raises(CrossdocError, match="it is a folder"):
        check_outputs([tmp_path], [])
    with pytest.raises(CrossdocError, match="no folder that can be written to"):
        check_outputs([tmp_path / "file" / "a.csv"], [])
