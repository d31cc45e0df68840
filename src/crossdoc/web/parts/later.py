"""Parts of a page that are read one beside the other: what is quick stands in the page, the rest comes later."""

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
WITHIN = 0.5
"""Seconds that a page waits for its parts before it is shown without those that are missing."""


async def in_thread(work: Callable[..., Result], *arguments: Any, **options: Any) -> Result:
    """Read in a thread, so that other pages are answered meanwhile."""
    return await asyncio.to_thread(work, *arguments, **options)


class Later:
    """Collects the parts of a page: ``later.put(place, load, show)`` for each, then ``await later.shown()``."""

    def __init__(self) -> None:
        self._tasks: list[asyncio.Task[None]] = []

    def put(self, load: Callable[[], Any], show: Callable[[Any], None], height: str = "6rem") -> None:
        """Load in a thread and show here; a skeleton stands in for it meanwhile."""
        with tag("div", classes="x-stack") as place, tag("div", role="status", aria_label="Loading …"):
            tag("div", classes="x-skeleton").style(f"height: {height}")
        self.go_on(_fill(place, load, show))

    def go_on(self, work: Coroutine[Any, Any, None]) -> None:
        """Something else that the page waits for, but not long."""
        self._tasks.append(background_tasks.create(work, name="part of a page"))

    async def shown(self) -> None:
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=WITHIN)


async def _fill(place: ui.element, load: Callable[[], Any], show: Callable[[Any], None]) -> None:
    failed: CrossdocError | None = None
    found = None
    try:
        found = await in_thread(load)
    except CrossdocError as error:
        failed = error
    except Exception as error:  # The rest of the page is of use all the same.
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
