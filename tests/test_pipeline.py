"""The stages in order: what a run keeps, forgets and refuses."""

import json

import pytest

import crossdoc
from crossdoc import errors
from crossdoc.model import Judgement

TEXT = "John Smith, chairman of Acme (john.smith@acme.com, 212-555-0199), spoke in Boston. John Smith resigned."


def write(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


@pytest.fixture
def documents(tmp_path):
    return write(tmp_path / "docs.jsonl", [{"id": id, "text": TEXT, "language": "en"} for id in "abc"])


@pytest.mark.parametrize("details", ["match", "off"])
def test_no_contact_detail_gets_into_a_context(documents, tmp_path, details):
    given = [{"id": "d", "text": TEXT, "mentions": [{"start": 0, "end": 10, "type": "person"}]}]
    runs = [
        crossdoc.resolve(documents, name="John Smith", contact_details=details),
        crossdoc.resolve(write(tmp_path / "given.jsonl", given), contact_details=details),
    ]
    for answer in runs:
        for profile in answer.profiles:
            assert "john.smith@acme.com" not in str(profile)
            assert "555-0199" not in str(profile)


def test_contact_details_are_kept_when_asked_for(documents):
    answer = crossdoc.resolve(documents, name="John Smith", contact_details="keep")
    assert "john.smith@acme.com" in answer.profiles[0].context


def test_a_mention_id_in_two_documents_is_refused(tmp_path):
    mention = {"id": "m", "start": 0, "end": 10, "type": "person"}
    path = write(tmp_path / "d.jsonl", [{"id": id, "text": TEXT, "mentions": [mention]} for id in "ab"])
    with pytest.raises(errors.InputError, match="'m'"):
        crossdoc.resolve(path)


def test_constraints_may_be_a_file(documents, tmp_path):
    said = tmp_path / "said.csv"
    said.write_text("a,b,different\n")
    answer = crossdoc.resolve(documents, name="John Smith", constraints=said)
    labels = dict(zip(answer.partition.ids, answer.partition.labels, strict=True))
    assert labels["a"] != labels["b"]


def test_another_weight_is_another_judgement(documents, tmp_path):
    output = tmp_path / "out.crossdoc"
    for weight in (0.001, 5.0):
        said = [Judgement("a", "b", "different", hard=False, weight=weight)]
        answer = crossdoc.resolve(documents, name="John Smith", output=output, constraints=said)
        answer.close()
    with crossdoc.open(output) as answer:
        labels = dict(zip(answer.partition.ids, answer.partition.labels, strict=True))
        assert labels["a"] != labels["b"]
        assert len(answer.store.judgements()) == 2


def test_soft_constraints_are_said_not_to_count_with_a_baseline(documents):
    said = [Judgement("a", "b", "different", hard=False)]
    answer = crossdoc.resolve(documents, name="John Smith", method="all-in-one", constraints=said)
    assert any("soft constraints do not count" in note for note in answer.notes)


def test_a_mistaken_run_leaves_nothing_behind(documents, tmp_path):
    empty = write(tmp_path / "empty.jsonl", [{"id": "e", "text": "it rained", "language": "en"}])
    with pytest.raises(errors.InputError, match="was found in the input"):
        crossdoc.resolve(empty, output=tmp_path / "out.crossdoc")
    assert not list(tmp_path.glob("out.crossdoc*"))


def test_nothing_to_resolve():
    with pytest.raises(errors.UsageError, match="nothing to resolve"):
        crossdoc.resolve()


def test_markup_left_in_is_not_part_of_a_name(tmp_path):
    text = "<p>John Smith &amp; <b>Mary Jones</b> met in Boston. Mary Jones</b> liked John Smith&#39;s car.</p>"
    answer = crossdoc.resolve(write(tmp_path / "d.jsonl", [{"id": "d", "text": text, "language": "en"}]), processes=1)
    names = set(answer.profiles.column("name").to_pylist())
    assert {"John Smith", "Mary Jones"} <= names
    assert not any(mark in name for name in names for mark in "<>&;")


@pytest.mark.parametrize("method", ["average-linkage", "single-linkage", "correlation"])
def test_a_block_too_large_for_all_pairs_is_compared_by_candidates(tmp_path, method):
    words = {"a": "car race lap", "b": "poem spring verse", "c": "fever clinic dose"}
    rows = [
        {"id": f"{kind}{i}", "document": f"{kind}{i}", "name": name, "type": "person", "context": words[kind]}
        for kind, name in (("a", "Ann Li"), ("b", "Ann Li"), ("c", "Bob Li"))
        for i in range(4)
    ]
    path = tmp_path / "profiles.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    whole = crossdoc.resolve(path, method=method)
    small = crossdoc.resolve(path, method=method, max_block=5)
    assert any("whose names agree" in note for note in small.notes)
    assert small.partition.labels.tolist() == whole.partition.labels.tolist()
    assert small.partition.n_clusters == 3
