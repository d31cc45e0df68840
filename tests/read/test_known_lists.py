"""Known lists: what is read, and what is said of a list that cannot be."""

import pytest

from crossdoc import errors
from crossdoc.model import KnownEntry
from crossdoc.read import read_known

FULL = KnownEntry(
    "k1", "Ann Lee", ("A. Lee", "Annie"), "person", "a pilot", {"born": ["1960"], "country": ["CH", "FR"]}
)


def test_a_csv(write):
    path = write(
        "known.csv",
        "name,id,aliases,type,description,attributes,more\n"
        'Ann Lee,k1,A. Lee | Annie,Person,a pilot,"{""born"": 1960, ""country"": [""CH"", ""FR""]}",x\n'
        "Acme,7,,organization,,,\n",
    )
    assert read_known(path) == [FULL, KnownEntry("7", "Acme", (), "organisation")]


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_records(write, ending):
    full = {"id": "k1", "name": "Ann Lee", "aliases": ["A. Lee", "Annie"], "type": "person", "description": "a pilot",
            "attributes": {"born": ["1960"], "country": ["CH", "FR"]}}  # fmt: skip
    path = write(f"known.{ending}", [full, {"id": "k2", "name": "Zürich"}])
    assert read_known(path) == [FULL, KnownEntry("k2", "Zürich")]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("id,title\n1,Ann\n", "the column 'name' is missing (there are: id, title)"),
        ("id,name\n1,\n2,Bo\n", "line 2: the field 'name' is empty"),
        ("id,name\n,Ann\n", "line 2: the field 'id' is empty"),
        ("id,name,type\n1,Ann,ship\n", "the type must be one of person, organisation, place, not 'ship'"),
        ("id,name,attributes\n1,Ann,tall\n", "the field 'attributes' must be an object"),
        ("id,name\n1,Ann,x\n", "more cells than the header has names"),
    ],
)
def test_what_is_wrong_is_said_with_what_to_do(write, content, told):
    with pytest.raises(errors.InputError) as raised:
        read_known(write("known.csv", content))
    assert told in raised.value.what
    assert "id and name" in raised.value.hint


def test_aliases_that_are_no_texts(write):
    with pytest.raises(errors.InputError, match="'aliases' must be a list of texts"):
        read_known(write("known.jsonl", [{"id": "1", "name": "Ann", "aliases": [3]}]))


def test_duplicate_ids_and_nothing(write, tmp_path):
    with pytest.raises(errors.InputError, match="several records have the same id: '1'"):
        read_known(write("twice.csv", "id,name\n1,Ann\n1,Bo\n"))
    with pytest.raises(errors.InputError, match="holds no known entry"):
        read_known(write("empty.csv", "id,name\n"))
    with pytest.raises(errors.InputError, match="cannot be read"):
        read_known(write("broken.parquet", b"PAR1 not really"))
    with pytest.raises(errors.InputError, match="what kind of file"):
        read_known(write("list.txt", "Ann\n"))
    with pytest.raises(errors.UsageError, match="no file or folder"):
        read_known(tmp_path / "missing.csv")
