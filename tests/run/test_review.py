"""A review: what is asked, and what an answer does."""

import pytest

import crossdoc
from crossdoc import errors
from crossdoc.model import Profile
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
    with pytest.raises(errors.UsageError, match="Nothing has been answered"):
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
