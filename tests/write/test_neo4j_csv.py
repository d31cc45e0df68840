"""CSV for neo4j-admin: headers of its form, keys that are there, text that a CSV reader gets back."""

import csv
import re

from crossdoc.write.neo4j_csv import HEADERS, write_neo4j

FIELD = re.compile(
    r"\w+:ID\(\w+\)|:(?:START|END)_ID\(\w+\)|:LABEL|:TYPE|\w+(?::(?:int|long|double|boolean|string)(?:\[\])?)?"
)
"""A field of a header, as the manual of neo4j-admin has it."""


def read(path):
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_every_header_is_of_the_form_that_the_manual_gives():
    assert all(FIELD.fullmatch(field) for header in HEADERS.values() for field in header)
    for name, header in HEADERS.items():
        ends = sum("_ID(" in field for field in header)
        assert ends == (0 if name in ("identities.csv", "documents.csv") else 2)
        assert header[-1] in (":LABEL", ":TYPE")


def test_relationships_lead_to_nodes_that_are_there(identities, documents, appearances, tmp_path):
    shared = [("d/1 :0:3", "o1", 1)]
    assert write_neo4j(identities, documents, appearances, shared, tmp_path / "graph") == 4
    nodes = {row["id:ID(Identity)"]: row for row in read(tmp_path / "graph" / "identities.csv")}
    texts = {row["id:ID(Document)"] for row in read(tmp_path / "graph" / "documents.csv")}
    assert nodes["d/1 :0:3"] == {**nodes["d/1 :0:3"], "name": "Ann <Lee>", "names:string[]": "Ann <Lee>;A. Lee",
                                 ":LABEL": "Identity;Person", "documents:int": "2"}  # fmt: skip
    assert nodes["u1"][":LABEL"] == "Identity"
    for row in read(tmp_path / "graph" / "mentioned_in.csv"):
        assert row[":START_ID(Identity)"] in nodes
        assert row[":END_ID(Document)"] in texts
    (link,) = read(tmp_path / "graph" / "shares_documents.csv")
    assert {link[":START_ID(Identity)"], link[":END_ID(Identity)"]} <= nodes.keys()
    assert "--relationships=mentioned_in.csv" in (tmp_path / "graph" / "import.sh").read_text()


def test_a_separator_within_a_name_does_not_split_it(identities, tmp_path):
    from dataclasses import replace

    odd = replace(identities[1], variants={"A; B": 1, "C": 1})
    write_neo4j([odd], [], [], [], tmp_path)
    assert read(tmp_path / "identities.csv")[0]["names:string[]"] == "A, B;C"
