"""Links to Wikipedia as a corpus: wikitext, web pages, archives, dumps, and the filters."""

import sys

import pyarrow.parquet as pq
import pytest
import wikilinks
from wikilinks import LinkCorpus, LinkFilters, anchor_distance, title_of_concept
from wikitext import page_title

from crossdoc import errors

from .common import LINK, dump, mentions


@pytest.mark.parametrize("title", ["Bill Clinton", "IPod", "Treaty of Versailles", "University of Jena", "Hamlet"])
def test_titles_of_entities(title):
    assert not title_of_concept(title)


@pytest.mark.parametrize(
    "title", ["Political philosophy", "1984", "March 5", "5 March", "19th century", "1990s", "44 BC", "Lists of actors",
              "Mercury (disambiguation)", "Apple (fruit juice) maker"]
)  # fmt: skip
def test_titles_of_concepts(title):
    assert title_of_concept(title)


def test_distance_leaves_case_accents_and_brackets_out():
    assert anchor_distance("vlore", "Vlorë (city)") == 0
    assert anchor_distance("here", "Barack Obama") > 0.75
    assert page_title("x" * 256) is None


def test_each_filter_takes_what_it_says(write):
    text = (
        "[[Bonn]] in a [[Rhine|it flows]] with [[philosophy]] of [[Bonn|this]] "
        "and [[Bonn]] [[Rome]] words here\n\n[[Bonn]] in short"
    )
    filters = LinkFilters(least_words=10, most_distance=0.75, least_links=2, development=0)
    found, corpus = mentions(write("d.xml", dump(("P", text))), filters)
    assert [m["entity"] for m in found] == ["Bonn", "Bonn"]
    assert dict(corpus.counts) == {
        "pages": 1, "links": 7, "links in short blocks": 1, "links to concepts": 1,
        "links with an anchor far from the title": 2, "links of entities with too few": 1, "mentions": 2,
    }  # fmt: skip


def test_small_letters_within_sentences_tell_concepts(write):
    text = "[[Anarchism]] is. The [[Anarchism|anarchism]] of [[Kropotkin]], [[Love]] and [[Love]] of [[Love|love]]."
    found, _ = mentions(write("d.xml", dump(("P", text))), LinkFilters(0, 1, False, 0, 0))
    assert {m["entity"] for m in found} == {"Kropotkin"}


def test_scripts_without_capitals_are_no_concepts(write):
    found, _ = mentions(write("d.xml", dump(("P", "彼は[[東京]]に行った"))), LinkFilters(0, 1, False, 0, 0))
    assert [m["name"] for m in found] == ["東京"]


def test_the_split_is_by_entity_and_by_seed(write):
    path = write("d.xml", dump(("P", " ".join(f"[[Town {i}]] or [[Town {i}|T{i}]]" for i in range(40)))))
    splits = {}
    for seed in (0, 0, 1):
        found, corpus = mentions(path, LinkFilters(0, 1, True, 2, 0.25, seed))
        apart = {m["entity"] for m in found if m["split"] == "development"}
        assert apart == corpus.development
        assert len(apart) == 10
        assert not apart & {m["entity"] for m in found if m["split"] == "test"}
        assert splits.setdefault(seed, apart) == apart
        with LinkCorpus(LinkFilters(0, 1, True, 2, 0.25, seed)).read([path]) as again:
            halves = [sum(batch.num_rows for batch in again.mentions(part)) for part in ("development", "test")]
        assert halves == [20, 60]
    assert splits[0] != splits[1]


def test_batches_lose_nothing(write, monkeypatch):
    monkeypatch.setattr(wikilinks, "BATCH", 3)
    found, _ = mentions(write("d.xml", dump(*((f"P{i}", "[[Bonn]] [[Rome]]") for i in range(7)))))
    assert [m["document"] for m in found] == [f"P{i}" for i in range(7) for _ in range(2)]


def test_links_to_another_wikipedia(write):
    path = write("a.html", LINK.replace("en.wiki", "de.wiki"))
    assert len(mentions(path, language="de")[0]) == 1
    with pytest.raises(errors.InputError, match="links: 0"):
        mentions(path)


@pytest.mark.parametrize("wrong", [{"most_distance": 2}, {"development": -1}, {"least_words": -1}, {"least_links": -1}])
def test_filters_that_mean_nothing(wrong):
    with pytest.raises(errors.UsageError):
        LinkFilters(**wrong)


def test_the_sample_dump(corpus_folder):
    found, corpus = mentions(corpus_folder("wikipedia_links"), LinkFilters())
    assert corpus.counts["pages"] == 106
    assert len(found) > 500
    assert min(corpus.entities.values()) >= 6
    assert min(len(m["context"].split()) for m in found) >= 36
    assert len(corpus.development) == round(0.05 * len(corpus.entities))
    assert len({m["id"] for m in found}) == len(found)


def page(number):
    links = " ".join(
        f"[[{town}]] has a river, a market and number {number}." for town in ("Bonn", "Rome", "Oslo", "Riga")
    )
    return f"<page><title>P{number}</title><ns>0</ns><revision><text>{links}</text></revision></page>\n"


def test_the_command_splits_by_entity_and_writes_the_same_bytes_again(write, tmp_path, monkeypatch):
    given = write("d.xml.gz", f"<mediawiki>{''.join(map(page, range(6)))}</mediawiki>")
    written = []
    for out, apart in (
        (tmp_path / "a.parquet", tmp_path / "b.parquet"),
        (tmp_path / "c.parquet", tmp_path / "d.parquet"),
    ):
        options = ["--development", apart, "--development-share", 0.25, "--least-words", 5]
        monkeypatch.setattr(sys, "argv", ["wikilinks.py", *map(str, [given, "-o", out, *options])])
        wikilinks.main()
        written.append((out.read_bytes(), apart.read_bytes()))
    assert written[0] == written[1]
    mentions, held = pq.read_table(out).to_pylist(), pq.read_table(apart).to_pylist()
    assert (len(mentions), len(held)) == (18, 6)
    assert not {m["entity"] for m in mentions} & {m["entity"] for m in held}
