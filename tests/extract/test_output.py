"""Profiles on file: every format has all of them, under a name that says which."""

import json

import pyarrow.parquet as pq
import pytest

from crossdoc.errors import CrossdocError
from crossdoc.extract.output import format_of, write_profiles
from crossdoc.model import Profile, Profiles, Relation

ANN = Profile("p", "a", "Ann", "person", attributes={"age": ["7"]}, relations=(Relation("list", "Bo"),))
BATCHES = [Profiles.of([ANN]), Profiles.of([Profile("q", "b", "Bo")])]


def test_both_formats_have_all_batches_in_order(tmp_path):
    assert write_profiles(BATCHES, tmp_path / "p.parquet") == 2
    assert Profiles(pq.read_table(tmp_path / "p.parquet"))[0] == ANN
    assert write_profiles(BATCHES, tmp_path / "p.jsonl") == 2
    lines = [json.loads(line) for line in (tmp_path / "p.jsonl").read_text().splitlines()]
    assert lines[0]["relations"] == [{"type": "list", "name": "Bo"}]
    assert lines[1] == {"id": "q", "document": "b", "name": "Bo"}


def test_a_failure_leaves_no_file(tmp_path):
    def broken():
        yield BATCHES[0]
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_profiles(broken(), tmp_path / "p.parquet")
    assert list(tmp_path.iterdir()) == []


def test_another_ending_is_refused(tmp_path):
    with pytest.raises(CrossdocError, match=r"NAME\.parquet"):
        format_of(tmp_path / "p.txt")
