"""What names are worth before anything else is known: by the formula, and by what must hold of any names."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossdoc.compare.name_prior import (
    NameCounts,
    NamePrior,
    NameShifts,
    Priors,
    asked_prior,
    asked_priors,
    group_first_names,
    people_named,
    person_prior,
    probability_chosen,
    untyped_prior,
)
from crossdoc.compare.statistics import Statistics
from crossdoc.model import Profile, Profiles, Relation
from crossdoc.names import Grade, parse_person, relate
from crossdoc.names.words import share_of_first, share_of_last

SIZES = NamePrior(
    people=1e4, bare=100, census=1e4, bound=3, similar=-2, others={"organisation": 2, "place": 1.5}, part=0.5
)
FREE = SIZES.model_copy(update={"bound": 100.0})
NOBODY = NameCounts(())
FIRST = ["John", "Ann", "Zbigniew", "J.", ""]
LAST = ["Smith", "Baker", "Brzezinski", "Orr"]
NAMES = st.builds(lambda first, last: f"{first} {last}".strip(), st.sampled_from(FIRST), st.sampled_from(LAST))


def prior(a, b, counts=NOBODY, sizes=FREE, grade=Grade.EQUAL):
    return person_prior(parse_person(a), parse_person(b), grade, counts, sizes)


def test_odds_are_one_to_the_number_of_bearers():
    smiths = 1e4 * share_of_last("smith") * share_of_first("john")
    assert prior("John Smith", "John Smith") == pytest.approx(-math.log(smiths))
    rare = 1e4 * share_of_last("brzezinski") * share_of_first("zbigniew")
    assert prior("Zbigniew Brzezinski", "Zbigniew Brzezinski") == pytest.approx(-math.log(rare))
    assert prior("Smith", "Smith") == pytest.approx(-math.log(100 * share_of_last("smith")))


def test_an_asked_for_name_is_looked_for_among_more_people_and_counts_less():
    sizes = SIZES.model_copy(update={"asked": 1.0, "asked_people": 1e6, "asked_share": 0.5})
    for name, last, first in (("Edward Fox", "fox", "edward"), ("Ann Baker", "baker", "ann")):
        bearers = 1e6 * share_of_last(last) * share_of_first(first)
        assert asked_prior(name, sizes) == pytest.approx(-0.5 * math.log(bearers))
    bare = 1e4 * share_of_last("baker")
    assert asked_prior("Baker", sizes) == pytest.approx(-0.5 * math.log(bare)), "a hundred times as many, as of others"
    assert asked_prior("Zbigniew Brzezinski", sizes) == 1.0
    assert asked_prior("John Smith", sizes.model_copy(update={"asked_share": 1.0})) == -3.0
    as_in_text = SIZES.model_copy(update={"asked": 3.0})
    assert asked_prior("John Smith", as_in_text) == prior("John Smith", "John Smith", sizes=SIZES)


def test_each_row_is_worth_what_the_full_form_of_its_asked_for_name_is():
    sizes = SIZES.model_copy(update={"asked": 1.0})
    names = [*["J. Smith"] * 3, "Smith", "", "John Smith", "John Smith", "Ann Baker"]
    smith, baker = asked_prior("John Smith", sizes), asked_prior("Ann Baker", sizes)
    assert smith != asked_prior("J. Smith", sizes)
    assert asked_priors(names, sizes).tolist() == pytest.approx([smith] * 7 + [baker])
    assert asked_priors(["", ""], sizes).tolist() == [0, 0]


def test_the_usual_writing_of_two_counts():
    """What "J. Smith" may stand for is what makes the pair ambiguous."""
    assert prior("J. Smith", "John Smith") == prior("J. Smith", "J. Smith") < prior("John Smith", "John Smith")


def test_the_more_usual_a_name_is_the_less_it_says():
    lasts = sorted(["smith", "baker", "orr", "brzezinski"], key=share_of_last)
    firsts = sorted(["john", "ann", "zbigniew"], key=share_of_first)
    assert all(prior(f"Ann {a}", f"Ann {a}") > prior(f"Ann {b}", f"Ann {b}") for a, b in pairwise(lasts))
    assert all(
        prior(f"{a} Orr", f"{a} Orr") > prior(f"{b} Orr", f"{b} Orr") for a, b in pairwise(map(str.title, firsts))
    )
    assert all(prior(a, a) > prior(b, b) for a, b in pairwise(lasts))


def test_other_bearers_in_the_collection_make_a_name_usual():
    kin = NameCounts(["Ann Brzezinski", "Bo Brzezinski", "Cy Brzezinski"])
    assert kin.people == 3
    expected = (2 + 1e4 * share_of_last("brzezinski")) / (3 + 1e4)
    assert kin.share_of_last("brzezinski", 1e4) == pytest.approx(expected), "two others"
    assert prior("Ann Brzezinski", "Ann Brzezinski", kin) < prior("Ann Brzezinski", "Ann Brzezinski")
    namesakes = NameCounts(["Zbigniew Orr", "Zbigniew Poe", "Zbigniew Poe", "Ann Poe"])
    expected = (1 + 1e4 * share_of_first("zbigniew")) / (3 + 1e4)
    assert namesakes.share_of_first("zbigniew", 1e4) == pytest.approx(expected), "Orr and Poe, one of whom is another"
    alone = NameCounts(["Zbigniew Orr"] * 50)
    assert alone.share_of_last("orr", 1e4) == pytest.approx(1e4 * share_of_last("orr") / (1 + 1e4)), "no other"
    assert alone.share_of_last("poe", 1e4) == pytest.approx(1e4 * share_of_last("poe") / (1 + 1e4)), "nobody"


def test_the_smaller_the_census_the_more_the_collection_counts():
    kin = NameCounts([f"{first} Brzezinski" for first in ("Ann", "Bo", "Cy")])
    shares = [kin.share_of_last("brzezinski", census) for census in (10.0, 1e3, 1e6)]
    assert shares[0] > shares[1] > shares[2]


def test_a_bare_surname_with_a_full_name_is_one_of_its_bearers():
    counts = NameCounts(["James Baker"] * 6 + ["Howard Baker"] * 2 + ["Baker"] * 5)
    counts.chosen = 0.0
    assert counts.this_bearer("baker", "james") == 0.75
    assert prior("Baker", "James Baker", counts) == pytest.approx(math.log(3))
    assert prior("Howard Baker", "Baker", counts) == pytest.approx(-math.log(3))
    # A first name that no bearer has is not bound by their shares.
    assert counts.this_bearer("baker", "zoe") == 1.0
    assert prior("Baker", "Zoe Baker", counts) == pytest.approx(counts.bare_odds("baker", SIZES))


def test_the_odds_of_a_bare_surname_are_its_mentions_against_those_of_other_people():
    """Mentions of the surname to those of strangers, by its share, and of each other bearer."""
    counts = NameCounts(["Lyndon Johnson", "Alexis Johnson", *["Johnson"] * 60, *rare_names(500)])
    counts.chosen = 0.0
    strangers = (562 + SIZES.bare_mentions * SIZES.bare) * share_of_last("johnson")
    expected = math.log((62 + SIZES.bare_mentions) / (strangers + SIZES.rival))
    assert prior("Johnson", "Johnson", counts) == pytest.approx(expected)


def test_the_more_frequent_a_bare_surname_the_likelier_one_person():
    odds = [NameCounts(["Johnson"] * n + rare_names(500)).bare_odds("johnson", SIZES) for n in (2, 20, 200)]
    assert odds[0] < odds[1] < odds[2]
    assert odds[0] < 0.5 < 2.5 < odds[2]


def test_bearers_of_a_surname_make_its_bare_form_ambiguous():
    names = ["Johnson"] * 30 + rare_names(100)
    bearers = [
        [],
        ["Lyndon Johnson"],
        ["Lyndon Johnson", "Alexis Johnson"],
        ["Lyndon Johnson", "Alexis Johnson", "Samuel Johnson"],
    ]
    odds = [NameCounts([*own, *names]).bare_odds("johnson", SIZES) for own in bearers]
    assert odds[0] > odds[2] > odds[3]
    assert NameCounts([*names, "L. Johnson", "Lyndon Johnson"]).bare_odds("johnson", SIZES) > odds[2], "one bearer"


def test_a_bare_surname_is_no_likelier_one_person_than_the_full_name():
    counts = NameCounts(["John Smith"] * 20 + ["Smith"] * 200)
    assert counts.bare_odds("smith", SIZES) == counts.full_odds("smith", "john", SIZES) < 0


def test_initials_alone_are_a_short_form_whose_frequency_counts():
    few, many = (NameCounts(["C. P."] * n + rare_names(300)) for n in (2, 200))
    assert prior("C. P.", "C. P.", few, SIZES) < 1.5 < 2.5 < prior("C. P.", "C. P.", many, SIZES)
    often = NameCounts(["J. Smith"] * 200 + rare_names(300))
    assert often.full_odds("smith", "j", SIZES) == pytest.approx(
        -math.log(SIZES.people * often.share_of_last("smith", SIZES.census) * often.share_of_first("j", SIZES.census))
    ), "a surname is no initial"


def test_names_without_a_first_name_are_counted_with_their_surname():
    counts = Statistics.of(Profiles.of([Profile("p", "d", "Baker", "person"), Profile("q", "d", "Bo Baker", "person")]))
    assert counts.bearers == {("person", "baker", ""): 1, ("person", "baker", "bo"): 1}
    names = counts.type_counts(["person"])["person"].names
    assert (names.people, names.mentions, names.bare["baker"], names.firsts) == (1, 2, 1, {"bo": 1})


def test_people_named_beside_the_profiles_bear_names_too():
    links = (Relation("list", "Ann Baker"), Relation("family:wife", "Zoe Baker"), Relation("employment", "Cy Baker"))
    profiles = Profiles.of([Profile("p", "d", "Bo Baker", "person", relations=links), Profile("q", "d", "")])
    assert people_named(profiles) == {"Bo Baker": 1, "Ann Baker": 1, "Zoe Baker": 1}


def test_another_spelling_costs_and_never_speaks_for():
    rare, usual = ("Zbigniew Brzezinski",) * 2, ("John Smith",) * 2
    assert prior(*rare, sizes=SIZES, grade=Grade.SIMILAR) == SIZES.similar, "the name itself says nothing for it"
    assert prior(*usual, sizes=SIZES, grade=Grade.SIMILAR) == pytest.approx(prior(*usual, sizes=SIZES) + SIZES.similar)
    assert prior(*rare, sizes=SIZES) == SIZES.bound


def rare_names(n):
    return [f"Ann {chr(97 + i // 26)}{chr(97 + i % 26)}son" for i in range(n)]


def beta_binomial_odds(once, names):
    """∫ x^k (1 − x)^(n − k) Beta(x; 1, 19) dx over the same with Beta(5, 5), in steps."""
    x = (np.arange(200_000) + 0.5) / 200_000
    chosen, text = 19 * (1 - x) ** 18, 630 * x**4 * (1 - x) ** 4
    found = x**once * (1 - x) ** (names - once)
    return (found * chosen).sum() / (found * text).sum()


@pytest.mark.parametrize(("once", "names"), [(0, 29), (1, 29), (3, 12), (20, 50)])
def test_the_probability_that_names_were_chosen_has_no_threshold(once, names):
    odds = beta_binomial_odds(once, names)
    assert probability_chosen(once, names) == pytest.approx(odds / (1 + odds), rel=1e-6)


def test_shifts_are_of_the_smaller_name_and_all_other_priors_above_0_are_weakened():
    names = ["Ann Poe", "A. Poe", "Poe", "John Smith"]
    rows = np.array([[0, 0], [0, 1], [2, 2], [3, 3]], dtype=np.int32)
    counts = NameCounts(names)
    plain = Priors(names, "person", counts, SIZES).of(rows)
    shifted = Priors(names, "person", counts, SIZES, fitted=NameShifts({"ann poe": -2.0}, 0.25)).of(rows)
    assert (shifted - plain)[:2].tolist() == pytest.approx([-2, -2])
    assert plain[2] > 0 > plain[3]
    assert shifted[2] == pytest.approx(0.75 * plain[2])
    assert shifted[3] == plain[3]


def test_spellings_of_one_first_name_are_one_bearer():
    counts = NameCounts(["Andrei Gromyko", "A. Gromyko", "A.A. Gromyko", "Andrey Gromyko", "Gromyko", *rare_names(9)])
    assert counts.this_bearer("gromyko", "a") == 1.0
    assert counts.share_of_last("gromyko", 1e4) == NameCounts(["Andrei Gromyko", *rare_names(11)]).share_of_last(
        "gromyko", 1e4
    ), "no other bearer"
    assert prior("Gromyko", "Gromyko", counts, SIZES) > 2.5
    assert prior("A.F. Gromyko", "Gromyko", counts, SIZES) > 2.5


def test_an_initial_that_fits_several_is_the_most_frequent_one():
    assert group_first_names({"james": 5, "john": 3, "j": 4, "jim": 1, "howard": 2}) == {
        "james": "james", "john": "john", "howard": "howard", "jim": "james", "j": "james",
    }  # fmt: skip


@given(st.dictionaries(st.sampled_from(["a", "andrei", "andrey", "anna", "theod", "theodor", "bob", "robert", "r"]),
                       st.integers(1, 9)))  # fmt: skip
def test_bearers_share_all_mentions_of_a_surname(firsts):
    bearer = group_first_names(firsts)
    assert set(bearer) == set(firsts)
    assert all(bearer[other] == other for other in bearer.values()), "each person has one first name"
    counts = NameCounts([f"{first.title()} Quux" for first, n in firsts.items() for _ in range(n)])
    people = set(bearer.values())
    assert sum(counts.this_bearer("quux", first) for first in people) == pytest.approx(1.0 if firsts else 0.0)


@settings(max_examples=60, deadline=None)
@given(st.lists(NAMES, min_size=1, max_size=8), st.lists(NAMES, max_size=8))
def test_rows_have_the_priors_of_their_names(names, others):
    counts = NameCounts([*names, *others])
    found = Priors(names, "person", counts, SIZES)
    matrix, clashes = found.all_pairs()
    pairs = np.array([(a, b) for a in range(len(names)) for b in range(a, len(names))], dtype=np.int32)
    listed = found.of(pairs)
    apart = set(map(tuple, clashes.tolist()))
    assert (np.abs(matrix) <= SIZES.bound - SIZES.similar).all()
    np.testing.assert_array_equal(matrix, matrix.T)
    for (a, b), odds in zip(pairs.tolist(), listed.tolist(), strict=True):
        grade = relate(names[a], names[b], "person")
        assert ((a, b) in apart) == (grade == Grade.CLASH)
        expected = 0.0 if grade == Grade.CLASH else prior(names[a], names[b], counts, SIZES, grade)
        assert odds == pytest.approx(expected, abs=1e-5)
        assert matrix[a, b] == pytest.approx(expected, abs=1e-5)


def test_organisations_and_places_are_worth_what_their_type_says():
    names = ["Ford Motor", "Ford Motor", "Ford", "Oslo"]
    pairs = np.array([(0, 1), (0, 2), (0, 3)], dtype=np.int32)
    assert relate(names[0], names[2], "place") == Grade.PART
    assert Priors(names, "place", NOBODY, SIZES).of(pairs).tolist() == [1.5, 1.0, 0.0]
    assert Priors(names, "organisation", NOBODY, SIZES).of(pairs)[0] == 2.0
    assert Priors(names, "robot", NOBODY, SIZES).of(pairs)[0] == 0.0


def test_who_has_no_type_is_taken_for_a_person():
    names, pairs = ["John Smith", "John Smith"], np.array([(0, 1)], dtype=np.int32)
    assert Priors(names, None, NOBODY, SIZES).of(pairs) == Priors(names, "person", NOBODY, SIZES).of(pairs) != 0


def test_no_names_and_no_prior():
    nothing = Priors([], "person", NOBODY, SIZES)
    assert nothing.of(np.zeros((0, 2), np.int32)).tolist() == []
    assert nothing.all_pairs()[0].shape == (0, 0)
    silent = Priors(["John Smith", "John Smith", "Bo Li"], "person", NOBODY, None)
    odds, clashes = silent.all_pairs()
    assert not odds.any()
    assert clashes.tolist() == [[0, 2], [1, 2]]


def test_another_spelling_is_worth_what_its_type_says():
    names = ["Gloucester", "Gloucefler"]
    sizes = SIZES.model_copy(update={"spelling": {"place": 1.25}})
    pair = np.array([[0, 1]], dtype=np.int32)
    assert Priors(names, "place", NOBODY, sizes).of(pair) == 1.25
    assert Priors(names, "organisation", NOBODY, sizes).of(pair) == SIZES.similar


def test_a_spelling_met_often_is_a_name_of_its_own():
    sizes = SIZES.model_copy(update={"spelling": {"place": 1.25}})
    pair = np.array([[0, 1]], dtype=np.int32)

    def of(*names):
        return float(Priors(names, "place", NOBODY, sizes).of(pair)[0])

    assert of("Russia", "Prussia", "PRUSSIA") == 1.25
    assert of("Russia", "Prussia", "Prussia", "PRUSSIA") == of("Prussia", "Russia", "Prussia", "PRUSSIA") == -2
    assert of("Russia", "Rossia", "Rossia", "ROSSIA") == 1.25, "the first letter is the same"


def test_clubs_of_two_places_are_no_misprints():
    sizes = SIZES.model_copy(update={"spelling": {"organisation": 1.25}})
    pair = np.array([[0, 1]], dtype=np.int32)
    assert Priors(["Atlanta", "Atalanta"], "organisation", NOBODY, sizes).of(pair) == SIZES.similar
    assert Priors(["Bundesrat", "Bundesrath"], "organisation", NOBODY, sizes).of(pair) == 1.25


def worth(names, a, b, entity_type="organisation", sizes=SIZES):
    """The prior of two of the names, None where they clash."""
    priors = Priors(names, entity_type, NOBODY, sizes)
    clashes = {tuple(pair) for pair in priors.all_pairs()[1].tolist()}
    place = names.index(a), names.index(b)
    assert priors.of(np.array([place[::-1]], dtype=np.int32)) == priors.of(np.array([place], dtype=np.int32))
    return None if tuple(sorted(place)) in clashes else float(priors.of(np.array([place], dtype=np.int32))[0])


def test_a_bare_last_word_is_the_name_that_most_are_that_end_in_it():
    sizes = SIZES.model_copy(update={"head": 0.25})
    names = ["Fund", *["International Monetary Fund"] * 3, "Rowing Benevolent Fund", "Velox", "Old Velox"]
    assert worth(names, "Fund", "International Monetary Fund", sizes=sizes) == 0.25
    assert worth(names, "Fund", "Rowing Benevolent Fund", sizes=sizes) == SIZES.similar
    assert worth(names, "Velox", "Old Velox", sizes=sizes) == 0.25
    tied = ["Fund", "International Monetary Fund", "Rowing Benevolent Fund"]
    assert worth(tied, "Fund", "International Monetary Fund", sizes=sizes) == SIZES.similar


def test_two_forms_of_one_name_agree_by_way_of_it():
    full = "International Monetary Fund"
    names = ["Fund", "IMF", *[full] * 2]
    assert worth(names[:2], "Fund", "IMF") is None
    assert worth(names, "IMF", full) == 2.0
    assert worth(names, "Fund", "IMF") == SIZES.head
    misread = ["Unitec States", "America", *["United States"] * 2]
    assert worth(misread[:2], "Unitec States", "America", "place") == SIZES.similar, "America is the United States"
    names = ["Zurrich", "Turicum", "Zürich", "Zürich", "Stadt Zürich"]
    assert worth(names, "Zurrich", "Stadt Zürich", "place") == SIZES.similar
    assert worth(["Zurrich", "Stadt Zürich"], "Zurrich", "Stadt Zürich", "place") is None
    assert worth(["Zurrich", "Zürich", "Stadt Zürich"], "Zurrich", "Stadt Zürich", "place") is None, "equally often"


def test_what_makes_no_two_one():
    """Parts of one name, and what one acronym may stand for."""
    both = ["World Bank", "Monetary Fund", "World Bank Monetary Fund"]
    assert worth(both, "World Bank", both[2]) == worth(both, "Monetary Fund", both[2]) == 1.5
    assert worth(both, "World Bank", "Monetary Fund") is None
    letters = ["NCA", "National Cycling Association", "National Coal Authority"]
    assert worth(letters, "NCA", letters[1]) == worth(letters, "NCA", letters[2]) == 2.0
    assert worth(letters, letters[1], letters[2]) is None


def test_some_rows_have_the_priors_of_all():
    names = ["IMF", "Fund", "Velox", "International Monetary Fund", "Fund", "Velox Tyres"]
    sizes = SIZES.model_copy(update={"only": 0.25})
    whole = Priors(names, "organisation", NOBODY, sizes)
    odds, clashes = whole.all_pairs()
    for rows in ([0, 1, 2, 3, 4, 5], [4, 0], [5, 2, 1], [2], []):
        rows = np.array(rows, dtype=np.int64)
        some_odds, some_clashes = whole.part(rows).all_pairs()
        assert some_odds.tolist() == odds[np.ix_(rows, rows)].tolist()
        asked = {tuple(sorted(pair)) for pair in rows[some_clashes].tolist()}
        assert asked == {tuple(pair) for pair in clashes.tolist() if set(pair) <= set(rows.tolist())}
        pairs = np.argwhere(np.ones((len(rows), len(rows)), dtype=bool)).astype(np.int32)
        assert whole.part(rows).of(pairs).tolist() == whole.of(rows[pairs].astype(np.int32)).tolist()


def test_a_part_of_one_organisation_only_is_worth_more_than_a_part_of_two():
    sizes = NamePrior(
        people=1e4, bare=100, census=1e4, bound=3, similar=-3, others={"organisation": 5, "place": 5}, part=4, only=0.5
    )
    names = ["Velox", "Velox Tyres", "Delta", "Delta Air", "Delta Bank"]

    def of(entity_type, a, b):
        return float(Priors(names, entity_type, NameCounts(()), sizes).of(np.array([[a, b]], dtype=np.int32))[0])

    assert of("organisation", 0, 1) == 1.5
    assert of("organisation", 2, 3) == of("organisation", 2, 4) == 1
    assert of("organisation", 0, 0) == 5


@pytest.mark.parametrize("word", ["Bank", "House", "Commission", "Treasury", "Congress", "Board"])
def test_generic_heads_alone_have_no_prior(word: str) -> None:
    sizes = SIZES.model_copy(update={"only": 1.0, "part": 1.0, "others": {"organisation": 1.5, "place": 1.5}})
    pairs = np.array([[0, 1]], dtype=np.int32)
    for entity_type in ("organisation", "place"):
        assert Priors([word, word], entity_type, NOBODY, sizes).of(pairs)[0] == 0.0
    assert Priors(["World Bank"] * 2, "organisation", NOBODY, sizes).of(pairs)[0] == 1.5


@pytest.mark.parametrize(("people", "others"), [(9, 1), (1, 9)])
def test_names_without_a_type_are_people_as_far_as_the_collection_has_people(people, others):
    """Neither "Wat Pho" nor "Pho" looks like a person's name; how many names of the collection do is all there is."""
    names = [f"Ann {chr(97 + i)}son" for i in range(people)] + [f"Gate {chr(97 + i)}house" for i in range(others)]
    counts = NameCounts([*names, "Wat Pho"])
    share = (people + 1) / (people + others + 1 + 2)
    assert counts.personal == pytest.approx(share)
    for a, b, grade, other in (("Wat Pho", "Wat Pho", Grade.EQUAL, 2.0), ("Wat Pho", "Pho", Grade.PART, SIZES.similar)):
        found = untyped_prior(parse_person(a), parse_person(b), grade, counts, SIZES)
        assert found == pytest.approx(share * prior(a, b, counts, SIZES, grade) + (1 - share) * other)
    person = untyped_prior(parse_person("Ann ason"), parse_person("Ann ason"), Grade.EQUAL, counts, SIZES)
    assert person == prior("Ann ason", "Ann ason", counts, SIZES), "this one does"
