"""The engine that the tests of rounds share."""

import pytest

from crossdoc.engine import LocalEngine


@pytest.fixture
def local():
    with LocalEngine(2) as engine:
        yield engine
