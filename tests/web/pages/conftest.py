"""An explorer whose answer the tests of these pages change, one after the other; each works on names of its own."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.web.conftest import Explorer, settled, started

from crossdoc.run.resolution import Resolution


@pytest.fixture(scope="session")
def editable(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Explorer]:
    copy = Path(shutil.copy(sample, tmp_path_factory.mktemp("edited") / "sample.crossdoc"))
    running = started(copy, "--port", "8970")
    yield running
    running.stop()


@pytest.fixture
def identity_of(editable: Explorer) -> Callable[[str], str]:
    """The identity of a profile, as another process reads it."""

    def find(profile: str) -> str:
        with Resolution.open(editable.path) as answer:
            return answer.store.entity_of([profile])[profile]

    return find


@pytest.fixture
def entries(editable: Explorer) -> Callable[[], Any]:
    """The log, with what was taken back."""

    def read() -> Any:
        with Resolution.open(editable.path) as answer:
            return answer.store.entries(standing=False)

    return read


def correct(page: Any, why: str, name: str = "") -> None:
    """Fill in the dialog that is open, and send it off."""
    if name:
        page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Why?").fill(why)
    page.get_by_label("Why?").press("Enter")


def go_on(page: Any) -> None:
    """Close what tells of a change; the page is loaded again."""
    with page.expect_navigation():
        page.get_by_role("button", name="Continue").click()
    settled(page)
