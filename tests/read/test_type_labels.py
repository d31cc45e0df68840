"""Labels of other tools and the types that they stand for."""

import pytest

from crossdoc.read.type_labels import type_of


@pytest.mark.parametrize(
    ("label", "type"),
    [("PER", "person"), ("Location", "place"), ("GPE", "place"), ("I-ORG", "organisation"), ("place", "place"),
     ("", None), (None, None), ("NORP", None)],
)  # fmt: skip
def test_types(label, type):
    assert type_of(label) == type
