"""Headlines in capitals, written as the rest of the collection writes its words."""

from crossdoc.compare.statistics import capital_rows
from crossdoc.extract.truecase import CaseCounts, truecased

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
