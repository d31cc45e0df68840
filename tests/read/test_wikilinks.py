"""Links to Wikipedia as a corpus: wikitext, web pages, archives, dumps, and the filters."""

import bz2
import gzip
import lzma
from html import escape
from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossdoc import errors
from crossdoc.read import wikilinks
from crossdoc.read.wikihtml import html_blocks, wikipedia_title
from crossdoc.read.wikilinks import LinkCorpus, LinkFilters, anchor_distance, title_of_concept
from crossdoc.read.wikipages import find_files
from crossdoc.read.wikitext import blocks, page_title

EVERYTHING = LinkFilters(least_words=0, most_distance=1, concepts=True, least_links=0, development=0)


def anchors(found):
    return [(block.text[link.start : link.end], link.title) for block in found for link in block.links]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("[[Neil Armstrong]]", [("Neil Armstrong", "Neil Armstrong")]),
        ("[[neil Armstrong|he]]", [("he", "Neil Armstrong")]),
        ("[[anarchist]]s everywhere", [("anarchists", "Anarchist")]),
        ("[[Mercury (planet)|]]", [("Mercury", "Mercury (planet)")]),
        ("[[A_b#Life|  x   y ]]", [("x y", "A b")]),
        ("[[#Life|here]] [[Category:Moons]] [[fr:Lune]] [[:Category:Moons]] [[wikt:moon|moon]]", []),
        ("[[File:a.jpg|thumb|A [[Moon]] and {{t|[[Sun]]}}]] [[Earth]]", [("Earth", "Earth")]),
        ("{{Infobox|a={{b|[[Moon]]}}|c=[[Sun]]}}[[Earth]]", [("Earth", "Earth")]),
        ("<ref name=a>[[Moon]]</ref><ref name='b' />[[Earth]]<!-- [[Sun]] -->", [("Earth", "Earth")]),
        ("[[Star Trek: Voyager]] [http://x.org/a [not a link]]", [("Star Trek: Voyager", "Star Trek: Voyager")]),
        ("''[[Blade Runner|'''Blade''' Runner]]''", [("Blade Runner", "Blade Runner")]),
        ("[[AT&amp;T]] &nbsp; [[S%C3%A3o Paulo]]", [("AT&T", "AT&T"), ("S%C3%A3o Paulo", "São Paulo")]),
    ],
)
def test_links_of_wikitext(source, expected):
    assert anchors(blocks(source)) == expected


def test_paragraphs_items_and_headings_are_blocks():
    source = "One\nand more.\n\n== Life ==\n* an item\n** below it\n{|\n| a cell\n|}\nTwo<br>lines<p>Three"
    assert [block.text for block in blocks(source)] == ["One and more.", "an item", "below it", "Two lines", "Three"]


@given(
    st.lists(
        st.sampled_from(["[[", "]]", "{{", "}}", "{|", "|}", "|", "<ref>", "</ref>", "<!--", "-->", "a ", "\n"])
    ).map("".join)
)
def test_whatever_is_left_open_anchors_are_where_they_are_said_to_be(source):
    for block in blocks(source):
        assert block.text == " ".join(block.text.split())
        assert all(block.text[link.start : link.end].strip() for link in block.links)
        assert all(link.end <= following.start for link, following in pairwise(block.links))


def test_a_hostile_page_takes_linear_time():
    assert list(blocks("{{" * 200_000 + "[[" * 200_000 + "<ref>" * 200_000 + "<!--" * 100_000)) != []


@pytest.mark.parametrize(
    ("address", "title"),
    [
        ("https://en.wikipedia.org/wiki/Bill_Clinton", "Bill Clinton"),
        ("//en.wikipedia.org/wiki/Bill_Clinton", None),
        ("http://de.wikipedia.org/wiki/Bonn", None),
        ("https://en.wikipedia.org/wiki/File:A.jpg", None),
        ("https://en.wikipedia.org/", None),
        ("https://en.wikipedia.org.evil.com/wiki/Bonn", None),
        ("http://[broken", None),
    ],
)
def test_addresses(address, title):
    assert wikipedia_title(address) == title


def test_blocks_of_a_web_page():
    page = """<html><head><title>[x]</title><base href="https://en.wikipedia.org/wiki/X"></head><body>
    <script>var a = "<a href='/wiki/Script'>s</a>"</script>
    <div>Before <p>He met <a href="/wiki/Bill_Clinton"> <b>Bill</b>
    Clinton </a>, who <a href="http://x.org">laughed</a>.</p> after
    <a href="//en.wikipedia.org/wiki/Bonn">Bonn</a></div>
    <ul><li>One<li>Two <a href="/wiki/Empty"><img src=a></a></ul> a<br>b<br><br>c</body></html>"""
    found = list(html_blocks(page))
    assert [block.text for block in found] == [
        "Before", "He met Bill Clinton , who laughed.", "after Bonn", "One", "Two", "a b", "c",
    ]  # fmt: skip
    assert anchors(found) == [("Bill Clinton", "Bill Clinton"), ("Bonn", "Bonn")]


def test_a_link_round_blocks_and_a_page_without_a_body():
    round_two = "<a href='https://en.wikipedia.org/wiki/Bonn'><p>Bonn</p><p>on the Rhine</p></a>"
    assert anchors(html_blocks(round_two)) == [("Bonn", "Bonn"), ("on the Rhine", "Bonn")]
    assert list(html_blocks("")) == []


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


def dump(*pages, end="</mediawiki>"):
    written = []
    for title, text in pages:
        redirect = f'<redirect title="{escape(text[1:])}" />' if text.startswith(">") else ""
        written.append(
            f"<page><title>{escape(title)}</title><ns>{1 if title.startswith('Talk:') else 0}</ns>{redirect}"
            f"<revision><text>old [[Old]]</text></revision><revision><text>{escape(text)}</text></revision></page>\n"
        )
    names = '<siteinfo><namespaces><namespace key="100">Portail</namespace></namespaces></siteinfo>\n'
    return f"<mediawiki>{names}{''.join(written)}{end}".encode()


def mentions(path, filters=EVERYTHING, **options):
    with LinkCorpus(filters, **options).read([path]) as corpus:
        return pa.Table.from_batches(corpus.mentions(), wikilinks.MENTIONS).to_pylist(), corpus


def test_mentions_of_a_dump(write):
    path = write(
        "d.xml",
        dump(
            ("Alpha", "He met [[USA|them]].\n\nIn [[bonn]] & [[Portail:Rhine]] it was [[Twice]]."),
            ("USA", ">United States"),
            ("United States", "See [[Alpha]]."),
            ("Twice", ">Thrice"),
            ("Thrice", ">Twice"),
            ("Talk:Alpha", "[[Never]]"),
            ("Bonn", "[[Rhine]] {{disambig}}"),
        ),
    )
    found, corpus = mentions(path)
    assert [(m["id"], m["name"], m["entity"]) for m in found] == [
        ("Alpha:7:11", "them", "United States"),
        ("Alpha:16:20", "bonn", "Bonn"),
        ("Alpha:30:35", "Twice", "Thrice"),
        ("United States:4:9", "Alpha", "Alpha"),
    ]
    assert all(m["context"][m["start"] : m["end"]] == m["name"] and m["split"] == "test" for m in found)
    assert corpus.counts["pages"] == 3


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


@pytest.mark.parametrize(("ending", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)])
def test_compressed_dumps_whole_and_cut_off(tmp_path, ending, pack):
    whole = dump(*((f"P{i}", f"[[Bonn]] {i} {i * 7919 % 1000} " * 50) for i in range(400)))
    path = tmp_path / f"d.xml{ending}"
    path.write_bytes(pack(whole))
    assert len(mentions(path)[0]) == 20_000
    path.write_bytes(pack(whole)[:-20])
    with pytest.raises(errors.InputError, match=r"ends in the middle, at line"):
        mentions(path)


def test_a_dump_cut_off_can_be_made_do_with(write):
    path = write("d.xml", dump(("A", "[[Bonn]]"), ("B", "[[Rome]]"))[:-60])
    with pytest.raises(errors.InputError, match="at line 3, after 1 complete pages") as error:
        mentions(path)
    assert "--partial" in error.value.hint
    assert [m["entity"] for m in mentions(path, partial=True)[0]] == ["Bonn"]


def test_bytes_within_a_letter_cut_off(write):
    whole = dump(("A", "[[Bonn]]"), ("B", "Ü"))
    path = write("d.xml", whole[: whole.index("Ü".encode()) + 1])
    assert len(mentions(path, partial=True)[0]) == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (dump(("A", "x"), end="</page>"), "line 3: it is not well-formed XML (mismatched tag)"),
        (dump(("A", "x"), end="&nosuch;</mediawiki>"), "line 3: it is not well-formed XML (undefined entity)"),
        (b"<html><p>x</p></html>", "its first element is <html>"),
        (b"", "line 1: it is not well-formed XML (no element found)"),
        (b"\x00\x01", "line 1"),
        (dump(("A", "no link")), "No link to Wikipedia is left"),
    ],
)
def test_what_is_no_dump(write, content, message):
    with pytest.raises(errors.InputError) as error:
        mentions(write("d.xml", content))
    assert message in error.value.what


def record(address, body, kind="text/html; charset=latin-1", more=b""):
    http = b"HTTP/1.1 200 OK\r\nContent-Type: " + kind.encode() + b"\r\n" + more + b"\r\n" + body
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Target-URI: {address}\r\n"
        "WARC-Date: 2011-06-19T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(http)}\r\n\r\n"
    )
    return head.encode() + http + b"\r\n\r\n"


LINK = "<p>Herr Müller in <a href='https://en.wikipedia.org/wiki/Bonn'>Bonn</a>"
RECORDS = [
    record("http://a.org/1", LINK.encode("latin-1")),
    record("http://a.org/2", gzip.compress(LINK.encode()), "text/html", b"Content-Encoding: gzip\r\n"),
    record("http://a.org/1", LINK.encode("latin-1")),
    record("http://a.org/3", b"%PDF", "application/pdf"),
    record("https://en.wikipedia.org/wiki/Rhine", b"<p>The <a href='/wiki/Bonn'>town</a>", "application/xhtml+xml"),
]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.warc", b"".join(RECORDS)),
        ("a.warc.gz", b"".join(map(gzip.compress, RECORDS))),
        ("a.warc.xz", lzma.compress(b"".join(RECORDS))),
    ],
)
def test_archives(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    found, corpus = mentions(tmp_path / name)
    assert [(m["document"], m["name"], m["context"]) for m in found] == [
        ("http://a.org/1", "Bonn", "Herr Müller in Bonn"),
        ("http://a.org/2", "Bonn", "Herr Müller in Bonn"),
        ("https://en.wikipedia.org/wiki/Rhine", "town", "The town"),
    ]
    assert corpus.counts["pages that came before"] == 1


@pytest.mark.parametrize("cut", [len(RECORDS[0]) + 50, len(RECORDS[0] + RECORDS[1]) - 30])
def test_an_archive_cut_off(write, cut):
    path = write("a.warc", b"".join(RECORDS)[:cut])
    with pytest.raises(errors.InputError, match="the record at byte"):
        mentions(path)
    assert len(mentions(path, partial=True)[0]) == 1


def test_what_is_no_archive(write):
    with pytest.raises(errors.InputError, match="cannot be read"):
        mentions(write("a.warc", "hello world\n" * 100))


def test_a_folder_of_pages(write, tmp_path):
    write("in/b/page.html", LINK.encode("latin-1"))
    write("in/a.htm.gz", LINK)
    write("in/picture.html", b"\x00\x01\x02" * 100)
    write("in/notes.txt", "no page")
    found, corpus = mentions(tmp_path / "in")
    assert [(m["id"], m["context"]) for m in found] == [
        ("a.htm.gz:15:19", "Herr Müller in Bonn"),
        ("b/page.html:15:19", "Herr Müller in Bonn"),
    ]
    assert corpus.counts["pages that are not text"] == 1
    with pytest.raises(errors.InputError, match=r"page\.html"):
        LinkCorpus(EVERYTHING).read([tmp_path / "in/b", tmp_path / "in/b"])


def test_links_to_another_wikipedia(write):
    path = write("a.html", LINK.replace("en.wiki", "de.wiki"))
    assert len(mentions(path, language="de")[0]) == 1
    with pytest.raises(errors.InputError, match="links: 0"):
        mentions(path)


def test_inputs_that_are_not_there(tmp_path, write):
    for path, message in (
        (tmp_path / "none", "no file or folder"),
        (write("a.pdf", "x"), r"a\.pdf"),
        (tmp_path, "holds no"),
    ):
        with pytest.raises(errors.CrossdocError, match=message):
            find_files([path])


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
