"""Responses that are kept until the file changes."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from crossdoc.web.response_cache import ResponseCache


class App:
    """Counts the requests that reach it, and answers each with its number."""

    def __init__(self, status=200, body=b"%d"):
        self.status, self.body, self.calls, self.during = status, body, 0, lambda: None

    async def __call__(self, scope, receive, send):
        self.calls += 1
        number = self.calls
        await asyncio.sleep(0.01)
        self.during()
        await send({"type": "http.response.start", "status": self.status, "headers": []})
        await send({"type": "http.response.body", "body": self.body % number if b"%" in self.body else self.body})


def scope(path="/api/log", query=b"", method="GET", encoding=b"gzip"):
    headers = [(b"accept-encoding", encoding)]
    return {"type": "http", "method": method, "path": path, "query_string": query, "headers": headers}


async def asked(cache, *scopes):
    """Return the bodies of requests at once."""

    async def one(each):
        sent = []

        async def send(message):
            sent.append(message)

        await cache(each, None, send)
        return sent[1]["body"]

    return await asyncio.gather(*map(one, scopes))


def finished(work):
    # A browser test in the same process leaves an event loop running in this thread.
    with ThreadPoolExecutor(1) as apart:
        return apart.submit(asyncio.run, work).result()


@pytest.fixture
def reader():
    return SimpleNamespace(version=1)


def cached(app, reader, **more):
    return ResponseCache(app, reader, {"/api/log", "/api/search"}, **more)


def test_a_response_is_kept_until_the_file_changes(reader):
    app = App()
    cache = cached(app, reader)

    async def run():
        found = [*await asked(cache, scope()), *await asked(cache, scope())]
        reader.version = 2
        return [*found, *await asked(cache, scope()), *await asked(cache, scope())]

    assert finished(run()) == [b"1", b"1", b"2", b"2"]


def test_requests_for_the_same_at_the_same_time_wait_for_one(reader):
    app = App()
    cache = cached(app, reader)
    assert finished(asked(cache, *[scope()] * 50)) == [b"1"] * 50
    assert app.calls == 1


@pytest.mark.parametrize(
    "other",
    [{"query": b"a=1"}, {"path": "/api/search"}, {"encoding": b""}, {"method": "POST"}, {"path": "/api/state"}],
    ids=str,
)
def test_other_requests_have_their_own(reader, other):
    cache = cached(App(), reader)
    assert sorted(finished(asked(cache, scope(), scope(**other)))) == [b"1", b"2"]


def test_neither_changes_nor_searches_for_words_are_kept(reader):
    app = App()
    cache = cached(app, reader)
    for each in (scope(method="POST"), scope("/api/search", b"q=x&words=steel"), scope("/api/orders")):
        before = app.calls
        finished(asked(cache, each, each))
        assert app.calls == before + 2


def test_failures_are_not_kept_and_those_who_waited_ask_themselves(reader):
    app = App(status=503)
    assert len(set(finished(asked(cached(app, reader), *[scope()] * 5)))) == 5
    assert app.calls == 5


def test_an_error_lets_the_others_go_on(reader):
    app = App()

    def fail_once():
        app.during = lambda: None
        raise RuntimeError("no answer")

    app.during = fail_once
    cache = cached(app, reader)

    async def run():
        return await asyncio.gather(asked(cache, scope()), asked(cache, scope()), return_exceptions=True)

    failed, found = finished(run())
    assert isinstance(failed, RuntimeError)
    assert found == [b"2"]


def test_a_response_of_a_file_that_changed_meanwhile_is_not_kept(reader):
    app = App()

    def change():
        reader.version += 1

    app.during = change
    cache = cached(app, reader)
    for _ in range(3):
        finished(asked(cache, scope()))
    assert app.calls == 3


def test_the_least_recently_used_are_dropped(reader):
    app = App(body=b"x" * 1000)
    cache = cached(app, reader, most=6000)

    async def run(*queries):
        for each in queries:
            await asked(cache, scope(query=each))
        return app.calls

    assert finished(run(b"a", b"b", b"c")) == 3
    assert finished(run(b"a", b"d", b"a", b"c", b"d")) == 4
    assert finished(run(b"b")) == 5


def test_a_large_response_is_not_kept(reader):
    app = App(body=b"x" * 7000)
    cache = cached(app, reader, most=6000)
    for _ in range(2):
        finished(asked(cache, scope()))
    assert app.calls == 2
