"""Texts are read at most twice, whatever stage needs them, and the counts of parts add up."""

from collections import Counter

import pytest

import crossdoc
from crossdoc.extract import NameExtractor, TextExtractor
from crossdoc.model import Document
from crossdoc.read import DocumentReader, sources_of
from crossdoc.run import reading
from crossdoc.run.reading import Batches, Capitals, KeptDocuments, Reading, extract_documents
from crossdoc.settings import Settings
from crossdoc.store import Store

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
