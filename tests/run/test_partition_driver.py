"""The driver of a run over partitions: runs that stop and go on, notes, and mistakes."""

import json

import pytest

import crossdoc
from crossdoc import errors
from crossdoc.cluster.sampling import rounds
from crossdoc.engine import LocalEngine
from crossdoc.model import Document, Judgement
from crossdoc.read import slices

from .common import links, rows_of_answer


class Stopped(LocalEngine):
    """An engine that stops before one kind of task."""

    def __init__(self, before):
        super().__init__(2)
        self.before = before

    def map(self, work, parts, *shared, apart=False):
        if work.__name__ == self.before:
            raise KeyboardInterrupt
        return super().map(work, parts, *shared, apart=apart)


@pytest.mark.parametrize(
    ("before", "how"),
    [
        ("vectorise", {"method": "bags"}),
        ("vectorise", {"method": "sampling", "parameters": {"sampling": {"partitions": 2}}}),
        ("describe_sampled", {"method": "sampling", "parameters": {"sampling": {"partitions": 2}}}),
    ],
)
def test_a_stopped_run_goes_on(table, write, tmp_path, before, how, monkeypatch):
    monkeypatch.setattr(rounds, "SECONDS_BETWEEN", 0.0)
    table = links(write)[0] if how["method"] == "bags" else table
    with LocalEngine(2) as engine:
        whole = crossdoc.resolve(table, output=tmp_path / "whole", engine=engine, **how)
    with Stopped(before) as engine, pytest.raises(KeyboardInterrupt):
        crossdoc.resolve(table, output=tmp_path / "out", engine=engine, **how)
    assert not (tmp_path / "out").exists()
    with LocalEngine(2) as engine:
        again = crossdoc.resolve(table, output=tmp_path / "out", engine=engine, resume=True, **how)
    assert rows_of_answer(again) == rows_of_answer(whole)
    assert any("4 of 4 parts were already done" in note for note in again.notes)


def test_an_unfinished_run_of_other_settings_is_discarded(table, tmp_path):
    with Stopped("vectorise") as engine, pytest.raises(KeyboardInterrupt):
        crossdoc.resolve(table, output=tmp_path / "out", engine=engine)
    with LocalEngine(2) as engine:
        found = crossdoc.resolve(table, output=tmp_path / "out", engine=engine, seed=5)
    assert any("discarded" in note for note in found.notes)


@pytest.mark.parametrize("stopped", [False, True])
def test_notes_of_all_parts_are_there_also_after_a_stop(folder, tmp_path, stopped):
    how = {"name": "Ann Lee", "describe": False}
    alone = crossdoc.resolve(folder, **how)
    if stopped:
        with Stopped("retype") as engine, pytest.raises(KeyboardInterrupt):
            crossdoc.resolve(folder, output=tmp_path / "out", engine=engine, **how)
    with LocalEngine(1) as engine:
        parted = crossdoc.resolve(folder, output=tmp_path / "out", engine=engine, **how)
    assert rows_of_answer(parted) == rows_of_answer(alone)
    notes = [note for note in parted.notes if "already done by a stopped run" not in note]
    assert sorted(notes) == sorted(alone.notes)
    assert len(parted.notes) - len(notes) == stopped
    assert any("left out" in note for note in notes)
    assert any("do not contain 'Ann Lee'" in note for note in notes)


def test_files_none_of_which_can_be_read(folder, tmp_path):
    for n in (0, 1, 2, 3, 5):
        (folder / f"{n}.txt").unlink()
    with LocalEngine(1) as engine, pytest.raises(errors.InputError, match="None of the files could be read"):
        crossdoc.resolve(folder, output=tmp_path / "out", engine=engine)


class TestBadInput:
    def test_an_answer_needs_a_folder(self, table, tmp_path):
        with LocalEngine(1) as engine:
            for output in (None, tmp_path / "out.crossdoc", table):
                with pytest.raises(errors.UsageError, match="folder of Parquet"):
                    crossdoc.resolve(table, output=output, engine=engine)

    def test_a_folder_of_something_else_is_not_written_over(self, table, tmp_path):
        (tmp_path / "mine").mkdir()
        (tmp_path / "mine" / "letter.txt").write_text("dear")
        with LocalEngine(1) as engine, pytest.raises(errors.StoreError):
            crossdoc.resolve(table, output=tmp_path / "mine", engine=engine)

    def test_an_engine_that_is_none(self, table, tmp_path):
        with pytest.raises(errors.UsageError, match="engine"):
            crossdoc.resolve(table, output=tmp_path / "out", engine="spark")
        with pytest.raises(errors.UsageError, match="address"):
            crossdoc.resolve(table, output=tmp_path / "out", address="somewhere")

    def test_what_is_not_there_over_partitions(self, table, tmp_path):
        with LocalEngine(1) as engine, pytest.raises(errors.UsageError, match="samples"):
            crossdoc.resolve(table, output=tmp_path / "out", engine=engine, method="sampling",
                             parameters={"sampling": {"samples": 3, "partitions": 2}})  # fmt: skip

    def test_ids_that_come_twice_in_two_parts(self, write, tmp_path, monkeypatch):
        monkeypatch.setattr(slices, "TABLE_ROWS", 2)
        rows = [{"id": id, "document": "d", "name": "Ann"} for id in ("a", "b", "c", "a")]
        with LocalEngine(1) as engine, pytest.raises(errors.InputError, match="a"):
            crossdoc.resolve(write("t.parquet", rows), output=tmp_path / "out", engine=engine)

    def test_judgements_of_profiles_that_are_not_there(self, table, tmp_path):
        with LocalEngine(1) as engine, pytest.raises(errors.CrossdocError, match="nobody"):
            crossdoc.resolve(table, output=tmp_path / "out", engine=engine,
                             constraints=[Judgement("p000", "nobody", "same")])  # fmt: skip

    def test_documents_and_profiles_do_not_mix(self, table, tmp_path):
        with LocalEngine(1) as engine, pytest.raises(errors.CrossdocError):
            crossdoc.resolve(table, [Document("a", "text")], output=tmp_path / "out", engine=engine)


@pytest.mark.parametrize("place", ["out", "out.part"])
def test_a_folder_with_something_else_in_it_is_left_alone(table, tmp_path, place):
    with LocalEngine(1) as engine:
        crossdoc.resolve(table, output=tmp_path / "out", engine=engine).close()
        (tmp_path / place).mkdir(exist_ok=True)
        (tmp_path / place / "thesis.txt").write_text("mine")
        with pytest.raises(errors.UsageError, match=r"holds thesis\.txt, which crossdoc did not write"):
            crossdoc.resolve(table, output=tmp_path / "out", engine=engine)
    assert (tmp_path / place / "thesis.txt").read_text() == "mine"


@pytest.mark.parametrize("told", ["", "[]", '{"fingerprint": 1, "salt": "x"}', "[" * 100_000])
def test_what_an_unfinished_run_told_is_damaged(table, tmp_path, told):
    (tmp_path / "out.part").mkdir()
    (tmp_path / "out.part" / "run.json").write_text(told)
    with LocalEngine(1) as engine:
        crossdoc.resolve(table, output=tmp_path / "out", engine=engine).close()
    assert [path.name for path in tmp_path.glob("out*")] == ["out"]


def test_notes_are_those_of_one_process(write, tmp_path, engine):
    rows = [
        {"id": f"p{n}", "name": f"Ann Lee{n % 7}", "type": "person", "context": f"word{n} " * 800,
         "attributes": {"shoe_size": ["42"]}}
        for n in range(12)
    ]  # fmt: skip
    source = write("p.jsonl", "\n".join(map(json.dumps, rows)))
    soft = [Judgement("p0", "p7", "same", hard=False)]
    given = {"constraints": soft, "method": "all-in-one"}
    alone = crossdoc.resolve(source, **given)
    spread = crossdoc.resolve(source, output=tmp_path / "out", engine=engine, **given)
    for told in ("soft constraints have no effect", "which suggests whole pages", "only names, contexts"):
        assert [note for note in spread.notes if told in note] == [note for note in alone.notes if told in note] != []
