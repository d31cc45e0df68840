"""Headlines written as the rest of the collection writes its words, and cues of people next to names."""

import numpy as np
import pytest

import crossdoc
from crossdoc.compare.statistics import capital_rows
from crossdoc.extract.truecase import (
    CONCENTRATION,
    SHIPPED,
    CaseCounts,
    class_odds,
    cue_at,
    estimate_shares,
    truecased,
)
from crossdoc.model import Document

TEXTS = [
    "The bank said on Monday that oil prices fell in Japan, and that OPEC met in New York with a new plan.",
    "Prices of oil rose. Nobody at OPEC would say why Japan and New York bought more oil from us.",
]


def test_every_word_is_written_as_elsewhere_and_no_character_moves() -> None:
    counts = CaseCounts().update(TEXTS)
    headline = "OPEC SAYS OIL PRICES FELL IN JAPAN, VELMONTS PLAN FOR NEW YORK"
    found = truecased(headline, counts)
    assert found == "OPEC SAYS oil prices fell in Japan, Velmonts plan FOR New York"
    assert found.lower() == headline.lower()


def test_kept_words_stay() -> None:
    counts = CaseCounts().update(TEXTS)
    assert truecased("OIL PRICES FROM US", counts) == "oil prices from us"
    assert truecased("OIL PRICES FROM US", counts, {"US"}) == "oil prices from US"


def test_lists_of_acronyms_and_lone_names_are_no_headlines() -> None:
    counts = CaseCounts().update([*TEXTS, "He works for GTE, and she for IBM, and both for ATT."])
    for text in ("IBM GTE ATT", "JAPAN said so.", "NEW YORK, March 2 - Oil fell."):
        assert truecased(text, counts) == text


def test_a_run_ends_with_its_line() -> None:
    counts = CaseCounts().update(TEXTS)
    assert truecased("OIL\nPRICES\nFELL", counts) == "OIL\nPRICES\nFELL"
    assert truecased("OIL PRICES FELL\nJAPAN", counts) == "oil prices fell\nJAPAN"


def test_counts_do_not_depend_on_the_order_of_documents() -> None:
    a, b = CaseCounts().update(TEXTS), CaseCounts().update(reversed(TEXTS))
    assert (a.table == b.table).all()
    assert a.of("oil") == (3, 0, 0)
    assert a.of("OPEC") == (0, 0, 2)


def test_headlines_and_openings_of_sentences_are_not_counted() -> None:
    counts = CaseCounts().update(["OIL PRICES FELL AGAIN. Prices fell."])
    assert counts.of("prices") == (0, 0, 0)
    assert counts.of("fell") == (1, 0, 0)


def test_counts_that_were_kept_count_again():
    counts = CaseCounts().update(["the Bank of Japan raised rates again, as OPEC said", "WE SAID NO"])
    again = CaseCounts().update(["they raised rates"])
    rows = capital_rows(counts.listed())
    again.put(zip(*(column.to_pylist() for column in rows.columns), strict=True))
    assert [again.of(word) for word in ("raised", "japan", "opec", "no")] == [
        (2, 0, 0),
        (0, 1, 0),
        (0, 0, 1),
        (0, 0, 0),
    ]
    assert (counts.headlines, again.headlines) == (1, 0)


def cue(text: str, name: str) -> str:
    start = text.index(name)
    return cue_at(text, start, start + len(name))


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("Mr. Subandrio came.", "Subandrio", "title"),
        ("the foreign minister Subandrio", "Subandrio", "title"),
        ("talks with Prime\nMinister Djuanda today", "Djuanda", "title"),
        ("Sukarno said so.", "Sukarno", "verb"),
        ("Sukarno would also like it.", "Sukarno", ""),
        ("Sukarno had already agreed.", "Sukarno", "verb"),
        ("Sukarno himself was there.", "Sukarno", "verb"),
        ("The General Assembly met.", "Assembly", ""),
        ("Vice President Hatta", "President", ""),
        ("the roads of Java", "Java", ""),
        ("the roads in Java", "Java", "where"),
        ("at the Pentagon", "Pentagon", "the"),
        ("the Consul at Vladivostok (Caldwell) to the Secretary", "Caldwell", "bracket"),
        ("(Caldwell) was there", "Caldwell", ""),
        ("Please advise.\nLansing\n", "Lansing", "signed"),
        ("Please advise.\nLansing\nSecond page follows, as was said before, with all the rest of it.", "Lansing", ""),
        ("John F. Stevens", "Stevens", "initials"),
        ("with Leonard Marks", "Marks", "first"),
        ("King Hussein of Jordan said so.", "Jordan", ""),
        ("Colonel Emerson left.", "Colonel Emerson", "title"),
        ("General Electric left.", "General Electric", ""),
        ("They chose a governor. Lee lost.", "Lee", ""),
        ("They chose a Governor. Lee lost.", "Lee", ""),
        ("Then Gov. Lee lost.", "Lee", "title"),
    ],
)
def test_a_cue_is_a_title_before_or_a_verb_of_people_after(text: str, name: str, expected: str) -> None:
    assert cue(text, name) == expected


def test_languages_without_lists_have_no_verbs() -> None:
    assert cue_at("Sukarno said so", 0, 7, "fi") == ""


PAPERS = [
    "{0} said that the talks had failed. The army was loyal to {0}.",
    "The embassy saw no hope. {0} believed that the rebels were weak, and {0} knew them well.",
    "It was decided to wait for {0}. President {0} agreed.",
    "The tension between {0} and the army grew. {0} thought that time was with him.",
    "Nobody trusted {0}. Talks were held in Washington and in Paris. Washington was silent.",
    "The army broke with {0} last year. Officials in Washington said nothing.",
]


def types_of(name: str, papers: list[str]) -> dict[str, set[str]]:
    documents = [Document(f"d{n}", text.format(name), language="en") for n, text in enumerate(papers)]
    found: dict[str, set[str]] = {}
    with crossdoc.resolve(documents, processes=1) as answer:
        for row in answer.answer("mention").to_pylist():
            if row["kind"] == "name":
                found.setdefault(row["name"], set()).add(row["type"])
    return found


@pytest.mark.parametrize("name", ["Sukarno", "Nasution", "Djuanda", "Hatta"])
def test_a_name_with_cues_in_the_collection_is_a_person_in_every_document(name: str) -> None:
    found = types_of(name, PAPERS)
    assert found[name] == {"person"}
    assert found["Washington"] == {"place"}
    assert found["Paris"] == {"place"}


def test_initials_before_a_surname_are_a_persons() -> None:
    text = "A report by R. J. Okafor, the auditor, was read."
    start = text.index("R.")
    assert cue_at(text, start, start + len("R. J. Okafor")) == "initials"
    assert cue_at("U.S. Steel rose", 0, 10) == ""


def test_odds_rise_with_the_share_of_cues_and_with_the_number_of_names() -> None:
    assert class_odds((0, 0, 0), SHIPPED) == pytest.approx((0, 0))
    odds = [class_odds((100 - cued, cued, 0), SHIPPED)[0] for cued in (1, 10, 20, 50)]
    assert odds == sorted(odds)
    assert odds[0] < 0 < odds[2]
    assert class_odds((8, 2, 0), SHIPPED)[0] < class_odds((80, 20, 0), SHIPPED)[0]


def test_words_after_in_and_the_are_things() -> None:
    person, thing = class_odds((60, 2, 38), SHIPPED)
    assert person < 0 < thing


def test_shares_are_estimated_on_the_collection_and_shrunk_towards_the_shipped_ones() -> None:
    rng = np.random.default_rng(0)
    true = np.array([[0.2, 0.75, 0.05], [0.5, 0.02, 0.48], [0.97, 0.01, 0.02]])
    words = np.concatenate(
        [
            [rng.multinomial(30, rng.dirichlet(own * size)) for _ in range(400)]
            for own, size in zip(true, CONCENTRATION, strict=True)
        ]
    )
    found = estimate_shares(words)
    assert np.abs(found - true).max() < np.abs(SHIPPED - true).max() / 2
    assert found.sum(axis=1) == pytest.approx(1)
    assert np.array_equal(estimate_shares(words[:0]), SHIPPED)
