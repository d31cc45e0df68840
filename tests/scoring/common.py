"""Strategies and helpers of these tests."""

from hypothesis import strategies as st

from crossdoc.scoring import (
    Assignment,
)


@st.composite
def two_partitions(draw, most_items=12):
    """Answer and gold labels of the same items."""
    items = draw(st.integers(1, most_items))
    labels = st.lists(st.integers(0, draw(st.integers(0, items - 1))), min_size=items, max_size=items)
    return draw(labels), draw(labels)


@st.composite
def two_covers(draw, most_items=9):
    """Answer and gold entities of the same items, each item in one to three of each."""
    items = draw(st.integers(1, most_items))
    cover = st.lists(st.sets(st.integers(0, 4), min_size=1, max_size=3), min_size=items, max_size=items)
    return draw(cover), draw(cover)


def assignment(entities, groups=None):
    """From labels or sets of labels by position."""
    named = {f"m{i}": sorted(map(str, e)) if isinstance(e, set) else str(e) for i, e in enumerate(entities)}
    return Assignment.of(named, groups)
