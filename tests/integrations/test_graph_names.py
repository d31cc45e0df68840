"""Names of graph nodes: one per identity, none twice."""

import crossdoc
from crossdoc.integrations.graph_names import new_names, unique_names

ROWS = [
    {"name": "John Smith", "text": "John Smith, the chairman of General Motors in Detroit"},
    {"name": "J. Smith", "text": "the chairman of General Motors, J. Smith, in Detroit"},
    {"name": "John Smith", "text": "John Smith, Labour leader in the House of Commons"},
    {"name": "John Smith", "type": "EVENT"},
]


def test_variants_are_joined_namesakes_split_and_other_types_kept():
    with crossdoc.resolve_mentions(ROWS) as answer:
        names, counts = new_names(answer, [row["name"] for row in ROWS])
    assert names[0] == names[1] != names[2]
    assert names[3] == "John Smith"
    assert len(set(names)) == 3
    assert (counts.mentions, counts.nodes_before, counts.nodes, counts.joined, counts.split) == (4, 2, 3, 1, 1)


def test_a_single_bearer_keeps_the_plain_name():
    with crossdoc.resolve_mentions([{"name": "Ann Lee"}]) as answer:
        assert list(unique_names(answer.resolution).values()) == ["Ann Lee"]
        assert list(unique_names(answer.resolution, ["Ann Lee"]).values()) == ["Ann Lee (2)"]


def test_names_are_unique_in_the_form_of_the_graph():
    rows = [{"name": "Ann Lee", "text": "Ann Lee, the pilot"}, {"name": "ANN LEE", "type": "EVENT"}]
    with crossdoc.resolve_mentions(rows) as answer:
        assert new_names(answer, ["Ann Lee", "ANN LEE"], str.upper)[0] == ["ANN LEE (2)", "ANN LEE"]
