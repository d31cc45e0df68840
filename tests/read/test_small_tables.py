"""Answers, edges, matrices and constraints on file."""

import json
import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crossdoc import errors
from crossdoc.errors import CrossdocError
from crossdoc.model import Judgement, KnownEntry
from crossdoc.read import read_answer, read_edges, read_gold, read_judgements, read_known

KINDS = [f"{kind}{compression}" for kind in ("csv", "jsonl", "parquet") for compression in ("", ".gz", ".xz", ".zst")]


def refused(read, path):
    with pytest.raises(CrossdocError) as caught:
        read(path)
    return caught.value.what


def edges_of(edges):
    return {
        (*sorted((edges.ids[a], edges.ids[b])), round(float(value), 6))
        for a, b, value in zip(edges.left, edges.right, edges.value, strict=True)
    }


# -- answers and gold --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_answer(write, kind):
    rows = [
        {"id": "a", "entity": "x", "membership": 0.75, "group": "g", "note": "ignored"},
        {"id": "a", "entity": "y, z", "membership": 0.25, "group": "g", "note": ""},
    ]
    found = read_answer(write(f"a.{kind}", rows))
    assert found.to_pylist() == [{key: row[key] for key in ("id", "entity", "membership", "group")} for row in rows]


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_ids_that_look_like_numbers_are_text(write, kind):
    found = read_answer(write(f"a.{kind}", [{"id": 7, "entity": 1}, {"id": 8, "entity": 2}]))
    assert found.to_pylist() == [{"id": "7", "entity": "1"}, {"id": "8", "entity": "2"}]


def test_csv_ids_keep_their_zeros_and_words(write):
    found = read_answer(write("a.csv", "id, entity\n007,NA\nnull,nan\n"))
    assert found.to_pylist() == [{"id": "007", "entity": "NA"}, {"id": "null", "entity": "nan"}]


def test_a_dictionary_column_is_text(tmp_path):
    column = pa.array(["a", "b"]).dictionary_encode()
    pq.write_table(pa.table({"id": column, "entity": column}), tmp_path / "a.parquet")
    assert read_answer(tmp_path / "a.parquet").to_pylist()[0] == {"id": "a", "entity": "a"}


def test_a_folder_called_like_a_partition_adds_no_column(write):
    assert read_answer(write("group=7/a.parquet", [{"id": "a", "entity": "x"}])).column_names == ["id", "entity"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "", "cannot be read"),
        ("a.csv", "name,entity\na,b\n", "the column 'id' is missing (there are: name, entity)"),
        ("a.csv", "x,y\na,b\n", "'id' is missing"),
        ("a.csv", "id,entity\n,x\n,\n", "2 rows have no 'id'"),
        ("a.csv", "id,entity,membership\na,x,high\n", "the column 'membership' must hold numbers"),
        ("a.csv", "id,entity\na\n", "cannot be read"),
        ("a.csv", b"id,entity\na,\xff\n", "cannot be read"),
        ("a.csv.gz", None, "cannot be read"),
        ("a.csv.xz", None, "cannot be read"),
        ("a.csv.zst", None, "cannot be read"),
        ("a.jsonl", '{"id": "a"}\n', "the column 'entity' is missing (there are: id)"),
        ("a.jsonl", '{"id": "a", "entity": null}\n', "1 rows have no 'entity'"),
        ("a.jsonl", '{"id": ["a"], "entity": {}}\n', "line 1: the field 'id' must be text, not list"),
        ("a.jsonl", '{"id": "a", "entity": "b", "membership": "x"}', "line 1: the field 'membership' must be a number"),
        ("a.jsonl", "{\n", "line 1: not valid JSON"),
        ("a.parquet", b"PAR1 no", "cannot be read"),
        ("a.txt", "id", "cannot tell what kind of file"),
        ("a.xlsx", "id", "cannot tell what kind of file"),
    ],
)
def test_bad_answers(write, name, content, message):
    path = write(name, "id,entity\n" if content is None else content)
    if content is None:
        path.write_bytes(b"not compressed at all")
    assert message in refused(read_answer, path)


def test_a_nested_parquet_column_is_refused(write):
    told = refused(read_answer, write("a.parquet", [{"id": ["a"], "entity": "x"}]))
    assert "the column 'id' must hold text" in told


@pytest.mark.parametrize("read", [read_answer, read_edges, read_judgements])
def test_what_is_no_file(read, tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    os.mkfifo(tmp_path / "pipe.npy")
    assert "no file or folder" in refused(read, tmp_path / "none.csv")
    assert "a file was expected" in refused(read, tmp_path)
    assert "a file was expected" in refused(read, tmp_path / "pipe.csv")
    if read is read_edges:
        assert "a file was expected" in refused(read, tmp_path / "pipe.npy")


NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).filter(str.strip)


@given(
    st.lists(st.fixed_dictionaries({"id": NAMES, "entity": NAMES, "membership": st.floats(0, 1)}), min_size=1),
    st.sampled_from(["csv", "jsonl", "parquet"]),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
def test_an_answer_that_is_written_is_read(write, rows, kind):
    assert read_answer(write(f"a.{kind}", rows)).to_pylist() == rows


# -- edges and matrices ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("column", ["strength", "weight"])
def test_edges(write, kind, column):
    rows = [{"a": "p", "b": "q", column: 0.5}, {"a": "r", "b": "p", column: 0.25}]
    found = read_edges(write(f"e.{kind}", rows))
    assert found.ids.tolist() == ["p", "q", "r"]
    assert edges_of(found) == {("p", "q", 0.5), ("p", "r", 0.25)}
    assert found.signed is (column == "weight")
    assert found.notes == ()


def test_signed_weights_may_be_negative(write):
    assert edges_of(read_edges(write("e.csv", "a,b,weight\np,q,-3.5\n"))) == {("p", "q", -3.5)}


def test_duplicates_and_loops(write):
    found = read_edges(write("e.csv", "a,b,strength\np,q,0.2\nq,p,0.6\np,q,0.7\nr,r,1\nq,r,0.1\n"))
    assert edges_of(found) == {("p", "q", 0.5), ("q", "r", 0.1)}
    assert found.notes == (
        "1 edges from a node to itself were left out, the first of them at r",
        "1 pairs were given more than once, such as p and q; the mean of their values is used",
    )


MATRIX = np.array([[1, 0.5, 0.1], [0.5, 1, 0.2], [0.1, 0.2, 1]])
MATRIX_EDGES = {(0, 1, 0.5), (0, 2, 0.1), (1, 2, 0.2)}


@pytest.mark.parametrize("compression", ["", ".gz", ".xz", ".zst"])
def test_matrix_csv(write, compression):
    lines = [",p,q,r", *(f"{id}," + ",".join(map(str, row)) for id, row in zip("pqr", MATRIX, strict=True))]
    found = read_edges(write(f"m.csv{compression}", "\n".join(lines)))
    assert edges_of(found) == {("pqr"[a], "pqr"[b], value) for a, b, value in MATRIX_EDGES}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_matrix_npy(tmp_path, dtype):
    np.save(tmp_path / "m.npy", MATRIX.astype(dtype))
    assert edges_of(read_edges(tmp_path / "m.npy")) == {(str(a), str(b), value) for a, b, value in MATRIX_EDGES}


def test_matrix_npy_compressed(tmp_path, write):
    np.save(tmp_path / "m.npy", MATRIX)
    assert len(edges_of(read_edges(write("m.npy.gz", (tmp_path / "m.npy").read_bytes())))) == 3


def test_a_matrix_with_negative_values_is_signed(tmp_path):
    np.save(tmp_path / "m.npy", np.array([[0, -1], [-1, 0]]))
    assert read_edges(tmp_path / "m.npy").signed


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b\np,q\n", "neither a column 'strength' nor a column 'weight'"),
        ("a,b,strength\n", "no edge"),
        ("a,b,strength\np,q,1.5\nq,r,-1\n", "2 strengths lie outside [0, 1]"),
        ("a,b,strength\np,q,\nq,r,nan\n", "2 values are not numbers, the first for p and q"),
        ("a,b,weight\np,q,inf\n", "1 values are not numbers"),
        ("a,b,strength\np,q,much\n", "must hold numbers"),
        ("a,b,strength\n,q,1\n", "1 rows have no 'a'"),
        (",p,q\np,1,0.5\n", "not the same"),
        (",p,q\nq,1,0.5\np,0.5,1\n", "not the same"),
        (",p,p\np,1,0.5\np,0.5,1\n", "more than one column"),
        (",p,q\np,1\nq,0.5,1\n", "line 2: 1 values for 2 ids"),
        (",p,q\np,1,0.5\nq,0.4,1\n", "not symmetric (p to q is 0.5, and back 0.4)"),
        (",p,q\np,1,x\nq,x,1\n", "nor a matrix of numbers"),
        ("nonsense", "neither the columns a, b, strength nor a matrix"),
        ("", "neither the columns a, b, strength nor a matrix"),
        (b"\xff\xfe\x00", "not UTF-8"),
    ],
)
def test_bad_edges(write, content, message):
    assert message in refused(read_edges, write("e.csv", content))


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.ones((2, 3)), "square, not 2×3"),
        (np.ones(3), "must be square"),
        (np.float64(1), "must be square"),
        (np.array([["a", "b"], ["c", "d"]]), "real numbers"),
        (np.ones((2, 2), dtype=complex), "real numbers"),
        (np.array([[1, np.nan], [np.nan, 1]]), "not numbers"),
        (np.zeros((0, 0)), "no edge"),
    ],
)
def test_bad_matrices(tmp_path, matrix, message):
    np.save(tmp_path / "m.npy", matrix)
    assert message in refused(read_edges, tmp_path / "m.npy")


@pytest.mark.parametrize("content", [b"", b"junk", b"\x93NUMPY\x01\x00", b"PK\x03\x04 no zip"])
def test_broken_npy(write, content):
    assert "cannot be read" in refused(read_edges, write("m.npy", content))


# -- constraints -------------------------------------------------------------------------------------------------------

JUDGEMENTS = [
    Judgement("p", "q", "same", True, 1.0, "ada", "same photograph"),
    Judgement("p", "r", "different", False, 0.4, "rule", "other, middle initial"),
    Judgement("q", "s", "same"),
]
LINES = 'p,q,same,hard,,ada,same photograph\np,r,Different,soft,0.4,rule,"other, middle initial"\nq,s,same\n'


@pytest.mark.parametrize(
    "header", ["", "a,b,verdict,force,weight,who,why\n", "\ufeffa,b,verdict,force,weight,who,why\n"]
)
def test_constraints_csv(write, header):
    assert read_judgements(write("c.csv", header + LINES)) == JUDGEMENTS


def test_a_header_may_be_in_any_order(write):
    found = read_judgements(write("c.csv", "why,verdict, b, a\nbecause,same,q,p\n"))
    assert found == [Judgement("p", "q", "same", why="because")]


def test_profiles_called_a_and_b_are_no_header(write):
    assert read_judgements(write("c.csv", "a,b,same\n")) == [Judgement("a", "b", "same")]


@pytest.mark.parametrize("kind", ["jsonl", "jsonl.gz", "parquet", "parquet.zst"])
def test_constraints_in_tables(write, kind):
    rows = [
        {"a": j.a, "b": j.b, "verdict": j.verdict, "force": "hard" if j.hard else "soft", "weight": j.weight,
         "who": j.who or None, "why": j.why or None}
        for j in JUDGEMENTS
    ]  # fmt: skip
    assert read_judgements(write(f"c.{kind}", rows)) == JUDGEMENTS


def test_a_weight_of_nothing_is_nothing(write):
    assert read_judgements(write("c.csv", "p,q,same,soft,0\n"))[0].weight == 0


def test_no_constraints(write):
    assert read_judgements(write("c.csv", "")) == []


@pytest.mark.parametrize(
    ("name", "content", "messages"),
    [
        (
            "c.csv",
            "a,b,verdict,force,weight\np,,same,hard,1\np,q,maybe,firm,-1\np,q,same,soft,nan\np,q,same,soft,x\n"
            "p, p ,same,hard,1\n",
            [
                "7 problems",
                "line 6: 'p' is judged against itself",
                "line 2: the field 'b' is empty",
                "line 3: the verdict must be same or different, not 'maybe'",
                "line 3: the force must be hard or soft, not 'firm'",
                "line 3: the weight must be a number of at least 0, not '-1'",
                "line 4: the weight",
                "line 5: the weight",
            ],
        ),
        ("c.csv", "p,q,perhaps\n", ["the column 'a' is missing", "'verdict' is missing (there are: p, q, perhaps)"]),
        ("c.csv", "p,q,same,hard,,ada,one,two\n", ["line 1: 8 cells for the 7 columns"]),
        ("c.csv", b"p,q,same,,,\xe9\n", ["line 1: not UTF-8"]),
        ("c.csv", 'p,"q,same\n', ["not valid CSV"]),
        (
            "c.jsonl",
            '{"a": null, "b": 2.5, "verdict": true}\n{',
            ["'a' is missing", "'b' must be", "line 2: not valid"],
        ),
        ("c.txt", "p,q,same", ["cannot tell what kind"]),
        ("c.parquet", b"junk", ["cannot be read"]),
    ],
)
def test_bad_constraints(write, name, content, messages):
    told = refused(read_judgements, write(name, content))
    for message in messages:
        assert message in told


@given(
    st.lists(
        st.builds(
            lambda ends, **rest: Judgement(*ends, **rest),
            ends=st.lists(NAMES.map(str.strip), min_size=2, max_size=2, unique=True),
            verdict=st.sampled_from(["same", "different"]),
            hard=st.booleans(),
            weight=st.floats(0, 10),
            who=NAMES,
            why=NAMES,
        ),
        min_size=1,
    )
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
def test_judgements_that_are_written_are_read(write, judgements):
    fields = [(j.a, j.b, j.verdict, "hard" if j.hard else "soft", j.weight, j.who, j.why) for j in judgements]
    names = ("a", "b", "verdict", "force", "weight", "who", "why")
    rows = [dict(zip(names, values, strict=True)) for values in fields]
    assert read_judgements(write("c.jsonl", "\n".join(map(json.dumps, rows)))) == judgements
    assert read_judgements(write("c.csv", rows)) == judgements


def test_gold_has_all_entities_of_an_id(write):
    assert read_gold(write("gold.csv", "entity,id\nx,a\ny,b\nz,a\n")) == {"a": {"x", "z"}, "b": {"y"}}


FULL = KnownEntry(
    "k1", "Ann Lee", ("A. Lee", "Annie"), "person", "a pilot", {"born": ["1960"], "country": ["CH", "FR"]}
)


def test_a_csv(write):
    path = write(
        "known.csv",
        "name,id,aliases,type,description,attributes,more\n"
        'Ann Lee,k1,A. Lee | Annie,Person,a pilot,"{""born"": 1960, ""country"": [""CH"", ""FR""]}",x\n'
        "Acme,7,,organization,,,\n",
    )
    assert read_known(path) == [FULL, KnownEntry("7", "Acme", (), "organisation")]


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_records(write, ending):
    full = {"id": "k1", "name": "Ann Lee", "aliases": ["A. Lee", "Annie"], "type": "person", "description": "a pilot",
            "attributes": {"born": ["1960"], "country": ["CH", "FR"]}}  # fmt: skip
    path = write(f"known.{ending}", [full, {"id": "k2", "name": "Zürich"}])
    assert read_known(path) == [FULL, KnownEntry("k2", "Zürich")]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("id,title\n1,Ann\n", "the column 'name' is missing (there are: id, title)"),
        ("id,name\n1,\n2,Bo\n", "line 2: the field 'name' is empty"),
        ("id,name\n,Ann\n", "line 2: the field 'id' is empty"),
        ("id,name,type\n1,Ann,ship\n", "the type must be one of person, organisation, place, not 'ship'"),
        ("id,name,attributes\n1,Ann,tall\n", "the field 'attributes' must be an object"),
        ("id,name\n1,Ann,x\n", "more cells than the header has names"),
    ],
)
def test_what_is_wrong_is_said_with_what_to_do(write, content, told):
    with pytest.raises(errors.InputError) as raised:
        read_known(write("known.csv", content))
    assert told in raised.value.what
    assert "`crossdoc formats`" in raised.value.hint


def test_aliases_that_are_no_texts(write):
    with pytest.raises(errors.InputError, match="'aliases' must be a list of texts"):
        read_known(write("known.jsonl", [{"id": "1", "name": "Ann", "aliases": [3]}]))


def test_duplicate_ids_and_nothing(write, tmp_path):
    with pytest.raises(errors.InputError, match="several records have the same id: '1'"):
        read_known(write("twice.csv", "id,name\n1,Ann\n1,Bo\n"))
    with pytest.raises(errors.InputError, match="holds no known entry"):
        read_known(write("empty.csv", "id,name\n"))
    with pytest.raises(errors.InputError, match="cannot be read"):
        read_known(write("broken.parquet", b"PAR1 not really"))
    with pytest.raises(errors.InputError, match="what kind of file"):
        read_known(write("list.txt", "Ann\n"))
    with pytest.raises(errors.UsageError, match="no file or folder"):
        read_known(tmp_path / "missing.csv")
