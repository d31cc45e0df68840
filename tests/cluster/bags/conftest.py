"""The engine that the tests of rounds share."""

import pytest

from crossdoc.cluster.bags import topics
from crossdoc.engine import LocalEngine


@pytest.fixture
def local():
    with LocalEngine(2) as engine:
        yield engine


@pytest.fixture
def small_topics(monkeypatch):
    """A few bags a topic, so that there are several of some hundred mentions."""
    monkeypatch.setattr(topics, "BAGS_IN_A_TOPIC", 3)
