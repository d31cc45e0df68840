"""Types that a collection gives its names, and dates that documents give their profiles."""

from crossdoc.extract.corrections import complete_types, dated, retyped, settled_types, votes_of
from crossdoc.model import Document, Documents, Mention, Mentions, Profile, Profiles
from crossdoc.run.affected import votes
from crossdoc.run.stages import extract_profiles
from crossdoc.store import Store


def collection() -> tuple[Mentions, Profiles]:
    told = [("PKK", "organisation")] * 3 + [("PKK", "person"), ("Lyon", "organisation"), ("Lyon", "organisation")]
    told += [("Lyon", "organisation"), ("Lyon", "place"), ("Ann Lee", "person")]
    profiles = [Profile(f"p{n}", f"d{n}", name, type_) for n, (name, type_) in enumerate(told)]
    mentions = [Mention(f"m{n}", f"d{n}", 0, 3, name, type_, chain=f"p{n}") for n, (name, type_) in enumerate(told)]
    return Mentions.of(mentions), Profiles.of(profiles)


EXPECTED = ["organisation"] * 7 + ["place", "person"]


def test_most_documents_decide_but_not_over_names_of_places() -> None:
    mentions, profiles = retyped(*collection())
    assert profiles.column("type").to_pylist() == EXPECTED
    assert mentions.column("type").to_pylist() == EXPECTED


def test_a_store_is_retyped_as_memory_is_and_twice_changes_nothing() -> None:
    mentions, profiles = collection()
    with Store.memory() as store:
        store.add(Documents.of(Document(f"d{n}", "") for n in range(len(profiles))), mentions, profiles)
        for _ in range(2):
            store.retype(settled_types(store.name_types()))
            assert store.profiles().column("type").to_pylist() == EXPECTED
            assert store.profiles().ids.tolist() == profiles.ids.tolist()
            assert store._db.execute("SELECT type FROM mentions ORDER BY rowid").fetchall() == [(t,) for t in EXPECTED]


def test_few_or_divided_documents_decide_nothing() -> None:
    assert settled_types([("Velo", "organisation", 1), ("Velo", "person", 1)]) == {}
    assert settled_types([("Velo", "organisation", 6), ("Velo", "person", 5)]) == {}
    # Of the nine others, six and a half are seven tenths.
    assert settled_types([("Velo", "organisation", 7), ("Velo", "person", 3)]) == {("Velo", "person"): "organisation"}
    assert settled_types([("Velo", "organisation", 6), ("Velo", "person", 4)]) == {}


def test_names_that_are_added_have_the_votes_of_the_answer_too() -> None:
    """One document alone decides nothing; beside an answer in which the name is an organisation, it does."""
    mentions, profiles = collection()
    with Store.memory() as answer, Store.memory() as new:
        answer.add(Documents.of(Document(f"d{n}", "") for n in range(len(profiles))), mentions, profiles)
        added = Profiles.of([Profile("n0", "x", "PKK", "person"), Profile("n1", "x", "Bo Roe", "person")])
        new.add(Documents.of([Document("x", "")]), Mentions.of(()), added)
        assert list(answer.name_types({"PKK"}, several=False)) == [("PKK", "organisation", 3), ("PKK", "person", 1)]
        assert [name for name, _, _ in answer.name_types()] == ["Lyon", "Lyon", "PKK", "PKK"]
        assert settled_types(new.name_types()) == {}
        counted = list(votes(new.profiles(), answer))
        assert counted == [("Bo Roe", "person", 1), ("PKK", "organisation", 3), ("PKK", "person", 2)]
        # Three of four others.
        assert settled_types(counted) == {("PKK", "person"): "organisation"}


def test_of_several_words_half_of_the_documents_decide() -> None:
    votes = [("Grace Chapel", "person", 3), ("Grace Chapel", "place", 2), ("Grace Chapel", "organisation", 1)]
    assert set(settled_types(votes).values()) == {"person"}
    assert not settled_types((name.replace(" ", ""), type_, count) for name, type_, count in votes)


def test_a_first_name_decides_where_two_documents_disagree() -> None:
    assert settled_types([("Clementine Rowe", "organisation", 1), ("Clementine Rowe", "person", 1)]) == {
        ("Clementine Rowe", "organisation"): "person"
    }
    assert settled_types([("Velox Tyres", "organisation", 1), ("Velox Tyres", "person", 1)]) == {}
    assert settled_types([("Clementine Rowe", "organisation", 2), ("Clementine Rowe", "person", 1)]) == {
        ("Clementine Rowe", "person"): "organisation"
    }


def test_who_bears_a_bare_word_as_last_name_speaks_for_a_person_in_memory_and_in_a_store() -> None:
    named = [
        ("Danny Oyelaran", "person"),
        ("Ruth Oyelaran", "person"),
        ("Oyelaran", "place"),
        ("Oyelaran Bank", "organisation"),
    ]
    profiles = Profiles.of(Profile(f"p{n}", f"d{n}", name, type_) for n, (name, type_) in enumerate(named))
    expected = {("Oyelaran", "place"): "person"}
    assert settled_types(votes_of(named)) == expected
    with Store.memory() as answer, Store.memory() as new:
        documents = Documents.of(Document(f"d{n}", "") for n in range(len(profiles)))
        answer.add(documents, Mentions.of(()), profiles)
        assert sorted(answer.name_types(several=False)) == sorted(votes_of(named))
        assert settled_types(answer.name_types()) == expected
        # Of a word that stands alone only in what is added, the answer knows who bears it.
        new.add(
            Documents.of([Document("x", "")]), Mentions.of(()), Profiles.of([Profile("n", "x", "Oyelaran", "place")])
        )
        assert list(votes(new.profiles(), answer)) == [("Oyelaran", "person", 2), ("Oyelaran", "place", 2)]


def test_a_person_with_a_title_stays_one_in_memory_and_in_a_store() -> None:
    """Most Fords are the company, but "President Ford" is not."""
    profiles = [Profile(f"p{n}", f"d{n}", "Ford", "organisation") for n in range(5)]
    profiles += [
        Profile("p5", "d5", "Ford", "person"),
        Profile("p6", "d6", "Ford", "person", attributes={"title": ["president"], "last": ["ford"]}),
    ]
    mentions = [Mention(f"m{n}", f"d{n}", 0, 4, "Ford", p.type, chain=p.id) for n, p in enumerate(profiles)]
    expected = ["organisation"] * 6 + ["person"]
    typed = retyped(Mentions.of(mentions), Profiles.of(profiles))
    assert [table.column("type").to_pylist() for table in typed] == [expected, expected]
    with Store.memory() as store:
        documents = Documents.of(Document(f"d{n}", "") for n in range(len(profiles)))
        store.add(documents, Mentions.of(mentions), Profiles.of(profiles))
        store.retype(settled_types(store.name_types()))
        assert store.profiles().column("type").to_pylist() == expected
        assert store.mentions().column("type").to_pylist() == expected


# -- dates of documents -----------------------------------------------------------------------------------------------

DATED = [Document("a", "Ann Lee spoke.", date="1990-05-01"), Document("b", "Ann Lee left.")]


def test_each_profile_has_the_date_of_its_own_document() -> None:
    found = extract_profiles(DATED, name="Ann Lee").profiles
    assert {p.document: p.attributes.get("written") for p in found} == {"a": ["1990-05-01"], "b": None}


def test_what_a_profile_says_itself_and_all_else_of_it_stays() -> None:
    own = Profile("p", "a", "Ann", "person", "spoke", "en", {"written": ["1871"], "party": ["GOP"]})
    other = Profile("q", "a", "Bo", attributes={"party": ["GOP"]})
    found = dated(Profiles.of([own, other]), Documents.of(DATED))
    assert list(found) == [own, Profile("q", "a", "Bo", attributes={"party": ["GOP"], "written": ["1990-05-01"]})]
    assert dated(found, Documents.of(DATED[1:])) is found


def test_missing_types_are_those_of_names_like_them():
    typed = [
        *((f"{first} {last}", "person", 2) for first in ("Ann", "Bo", "Mary") for last in ("Lee", "Orr", "Poe")),
        *((f"{word} Motors", "organisation", 3) for word in ("Acme", "Velo", "Orr")),
        *((name, "place", 3) for name in ("London", "Paris", "Oslo")),
    ]
    found = complete_types(typed, ["Mary Jones", "Zeta Motors", "London", "Poe"])
    assert found == {
        ("Mary Jones", None): "person", ("Zeta Motors", None): "organisation", ("London", None): "place",
        ("Poe", None): "person",
    }  # fmt: skip
    assert complete_types([("Ann Lee", "person", 1)], ["Acme"]) == {("Acme", None): "person"}
    assert complete_types([], ["Acme"]) == {}
    assert complete_types(typed, []) == {}


def test_a_store_completes_missing_types_and_leaves_a_collection_without_types():
    named = [("a", "Ann Lee", "person"), ("b", "Ann Lee", None), ("c", "Acme Motors", "organisation")]
    with Store.memory() as store:
        store.add(Profiles.of(Profile(id, id, name, type_) for id, name, type_ in named))
        assert store.untyped_names() == {"Ann Lee": 1}
        store.retype(complete_types(store.name_types(several=False), store.untyped_names()))
        assert store.profiles().column("type").to_pylist() == ["person", "person", "organisation"]
    with Store.memory() as store:
        store.add(Profiles.of(Profile(id, id, name, None) for id, name, _ in named))
        assert store.untyped_names() == {}
