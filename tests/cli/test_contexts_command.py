import json
import xml.etree.ElementTree as ET

import numpy as np
import pytest

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
            records.append({"id": f"{sense}{number}", "text": text, "start": start, "end": start + 5, "sense": sense})
    return write("contexts.jsonl", records)


def test_two_senses_are_found_and_scored(run, contexts, tmp_path):
    out = tmp_path / "answer.csv"
    ran = run("contexts", contexts, "--k", "2", "-o", out)
    assert ran.code == 0
    assert "12 contexts → 2 clusters" in ran.err
    assert "precision 1.0000  recall 1.0000  F 1.0000" in ran.err
    assert "squid" in ran.err
    scored = run("score", out, _gold(contexts, tmp_path), "--json", "--bootstrap", "0")
    assert json.loads(scored.out)["values"]["b3"]["f1"] == 1


def _gold(contexts, folder):
    records = [json.loads(line) for line in contexts.read_text().splitlines()]
    path = folder / "gold.csv"
    path.write_text("id,entity\n" + "".join(f"{record['id']},{record['sense']}\n" for record in records))
    return path


def test_labels_go_to_standard_output(run, contexts):
    ran = run("contexts", contexts)
    assert ran.out.startswith('"id","entity","membership"\n"car0",')


def test_one_row_an_id_and_all_memberships_with_soft(run, contexts):
    hard, soft = (run("contexts", contexts, "--k", 3, *options).out.splitlines()[1:] for options in ([], ["--soft"]))
    assert [row.split(",")[0] for row in hard] == [f'"{sense}{n}"' for sense in ("car", "sea") for n in range(6)]
    assert set(hard) < set(soft)


def test_a_summary_without_output_goes_to_standard_output_alone(run, contexts):
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
    assert told["evaluation"]["senses"] == ["car", "sea"]
    assert np.sum(told["evaluation"]["confusion"]) == 12
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


def test_gold_of_its_own(run, contexts, write):
    gold = write("g.csv", "id,entity\ncar0,one\nsea0,two\n")
    ran = run("contexts", contexts, "--k", 2, "--gold", gold)
    assert "one" in ran.err
    assert "two" in ran.err


def test_constraints(run, contexts, write, tmp_path):
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


def test_matrices(run, write, tmp_path):
    rows = "6 4\n" + "1 2 0 0\n" * 3 + "0 0 2 1\n" * 3
    ran = run("contexts", write("a.vectors", rows), "--json", "-o", tmp_path / "o.csv", "--stop", "pk2")
    assert json.loads(ran.out)["k"] == 2
    np.save(tmp_path / "s.npy", np.kron(np.eye(2), np.ones((3, 3))))
    assert "2 clusters" in run("contexts", tmp_path / "s.npy", "--k", 2).err
    ran = run("contexts", write("b.vectors", rows), "--window", 5)
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
        (["--k", "0"], "--k must be auto"),
        (["--k", "many"], "--k must be auto"),
        (["--stop", "pk9"], "no stopping rule 'pk9'"),
        (["--criterion", "x"], "no criterion 'x'"),
        (["--method", "x"], "method 'x'"),
        (["--vectors", "x"], "kind of vectors 'x'"),
        (["--measure", "dice", "--vectors", "bigrams"], "dice"),
        (["--measure", "pmi"], "do not use measures"),
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


def test_malformed_xml_names_file_and_line(run, write):
    ran = run("contexts", write("bad.xml", "<corpus>\n<instance>\n"))
    assert ran.code == 1
    assert "bad.xml, line 3" in ran.err
