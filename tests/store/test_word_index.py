"""The index of words: finds what contexts hold, and follows the answer."""

import re
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
    assert reader.words.ready.wait(60)
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
@pytest.mark.parametrize("is_indexed", [True, False])
def test_words_are_found(reader, sample, asked, holds, is_indexed):
    if not is_indexed:
        reader.words.ready.clear()
    assert found(reader, asked) == with_words(sample, holds)
    reader.words.ready.set()


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
        reader.refresh()
        assert found(ready(reader), "zyzzyva") == set()
        assert found(reader, "quokka") == with_words(answer, lambda words: "quokka" in words) != set()
        people = [line.id for line in reader.search(words="squid", types=["person"]).rows]
        time.sleep(0.5)
        other.merge(*people[:2])
        assert len(found(ready(reader), "squid")) == len(with_words(answer, lambda words: "squid" in words))
        time.sleep(0.5)
        other.remove("new.txt")
        reader.refresh()
        assert found(ready(reader), "quokka") == set()
        assert found(reader, "squid") == with_words(answer, lambda words: "squid" in words)


def test_nothing_is_written_next_to_the_answer(answer, tmp_path):
    with Reader(answer) as reader:
        assert found(ready(reader), "squid") != set()
        assert [path.name for path in tmp_path.iterdir()] == [answer.name]


def test_a_judgement_does_not_read_the_contexts_again(answer, monkeypatch):
    with Reader(answer) as reader, Resolution.open(answer) as other:
        people = [line.id for line in ready(reader).search(words="squid", types=["person"]).rows]
        monkeypatch.setattr(word_index.WordIndex, "_make", None)
        time.sleep(1.5)
        other.merge(*people[:2])
        reader.refresh()
        assert len(found(ready(reader), "squid")) == len(with_words(answer, lambda words: "squid" in words))


def test_an_answer_takes_in_so_many_contexts(sample, reader, monkeypatch):
    monkeypatch.setattr(word_index, "MOST_HITS", 5)
    assert 0 < reader.search(words="the").total <= 5
