"""The nouns: rows to tables and back, soft partitions and what is read off them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.preprocessing import normalize

from crossdoc import errors
from crossdoc.model import (
    Document,
    Documents,
    Judgement,
    Mention,
    Mentions,
    Partition,
    Profile,
    Profiles,
    Relation,
    Relations,
    Vectors,
)

texts = st.text(st.characters(codec="utf-8"), max_size=12)
maybe = st.none() | texts
ids = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)
spans = st.tuples(st.integers(0, 2**63 - 1), st.integers(0, 2**63 - 1)).map(sorted)
mentions = st.builds(
    lambda id, document, span, *rest: Mention(id, document, *span, *rest),
    texts, texts, spans, texts, maybe, st.sampled_from(["name", "nominal", "pronoun"]), maybe,
)  # fmt: skip
documents = st.builds(
    Document, ids, texts, maybe, maybe, maybe, maybe, st.none() | st.lists(mentions, max_size=3).map(tuple)
)
attributes = st.dictionaries(texts, st.lists(texts, max_size=3), max_size=3)
relations = st.lists(st.builds(Relation, texts, texts, maybe, maybe), max_size=2).map(tuple)
profiles = st.builds(Profile, ids, texts, texts, maybe, texts, maybe, attributes, relations)


@pytest.mark.parametrize(("table", "row"), [(Mentions, mentions), (Documents, documents), (Profiles, profiles)])
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_tables_give_their_rows_back(table, row, data):
    rows = data.draw(st.lists(row, max_size=6))
    made = table.of(rows)
    assert list(made) == rows
    assert len(made) == len(rows)
    assert [made[i] for i in range(-len(rows), len(rows))] == rows * 2
    assert made.ids.tolist() == [r.id for r in rows]
    assert list(table(made.arrow)) == rows
    backwards = list(range(len(rows)))[::-1]
    assert list(made.take(backwards)) == rows[::-1]
    with pytest.raises(IndexError):
        made[len(rows)]


def test_a_table_casts_and_selects_columns():
    arrow = pa.table({"extra": [1], **{name: pa.nulls(1) for name in Profiles.schema.names}})
    made = Profiles(arrow)
    assert made.arrow.schema == Profiles.schema
    assert made[0].attributes == {}
    assert repr(made) == "<Profiles: 1>"
    with pytest.raises(KeyError):
        Profiles(arrow.drop_columns(["name"]))


# -- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b", "verdict", "weight", "told"),
    [
        ("a", "b", "Same", 1.0, "'Same', and must be 'same' or 'different'"),
        ("a", "b", "", 1.0, "'same' or 'different'"),
        ("a", "b", None, 1.0, "'same' or 'different'"),
        ("a", "a", "same", 1.0, "'a' is judged against itself"),
        ("", "b", "same", 1.0, "id is empty"),
        ("a", "", "same", 1.0, "id is empty"),
        ("a", "b", "same", -0.5, "weight is -0.5"),
        ("a", "b", "same", float("nan"), "weight is nan"),
        ("a", "b", "same", float("inf"), "weight is inf"),
    ],
)
def test_what_is_no_judgement_is_refused(a, b, verdict, weight, told):
    with pytest.raises(errors.InputError, match=told):
        Judgement(a, b, verdict, weight=weight)


def test_a_judgement_says_what_it_means():
    assert str(Judgement("a", "b", "same", weight=0.0)) == "a is the same as b"
    assert str(Judgement("a", "b", "different", who="ann")) == "a is different from b (ann)"


@pytest.mark.parametrize(("start", "end"), [(-1, 3), (5, 4), (-3, -1)])
def test_a_mention_lies_within_a_text(start, end):
    with pytest.raises(errors.InputError, match=f"'m' goes from character {start} to {end}"):
        Mention("m", "d", start, end, "text")
    assert Mention("m", "d", 0, 0, "").end == 0


def test_documents_and_profiles_have_ids():
    with pytest.raises(errors.InputError, match="document has an empty id"):
        Document("", "text")
    with pytest.raises(errors.InputError, match="profile has an empty id"):
        Profile("", "d", "Ann")


def test_the_rows_of_a_table_are_shown_as_they_are():
    """Or else nobody could say what is wrong with a table that another program made."""
    arrow = pa.table(
        {"id": [""], "start": [9], "end": [3], **{n: [None] for n in ("document", "text", "type", "kind", "chain")}}
    )
    assert (Mentions(arrow)[0].start, Mentions(arrow)[0].end) == (9, 3)
    nothing = pa.table({name: pa.nulls(1) for name in Profiles.schema.names}, schema=Profiles.schema)
    assert next(iter(Profiles(nothing))).id is None


@pytest.mark.parametrize(
    ("left", "right", "strength", "default", "told"),
    [
        ([0, 1], [1], [0.5], 0.0, "differ in length"),
        ([0], [1], [[0.5]], 0.0, "differ in length"),
        ([0], [3], [0.5], 0.0, "not among the 3"),
        ([3], [0], [0.5], 0.0, "not among the 3"),
        ([-1], [0], [0.5], 0.0, "not among the 3"),
        ([0], [-1], [0.5], 0.0, "not among the 3"),
        ([0, 1], [1, 1], [0.5, 0.5], 0.0, "paired with itself"),
        ([0, 1], [1, 2], [0.5, np.nan], 0.0, "not finite"),
        ([0], [1], [np.inf], 0.0, "not finite"),
        ([0], [1], [0.5], np.nan, "not finite"),
    ],
)
def test_bad_relations_are_refused(left, right, strength, default, told):
    columns = np.array(left, np.int32), np.array(right, np.int32), np.array(strength, np.float32)
    with pytest.raises(errors.InputError, match=told):
        Relations(3, *columns, default).checked()


def test_good_relations_are_themselves():
    none = np.zeros(0, np.int32)
    signed = Relations(3, np.array([0, 2], np.int32), np.array([2, 1], np.int32), np.array([-3.0, 1.0], np.float32))
    for good in (Relations(0, none, none, none.astype(np.float32)), signed):
        assert good.checked() is good


@pytest.mark.parametrize("bad", [np.nan, -0.1, 1.1, np.inf])
def test_a_partition_refuses_what_is_no_membership(bad):
    for matrix in (np.array([[1.0], [bad]]), sparse.csr_matrix([[1.0], [bad]])):
        with pytest.raises(errors.InputError, match="between 0 and 1"):
            Partition(["a", "b"], matrix)


# -- partitions ------------------------------------------------------------------------------------------------------


@st.composite
def partitions(draw):
    shape = draw(st.tuples(st.integers(0, 8), st.integers(0, 5)))
    steps = draw(hnp.arrays(np.int64, shape, elements=st.integers(0, 4)))
    names = draw(st.lists(texts, min_size=shape[0], max_size=shape[0], unique=True))
    return Partition(names, steps / 4)


@given(partitions())
@settings(deadline=None)
def test_labels_are_the_first_best_cluster(partition):
    for row, label in zip(partition.membership.toarray(), partition.labels, strict=True):
        assert label == (int(np.argmax(row)) if row.any() else -1)


@given(partitions(), st.sampled_from([0.0, 0.25, 0.3, 0.5, 1.0]), st.booleans())
@settings(deadline=None)
def test_threshold(partition, theta, drop):
    cut = partition.threshold(theta, drop=drop).membership.toarray()
    for row, kept, label in zip(partition.membership.toarray(), cut, partition.labels, strict=True):
        expected = np.where(row > theta, row, 0)
        if not expected.any() and not drop and label >= 0:
            expected[label] = row[label]
        assert kept.tolist() == expected.tolist()


@given(partitions())
@settings(deadline=None)
def test_harden(partition):
    hard = partition.harden()
    for row in range(len(partition)):
        for other in range(len(partition)):
            together = partition.labels[row] == partition.labels[other] and partition.labels[row] >= 0
            assert together == (hard.labels[row] == hard.labels[other] and hard.labels[row] >= 0)
    assert set(hard.membership.data) <= {1.0}
    assert hard.n_clusters == len(set(partition.labels) - {-1})


@given(partitions())
@settings(deadline=None)
def test_ranking(partition):
    dense = partition.membership.toarray()
    for cluster in range(partition.n_clusters):
        rows, values = partition.ranking(cluster)
        expected = sorted(np.flatnonzero(dense[:, cluster]), key=lambda r: (-dense[r, cluster], r))
        assert rows.tolist() == expected
        assert values.tolist() == dense[expected, cluster].tolist()


@given(partitions())
@settings(deadline=None)
def test_entities_are_the_smallest_id_of_the_hard_members(partition):
    for cluster, entity in enumerate(partition.entities):
        inside = [id for id, label in zip(partition.ids, partition.labels, strict=True) if label == cluster]
        if inside:
            assert entity == min(inside)
        else:
            assert entity.startswith("~")
    assert len(set(partition.entities)) == partition.n_clusters


@given(partitions(), st.randoms())
@settings(deadline=None)
def test_entities_survive_a_permutation_of_rows(partition, random):
    order = random.sample(range(len(partition)), len(partition))
    permuted = Partition(partition.ids[order], partition.membership[order])
    assert permuted.entities == partition.entities


def test_clusters_that_are_nobodys_best_have_names_of_their_own():
    partition = Partition(["b", "~b", "a"], [[0.4, 0.3, 0.2, 0.0], [0.5, 0.1, 0.2, 0.0], [0.5, 0.3, 0.1, 0.0]])
    assert partition.entities == ["a", "~a", "~b", "~3"]
    assert Partition(["x", "~x"], [[0.6, 0.2, 0.2, 0], [0.0, 0, 0, 1]]).entities == ["x", "~~x", "~~~x", "~x"]


@given(partitions())
@settings(deadline=None)
def test_table_and_back(partition):
    table = partition.table(soft=True)
    back = Partition.from_table(partition.ids, table)
    met = [partition.entities.index(entity) for entity in dict.fromkeys(table.column("entity").to_pylist())]
    assert back.membership.toarray().tolist() == partition.membership.toarray()[:, met].tolist()
    assert back.ids.tolist() == partition.ids.tolist()
    dense = partition.membership.toarray()
    column = {entity: k for k, entity in enumerate(partition.entities)}
    assert table.num_rows == np.count_nonzero(dense)
    row = {id: k for k, id in enumerate(partition.ids)}
    previous = (-1, 0.0)
    for cells in table.to_pylist():
        here = row[cells["id"]], -cells["membership"]
        assert dense[here[0], column[cells["entity"]]] == cells["membership"]
        assert here >= previous
        previous = here


@given(partitions())
@settings(deadline=None)
def test_a_table_has_one_row_an_id_unless_it_is_soft(partition):
    table = partition.table().to_pylist()
    dense = partition.membership.toarray()
    held = [row for row in range(len(partition)) if partition.labels[row] >= 0]
    assert [cells["id"] for cells in table] == [partition.ids[row] for row in held]
    assert [cells["entity"] for cells in table] == [partition.entities[partition.labels[row]] for row in held]
    assert [cells["membership"] for cells in table] == [dense[row].max() for row in held]


def test_from_table_refuses_ids_that_are_not_there():
    table = pa.table({"id": ["a", "z"], "entity": ["a", "a"], "membership": [1.0, 1.0]})
    with pytest.raises(ValueError, match="'z'"):
        Partition.from_table(["a", "b"], table)
    empty = Partition.from_table(["a", "b"], table.slice(0, 0))
    assert (len(empty), empty.n_clusters, empty.labels.tolist()) == (2, 0, [-1, -1])


def test_from_table_takes_tables_in_chunks():
    whole = Partition.from_labels([f"p{i}" for i in range(100)], np.arange(100) % 7).table()
    chunks = pa.concat_tables([whole.slice(i, 9) for i in range(0, 100, 9)])
    assert Partition.from_table([f"p{i}" for i in range(100)], chunks).table() == whole


def test_from_labels_leaves_out_negative_ones():
    partition = Partition.from_labels(["a", "b", "c", "d"], [5, -1, 2, 5])
    assert partition.labels.tolist() == [1, -1, 0, 1]
    assert partition.entities == ["c", "a"]
    assert partition.membership.toarray().tolist() == [[0, 1], [0, 0], [1, 0], [0, 1]]
    assert Partition.from_labels(["a"], [-1]).n_clusters == 0
    assert Partition.from_labels([], []).entities == []


def test_uncertainty_is_entropy():
    rows = [[1, 0, 0, 0], [0.3, 0, 0, 0], [0.25, 0.25, 0.25, 0.25], [0.1, 0.1, 0, 0], [0, 0, 0, 0], [0.9, 0.1, 0, 0]]
    found = Partition(list("abcdef"), rows).uncertainty
    assert found[:2].tolist() == [0, 0]
    assert found[2:] == pytest.approx([np.log(4), np.log(2), 0, -0.9 * np.log(0.9) - 0.1 * np.log(0.1)])


def test_a_partition_leaves_the_callers_matrix_alone():
    given_matrix = sparse.csr_matrix(([1.0, 0.0], ([0, 1], [0, 0])), shape=(2, 1))
    Partition(["a", "b"], given_matrix)
    assert given_matrix.nnz == 2


def test_a_partition_needs_a_row_for_each_id():
    with pytest.raises(ValueError, match="2 ids but 1 rows"):
        Partition(["a", "b"], [[1.0]])


def test_many_rows_there_and_back():
    n = 150_000
    rng = np.random.default_rng(0)
    ids = np.array([f"2001/{i % 70_000}:{i}" for i in rng.permutation(n)], dtype=object)
    columns = np.concatenate([rng.integers(0, 400_000, n), rng.integers(0, 400_000, n)])
    weights = np.concatenate([np.full(n, 0.7), np.full(n, 0.2)])
    memberships = sparse.csr_matrix((weights, (np.tile(np.arange(n), 2), columns)), shape=(n, 400_000))
    partition = Partition(ids, memberships)
    back = Partition.from_table(ids, partition.table(soft=True))
    assert len(back.labels) == n
    first = np.flatnonzero(partition.labels == partition.labels[0])
    assert partition.entities[partition.labels[0]] == min(ids[first])


# -- relations and vectors -------------------------------------------------------------------------------------------


@given(st.integers(0, 9), st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_relations_from_dense_and_back(n, seed):
    upper = np.triu(np.random.default_rng(seed).random((n, n)).astype(np.float32), 1)
    matrix = upper + upper.T + np.eye(n, dtype=np.float32)
    found = Relations.from_dense(matrix)
    assert len(found) == n * (n - 1) // 2
    left, right = np.triu_indices(n, k=1)
    assert (found.left.tolist(), found.right.tolist()) == (left.tolist(), right.tolist())
    assert (found.dense() == matrix).all()


def test_relations_not_listed_have_the_default_strength():
    few = Relations(3, np.array([2], np.int32), np.array([0], np.int32), np.array([0.5], np.float32), 0.25)
    assert few.dense().tolist() == [[1, 0.25, 0.5], [0.25, 1, 0.25], [0.5, 0.25, 1]]


@pytest.mark.parametrize("n", [0, 1, 7, 2500])
def test_cosine_equals_scikit_learn(n):
    matrix = normalize(sparse.random(n, 40, density=0.2, format="csr", random_state=0)) if n else np.zeros((0, 40))
    vectors = Vectors(sparse.csr_matrix(matrix))
    expected = cosine_similarity(matrix) if n else np.zeros((0, 0))
    np.fill_diagonal(expected, 1.0)
    found = vectors.cosine()
    assert found.dtype == np.float32
    assert np.allclose(found, expected, atol=1e-6)
    rows = np.arange(n)[::-2]
    assert np.allclose(vectors.cosine(rows), expected[np.ix_(rows, rows)], atol=1e-6)


@given(partitions())
@settings(deadline=None)
def test_a_table_has_the_strongest_cluster_of_each_unless_soft(partition):
    strongest = {}
    for row in partition.table(soft=True).to_pylist():
        strongest.setdefault(row["id"], row)
    assert partition.table().to_pylist() == list(strongest.values())
