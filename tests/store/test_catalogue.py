"""Search: by beginnings of words, with filters and orders, against the same done in Python."""

import re
import unicodedata

import duckdb
import pytest

from crossdoc.model import KnownEntry, Profile
from crossdoc.run import resolve as pipeline
from crossdoc.run.resolution import Resolution
from crossdoc.store.catalogue import SIZE_STEPS
from crossdoc.web.reader import Reader


@pytest.fixture(scope="module")
def reader(sample):
    with Reader(sample) as made:
        yield made


@pytest.fixture(scope="module")
def listed(sample):
    with Resolution.open(sample) as answer:
        yield answer.store.identities()


def folded(text):
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c)).lower()
    return re.sub(r"[\W_]+", " ", plain).split()


def named(identity, asked):
    words = [word for name in [identity.name, *identity.variants] for word in folded(name)]
    return all(any(word.startswith(term) for word in words) for term in folded(asked))


@pytest.mark.parametrize("asked", ["", "smith", "SMI", "j smi", "smith john", "o", "élan", "motors, halden", "zzz"])
def test_names_are_found_by_the_beginnings_of_their_words(reader, listed, asked):
    found = reader.search(asked, limit=1000)
    expected = [identity.id for identity in listed if named(identity, asked)]
    assert [line.id for line in found.rows] == expected, "largest first"
    assert found.total == len(expected)


def test_nothing_but_signs_finds_nothing(reader):
    assert reader.search("?!").total == reader.search("'); DROP TABLE lines; --").total == 0


def test_an_id_finds_its_identity(reader, listed):
    assert [line.id for line in reader.search(listed[7].id).rows] == [listed[7].id]


@pytest.mark.parametrize(
    ("wanted", "holds"),
    [
        ({"types": ["person"]}, lambda i: i.type == "person"),
        ({"types": ["person", "place"]}, lambda i: i.type in ("person", "place")),
        ({"sizes": (3, 5)}, lambda i: 3 <= i.n_documents <= 5),
        ({"sizes": (None, 1)}, lambda i: i.n_documents <= 1),
        ({"certainty": (0.5, 0.9)}, lambda i: 0.5 <= i.certainty <= 0.9),
        ({"certainty": (None, 0.6)}, lambda i: i.certainty <= 0.6),
        ({"years": (2003, 2004)}, lambda i: i.first_date[:4] <= "2004" and i.last_date[:4] >= "2003"),
        ({"years": (2010, None)}, lambda i: i.last_date[:4] >= "2010"),
    ],
)
def test_filters(reader, listed, wanted, holds):
    found = reader.search(**wanted, limit=1000)
    assert {line.id for line in found.rows} == {i.id for i in listed if holds(i)}
    assert 0 < found.total < len(listed)


def test_by_language(reader, sample):
    with duckdb.connect(str(sample), read_only=True) as db:
        french = {row[0] for row in db.execute(
            "SELECT DISTINCT m.entity FROM memberships m JOIN profiles p USING (id) WHERE rank = 1 AND language = 'fr'"
        ).fetchall()}  # fmt: skip
    assert {line.id for line in reader.search(languages=["fr"], limit=1000).rows} == french
    assert reader.search(languages=["fr", "en"]).total > len(french) > 0


KEYS = {
    "documents": lambda line: line.documents,
    "mentions": lambda line: line.mentions,
    "name": lambda line: " " + " ".join(folded(line.name)),
    "certainty": lambda line: line.certainty,
    "first": lambda line: line.first_year,
}


@pytest.mark.parametrize("sort", KEYS)
@pytest.mark.parametrize("descending", [True, False])
def test_orders_and_pages(reader, sort, descending):
    rows = reader.search(sort=sort, descending=descending, limit=1000).rows
    keys = [KEYS[sort](line) for line in rows]
    assert keys == sorted(keys, reverse=descending)
    paged = [line for at in range(0, 200, 40) for line in reader.search(sort=sort, descending=descending, offset=at, limit=40).rows]  # fmt: skip # noqa: E501
    assert paged == rows[:200]


def test_facets_count_what_filters_find(reader):
    facets = reader.facets()
    for type, n in facets.types:
        assert reader.search(types=[type or ""]).total == n
    for language, n in facets.languages:
        assert reader.search(languages=[language]).total == n
    for low, n in facets.sizes:
        above = next((size for size in SIZE_STEPS if size > low), None)
        assert reader.search(sizes=(low, above - 1 if above else None)).total == n
    assert sum(n for _, n in facets.certainty) == sum(n for _, n in facets.years) == reader.search().total


def test_other_scripts_are_found_in_theirs_and_in_latin(tmp_path):
    names = ["Михаил Чернов", "鄧小平", "Ó Briain", "Straße", "Πλάτων"]
    profiles = [Profile(str(n), f"d{n}", name, "person", f"about {name}") for n, name in enumerate(names)]
    pipeline.resolve(profiles, output=tmp_path / "a.crossdoc").close()
    with Reader(tmp_path / "a.crossdoc") as reader:
        for asked, name in [
            ("чернов", names[0]), ("chern", names[0]), ("小平", names[1]), ("briain", names[2]), ("o bri", names[2]),
            ("strasse", names[3]), ("πλατων", names[4]), ("plat", names[4]),
        ]:  # fmt: skip
            assert [line.name for line in reader.search(asked).rows] == [name], asked


def test_entries_of_a_known_list(tmp_path):
    people = [
        Profile(f"p{n}", f"d{n}", name, "person", f"{name}, the {role}, spoke.", attributes={"descriptor": [role]})
        for n, (name, role) in enumerate([("Ann Lee", "pianist"), ("Bob Ray", "lawyer")])
    ]
    known = [KnownEntry("Q1", "Ann Lee", type="person", description="pianist")]
    pipeline.resolve(people, output=tmp_path / "a.crossdoc", known=known).close()
    with Reader(tmp_path / "a.crossdoc") as reader, Resolution.open(tmp_path / "a.crossdoc") as answer:
        links = {row["entity"]: (row["known"], row["probability"]) for row in answer.store.known_links().to_pylist()}
        assert {line.id: (line.known, line.known_probability) for line in reader.search().rows if line.known} == links
        assert len(links) == 1
        card = reader.identity(next(iter(links)))
        assert (card.known.id, card.known.name, card.known.description) == ("Q1", "Ann Lee", "pianist")
        assert reader.overview().known == 1


def test_an_answer_without_anything(answer):
    with duckdb.connect(str(answer)) as db:
        for table in ("documents", "mentions", "profiles", "memberships", "identities"):
            db.execute(f"DELETE FROM {table}")
    with Reader(answer) as reader:
        assert reader.search("x").total == reader.search().total == reader.search(words="nothing").total == 0
        assert reader.overview().largest == reader.network().nodes == reader.facets().types == []
