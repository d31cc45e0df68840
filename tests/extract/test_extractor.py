"""Extractors that other packages bring, and tables made of profiles a few at a time."""

import re
import sys
import types
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import pytest

from crossdoc.errors import CrossdocError, UsageError
from crossdoc.extract import extractor as protocol
from crossdoc.extract.extractor import PROFILES_AT_ONCE, mention_of, tables_of
from crossdoc.model import Document, Documents, Mention, Mentions, Profile, Profiles
from crossdoc.run import resolve as pipeline
from crossdoc.settings import Settings


def _mention(start, end, text, type="person", chain=None, kind="name"):
    return Mention(f"d:{start}:{end}", "d", start, end, text, type, kind, chain)


# -- extractors of other packages ----------------------------------------------------------------------------------


@pytest.fixture
def install(monkeypatch):
    """Put an extractor under the name "doctors", as an installed package would."""

    def _install(extractor):
        module = types.ModuleType("dr_extractor")
        module.DoctorExtractor = extractor
        monkeypatch.setitem(sys.modules, "dr_extractor", module)
        point = EntryPoint("doctors", "dr_extractor:DoctorExtractor", protocol.GROUP)
        monkeypatch.setattr(protocol, "entry_points", lambda group: EntryPoints([point]).select(group=group))

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
    return protocol.load_extractor("doctors").extract(Documents.of([Document("d", text)]))


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
        protocol.load_extractor("nurses")
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


def test_tables_keep_the_order_of_profiles_over_several_batches():
    document = Document("a", "Ann  Lee")
    ids = [f"p{n}" for n in range(2 * PROFILES_AT_ONCE + 1)]
    mentions, profiles = tables_of(([mention_of(document, 0, 8, "person")], Profile(id, "a", "Ann Lee")) for id in ids)
    assert profiles.ids.tolist() == ids
    assert (len(mentions), mentions[-1].text) == (len(ids), "Ann Lee")
    assert [len(table) for table in tables_of([])] == [0, 0]
