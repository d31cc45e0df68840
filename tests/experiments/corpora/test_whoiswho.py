"""WhoIsWho: the papers of ambiguous author names."""

import json

import pytest
from corpora import whoiswho

from crossdoc.errors import CrossdocError
from crossdoc.model import Relation

PAPERS = {
    "p1": {"id": "p1", "title": "On Trees", "venue": "KDD", "year": 1999, "abstract": "Trees grow.",
           "keywords": ["trees", "growth"],
           "authors": [{"name": "Bo Ek", "org": "MIT"}, {"name": "Qian Haifeng", "org": "IBM"}]},
    "p2": {"id": "p2", "title": "On Bees", "authors": [{"name": "A. Nother"}]},
}  # fmt: skip


@pytest.fixture
def folder(write, tmp_path):
    write("train/train_author.json", json.dumps({"haifeng_qian": {"a1": ["p1"], "a2": ["p2", "p2"]}}))
    write("train/train_pub.json", json.dumps(PAPERS))
    write("valid/sna_valid_ground_truth.json", json.dumps({"bo_ek": [["p1"]]}))
    write("valid/sna_valid_pub.json", json.dumps(PAPERS))
    return tmp_path


def test_profiles_and_gold(folder):
    first, second = whoiswho.profiles(folder, "train")
    assert (first.id, first.name) == ("haifeng_qian/p1", "Qian Haifeng")
    assert first.context == "On Trees. KDD. Trees grow. trees, growth"
    assert first.relations == (Relation("list", "Bo Ek"), Relation("employment", "IBM"))
    assert first.attributes == {"written": ["1999"]}
    assert (second.name, second.relations) == ("Haifeng Qian", (Relation("list", "A. Nother"),))
    assert whoiswho.gold(folder, "train").to_pylist() == [
        {"id": f"haifeng_qian/p{n}", "entity": f"haifeng_qian/a{n}", "group": "haifeng_qian"} for n in (1, 2)
    ]


def test_parts_are_read_with_or_without_ids_of_authors(folder):
    assert [profile.id for profile in whoiswho.profiles(folder, "valid")] == ["bo_ek/p1"]
    assert whoiswho.gold(folder, "valid").column("entity").to_pylist() == ["bo_ek/0"]
    assert len(list(whoiswho.profiles(folder))) == len(whoiswho.gold(folder)) == 3


def test_another_folder_and_part_are_refused(tmp_path, folder):
    (tmp_path / "empty").mkdir()
    with pytest.raises(CrossdocError, match=r"train_author\.json"):
        list(whoiswho.profiles(tmp_path / "empty"))
    with pytest.raises(CrossdocError, match="test"):
        whoiswho.gold(folder, "test")
