"""`crossdoc cluster`, `contexts` and `link`."""

import csv
import io
import json
import os
import shutil
import xml.etree.ElementTree as ET

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
        (EDGES, ["--time-limit", 5], 2, "it is for correlation"),
        (EDGES, ["--method", "correlation", "--time-limit", 0], 2, "time_limit is 0.0, but must be above 0 seconds"),
        (EDGES, ["--method", "correlation", "--time-limit", -1.5], 2, "time_limit is -1.5"),
        (EDGES, ["--method", "correlation", "--time-limit", "nan"], 2, "time_limit is nan"),
        (EDGES, ["--solver", "lp"], 2, "solver: there is no such parameter, only threshold"),
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


CARS = [
    "the {} engine and wheels of a car",
    "a car whose {} wheels and engine broke",
    "engine, wheels and {}: a truck and car",
]
SEA = ["the {} squid swam round the boat", "a boat and a squid near the {} reef", "squid, boat and {}: the reef at sea"]


@pytest.fixture
def contexts(write):
    records = []
    for number in range(6):
        for sense, texts in (("car", CARS), ("sea", SEA)):
            text = texts[number % 3].format("Smith")
            start = text.index("Smith")
            records.append({"id": f"{sense}{number}", "text": text, "start": start, "end": start + 5})
    return write("contexts.jsonl", records)


def test_two_senses_are_found_and_scored(run, contexts, tmp_path):
    out = tmp_path / "answer.csv"
    ran = run("contexts", contexts, "--k", "2", "-o", out)
    assert ran.code == 0
    assert "12 contexts → 2 clusters" in ran.err
    assert "squid" in ran.err
    scored = run("score", out, _gold(contexts, tmp_path), "--json", "--bootstrap", "0")
    assert json.loads(scored.out)["values"]["b3"]["f1"] == 1


def _gold(contexts, folder):
    records = [json.loads(line) for line in contexts.read_text().splitlines()]
    path = folder / "gold.csv"
    path.write_text("id,entity\n" + "".join(f"{record['id']},{record['id'][:3]}\n" for record in records))
    return path


def test_labels_go_to_standard_output(run, contexts):
    ran = run("contexts", contexts)
    assert ran.out.startswith('"id","entity","membership"\n"car0",')


def test_one_row_an_id_and_all_memberships_with_soft(run, contexts):
    hard, soft = (run("contexts", contexts, "--k", 3, *options).out.splitlines()[1:] for options in ([], ["--soft"]))
    assert [row.split(",")[0] for row in hard] == [f'"{sense}{n}"' for sense in ("car", "sea") for n in range(6)]
    assert set(hard) < set(soft)


def test_a_summary_of_contexts_goes_to_standard_output_alone(run, contexts):
    assert json.loads(run("contexts", contexts, "--k", 2, "--json").out)["k"] == 2


def test_an_input_is_not_written_over(run, contexts):
    before = contexts.read_text()
    ran = run("contexts", contexts, "-o", contexts)
    assert (ran.code, "is both read and written" in ran.err) == (2, True)
    assert contexts.read_text() == before


def test_all_rules_as_json_with_a_plot(run, contexts, tmp_path):
    plot, out = tmp_path / "p.svg", tmp_path / "o.jsonl"
    ran = run("contexts", contexts, "--stop", "all", "--references", 2, "--plot", plot, "-o", out, "--json")
    told = json.loads(ran.out)
    assert set(told["stopping"]) == {"pk1", "pk2", "pk3", "gap"}
    assert told["contexts"] == 12
    assert len(told["gap"]["intervals"]) == len(told["gap"]["values"]) == told["delta_k"]
    assert len(told["criterion"]) == told["delta_k"]
    assert sum(cluster["size"] for cluster in told["clusters"]) == 12
    assert all(cluster["representative"] and cluster["describing"] for cluster in told["clusters"])
    assert ET.fromstring(plot.read_text()).tag.endswith("svg")


def test_text_is_calibrated_unless_told_otherwise(run, contexts):
    assert "calibrated 2" in run("contexts", contexts).err
    assert "calibrated" not in run("contexts", contexts, "--stop", "pk3").err
    assert "calibrated" not in run("contexts", contexts, "--delta", 0.1).err


@pytest.mark.parametrize(
    "vectors", ["background", "tfidf", "unigrams", "bigrams", "co-occurrences", "target", "second-order"]
)
def test_every_kind_of_vectors(run, contexts, vectors):
    assert run("contexts", contexts, "--vectors", vectors, "--k", 2).code == 0


def test_a_context_by_itself_counts_if_wanted(run, write):
    texts = [*(text.format("Smith") for text in (*CARS, *CARS)), SEA[0].format("Orr")]
    few = write("few.jsonl", [{"id": str(number), "text": text} for number, text in enumerate(texts)])
    assert "calibrated 1" in run("contexts", few).err
    assert "calibrated 2" in run("contexts", few, "--least-size", 1).err


def test_measures_windows_stop_lists_and_svd(run, contexts, write):
    words = write("stop.txt", "the\na\n")
    options = ["--vectors", "second-order", "--measure", "log-likelihood", "--least-score", "0.1", "--pair-window", 4]
    assert run("contexts", contexts, *options, "--svd", 3, "--window", 4, "--stop-list", words, "--k", 2).code == 0


def test_constraints_on_contexts(run, contexts, write, tmp_path):
    said = write("said.csv", "a,b,verdict\ncar0,sea0,same\ncar1,car2,different\n")
    out = tmp_path / "o.csv"
    assert run("contexts", contexts, "--constraints", said, "-o", out).code == 0
    best = {}
    for line in out.read_text().splitlines()[1:]:
        id, entity, _ = line.replace('"', "").split(",")
        best.setdefault(id, entity)
    assert best["car0"] == best["sea0"]
    assert best["car1"] != best["car2"]
    ran = run("contexts", contexts, "--constraints", write("no.csv", "a,b,verdict\nnobody,sea0,same\n"))
    assert ran.code == 1
    assert "nobody" in ran.err


def test_matrices_of_contexts(run, tmp_path):
    np.save(tmp_path / "s.npy", np.kron(np.eye(2), np.ones((3, 3))))
    ran = run("contexts", tmp_path / "s.npy", "--json", "-o", tmp_path / "o.csv", "--stop", "pk2")
    assert json.loads(ran.out)["k"] == 2
    assert "2 clusters" in run("contexts", tmp_path / "s.npy", "--k", 2).err
    ran = run("contexts", tmp_path / "s.npy", "--window", 5)
    assert (ran.code, "is for text" in ran.err) == (2, True)


def test_profiles_and_results(run, write, result):
    profiles = [
        {"id": f"p{i}", "document": f"d{i}", "name": name, "context": text.format(name)}
        for name in ("John Smith", "Ann Lee")
        for i, text in enumerate(CARS + SEA, 0 if name == "John Smith" else 100)
    ]
    path = write("p.jsonl", profiles)
    ran = run("contexts", path)
    assert (ran.code, "--name" in ran.err) == (2, True)
    assert "6 contexts → 2 clusters" in run("contexts", path, "--name", "john smith", "--k", 2).err
    assert run("contexts", path, "--name", "Bob").code == 1
    assert "3 contexts" in run("contexts", result, "--name", "John Smith").err


@pytest.mark.parametrize(
    ("texts", "clusters"), [(["one lonely context"], 1), (["same words here"] * 4, 1), (["", "", ""], 1)]
)
def test_one_identical_and_empty_contexts_are_one_cluster(run, write, texts, clusters):
    path = write("c.jsonl", [{"id": str(i), "text": text} for i, text in enumerate(texts)])
    for stop in ("pk1", "pk2", "pk3", "gap", "all"):
        ran = run("contexts", path, "--stop", stop, "--references", 2)
        assert ran.code == 0
        assert f"→ {clusters} clusters" in ran.err


def test_no_target_is_said_and_where_it_is_needed_an_error(run, write):
    path = write("c.jsonl", [{"id": str(i), "text": text} for i, text in enumerate(CARS)])
    assert "3 of 3 contexts have no target marked" in run("contexts", path).err
    for options in (["--window", 3], ["--vectors", "target"]):
        ran = run("contexts", path, *options)
        assert (ran.code, "no target marked" in ran.err) == (1, True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--k", "13"], "13 clusters were requested"),
        (["--k", "0"], "must be auto"),
        (["--k", "many"], "must be auto"),
        (["--stop", "pk9"], "no stopping rule 'pk9'"),
        (["--criterion", "x"], "no criterion 'x'"),
        (["--method", "x"], "method 'x'"),
        (["--vectors", "x"], "kind of vectors 'x'"),
        (["--measure", "dice", "--vectors", "bigrams"], "dice"),
        (["--measure", "pmi"], "cannot be used with"),
        (["--measure", "pmi", "--vectors", "unigrams"], "unigrams"),
        (["--least-score", "2", "--vectors", "bigrams"], "measure"),
        (["--stop", "gap", "--references", "1", "--confidence", "2"], "between 0 and 1"),
        (["--name", "Smith"], "--name is for profiles"),
        (["--k", "2", "--k-max", "3"], "cannot be given together"),
        (["--plot", "p.png"], "NAME.svg"),
        (["--plot", "p.svg", "--k", "2"], "cannot be given together"),
        (["--stop-list", "none.txt"], "no file"),
    ],
)
def test_what_cannot_be_meant(run, contexts, options, message):
    ran = run("contexts", contexts, *options)
    assert ran.code in (1, 2)
    assert message in " ".join(ran.err.split())


def test_other_formats_are_refused(run, write):
    ran = run("contexts", write("bad.xml", "<corpus>\n<instance>\n"))
    assert (ran.code, "endings .csv, .jsonl" in " ".join(ran.err.split())) == (1, True)


GROUPS = [
    {"id": "e1", "language": "en", "titles": ["Airbus wins Qatar order"]},
    {"id": "e2", "language": "en", "titles": ["Apple shares fall 12 percent"]},
    {"id": "d1", "language": "de", "titles": ["Airbus erhält Auftrag aus Qatar"]},
    {"id": "d2", "language": "de", "titles": ["Aktie von Apple fällt 12 Prozent"]},
    {"id": "s1", "language": "es", "titles": ["Airbus gana un pedido de Qatar"]},
]
GOLD = "id,entity\ne1,jets\nd1,jets\ns1,jets\ne2,fall\nd2,fall\n"


@pytest.fixture
def files(write):
    return write("groups.jsonl", GROUPS), write("gold.csv", GOLD)


def rows(path):
    return list(csv.DictReader(path.open(encoding="utf-8")))


@pytest.mark.parametrize("method", ["correlation", "chc", "hc"])
def test_links(run, files, tmp_path, method):
    out, pairs = tmp_path / "links.csv", tmp_path / "pairs.csv"
    ran = run("link", files[0], "-o", out, "--pairs", pairs, "--bias", 0.1, "--method", method, "--gold", files[1])
    assert ran.code == 0, ran.err
    assert "5 groups (de 2, en 2, es 1) → 4 links in 2 clusters" in ran.err
    assert "F1 1.0000" in ran.err
    answer = {row["id"]: row["entity"] for row in rows(out) if float(row["membership"]) > 0.5}
    assert answer["e1"] == answer["d1"] == answer["s1"] != answer["e2"] == answer["d2"]
    assert {(row["a"], row["b"]) for row in rows(pairs)} == {("e1", "d1"), ("e1", "s1"), ("d1", "s1"), ("e2", "d2")}
    assert run("score", out, files[1], "--json").code == 0


def test_summary_and_chosen_bias(run, files, write, tmp_path):
    dictionary = write("de-en.tsv", "erhält\twins\nAuftrag\torder\n")
    ran = run(
        "link", files[0], "-o", tmp_path / "l.jsonl", "--json", "--translator", dictionary, "--translator", "none"
    )
    assert ran.code == 0, ran.err
    told = json.loads(ran.out)
    assert told["translated_by"] == {"de": "dictionary de-en.tsv (2 entries)", "en": "as it is", "es": "none"}
    assert told["notes"] == ["Not translated, since no translator given knows them: es."]
    written = [json.loads(line) for line in (tmp_path / "l.jsonl").read_text().splitlines()]
    assert {row["language"]: row["translated_by"] for row in written} == told["translated_by"]
    assert told["bias_rule"] == "second-best matches"
    assert told["languages"] == {"de": 2, "en": 2, "es": 1}
    assert 0 < told["bias"] < 1
    assert told["solver"]


def test_to_standard_output(run, files):
    ran = run("link", files[0], "--bias", 0.1)
    assert ran.code == 0
    assert "cost 0, which is optimal" in ran.err
    assert "time limit" not in ran.err
    assert ran.out.startswith('"id","entity","membership","language","translated_by","title"')


def test_a_summary_of_links_goes_to_standard_output_alone(run, files):
    told = json.loads(run("link", files[0], "--bias", 0.1, "--json").out)
    assert (told["links"], told["clusters"], told["bias"]) == (4, 2, 0.1)


def test_soft_adds_what_might_be_elsewhere(run, write):
    # The German group might as well be either English one's.
    groups = [("e1", "en", "Airbus wins Qatar order"), ("e2", "en", "Airbus wins Qatar order"), *(
        (group["id"], group["language"], group["titles"][0]) for group in GROUPS[2:]
    )]  # fmt: skip
    path = write("g.jsonl", [{"id": id, "language": language, "titles": [title]} for id, language, title in groups])
    hard, soft = (run("link", path, "--bias", 0.1, *options).out.splitlines()[1:] for options in ([], ["--soft"]))
    assert [row.split(",")[0] for row in hard] == ['"e1"', '"e2"', '"d1"', '"d2"', '"s1"']
    assert set(hard) < set(soft)


def test_sweep_and_plot(run, files, tmp_path):
    curve, picture = tmp_path / "curve.csv", tmp_path / "curve.svg"
    out = tmp_path / "l.csv"
    ran = run("link", files[0], "-o", out, "--gold", files[1], "--sweep", curve, "--plot", picture, "--until", 1)
    assert ran.code == 0, ran.err
    points = rows(curve)
    assert [float(p["bias"]) for p in points] == sorted((float(p["bias"]) for p in points), reverse=True)
    assert max(float(p["f1"]) for p in points) == 1
    assert len({row["id"] for row in rows(out)}) == len(GROUPS)
    assert picture.read_text().lstrip().startswith("<?xml")


def test_constraints_on_links(run, files, write, tmp_path):
    out = tmp_path / "l.csv"
    ran = run("link", files[0], "-o", out, "--bias", 0.1, "--constraints", write("c.csv", "e1,d1,different\n"))
    assert ran.code == 0, ran.err
    answer = {row["id"]: row["entity"] for row in rows(out) if float(row["membership"]) > 0.5}
    assert answer["e1"] != answer["d1"]
    out.unlink()
    ran = run("link", files[0], "-o", out, "--constraints", write("d.csv", "e1,d1,same\nd1,e2,same\n"))
    assert ran.code == 1
    for step in ("e1 and e2 are the same, but both are in en", "e1 is the same as d1", "d1 is the same as e2"):
        assert step in ran.err
    assert "comparing" not in ran.err
    ran = run("link", files[0], "-o", out, "--constraints", write("f.csv", "e1,nobody,same\n"))
    assert ran.code == 1
    assert "'nobody'" in ran.err
    assert not out.exists()


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--method", "magic"], 2, "no method 'magic'"),
        (["--solver", "cplex"], 2, "no solver 'cplex'"),
        (["--similarity", "dice"], 2, "no similarity 'dice'"),
        (["--features", "word,smell"], 2, "no kind of feature 'smell'"),
        (["--bias", "x"], 2, "is 'x', but must be"),
        (["--bias", "7"], 2, "between 0 and 1"),
        (["--bias", "nan"], 2, "between 0 and 1"),
        (["--bias", "-0.1"], 2, "between 0 and 1"),
        (["--features", "name", "--translator", "de-en.tsv"], 2, "no translator 'de-en.tsv'"),
        (["--pairs", "p.csv", "-o", "./p.csv"], 2, "Two of the outputs are the same file"),
        (["-o", "groups.jsonl"], 2, "groups.jsonl is both read and written"),
        (["--translator", "google"], 2, "no translator 'google'"),
        (["--sweep", "c.csv"], 2, "--sweep needs --gold"),
        (["--plot", "c.svg"], 2, "--plot needs --sweep"),
        (["--plot", "c.gif"], 2, "c.gif"),
        (["--until", 0.5], 2, "--until needs --sweep"),
        (["--method", "hc", "--solver", "lp"], 2, "--solver needs --method correlation"),
        (["-o", "l.xls"], 2, "l.xls"),
        (["--pairs", "p.xls"], 2, "p.xls"),
    ],
)
def test_misuse_of_link(run, files, tmp_path, monkeypatch, options, code, message):
    monkeypatch.chdir(tmp_path)
    before = set(os.listdir())
    ran = run("link", files[0], *options)
    assert (ran.code, ran.out) == (code, "")
    assert message in ran.err
    assert set(os.listdir()) == before


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([], "holds no article group"),
        (GROUPS[:2], "one language (en)"),
        ([{"id": "a", "language": "qq", "titles": ["x"]}], "'qq' is not a language code"),
        ([*GROUPS, GROUPS[0]], "'e1'"),
    ],
)
def test_bad_groups(run, write, tmp_path, records, message):
    out = tmp_path / "l.csv"
    ran = run("link", write("g.jsonl", records), "-o", out)
    assert ran.code == 1
    assert message in ran.err
    assert not out.exists()


def test_gold_of_other_ids(run, files, write, tmp_path):
    out = tmp_path / "l.csv"
    ran = run("link", files[0], "-o", out, "--gold", write("other.csv", "id,entity\nq1,x\n"))
    assert ran.code == 1
    assert "no id in common" in ran.err
    assert not out.exists()
    ran = run("link", files[0], "-o", out, "--gold", write("some.csv", "id,entity\ne1,x\nd1,x\nq1,x\n"))
    assert ran.code == 0
    assert "note: Ids in the gold standard without a group, which count as singletons: 1." in ran.err
    assert "note: Groups that are not in the gold standard and are left out of precision and recall: 3." in ran.err


def test_places_that_cannot_be_written(run, files, write, tmp_path):
    (tmp_path / "folder.csv").mkdir()
    write("file", "x")
    for path, why in (("folder.csv", "it is a folder"), ("file/l.csv", "is not a folder that can be written to")):
        ran = run("link", files[0], "-o", tmp_path / path)
        assert ran.code == 1
        assert why in ran.err
        assert "comparing" not in ran.err


def test_nothing_in_common(run, write, tmp_path):
    groups = [{"id": "a", "language": "en", "titles": ["?"]}, {"id": "b", "language": "de", "titles": ["!"]}]
    gold, curve = write("gold.csv", "id,entity\na,x\nb,x\n"), tmp_path / "curve.csv"
    ran = run("link", write("g.jsonl", groups), "-o", tmp_path / "l.csv", "--gold", gold, "--sweep", curve)
    assert ran.code == 0, ran.err
    assert curve.read_text().startswith('"bias","positive_share","precision"')
    assert "0 links in 2 clusters" in ran.err
    assert "note: No two groups of different languages have anything in common that others lack." in ran.err


def test_apertium(run, files, tmp_path):
    if shutil.which("apertium") is None:
        pytest.skip("Apertium is not installed")
    ran = run("link", files[0], "-o", tmp_path / "l.csv", "--translator", "apertium", "--bias", 0.1, "--json")
    assert ran.code == 0, ran.err
    told = json.loads(ran.out)["translated_by"]["es"]
    assert told == "none" or told.startswith("apertium")


def test_formats_shows_groups(run):
    assert '"titles":' in run("formats").out
