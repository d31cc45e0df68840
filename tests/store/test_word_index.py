"""The index of words: finds what contexts hold, follows the answer, is kept, and can be lost without harm."""

import os
import re
import shutil
import sqlite3
import stat
import time
import unicodedata
from itertools import pairwise

import duckdb
import pytest

from crossdoc.run.resolution import Resolution
from crossdoc.store import word_index
from crossdoc.web.reader import Reader


def plain(text):
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c)).lower()


def with_words(path, holds):
    """Identities that have a profile whose context holds something, by reading all of them."""
    with duckdb.connect(str(path), read_only=True) as db:
        rows = db.execute(
            "SELECT m.entity, p.context FROM memberships m JOIN profiles p USING (id) WHERE m.rank = 1"
        ).fetchall()
    return {entity for entity, context in rows if holds(re.findall(r"\w+", plain(context)))}


def found(reader, asked):
    page = reader.search(words=asked, limit=1000)
    assert page.total == len(page.rows)
    return {line.id for line in page.rows}


def ready(reader):
    assert reader.catalogue.words.ready.wait(60)
    return reader


@pytest.fixture(scope="module")
def reader(sample):
    with Reader(sample) as made:
        yield ready(made)


@pytest.mark.parametrize(
    ("asked", "holds"),
    [
        ("squid", lambda words: "squid" in words),
        ("SQUID Toledo", lambda words: {"squid", "toledo"} <= set(words)),
        ('"marine station"', lambda words: ("marine", "station") in pairwise(words)),
        ('"station marine"', lambda words: ("station", "marine") in pairwise(words)),
        ('"squid toledo"', lambda words: False),
        ("president", lambda words: "president" in words),
        ("lighthou", lambda words: any(word.startswith("lighthou") for word in words)),
        ("qui", lambda words: "qui" in words),
        ("nowhereword", lambda words: False),
        ('"; DROP TABLE words', lambda words: {"drop", "table", "words"} <= set(words)),
        ("squid* OR NOT (", lambda words: {"squid", "or", "not"} <= set(words)),
    ],
)
def test_words_are_found(reader, sample, asked, holds):
    assert found(reader, asked) == with_words(sample, holds)


def test_what_was_found_is_shown(reader):
    for line in reader.search(words="squid").rows:
        assert re.search(r"\bsquid\b", line.snippet, re.IGNORECASE)


def test_words_and_names_go_together(reader):
    both = reader.search("john", words="squid")
    assert {line.id for line in both.rows} == {line.id for line in reader.search("john", limit=1000).rows} & found(reader, "squid")  # fmt: skip # noqa: E501


def test_signs_alone_find_nobody(reader):
    assert found(reader, "?!") == set()


def test_the_index_follows_what_is_added_removed_and_judged(answer, tmp_path):
    added = tmp_path / "new.txt"
    added.write_text("John Smith, the marine biologist, keeps a zyzzyva in Falmouth.")
    with Reader(answer) as reader, Resolution.open(answer) as other:
        ready(reader)
        assert found(reader, "zyzzyva") == set()
        time.sleep(0.5)
        other.add(added)
        assert found(ready(reader), "zyzzyva") == with_words(answer, lambda words: "zyzzyva" in words) != set()
        changed = added.write_text("John Smith, the marine biologist, keeps a quokka in Falmouth.")
        assert changed
        time.sleep(0.5)
        other.add(added)
        reader.catalogue.refresh()
        assert found(ready(reader), "zyzzyva") == set()
        assert found(reader, "quokka") == with_words(answer, lambda words: "quokka" in words) != set()
        people = [line.id for line in reader.search(words="squid", types=["person"]).rows]
        time.sleep(0.5)
        other.merge(*people[:2])
        assert len(found(ready(reader), "squid")) == len(with_words(answer, lambda words: "squid" in words))
        time.sleep(0.5)
        other.remove("new.txt")
        reader.catalogue.refresh()
        assert found(ready(reader), "quokka") == set()
        assert found(reader, "squid") == with_words(answer, lambda words: "squid" in words)


def test_an_index_is_taken_over(answer, monkeypatch):
    with Reader(answer) as reader:
        ready(reader)
    assert reader.catalogue.words.path.exists()

    def read(*args):
        raise AssertionError("read again")

    with monkeypatch.context() as patched:
        patched.setattr(word_index.WordIndex, "_missing", read)
        with Reader(answer) as reader:
            assert found(ready(reader), "squid") == with_words(answer, lambda words: "squid" in words)
            assert reader.catalogue.words._thread.is_alive()


@pytest.mark.parametrize("harm", ["damaged", "of another version", "a folder"])
def test_an_index_that_is_no_good_is_made_anew(answer, harm):
    path = answer.with_name(answer.name + ".words")
    if harm == "damaged":
        path.write_bytes(b"SQLite format 3\0" + b"x" * 5000)
    elif harm == "a folder":
        path.mkdir()
    else:
        with Reader(answer) as reader:
            ready(reader)
        with sqlite3.connect(path) as index:
            index.execute("UPDATE meta SET value = '0.1' WHERE key = 'duckdb'")
            index.execute("UPDATE batches SET keys = zeroblob(length(keys))")
        index.close()
    with Reader(answer) as reader:
        assert found(ready(reader), "squid") == with_words(answer, lambda words: "squid" in words)


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_a_link_is_not_followed(answer, tmp_path, link):
    """Somebody's SQLite file stays as it is, and so does the link to it."""
    theirs = tmp_path / "theirs.db"
    with sqlite3.connect(theirs) as db:
        db.execute("CREATE TABLE mine (a)")
    db.close()
    before, path = theirs.read_bytes(), answer.with_name(answer.name + ".words")
    link(theirs, path)
    with Reader(answer) as reader:
        assert found(ready(reader), "squid") == with_words(answer, lambda words: "squid" in words)
    assert theirs.read_bytes() == before
    assert path.samefile(theirs)
    assert sorted(each.name for each in tmp_path.iterdir()) == [answer.name, path.name, "theirs.db"]


def test_a_link_that_leads_nowhere_creates_nothing(answer, tmp_path):
    answer.with_name(answer.name + ".words").symlink_to(tmp_path / "nowhere.db")
    with Reader(answer) as reader:
        assert found(ready(reader), "squid") != set()
    assert not (tmp_path / "nowhere.db").exists()


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644])
def test_the_index_is_as_open_as_the_answer(answer, mode):
    path = answer.with_name(answer.name + ".words")
    for _ in range(2):
        answer.chmod(mode)
        with Reader(answer) as reader:
            ready(reader)
            for ending in ("", "-wal", "-shm"):
                side = path.with_name(path.name + ending)
                assert not side.exists() or stat.S_IMODE(side.stat().st_mode) == mode
        path.chmod(0o666)


def test_who_only_looks_writes_nothing(answer, tmp_path):
    with Reader(answer, read_only=True) as reader:
        assert found(ready(reader), "squid") == with_words(answer, lambda words: "squid" in words)
        assert [path.name for path in tmp_path.iterdir()] == [answer.name]


def test_two_explorers_share_an_index(answer):
    with Reader(answer) as one, Reader(answer) as other:
        assert found(ready(one), "squid") == found(ready(other), "squid") != set()


def test_an_index_of_another_answer_of_that_name_is_noticed(sample, answer, tmp_path):
    with Reader(answer) as reader:
        ready(reader)
    with duckdb.connect(str(answer)) as db:
        db.execute("UPDATE profiles SET context = 'a zyzzyva' WHERE context ILIKE '%squid%'")
        db.execute("UPDATE meta SET value = 'another' WHERE key = 'salt'")
    with Reader(answer) as reader:
        assert found(ready(reader), "squid") == set()
        assert found(reader, "zyzzyva") != set()
    shutil.copy(sample, answer)


def test_too_much_that_is_gone_makes_it_begin_anew(answer, monkeypatch):
    with Reader(answer) as reader:
        ready(reader)
    monkeypatch.setattr(word_index, "MOST_DEAD", 0.01)
    with duckdb.connect(str(answer)) as db:
        db.execute("DELETE FROM profiles WHERE context ILIKE '%squid%'")
    with Reader(answer) as reader:
        assert found(ready(reader), "squid") == set()
        with sqlite3.connect(reader.catalogue.words.path) as index:
            (numbers,) = index.execute("SELECT sum(length(keys) / 8) FROM batches").fetchone()
        index.close()
        assert numbers == reader.overview().sizes["profiles"]


def test_an_answer_takes_in_so_many_contexts(sample, reader, monkeypatch):
    monkeypatch.setattr(word_index, "MOST_HITS", 5)
    assert 0 < reader.search(words="the").total <= 5
