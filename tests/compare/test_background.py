"""What is usual in a collection, against a plain loop over all pairs."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossdoc.compare import background
from crossdoc.compare.background import (
    ELSEWHERE,
    FEWEST_PAIRS,
    LEAST_SD,
    SAME_PERSON,
    SAME_STORY,
    Background,
    measure_background,
)
from crossdoc.compare.fields import FIELDS, rows_of
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.model import Profile, Profiles, Relation
from crossdoc.names import Grade, fold, relate

SHIPPED = LearnedModel.default()
WORDS = [f"w{chr(97 + i)}{chr(97 + j)}" for i in range(6) for j in range(10)]


def made_up(n: int, seed: int, names: int = 12, documents: int = 0, related: bool = True) -> Profiles:
    """Profiles with words and relations at random, some of them empty."""
    random = np.random.default_rng(seed)
    rows = []
    for i in range(n):
        name = f"{'Ann Bo Cy'.split()[random.integers(3)]} {chr(97 + random.integers(names)) * 2}son"
        context = " ".join(random.choice(WORDS, random.integers(0, 12)))
        links = [Relation("list", f"Zoe {word}") for word in random.choice(WORDS[:9], random.integers(0, 4))]
        links += [Relation("employment", str(word)) for word in random.choice(WORDS[:9], random.integers(0, 4))]
        document = f"d{random.integers(documents)}" if documents else f"d{i}"
        rows.append(Profile(f"p{i}", document, name, "person", context, relations=tuple(links) if related else ()))
    return Profiles.of(rows)


def told(profiles: Profiles, seed: int = 0):
    """Texts of documents at random, in which a few words are common."""
    random = np.random.default_rng(seed)
    listed = sorted(set(profiles.column("document").to_pylist()))
    texts = {id: " ".join(random.choice(WORDS, random.integers(0, 30))) for id in listed}
    return lambda ids: {id: texts[id] for id in ids}


def adapted(model: LearnedModel, profiles: Profiles, texts, vectoriser, **options):
    """The model with the background of profiles, and notes."""
    found = measure_background(model.fields, profiles, texts, vectoriser, **options)
    return background.adapted(model, found)


def counted(profiles: Profiles) -> ContextVectoriser:
    return ContextVectoriser().fit([[*profiles.column("context").to_pylist(), *WORDS]])


def by_hand(field, left: Profiles, right: Profiles, vectoriser, texts, one_name=False):
    """√cosines of pairs of names without a common word, or that clash, of different documents and stories."""
    both = Profiles.of([*left, *right])
    matrix = rows_of(field, both, vectoriser, texts).matrix.toarray().astype(float)
    told = "context" if one_name and texts is None else "document"
    stories = rows_of(told, both, vectoriser, texts).matrix.toarray().astype(float)
    alike = SAME_PERSON if one_name else SAME_STORY
    roots = []
    for i, a in enumerate(left):
        for j, b in enumerate(right, start=len(left)):
            words = [{fold(word) for word in profile.name.split()} for profile in (a, b)]
            agree = words[0] & words[1] and relate(a.name, b.name, "person") != Grade.CLASH
            if a.document == b.document or agree or stories[i] @ stories[j] >= alike:
                continue
            if matrix[i].any() and matrix[j].any():
                roots.append(math.sqrt(min(matrix[i] @ matrix[j], 1)))
    return roots


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10_000), st.booleans(), st.booleans())
def test_every_field_is_measured_over_the_pairs_that_count(seed, known, one_name):
    profiles = made_up(40, seed, documents=25)
    others = made_up(30, seed + 1, names=8, documents=25) if one_name else None
    vectoriser, texts = counted(profiles), told(profiles, seed) if known else None
    if known and others is not None:
        texts = told(Profiles.of([*profiles, *others]), seed)
    model, notes = adapted(SHIPPED, profiles, texts, vectoriser, others=others)
    for field in FIELDS:
        roots = by_hand(field, profiles, profiles if others is None else others, vectoriser, texts, one_name)
        found, shipped = model.fields[field], SHIPPED.fields[field]
        if len(roots) < FEWEST_PAIRS:
            assert found == shipped
            continue
        assert found.mean == pytest.approx(np.mean(roots), abs=2e-5)
        assert found.sd == pytest.approx(np.std(roots) + LEAST_SD, abs=2e-5)
        assert found.model_copy(update={"mean": shipped.mean, "sd": shipped.sd}) == shipped
        if field == "context":
            assert notes == []
            assert model.learned_on["background"] == f"{len(roots):,} pairs of different names in this collection"
    assert model.names == SHIPPED.names
    assert model.threshold == SHIPPED.threshold


def test_two_tellings_of_a_story_do_not_count():
    """Their people have the same contexts since the texts are the same, not since that is usual."""
    profiles = made_up(30, 3, related=False)
    vectoriser = counted(profiles)
    one_story, _ = adapted(SHIPPED, profiles, lambda ids: dict.fromkeys(ids, "waa wab wac"), vectoriser)
    assert one_story.fields == SHIPPED.fields, "no pair is left"
    unknown, _ = adapted(SHIPPED, profiles, None, vectoriser)
    assert unknown.fields["context"] != SHIPPED.fields["context"]


def test_people_of_one_document_do_not_count():
    together = Profiles.of(
        Profile(f"p{i}", "d", f"Ann{chr(97 + i)} {chr(97 + i)}son", "person", WORDS[i % 5]) for i in range(26)
    )
    model, (note,) = adapted(SHIPPED, together, None, counted(together))
    assert model.fields == SHIPPED.fields
    assert "too few profiles of different names" in note
    assert model.learned_on["background"] == "other collections"


def test_one_document_alone_is_not_compared_with_itself():
    people = Profiles.of([Profile(str(n), "d", name, "person", "x") for n, name in enumerate(["Ann Lee", "Bo Ray"])])

    def texts(ids):
        raise AssertionError(ids)

    model, notes = adapted(LearnedModel.default(), people, texts, ContextVectoriser().fit([["x"]]))
    assert model.learned_on["background"] == ELSEWHERE
    assert len(notes) == 1


@pytest.mark.parametrize(("kind", "counts"), [("person", True), ("organisation", False)])
def test_names_that_share_a_word_count_if_they_are_of_two_people(kind, counts):
    first = ["Ann", "Bob", "Clara", "Dora", "Emil", "Fred", "Gwen", "Hugo", "Ines", "Jack", "Karl", "Lisa"]
    kin = Profiles.of(Profile(f"p{i}", f"d{i}", f"{first[i % 12]} O'Poe", kind, WORDS[i % 5]) for i in range(24))
    assert (adapted(SHIPPED, kin, None, counted(kin))[0].fields != SHIPPED.fields) == counts


def test_bare_surnames_and_initials_that_may_be_one_persons_do_not_count():
    names = ["Ann Poe", "A. Poe", "Poe", "Mr. Poe"]
    rows = [Profile(f"p{i}", f"d{i}", names[i % 4], "person", WORDS[i % 5]) for i in range(40)]
    assert adapted(SHIPPED, Profiles.of(rows), None, counted(Profiles.of(rows)))[0].fields == SHIPPED.fields


@given(st.lists(st.floats(0, 1), min_size=1, max_size=60))
def test_bins_divide_the_background(cosines):
    found = Background.of(np.array([cosines]), np.ones((1, len(cosines)), dtype=bool))
    roots = np.sqrt(cosines)
    bins = np.searchsorted(found.edges, roots)
    shares = np.bincount(bins, minlength=len(found.shares)) / len(roots)
    assert shares == pytest.approx(found.shares)
    assert np.all(shares > 0)
    assert [roots[bins == at].mean() for at in range(len(shares))] == pytest.approx(found.roots)


@pytest.mark.parametrize("rows", [0, 1, 10])
def test_too_few_names_fall_back_on_what_was_learned_elsewhere(rows):
    profiles = made_up(rows, 1, names=26)
    model, notes = adapted(SHIPPED, profiles, None, counted(profiles))
    assert model.fields["context"] == SHIPPED.fields["context"]
    assert len(notes) == 1
    assert "what was learned on other collections is used" in notes[0]


def test_a_hundred_pairs_are_enough():
    def model_of(sample, cohort):
        rows = [Profile(f"p{i}", f"d{i}", f"N{chr(97 + i)}a", "person", WORDS[i]) for i in range(26)]
        given = Profiles.of(rows)
        return adapted(
            SHIPPED, given.take(range(sample)), None, counted(given), others=given.take(range(26 - cohort, 26))
        )

    assert model_of(10, 10)[0].learned_on["background"].startswith("100 pairs")
    assert model_of(9, 11)[0].fields == SHIPPED.fields
    assert FEWEST_PAIRS == 100


def test_under_one_name_others_are_what_likeness_is_measured_against():
    asked = Profiles.of(Profile(f"p{i}", f"d{i}", "Ann Li", "person", WORDS[i % 4]) for i in range(20))
    others = Profiles.of(Profile(f"o{i}", f"e{i}", f"Bo {chr(97 + i)}son", "person", WORDS[i % 4]) for i in range(20))
    alone, notes = adapted(SHIPPED, asked, None, counted(asked))
    assert alone.fields == SHIPPED.fields, "one name has nobody of another"
    assert notes
    measured, notes = adapted(SHIPPED, asked, lambda ids: {}, counted(asked), others=others)
    assert measured.learned_on["background"].startswith("400 pairs")
    assert measured.fields["context"].mean == pytest.approx(0.25)
    assert notes == []
    contexts, _ = adapted(SHIPPED, asked, None, counted(asked), others=others)
    assert contexts.learned_on["background"].startswith("300 pairs"), "contexts stand for documents that nobody has"
    assert contexts.fields["context"].mean == 0


@pytest.mark.parametrize(("words", "one_name", "counts"), [(7, False, True), (7, True, False), (20, True, True)])
def test_documents_that_may_be_about_the_asked_for_person_do_not_count(words, one_name, counts):
    """Beside one person the same people stand: documents with one word of seven in common are not one story yet."""
    asked = Profiles.of(Profile(f"p{i}", f"d{i}", "Ann Li", "person", WORDS[i % 4]) for i in range(20))
    others = Profiles.of(Profile(f"o{i}", f"e{i}", f"Bo {chr(97 + i)}son", "person", WORDS[i % 4]) for i in range(20))
    texts = {id: " ".join([*(f"{id[0]}word{chr(97 + i)}" for i in range(words - 1)), "zebra"]) for id in "de"}
    vectoriser = ContextVectoriser().fit([[*texts.values(), *WORDS]])

    def told(ids):
        return {id: texts[id[0]] for id in ids}

    cosine = rows_of("document", Profiles.of([asked[0], others[0]]), vectoriser, told).cosine()[0, 1]
    assert (cosine < SAME_PERSON) == (words == 20)
    assert cosine < SAME_STORY
    if one_name:
        found, _ = adapted(SHIPPED, asked, told, vectoriser, others=others)
    else:
        found, _ = adapted(SHIPPED, Profiles.of([*asked, *others]), told, vectoriser)
    assert (found.fields["context"] != SHIPPED.fields["context"]) == counts


def test_what_has_nothing_to_say_does_not_count():
    rows = [Profile(f"p{i}", f"d{i}", f"N{chr(97 + i)}a", "person", "waa" if i < 20 else "") for i in range(26)]
    profiles = Profiles.of(rows)
    model, _ = adapted(SHIPPED, profiles, None, counted(profiles))
    assert model.fields["context"].mean == pytest.approx(1.0)
    assert model.fields["context"].sd == pytest.approx(LEAST_SD)
    assert model.learned_on["background"].startswith(f"{20 * 19:,} pairs")


def test_of_many_profiles_some_are_chosen_by_the_seed(monkeypatch):
    monkeypatch.setattr(background, "COHORT", 40)
    profiles = made_up(200, 5, names=26, related=False)
    found = [adapted(SHIPPED, profiles, None, counted(profiles), seed=seed)[0] for seed in (0, 0, 1)]
    assert found[0] == found[1] != found[2]
    pairs = int(found[0].learned_on["background"].split()[0].replace(",", ""))
    assert pairs <= 40 * 40


def test_a_background_of_nothing():
    assert Background.of(np.ones((2, 2)), np.zeros((2, 2), dtype=bool)) == Background(0.0, LEAST_SD, 0)
    rounded = Background.of(np.array([[-1e-9, 1 + 1e-6]]), np.ones((1, 2), dtype=bool))
    assert (rounded.mean, rounded.pairs) == (0.5, 2)


def test_kinds_of_pairs_are_counted_apart():
    random = np.random.default_rng(1)
    cosine, kind = random.random((60, 60)), random.integers(0, 3, (60, 60))
    cosine[kind == 2] /= 9
    apart = random.random((60, 60)) < 0.9
    apart &= (kind != 1) | (np.arange(60) < 2)
    found = Background.of(cosine, apart, kind)
    assert found.pairs == apart.sum() > sum(own.pairs for own in found.kinds if own.pairs != found.pairs)
    for which in (0, 2):
        assert found.kinds[which] == Background.of(cosine, apart & (kind == which))
    # There are too few pairs of the other kind.
    assert replace(found, kinds=()) == found.kinds[1]
    curve = found.adapt(SHIPPED.fields["context"])
    assert [own.mean for own in curve.kinds] == [round(own.mean, 5) for own in found.kinds]
    assert curve.kinds[0].mean > 2 * curve.kinds[2].mean


def test_pairs_of_one_profile_are_correlated_where_profiles_differ_in_length():
    """Against the correlation coefficient of cosines in one row, drawn at random."""
    random = np.random.default_rng(2)
    length, every = random.uniform(0.2, 0.8, 200), np.ones((200, 200), dtype=bool)
    cosine = np.outer(length, length) * random.uniform(0.8, 1.2, (200, 200))
    roots = np.sqrt(cosine)
    a, b = (random.permuted(roots, axis=1)[:, :100] for _ in range(2))
    assert Background.of(cosine, every).shared == pytest.approx(np.corrcoef(a.ravel(), b.ravel())[0, 1], abs=0.05)
    assert Background.of(random.random((200, 200)), every).shared < 0.02


def test_contexts_of_few_words_differ_in_few_directions():
    random = np.random.default_rng(3)
    words = random.integers(0, 3, 200)
    same = (words[:, None] == words[None, :]).astype(float)
    assert 1.5 < Background.of(same, ~np.eye(200, dtype=bool)).directions < 3.5
    assert Background.of(random.random((200, 200)), np.ones((200, 200), dtype=bool)).directions > 50
