import xml.etree.ElementTree as ET

import numpy as np
import pytest
from scipy import sparse

from crossdoc.cluster.contexts.cluster_words import cluster_words
from crossdoc.cluster.contexts.context_clustering import ContextClustering
from crossdoc.cluster.contexts.stopping_figure import stopping_figure
from crossdoc.model import Vectors

SVG = "{http://www.w3.org/2000/svg}"


def test_words_describe_and_tell_apart():
    features = np.array(["boat", "car", "said", "squid"], dtype=object)
    rows = sparse.csr_matrix(np.array([[0, 0.8, 0.6, 0], [0, 0.6, 0.8, 0], [0.3, 0, 0.5, 0.8], [0, 0, 0.6, 0.8]]))
    cars, squid = cluster_words(Vectors(rows, features), np.array([0, 0, 1, 1]), most=3)
    assert cars.describing == ["car", "said"]
    assert cars.discriminating == ["car"]
    assert squid.describing == ["squid", "said", "boat"]
    assert squid.discriminating == ["squid", "boat"]


def test_words_need_words():
    with pytest.raises(ValueError, match="features"):
        cluster_words(Vectors(sparse.csr_matrix(np.eye(2))), np.array([0, 1]))


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
