"""Extraction by itself, from documents to a file of profiles."""

import pytest

import crossdoc
from crossdoc import errors

from .common import Watching, groups, write


def test_extraction_goes_on_and_leaves_the_profiles_alone(mentioned, tmp_path):
    target = tmp_path / "profiles.jsonl"
    with pytest.raises(KeyboardInterrupt):
        crossdoc.write_extracted(mentioned, output=target, progress=Watching("writing profiles"))
    assert not target.exists()
    done = crossdoc.write_extracted(mentioned, output=target, types=["person"])
    assert "an unfinished run with other input or settings was discarded" in done.notes
    assert (done.documents, done.profiles, done.output) == (9, 5, target)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mentioned.jsonl", "profiles.jsonl"]
    assert groups(crossdoc.resolve(target)) == groups(crossdoc.resolve(mentioned, types=["person"]))


def test_extraction_wants_documents_and_finds_something(rows, tmp_path):
    with pytest.raises(errors.UsageError, match="These are already profiles"):
        crossdoc.write_extracted(rows, output=tmp_path / "p.jsonl")
    empty = write(tmp_path / "e.jsonl", [{"id": "e", "text": "it rained", "language": "en", "mentions": []}])
    with pytest.raises(errors.InputError, match="No person was found"):
        crossdoc.write_extracted(empty, output=tmp_path / "p.jsonl", types=["person"])
    assert not list(tmp_path.glob("p.jsonl*"))
