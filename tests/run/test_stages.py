"""Each stage by itself, and that together they are `resolve`."""

import csv
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.compare.common import make_evidence

import crossdoc
from crossdoc import errors
from crossdoc.cluster.clusterer import Work
from crossdoc.cluster.hierarchical import LinkageClustering
from crossdoc.cluster.methods import clusterer
from crossdoc.compare import background
from crossdoc.compare.background import adapted, measure_background
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.engine import LocalEngine
from crossdoc.model import Document, Documents, Judgement, Mention, Mentions, Partition, Profile, Profiles, Relation
from crossdoc.run import stages
from crossdoc.run.reading import of_types
from crossdoc.run.stored_collection import compiled, is_left_open, measure_bags, run_fills
from crossdoc.settings import Settings
from crossdoc.store import Store

SAMPLE = Path(crossdoc.__file__).parent / "sample"
CARS, POEMS = "engine race lap pit wheel", "verse spring poem rhyme ode"


@pytest.fixture(scope="session")
def sample(tmp_path_factory) -> Path:
    """The sample corpus with its gold mentions, so that no language model is needed."""
    mentions: dict[str, list[dict]] = {}
    with (SAMPLE / "gold.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            mention = {"start": int(row["start"]), "end": int(row["end"]), "type": row["type"], "chain": row["entity"]}
            mentions.setdefault(row["document"], []).append(mention)
    records = [json.loads(line) for line in (SAMPLE / "documents.jsonl").read_text(encoding="utf-8").splitlines()]
    path = tmp_path_factory.mktemp("sample") / "documents.jsonl"
    path.write_text("".join(json.dumps({**r, "mentions": mentions.get(r["id"], [])}) + "\n" for r in records))
    return path


def staged(path, method, name=None, constraints=()):
    """Identities and entities of profiles, stage by stage."""
    documents = stages.read_documents(path)
    found = stages.extract_profiles(documents, name=name)
    compared = stages.compare_profiles(
        found.profiles, documents, one_name=name is not None, others=found.others, constraints=constraints
    )
    identities, entities = [], {}
    for evidence in compared.values():
        partition = stages.cluster_evidence(evidence, method).partition
        given = {"mentions": found.mentions, "documents": documents, "evidence": evidence}
        identities += stages.describe_partition(partition, evidence.profiles, **given)
        entities |= soft(partition)
    identities.sort(key=lambda each: (-each.n_documents, -each.n_mentions, each.id))
    return identities, entities, compared


def soft(partition):
    rows = partition.table(soft=True).to_pylist()
    return {(row["id"], row["entity"]): pytest.approx(row["membership"], abs=1e-6) for row in rows}


@pytest.mark.parametrize("method", ["mean-max-linkage", "karc"])
def test_the_stages_together_are_resolve(sample, method):
    identities, entities, compared = staged(sample, method)
    with crossdoc.resolve(sample, method=method) as answer:
        assert soft(answer.partition) == entities
        assert answer.store.identities() == identities
        assert json.loads(answer.runs[-1].settings)["learned"] == json.loads(compared.model.model_dump_json())
    assert len(identities) > 40


def test_the_stages_of_one_name_are_resolve(sample, tmp_path):
    few = tmp_path / "few.jsonl"
    few.write_text("".join(line for line in sample.read_text().splitlines(True) if "John Smith" in line))
    sample = few
    said = [Judgement("brief-1", "brief-2", "same")]
    identities, entities, compared = staged(sample, "mean-max-linkage", "John Smith", said)
    assert list(compared) == ["person"]
    assert compared.model.fields != LearnedModel.default().fields, "others were measured against"
    with crossdoc.resolve(sample, name="John Smith", constraints=said) as answer:
        assert soft(answer.partition) == entities
        assert answer.store.identities() == identities
        labels = dict(zip(answer.partition.ids, answer.partition.labels, strict=True))
    assert labels["brief-1"] == labels["brief-2"]
    assert len(identities) > 3


@pytest.mark.slow
def test_the_stages_over_plain_text_are_resolve():
    identities, entities, _ = staged(SAMPLE / "documents.jsonl", "mean-max-linkage")
    with crossdoc.resolve(SAMPLE / "documents.jsonl") as answer:
        assert soft(answer.partition) == entities
        assert answer.store.identities() == identities


# -- read ----------------------------------------------------------------------------------------------------------


def test_documents_of_several_inputs_and_kinds(tmp_path):
    (tmp_path / "a.txt").write_text("One.")
    read = stages.read_documents(tmp_path / "a.txt", [Document("b", "Two.")], [{"id": 3, "text": "Three."}])
    assert [(document.id, document.text) for document in read] == [("a.txt", "One."), ("b", "Two."), ("3", "Three.")]
    with pytest.raises(errors.InputError, match=r"longer than 3 characters|3"):
        stages.read_documents([Document("b", "Two.")], settings=Settings(max_document_characters=3))


def test_more_documents_than_a_batch():
    read = stages.read_documents([Document(str(i), f"Text {i}.") for i in range(600)])
    assert read.ids.tolist() == [str(i) for i in range(600)]


# -- extract -------------------------------------------------------------------------------------------------------


def mentioned(*kinds):
    mentions = tuple(
        Mention(f"m{i}", "d", 4 * i, 4 * i + 3, "Ann", kind, "name", f"m{i}") for i, kind in enumerate(kinds)
    )
    return Document("d", "Ann " * len(kinds), language="en", mentions=mentions)


def test_only_the_types_asked_for_are_kept_and_their_mentions():
    found = stages.extract_profiles([mentioned("person", "place")], settings=Settings(types=["place"]))
    assert found.profiles.ids.tolist() == ["m1"]
    assert found.mentions.ids.tolist() == ["m1"]
    assert found.others is None
    untyped = Profiles.of(
        [Profile("a", "d", "Ann", "person"), Profile("b", "d", "Bo"), Profile("c", "d", "C", "place")]
    )
    assert of_types(untyped, ["place"]).ids.tolist() == ["b", "c"]


def test_under_a_name_other_people_are_given_too():
    documents = [
        Document(id, f"John Smith met Mary Poe and Peter Roe {what}.", language="en")
        for id, what in (("a", "in Rome"), ("b", "at sea"))
    ]
    found = stages.extract_profiles(Documents.of(documents), name="John Smith")
    assert {profile.name for profile in found.others} == {"Mary Poe", "Peter Roe"}
    assert found.profiles.ids.tolist() == ["a", "b"]
    assert found.notes == []
    narrow = stages.extract_profiles(documents, name="John Smith", settings=Settings(window=20))
    assert len(narrow.profiles[0].context) < len(found.profiles[0].context)
    assert len(narrow.others[0].context) < len(found.others[0].context)


@pytest.mark.parametrize(
    ("missing", "told"), [(5, "d0, d1, d2, d3, d4"), (6, "d0, d1, d2, d3, d4 …"), (1, "d0"), (0, None)]
)
def test_documents_without_the_name_are_said(missing, told):
    documents = [Document(f"d{i}", "Nobody here.", language="en") for i in range(missing)]
    notes = stages.extract_profiles([*documents, Document("x", "Ann Lee.", language="en")], name="Ann Lee").notes
    if told is None:
        assert notes == []
    else:
        assert notes == [f"{missing} documents do not contain 'Ann Lee' and are compared by their whole text: {told}"]


def test_attributes_and_relations_under_a_name_unless_told_otherwise():
    documents = [Document("a", "Ann Lee, the chairman of Acme, spoke. Ann Lee resigned.", language="en")]
    plain = stages.extract_profiles(documents, name="Ann Lee", describe=False).profiles[0]
    described = stages.extract_profiles(documents, name="Ann Lee", settings=Settings(processes=1))
    assert plain.attributes == {}
    assert plain.relations == ()
    assert {relation.name for relation in described.profiles[0].relations} == {"Acme"}
    assert "descriptor" in described.profiles[0].attributes


def test_a_language_that_is_read_without_a_model_is_noted():
    found = stages.extract_profiles([Document("a", "Ann Lee puhui.", language="fi")], settings=Settings(processes=1))
    assert found.notes[0].startswith("1 documents in language 'fi' were read without a language model: ")


# -- compare -------------------------------------------------------------------------------------------------------


def people(*named, kind="person"):
    return Profiles.of(Profile(f"p{i}", f"d{i}", name, kind, context) for i, (name, context) in enumerate(named))


def recurring(people=12, each=7):
    random = np.random.default_rng(0)
    rows = []
    for person in range(people):
        surname = f"{chr(97 + person)}{chr(97 + person)}son"
        for number in range(each):
            words = [f"own{surname}{chr(97 + i)}" for i in random.integers(0, 9, 8)]
            words += [f"common{chr(97 + i)}" for i in random.integers(0, 26, 12)]
            id = f"{person}-{number}"
            rows.append(Profile(id, f"d{id}", f"A{surname} {surname}", "person", " ".join(words)))
    return Profiles.of(rows)


def test_what_likeness_is_measured_against():
    profiles, others, shipped = recurring(5), recurring(12), LearnedModel.default()

    def learned(**options):
        return stages.compare_profiles(profiles, **options).model

    words = ContextVectoriser().fit([profiles.column("context").to_pylist()])
    own, notes = adapted(shipped, measure_background(shipped.fields, profiles, None, words))
    assert learned().fields == own.fields
    assert learned().fitted
    assert own.fields != shipped.fields
    assert notes == []
    assert learned(background=False) == shipped
    assert learned(one_name=True).fields == shipped.fields
    assert learned(one_name=True, others=others).fields not in (shipped.fields, own.fields)
    assert learned(others=others) == learned()
    assert learned(model=own, background=False) == own


def test_the_seed_chooses_who_is_measured(monkeypatch):
    monkeypatch.setattr(background, "COHORT", 30)
    models = [stages.compare_profiles(recurring(), seed=seed).model for seed in (0, 0, 1)]
    assert models[0] == models[1] != models[2]


def test_judgements_documents_and_the_one_name_reach_the_evidence():
    profiles = people(("Ann Li", CARS), ("Ann Li", POEMS), ("Ann Li", CARS))
    said = [Judgement("p0", "p2", "different"), Judgement("p0", "p1", "same")]
    evidence = stages.compare_profiles(profiles, constraints=said)["person"]
    assert evidence.constraints.cannot.tolist() == [[0, 2]]
    assert evidence.constraints.group.tolist() == [0, 0, 1]
    assert stages.compare_profiles(profiles, one_name=True)["person"].names is None
    texts = Documents.of(Document(f"d{i}", f"{CARS} {CARS}") for i in range(3))
    counted = stages.compare_profiles(profiles, texts)["person"].vectors.matrix
    assert counted.nnz < stages.compare_profiles(profiles)["person"].vectors.matrix.nnz
    contradiction = [*said, Judgement("p1", "p2", "same")]
    with pytest.raises(errors.ConstraintError):
        stages.compare_profiles(profiles, constraints=contradiction)


def test_judgements_on_others_are_left_out():
    profiles = people(("Ann Li", CARS), ("Ann Li", POEMS))
    assert compiled([Judgement("p0", "elsewhere", "same")], profiles).empty
    assert not compiled([Judgement("p0", "p1", "same")], profiles).empty
    assert compiled([], profiles).n == 2


# -- cluster -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def evidence():
    named = [
        ("John Smith", f"{context} {extra}")
        for context, *more in ((CARS, "tyre", "fuel", "road"), (POEMS, "ink", "page", "pen"))
        for extra in more
    ]
    return stages.compare_profiles(people(*named), background=False)["person"]


def labels(*arguments, **parameters):
    return stages.cluster_evidence(*arguments, **parameters).partition.labels.tolist()


def test_by_name_parameters_or_estimator(evidence):
    assert labels(evidence) == [0, 0, 0, 1, 1, 1]
    assert labels(evidence, threshold=1.0) == [0, 1, 2, 3, 4, 5]
    assert labels(evidence, "single-linkage", threshold=0.0) == [0] * 6
    assert labels(evidence, LinkageClustering("single", 0.0)) == [0] * 6
    assert labels(evidence, "karc", n_clusters=3, variant="paper") == labels(
        evidence, crossdoc.cluster.KARC(3, variant="paper")
    )
    with pytest.raises(errors.UsageError, match="there is no such parameter"):
        stages.cluster_evidence(evidence, "karc", clusters=3)


def test_the_threshold_is_the_models(evidence):
    parting = LearnedModel.default().model_copy(update={"threshold": {"mean-max-linkage": 1.0}})
    assert labels(evidence, model=parting) == [0, 1, 2, 3, 4, 5]
    assert labels(evidence, model=parting, threshold=0.5) == [0, 0, 0, 1, 1, 1]


def test_work_and_seed_reach_the_method(evidence):
    notes = stages.cluster_evidence(evidence, "single-linkage", work=Work(max_rows=4)).notes
    assert notes == ["persons: a component of 6 profiles: only the 15 pairs whose names agree were compared"]
    sampled = {
        stages.cluster_evidence(evidence, "sampling", seed=seed, temperature=1.0, max_iter=3).notes[0]
        for seed in range(6)
    }
    assert len(sampled) > 1


def test_what_a_run_fills_in():
    model = LearnedModel.default().model_copy(update={"threshold": {"karc": 0.6, "correlation": 0.3}})
    fills = {
        "karc": {"threshold": 0.6}, "correlation": {"bias": 0.3}, "average-linkage": {"threshold": 0.5},
        "sampling": {}, "arca": {}, "string-match": {},
    }  # fmt: skip
    for name, threshold in fills.items():
        assert run_fills(clusterer(name), 7, model, 2) == {
            **threshold,
            "random_state": 7,
            "threads": 2,
        }
    printed = clusterer("karc", {"variant": "paper"})
    assert run_fills(printed, 0, model) == {"random_state": 0, "threads": None}
    assert clusterer("sampling").estimator(run_fills(clusterer("sampling"), 3, model, 4)).get_params() == {
        **clusterer("sampling").estimator({}).get_params(), "random_state": 3, "threads": 4,
    }  # fmt: skip


# -- describe ------------------------------------------------------------------------------------------------------


def test_identities_largest_first_with_what_is_known_of_them():
    profiles = people(("Bo Orr", "x"), ("Ann Li", CARS), ("A. Li", CARS), ("Cy Dee", "y"), ("Di Fox", "z"))
    partition = Partition.from_labels(profiles.ids, [0, 1, 1, 2, 3])
    found = stages.describe_partition(partition, profiles)
    assert [(each.id, each.name, each.n_mentions) for each in found] == [
        ("p1", "Ann Li", 2), ("p0", "Bo Orr", 1), ("p3", "Cy Dee", 1), ("p4", "Di Fox", 1)
    ]  # fmt: skip
    assert {each.descriptor for each in found} == {""}
    mentions = Mentions.of(
        Mention(f"m{i}", f"d{row}", i, i + 1, text, "person", "name", f"p{row}")
        for i, (row, text) in enumerate([(3, "Cy"), (3, "Cy Dee"), (4, "Di"), (4, "Di F."), (4, "Di Fox"), (1, "Li")])
    )
    documents = Documents.of([Document("d3", "", date="2001-01")])
    evidence = stages.compare_profiles(profiles)["person"]
    found = stages.describe_partition(partition, profiles, mentions=mentions, documents=documents, evidence=evidence)
    assert [(each.id, each.n_mentions) for each in found] == [("p1", 1), ("p4", 3), ("p3", 2), ("p0", 0)]
    assert found[2].first_date == "2001-01"
    assert found[1].variants == {"Di": 1, "Di F.": 1, "Di Fox": 1}
    assert set(found[0].descriptor.split(", ")) <= set(CARS.split())
    with pytest.raises(errors.UsageError, match="The partition has 5 profiles, but other profiles were given"):
        stages.describe_partition(partition, profiles.take([0]))


ARTICLES = [
    Document(id, f"John Smith {did} in Detroit. Write to John Smith at smith@example.org.")
    for id, did in (("a", "spoke"), ("b", "sold cars"))
]


def test_contact_details_meet_within_a_call_and_nowhere_else():
    def hashes():
        profiles = stages.extract_profiles(ARTICLES[:2], name="John Smith", describe=True).profiles
        return [profile.attributes.get("email") for profile in profiles]

    (first, second), again = hashes(), hashes()[0]
    assert first == second != again
    kept = Settings(contact_salt="a secret of ours")
    told = [stages.extract_profiles(ARTICLES[:1], name="John Smith", describe=True, settings=kept) for _ in range(2)]
    assert told[0].profiles[0].attributes == told[1].profiles[0].attributes


def test_a_partition_of_others_is_refused():
    profiles = Profiles.of([Profile("a", "d", "Ann"), Profile("b", "d", "Bo")])
    with pytest.raises(errors.UsageError, match="has 1 profiles, but other profiles were given"):
        stages.describe_partition(Partition.from_labels(["a"], [0]), profiles)
    with pytest.raises(errors.UsageError, match="other profiles were given"):
        stages.describe_partition(Partition.from_labels(["b", "a"], [0, 1]), profiles)


def test_what_the_stages_refuse_in_words():
    with pytest.raises(errors.UsageError, match="nothing to resolve"):
        stages.read_documents()
    with pytest.raises(errors.UsageError, match="--name is empty"):
        stages.extract_profiles([Document("a", "Ann")], name=" ")
    compared = stages.compare_profiles([Profile("a", "d", "Ann", "person"), Profile("b", "d", "Rome", "place")])
    with pytest.raises(errors.UsageError, match="only one type can be clustered at a time") as caught:
        stages.cluster_evidence(compared)
    assert "'person', 'place'" in caught.value.hint


def test_stages_take_what_resolve_takes(tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_text(json.dumps({"id": "a", "text": "Ann Lee spoke.", "language": "en"}))
    found = stages.extract_profiles(path, name="Ann Lee").profiles
    assert found.ids.tolist() == ["a"]
    clustered = stages.cluster_evidence(stages.compare_profiles(list(found), one_name=True)["person"])
    assert [str(identity) for identity in stages.describe_partition(clustered, found)] == ["Ann Lee"]


# -- tables of names and contexts without types: bags where they explain the table, linkage elsewhere ---------------


@pytest.mark.parametrize(
    ("given", "only"),
    [
        ({}, True),
        ({"type": "person"}, False),
        ({"attributes": {"born": ["1931"]}}, False),
        ({"relations": (Relation("co_author", "Ann Lee"),)}, False),
    ],
)
def test_a_type_or_a_fact_makes_a_profile_more_than_a_link(given, only):
    rows = [Profile("a", "d", "Ann", None, "words"), Profile("b", "d", "Bo", **{"type": None, "context": "w", **given})]
    with Store.memory() as store:
        store.add(Documents.of(()), Mentions.of(()), Profiles.of(rows))
        assert store.has_links_only() == only


@pytest.mark.parametrize(
    ("entity_type", "names"), [(None, ["us senator", "prime"]), ("person", ["U.S. senators", "Primé"])]
)
def test_names_of_links_count_in_one_spelling(entity_type, names):
    rows = [Profile(str(k), "d", name, entity_type, "words") for k, name in enumerate(("U.S. senators", "Primé"))]
    evidence = make_evidence(LearnedModel.default(), ContextVectoriser(), Profiles.of(rows))
    assert evidence.names == names


def test_linkage_joins_a_noun_and_its_plural_unless_it_is_a_persons_name():
    words = "the court heard the case of the harbour and the trial in spring"
    names = ["trial court", "trial courts", "Ann Robert", "Ann Roberts"]
    for kind, entities in ((None, 3), ("person", 4)):
        rows = [Profile(f"m{n}", f"d{n}", name, kind, words) for n, name in enumerate(names)]
        answer = crossdoc.resolve(rows, method="mean-max-linkage", describe=False)
        assert len(set(answer.partition.labels.tolist())) == entities


@pytest.mark.parametrize(
    ("settings", "open_"),
    [
        (Settings(), True),
        (Settings(seed=3), True),
        (Settings(method="mean-max-linkage"), False),
        (Settings(threshold=0.5), False),
        (Settings(parameters={"mean-max-linkage": {"threshold": 0.5}}), False),
        (Settings(parameters={"sampling": {"max_iter": 9}}), True),
    ],
)
def test_what_somebody_has_asked_for_is_done(settings, open_):
    assert is_left_open(settings) == open_


def table(n=400, entities=20, seed=0):
    """Entities of two names and twenty words each."""
    rng = np.random.default_rng(seed)
    entity = rng.integers(0, entities, n)
    words = 20 * entity[:, None] + rng.integers(0, 20, (n, 8))
    others = rng.integers(0, 400, (n, 6))
    contexts = [
        " ".join([*(f"own{w}" for w in a), *(f"any{w}" for w in b)]) for a, b in zip(words, others, strict=True)
    ]
    names = [f"n{e}-{k}" for e, k in zip(entity, rng.integers(0, 2, n), strict=True)]
    return pa.table({"id": [f"m{k}" for k in range(n)], "name": names, "context": contexts}), entity


@pytest.mark.parametrize("engine", ["local", None])
def test_a_table_of_links_is_sampled(tmp_path, engine):
    given, entity = table()
    with LocalEngine(2) as partitions:
        how = {"engine": engine or partitions, "output": tmp_path / "answer"}
        found = crossdoc.resolve(given, **how)
        told = crossdoc.resolve(given, **{**how, "output": tmp_path / "other"}, method="mean-max-linkage")
        same = crossdoc.resolve(given, **{**how, "output": tmp_path / "third"}, settings=Settings(seed=0))
    assert any("clustered as links, by bags" in note for note in found.notes)
    assert not any("as links" in note for note in told.notes)
    assert found.runs[-1].method == same.runs[-1].method == "bags"
    assert told.runs[-1].method == "mean-max-linkage"
    assert len(found.identities()) == len(set(entity)) < len(set(given["name"].to_pylist()))


def test_a_judgement_of_links_is_sampled_again(tmp_path):
    given, entity = table()
    found = crossdoc.resolve(given, output=tmp_path / "answer.crossdoc")
    a, b = (f"m{np.flatnonzero(entity == e)[0]}" for e in (0, 1))
    found.judge(a, b, "same")
    labels = dict(zip(found.partition.ids, found.partition.labels, strict=True))
    assert labels[a] == labels[b]


def test_what_is_measured_is_what_bags_would_measure_itself():
    given, _ = table()
    found, asked = (crossdoc.resolve(given, describe=False, **how) for how in ({}, {"method": "bags"}))
    assert found.partition.labels.tolist() == asked.partition.labels.tolist()


def test_the_order_of_rows_does_not_matter_to_the_measure():
    given, _ = table(300)
    rows = [Profile(row["id"], row["id"], row["name"], None, row["context"]) for row in given.to_pylist()]
    evidence = [
        make_evidence(LearnedModel.default(), ContextVectoriser(), Profiles.of(each)) for each in (rows, rows[::-1])
    ]
    one, other = (measure_bags(each.vectors.matrix, each.names, 0, 1) for each in evidence)
    assert one == other


def running_text(n, people=40, seed=0):
    """A table as an extractor makes it of text: people, a third of whom occur once, in windows that overlap."""
    rng = np.random.default_rng(seed)
    rows = {"id": [], "name": [], "context": []}
    firsts = ["Ann", "Boris", "Carol", "David", "Emma"]
    while len(rows["id"]) < n:
        words = " ".join(f"word{w}" for w in rng.integers(0, 900, 60))
        once = people + len(rows["id"]) + np.arange(3)
        for who in [*rng.choice(people, 6, replace=False), *once]:
            full = rng.random() < 0.3
            rows["id"].append(f"m{len(rows['id'])}")
            rows["name"].append(f"{firsts[who % 5]} Person{who}" if full else f"Person{who}")
            rows["context"].append(words)
    return pa.table({name: values[:n] for name, values in rows.items()})


SILENT = {
    "none": lambda rng: "",
    "the same": lambda rng: "The meeting was held in the town hall on Monday evening.",
    "one word": lambda rng: f"word{chr(97 + rng.integers(26))}",
    "random": lambda rng: " ".join(f"word{w}" for w in rng.integers(0, 2000, 30)),
}


@pytest.mark.parametrize("entity_type", ["person", None])
@pytest.mark.parametrize("context", SILENT)
def test_names_decide_where_contexts_say_nothing(context, entity_type):
    """All names recur, as those do that somebody chose: it takes contexts to call a rare name ambiguous."""
    rng = np.random.default_rng(0)
    names = [
        f"{first} {last}" for first in ("Ann", "Boris", "Carol") for last in ("Kovak", "Lindberg", "Moretti", "Zor")
    ]
    rows = [
        {"id": f"r{row}", "name": names[row % 12], "type": entity_type, "context": SILENT[context](rng)}
        for row in range(96)
    ]
    with crossdoc.resolve(rows, describe=False) as answer:
        assert len(set(zip(answer.partition.labels, (row["name"] for row in rows), strict=True))) == 12
        assert len(set(answer.partition.labels)) == 12


@pytest.mark.parametrize("rows", [60, 480, 520])
def test_a_table_of_running_text_is_linked_whatever_its_size(rows):
    given = running_text(rows)
    answer = crossdoc.resolve(given, describe=False)
    assert answer.runs[-1].method == "mean-max-linkage"
    entity = dict(zip(answer.partition.ids, answer.partition.labels.tolist(), strict=True))
    surname = dict(zip(given["id"].to_pylist(), (name.split()[-1] for name in given["name"].to_pylist()), strict=True))
    together = {frozenset(id for id in surname if surname[id] == each) for each in set(surname.values())}
    found = {frozenset(id for id in entity if entity[id] == each) for each in set(entity.values())}
    assert found == together


@pytest.mark.parametrize("rows", [200, 480, 520])
def test_links_are_sampled_whatever_their_number(rows):
    given, entity = table(rows)
    answer = crossdoc.resolve(given, describe=False)
    assert answer.runs[-1].method == "bags"
    assert len(set(answer.partition.labels.tolist())) == len(set(entity))
