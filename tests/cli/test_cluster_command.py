"""`crossdoc cluster`."""

import csv
import io
import json

import numpy as np
import pyarrow.parquet as pq
import pytest

EDGES = "a,b,strength\np,q,0.9\nq,r,0.7\nr,s,0.2\n"


def groups(text):
    """The clusters that are somebody's best: each id's strongest membership comes first."""
    best, together = {}, {}
    for row in csv.DictReader(io.StringIO(text)):
        best.setdefault(row["id"], row["entity"])
    for id, entity in best.items():
        together.setdefault(entity, []).append(id)
    return {"".join(sorted(ids)) for ids in together.values()}


@pytest.fixture
def clustered(run, write):
    def cluster(content, *options):
        ran = run("cluster", write("edges.csv", content), *options)
        assert ran.code == 0, ran.err
        return groups(ran.out)

    return cluster


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], {"pqr", "s"}),
        (["--method", "average-linkage"], {"pq", "r", "s"}),
        (["--missing", "sparse", "--threshold", 0.1], {"pqrs"}),
        (["--method", "single-linkage"], {"pqr", "s"}),
        (["--method", "complete-linkage"], {"pq", "r", "s"}),
        (["--method", "single-linkage", "--threshold", 0.8], {"pq", "r", "s"}),
        (["--method", "single-linkage", "--bias", 0.1], {"pqrs"}),
        (["--method", "one-in-one"], {"p", "q", "r", "s"}),
        (["--method", "all-in-one"], {"pqrs"}),
    ],
)
def test_edges(clustered, options, expected):
    assert clustered(EDGES, *options) == expected


def test_signed_weights(clustered):
    assert clustered("a,b,weight\np,q,2\nq,r,-1\np,r,-3\nr,s,0.5\n") == {"pq", "rs"}


def test_matrices(run, clustered, tmp_path):
    matrix = np.array([[1, 0.9, 0.1], [0.9, 1, 0.2], [0.1, 0.2, 1]])
    np.save(tmp_path / "m.npy", matrix)
    assert groups(run("cluster", tmp_path / "m.npy").out) == {"01", "2"}
    rows = [f"{id}," + ",".join(map(str, row)) for id, row in zip("xyz", matrix, strict=True)]
    assert clustered("\n".join([",x,y,z", *rows])) == {"xy", "z"}


@pytest.mark.parametrize(
    "method", ["average-linkage", "single-linkage", "complete-linkage", "one-in-one", "all-in-one"]
)
def test_constraints(clustered, write, method):
    said = write("c.csv", "p,s,same\np,q,different\n")
    found = clustered(EDGES, "--method", method, "--constraints", said)
    assert any("p" in group and "s" in group for group in found)
    assert not any("p" in group and "q" in group for group in found)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_output(run, write, tmp_path, ending):
    out = tmp_path / f"labels.{ending}"
    ran = run("cluster", write("e.csv", EDGES), "-o", out, "--json")
    assert ran.code == 0
    told = json.loads(ran.out)
    assert told == {
        "nodes": 4, "edges": 3, "clusters": 2, "method": "mean-max-linkage", "threshold": 0.5, "missing": "complete"
    }  # fmt: skip
    if ending == "csv":
        rows = list(csv.DictReader(out.open()))
    elif ending == "jsonl":
        rows = [json.loads(line) for line in out.open()]
    else:
        rows = pq.read_table(out).to_pylist()
    assert {row["id"] for row in rows} == set("pqrs")
    assert all(list(row) == ["id", "entity", "membership"] for row in rows)


def test_a_time_limit(run, write, tmp_path):
    rng = np.random.default_rng(3)
    pairs = [f"{a},{b},{rng.normal():.3f}" for b in range(70) for a in range(b)]
    edges, out = write("hard.csv", "\n".join(["a,b,weight", *pairs])), tmp_path / "l.csv"
    ran = run("cluster", edges, "--method", "correlation", "--time-limit", 0.05, "-o", out, "--json")
    assert ran.code == 0, ran.err
    told = json.loads(ran.out)
    assert "stopped by the time limit" in told["account"]
    assert 0 < told["gap"] <= 1
    assert len({row["id"] for row in csv.DictReader(out.open())}) == 70
    ran = run("cluster", write("e.csv", EDGES), "--method", "correlation", "--time-limit", 5)
    assert "which is optimal" in ran.err


def test_notes(run, write):
    ran = run("cluster", write("e.csv", EDGES + "p,p,1\nq,p,0.8\n"))
    assert "note: 1 edges from a node to itself were left out" in ran.err
    assert "given more than once" in ran.err
    assert "4 nodes, 3 edges → 2 clusters" in ran.err


@pytest.mark.parametrize(
    ("content", "options", "code", "message"),
    [
        (EDGES, ["--method", "magic"], 2, "no method 'magic'"),
        (EDGES, ["--missing", "maybe"], 2, "'maybe'"),
        (EDGES, ["--threshold", 0.5, "--bias", 0.5], 2, "cannot be given together"),
        (EDGES, ["--time-limit", 5], 2, "use --method correlation"),
        (EDGES, ["--method", "correlation", "--time-limit", 0], 2, "time_limit is 0.0, but must be above 0 seconds"),
        (EDGES, ["--method", "correlation", "--time-limit", -1.5], 2, "time_limit is -1.5"),
        (EDGES, ["--method", "correlation", "--time-limit", "nan"], 2, "time_limit is nan"),
        (EDGES, ["--solver", "lp"], 2, "solver: there is no such parameter, only share, threshold"),
        (EDGES, ["--method", "correlation", "--set", "solver=best"], 2, "should be 'auto', 'exact', 'lp'"),
        (EDGES, ["--set", "threshold"], 2, "--set takes KEY=VALUE"),
        (EDGES, ["-o", "labels.xls"], 2, "labels.xls"),
        ("a,b,weight\np,q,1\n", ["--threshold", 0.5], 2, "signed weights"),
        ("a,b,strength\np,q,3\n", [], 1, "outside [0, 1]"),
        ("a,b,strength\n", [], 1, "no edge"),
    ],
)
def test_what_cannot_be(run, write, content, options, code, message):
    ran = run("cluster", write("e.csv", content), *options)
    assert (ran.code, ran.out) == (code, "")
    assert message in ran.err


def test_the_input_is_never_written_over_and_a_summary_needs_no_file(run, write):
    edges = write("e.csv", EDGES)
    ran = run("cluster", edges, "-o", edges)
    assert (ran.code, edges.read_text()) == (2, EDGES)
    told = json.loads(run("cluster", edges, "--json").out)
    assert (told["nodes"], told["clusters"]) == (4, 2)


def test_parameters_with_and_without_the_methods_name(run, write):
    edges = write("e.csv", EDGES)
    told = [
        json.loads(run("cluster", edges, "--method", "correlation", *how, "--json").out)["solver"]
        for how in (["--set", "solver=moves"], ["--set", "correlation.solver=moves"], ["--solver", "moves"], [])
    ]
    assert told == ["moves", "moves", "moves", "exact"]


def test_one_row_an_id_unless_soft(run, write):
    edges = write("e.csv", EDGES)
    hard, soft = (run("cluster", edges, "--method", "correlation", *how).out.splitlines() for how in ([], ["--soft"]))
    assert len(hard) == 1 + 4 < len(soft)


def test_contradictory_and_unknown_constraints(run, write, tmp_path):
    edges, out = write("e.csv", EDGES), tmp_path / "labels.csv"
    said = write("c.csv", "p,q,same\nq,r,same\np,r,different\n")
    ran = run("cluster", edges, "--constraints", said, "-o", out)
    assert ran.code == 1
    for step in ("p is the same as q", "q is the same as r", "p is different from r"):
        assert step in ran.err
    ran = run("cluster", edges, "--constraints", write("d.csv", "p,nobody,same\n"), "-o", out)
    assert ran.code == 1
    assert "'nobody'" in ran.err
    assert not out.exists()
