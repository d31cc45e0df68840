"""The visual language: readable in light and dark, everything from within, and words for numbers."""

import re

import pytest

from crossdoc.web import look

CSS = look.css()
TOKENS = {
    name: (light, dark)
    for name, light, dark in re.findall(r"--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);", CSS)
}
KINDS = ("person", "organisation", "place", "other")
READ = [
    *[(ink, ground) for ink in ("ink", "soft", "accent") for ground in ("page", "card", "hover")],
    *[(ink, "card") for ink in (*KINDS, "good", "fair", "bad")],
    *[(kind, f"{kind}-wash") for kind in (*KINDS, "good", "fair", "bad", "accent")],
    *[("ink", f"{wash}-wash") for wash in ("accent", "good", "fair", "bad")],
    *[("soft", f"{wash}-wash") for wash in ("accent", "good", "fair", "bad")],
    ("accent-ink", "accent"),
    ("mark-ink", "mark"),
]


def luminance(colour):
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(a, b):
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("ink", "ground"), READ)
def test_everything_can_be_read(ink, ground, theme):
    """WCAG 2.2, 1.4.3: 4.5 to 1."""
    assert contrast(TOKENS[ink][theme], TOKENS[ground][theme]) >= 4.5


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("edge", ["edge", "accent", "good", "fair", "bad"])
def test_edges_of_what_can_be_pressed_are_seen(edge, theme):
    """WCAG 2.2, 1.4.11: 3 to 1."""
    assert min(contrast(TOKENS[edge][theme], TOKENS[ground][theme]) for ground in ("page", "card")) >= 3


def test_nothing_is_loaded_and_no_colour_is_written_twice():
    assert not re.search(r"url\(|@import|http", CSS)
    used = re.sub(r":root \{.*?\n\}", "", CSS, count=1, flags=re.DOTALL)
    assert re.findall(r"#[0-9a-f]{6}\b", used) == []
    assert set(re.findall(r"var\(--([a-z]+(?:-[a-z]+)*)", CSS)) <= set(re.findall(r"--([a-z-]+):", CSS))


@pytest.mark.parametrize(
    ("certainty", "grade", "word"),
    [(1.0, 3, "sure"), (0.85, 3, "sure"), (0.849, 2, "fairly sure"), (0.6, 2, "fairly sure"), (0.599, 1, "unsure")],
)
def test_how_sure(certainty, grade, word):
    assert (look.sureness(certainty), look.how_sure(certainty)) == (grade, word)


def test_kinds_have_colours():
    assert [look.kind(each) for each in ("person", "organisation", "place", "ship", None)] == [
        "x-person", "x-organisation", "x-place", "x-other", "x-other",
    ]  # fmt: skip
    assert all(f".x-{kind} {{ --kind: var(--{kind})" in CSS for kind in KINDS)


@pytest.mark.parametrize(
    ("spans", "cut"),
    [
        ([], [("Ann Lee left.", None)]),
        ([(0, 3, "a"), (4, 7, "b")], [("Ann", "a"), (" ", None), ("Lee", "b"), (" left.", None)]),
        ([(4, 7, "b"), (0, 7, "a")], [("Ann Lee", "a"), (" left.", None)]),
        ([(8, 99, "a"), (5, 5, "b")], [("Ann Lee left.", None)]),
    ],
)
def test_pieces(spans, cut):
    assert list(look.pieces("Ann Lee left.", spans)) == cut
