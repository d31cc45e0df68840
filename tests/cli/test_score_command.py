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
    assert "A threshold needs memberships" in ran.err
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


def test_kept_scores_are_told_by_info(run, write, tmp_path):
    documents = [{"id": f"d{n}", "name": "Ann Lee", "type": "person", "context": "Ann Lee raced."} for n in range(3)]
    result = tmp_path / "out.crossdoc"
    assert run("resolve", write("profiles.jsonl", documents), "-o", result, "--method", "string-match").code == 0
    gold = write("gold.csv", [{"id": "d0", "entity": "x"}, {"id": "d1", "entity": "x"}, {"id": "d2", "entity": "y"}])
    for _ in range(2):
        ran = run("score", result, gold, "--bootstrap", 0, "--keep", "--json")
        assert ran.code == 0, ran.err
    told = json.loads(run("info", result, "--json").out)
    b3 = json.loads(ran.out)["values"]["b3"]["f1"]
    assert [(kept["gold"], kept["run"], kept["f1"]["b3"]) for kept in told["scores"]] == 2 * [
        ("gold.csv", told["runs"][-1]["started"], round(b3, 4))
    ]
    assert "against gold.csv: B³" in run("info", result).out


def test_scores_of_a_table_cannot_be_kept(run, write):
    answer = write("answer.csv", table(ANSWER))
    ran = run("score", answer, write("gold.csv", table(GOLD)), "--keep")
    assert (ran.code, "Leave --keep out" in ran.err) == (2, True)
