"""The reader of an answer, against the same data read from the store directly."""

import time
from collections import Counter
from itertools import combinations

import pytest

from crossdoc import errors
from crossdoc.resolution import Resolution
from crossdoc.web.reading import Reader

CHAIRMAN = "motors-1:65:78"


@pytest.fixture(scope="module")
def reader(sample):
    with Reader(sample) as made:
        yield made


@pytest.fixture(scope="module")
def whole(sample):
    with Resolution.open(sample) as answer:
        yield answer


def test_the_network_is_of_the_largest(reader, whole):
    network = reader.network(30)
    ids = [node.id for node in network.nodes]
    assert ids == [identity.id for identity in whole.store.identities(top=30)]
    shared = {frozenset((a, b)): n for a, b, n in whole.store.shared_documents()}
    expected = {frozenset(pair): shared[frozenset(pair)] for pair in combinations(ids, 2) if frozenset(pair) in shared}
    assert {frozenset((a, b)): n for a, b, n in network.edges} == expected


def test_the_collection_at_a_glance(reader, whole):
    overview = reader.overview(5)
    assert overview.sizes == whole.store.sizes()
    assert [line.id for line in overview.largest] == [identity.id for identity in whole.store.identities(top=5)]
    named = Counter((i.name, i.type) for i in whole.store.identities())
    assert overview.ambiguous[0][:2] == ("John Smith", named["John Smith", "person"])
    assert overview.left_out == whole.notes
    assert overview.scores == whole.store.scores()
    assert [run.method for run in overview.runs] == [run.method for run in whole.runs]
    certain = [line.certainty for line in overview.unsure]
    assert certain == sorted(certain)


def test_changes_of_others_are_followed(answer):
    with Reader(answer) as reader, Resolution.open(answer) as other:
        before, version = reader.search("john smith"), reader.version
        a, b = before.rows[0].id, before.rows[1].id
        time.sleep(0.5)
        other.merge(a, b, who="Ada", why="one and the same")
        assert reader.version > version
        after = reader.search("john smith")
        assert after.total == before.total - 1
        kept = next(line for line in after.rows if line.id in (a, b))
        assert kept.documents == before.rows[0].documents + before.rows[1].documents
        (gone,) = {a, b} - {kept.id}
        assert reader.successors(gone) == [kept.id]
        assert (reader.identity(gone).line.id, reader.identity(gone).asked) == (kept.id, gone)
        assert [event.what for event in reader.history(gone)] == ["merged"]
        (said,) = reader.log()
        assert (said.standing, said.entry.act, said.entry.who) == (True, "merge", "Ada")
        other.undo(who="Ada")
        assert [line.standing for line in reader.log()] == [False, False]
        with Reader(answer) as anew:
            assert reader.search("john smith").rows == anew.search("john smith").rows != after.rows


def test_following_comes_to_the_same_as_reading_anew(answer):
    with Reader(answer) as reader, Resolution.open(answer) as other:
        reader.facets()
        time.sleep(0.5)
        members = [each.profile for each in reader.members(CHAIRMAN)]
        time.sleep(0.5)
        other.split(CHAIRMAN, members[:3])
        other.rename(CHAIRMAN, "The chairman")
        other.remove("motors-5", "brief-2")
        with Reader(answer) as anew:
            for sort in ("documents", "name"):
                assert reader.search(sort=sort, limit=500).rows == anew.search(sort=sort, limit=500).rows
            assert reader.facets() == anew.facets()
            assert reader.network() == anew.network()
            for line in anew.search(limit=500).rows:
                assert reader.members(line.id) == anew.members(line.id)
                assert reader.timeline(line.id) == anew.timeline(line.id)
        with pytest.raises(errors.InputError):
            reader.document("brief-2")
