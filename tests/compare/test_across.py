"""Profiles of several languages: which languages count, names in one form, contexts that never count against."""

import numpy as np

from crossdoc import Document, compare_profiles, resolve
from crossdoc.compare.across import LEAST_SHARE, Languages, differ
from crossdoc.model import Mention, Profile, Profiles
from crossdoc.names import Grade, relate


def profiles(*rows, type="person"):
    """(language, name, context) each."""
    return Profiles.of(
        Profile(f"p{n}", f"d{n}", name, type, context, language) for n, (language, name, context) in enumerate(rows)
    )


def test_a_language_of_a_few_does_not_count():
    many = [("en", "Ann Lee", "")] * int(2 / LEAST_SHARE)
    few = Languages(profiles(*many, ("cs", "Anny Lee", "")))
    assert not few.several
    assert few.of(profiles(("cs", "Anny Lee", ""), ("en", "Ann", ""), (None, "Ann", ""))).tolist() == [-1, 1, -1]
    given = profiles(*many, ("cs", "Anny Lee", ""))
    assert few.named(given) is given
    assert Languages(profiles(*many, *[("cs", "Anny Lee", "")] * 3)).several


def test_names_in_one_form_and_articles_off():
    people = profiles(("en", "Theresa May", ""), ("pl", "Theresy May", ""), (None, "Theresy May", ""))
    assert Languages(people).named(people).column("name").to_pylist() == ["Theresa May", "Theresa May", "Theresy May"]
    places = profiles(("es", "los Andes", ""), ("en", "the Andes", ""), ("it", "delle Alpi", ""), type="place")
    assert Languages(places).named(places).column("name").to_pylist() == ["Andes", "the Andes", "Alpi"]
    # A part of the collection has the names of the whole.
    part = people.take([1])
    assert Languages(people).named(part).column("name").to_pylist() == ["Theresa May"]


def test_which_pairs_are_of_two_languages():
    codes = np.array([0, 1, -1])
    assert differ(codes[:, None], codes[None, :]).tolist() == [
        [False, True, False], [True, False, False], [False, False, False],
    ]  # fmt: skip


WORDS = [f"w{letter}{other}" for letter in "abcdefgh" for other in "abcdefgh"]


def people(language, said, count=12, start=0):
    return [
        (language, f"{said} {WORDS[start + n].title()}son", " ".join(f"{language}{w}" for w in WORDS[n : n + 9]))
        for n in range(count)
    ]


def compared(*rows):
    found = profiles(*rows)
    evidence = compare_profiles(found)["person"]
    dense = evidence.relations()
    pairs = {tuple(sorted((a, b))): s for a, b, s in zip(dense.left, dense.right, dense.strength, strict=True)}
    listed = evidence.candidates()
    few = {tuple(sorted((a, b))): s for a, b, s in zip(listed.left, listed.right, listed.strength, strict=True)}
    return evidence, pairs, few


def test_contexts_of_two_languages_do_not_count_against():
    others = [*people("en", "Ann"), *people("fr", "Luc", start=20)]
    apart = "unlike nothing whatsoever else here indeed"
    evidence, pairs, few = compared(("en", "Zoë Quartz", "hammer tongs"), ("fr", "Zoë Quartz", apart), *others)
    _, same, _ = compared(("en", "Zoë Quartz", "hammer tongs"), ("en", "Zoë Quartz", apart), *others)
    assert pairs[0, 1] > same[0, 1]
    assert np.isclose(pairs[0, 1], few[0, 1])
    told = {opinion.specialist: opinion for opinion in evidence.explain(0, 1).opinions}
    assert told["context"].weight == 0.0
    assert np.isclose(told["names"].probability, pairs[0, 1])


def test_what_is_usual_is_measured_within_a_language():
    rows = [*people("en", "Ann"), *people("fr", "Luc", start=20)]
    both = compare_profiles(profiles(*rows)).model.fields["context"]
    # As one language, every pair of the two counts, and nothing is shared between them.
    one = compare_profiles(profiles(*(("en", *rest) for _, *rest in rows))).model.fields["context"]
    assert both.mean > 1.5 * one.mean


def test_why_says_as_what_a_name_was_compared():
    rows = [
        ("en", "Theresa May", "a b"),
        ("pl", "Theresy May", "c d"),
        *people("en", "Ann"),
        *people("pl", "Jan", start=20),
    ]
    evidence, _, few = compared(*rows)
    assert (0, 1) in few
    (told,) = [opinion for opinion in evidence.explain(0, 1).opinions if opinion.specialist == "names"]
    assert told.evidence.startswith("Theresa May / Theresy May (as Theresa May): equal")
    assert evidence.profiles[1].name == "Theresy May"
    assert evidence.same_spelling()[:2] == ["theresamay", "theresymay"]


def test_the_whole_way():
    def document(id, language, text, name):
        start = text.index(name)
        mention = Mention(f"{id}:{start}", id, start, start + len(name), name, "person")
        return Document(id, text, language=language, mentions=(mention,))

    told = [
        document("en", "en", "The prime minister Theresa May spoke in Brussels.", "Theresa May"),
        document("pl", "pl", "Rząd Theresy May upadł w środę.", "Theresy May"),
        document("ru", "ru", "Правительство Терезы Мэй пало.", "Терезы Мэй"),
        document("cs", "cs", "Vláda Borise Johnsona padla.", "Borise Johnsona"),
    ]
    with resolve(told) as resolution:
        found = sorted((i.n_documents, sorted(i.variants)) for i in resolution.identities())
    assert found == [(1, ["Borise Johnsona"]), (3, ["Theresa May", "Theresy May", "Терезы Мэй"])]


def test_a_french_title_is_no_initial():
    rows = [("M. Ador", "fr"), ("MM. Ador", "fr"), ("M. Ador", "de"), ("M.", "fr"), ("Marie Ador", "fr")]
    people = Profiles.of(Profile(str(at), "d", name, "person", "", code) for at, (name, code) in enumerate(rows))
    named = Languages(people).named(people).column("name").to_pylist()
    assert named == ["Monsieur Ador", "Monsieur Ador", "M. Ador", "M.", "Marie Ador"]
    assert relate("M. Ador", "Gustave Ador") == Grade.CLASH < relate(named[0], "Gustave Ador")


def test_nouns_among_names_without_a_type_are_compared_in_the_singular():
    rows = ("en", "prime ministers", ""), ("en", "Ann Roberts", ""), ("en", None, "")
    untyped, people = profiles(*rows, type=None), profiles(*rows)
    assert Languages(untyped).named(untyped).column("name").to_pylist() == ["prime minister", "Ann Roberts", None]
    assert Languages(people).named(people) is people
    mixed = profiles(("en", "trial courts", ""), ("fr", "tribunaux", ""), ("fr", "cours", ""), type=None)
    assert Languages(mixed).named(mixed).column("name").to_pylist() == ["trial court", "tribunaux", "cour"]
