"""A NiceGUI page in memory, on which the tests of this folder create elements."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from nicegui import Client
from nicegui.page import page


@pytest.fixture
def client() -> Iterator[Client]:
    with Client(page("/test"), request=None) as made:
        yield made
    made.delete()


@pytest.fixture
def elements(client: Client) -> Callable[..., list[Any]]:
    """Return the elements with a tag, in the order in which they were created."""

    def find(name: str) -> list[Any]:
        return [element for element in client.elements.values() if element.tag == name]

    return find
