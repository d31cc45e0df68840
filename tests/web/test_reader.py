"""The reader of an answer, against the same data read from the store directly."""

import time
from collections import Counter
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import crossdoc
from crossdoc import errors
from crossdoc.compare.ensemble import Explanation
from crossdoc.compare.memory_collection import MemoryCollection, compare
from crossdoc.compare.stories import Topics
from crossdoc.model import Document, Profile, Relation
from crossdoc.run.resolution import Resolution
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


CHAIRMAN = "motors-1:65:78"
STORIES = {
    "a": "robbers took diamonds jewellery store police", "b": "police hunted robbers diamonds jewellery store paris",
    "c": "quarterback threw touchdowns team season coach", "d": "coach praised quarterback touchdowns team season",
    "e": "prezydent spotkał premiera w Warszawie wczoraj", "f": "le ministre a rencontré le président à Paris hier",
}  # fmt: skip
BESIDE = (Relation("list", "Bo Lee"), Relation("list", "Kit May"))
LANGUAGES = {"e": "pl", "f": "fr"}
PEOPLE = {
    "a": ["suspect", "Ronald Reagan", "Theresa May"], "b": ["suspect", "Reagn", "Ronald Reagan"],
    "c": ["suspect", "Ann Lee", "police"], "d": ["suspect", "A. Lee", "Ann Lee"], "e": ["Theresy May", "Ann Lee"],
    "f": ["M. Reagan", "Theresa May"],
}  # fmt: skip
OTHERS = {
    "a": [("Federal Reserve", "organisation"), ("Paris", "place"), ("Paris", None)],
    "b": [("Fed", "organisation"), ("Federal Reserve Board", "organisation"), ("Paris", "place")],
    "c": [("Velox Ltd", "organisation"), ("Velox", "organisation")], "d": [("Velox Bank", "organisation")],
    "e": [("Unii Europejskiej", "organisation"), ("Warszawie", "place")],
    "f": [("Union européenne", "organisation"), ("Paris", "place")],
}  # fmt: skip


def profiles(stories: str = "abcdef") -> list[Profile]:
    named = {id: [*((name, "person") for name in PEOPLE[id]), *OTHERS[id]] for id in stories}
    return [
        Profile(f"{id}:{at}", id, name, kind, f"{STORIES[id]} {name}", LANGUAGES.get(id, "en"), {}, BESIDE)
        for id, listed in named.items()
        for at, (name, kind) in enumerate(listed)
    ]


def namesakes() -> list[Profile]:
    """119 English profiles and a French one of the same name that has no word in common with them."""
    english = [
        Profile(f"{n:03}", f"{n:03}", "Ann Lee", "person", f"verse poem w{n} x{n % 7}", "en") for n in range(119)
    ]
    return [*english, Profile("fr", "fr", "Ann Lee", "person", "moteur course circuit", "fr")]


def terms(explanation: Explanation) -> dict[tuple[str, str], list[float]]:
    """By kind of evidence and its words: score, probability and weight."""
    return {(o.specialist, o.evidence): [o.score, o.probability, o.weight] for o in explanation.opinions}


def chosen(profiles: Iterable[Profile]) -> list[tuple[str, str]]:
    """Every third pair of one type, and some of two types, for which everything is compared each time."""
    pairs = list(combinations(profiles, 2))
    of_one_type = [pair for pair in pairs if pair[0].type == pair[1].type]
    of_two_types = [pair for pair in pairs if pair[0].type != pair[1].type]
    return [(a.id, b.id) for a, b in [*of_one_type[::3], *of_two_types[::80]]]


def in_memory(answer: Resolution) -> MemoryCollection:
    """All profiles compared at once, with the topics that the answer kept."""
    store, revision = answer.store, answer.revision()
    found = compare(
        answer.profiles, store if store.count("documents") else None, model=revision.model,
        one_name=revision.name is not None, background=False,
    )  # fmt: skip
    topics = store.topics()
    found._known_topics = None if topics is None else Topics(*topics)
    return found


def explained_alike(path: Path, pairs: Iterable[tuple[str, str]]) -> None:
    with Reader(path) as reader, Resolution.open(path) as answer:
        collection = in_memory(answer)
        row_of = collection.names.row_of
        for a, b in pairs:
            found = reader.why(a, b).explanation
            assert terms(found) == terms(answer.explain(a, b))
            types = collection.names.types[[row_of[a], row_of[b]]]
            if types[0] != types[1]:
                continue
            evidence = collection[types[0]]
            at = {id: row for row, id in enumerate(evidence.ids)}
            expected = evidence.explain(at[a], at[b])
            assert found.strength == pytest.approx(expected.strength, abs=1e-5), (a, b)
            assert terms(found).keys() == terms(expected).keys(), (a, b)
            for key, numbers in terms(expected).items():
                assert terms(found)[key] == pytest.approx(numbers, abs=1e-4), (a, b, key)


def test_pairs_of_profiles(tmp_path):
    crossdoc.resolve(profiles(), output=tmp_path / "a.crossdoc").close()
    explained_alike(tmp_path / "a.crossdoc", chosen(profiles()))


def test_a_language_of_a_few_profiles_is_none(tmp_path):
    crossdoc.resolve(namesakes(), output=tmp_path / "a.crossdoc").close()
    explained_alike(tmp_path / "a.crossdoc", [("000", "fr"), ("000", "007"), ("001", "118")])


def test_a_description_is_nobody_beyond_its_topic_in_a_result_of_profiles(tmp_path):
    crossdoc.resolve(profiles("abcd"), output=tmp_path / "a.crossdoc").close()
    with Reader(tmp_path / "a.crossdoc") as reader:
        apart, together = (reader.why("a:0", other).explanation for other in ("c:0", "b:0"))
    assert apart.strength == 0.0
    assert together.strength > 0.5


TEXTS = {
    "a": "Ronald Reagan met Theresa May of the Federal Reserve in Paris. A suspect took diamonds from a store.",
    "b": "Ronald Reagan said in Paris that the suspect of the robbery of the store was found. The Fed said nothing.",
    "c": "Theresa May left Velox Ltd in Toledo. Velox sold cars there, Ann Lee of the Federal Reserve Board said.",
    "d": "Ann Lee of Velox Bank praised Mr. Reagan in Toledo. Theresa May did not.",
    "f": "Le ministre Ronald Reagan a rencontré Theresa May à Paris hier, a dit Velox.",
}  # fmt: skip


@pytest.mark.parametrize("name", [None, "Theresa May"])
def test_pairs_of_documents(tmp_path, name):
    documents = [Document(id, text, language=LANGUAGES.get(id, "en")) for id, text in TEXTS.items()]
    with crossdoc.resolve(documents, output=tmp_path / "a.crossdoc", name=name) as answer:
        pairs = chosen(answer.profiles)
    assert len(pairs) > 2
    explained_alike(tmp_path / "a.crossdoc", pairs)


def test_after_an_addition(tmp_path):
    made = profiles()
    with crossdoc.resolve(made[:-4], output=tmp_path / "a.crossdoc") as answer:
        answer.add(made[-4:])
    explained_alike(tmp_path / "a.crossdoc", chosen(made)[::2])


def test_pairs_are_explained_as_the_run_saw_them(reader, whole):
    pairs = [("motors-2:203:213", "motors-3:216:229"), (CHAIRMAN, "brief-1:403:413")]
    evidence = whole.collection()["person"]
    position = {id: row for row, id in enumerate(evidence.ids)}
    for a, b in pairs:
        found, expected = reader.why(a, b), evidence.explain(position[a], position[b])
        assert (found.a.id, found.b.id) == (a, b)
        assert found.explanation.strength == pytest.approx(expected.strength, abs=1e-6)
        assert [o.specialist for o in found.explanation.opinions] == [o.specialist for o in expected.opinions]
        assert [o.weight for o in found.explanation.opinions] == pytest.approx(
            [o.weight for o in expected.opinions], abs=1e-5
        )


def test_the_names_of_a_pair_are_worth_what_all_names_make_them(reader, whole):
    evidence = whole.collection()["organisation"]
    asked = 0
    for rows in sorted(evidence.components(), key=len)[-3:]:
        part = evidence.part(rows)._names_compared
        odds, clashes = part.all_odds(), part.clashes
        apart = set(map(tuple, clashes.tolist()))
        pairs = [(a, b) for a, b in zip(*np.triu_indices(len(rows), 1), strict=True) if (a, b) not in apart]
        for a, b in pairs[:: len(pairs) // 6 + 1]:
            found = reader.why(*evidence.ids[rows[[a, b]]]).explanation
            assert {o.specialist: o.weight for o in found.opinions}["names"] == pytest.approx(
                float(odds[a, b]), abs=1e-5
            )
            asked += 1
    assert asked > 5


def test_a_profile_beside_an_identity(reader):
    found = reader.why_identity("brief-1:403:413", CHAIRMAN)
    assert (found.profile.id, found.line.id) == ("brief-1:403:413", CHAIRMAN)
    assert [pair.b.id for pair in found.pairs] == [each.profile for each in reader.members(CHAIRMAN) if each.first][:2]
    assert found.pairs[0].explanation == reader.why("brief-1:403:413", found.pairs[0].b.id).explanation


def test_types_that_differ_can_be_compared(reader, whole):
    by_type = {profile.type: profile.id for profile in whole.store.profiles()}
    assert 0 <= reader.why(by_type["person"], by_type["place"]).explanation.strength <= 1
