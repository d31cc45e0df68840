"""Parts of a page that are loaded in parallel: fast parts are in the page, slow ones are added later."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from nicegui import background_tasks, ui

from crossdoc.errors import CrossdocError, page_failed
from crossdoc.web.parts.basics import show_error, tag

Result = TypeVar("Result")
log = logging.getLogger(__name__)
LOADING_PATIENCE = 0.5
"""Seconds that a page waits for its parts before it is shown without the missing ones."""


async def in_thread(work: Callable[..., Result], *arguments: Any, **options: Any) -> Result:
    """Run a function in a thread, so that other pages are served meanwhile."""
    return await asyncio.to_thread(work, *arguments, **options)


class Later:
    """The parts of a page: ``later.put(load, show)`` for each, then ``await later.shown()``."""

    def __init__(self) -> None:
        self._tasks: list[asyncio.Task[None]] = []

    def put(self, load: Callable[[], Any], show: Callable[[Any], None], height: str = "6rem") -> None:
        """Load a part in a thread and show it here; meanwhile a skeleton is shown."""
        with tag("div", classes="x-stack") as place, tag("div", role="status", aria_label="Loading …"):
            tag("div", classes="x-skeleton").style(f"height: {height}")
        self.add(_fill(place, load, show))

    def add(self, work: Coroutine[Any, Any, None]) -> None:
        """Add other work that the page waits for."""
        self._tasks.append(background_tasks.create(work, name="part of a page"))

    async def shown(self) -> None:
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=LOADING_PATIENCE)


async def _fill(place: ui.element, load: Callable[[], Any], show: Callable[[Any], None]) -> None:
    failed: CrossdocError | None = None
    found = None
    try:
        found = await in_thread(load)
    except CrossdocError as error:
        failed = error
    except Exception as error:  # The other parts of the page are still useful.
        log.exception("a part of a page failed")
        failed = page_failed(f"{type(error).__name__}: {error}")
    if place.is_deleted:
        return
    place.clear()
    with place:
        if failed is None:
            show(found)
        else:
            show_error(failed)
