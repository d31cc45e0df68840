import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crossdoc.compare.specialists.other_name import OtherNames, name_score
from crossdoc.model import Profile, Profiles


@settings(deadline=None, max_examples=100)
@given(st.text(max_size=20), st.text(max_size=20))
def test_any_text_in_any_order(a, b):
    score = name_score(a, b)
    assert score == name_score(b, a)
    assert score is None or 0 <= score <= 1


def test_people_and_acronyms_are_left_to_others():
    rows = [("Ford", "person"), ("Ford", "organisation"), ("FMC", "organisation"), ("Ford Motor", "organisation")]
    table = Profiles.of(Profile(str(i), "d", name, kind) for i, (name, kind) in enumerate(rows))
    scores = OtherNames().score(table, table, [(0, 1), (1, 2), (1, 3), (1, 1)])
    np.testing.assert_array_equal(scores, np.array([np.nan, np.nan, 0.7, 1.0], dtype=np.float32))
