"""Where dots are put: near whom they stand with, within the picture, and always the same."""

from __future__ import annotations

import numpy as np
import pytest

from crossdoc.store.views import Line, Network, Related
from crossdoc.web.parts.network_graph import AROUND, MOST_BARS, filled, laid_out, network, star, timeline


def line(number: int, documents: int = 3) -> Line:
    return Line(f"id{number}", f"Name {number}", "", "person", documents, 5, 1990, 1999, 0.9)


def groups(n: int, each: int) -> list[tuple[int, int, int]]:
    """Edges within groups, and one between each group and the next."""
    within = [
        (a, b, 5) for start in range(0, n, each) for a in range(start, start + each) for b in range(a + 1, start + each)
    ]
    return within + [(start, start + each, 1) for start in range(0, n - each, each)]


def test_who_stands_together_is_near():
    places = laid_out(30, groups(30, 10))
    apart = np.sqrt(((places[:, None] - places[None]) ** 2).sum(2))
    same = np.arange(30)[:, None] // 10 == np.arange(30)[None] // 10
    assert apart[same & ~np.eye(30, dtype=bool)].mean() < 0.7 * apart[~same].mean()
    assert places.min() >= 0
    assert places.max() <= 1
    assert np.array_equal(places, laid_out(30, groups(30, 10)))


def test_nobody_and_one():
    assert laid_out(0, []).shape == (0, 2)
    assert network(Network([], []), 100, 100) == ([], [])
    nodes, edges = network(Network([line(1)], []), 100, 100)
    assert [node["id"] for node in nodes] == ["id1"]
    assert edges == []


def test_a_network_is_within_its_picture_and_names_do_not_cover_each_other():
    lines = [line(number, 100 - number) for number in range(100)]
    nodes, edges = network(Network(lines, [(f"id{a}", f"id{b}", n) for a, b, n in groups(100, 10)]), 1000, 600)
    assert all(0 <= node["x"] <= 1000 and 0 <= node["y"] <= 600 for node in nodes)
    assert nodes[0]["r"] == max(node["r"] for node in nodes)
    named = [node for node in nodes if not node["minor"]]
    assert len(named) > 20
    for at, a in enumerate(named):
        for b in named[at + 1 :]:
            beside = abs(a["x"] - b["x"]) >= 3.6 * (len(a["label"]) + len(b["label"]))
            assert beside or abs(a["y"] + a["r"] - b["y"] - b["r"]) >= 15
    assert edges[0][2] == max(edge[2] for edge in edges)


def test_a_star_has_its_centre_and_the_most_frequent_around_it():
    found = [Related(line(number), 20 - number, ["family:wife"] if number == 1 else []) for number in range(1, 20)]
    nodes, edges = star(line(0), found, 800, 400)
    assert len(nodes) == AROUND + 1
    assert (nodes[0]["x"], nodes[0]["y"], nodes[0]["centre"]) == (400, 200, True)
    assert all(20 <= node["x"] <= 780 and 10 <= node["y"] <= 390 for node in nodes)
    assert [edge[:2] for edge in edges] == [[0, at] for at in range(1, AROUND + 1)]
    assert edges[0][2] > edges[-1][2]
    assert edges[0][3] == "wife"
    assert "18 documents together" in edges[1][3]


@pytest.mark.parametrize(
    ("periods", "expected"),
    [
        ([], []),
        ([("soon", 1)], []),
        ([("1996", 2), ("1998", 1)], [("1996", 2), ("1997", 0), ("1998", 1)]),
        ([("1996-11", 2), ("1997-01", 1)], [("1996-11", 2), ("1996-12", 0), ("1997-01", 1)]),
        ([("1996", 2), ("1997-01", 1), ("1997-03", 1)], [("1996", 2), ("1997", 2)]),
    ],
)
def test_periods_without_documents_are_added(periods, expected):
    assert filled(periods) == expected


def test_bars_are_relative_to_the_longest_and_listed_for_screen_readers(client, elements):
    timeline([("1996", 2), ("1998", 1)])
    assert [each._style["height"] for each in elements("i")] == ["100.0%", "0.0%", "50.0%"]
    assert [each._text for each in elements("li")] == ["1996: 2 documents", "1998: 1 document"]


def test_a_long_range_has_no_empty_bars(client, elements):
    timeline([(str(year), 1) for year in range(1000, 2000, 10)])
    assert len(elements("i")) == MOST_BARS
    assert elements("li")[-1]._text == "1990: 1 document"
