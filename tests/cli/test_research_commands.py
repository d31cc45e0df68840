"""`crossdoc score`, on the example of Bagga & Baldwin 1998 (their figure 4): twelve mentions of three entities."""

import json

import pytest

GOLD = {**dict.fromkeys("12345", "A"), **dict.fromkeys("67", "B"), **dict.fromkeys("89abc", "C")}
ANSWER = {**dict.fromkeys("12345", "x"), **dict.fromkeys("6789abc", "y")}


def table(entities, **more):
    return [
        {"id": id, "entity": entity, **{name: of[id] for name, of in more.items()}} for id, entity in entities.items()
    ]


@pytest.fixture
def scored(run, write):
    def score(answer, gold, *options):
        ran = run("score", write("answer.csv", answer), write("gold.csv", gold), "--json", "--bootstrap", 0, *options)
        assert ran.code == 0, ran.err
        return json.loads(ran.out)

    return score


def test_worked_example(scored):
    values = scored(table(ANSWER), table(GOLD))["values"]
    # 5·1 + 2·2/7 + 5·5/7 over 12, and every gold entity is whole in the answer.
    assert values["b3"]["precision"] == pytest.approx((5 + 4 / 7 + 25 / 7) / 12)
    assert values["b3"]["recall"] == 1
    assert values["muc"]["precision"] == pytest.approx(9 / 10)
    assert values["purity"]["purity"] == pytest.approx(10 / 12)
    assert values["pairwise"]["precision"] == pytest.approx(21 / 31)


def test_by_group(scored):
    groups = {id: "first" if GOLD[id] == "A" else "second" for id in GOLD}
    plain = scored(table(ANSWER), table(GOLD, group=groups))
    grouped = scored(table(ANSWER), table(GOLD, group=groups), "--by", "group")
    assert grouped["counts"]["groups"] == 2
    assert plain["values"]["b3"]["precision"] == pytest.approx((5 + 29 / 7) / 12)
    assert grouped["values"]["b3"]["precision"] == pytest.approx((1 + 29 / 49) / 2)


def test_theta(scored):
    soft = [
        {"id": "p", "entity": "x", "membership": 0.6},
        {"id": "p", "entity": "y", "membership": 0.4},
        {"id": "q", "entity": "y", "membership": 0.9},
    ]
    gold = table({"p": "A", "q": "A"})
    assert scored(soft, gold)["values"]["b3_extended"]["recall"] == 0.5
    assert scored(soft, gold, "--theta", 0.5)["values"]["b3_extended"]["recall"] == 0.5
    assert scored(soft, gold, "--theta", 0.3)["values"]["b3_extended"]["recall"] == 1


def test_theta_on_a_result_counts_all_memberships(run, write, soft_result):
    gold = write("gold.csv", table({"a": "A", "b": "A"}))
    recall = {}
    for options in ((), ("--theta", 0.5), ("--theta", 0.35), ("--theta", 0.2)):
        ran = run("score", soft_result, gold, "--json", "--bootstrap", 0, *options)
        recall[options] = json.loads(ran.out)["values"]["b3_extended"]["recall"]
    assert recall[()] == recall["--theta", 0.5] == 0.5
    # Above 0.35 b is in a's identity, too, and above 0.2 each is in both.
    assert recall["--theta", 0.35] == recall["--theta", 0.2] == 1


def test_theta_without_memberships_is_refused(run, write):
    answer = write("answer.csv", table(ANSWER))
    ran = run("score", answer, write("gold.csv", table(GOLD)), "--theta", 0.5)
    assert ran.code == 1
    assert "A threshold needs a column membership" in ran.err
    assert run("score", answer, answer, "--theta", 2).code == 2


def test_a_result_as_the_answer(run, result, write):
    gold = write("gold.csv", table({"gm1:0:10": "GM", "gm2:24:34": "GM", "va:41:51": "captain", "lost": "x"}))
    ran = run("score", result, gold, "--json", "--bootstrap", 0)
    assert ran.code == 0
    told = json.loads(ran.out)
    assert told["values"]["b3"] == {"precision": 1.0, "recall": 1.0, "f1": 1.0}
    assert (told["counts"]["missing_from_answer"], told["counts"]["missing_from_gold"]) == (1, 2)


def test_mentions_of_a_result(run, write, tmp_path):
    text = "Ann Lee spoke. Lee left."
    mentions = [{"start": 0, "end": 7, "chain": "c"}, {"start": 15, "end": 18, "chain": "c"}]
    store = tmp_path / "a.crossdoc"
    run("resolve", write("d.jsonl", [{"id": "d", "text": text, "mentions": mentions}]), "-o", store)
    gold = write("gold.csv", table({"d:0:7": "Ann", "d:15:18": "Ann"}))
    recall = {}
    for level in ("profile", "mention"):
        ran = run("score", store, gold, "--level", level, "--json", "--bootstrap", 0)
        recall[level] = json.loads(ran.out)["values"]["b3"]["recall"]
    assert recall == {"profile": 0.5, "mention": 1}
    assert run("score", store, gold, "--level", "sentence").code == 2


def test_the_groups_of_an_answer_do_not_matter(scored):
    answer = [{**row, "group": row["id"]} for row in table(ANSWER)]
    assert scored(answer, table(GOLD))["values"]["b3"]["recall"] == 1


def test_for_people(run, write):
    ran = run("score", write("answer.csv", table(ANSWER)), write("gold.csv", table(GOLD)))
    assert ran.code == 0
    line = next(line for line in ran.out.splitlines() if line.startswith("B³ "))
    assert line.split()[1:4] == ["0.7619", "1.0000", "0.8649"]
    assert "95%" in line
    assert "missing from answer: 0" in ran.err


@pytest.mark.parametrize(
    ("answer", "gold", "message"),
    [
        ("id,entity\n", "id,entity\na,x\n", "no id in common"),
        ("id,entity\na,x\n", "id,entity\n", "no id in common"),
        ("id,entity\na,x\n", "id,entity\nb,x\n", "no id in common"),
        ("id,cluster\na,x\n", "id,entity\nb,x\n", "the column 'entity' is missing"),
    ],
)
def test_what_cannot_be_scored(run, write, answer, gold, message):
    ran = run("score", write("answer.csv", answer), write("gold.csv", gold))
    assert ran.code == 1
    assert message in ran.err


def test_grouping_needs_groups(run, write):
    path = write("gold.csv", table(GOLD))
    assert run("score", path, path, "--by", "group").code == 1
    assert run("score", path, path, "--by", "name").code == 2


TRADES = {
    "Baker": ("flour ovens bread rolls pastry", "violin sonata orchestra concert strings"),
    "Cooper": ("engine racing tyres circuit lap", "parliament minister vote debate law"),
    "Fisher": ("trawler harbour nets cod tide", "telescope comet orbit planet star"),
    "Mason": ("granite quarry chisel arch mortar", "vaccine virus fever clinic dose"),
}


@pytest.fixture
def profiles(write):
    """Four names with two entities each, of whom four documents tell."""
    rows = []
    for name, trades in TRADES.items():
        for trade, words in enumerate(trades):
            for number in range(4):
                id = f"{name}-{trade}-{number}"
                told = [word for place, word in enumerate(words.split()) if place != number]
                context = f"Ann {name} knows {' and '.join(told)}."
                rows.append(
                    {"id": id, "document": f"d-{id}", "name": f"Ann {name}", "type": "person", "context": context}
                )
    return write("profiles.jsonl", rows)


@pytest.fixture
def gold(write):
    ids = [f"{name}-{trade}-{number}" for name in TRADES for trade in range(2) for number in range(4)]
    return write("gold.csv", [{"id": id, "entity": id.rsplit("-", 1)[0]} for id in ids])


def test_from_gold_to_an_answer_and_its_reasons(run, profiles, gold, tmp_path):
    model, result = tmp_path / "model[a].json", tmp_path / "x.crossdoc"
    trained = run("train", profiles, gold, "-o", model)
    assert trained.code == 0, trained.err
    assert f"crossdoc resolve … --model {model}" in trained.out
    content = json.loads(model.read_text())
    assert "gold.csv (32 labelled profiles)" in content["learned_on"]["threshold"]

    resolved = run("resolve", profiles, "-o", result, "--model", model, "--json")
    assert resolved.code == 0, resolved.err
    assert json.loads(resolved.out)["identities"] == 8

    same, other = (json.loads(run("why", result, "Baker-0-0", id, "--json").out) for id in ("Baker-0-1", "Baker-1-1"))
    assert same["strength"] > content["threshold"]["average-linkage"] > other["strength"]
    context = next(opinion for opinion in same["opinions"] if opinion["specialist"] == "context")
    assert context["score"] > 0.3
    assert "bread" in context["evidence"] or "pastry" in context["evidence"]
    assert {o["specialist"] for o in same["opinions"]} == set(content["ensemble"]["specialists"])

    shown = run("why", result, "Baker-0-0", "Baker-0-1").out
    assert f"strength {same['strength']:.3f}" in shown
    awake, asleep = shown.split("nothing to compare: ")
    assert "person_name" in awake
    assert "contact" in asleep
    assert "contact" not in awake


def test_summary_as_json(run, profiles, gold, tmp_path):
    ran = run("train", profiles, gold, "-o", tmp_path / "m.json", "--pairs", "20", "--json")
    summary = json.loads(ran.out)
    assert summary["output"] == str(tmp_path / "m.json")
    assert sum(summary["weights"].values()) == pytest.approx(1)
    assert all(0 < value < 1 for value in summary["threshold"].values())


def with_employers(profiles, write, type):
    rows = [json.loads(line) for line in profiles.read_text().splitlines()]
    for row in rows:
        row["relations"] = [{"type": type, "name": f"Company of {row['id'].rsplit('-', 1)[0]}"}]
    return write("employed.jsonl", rows)


def test_a_type_may_be_spelt_in_any_way(run, profiles, gold, write, tmp_path):
    for number, type in enumerate(("employment", " Employment")):
        employed = with_employers(profiles, write, type)
        ran = run("train", employed, gold, "-o", tmp_path / f"{number}.json")
        assert (ran.code, "no specialist reads" in ran.err) == (0, False), ran.err
    assert (tmp_path / "0.json").read_bytes() == (tmp_path / "1.json").read_bytes()
    weights = json.loads((tmp_path / "1.json").read_text())["ensemble"]
    assert dict(zip(weights["specialists"], weights["weights"], strict=True))["employment"] > 0


def test_a_type_that_nothing_reads_is_named(run, profiles, gold, write, tmp_path):
    employed = with_employers(profiles, write, "employer")
    arguments = ["train", employed, gold, "-o", tmp_path / "m.json"]
    ran = run(*arguments)
    assert "no specialist reads the relation types 'employer' (32)" in ran.err
    assert "known types are citizen, employment, family" in ran.err
    assert ["'employer' (32)" in note for note in json.loads(run(*arguments, "--json").out)["notes"]] == [True]


def test_the_same_seed_writes_the_same_file(run, profiles, gold, tmp_path):
    for name in ("a.json", "b.json"):
        run("train", profiles, gold, "-o", tmp_path / name, "--seed", "5", "--pairs", "20")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


@pytest.mark.parametrize(
    ("entity", "message"), [("one", "112 pairs as one entity and 0 as two"), (None, "0 pairs as one entity and 0")]
)
def test_gold_that_teaches_nothing(run, profiles, write, tmp_path, entity, message):
    ids = [json.loads(line)["id"] for line in profiles.read_text().splitlines()]
    rows = [{"id": id if entity else f"other {id}", "entity": entity or id} for id in ids]
    ran = run("train", profiles, write("gold.csv", rows), "-o", tmp_path / "m.json")
    assert ran.code == 1
    assert message in ran.err
    assert not (tmp_path / "m.json").exists()


def test_an_input_is_not_written_over(run, profiles, gold):
    before = gold.read_text()
    ran = run("train", profiles, gold, "-o", gold)
    assert (ran.code, "is both read and written" in ran.err) == (2, True)
    assert gold.read_text() == before


def test_what_cannot_be_asked_for(run, profiles, gold, tmp_path, monkeypatch):
    assert run("train", profiles, tmp_path / "none.csv", "-o", tmp_path / "m.json").code == 2
    ran = run("train", profiles, gold, "-o", tmp_path)
    assert ran.code == 1
    assert "could not be written" in ran.err


ENSEMBLE = {
    "specialists": ["context"],
    "calibration": [[[0, 1], [0, 1]]],
    "weights": [1],
    "default_strength": 0.5,
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (None, "is not a crossdoc model"),
        ({"crossdoc_model": 9}, "crossdoc_model: Input should be 2"),
        ({"crossdoc_model": 1}, "Train it again with `crossdoc train`"),
        ({}, "without an ensemble it must say what contexts and names are worth"),
        ({"learned_on": {}}, "what the threshold was learned on"),
        ({"ensemble": {**ENSEMBLE, "learner": "boosted"}}, "boosted trees are no longer read"),
        ({"ensemble": {**ENSEMBLE, "weights": []}}, "1 specialists need"),
        ({"ensemble": {**ENSEMBLE, "specialists": ["mine"]}}, "not installed: mine"),
    ],
)
def test_a_broken_model(run, profiles, write, tmp_path, change, message):
    good = {"crossdoc_model": 2, "learned_on": {"threshold": "a test"}, "threshold": {}}
    model = write("model.json", "{" if change is None else json.dumps({**good, **change}))
    ran = run("resolve", profiles, "-o", tmp_path / "x.crossdoc", "--model", model)
    assert ran.code == 1
    assert message in " ".join(ran.err.split())
    assert not (tmp_path / "x.crossdoc").exists()


def test_gold_is_asked_for(run, profiles, tmp_path):
    ran = run("train", profiles, "-o", tmp_path / "m.json")
    assert ran.code == 2
    assert "without gold" in ran.err
