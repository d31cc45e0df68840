"""Queries about identities, profiles and documents, against the same data read from the tables directly."""

from collections import Counter

import duckdb
import pytest

from crossdoc import errors
from crossdoc.run.resolution import Resolution
from crossdoc.store.identity_queries import places_of, sentence_with
from crossdoc.web.reader import Reader

CHAIRMAN = "motors-1:65:78"


@pytest.fixture(scope="module")
def reader(sample):
    with Reader(sample) as made:
        yield made


@pytest.fixture(scope="module")
def whole(sample):
    with Resolution.open(sample) as answer:
        yield answer


@pytest.fixture(scope="module")
def tables(sample):
    with duckdb.connect(str(sample), read_only=True) as db:
        yield {name: db.sql(f"SELECT * FROM {name}").to_arrow_table().to_pylist()
               for name in ("profiles", "memberships", "mentions", "documents", "identities")}  # fmt: skip


def own(tables, id, soft=False):
    """The profiles of an identity with their memberships."""
    held = {m["id"]: m for m in tables["memberships"] if m["entity"] == id and (soft or m["rank"] == 1)}
    return [(p, held[p["id"]]) for p in tables["profiles"] if p["id"] in held]


@pytest.fixture(scope="module", params=["largest", "chairman", "smallest"])
def id(request, whole):
    listed = whole.store.identities()
    return {"largest": listed[0].id, "chairman": CHAIRMAN, "smallest": listed[-1].id}[request.param]


def test_a_card_says_what_the_profiles_say(reader, tables, id):
    card = reader.identity(id)
    (row,) = [each for each in tables["identities"] if each["id"] == id]
    assert dict(card.variants) == dict(row["variants"])
    assert [n for _, n in card.variants] == sorted((n for _, n in card.variants), reverse=True)
    members = own(tables, id)
    assert card.profiles == len(members)
    assert dict(card.languages) == Counter(p["language"] for p, _ in members if p["language"])
    said = Counter(
        (key, value) for p, _ in members for key, values in p["attributes"] for value in values
        if key not in ("first", "middle", "last", "suffix", "gender_confidence")
    )  # fmt: skip
    assert Counter({(fact.kind, fact.value): fact.count for fact in card.facts}) == said
    contexts = {p["id"]: p for p, _ in members}
    for fact in card.facts:
        assert fact.document == contexts[fact.profile]["document"]
        assert fact.sentence in contexts[fact.profile]["context"]
    entity_of = {m["id"]: m["entity"] for m in tables["memberships"] if m["rank"] == 1}
    relations = Counter(
        (r["type"], r["name"], entity_of.get(r["profile"])) for p, _ in members for r in p["relations"] or []
    )
    told = {(each.type, each.name, each.identity): each for each in card.relations}
    assert {key: each.count for key, each in told.items()} == dict(relations.most_common()) or len(relations) > 100
    for each in card.relations:
        assert (each.profile is None) or entity_of[each.profile] == each.identity
    lists = [each.type == "list" for each in card.relations]
    assert lists == sorted(lists), "who only stands beside comes last"


def test_the_sentence_behind_a_fact_is_shown(reader):
    facts = {fact.value: fact for fact in reader.identity(CHAIRMAN).facts}
    assert "chairman of Halden Motors" in facts["chairman of Halden Motors"].sentence
    assert sentence_with("It rained.\nHe, a lawyer, left! Why?", "Lawyer") == "He, a lawyer, left!"
    assert sentence_with("Chairman John A. Smith left. Mr. Lee stayed.", "chairman") == "Chairman John A. Smith left."
    assert sentence_with("Chairman John A. Smith left. Mr. Lee stayed.", "mr") == "Mr. Lee stayed."
    assert sentence_with("Un Américain est venu.", "m") == ""
    assert sentence_with("It rained.", "lawyer") == sentence_with(None, "lawyer") == ""


def test_members_are_ranked_and_complete(reader, tables, id):
    expected = sorted(own(tables, id, soft=True), key=lambda each: -each[1]["membership"])
    found = reader.members(id, 0, 1000)
    assert {each.profile for each in found} == {p["id"] for p, _ in expected}
    assert [each.membership for each in found] == [m["membership"] for _, m in expected]
    starts = {}
    for mention in tables["mentions"]:
        span = (mention["start"], mention["end"])
        starts[mention["chain"]] = min(starts.get(mention["chain"], span), span)
    dates = {d["id"]: (d["title"], d["date"]) for d in tables["documents"]}
    ranks = {p["id"]: m["rank"] for p, m in expected}
    for each in found:
        assert (each.start, each.end) == starts[each.profile]
        assert (each.title, each.date) == dates[each.document]
        assert each.first == (ranks[each.profile] == 1)
        if each.marked:
            assert each.snippet[slice(*each.marked)].split()[-1] == each.name.split()[-1]
    paged = [each for start in range(0, len(found), 2) for each in reader.members(id, start, 2)]
    assert paged == found


def test_documents_of_an_identity(reader, tables, id):
    members = own(tables, id)
    chains = {p["id"]: p["document"] for p, _ in members}
    mentions = Counter(chains[m["chain"]] for m in tables["mentions"] if m["chain"] in chains)
    found = reader.documents_of(id, 0, 1000)
    assert {each.id: each.mentions for each in found} == dict(mentions)
    assert [each.date for each in found] == sorted(each.date for each in found)
    assert [each for start in range(0, len(found), 3) for each in reader.documents_of(id, start, 3)] == found
    for each in found:
        assert each.names == sorted({p["name"] for p, _ in members if p["document"] == each.id})


def test_a_document_marks_every_mention(reader, tables):
    entity_of = {m["id"]: m["entity"] for m in tables["memberships"] if m["rank"] == 1}
    names = {i["id"]: i["name"] for i in tables["identities"]}
    for document in tables["documents"][::10]:
        view = reader.document(document["id"])
        assert (view.text, view.title, view.date, view.source) == tuple(
            document[key] for key in ("text", "title", "date", "source")
        )
        expected = [m for m in tables["mentions"] if m["document"] == document["id"]]
        assert sorted((s.start, s.end, s.identity, s.profile, s.kind) for s in view.spans) == sorted(
            (m["start"], m["end"], entity_of[m["chain"]], m["chain"], m["kind"]) for m in expected
        )
        assert [(s.start, -s.end) for s in view.spans] == sorted((s.start, -s.end) for s in view.spans)
        assert all(s.name == names[s.identity] for s in view.spans)
        said = {(m["start"], m["end"]): m["text"] for m in expected}
        assert all(view.text[s.start : s.end] == said[s.start, s.end] for s in view.spans)
        assert view.profiles == sum(p["document"] == document["id"] for p in tables["profiles"])


def test_a_profile_with_its_places_and_other_identities(reader, tables):
    torn = next(m["id"] for m in tables["memberships"] if m["rank"] == 2)
    view = reader.profile(torn)
    (row,) = [p for p in tables["profiles"] if p["id"] == torn]
    held = sorted((m["rank"], m["entity"], m["membership"]) for m in tables["memberships"] if m["id"] == torn)
    there = {i["id"] for i in tables["identities"]}
    assert (view.identity, view.membership) == held[0][1:]
    assert [(id, much) for id, _, much in view.others] == [each[1:] for each in held[1:] if each[1] in there]
    assert (view.document, view.name, view.context) == (row["document"], row["name"], row["context"])
    assert view.marked
    assert all(view.context[a:b].split()[-1] in row["name"] for a, b in view.marked)
    assert places_of(["John Smith"], "Smith met John Smithson and John Smith.") == [(0, 5), (28, 38)]


def test_years_and_months(reader, tables, whole):
    dates = {d["id"]: d["date"] for d in tables["documents"]}
    for identity in whole.store.identities()[:20]:
        documents = {p["document"] for p, _ in own(tables, identity.id)}
        found = reader.timeline(identity.id)
        assert sum(n for _, n in found) == len(documents)
        few = len({dates[d][:4] for d in documents}) <= 3
        assert dict(found) == Counter(dates[d][: 7 if few else 4] for d in documents)
        assert found == sorted(found)


def test_who_stands_beside(reader, whole, id):
    shared = {frozenset((a, b)): n for a, b, n in whole.store.shared_documents()}
    found = reader.related(id, 1000)
    assert {each.line.id: each.documents for each in found} == {
        next(iter(pair - {id})): n for pair, n in shared.items() if id in pair
    }
    assert len(reader.related(id, 3)) == min(3, len(found))


def test_stated_relations_go_before_company(reader):
    first = reader.related(CHAIRMAN)[0]
    assert (first.line.name, "employment:chairman" in first.types) == ("Halden Motors", True)


def test_who_it_may_also_be(reader, tables):
    found = reader.maybe(CHAIRMAN)
    assert CHAIRMAN not in {each.line.id for each in found}
    members = {m["id"]: m for m in tables["memberships"] if m["entity"] == CHAIRMAN}
    there = {i["id"] for i in tables["identities"]}
    shared = Counter()
    for m in tables["memberships"]:
        if m["id"] in members and m["entity"] in there - {CHAIRMAN} and 1 in (m["rank"], members[m["id"]]["rank"]):
            shared[m["entity"]] += 1
    assert {each.line.id: each.profiles for each in found if each.reason == "shared"} == dict(shared)
    for each in found:
        identity_of = {each.a: reader.profile(each.a).identity, each.b: reader.profile(each.b).identity}
        assert each.a != each.b
        assert set(identity_of.values()) == {CHAIRMAN, each.line.id}


def test_namesakes_may_be_the_same(answer):
    with duckdb.connect(str(answer)) as db:
        db.execute("DELETE FROM memberships WHERE rank > 1")
        query = "SELECT id FROM identities WHERE name = 'John Smith' AND type = 'person'"
        one, *others = [row[0] for row in db.execute(f"{query} ORDER BY n_documents DESC, n_mentions DESC").fetchall()]
    with Reader(answer) as reader:
        found = reader.maybe(one)
        assert [(each.line.id, each.reason, each.likely) for each in found] == [(id, "name", None) for id in others]
        assert [reader.profile(each.b).identity for each in found] == others


def test_what_is_not_there_is_said(reader):
    for asked in (reader.identity, reader.members, reader.timeline, reader.related, reader.maybe, reader.documents_of):
        with pytest.raises(errors.UsageError, match="no identity"):
            asked("nobody")
    with pytest.raises(errors.InputError, match="no such document"):
        reader.document("nowhere")
    with pytest.raises(errors.InputError, match="do not exist"):
        reader.profile("nobody")
    with pytest.raises(errors.UsageError, match="itself"):
        reader.why(CHAIRMAN, CHAIRMAN)
