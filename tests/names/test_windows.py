"""Where a name stands, and the words around it."""

import pytest

from crossdoc.names.windows import find_name, window

TEXT = "one two three four five six seven eight nine ten"


@pytest.mark.parametrize(
    ("spans", "reach", "expected"),
    [
        ([(8, 13)], 5, "two three four"),
        ([(8, 13), (14, 18)], 5, "two three four five"),
        ([(0, 3), (45, 48)], 4, "one two … ten"),
        ([(45, 48), (0, 3)], 5, "one two … nine ten"),
        ([(8, 13)], 0, "three"),
        ([(0, 48)], 9, TEXT),
        ([], 9, ""),
    ],
)
def test_whole_words_within_reach(spans, reach, expected):
    assert window(TEXT, spans, reach) == expected


def test_a_name_is_found_with_middle_names_turned_round_and_over_a_line_end():
    text = "John\nSmith; John F. K. Smith; Smith, John; Johnny Smith; John\n\nSmith; JOHN SMITH"
    assert [text[start:end] for start, end in find_name(text, "John Smith")] == [
        "John\nSmith",
        "John F. K. Smith",
        "Smith, John",
        "JOHN SMITH",
    ]
