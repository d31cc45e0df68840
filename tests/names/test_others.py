"""Names of organisations and places."""

from __future__ import annotations

import pytest

from crossdoc.names import acronym, is_acronym, others_agree, relate, telling_words
from crossdoc.names.others import is_head, plain_name, relate_others, short_for


@pytest.mark.parametrize(
    ("grade", "a", "b"),
    [
        ("equal", "General Motors Corp.", "The General Motors"),
        ("equal", "Paris", "PARIS"),
        ("variant", "New-York Times", "NewYork Times"),
        ("variant", "NCA", "National Cycling Association"),
        ("variant", "Fed", "Federal Reserve"),
        ("variant", "Fed", "Federal Reserve Board"),
        ("variant", "Nato", "North Atlantic Treaty Organisation"),
        ("variant", "MOF", "Ministry of Finance"),
        ("variant", "AMC", "American Motors Corp."),
        ("variant", "USDA", "U.S. Department of Agriculture"),
        ("variant", "AT&T", "American Telephone and Telegraph"),
        ("variant", "Labor Party", "Labour Party"),
        ("variant", "World Health Organisation", "World Health Organization"),
        ("variant", "Paris St Germain", "Paris Saint-Germain"),
        ("part", "PSV", "PSV Eindhoven"),
        ("part", "AJAX", "Ajax Amsterdam"),
        ("part", "Porto", "FC Porto"),
        ("part", "Yankees", "New York Yankees"),
        ("part", "Lantern", "The London Lantern"),
        ("part", "Foreign Ministry", "Foreign Ministry of France"),
        ("part", "Foreign Ministry", "Russian Foreign Ministry"),
        ("part", "Bank", "Bank"),
        ("similar", "Hezbollah", "Hizbollah"),
        ("clash", "Hezbollah", "Nezbollah"),
        ("clash", "Boston", "Bolton"),
        ("clash", "Aldi", "Audi"),
        ("clash", "Area 51515", "Area 51516"),
        ("clash", "General", "General Motors"),
        ("clash", "National", "National Cycling Association"),
        ("clash", "First", "First Boston"),
        ("clash", "United", "United Airlines"),
        ("clash", "Bank", "Bank of America"),
        ("clash", "Ministry", "Ministry of Finance"),
        ("clash", "University", "University of Ohio"),
        ("clash", "S.", "S. N. C. F."),
        ("clash", "United", "Manchester United"),
        ("part", "Reserve", "Federal Reserve"),
        ("part", "Coachworkers", "Amalgamated Coachworkers"),
        ("part", "Fund", "International Monetary Fund"),
        ("part", "Toyota", "la japonesa Toyota"),
        ("clash", "Bank", "Marfin Bank"),
        ("clash", "Sydney", "North Sydney"),
        ("clash", "Fund", "Friends of the Fund"),
        ("clash", "Lantern", "Comet & Lantern"),
        ("clash", "Lantern", "Comet, Lantern"),
        ("clash", "French Foreign Ministry", "Iranian Foreign Ministry"),
        ("clash", "Foreign Ministry of France", "Foreign Ministry of Iran"),
        ("clash", "Al-Akhbar", "American Airlines"),
        ("clash", "NATO", "NASA"),
        ("clash", "Mets", "New York Yankees"),
        ("variant", "St Louis", "StLouis"),
        ("similar", "Wafdia", "Wafdio"),
        ("similar", "Conseil fédéral", "ConseU fédéral"),
        ("clash", "Westunion", "Vestunion"),
        ("clash", "Wafdi", "Wafdo"),
        ("clash", "TL", "The Lantern"),
        ("clash", "Nato", "Nasa Ames Town Office Park"),
        ("variant", "U.S.", "United States"),
        ("variant", "U.S.", "America"),
        ("variant", "Britain", "UK"),
        ("variant", "N.Y.", "New York"),
        ("variant", "Calif.", "California"),
        ("part", "Ford", "Ford Motor"),
        ("part", "Cycling Association", "National Cycling Association"),
        ("clash", "Motors", "General Motors"),
        ("clash", "Ford", "Fiat"),
        ("clash", "NCA", "National Coal Authority of Britain"),
        ("clash", "", ""),
        ("clash", "...", "..."),
        ("clash", "calif.", "California"),
    ],
)
def test_how_two_relate(grade: str, a: str, b: str) -> None:
    assert str(relate_others(a, b)) == str(relate_others(b, a)) == grade
    assert others_agree(a, b) == (grade != "clash" and not is_head(a, b) and not is_head(b, a))


@pytest.mark.parametrize(
    ("grade", "a", "b"),
    [
        ("equal", "Georgia", "Georgia"),
        ("variant", "London", "Londres"),
        ("variant", "Germany", "Deutschland"),
        ("variant", "U.S.", "United States"),
        ("variant", "New York", "N.Y."),
        ("variant", "New York", "New York City"),
        ("variant", "Peking", "Beijing"),
        ("variant", "The Hague", "Den Haag"),
        ("variant", "N. Korea", "North Korea"),
        ("variant", "Washington", "Washington, D.C."),
        ("variant", "Springfield, Ill.", "Springfield, Illinois"),
        ("variant", "UAE", "United Arab Emirates"),
        ("variant", "BVI", "British Virgin Isles"),
        ("variant", "Ireland", "Republic of Ireland"),
        ("variant", "Zürich", "Stadt Zürich"),
        ("variant", "Vaud", "canton de Vaud"),
        ("clash", "Zürich", "Kanton Zürich"),
        ("part", "Springfield", "Springfield, Ill."),
        ("part", "Carlisle", "Carlisle Bay"),
        ("part", "St.", "St."),
        ("similar", "Liechtenstein", "Liechenstein"),
        ("similar", "England", "Kngland"),
        ("similar", "Gloucester", "Gloucefler"),
        ("similar", "Italien", "Iratien"),
        ("similar", "Blandfordbury", "Blamdeordbury"),
        ("clash", "Blamford", "Blandeord"),
        ("clash", "Ladlane", "Iadlane"),
        ("clash", "Plymouth", "Flywouth"),
        ("clash", "London", "Landem"),
        ("clash", "Austria", "Australia"),
        ("clash", "Springfield 11", "Springfield 12"),
        ("clash", "Paris", "Paris, Texas"),
        ("clash", "Kansas", "Kansas City"),
        ("part", "Spanien", "einheitlichen Spanien"),
        ("clash", "Oxford", "University of Oxford"),
        ("clash", "Korea", "North Korea"),
        ("clash", "Hongrie", "Autriche-Hongrie"),
        ("clash", "N.", "North"),
        ("clash", "North", "North Korea"),
        ("clash", "North Korea", "South Korea"),
        ("clash", "N.Y.", "North Yemen"),
        ("clash", "Iceland", "Ireland"),
        ("clash", "Springfield, Ill.", "Springfield, Mass."),
        ("clash", "", "..."),
    ],
)
def test_how_two_places_relate(grade: str, a: str, b: str) -> None:
    assert str(relate(a, b, "place")) == str(relate(b, a, "place")) == grade
    assert others_agree(a, b, "place") == (grade != "clash" and not is_head(a, b) and not is_head(b, a))


def test_a_last_word_in_common_is_too_little_within_a_document() -> None:
    assert str(relate("Fund", "International Monetary Fund", "organisation")) == "part"
    assert not others_agree("Fund", "International Monetary Fund")
    assert not others_agree("International Monetary Fund", "Fund")
    assert others_agree("Yankees", "New York Yankees")


def test_places_are_not_looked_up_for_organisations() -> None:
    assert str(relate("London", "Londres", "organisation")) == "clash"


def test_words_and_letters() -> None:
    assert [is_acronym(name) for name in ("AT&T", "U.N.", "Al-Akhbar", "ABCDEFG", "A", "A B", "R2D2")] == [
        True, True, False, False, False, False, False,
    ]  # fmt: skip
    assert [short_for(name) for name in ("NATO", "Nato", "nato", "Fiat SpA", "Abc", "Abcdefg", "Nato2")] == [
        "nato", "nato", "", "", "", "", "",
    ]  # fmt: skip
    assert telling_words("The Co. of the") == ("co",)
    assert telling_words("of the") == ("of", "the")
    assert (acronym("A.B.C."), acronym("ABCDEFG"), acronym("The Bank Of England")) == ("abc", "", "be")
    assert acronym("Ъ Bank House") == "bh"
    assert [plain_name(name) for name in ("St.", "S.", "S. Korea")] == ["saint", "s", "southkorea"]
    assert (plain_name("UAE"), plain_name("Texas")) == ("unitedarabemirates", "texas")


@pytest.mark.parametrize("kind", ["organisation", "place"])
@pytest.mark.parametrize(
    ("grade", "a", "b"),
    [
        ("clash", "", ""),
        ("clash", " ", "London"),
        ("clash", "😀", "😀"),
        ("clash", "-,()[]'\"", "-,()[]'\""),
        ("clash", "\ud800", "\ud800"),
        ("part", "X", "X"),
        ("clash", "X", "X Corp. of Xanten"),
        ("equal", "LONDON", "london"),
        ("equal", "4711", "4711"),
        ("clash", "471147", "471148"),
        ("equal", "a" * 1000, "A" * 1000),
        ("clash", "a" * 1000, "a" * 999),
        ("equal", "Ab " * 333, "ab " * 333),
        ("equal", "“London” (Lantern)", "London, Lantern"),
        ("equal", "London 😀", "London"),
        ("equal", "\u200fLondon\u200e", "London"),
        ("equal", "London's", "London"),
        ("equal", "Smith & Wesson", "Smith and Wesson"),
        ("equal", "Лондон Таймс", "London Tayms"),
    ],
)
def test_odd_names_have_an_answer(kind: str, grade: str, a: str, b: str) -> None:
    assert str(relate(a, b, kind)) == str(relate(b, a, kind)) == grade


@pytest.mark.parametrize(
    ("a", "b", "grade"),
    [
        ("LA", "Los Angeles", "part"),
        ("L.A.", "Los Angeles", "part"),
        ("LA", "Louisiana", "part"),
        ("L.A.", "Louisiana", "clash"),
        ("LA", "LA", "part"),
        ("C.A.", "California", "clash"),
        ("IV", "U.K.", "clash"),
        ("IV", "United Kingdom", "clash"),
        ("N.Y.", "New York", "variant"),
        ("La.", "Louisiana", "variant"),
        ("UK", "Britain", "variant"),
        ("Bank", "Bank", "part"),
    ],
)
def test_two_letters_are_the_name_of_no_place_by_themselves(a: str, b: str, grade: str) -> None:
    assert str(relate(a, b, "place")) == str(relate(b, a, "place")) == grade


@pytest.mark.parametrize(
    ("a", "b", "grade"),
    [
        ("GM", "General Motors", "part"),
        ("G.M.", "General Mills Inc.", "part"),
        ("AP", "Associated Press", "part"),
        ("GM", "General Electric", "clash"),
        ("GM", "G.M.", "equal"),
        ("U.N.", "United Nations", "variant"),
        ("EU", "European Union", "variant"),
        ("IMF", "International Monetary Fund", "variant"),
    ],
)
def test_two_letters_stand_for_several_organisations(a: str, b: str, grade: str) -> None:
    assert str(relate(a, b, "organisation")) == str(relate(b, a, "organisation")) == grade


@pytest.mark.parametrize("word", ["Bank", "House", "Commission", "Treasury", "Congress", "Board"])
def test_what_many_have_one_of_is_nobodys_name_alone(word: str) -> None:
    assert str(relate(word, f"The {word}", "organisation")) == "part"
    assert str(relate(f"U.S. {word}", f"U.S. {word}", "organisation")) == "equal"


def test_a_treasury_is_still_a_part_of_its_full_name() -> None:
    assert str(relate("Treasury", "U.S. Treasury", "organisation")) == "part"
