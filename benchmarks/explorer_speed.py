"""How fast the explorer answers with 1.5 million profiles: every answer at the server, the first paint in a browser.

    python benchmarks/explorer_speed.py [--profiles N] [--file OUT.crossdoc] [--no-browser] [--limit 300] [--paint 2000]

Answers are those of the HTTP interface, as JSON, in milliseconds: the median and the worst of some, the processor's
time (on a busy machine it says more: it is what the work takes on one core), and the worst of both as a share of the
limit, where below 1 is good. `--file` keeps the made-up collection, and its index of words, for the next time.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import quote

import duckdb
from fastapi import FastAPI
from fastapi.testclient import TestClient
from large_collection import write

from crossdoc.web.api import router
from crossdoc.web.reader import Reader
from crossdoc.web.session import Session

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
PAINTED = "() => performance.getEntriesByName('first-contentful-paint').map(each => each.startTime)[0]"


@contextmanager
def timed(what: str) -> Iterator[None]:
    wall, cpu = time.perf_counter(), time.process_time()
    yield
    print(
        f"{what:44s} {time.perf_counter() - wall:7.1f} s, {time.process_time() - cpu:6.1f} s of the processor",
        flush=True,
    )


def questions(reader: Reader) -> dict[str, list[tuple[str, dict[str, Any]]]]:
    """What is asked, each of several kinds: of the largest identity, a middling one and a small one."""
    large, *_ = reader.search(limit=1).rows
    middling, *_ = reader.search(offset=3_000, limit=1).rows
    small, *_ = reader.search(offset=200_000, limit=1).rows or [middling]
    chosen = [large, middling, small]
    members = [reader.members(line.id, 0, 2) for line in chosen]
    typed = [large.name[:n] for n in (1, 2, 3, 5, len(large.name))]
    filters = {"type": "person", "from_year": 1990, "to_year": 1995, "least": 3, "unsurest": 0.5, "language": "fr"}
    return {
        "search: a name, as it is typed": [("/api/search", {"q": text}) for text in typed],
        "search: all filters, by name": [("/api/search", {"q": "b", "sort": "name", **filters})],
        "search: far down": [("/api/search", {"offset": 100_000})],
        "search: words": [("/api/search", {"words": w}) for w in ("chairman", "chairman pastor", "the", '"of the"')],
        "facets": [("/api/facets", {})],
        "overview": [("/api/overview", {})],
        "network of 100": [("/api/network", {})],
        "log": [("/api/log", {})],
        **{
            f"identity: {what or 'card'}": [(f"/api/identity/{what}".rstrip("/"), {"id": line.id}) for line in chosen]
            for what in ("", "members", "documents", "timeline", "related", "maybe", "history")
        },
        "document": [("/api/document", {"id": own[0].document}) for own in members],
        "profile": [("/api/profile", {"id": own[0].profile}) for own in members],
        "why: two profiles": [("/api/why", {"a": own[0].profile, "b": own[1].profile}) for own in members if own[1:]],
        "why: profile and identity": [
            ("/api/why/identity", {"profile": own[0].profile, "identity": large.id}) for own in members
        ],
    }


def answers(reader: Reader, path: Path, limit: float, times: int) -> float:
    """Print how long each answer takes; gives the worst as a share of the limit."""
    app = FastAPI()
    app.include_router(router(Session(path, reader, None)))
    worst = 0.0
    print(f"\n{'answer (ms)':34s} {'median':>8s} {'worst':>8s} {'cpu':>8s} {'worst/limit':>12s} {'cpu/limit':>10s}")
    with TestClient(app) as client:
        for what, asked in questions(reader).items():
            walls, cpus = [], []
            for address, parameters in [asked[0], *asked * times]:
                wall, cpu = time.perf_counter(), time.process_time()
                answer = client.get(address, params=parameters)
                walls.append(1000 * (time.perf_counter() - wall))
                cpus.append(1000 * (time.process_time() - cpu))
                assert answer.status_code == 200, answer.text
            # The first one of a kind may have something to load or count.
            walls, cpus = walls[1:], cpus[1:]
            worst = max(worst, max(walls) / limit)
            ratios = f"{max(walls) / limit:12.2f} {max(cpus) / limit:10.2f}"
            print(f"{what:34s} {median(walls):8.0f} {max(walls):8.0f} {median(cpus):8.0f} {ratios}", flush=True)
    return worst


def followed(reader: Reader, path: Path) -> None:
    """How long it takes until a change by somebody else is seen."""
    line = reader.search(offset=10, limit=1).rows[0]
    time.sleep(1)
    with duckdb.connect(str(path)) as db:
        for name in (line.name + " II", line.name):
            db.execute("UPDATE identities SET name = ? WHERE id = ?", [name, line.id])
            if name != line.name:
                db.execute("CHECKPOINT")
    with timed("\nthe first search after a change"):
        reader.search(line.name)


@contextmanager
def explorer(path: Path) -> Iterator[str]:
    command = [sys.executable, "-m", "crossdoc", "explore", str(path), "--no-browser", "--read-only", "--port", "8990"]
    environment = {**os.environ, "COLUMNS": "300", "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True)
    try:
        assert process.stdout is not None
        yield next(filter(None, (re.search(r"http://\S+", line) for line in process.stdout))).group()
    finally:
        process.terminate()
        process.wait()


def paints(path: Path, reader: Reader, limit: float, times: int) -> float:
    """Print when pages first show something; gives the worst as a share of the limit."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        print("\nno chromium is installed (`make browser`): no paint")
        return 0.0
    from playwright.sync_api import sync_playwright

    line = reader.search(limit=1).rows[0]
    a, b = (each.profile for each in reader.members(line.id, 0, 2))
    pages = {
        "search": "/",
        "search: a name": "/?q=" + quote(line.name[:4]),
        "identity": "/identity?id=" + quote(line.id, safe=""),
        "document": "/document?id=" + quote(reader.members(line.id, 0, 1)[0].document, safe=""),
        "why": f"/why?a={quote(a, safe='')}&b={quote(b, safe='')}",
        "overview": "/overview",
    }
    worst = 0.0
    with timed("\nstart, until the address is told"):
        server = explorer(path)
        address = server.__enter__()
    print(f"\n{'first paint (ms)':34s} {'median':>8s} {'worst':>8s} {'':8s} {'worst/limit':>12s}")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        page = browser.new_page()
        page.goto(address)
        for what, where in pages.items():
            found = []
            for _ in range(times):
                page.goto(address.partition("/?")[0] + where)
                page.wait_for_function(PAINTED, timeout=60_000)
                found.append(float(page.evaluate(PAINTED)))
            worst = max(worst, max(found) / limit)
            print(f"{what:34s} {median(found):8.0f} {max(found):8.0f} {'':8s} {max(found) / limit:12.2f}")
        browser.close()
    server.__exit__(None, None, None)
    return worst


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--profiles", type=int, default=1_500_000)
    parser.add_argument("--file", type=Path, help="the collection, which is made where it is not there")
    parser.add_argument("--no-browser", action="store_true")
    parser.add_argument("--limit", type=float, default=300, help="milliseconds for an answer")
    parser.add_argument("--paint", type=float, default=2000, help="milliseconds for the first paint")
    parser.add_argument("--times", type=int, default=5)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = given.file or Path(folder, "large.crossdoc")
        if not path.exists():
            with timed(f"a made-up collection of {given.profiles:,} profiles"):
                write(path, given.profiles)
        with timed("open"):
            reader = Reader(path)
        with reader:
            with timed("index of words (once)"):
                reader.words.ready.wait()
            answered = answers(reader, path, given.limit, given.times)
            followed(reader, path)
            painted = 0.0 if given.no_browser else paints(path, reader, given.paint, given.times)
    print(
        f"\nworst answer {answered:.2f} of the limit, worst paint {painted:.2f}; load average {os.getloadavg()[0]:.1f}"
    )


if __name__ == "__main__":
    main()
