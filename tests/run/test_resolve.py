"""The stages in order: what a run keeps, forgets and refuses."""

import json

import duckdb
import numpy as np
import pytest

import crossdoc
from crossdoc import errors
from crossdoc.cluster import methods
from crossdoc.cluster.clusterer import Work, cluster
from crossdoc.cluster.fuzzy import KARC
from crossdoc.cluster.hierarchical import LinkageClustering
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.memory_collection import compare
from crossdoc.model import Document, Judgement, Profile, Relation
from crossdoc.run.stored_collection import run_fills
from crossdoc.settings import Settings
from crossdoc.store import Store

from .common import CARS, POEMS, Watching, groups, learned, write

TEXT = "John Smith, chairman of Acme (john.smith@acme.com, 212-555-0199), spoke in Boston. John Smith resigned."


@pytest.fixture
def documents(tmp_path):
    return write(tmp_path / "docs.jsonl", [{"id": id, "text": TEXT, "language": "en"} for id in "abc"])


@pytest.mark.parametrize("details", ["match", "off"])
def test_no_contact_detail_gets_into_a_context(documents, tmp_path, details):
    given = [{"id": "d", "text": TEXT, "mentions": [{"start": 0, "end": 10, "type": "person"}]}]
    runs = [
        crossdoc.resolve(documents, name="John Smith", contact_details=details),
        crossdoc.resolve(write(tmp_path / "given.jsonl", given), contact_details=details),
    ]
    for answer in runs:
        for profile in answer.profiles:
            assert "john.smith@acme.com" not in str(profile)
            assert "555-0199" not in str(profile)


def test_contact_details_are_kept_when_asked_for(documents):
    answer = crossdoc.resolve(documents, name="John Smith", contact_details="keep")
    assert "john.smith@acme.com" in answer.profiles[0].context


def test_a_mention_id_in_two_documents_is_refused(tmp_path):
    mention = {"id": "m", "start": 0, "end": 10, "type": "person"}
    path = write(tmp_path / "d.jsonl", [{"id": id, "text": TEXT, "mentions": [mention]} for id in "ab"])
    with pytest.raises(errors.InputError, match="'m'"):
        crossdoc.resolve(path)


def test_constraints_may_be_a_file(documents, tmp_path):
    said = tmp_path / "said.csv"
    said.write_text("a,b,different\n")
    answer = crossdoc.resolve(documents, name="John Smith", constraints=said)
    labels = dict(zip(answer.partition.ids, answer.partition.labels, strict=True))
    assert labels["a"] != labels["b"]


def test_another_weight_is_another_judgement(documents, tmp_path):
    output = tmp_path / "out.crossdoc"
    for weight in (0.001, 5.0):
        said = [Judgement("a", "b", "different", hard=False, weight=weight)]
        answer = crossdoc.resolve(documents, name="John Smith", output=output, constraints=said)
        answer.close()
    with crossdoc.open(output) as answer:
        labels = dict(zip(answer.partition.ids, answer.partition.labels, strict=True))
        assert labels["a"] != labels["b"]
        assert len(answer.store.entries()) == 2


def test_soft_constraints_are_said_not_to_count_with_a_baseline(documents):
    said = [Judgement("a", "b", "different", hard=False)]
    answer = crossdoc.resolve(documents, name="John Smith", method="all-in-one", constraints=said)
    assert any("soft constraints have no effect" in note for note in answer.notes)


def test_a_mistaken_run_leaves_nothing_behind(documents, tmp_path):
    empty = write(tmp_path / "empty.jsonl", [{"id": "e", "text": "it rained", "language": "en"}])
    with pytest.raises(errors.InputError, match="was found in the input"):
        crossdoc.resolve(empty, output=tmp_path / "out.crossdoc")
    assert not list(tmp_path.glob("out.crossdoc*"))


def test_nothing_to_resolve():
    with pytest.raises(errors.UsageError, match="nothing to resolve"):
        crossdoc.resolve()


def test_markup_left_in_is_not_part_of_a_name(tmp_path):
    text = "<p>John Smith &amp; <b>Mary Jones</b> met in Boston. Mary Jones</b> liked John Smith&#39;s car.</p>"
    answer = crossdoc.resolve(write(tmp_path / "d.jsonl", [{"id": "d", "text": text, "language": "en"}]), processes=1)
    names = set(answer.profiles.column("name").to_pylist())
    assert {"John Smith", "Mary Jones"} <= names
    assert not any(mark in name for name in names for mark in "<>&;")


# -- a run that was stopped ----------------------------------------------------------------------------------------


def stopped(*inputs, at, **options):
    with pytest.raises(KeyboardInterrupt):
        crossdoc.resolve(*inputs, progress=Watching(at), **options)


def gone_on(*inputs, **options):
    """The answer of a run that goes on, the stages it went through, and its notes."""
    seen = Watching()
    answer = crossdoc.resolve(*inputs, progress=seen, **options)
    notes = answer.notes
    return groups(answer), seen.stages, notes


@pytest.mark.parametrize("method", ["average-linkage", KARC(variant="paper", n_clusters=2)])
@pytest.mark.parametrize("at", ["counting words", "clustering persons"])
def test_a_stopped_run_goes_on(mentioned, tmp_path, method, at):
    output = tmp_path / "out.crossdoc"
    stopped(mentioned, at=at, output=output, method=method)
    found, stages, notes = gone_on(mentioned, output=output, method=method)
    assert found == groups(crossdoc.resolve(mentioned, method=method))
    assert "9 documents were already read by a stopped run" in notes
    assert ("clustering organisations" in stages) == (at == "counting words")
    assert "clustering persons" in stages
    assert not list(tmp_path.glob("*.part"))


def test_other_parameters_of_an_estimator_are_another_run(mentioned, tmp_path):
    output = tmp_path / "out.crossdoc"
    stopped(mentioned, at="clustering persons", output=output, method=LinkageClustering(threshold=0.0))
    found, _, notes = gone_on(mentioned, output=output, method=LinkageClustering(threshold=1.0))
    assert found["o0"] != found["o2"]
    assert "an unfinished run with other input or settings was discarded" in notes


def test_another_model_is_another_run(mentioned, tmp_path):
    output = tmp_path / "out.crossdoc"
    joining, parting = (learned(tmp_path / f"{at}.json", threshold={methods.DEFAULT: at}) for at in (0.0, 1.0))
    stopped(mentioned, at="clustering persons", output=output, model=joining)
    found, stages, notes = gone_on(mentioned, output=output, model=parting)
    assert found == groups(crossdoc.resolve(mentioned, model=parting))
    assert found["o0"] != found["o2"]
    assert "clustering organisations" in stages
    assert "an unfinished run with other input or settings was discarded" in notes


@pytest.mark.parametrize("other", [{"name": "Bo Orr"}, {"seed": 3}])
def test_another_name_or_seed_is_another_run(mentioned, tmp_path, other):
    output = tmp_path / "out.crossdoc"
    stopped(mentioned, at="clustering persons", output=output, name="Ann Li")
    _, _, notes = gone_on(mentioned, output=output, **{"name": "Ann Li", **other})
    assert "an unfinished run with other input or settings was discarded" in notes


def test_another_time_limit_is_the_same_run(mentioned, tmp_path):
    output = tmp_path / "out.crossdoc"
    stopped(mentioned, at="clustering persons", output=output, method="sampling", time_limit=50)
    _, stages, _ = gone_on(mentioned, output=output, method="sampling", time_limit=60)
    assert "clustering organisations" not in stages


def test_changed_profiles_are_another_run(rows, tmp_path):
    output = tmp_path / "out.crossdoc"
    stopped(rows, at="clustering persons", output=output)
    write(rows, [{"id": "x", "document": "d", "name": "Ann Li", "context": "other words"}])
    found, _, notes = gone_on(rows, output=output)
    assert found == {"x": "x"}
    assert "an unfinished run with other input or settings was discarded" in notes


def test_answers_of_a_stopped_run_are_forgotten_under_other_judgements(mentioned, tmp_path):
    output = tmp_path / "out.crossdoc"
    apart = [Judgement("o0", "o1", "different")]
    stopped(mentioned, at="clustering persons", output=output)
    found, stages, _ = gone_on(mentioned, output=output, constraints=apart)
    assert found["o0"] != found["o1"]
    assert "clustering organisations" in stages


def test_answers_of_a_stopped_run_stay_under_the_same_judgements(mentioned, tmp_path):
    output = tmp_path / "out.crossdoc"
    apart = [Judgement("o0", "o1", "different")]
    stopped(mentioned, at="clustering persons", output=output, constraints=apart)
    found, stages, _ = gone_on(mentioned, output=output, constraints=apart)
    assert found["o0"] != found["o1"]
    assert "clustering organisations" not in stages


def test_what_was_judged_while_a_run_was_stopped_counts(mentioned, tmp_path):
    output = tmp_path / "out.crossdoc"
    crossdoc.resolve(mentioned, output=output).close()
    stopped(mentioned, at="clustering persons", output=output, seed=1)
    with Store.open(output, write=True) as store:
        store.judge([Judgement("o0", "o1", "different")])
    found, stages, _ = gone_on(mentioned, output=output, seed=1)
    assert found["o0"] != found["o1"]
    assert "clustering organisations" in stages


def test_a_judgement_given_twice_is_logged_once(rows, tmp_path):
    output = tmp_path / "out.crossdoc"
    for seed in (0, 1):
        said = [Judgement("p0", "p1", "different"), Judgement("p3", "p4", "same", hard=False)][: 1 + seed]
        crossdoc.resolve(rows, output=output, constraints=said, seed=seed).close()
    with crossdoc.open(output) as answer:
        assert [(e.number, j.a, j.verdict) for e in answer.store.entries() for j in e.judgements] == [
            (1, "p0", "different"),
            (2, "p3", "same"),
        ]


def test_a_run_stopped_after_reading_is_kept_and_one_without_profiles_is_not(rows, tmp_path):
    output = tmp_path / "out.crossdoc"
    with pytest.raises(errors.InputError, match="'nobody'"):
        crossdoc.resolve(rows, output=output, constraints=[Judgement("p0", "nobody", "same")])
    assert [path.name for path in tmp_path.glob("out*")] == ["out.crossdoc.part"]
    with pytest.raises(errors.UsageError, match="cannot be used with profiles"):
        crossdoc.resolve(rows, output=tmp_path / "none.crossdoc", name="Ann Li")
    assert not list(tmp_path.glob("none*"))


# -- what a stage is given -----------------------------------------------------------------------------------------


def test_only_what_can_go_on_is_resumed(rows):
    with pytest.raises(errors.UsageError, match="--resume cannot be used with the method mean-max-linkage"):
        crossdoc.resolve(rows, resume=True)


def test_the_asked_for_name_is_no_evidence(documents, tmp_path):
    records = [{"id": id, "text": f"John Smith {c}", "language": "en"} for id, c in (("a", CARS), ("b", POEMS))]
    path = write(tmp_path / "d.jsonl", records)
    names = LearnedModel.default().names.model_copy(update={"people": 1e-9, "bound": 90.0})
    model = learned(tmp_path / "m.json", names=names)
    assert groups(crossdoc.resolve(path, name="John Smith", model=model)) == {"a": "a", "b": "b"}
    mention = [{"start": 0, "end": 10, "type": "person"}]
    path = write(tmp_path / "m.jsonl", [{**record, "mentions": mention} for record in records])
    assert len(set(groups(crossdoc.resolve(path, model=model)).values())) == 1


# -- learning on the collection itself -----------------------------------------------------------------------------


def test_an_answer_with_a_model_of_an_older_crossdoc_is_not_explained(rows, tmp_path):
    path = tmp_path / "old.crossdoc"
    with crossdoc.resolve(rows, output=path) as answer:
        settings = json.loads(answer.runs[-1].settings)
    settings["learned"]["crossdoc_model"] = 1
    with duckdb.connect(str(path)) as store:
        store.execute("UPDATE runs SET settings = ?", [json.dumps(settings)])
    with crossdoc.open(path) as answer, pytest.raises(errors.InputError, match="a model of an older crossdoc") as told:
        answer.explain("p0", "p1")
    assert "resolve again" in told.value.hint


LEARNED = f"learned on {LearnedModel.default().learned_on['threshold']}"
EVEN = "; apart from names, a cosine of 0.035 between contexts means even odds (measured against other collections)"
OVER = "over names, contexts and relations"


@pytest.mark.parametrize(
    ("options", "note"),
    [
        ({}, f"method mean-max-linkage {OVER}, threshold 0.6 ({LEARNED}){EVEN}"),
        ({"method": "single-linkage"}, f"method single-linkage {OVER}, threshold 0.875 ({LEARNED})"),
        ({"threshold": 0.25}, f"method mean-max-linkage {OVER}, threshold 0.25 (given){EVEN}"),
        ({"method": "correlation"}, f"method correlation {OVER}, threshold 0.5 (even odds){EVEN}"),
        ({"method": "correlation", "threshold": 0.7}, "threshold 0.7 (given)"),
        ({"method": KARC()}, f"method karc {OVER}, threshold 0.6 ({LEARNED}){EVEN}"),
        ({"method": KARC(variant="paper")}, f"method karc {OVER}"),
        ({"method": "sampling"}, f"method sampling {OVER}"),
        ({"method": "string-match"}, "method string-match: the same name is the same entity"),
    ],
)
def test_the_note_names_the_method_the_threshold_and_where_it_is_from(rows, options, note):
    seen = Watching()
    with crossdoc.resolve(rows, background=False, progress=seen, **options) as answer:
        (said,) = [each for each in answer.notes if each.startswith("method")]
    assert said.startswith(note) if note.startswith("method") else note in said
    assert ("threshold" in said) == ("threshold" in note)
    assert said in seen.notes


def test_the_note_of_an_ensemble_has_no_cosine(rows, tmp_path):
    ensemble = {"learner": "seg", "specialists": ["context"], "calibration": [([0, 1], [0.1, 0.9])], "weights": [1.0],
                "default_strength": 0.3}  # fmt: skip
    content = json.loads(LearnedModel.default().model_dump_json()) | {"ensemble": ensemble}
    path = tmp_path / "ensemble.json"
    path.write_text(json.dumps(content))
    with crossdoc.resolve(rows, model=path) as answer:
        assert answer.notes[-1] == (
            f"method mean-max-linkage over an ensemble of specialists, threshold 0.6 ({LEARNED})"
        )


def test_a_run_gives_account_of_itself(rows, tmp_path):
    with crossdoc.resolve(rows, method="string-match", seed=4, contact_salt="a secret") as answer:
        (run,) = answer.runs
    assert (run.method, run.seed, run.inputs, run.version) == (
        "string-match", 4, [str(rows)], crossdoc.__version__
    )  # fmt: skip
    assert "secret" not in run.settings
    assert json.loads(run.settings)["name"] is None
    assert run.started <= run.finished


def test_soft_judgements_count_with_methods_that_take_them(rows):
    said = [Judgement("p0", "p1", "different", hard=False, weight=9.0)]
    with crossdoc.resolve(rows, constraints=said) as answer:
        assert not any("soft constraints" in note for note in answer.notes)
        found = groups(answer)
    assert found["p0"] != found["p1"]
    hard = [Judgement("p0", "p1", "different")]
    with crossdoc.resolve(rows, constraints=hard, method="all-in-one") as answer:
        assert not any("soft constraints" in note for note in answer.notes)


@pytest.mark.parametrize("hard", [True, False])
def test_judgements_join_names_that_would_never_meet(rows, hard):
    # Nobody's name is the other's: a soft judgement has to weigh more than that.
    said = [Judgement("p1", "p3", "same", hard=hard, weight=5000.0)]
    found = groups(crossdoc.resolve(rows, constraints=said))
    assert found["p1"] == found["p3"]
    assert groups(crossdoc.resolve(rows))["p1"] != groups(crossdoc.resolve(rows))["p3"]


# -- what is refused -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["", " \t"])
def test_an_empty_name_is_nobodys(documents, name):
    with pytest.raises(errors.UsageError, match="--name is empty"):
        crossdoc.resolve(documents, name=name)


def test_a_time_limit_where_none_counts(documents):
    with pytest.raises(errors.UsageError, match="A time limit cannot be used with the method mean-max-linkage"):
        crossdoc.resolve(documents, time_limit=5)
    with pytest.raises(errors.UsageError, match="A time limit cannot be used with the method karc"):
        crossdoc.resolve(documents, method=KARC(), time_limit=5)


def test_documents_beside_profiles(documents, rows):
    with pytest.raises(errors.UsageError, match=r"cannot be resolved in one run: .*docs\.jsonl, .*rows\.jsonl"):
        crossdoc.resolve(documents, rows)


def test_an_estimator_and_a_threshold(documents):
    with pytest.raises(errors.UsageError, match="cannot be given together"):
        crossdoc.resolve(documents, method=KARC(threshold=0.2), threshold=0.5)
    with pytest.raises(errors.UsageError, match="No crossdoc method is a dict"):
        crossdoc.resolve(documents, method={})


def test_what_is_left_open_leaves_the_settings_as_they_are(rows):
    chosen = Settings(method="string-match", seed=6)
    for settings in (chosen, chosen.model_copy(update={"method": "one-in-one"})):
        with crossdoc.resolve(rows, settings=settings, method=None, seed=None) as answer:
            assert (answer.runs[-1].method, answer.runs[-1].seed) == (settings.method, 6)
    with crossdoc.resolve(rows, settings=chosen, seed=7) as answer:
        assert (answer.runs[-1].method, answer.runs[-1].seed) == ("string-match", 7)


# -- profiles to a file of their own -------------------------------------------------------------------------------


def test_given_profiles_hear_what_of_them_does_not_count():
    def notes(relation):
        rows = [Profile(id, id, "Ann Orr", "person", "red car", relations=(relation,)) for id in "ab"]
        with crossdoc.resolve(rows) as answer:
            return [note for note in answer.notes if "can use others" in note]

    assert notes(Relation("list", "Bo Li")) == []
    (told,) = notes(Relation("family", "Bo Li"))
    assert "the attributes age, born, descriptor, died, email, gender, gender_confidence, nationality, party" in told
    assert "the relations citizen, employment, list, location, ownership, resident of the profiles count" in told


@pytest.mark.parametrize(("characters", "told"), [(3000, True), (600, False)])
def test_profiles_that_are_whole_pages_are_noted(characters, told):
    rows = [Profile(id, id, "Ann Lee", "person", "word " * (characters // 5)) for id in "abc"]
    with crossdoc.resolve(rows) as resolution:
        assert any("half of the contexts have more than 3,000 characters" in note for note in resolution.notes) == told


FIRST, LAST = "John Mary Robert Susan James".split(), "Smith Miller Johnson Brown".split()
SCENES = [
    ("the engine", "raced at the circuit near {place}", "driver"),
    ("the squid", "studied the sea off {place}", "biologist"),
    ("the verdict", "pleaded before the court of {place}", "lawyer"),
]


def articles(count: int = 36) -> list[Document]:
    """Short articles about people who share names, in three walks of life."""
    rng = np.random.default_rng(5)
    found = []
    for n in range(count):
        what, did, trade = SCENES[n % 3]
        name, other = (f"{FIRST[rng.integers(5)]} {LAST[rng.integers(4)]}" for _ in range(2))
        place = ["Boston", "Paris", "London"][rng.integers(3)]
        text = f"{name}, a {trade}, {did.format(place=place)} and spoke of {what}. {other} of Acme Corp. listened."
        found.append(Document(f"a{n}", text, date=f"199{n % 8}-05-01", language="en"))
    return found


@pytest.fixture(scope="module")
def in_two_orders(tmp_path_factory):
    """The same articles, read from raw text in two orders: the answers."""
    given, folder = articles(), tmp_path_factory.mktemp("orders")
    shuffled = [given[row] for row in np.random.default_rng(1).permutation(len(given))]
    answers = [
        crossdoc.resolve(documents, output=folder / f"{number}.crossdoc", processes=1, contact_salt="12345678")
        for number, documents in enumerate((given, shuffled))
    ]
    yield answers
    for answer in answers:
        answer.close()


def test_the_order_of_documents_changes_nothing(in_two_orders):
    one, other = in_two_orders
    assert list(one.profiles) == list(other.profiles)
    assert one.store.entity_of() == other.store.entity_of()
    by_id = [sorted(answer.identities(), key=lambda identity: identity.id) for answer in in_two_orders]
    assert by_id[0] == by_id[1]


@pytest.fixture(scope="module")
def compared(in_two_orders):
    return [compare(answer.store.profiles(), answer.store) for answer in in_two_orders]


@pytest.mark.parametrize("method", methods.names())
def test_nor_with_any_method_and_number_of_threads(compared, method):
    """Memberships to the last bit, of all types; string matching and the like are methods, too."""
    chosen, answers = methods.clusterer(method, {}), []
    for comparison, threads in zip(compared, (1, 3), strict=True):
        fills = run_fills(chosen, 0, LearnedModel.default(), threads)
        found = [cluster(comparison[kind], chosen, Work(threads=threads), **fills).partition for kind in comparison]
        answers.append([partition.table(soft=True).sort_by("id").to_pylist() for partition in found])
    assert answers[0] == answers[1]


@pytest.mark.parametrize("method", ["contexts", "sampling"])
def test_nor_of_profiles_of_another_program(method):
    words = "race lap engine wheel squid sea boat net court judge law trial".split()
    texts = [
        f"{name} {' '.join(words[4 * (n % 3) : 4 * (n % 3) + 4])} {n}"
        for n in range(12)
        for name in ("Ann Li", "Bo Kim")
    ]
    rows = [Profile(f"p{n}", f"d{n // 2}", text[:6].strip(), "person", text) for n, text in enumerate(texts)]
    answers = []
    for order, threads in ((1, 1), (-1, 1), (1, 2)):
        with crossdoc.resolve(rows[::order], method=method, threads=threads) as resolution:
            answers.append(resolution.store.entity_of())
    assert answers[0] == answers[1] == answers[2]
    assert 1 < len(set(answers[0].values())) < len(rows)


NAMED = [{"author": "Ann Lee", "title": "Racing cars"}, {"author": "Ann Lee", "title": "Cars and racing"}]


def test_columns_of_a_table_may_have_other_names():
    found = crossdoc.resolve(NAMED, columns={"name": "author", "context": "title"})
    assert [row["name"] for row in found.answer().to_pylist()] == ["Ann Lee", "Ann Lee"]
    assert [profile.context for profile in found.profiles] == ["Racing cars", "Cars and racing"]


@pytest.mark.parametrize(
    ("given", "meant"),
    [({"colums": {"name": "author"}}, "columns"), ({"treshold": 0.5}, "threshold"), ({"outptu": "x"}, "output")],
)
def test_an_unknown_keyword_names_the_nearest(given, meant):
    with pytest.raises(errors.UsageError, match=f"Did you mean '{meant}'"):
        crossdoc.resolve(NAMED, **given)


def test_rows_of_other_types_do_not_stop_a_run():
    rows = [{"id": str(n), "name": "Ann Lee", "type": type} for n, type in enumerate(["PER", "EVENT", "person"])]
    found = crossdoc.resolve(rows)
    assert found.answer().column("id").to_pylist() == ["0", "2"]
    assert [note for note in found.notes if "'EVENT' (1)" in note]
    with pytest.raises(errors.InputError, match="Nothing is left to resolve: 1 row of another type"):
        crossdoc.resolve(rows[1:2])


def test_rows_of_files_of_one_name_have_ids_of_their_own(tmp_path):
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.csv").write_text("name,context\nAnn Lee,raced cars\n")
    found = crossdoc.resolve(tmp_path / "x" / "a.csv", tmp_path / "y" / "a.csv")
    assert found.answer().column("id").to_pylist() == ["x/a.csv:2", "y/a.csv:2"]


def test_every_row_of_an_answer_has_the_name_of_its_identity(documents):
    with crossdoc.resolve(documents) as found:
        named = {identity.id: identity.name for identity in found.identities()}
        for level in ("profile", "mention"):
            rows = found.answer(level, soft=True).to_pylist()
            assert rows
            assert all(row["identity_name"] == named[row["entity"]] for row in rows)


def test_merges_that_two_letters_or_a_bare_head_once_made():
    """LA is Los Angeles or Louisiana, and "the Bank" any bank: nothing in these texts says which."""
    texts = [
        "Fires burned in the hills above Los Angeles. Firemen in Los Angeles wanted help.",
        "He left LA for good and moved to Boston.",
        "The governor of Louisiana spoke in Baton Rouge. Louisiana needs levees.",
        "The World Bank lent Peru ten million dollars. Roads will be built with help of the World Bank.",
        "In Lima the Bank wants its loan back in May. Peru has many bad roads.",
        "The Bank of England raised rates. Sterling rose after the Bank of England acted.",
        "Rates were raised by the Bank, dealers in London thought. Sterling rose.",
    ]
    with crossdoc.resolve([Document(f"d{n}", text, language="en") for n, text in enumerate(texts)]) as answer:
        together = [set(identity.variants) for identity in answer.identities()]
        banks = [identity for identity in answer.identities() if set(identity.variants) == {"Bank"}]
    assert not any({"Los Angeles", "Louisiana"} <= names for names in together)
    assert not any(len(names & {"Bank", "World Bank", "Bank of England"}) > 1 for names in together)
    assert [identity.n_documents for identity in banks] == [1, 1]


def test_extraction_goes_on_and_leaves_the_profiles_alone(mentioned, tmp_path):
    target = tmp_path / "profiles.jsonl"
    with pytest.raises(KeyboardInterrupt):
        crossdoc.write_extracted(mentioned, output=target, progress=Watching("writing profiles"))
    assert not target.exists()
    done = crossdoc.write_extracted(mentioned, output=target, types=["person"])
    assert "an unfinished run with other input or settings was discarded" in done.notes
    assert (done.documents, done.profiles, done.output) == (9, 5, target)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mentioned.jsonl", "profiles.jsonl"]
    assert groups(crossdoc.resolve(target)) == groups(crossdoc.resolve(mentioned, types=["person"]))


def test_extraction_wants_documents_and_finds_something(rows, tmp_path):
    with pytest.raises(errors.UsageError, match="These are already profiles"):
        crossdoc.write_extracted(rows, output=tmp_path / "p.jsonl")
    empty = write(tmp_path / "e.jsonl", [{"id": "e", "text": "it rained", "language": "en", "mentions": []}])
    with pytest.raises(errors.InputError, match="No person was found"):
        crossdoc.write_extracted(empty, output=tmp_path / "p.jsonl", types=["person"])
    assert not list(tmp_path.glob("p.jsonl*"))
