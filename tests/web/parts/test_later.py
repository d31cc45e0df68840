"""Parts of a page that are loaded in threads."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

from crossdoc import errors
from crossdoc.web.parts import later as module
from crossdoc.web.parts.basics import tag
from crossdoc.web.parts.later import Later, in_thread


def run(work):
    """Run a coroutine in a thread of its own: a browser test before may have left a running loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def shown(client, name="p"):
    return [element._text for element in client.elements.values() if element.tag == name]


def test_work_is_done_in_another_thread():
    names = run(in_thread(lambda: threading.current_thread().name))
    assert names != threading.current_thread().name


def test_a_part_replaces_its_skeleton(client, monkeypatch):
    monkeypatch.setattr(module.background_tasks, "create", lambda work, name: asyncio.ensure_future(work))

    async def page():
        with client:
            return await filled()

    async def filled():
        later = Later()
        later.put(lambda: "loaded", lambda found: tag("p", found))
        assert any("x-skeleton" in each._classes for each in client.elements.values())
        await later.shown()

    run(page())
    assert shown(client) == ["loaded"]
    assert not any("x-skeleton" in each._classes for each in client.elements.values())


def test_a_failed_part_shows_its_message_and_the_others_are_shown(client, monkeypatch, caplog):
    monkeypatch.setattr(module.background_tasks, "create", lambda work, name: asyncio.ensure_future(work))

    def fail():
        raise errors.UsageError("It is gone.", "Reload.")

    def break_down():
        raise ValueError("odd")

    async def page():
        with client:
            return await filled()

    async def filled():
        later = Later()
        for load in (fail, break_down, lambda: "loaded"):
            later.put(load, lambda found: tag("p", found))
        await later.shown()

    run(page())
    told = shown(client)
    assert told[:2] == ["It is gone.", "Reload."]
    assert any("ValueError: odd" in each for each in told if each)
    assert told[-1] == "loaded"
    assert "a part of a page failed" in caplog.text


def test_a_page_does_not_wait_for_a_slow_part(client, monkeypatch):
    monkeypatch.setattr(module.background_tasks, "create", lambda work, name: asyncio.ensure_future(work))
    monkeypatch.setattr(module, "LOADING_PATIENCE", 0.05)
    go = threading.Event()

    async def page():
        with client:
            return await filled()

    async def filled():
        later = Later()
        later.put(lambda: go.wait(30) and "late", lambda found: tag("p", found))
        await later.shown()
        before = shown(client)
        go.set()
        await asyncio.gather(*later._tasks)
        return before

    assert run(page()) == []
    assert shown(client) == ["late"]
