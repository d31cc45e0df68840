"""A review: what is asked, and what an answer does."""

import pytest

import crossdoc
from crossdoc import errors
from crossdoc.model import Profile
from crossdoc.run import review as reviewing
from crossdoc.run.review import Review

CARS, TRUCKS, POEMS = (
    "chairman of the carmaker General Motors in Detroit sold cars",
    "the carmaker in Detroit sold trucks and plants and a chairman left",
    "a poet in Paris read verses about gardens",
)
TEXTS = {"a": CARS, "b": CARS, "c": TRUCKS, "d": POEMS, "e": "a pilot flew over the Alps"}


@pytest.fixture
def resolution():
    people = [Profile(id, id, "John Smith", "person", text) for id, text in TEXTS.items()]
    others = [Profile(f"o{n}", f"o{n}", f"Ann{n} Lee{n}", "person", f"word{n} thing{n}") for n in range(5)]
    with crossdoc.resolve([*people, *others], background=False) as found:
        yield found


def same(resolution, a, b) -> bool:
    own = resolution.store.entity_of([a, b])
    return own[a] == own[b]


def test_the_best_question_comes_first_and_none_is_asked_twice(resolution):
    review = Review(resolution, "ann")
    asked = review.questions()
    assert [each.worth for each in asked] == sorted((each.worth for each in asked), reverse=True)
    assert review.next() == asked[0]
    assert all({each.a, each.b} <= set(TEXTS) for each in asked)
    review.skip(asked[0])
    assert review.next() == asked[1]


def test_same_merges_two_identities_whole_and_undo_parts_them_again(resolution):
    review = Review(resolution, "ann")
    asked = next(each for each in review.questions() if not each.joined)
    members = {asked.a, asked.b}
    own = resolution.store.entity_of([asked.a, asked.b])
    all_of_them = set(resolution.store.entity_of(list(own.values()), "entity"))
    change = review.answer(asked, "same")
    assert len(set(resolution.store.entity_of(all_of_them).values())) == 1
    (entry,) = resolution.store.entries()
    assert (entry.act, entry.who, entry.number) == ("merge", "ann", change.entry)
    assert not any({each.a, each.b} == members for each in review.questions())
    review.undo()
    assert resolution.store.entity_of([asked.a, asked.b]) == own
    assert resolution.store.entries() == []
    with pytest.raises(errors.UsageError, match="nothing to undo"):
        review.undo()


def test_different_parts_and_keeps_apart(resolution):
    assert same(resolution, "a", "b")
    review = Review(resolution)
    asked = next(each for each in review.questions() if each.joined)
    review.answer(asked, "different")
    assert not same(resolution, asked.a, asked.b)
    two = next(each for each in review.questions() if not each.joined)
    review.answer(two, "different")
    assert not same(resolution, two.a, two.b)
    # Neither is asked again.
    told = {(asked.a, asked.b), (two.a, two.b)}
    assert not any((each.a, each.b) in told for each in review.questions())


def test_a_review_ends(resolution):
    """Whoever answers everything is asked about every pair that is not decided by the others, and no more."""
    review = Review(resolution)
    for _ in range(30):
        asked = review.next()
        if asked is None:
            break
        review.answer(asked, "same" if {asked.a, asked.b} <= {"a", "b", "c"} else "different")
    assert review.next() is None
    own = resolution.store.entity_of(list(TEXTS))
    assert len({own[id] for id in "abc"}) == 1
    assert len(set(own.values())) == 3


def test_why_is_told(resolution):
    review = Review(resolution)
    asked = review.questions()[0]
    assert review.explain(asked).strength == pytest.approx(resolution.explain(asked.a, asked.b).strength, abs=1e-4)


def test_large_parts_are_left_out_and_counted(resolution, monkeypatch):
    monkeypatch.setattr(reviewing, "LARGEST", len(TEXTS) - 1)
    few = Review(resolution)
    assert (few.left_out, few.next()) == (len(TEXTS), None)
    monkeypatch.setattr(reviewing, "LARGEST", len(TEXTS))
    every = Review(resolution)
    assert every.left_out == 0
    assert every.next() is not None


def test_who_answered_and_why_are_in_the_log(resolution):
    review = Review(resolution, "ann")
    for verdict, joined in (("different", True), ("same", False)):
        asked = next(each for each in review.questions() if each.joined is joined)
        review.answer(asked, verdict, f"certainly {verdict}")
    assert [(entry.who, entry.why) for entry in resolution.store.entries()] == [
        ("ann", "certainly different"),
        ("ann", "certainly same"),
    ]
    review.undo()
    assert [(entry.act, entry.who) for entry in resolution.store.entries(standing=False)][-1] == ("undo", "ann")
    assert [entry.number for entry in resolution.store.entries()] == [1]


def test_what_others_judge_is_not_asked_again(resolution):
    review = Review(resolution, "ann")
    asked = review.next()
    change = resolution.judge(asked.a, asked.b, "different" if asked.joined else "same", who="bob")
    assert review.next() == asked
    review.heed([asked.a, asked.b, "not in any part"])
    assert (asked.a, asked.b) not in {(each.a, each.b) for each in review.questions()}
    assert review.answered == []
    assert change.entry == 1


@pytest.mark.parametrize(
    ("options", "expected"), [({"threshold": 0.93}, 0.93), ({"method": "string-match"}, 0.5), ({"method": "arca"}, 0.5)]
)
def test_the_threshold_is_that_of_the_run(options, expected):
    people = [Profile(id, id, "John Smith", "person", text) for id, text in TEXTS.items()]
    with crossdoc.resolve(people, background=False, **options) as found:
        assert Review(found).threshold == expected
