"""The explorer under fire: odd bodies and files, many requests at once, slow clients, an answer that vanishes."""

from __future__ import annotations

import asyncio
import io
import json
import os
import shutil
import socket
import subprocess
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import httpx
import pytest

PATHS = ("/api/state", "/api/search?q=smith", "/api/overview", "/api/identity?id=motors-1%3A65%3A78", "/api/log", "/")
NEW_PATHS = (
    "/api/state", "/api/search?q=smith&limit={}", "/api/overview?top={}", "/api/identity/members?id=motors-1%3A65%3A78&"
    "limit={}", "/api/network?top={}", "/",
)  # fmt: skip
PART_OF_READING = 0.7
"""Of the seconds that requests take one after the other, each with other parameters: 0.2 were measured."""


def client(running, **more):
    return httpx.Client(base_url=running.base, headers={"Authorization": f"Bearer {running.token}"}, timeout=60, **more)


BODIES = [
    b'{"a": "\\ud800", "b": "x", "verdict": "same"}',
    b'{"a": "\\udfff\\ud800", "b": "\\ud800", "verdict": "same"}',
    b'{"a": 1e999, "b": "x", "verdict": "same"}',
    b'{"a": NaN, "b": Infinity, "verdict": -Infinity}',
    b'{"a": ' + b"[" * 5000 + b"]" * 5000 + b"}",
    b'{"a": "' + b"x" * 100_000 + b'", "b": "y", "verdict": "same"}',
    b'{"a": "x", "a": "y", "b": "z", "verdict": "same"}',
    b"\xff\xfe{\x00}\x00",
    b"{",
    b"",
    b"null",
    b"[]",
    b'"\\ud800"',
    b"1" * 10_000,
    b'{"a": "\x00", "b": "y", "verdict": "same"}',
]
ROUTES = ("judge", "merge", "split", "rename", "undo", "remove")


@pytest.mark.parametrize("route", ROUTES)
def test_bodies_that_are_no_wish_are_refused_with_words(explorer, route):
    with client(explorer) as web:
        for body in BODIES:
            told = web.post(f"/api/{route}", content=body, headers={"Content-Type": "application/json"})
            assert told.status_code in (400, 404, 409, 413, 422), (body[:60], told.text)
            assert len(told.json()) > 0


HEADERS = [
    {"Origin": "http://["},
    {"Origin": "http://[::1"},
    {"Origin": "null"},
    {"Origin": "\x01"},
    {"Cookie": "=; ; =\xff"},
    {"Sec-Fetch-Site": "ünknown"},
    {"Content-Type": "multipart/form-data"},
    {"Content-Type": "multipart/form-data; boundary=" + "x" * 5000},
    {"Accept": "text/html;" * 500},
    {"Range": "bytes=9-1,-"},
]


@pytest.mark.parametrize("headers", HEADERS, ids=lambda each: f"{next(iter(each))}: {next(iter(each.values()))[:12]!r}")
def test_headers_of_any_kind_are_answered(explorer, headers):
    sent = {key.encode(): value.encode("latin-1") for key, value in headers.items()}
    with client(explorer) as web:
        for method, path in (("GET", "/api/state"), ("POST", "/api/judge"), ("POST", "/api/add"), ("GET", "/")):
            assert web.request(method, path, headers=[*sent.items()]).status_code < 500, (method, path)


async def ask(running, path: str) -> float:
    """Return the seconds of one request; httpx itself takes longer than the server with a thousand connections."""
    began = time.perf_counter()
    reading, writing = await asyncio.open_connection("127.0.0.1", running.port)
    sent = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{running.port}\r\nConnection: close\r\n"
    writing.write(f"{sent}Authorization: Bearer {running.token}\r\n\r\n".encode())
    told = await reading.read()
    writing.close()
    assert told.startswith(b"HTTP/1.1 200 "), (path, told[:300])
    return time.perf_counter() - began


async def asked_at_once(running, count: int) -> tuple[float, list[float]]:
    """Return the mean seconds of requests whose answers were not kept, and those of `count` requests at once."""
    first = count // 10  # Other parameters in each test.
    new = [await ask(running, path.format(n)) for n in range(first, first + 5) for path in NEW_PATHS]
    for path in PATHS:
        await ask(running, path)
    return sum(new) / len(new), sorted(await asyncio.gather(*(ask(running, PATHS[n % 6]) for n in range(count))))


@pytest.mark.parametrize("count", [100, pytest.param(1000, marks=pytest.mark.slow)])
def test_many_requests_at_once_take_less_than_if_each_read_the_file(explorer, count):
    # A browser test in the same process leaves an event loop running in this thread.
    with ThreadPoolExecutor(1) as apart:
        new, took = apart.submit(asyncio.run, asked_at_once(explorer, count)).result()
    median, late = took[count // 2], took[int(0.99 * count) - 1]
    print(f"{count} requests at once: median {median:.2f} s, p99 {late:.2f} s; {1000 * new:.1f} ms each if read anew")
    assert len(took) == count
    assert late < count * new * PART_OF_READING


def test_slow_clients_keep_nobody_waiting(explorer):
    slow = [socket.create_connection(("127.0.0.1", explorer.port)) for _ in range(100)]
    for each in slow:
        each.sendall(b"POST /api/judge HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n")
    with client(explorer) as web:
        began = time.perf_counter()
        assert web.get("/api/state").status_code == 200
        assert time.perf_counter() - began < 10
    for each in slow:
        each.close()


def test_the_file_vanishes_is_replaced_and_comes_back(explore, answer, tmp_path):
    running = explore()
    kept = shutil.copy(answer, tmp_path / "kept")
    with client(running) as web:
        assert web.get("/api/state").status_code == 200
        answer.unlink()
        time.sleep(0.5)
        gone = web.get("/api/identity?id=motors-1%3A65%3A78")
        assert (gone.status_code, "what" in gone.json() or "error" in gone.json()) in ((404, True), (503, True))
        refused = web.post("/api/judge", json={"a": "motors-2:203:213", "b": "paris-3:0:14", "verdict": "different"})
        assert refused.status_code in (400, 404, 409, 503)
        assert "has a bug" not in refused.text
        answer.write_bytes(b"no answer at all")
        other = web.get("/api/identity?id=motors-1%3A65%3A78")
        assert other.status_code in (404, 503)
        assert "has a bug" not in other.text
        os.replace(kept, answer)
        until = time.monotonic() + 20
        while web.get("/api/search?q=smith").status_code != 200 and time.monotonic() < until:
            time.sleep(0.2)
        assert web.get("/api/search?q=smith").json()
        judged = web.post("/api/judge", json={"a": "motors-2:203:213", "b": "paris-3:0:14", "verdict": "different"})
        assert judged.status_code == 200, judged.text


@contextmanager
def unwritable(path):
    """Let nobody write a file; for root, whom modes do not stop, it becomes immutable."""
    mode = path.stat().st_mode
    is_root = not os.geteuid()
    path.chmod(0o444)
    if is_root and subprocess.run(["chattr", "+i", path], capture_output=True, check=False).returncode:
        pytest.skip("root may write every file, and this file system has no immutable ones")
    try:
        yield
    finally:
        if is_root:
            subprocess.run(["chattr", "-i", path], check=True)
        path.chmod(mode)


@pytest.mark.slow
def test_the_file_becomes_read_only_and_writable_again(explore, answer):
    wish = {"a": "motors-2:203:213", "b": "paris-3:0:14", "verdict": "different"}
    running = explore()
    with client(running) as web:
        with unwritable(answer):
            refused = web.post("/api/judge", json=wish)
            assert (refused.status_code, refused.json()["state"]) == (400, "refused"), refused.text
            assert "permission to change" in refused.json()["refusal"]["what"], refused.text
            assert web.get("/api/search?q=smith").json()["total"] > 5
            assert web.get("/api/log").json() == []
        assert web.post("/api/judge", json=wish).status_code == 200
        assert len(web.get("/api/log").json()) == 1


def packed(name: str, content: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return made.getvalue()


ODD_FILES = {
    "empty.txt": b"",
    "spaces.txt": b" \n\t" * 100,
    "binary.txt": bytes(range(256)) * 40,
    "utf16.txt": "Ruth Tanner met Bo Kim in Paris.".encode("utf-16"),
    "latin.txt": "Zoë Müller met José García in Köln.".encode("latin-1"),
    "marks.txt": b"<" * 20_000 + b" Ruth Tanner spoke.",
    "nested.html": b"<div>" * 5_000 + b"Ruth Tanner met Bo Kim.",
    "broken.docx": b"PK\x03\x04 and no more",
    "broken.pdf": b"%PDF-1.7\n%%EOF",
    "bomb.zip": packed("a.txt", b"\0" * 30_000_000),
    "up.zip": packed("../../../tmp/up.txt", b"Ruth Tanner spoke."),
    "profiles.jsonl": json.dumps({"id": "p", "document": "p", "name": "Ann Li", "context": "x"}).encode(),
    "surrogate.jsonl": b'{"id": "s", "text": "Ruth \\ud800 Tanner spoke."}',
    "table.csv": b"a,b\n1,2\n",
    "damaged.parquet": b"PAR1 nothing PAR1",
    "unknown.exe": b"MZ",
    "a" * 200 + ".txt": b"Ruth Tanner met Bo Kim.",
    "..%2f..%2fx.txt": b"Ruth Tanner met Bo Kim.",
    "line\nbreak.txt": b"Ruth Tanner met Bo Kim.",
    "-o.txt": b"Ruth Tanner met Bo Kim.",
}


@pytest.mark.slow
def test_files_of_every_kind_are_added_or_refused_with_words(explore, answer):
    running = explore()
    outcomes = {}
    with client(running) as web:
        for name, content in ODD_FILES.items():
            told = web.post("/api/add", files={"files": (name, content)}, timeout=180)
            while told.status_code in (200, 202) and told.json()["state"] in ("waiting", "working"):
                time.sleep(0.3)
                told = web.get(f"/api/orders/{told.json()['number']}")
            assert told.status_code in (200, 400, 404, 409, 413, 422), (name, told.status_code, told.text)
            assert "has a bug" not in told.text, (name, told.text)
            outcomes[name] = told.json().get("state", told.status_code)
            assert web.get("/api/state").status_code == 200
    print(outcomes)
    assert sum(state == "done" for state in outcomes.values()) >= 5
    assert running.process.poll() is None
