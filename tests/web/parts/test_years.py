"""Documents over time."""

import pytest

from crossdoc.web.parts.years import MOST_BARS, filled, timeline


@pytest.mark.parametrize(
    ("periods", "expected"),
    [
        ([], []),
        ([("soon", 1)], []),
        ([("1996", 2), ("1998", 1)], [("1996", 2), ("1997", 0), ("1998", 1)]),
        ([("1996-11", 2), ("1997-01", 1)], [("1996-11", 2), ("1996-12", 0), ("1997-01", 1)]),
        ([("1996", 2), ("1997-01", 1), ("1997-03", 1)], [("1996", 2), ("1997", 2)]),
    ],
)
def test_periods_without_documents_are_added(periods, expected):
    assert filled(periods) == expected


def test_bars_are_relative_to_the_longest_and_listed_for_screen_readers(client, elements):
    timeline([("1996", 2), ("1998", 1)])
    assert [each._style["height"] for each in elements("i")] == ["100.0%", "0.0%", "50.0%"]
    assert [each._text for each in elements("li")] == ["1996: 2 documents", "1998: 1 document"]


def test_a_long_range_has_no_empty_bars(client, elements):
    timeline([(str(year), 1) for year in range(1000, 2000, 10)])
    assert len(elements("i")) == MOST_BARS
    assert elements("li")[-1]._text == "1990: 1 document"
