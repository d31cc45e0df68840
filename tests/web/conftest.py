"""A real explorer (`crossdoc explore` as a process) and a real browser (chromium, driven by Playwright)."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--no-first-run",
]  # fmt: skip
WIDE, NARROW = {"width": 1280, "height": 860}, {"width": 390, "height": 844}
FIGURES = Path(__file__).resolve().parents[2] / "docs" / "figures"
PATIENCE = 60_000
"""Milliseconds that a test waits for something on a page: the machine may be busy."""


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "browser: needs an installed chromium; `make browser` installs one")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test that needs a browser where there is none; with CROSSDOC_REQUIRE_BROWSER set, as in CI, it fails."""
    if CHROMIUM is None and "browser" in getattr(item, "fixturenames", ()):
        missing = "no chromium is installed: `make browser` installs one"
        if os.environ.get("CROSSDOC_REQUIRE_BROWSER"):
            pytest.fail(missing, pytrace=False)
        pytest.skip(missing)


@dataclass
class Explorer:
    """A running explorer."""

    process: subprocess.Popen[bytes]
    path: Path
    address: str
    """The one that is printed, with the token."""

    @property
    def base(self) -> str:
        return self.address.partition("/?")[0]

    @property
    def token(self) -> str:
        return self.address.partition("token=")[2]

    @property
    def port(self) -> int:
        return urlsplit(self.address).port or 0

    def at(self, path: str) -> str:
        return self.base + path

    def identity(self, id: str) -> str:
        return self.at(f"/identity?id={quote(id, safe='')}")

    def stop(self, number: int = signal.SIGINT) -> tuple[int, str]:
        """End it as Ctrl-C does; gives what it returned and what it said on standard error."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        assert self.process.stderr is not None
        told = self.process.stderr.read().decode(errors="replace")
        return self.process.wait(60), told


def started(path: Path, *options: str) -> Explorer:
    """`crossdoc explore PATH --no-browser …`, as soon as it says where it is."""
    command = [sys.executable, "-m", "crossdoc", "explore", str(path), "--no-browser", *options]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "COLUMNS": "300", "PYTHONUNBUFFERED": "1"}
    environment.pop("PYTEST_CURRENT_TEST", None)
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    assert process.stdout is not None
    for line in process.stdout:
        found = re.search(rb"http://\S+", line)
        if found:
            return Explorer(process, path, found.group().decode())
    raise AssertionError(process.stderr.read().decode() if process.stderr else "")


@pytest.fixture(scope="session")
def explorer(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Explorer]:
    """An explorer of the sample for tests that only look."""
    copy = Path(shutil.copy(sample, tmp_path_factory.mktemp("shown") / "sample.crossdoc"))
    running = started(copy, "--port", "8900")
    yield running
    running.stop()


@pytest.fixture
def explore(answer: Path) -> Iterator[Callable[..., Explorer]]:
    """Start an explorer of the test's own answer (or another file)."""
    running: list[Explorer] = []

    def start(*options: str, path: Path = answer) -> Explorer:
        running.append(started(path, "--port", "8950", *options))
        return running[-1]

    yield start
    for each in running:
        each.stop()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """An installed chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield running
        running.close()


@dataclass
class Watched:
    """What a page did that it must not: errors in the console, violations of its policy, requests elsewhere."""

    told: list[str] = field(default_factory=list)
    allowed: list[str] = field(default_factory=list)
    """What a test expects, as parts of what is told."""

    def watch(self, page: Any, base: str) -> None:
        page.on("console", lambda message: self._console(message))
        page.on("pageerror", lambda error: self.told.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (self.told.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("popup", lambda popup: self.told.append(f"popup: {popup.url}"))
        page.on("request", lambda request: self._request(request.url, base))

    def _console(self, message: Any) -> None:
        if message.type == "error":
            self.told.append(f"console: {message.text}")

    def _request(self, url: str, base: str) -> None:
        if not url.startswith((base, base.replace("http", "ws", 1), "data:", "blob:")):
            self.told.append(f"request: {url}")

    @property
    def wrong(self) -> list[str]:
        return [each for each in self.told if not any(part in each for part in self.allowed)]


@pytest.fixture
def visit(browser: Any) -> Iterator[Callable[..., Any]]:
    """A window of its own, let in: ``page = visit(explorer, "/overview")``; nothing may go wrong on its pages."""
    watched = Watched()
    contexts: list[Any] = []

    def open_page(
        explorer: Explorer, path: str = "/", *, dark: bool = False, size: Any = WIDE, name: str = "Ada"
    ) -> Any:
        context = browser.new_context(viewport=size, color_scheme="dark" if dark else "light", reduced_motion="reduce")
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        if name:
            context.add_cookies([{"name": "crossdoc-who", "value": quote(name), "url": explorer.base}])
        page = context.new_page()
        page.watched = watched
        watched.watch(page, explorer.base)
        page.goto(explorer.at(path + ("&" if "?" in path else "?") + f"token={explorer.token}"))
        settled(page)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert watched.wrong == []


def settled(page: Any) -> None:
    """The page is there and talks to the server, and nothing of it is loading any more."""
    page.wait_for_function("() => window.did_handshake === true")
    page.wait_for_function("() => !document.querySelector('.x-skeleton')")


@pytest.fixture(scope="session")
def axe() -> Callable[..., list[str]]:
    """What axe finds on a page that is serious or critical, each with the elements."""
    from axe_playwright_python.sync_playwright import Axe

    def check(page: Any) -> list[str]:
        found = Axe().run(page, options={"resultTypes": ["violations"], "preload": False}).response["violations"]
        return [
            f"{each['id']}: {node['html'][:200]} {node['failureSummary']}"
            for each in found
            if each["impact"] in ("serious", "critical")
            for node in each["nodes"]
        ]

    return check


@pytest.fixture
def picture(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Keep what is seen as a picture of the documentation, with ``--screenshots``."""

    def take(page: Any, name: str) -> None:
        if request.config.getoption("--screenshots"):
            page.evaluate("document.activeElement?.blur()")
            FIGURES.mkdir(exist_ok=True)
            small(page.screenshot(), FIGURES / f"explore-{name}.png")

    return take


def small(png: bytes, path: Path) -> None:
    """The picture in 128 colours, which is all that pages of text need."""
    import io

    from PIL import Image

    Image.open(io.BytesIO(png)).convert("RGB").quantize(128).save(path, optimize=True)


@contextmanager
def stopped_at_the_end(running: Explorer) -> Iterator[Explorer]:
    try:
        yield running
    finally:
        running.stop()
