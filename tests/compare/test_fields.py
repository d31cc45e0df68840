"""Rows of each field, against scikit-learn's weights of the same names."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

from crossdoc.compare.fields import FIELDS, RELATED, related_rows, rows_of, whole_name, words_of_name
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.model import Profile, Profiles, Relation

NAMES = ["Bo Li", "Dr. Bo X. Li", "Cy Ode", "Ode", "Dept. of Physics, MIT", "MIT", "IBM", "Ann Wu", ""]
LINKS = st.lists(
    st.builds(Relation, st.sampled_from(["list", "List:author", "employment", "ownership", "family"]),
              st.sampled_from(NAMES)),
    max_size=5,
)  # fmt: skip


def profiles_with(related: list[list[Relation]], name: str = "Ann Wu") -> Profiles:
    return Profiles.of(
        Profile(f"p{i}", f"d{i}", name, "person", relations=tuple(links)) for i, links in enumerate(related)
    )


def by_scikit_learn(profiles: Profiles, types: set[str], units) -> np.ndarray:
    """Cosines of the smoothed idf of the units of related names that are not the profile's own."""
    bags = [
        sorted({u for link in profile.relations if link.type.lower().split(":")[0] in types
                for u in units(link.name)} - set(whole_name(profile.name)))
        for profile in profiles
    ]  # fmt: skip
    if not any(bags):
        return np.zeros((len(bags), len(bags)))
    counts = CountVectorizer(analyzer=lambda bag: bag).fit_transform(bags)
    held = np.flatnonzero(np.diff(counts.indptr))
    rows = TfidfTransformer().fit(counts[held]).transform(counts)
    return (rows @ rows.T).toarray()


@settings(max_examples=50, deadline=None)
@given(st.lists(LINKS, min_size=1, max_size=6))
def test_related_names_are_weighted_as_scikit_learn_does(related):
    profiles = profiles_with(related)
    for field, types, units in (
        ("beside", {"list"}, whole_name),
        ("work", {"employment", "ownership"}, words_of_name),
    ):
        matrix = related_rows(profiles, field).matrix
        assert matrix.shape[0] == len(profiles)
        expected = by_scikit_learn(profiles, types, units)
        np.testing.assert_allclose((matrix @ matrix.T).toarray(), expected, atol=1e-5)


def test_columns_are_named_and_names_told_twice_count_once():
    rows = related_rows(
        profiles_with([[Relation("list", "Bo Li"), Relation("list", "Dr. Bo Li")], [Relation("list", "IBM")]]), "beside"
    )
    assert rows.features.tolist() == ["bo li", "ibm"]
    assert rows.matrix.toarray().tolist() == [[1, 0], [0, 1]]


def test_the_own_name_is_no_evidence_however_it_is_written():
    links = [[Relation("list", "Ann B. Wu"), Relation("list", "Cy Ode")], [Relation("list", "Dr. Ann Wu")]]
    rows = related_rows(profiles_with(links), "beside")
    assert rows.features.tolist() == ["cy ode"]
    assert np.diff(rows.matrix.indptr).tolist() == [1, 0]


@pytest.mark.parametrize("field", RELATED)
def test_who_is_related_to_nobody_has_an_empty_row(field):
    rows = related_rows(profiles_with([[], []]), field)
    assert rows.matrix.shape == (2, 1)
    assert rows.matrix.nnz == 0
    assert related_rows(Profiles.of([]), field).matrix.shape[0] == 0


def test_whole_names_and_their_words():
    assert [whole_name(name) for name in NAMES] == [
        ("bo li",), ("bo li",), ("cy ode",), ("ode",), whole_name("Dept. of Physics, MIT"), ("mit",), ("ibm",),
        ("ann wu",), (),
    ]  # fmt: skip
    assert words_of_name("AT&T Bell Labs 2") == ("at", "bell", "labs"), "no letters by themselves, no digits"


def test_each_field_reads_its_own_part_of_a_profile():
    words = ContextVectoriser().fit([["red car", "blue boat"]])
    profiles = Profiles.of(
        [
            Profile("a", "d1", "Ann", context="red", relations=(Relation("list", "Bo"), Relation("employment", "MIT"))),
            Profile("b", "d2", "Ann", context="", relations=(Relation("family", "Cy"),)),
        ]
    )

    def texts(ids):
        return {"d1": "blue boat", "d2": "car"}

    told = {field: rows_of(field, profiles, words, texts) for field in FIELDS}
    used = {
        field: [sorted(np.asarray(words_of)[row.indices].tolist()) for row in rows.matrix]
        for field, rows in told.items()
        for words_of in [rows.features if rows.features is not None else sorted(words.document_frequency)]
    }
    assert used == {
        "context": [["red"], []], "document": [["blue", "boat"], ["car"]], "beside": [["bo"], []],
        "work": [["mit"], []],
    }  # fmt: skip
    unknown = rows_of("document", profiles, words, None).matrix
    assert (unknown.shape[0], unknown.nnz) == (2, 0)
