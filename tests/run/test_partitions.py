"""A run over partitions finds what a run of one process finds, on every engine, and goes on where it was."""

import json
from pathlib import Path

import numpy as np
import pytest

import crossdoc
from crossdoc import errors
from crossdoc.cluster.bags import bag_partitions
from crossdoc.cluster.sampling import rounds
from crossdoc.engine import LocalEngine
from crossdoc.model import Document, Judgement, Profile
from crossdoc.read import slices
from crossdoc.run import partition_sampling, partitions
from crossdoc.store.folder import pack, part_files

NAMES = ["Ann Lee", "Bob Lee", "A. Lee", "Cid Ray", "Dora May", "Eve Orr", "Fay Poe", "Gus Roe"]


def people(many=90, seed=0):
    """Profiles of people who share names and have words of their own, and who each is."""
    rng = np.random.default_rng(seed)
    who = rng.integers(0, 12, many)
    rows, text = [], [f"w{n}" for n in range(200)]
    for n, person in enumerate(who):
        own = [text[10 * person + at] for at in rng.integers(0, 10, 6)]
        any_ = [text[at] for at in rng.integers(120, 200, 3)]
        name = NAMES[person % len(NAMES)]
        # Ids are not in the order of the rows: what lies in parts and what is compared have orders of their own.
        rows.append({"id": f"p{37 * n % many:03}", "document": f"d{n // 2}", "name": name, "type": "person",
                     "context": f"{name} {' '.join(own)} {' '.join(any_)}", "language": "en"})  # fmt: skip
    return rows, who


@pytest.fixture
def table(write, monkeypatch):
    monkeypatch.setattr(slices, "TABLE_ROWS", 25)
    return write("people.parquet", people()[0])


def told(answer):
    return sorted(
        zip(*(answer.answer(soft=True).column(c).to_pylist() for c in ("id", "entity", "membership")), strict=True)
    )


def test_blocks_are_clustered_as_in_one_process(table, tmp_path, engine, monkeypatch):
    monkeypatch.setattr(partitions, "PAIRS_IN_A_BUNDLE", 200)
    alone = crossdoc.resolve(table)
    parted = crossdoc.resolve(table, output=tmp_path / "out", engine=engine)
    assert len(part_files(tmp_path / "out", "profiles")) == 4
    assert told(parted) == told(alone)
    assert {i.id: i for i in parted.store.identities()} == {i.id: i for i in alone.store.identities()}
    assert parted.profiles.arrow.equals(alone.profiles.arrow)
    assert not (tmp_path / "out.part").exists()


def test_several_bundles_are_clustered_as_one(table, tmp_path, monkeypatch):
    with LocalEngine(2) as engine:
        one = crossdoc.resolve(table, output=tmp_path / "one", engine=engine)
        monkeypatch.setattr(partitions, "PAIRS_IN_A_BUNDLE", 100)
        several = crossdoc.resolve(table, output=tmp_path / "several", engine=engine)
    assert len(part_files(tmp_path / "one", "identities")) == 1
    assert len(part_files(tmp_path / "several", "identities")) > 3
    assert told(one) == told(several)


def test_sampling_finds_the_same_on_each_engine(table, tmp_path, engine):
    said = [Judgement("p000", "p001", "different"), Judgement("p002", "p080", "same")]
    how = {"method": "sampling", "constraints": said, "parameters": {"sampling": {"partitions": 3}}}
    with LocalEngine(1) as other:
        first = crossdoc.resolve(table, output=tmp_path / "first", engine=other, **how)
    second = crossdoc.resolve(table, output=tmp_path / "second", engine=engine, **how)
    assert told(first) == told(second)
    entity = second.store.entity_of()
    assert entity["p000"] != entity["p001"]
    assert entity["p002"] == entity["p080"]
    assert len(second.store.judgements()) == 2


def test_partitions_find_who_is_who(table, tmp_path):
    rows, who = people()
    with LocalEngine(2) as engine:
        found = crossdoc.resolve(
            table, output=tmp_path / "out", engine=engine, method="sampling", parameters={"sampling": {"partitions": 2}}
        )
    alone = crossdoc.resolve(table, method="sampling")

    def right(answer):
        of = answer.store.entity_of()
        label = np.unique([of[row["id"]] for row in rows], return_inverse=True)[1]
        return crossdoc.scoring.b_cubed(crossdoc.scoring.Alignment.from_labels(label, who)).f1

    assert right(found) > 0.9 * right(alone)


def test_a_run_over_partitions_starts_from_names_if_asked(table, tmp_path):
    """With no rounds to move in, the entities are the names, and those that were judged are apart or one."""
    rows = people()[0]
    name = {row["id"]: row["name"] for row in rows}
    same_name = [row["id"] for row in rows if row["name"] == "Ann Lee"]
    said = [
        Judgement(same_name[0], same_name[-1], "different"),
        Judgement("p002", next(id for id in name if name[id] != name["p002"]), "same"),
    ]
    how = {"start": "names", "partitions": 4, "max_iter": 0, "bias": 0.2, "name_weight": 0.2}
    with LocalEngine(1) as engine:
        found = crossdoc.resolve(table, output=tmp_path / "out", engine=engine, method="sampling", constraints=said,
                                 time_limit=1e-9, parameters={"sampling": how})  # fmt: skip
    of = found.store.entity_of()
    assert of[said[0].a] != of[said[0].b]
    assert of[said[1].a] == of[said[1].b]
    judged = {id for each in said for id in (each.a, each.b)}
    free = [id for id in name if id not in judged]
    assert len({(name[id], of[id]) for id in free}) == len({name[id] for id in free}) == len({of[id] for id in free})


def test_links_without_types_are_clustered_as_in_one_process(write, tmp_path, engine):
    table = write("links.parquet", [{key: row[key] for key in ("id", "name", "context")} for row in people()[0]])
    found = crossdoc.resolve(table, output=tmp_path / "out", engine=engine, method="bags")
    assert any("are clustered in one task" in note for note in found.notes)
    assert told(found) == told(crossdoc.resolve(table, method="bags"))


def links(write, **how):
    rows, who = people(**how)
    return write("links.parquet", [{key: row[key] for key in ("id", "name", "context")} for row in rows]), rows, who


def test_links_that_one_task_does_not_hold_are_clustered_by_bags_over_partitions(write, tmp_path, engine, monkeypatch):
    monkeypatch.setattr(partition_sampling, "MOST_IN_ONE_TASK", 50)
    monkeypatch.setattr(bag_partitions, "IN_A_PARTITION", 100)
    monkeypatch.setattr(slices, "TABLE_ROWS", 80)
    table, rows, who = links(write, many=300)
    said = [Judgement("p000", "p001", "different"), Judgement("p002", "p080", "same")]
    how = {"method": "bags", "constraints": said}
    with LocalEngine(1) as other:
        first = crossdoc.resolve(table, output=tmp_path / "first", engine=other, **how)
    found = crossdoc.resolve(table, output=tmp_path / "out", engine=engine, **how)
    assert told(found) == told(first)
    assert any("rounds over 3 partitions" in note for note in found.notes)
    assert not any("bias" in note for note in found.notes)
    of = found.store.entity_of()
    assert len(of) == 300
    assert of["p000"] != of["p001"]
    assert of["p002"] == of["p080"]
    label = np.unique([of[row["id"]] for row in rows], return_inverse=True)[1]
    right = crossdoc.scoring.b_cubed(crossdoc.scoring.Alignment.from_labels(label, who)).f1
    assert right > 0.85


def test_links_may_be_clustered_by_pairs_too(write, tmp_path):
    table, rows, _ = links(write)
    with LocalEngine(1) as engine:
        how = {"method": "sampling", "parameters": {"sampling": {"partitions": 2}}}
        found = crossdoc.resolve(table, output=tmp_path / "out", engine=engine, **how)
    assert any("bias" in note for note in found.notes)
    assert len(found.store.entity_of()) == len(rows)


def test_documents_of_one_name(tmp_path, monkeypatch):
    monkeypatch.setattr(slices, "TEXT_ROWS", 3)
    folder = tmp_path / "docs"
    folder.mkdir()
    for n in range(8):
        (folder / f"{n}.txt").write_text(
            f"Ann Lee {'raced cars in Monza' if n % 2 else 'painted birds in Oslo'} on day {n}."
        )
    alone = crossdoc.resolve(folder, name="Ann Lee", describe=False)
    with LocalEngine(2) as engine:
        parted = crossdoc.resolve(folder, name="Ann Lee", describe=False, output=tmp_path / "out", engine=engine)
    assert len(part_files(tmp_path / "out", "documents")) == 3
    assert told(parted) == told(alone)
    assert parted.answer("mention").sort_by("id").equals(alone.answer("mention").sort_by("id"))
    # They have one name, so that there are none to start from.
    how = {"sampling": {"start": "names", "partitions": 2, "bias": 0.2}}
    with LocalEngine(1) as engine, pytest.raises(errors.UsageError, match="needs names"):
        crossdoc.resolve(folder, name="Ann Lee", describe=False, output=tmp_path / "names", engine=engine,
                         method="sampling", parameters=how)  # fmt: skip


def test_packed_it_can_be_judged_and_added_to(table, tmp_path):
    with LocalEngine(2) as engine:
        parted = crossdoc.resolve(table, output=tmp_path / "out", engine=engine)
    with crossdoc.open(pack(tmp_path / "out", tmp_path / "out.crossdoc")) as packed:
        assert told(packed) == told(parted)
        change = packed.judge("p000", "p001", "different")
        assert change
        packed.undo()
        assert dict(packed.store.entity_of()) == parted.store.entity_of()
        packed.add([Profile("new", "d", "Ann Lee", "person", "Ann Lee w1 w2 w3 w4", "en")])
        assert packed.store.count("profiles") == 91


class Stopped(LocalEngine):
    """An engine that stops before one kind of task."""

    def __init__(self, before):
        super().__init__(2)
        self.before = before

    def map(self, work, parts, *shared, apart=False):
        if work.__name__ == self.before:
            raise KeyboardInterrupt
        return super().map(work, parts, *shared, apart=apart)


@pytest.mark.parametrize("before", ["vectorise", "describe_sampled"])
@pytest.mark.parametrize("method", ["sampling", "bags"])
def test_a_stopped_run_goes_on(table, write, tmp_path, before, method, monkeypatch):
    monkeypatch.setattr(rounds, "SECONDS_BETWEEN", 0.0)
    table = links(write)[0] if method == "bags" else table
    how = {"method": method, "parameters": {method: {"partitions": 2}}}
    with LocalEngine(2) as engine:
        whole = crossdoc.resolve(table, output=tmp_path / "whole", engine=engine, **how)
    with Stopped(before) as engine, pytest.raises(KeyboardInterrupt):
        crossdoc.resolve(table, output=tmp_path / "out", engine=engine, **how)
    assert not (tmp_path / "out").exists()
    with LocalEngine(2) as engine:
        again = crossdoc.resolve(table, output=tmp_path / "out", engine=engine, resume=True, **how)
    assert told(again) == told(whole)
    assert any("4 of 4 parts were already done" in note for note in again.notes)


def test_an_unfinished_run_of_other_settings_is_discarded(table, tmp_path):
    with Stopped("vectorise") as engine, pytest.raises(KeyboardInterrupt):
        crossdoc.resolve(table, output=tmp_path / "out", engine=engine)
    with LocalEngine(2) as engine:
        found = crossdoc.resolve(table, output=tmp_path / "out", engine=engine, seed=5)
    assert any("discarded" in note for note in found.notes)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Documents of one name, one in a part; one more cannot be read, and one does not have the name."""
    monkeypatch.setattr(slices, "TEXT_ROWS", 1)
    where = tmp_path / "docs"
    where.mkdir()
    for n in range(4):
        (where / f"{n}.txt").write_text(f"Ann Lee {'raced cars in Monza' if n % 2 else 'painted birds'} on day {n}.")
    (where / "4.txt").write_bytes(b"\x00\x01\x02\xff\xfe" * 200)
    (where / "5.txt").write_text("Bob Ray sang.")
    return where


@pytest.mark.parametrize("stopped", [False, True])
def test_notes_of_all_parts_are_there_also_after_a_stop(folder, tmp_path, stopped):
    how = {"name": "Ann Lee", "describe": False}
    alone = crossdoc.resolve(folder, **how)
    if stopped:
        with Stopped("retype") as engine, pytest.raises(KeyboardInterrupt):
            crossdoc.resolve(folder, output=tmp_path / "out", engine=engine, **how)
    with LocalEngine(1) as engine:
        parted = crossdoc.resolve(folder, output=tmp_path / "out", engine=engine, **how)
    assert told(parted) == told(alone)
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


def test_bundles_follow_from_the_parts_alone():
    parts = [np.arange(n) for n in (900, 900, 900, 2, 1)]
    assert partitions.bundled(parts, pairs=True) == [[0, 1, 2, 3, 4]]
    assert len(partitions.bundled(parts * 10, pairs=True)) == 12


def test_documents_are_compared_as_in_one_process(write, tmp_path, monkeypatch):
    """Some of the sample's: of several languages and topics, in parts, several profiles a document."""
    monkeypatch.setattr(slices, "TEXT_ROWS", 10)
    monkeypatch.setattr(partitions, "PAIRS_IN_A_BUNDLE", 50)
    some = (Path(crossdoc.__file__).parent / "sample" / "documents.jsonl").read_text().splitlines()[20:45]
    table = write("some.parquet", [json.loads(line) for line in some])
    with LocalEngine(2) as engine:
        parted = crossdoc.resolve(table, output=tmp_path / "out", engine=engine)
    assert len(part_files(tmp_path / "out", "profiles")) > 1
    assert len(part_files(tmp_path / "out", "identities")) > 3
    alone = crossdoc.resolve(table)
    assert told(parted) == told(alone)
    assert {i.id: i for i in parted.store.identities()} == {i.id: i for i in alone.store.identities()}


def test_columns_types_and_ids_are_read_as_in_one_process(write, tmp_path, monkeypatch):
    monkeypatch.setattr(slices, "TABLE_ROWS", 20)
    rows = [{"author": row["name"], "title": row["context"], "kind": "PER" if n % 5 else "EVENT"}
            for n, row in enumerate(people()[0])]  # fmt: skip
    table = write("people.parquet", rows)
    columns = {"name": "author", "context": "title", "type": "kind"}
    alone = crossdoc.resolve(table, columns=columns)
    with LocalEngine(1) as engine:
        parted = crossdoc.resolve(table, columns=columns, output=tmp_path / "out", engine=engine)
    assert told(parted) == told(alone)
    assert len(alone.profiles) == 72
    for note in ("90 rows have no id; ids were made from file and row, as 'people:1'", "'EVENT' (18)"):
        assert all(sum(note in each for each in found.notes) == 1 for found in (alone, parted))


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_columns_of_tables_are_called_as_the_user_says(write, tmp_path, kind):
    rows = [{"author": "Ann Lee", "title": "Ann Lee raced in Monza"}, {"author": "Bob Ray", "title": "Bob Ray sang"}]
    content = "author,title\nAnn Lee,Ann Lee raced in Monza\nBob Ray,Bob Ray sang\n" if kind == "csv" else rows
    table, columns = write(f"table.{kind}", content), ["name=author", "context=title"]
    with LocalEngine(1) as engine:
        parted = crossdoc.resolve(table, output=tmp_path / "out", engine=engine, columns=columns)
    assert parted.profiles.arrow.equals(crossdoc.resolve(table, columns=columns).profiles.arrow)
    assert parted.profiles.column("context").to_pylist() == [row["title"] for row in rows]


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
