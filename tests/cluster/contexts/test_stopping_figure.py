"""The plots of stopping rules."""

import xml.etree.ElementTree as ET

import numpy as np

from crossdoc.cluster.contexts.context_clustering import ContextClustering
from crossdoc.cluster.contexts.stopping_figure import stopping_figure

SVG = "{http://www.w3.org/2000/svg}"


def test_the_figure_has_a_panel_for_the_criterion_and_each_rule():
    rows = np.kron(np.eye(3), np.ones((6, 4))) * (np.random.default_rng(0).random((18, 12)) < 0.8)
    found = ContextClustering(stop="all", references=2).fit(rows)
    drawn = stopping_figure("i2", found.criterion_, found.first_k_, found.stopping_, minimised=False)
    root = ET.fromstring(drawn)
    titles = [text.text for text in root.iter(f"{SVG}text") if text.get("font-weight") == "bold"]
    told = {rule: said.k for rule, said in found.stopping_.items()}
    assert titles == [
        "I2 vs k",
        f"PK1 vs k: {told['pk1']}",
        f"PK2 vs k: {told['pk2']}",
        f"PK3 vs k: {told['pk3']}",
        "I2, observed and reference",
        f"Gap vs k: {told['gap']}",
    ]
    k = len(found.criterion_)
    assert len(list(root.iter(f"{SVG}circle"))) == k + k + (k - 1) + (k - 2) + 2 * k + k


def test_a_curve_of_one_value_can_be_drawn():
    found = ContextClustering(stop="all", references=1).fit(np.ones((1, 2)))
    assert ET.fromstring(stopping_figure("e1", found.criterion_, 1, found.stopping_, minimised=True)) is not None
