"""Small graphs of identities (one with its related ones, or the largest of a collection), and documents over time."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from nicegui import ui

from crossdoc.store.views import Line, Network, Related
from crossdoc.web.look import counted, kind
from crossdoc.web.parts.basics import tag
from crossdoc.web.parts.evidence_bars import relation_word
from crossdoc.web.session import identity_url

AROUND = 12
"""Identities around the centre; with more, names would overlap."""
LONGEST_LABEL = 22
"""Characters."""


class NetworkGraph(ui.element, component="crossdoc_graph.js"):
    """Identities as dots, which are links, and lines between them."""

    def __init__(self, label: str, size: tuple[int, int], nodes: list[dict[str, Any]], edges: list[list[Any]]) -> None:
        super().__init__()
        self.props.update(label=label, width=size[0], height=size[1], nodes=nodes, edges=edges)


def star(
    line: Line, related: Sequence[Related], width: int, height: int
) -> tuple[list[dict[str, Any]], list[list[Any]]]:
    """Return a graph of one identity and others around it; lines of more shared documents are thicker."""
    nodes = [_node(line, width / 2, height / 2, 13, centre=True)]
    edges: list[list[Any]] = []
    around = list(related)[:AROUND]
    most = max((each.documents for each in around), default=1)
    for at, each in enumerate(around):
        angle = 2 * math.pi * at / len(around) - math.pi / 2
        # Names are wide, so dots at the sides are further out, and every other one is nearer.
        out = (0.40 if at % 2 else 0.42) if len(around) > 6 else 0.36
        x, y = width / 2 + 0.94 * out * width * math.cos(angle), height / 2 + out * height * math.sin(angle)
        tip = (
            " · ".join(relation_word(type).rstrip(":") for type in each.types)
            or counted(each.documents, "document") + " together"
        )
        nodes.append(_node(each.line, x, y, 8, tip, below=math.sin(angle) > -0.2))
        edges.append([0, at + 1, 1 + 3 * each.documents / most, tip])
    return nodes, edges


def network(found: Network, width: int, height: int) -> tuple[list[dict[str, Any]], list[list[Any]]]:
    """Return a graph of the largest identities; those with many shared documents are near each other."""
    index = {line.id: at for at, line in enumerate(found.nodes)}
    edges = [(index[a], index[b], n) for a, b, n in found.edges if a in index and b in index]
    places = laid_out(len(found.nodes), edges)
    most = max((line.documents for line in found.nodes), default=1)
    heaviest = max((n for _, _, n in edges), default=1)
    nodes: list[dict[str, Any]] = []
    labels: list[tuple[float, float, float]] = []
    for line, (x, y) in zip(found.nodes, places, strict=True):
        node = _node(line, 70 + x * (width - 140), 24 + y * (height - 60), 3 + 9 * math.sqrt(line.documents / most))
        # The largest come first; a name that would cover another one is only shown for the dot under the pointer.
        half, below = 3.6 * len(node["label"]), node["y"] + node["r"] + 10
        node["minor"] = any(abs(node["x"] - x) < half + other and abs(below - y) < 15 for x, y, other in labels)
        if not node["minor"]:
            labels.append((node["x"], below, half))
        nodes.append(node)
    return nodes, [[a, b, 0.6 + 2.4 * n / heaviest, counted(n, "document") + " together"] for a, b, n in edges]


def _node(
    line: Line, x: float, y: float, radius: float, tip: str = "", *, centre: bool = False, below: bool = True
) -> dict[str, Any]:
    label = line.name if len(line.name) <= LONGEST_LABEL else line.name[: LONGEST_LABEL - 1] + "…"
    title = ", ".join(filter(None, [line.name, line.descriptor, tip or counted(line.documents, "document")]))
    return {
        "id": line.id, "x": round(x, 1), "y": round(y, 1), "r": round(radius, 1), "label": label, "title": title,
        "kind": kind(line.type), "href": identity_url(line.id), "centre": centre, "below": below,
    }  # fmt: skip


def laid_out(n: int, edges: Sequence[tuple[int, int, int]], rounds: int = 250) -> npt.NDArray[np.float64]:
    """Return positions in the unit square: nodes repel, edges attract (Fruchterman and Reingold, 1991).

    The start is a spiral, so that the same graph always looks the same.

    >>> laid_out(1, []).tolist()
    [[0.0, 0.0]]
    """
    if not n:
        return np.zeros((0, 2))
    turn = np.arange(n) * 2.399963
    places = np.sqrt((np.arange(n) + 0.5) / n)[:, None] * np.column_stack([np.cos(turn), np.sin(turn)])
    pull = np.zeros((n, n))
    for a, b, weight in edges:
        pull[a, b] = pull[b, a] = 1 + math.log(weight)
    distance = 1.6 / math.sqrt(n)
    for step in range(rounds):
        apart = places[:, None] - places[None]
        length = np.maximum(np.sqrt((apart**2).sum(2)), 1e-3)
        force = distance**2 / length - pull * length**2 / distance * 0.15
        moved = (apart * (force / length)[:, :, None]).sum(1) - distance * places
        size = np.maximum(np.sqrt((moved**2).sum(1, keepdims=True)), 1e-9)
        places = places + moved / size * np.minimum(size, 0.12 * (1 - step / rounds))
    low, high = places.min(0), places.max(0)
    even = places.argsort(0).argsort(0) / max(n - 1, 1)
    # Half way to evenly spread; otherwise an isolated node would leave all others a corner.
    return (places - low) / np.maximum(high - low, 1e-9) / 2 + even / 2


MOST_BARS = 60
LABEL_ROOM = 36
"""Characters of labels that fit below the bars."""


def filled(periods: Sequence[tuple[str, int]]) -> list[tuple[str, int]]:
    """Add the years (or months) without documents in between.

    >>> filled([("1996", 2), ("1998", 1)])
    [('1996', 2), ('1997', 0), ('1998', 1)]
    >>> filled([("1996-11", 2), ("1997-01", 1)])
    [('1996-11', 2), ('1996-12', 0), ('1997-01', 1)]
    """
    dated = [(period, n) for period, n in periods if period[:4].isdecimal()]
    unit: Literal["Y", "M"] = "Y" if any(len(period) == 4 for period, _ in dated) else "M"
    counts = Counter[Any]()
    for period, n in dated:
        counts[np.datetime64(period, unit)] += n
    return [(str(each), counts[each]) for each in np.arange(min(counts), max(counts) + 1)] if counts else []


def timeline(periods: Sequence[tuple[str, int]], one: str = "document", many: str = "") -> None:
    """Show bars with labels under some of them, and the numbers as a list for screen readers."""
    bars = filled(periods)
    if len(bars) > MOST_BARS:
        # A long range of years is shown without the empty ones.
        bars = list(periods)[-MOST_BARS:]
    most = max((n for _, n in bars), default=1)
    every = max(1, -(-len(bars) * (len(bars[0][0]) + 2) // LABEL_ROOM)) if bars else 1
    with tag("div", classes="x-years", aria_hidden="true"):
        for at, (period, n) in enumerate(bars):
            with tag("span", title=f"{period}: {counted(n, one, many)}"):
                tag("i").style(f"height: {n / most:.1%}" + ("" if n else "; opacity: .25"))
                if at % every == 0:
                    tag("small", period)
    with tag("ul", classes="x-hidden-text"):
        for period, n in bars:
            if n:
                tag("li", f"{period}: {counted(n, one, many)}")
