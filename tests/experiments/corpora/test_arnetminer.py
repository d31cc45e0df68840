"""ArnetMiner: the papers of ambiguous author names."""

from corpora import arnetminer

from crossdoc.model import Relation

PAPERS = """<person>
<publication><id>1</id><title>On Trees</title><year>1999</year><authors>Ann Lee, Bo Ek</authors><jconf>KDD</jconf>
<label>0</label><organization>AT&T</organization></publication>
<publication><id>2</id><title>On Bees</title><year></year><authors>Ann Lee</authors><jconf>VLDB</jconf>
<label>1</label><organization>null</organization></publication>
<publication><id>2</id><title>On Bees</title><label>1</label></publication>
</person>"""


def test_profiles_and_gold(write, tmp_path):
    write("Ann Lee.xml", PAPERS)
    first, second = arnetminer.profiles(tmp_path)
    assert (first.id, first.name, first.context) == ("Ann Lee/1", "Ann Lee", "On Trees. KDD")
    assert first.attributes == {"written": ["1999"]}
    assert first.relations == (Relation("list", "Bo Ek"), Relation("employment", "AT&T"))
    assert (second.id, second.attributes, second.relations) == ("Ann Lee/2", {}, ())
    assert arnetminer.gold(tmp_path).to_pylist() == [
        {"id": f"Ann Lee/{paper}", "entity": f"Ann Lee/{label}", "group": "Ann Lee"}
        for paper, label in ((1, 0), (2, 1))
    ]


def test_the_published_corpus(corpus_folder):
    folder = corpus_folder("arnetminer")
    gold = arnetminer.gold(folder)
    assert [profile.id for profile in arnetminer.profiles(folder)] == gold.column("id").to_pylist()
    assert len(set(gold.column("id").to_pylist())) == len(gold)
