"""The John Smith corpus as SERIF and LingPipe read it: profiles of a third-party extractor."""

import json

import pytest
from corpora import serif
from read_corpus import convert
from typer.testing import CliRunner

from crossdoc.cli import app
from crossdoc.errors import InputError, UsageError

PER, ORG, GPE = 0, 1, 10
NAME, PRO, NOM = 0, 1, 2


def _sentence(text, mentions):
    """Tokens of a sentence; `mentions` says of a token's number: (entity type, mention, chain, mention type)."""
    tokens = [[word, "X", None, -1, -1, None] for word in text.split()]
    for number, (type, mention, chain, kind) in mentions.items():
        tokens[number][2:] = [type, mention, chain, kind]
    return tokens


SMITH = [
    _sentence(
        "Mr. John Smith , 54 , chairman of GM , met his wife Mary Ash in Paris .",
        {
            1: (PER, 0, 0, NAME), 2: (PER, 0, 0, NAME), 6: (PER, 1, 0, NOM), 8: (ORG, 2, 1, NAME),
            11: (PER, 3, 0, PRO), 12: (PER, 4, 2, NOM), 13: (PER, 5, 2, NAME), 14: (PER, 5, 2, NAME),
            16: (GPE, 6, 3, NAME),
        },
    ),
    _sentence("Smith left -LRB- alone -RRB- .", {0: (PER, 7, 0, NAME)}),
    _sentence("The smoker stayed .", {1: (PER, 8, 4, NOM)}),
]  # fmt: skip
LINKS = [
    {"1": 8, "2": 0, "3": 1, "4": 0, "5": 2},
    {"1": 6, "2": 0, "3": 3, "4": 0, "5": 4},
    {"1": 0, "2": 0, "3": 8, "4": 0, "5": 6} | {"2": 2},
]
TWICE = [
    _sentence("John Smith sang .", {0: (PER, 0, 0, NAME), 1: (PER, 0, 0, NAME)}),
    _sentence("John F. Smith danced .", {0: (PER, 1, 1, NAME), 1: (PER, 1, 1, NAME), 2: (PER, 1, 1, NAME)}),
]
SMITHEE = [_sentence("John Smithee slept .", {0: (PER, 0, 0, NAME), 1: (PER, 0, 0, NAME)})]


def _line(doc, gold, sentences, links=()):
    return {
        "doc": doc,
        "gold_entity": gold,
        "sentences": {"serif": sentences, "lingpipe": []},
        "relations": {"serif": list(links), "lingpipe": []},
        "attributes": {"lingpipe": []},
    }


@pytest.fixture
def path(write):
    lines = [_line("a", "0", SMITH, LINKS), _line("b", "1", TWICE), _line("c", "2", SMITHEE)]
    return write("john_smith_serif.jsonl.xz", lines)


def test_a_profile_is_a_chain_with_a_name(path):
    found = [(profile.id, profile.name, profile.type) for profile in serif.profiles(path)]
    assert found[:4] == [
        ("0/a:4:14", "John Smith", "person"),
        ("0/a:32:34", "GM", "organisation"),
        ("0/a:44:48", "Mary Ash", "person"),
        ("0/a:61:66", "Paris", "place"),
    ]
    assert len(found) == 7


def test_context_is_the_text_with_its_punctuation_and_brackets_back(path):
    smith = next(serif.profiles(path))
    text = (
        "Mr. John Smith, 54, chairman of GM, met his wife Mary Ash in Paris.\nSmith left (alone).\nThe smoker stayed."
    )
    assert smith.context == text


def test_attributes_are_read_from_the_mentions(path):
    smith = next(serif.profiles(path))
    assert smith.attributes == {
        "alternate name": ["Smith"],
        "descriptor": ["chairman"],
        "first": ["john"],
        "last": ["smith"],
        "title": ["mr"],
        "age": ["54"],
        "gender": ["m"],
    }


def test_relations_run_both_ways_in_the_words_of_our_own_extractor(path):
    smith, motors, mary, *_ = serif.profiles(path)
    said = {(link.type, link.name, link.profile) for link in smith.relations}
    assert {("employment:chairman", "GM", motors.id), ("family:wife", "Mary Ash", mary.id)} <= said
    assert ("list", "Paris", "0/a:61:66") in said
    assert ("employment:chairman", "John Smith") in {(link.type, link.name) for link in motors.relations}
    assert ("family:husband", "John Smith") in {(link.type, link.name) for link in mary.relations}
    assert all(link.evidence.startswith("Mr. John Smith, 54,") for link in smith.relations)


def test_a_relation_of_an_unnamed_chain_is_left_out(path):
    assert not any(link.type == "location" for profile in serif.profiles(path) for link in profile.relations)


def test_one_name_is_one_profile_a_document(path):
    found = list(serif.profiles(path, name="John Smith"))
    assert [profile.id for profile in found] == ["0/a", "1/b", "2/c"]
    both = found[1]
    assert (both.name, both.context) == ("John F. Smith", "John Smith sang.\nJohn F. Smith danced.")
    assert both.attributes["alternate name"] == ["John Smith"]


def test_a_document_in_which_no_chain_has_the_name_is_its_whole_text(path):
    smithee = list(serif.profiles(path, name="John Smith"))[2]
    assert (smithee.name, smithee.context, smithee.attributes) == ("John Smith", "John Smithee slept.", {})
    assert serif.without_name(path, "John Smith") == ["2/c"]


def test_gold_is_of_the_profiles_that_are_given(path):
    every = serif.gold(path).to_pydict()
    assert every == {"id": ["0/a:4:14", "1/b:0:10", "1/b:17:30"], "entity": ["0", "1", "1"]}
    assert serif.gold(path, name="John Smith").to_pydict() == {"id": ["0/a", "1/b", "2/c"], "entity": ["0", "1", "2"]}
    assert set(every["id"]) <= {profile.id for profile in serif.profiles(path)}


def test_other_files_and_systems_are_refused(path, write):
    with pytest.raises(UsageError, match="no system 'aerotext'"):
        next(serif.profiles(path, "aerotext"))
    with pytest.raises(InputError, match="not the John Smith corpus"):
        next(serif.profiles(write("other.jsonl", [{"id": "a", "text": "b"}])))


def test_the_script_writes_profiles_that_resolve_reads_and_gold_that_score_reads(path, tmp_path):
    def run(*arguments):
        result = CliRunner().invoke(app, [str(argument) for argument in arguments])
        assert result.exit_code == 0, result.output
        return result.output

    profiles, gold, store = tmp_path / "profiles.jsonl", tmp_path / "gold.csv", tmp_path / "x.crossdoc"
    convert("john-smith-serif", path, profiles, gold, name="John Smith")
    assert [json.loads(line)["id"] for line in profiles.read_text().splitlines()] == ["0/a", "1/b", "2/c"]
    run("resolve", profiles, "-o", store)
    assert json.loads(run("score", store, gold, "--json"))["counts"]["items"] == 3


@pytest.mark.slow
def test_the_whole_corpus(corpus_folder):
    path = corpus_folder("john_smith_serif.jsonl.xz")
    ids = [profile.id for profile in serif.profiles(path)]
    assert len(ids) == len(set(ids)) == 6_482
    assert len(list(serif.profiles(path, name="John Smith"))) == 197
    assert serif.without_name(path, "John Smith") == ["8/970429.552", "14/970317.818"]
    assert len(set(serif.gold(path, name="John Smith").column("entity").to_pylist())) == 35
    assert len(serif.without_name(path, "John Smith", "lingpipe")) == 3
