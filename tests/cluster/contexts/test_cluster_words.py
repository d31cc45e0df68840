import numpy as np
import pytest
from scipy import sparse

from crossdoc.cluster.contexts.cluster_words import cluster_words
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
