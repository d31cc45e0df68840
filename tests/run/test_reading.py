"""Texts are read at most twice, counts of parts add up, and runs over an engine go on after a stop."""

import json
from collections import Counter

import pytest

import crossdoc
from crossdoc import errors
from crossdoc.cluster.sampling import mention_clusterer
from crossdoc.engine import LocalEngine
from crossdoc.extract import NameExtractor, TextExtractor
from crossdoc.model import Document, Judgement
from crossdoc.read import DocumentReader, slices, sources_of
from crossdoc.run import reading
from crossdoc.run.reading import Batches, Capitals, KeptDocuments, Reading, extract_documents
from crossdoc.settings import Settings
from crossdoc.store import Store

from .common import Watching, people, rows_of_answer

TEXTS = [
    Document(f"d{n}", f"{name} chaired Acme Motors in Detroit on day {n}. {name} met Eve Orr.", language="en")
    for n, name in enumerate(["Ann Lee", "Bob Lee", "Ann Lee", "Cid Ray", "Dora May", "Ann Lee"])
]


@pytest.fixture
def passes(monkeypatch):
    """How often the texts of documents are read from their files, and from the store."""
    counted = Counter()

    def count(where, name, owner):
        original = getattr(owner, name)

        def method(self, *given, **more):
            counted[where] += 1
            return original(self, *given, **more)

        monkeypatch.setattr(owner, name, method)

    count("files", "__iter__", DocumentReader)
    for name in ("texts", "texts_of", "each_document", "documents"):
        count("store", name, Store)
    return counted


@pytest.mark.parametrize("how", [{}, {"name": "Ann Lee"}, {"method": "karc"}])
@pytest.mark.parametrize("most", [reading.MOST_KEPT, 0])
def test_texts_are_read_at_most_twice(passes, tmp_path, how, most, monkeypatch):
    monkeypatch.setattr(reading, "MOST_KEPT", most)
    folder = tmp_path / "in"
    folder.mkdir()
    for each in TEXTS:
        (folder / f"{each.id}.txt").write_text(each.text)
    crossdoc.resolve(folder, output=tmp_path / "out.crossdoc", processes=1, **how).close()
    if most:
        assert passes == {"files": 1}
    else:
        # Only what does not fit in memory is read again, for topics or for other people in the documents.
        assert passes["files"] == (1 if "name" in how else 2)


def test_profiles_of_other_programs_have_no_texts_to_read(passes):
    from crossdoc.model import Profile

    rows = [Profile(f"p{n}", f"d{n}", "Ann Lee", "person", f"word{n} race") for n in range(4)]
    crossdoc.resolve(rows).close()
    assert not passes["files"]
    assert not passes["store"]


def test_documents_that_do_not_fit_in_memory_are_read_again(monkeypatch):
    kept = KeptDocuments(sources_of([TEXTS]), Settings(batch_size=2))
    assert [len(batch) for batch in kept] == [2, 2, 2]
    assert kept.kept is not None
    monkeypatch.setattr(reading, "MOST_KEPT", 10)
    other = KeptDocuments(sources_of([TEXTS]), Settings(batch_size=2))
    for _ in range(2):
        assert [len(batch) for batch in other] == [2, 2, 2]
    assert other.kept is None


def test_capitals_of_parts_add_up():
    parts = [KeptDocuments(sources_of([some]), Settings()) for some in (TEXTS, TEXTS[:2], TEXTS[2:])]
    whole, *some = [Capitals.of(each) for each in parts]
    both = some[0] + some[1]
    assert (both.cases.table == whole.cases.table).all()
    assert (both.cases.headlines, both.languages) == (whole.cases.headlines, whole.languages)


def extracted(documents, **how):
    found = Batches()
    extractor = NameExtractor("Ann Lee", 50)
    kept = KeptDocuments(sources_of([documents]), Settings())
    read = extract_documents(kept, extractor, ["person"], found.add, **how)
    return read, found, extractor


def test_readings_of_parts_add_up():
    whole, found, extractor = extracted(TEXTS)
    first, second = (extracted(some) for some in (TEXTS[:2], TEXTS[2:]))
    both = first[0] + second[0]
    assert both == whole
    assert both.notes(extractor, "Ann Lee") == whole.notes(extractor, "Ann Lee") != []
    assert (both.documents, both.typed, len(found.profiles)) == (6, 6, 6)
    both.languages["en"], both.rows.other_types["EVENT"] = 3, 2
    assert Reading.from_json(both.to_json()) == both


def test_documents_that_were_read_before_are_skipped():
    read, found, _ = extracted(TEXTS, skip=lambda batch: {"d0", "d1"})
    assert (read.skipped, read.documents) == (2, 6)
    assert found.tables[0].ids.tolist() == ["d2", "d3", "d4", "d5"]


def test_a_document_of_unknown_language_is_read_in_the_main_one_of_all_parts():
    notes = Reading(taken_for=Counter(fr=2), languages=Counter(fr=5)).notes(_text_extractor(), None)
    assert any("2 documents of unknown language" in note and "'fr'" in note for note in notes)


def _text_extractor():
    from crossdoc.run.reading import extractor_for

    made = extractor_for(Settings(), None, b"salt", describe=True)
    assert isinstance(made, TextExtractor)
    return made


class Stopped(LocalEngine):
    """An engine that stops after some parts were stored."""

    def __init__(self, after):
        super().__init__(2)
        self.after, self.taken = after, 0

    def get(self, ref):
        found = super().get(ref)
        self.taken += isinstance(found, tuple)
        if self.taken > self.after:
            raise KeyboardInterrupt
        return found


SAMPLING = {"method": "sampling", "parameters": {"sampling": {"partitions": 2}}}


@pytest.mark.parametrize("how", [{}, SAMPLING])
@pytest.mark.parametrize("stop", [0, 3, "clustering persons"])
def test_a_stopped_run_goes_on(table, tmp_path, stop, how, monkeypatch):
    monkeypatch.setattr(mention_clusterer, "SECONDS_BETWEEN_CHECKPOINTS", 0.0)
    out = tmp_path / "out.crossdoc"
    with LocalEngine(2) as engine:
        whole = crossdoc.resolve(table, engine=engine, **how)
    engine = LocalEngine(2) if isinstance(stop, str) else Stopped(stop)
    with engine, pytest.raises(KeyboardInterrupt):
        crossdoc.resolve(table, output=out, engine=engine, progress=Watching(stop), **how)
    assert not out.exists()
    with LocalEngine(2) as engine:
        again = crossdoc.resolve(table, output=out, engine=engine, resume=True, **how)
    assert rows_of_answer(again) == rows_of_answer(whole)
    assert again.profiles.arrow.equals(whole.profiles.arrow)
    done = 4 if isinstance(stop, str) else stop
    assert any(f"{done} of 4 parts were already done" in note for note in again.notes) == bool(done)
    assert not {"parts", "reading"} & again.store._meta().keys()


def test_a_run_of_one_machine_does_not_go_on_in_parts(table, tmp_path):
    out = tmp_path / "out.crossdoc"
    with pytest.raises(KeyboardInterrupt):
        crossdoc.resolve(table, output=out, progress=Watching("counting words"))
    with LocalEngine(2) as engine:
        found = crossdoc.resolve(table, output=out, engine=engine)
    assert any("discarded" in note for note in found.notes)
    assert len(found.profiles) == 90


def test_documents_of_one_name(tmp_path, engine, monkeypatch):
    monkeypatch.setattr(slices, "TEXT_ROWS", 3)
    folder = tmp_path / "docs"
    folder.mkdir()
    for n in range(8):
        (folder / f"{n}.txt").write_text(
            f"Ann Lee {'raced cars in Monza' if n % 2 else 'painted birds in Oslo'} on day {n}."
        )
    alone = crossdoc.resolve(folder, name="Ann Lee", describe=False)
    parted = crossdoc.resolve(folder, name="Ann Lee", describe=False, output=tmp_path / "o.crossdoc", engine=engine)
    assert rows_of_answer(parted) == rows_of_answer(alone)
    assert parted.answer("mention").sort_by("id").equals(alone.answer("mention").sort_by("id"))


def test_an_older_answer_is_replaced_and_its_log_kept(table, tmp_path):
    out = tmp_path / "out.crossdoc"
    with crossdoc.resolve(table, output=out) as first:
        first.judge("p000", "p001", "different")
        ids = first.store.entity_of()
    with LocalEngine(2) as engine:
        found = crossdoc.resolve(table, output=out, engine=engine)
    assert found.store.entity_of() == ids
    assert len(found.store.entries()) == 1


@pytest.mark.parametrize("stopped", [False, True])
def test_notes_of_all_parts_are_there_also_after_a_stop(folder, tmp_path, stopped):
    how = {"name": "Ann Lee", "describe": False}
    alone = crossdoc.resolve(folder, **how)
    if stopped:
        with Stopped(3) as engine, pytest.raises(KeyboardInterrupt):
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
    def test_an_engine_that_is_none(self, table, tmp_path):
        with pytest.raises(errors.UsageError, match="engine"):
            crossdoc.resolve(table, output=tmp_path / "out", engine="spark")
        with pytest.raises(errors.UsageError, match="address"):
            crossdoc.resolve(table, output=tmp_path / "out", address="somewhere")

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


def test_columns_types_and_ids_are_read_as_in_one_process(write, tmp_path, monkeypatch):
    monkeypatch.setattr(slices, "TABLE_ROWS", 20)
    rows = [{"author": row["name"], "title": row["context"], "kind": "PER" if n % 5 else "EVENT"}
            for n, row in enumerate(people()[0])]  # fmt: skip
    table = write("people.parquet", rows)
    columns = {"name": "author", "context": "title", "type": "kind"}
    alone = crossdoc.resolve(table, columns=columns)
    with LocalEngine(1) as engine:
        parted = crossdoc.resolve(table, columns=columns, output=tmp_path / "out", engine=engine)
    assert rows_of_answer(parted) == rows_of_answer(alone)
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
