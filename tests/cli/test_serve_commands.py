"""`crossdoc explore`, `mcp`, `reconcile` and `graphrag`."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest
from typer.testing import CliRunner

from crossdoc.cli import app, serve_commands

pytest.importorskip("nicegui")


HOLDS = "import duckdb, sys, time; d = duckdb.connect(sys.argv[1]); print(1, flush=True); time.sleep(60)"


def told(*arguments: object) -> str:
    """What it complains of; nothing is started."""
    result = CliRunner().invoke(app, ["explore", *map(str, arguments), "--no-browser"])
    assert result.exit_code in (1, 2)
    return " ".join(result.stderr.split())


def test_no_such_file(tmp_path):
    assert "nothing.crossdoc" in told(tmp_path / "nothing.crossdoc")


def test_a_file_of_another_kind_or_damaged(tmp_path, demo):
    (tmp_path / "other.crossdoc").write_text("hello")
    assert "is not a crossdoc result." in told(tmp_path / "other.crossdoc")
    damaged = tmp_path / "damaged.crossdoc"
    damaged.write_bytes(demo.read_bytes()[:5000])
    assert "is damaged: Could not read enough bytes" in told(damaged)


def test_a_file_that_another_one_writes(demo):
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDS, demo],
        stdout=subprocess.PIPE,
    )  # fmt: skip
    assert holder.stdout is not None
    holder.stdout.readline()
    try:
        assert "is open in another crossdoc" in told(demo)
    finally:
        holder.kill()
        holder.wait()


def test_without_the_extra(demo, monkeypatch):
    monkeypatch.setattr(serve_commands, "find_spec", lambda name: None)
    assert "pip install 'crossdoc[web]'" in told(demo)


def test_an_address_that_is_not_ours(demo):
    assert "cannot listen on 192.0.2.1" in told(demo, "--host", "192.0.2.1")
    assert "cannot listen on nowhere.invalid" in told(demo, "--host", "nowhere.invalid")


def test_agents_and_openrefine_need_an_answer_and_their_packages(tmp_path, whole_result, monkeypatch):
    monkeypatch.setattr(serve_commands, "find_spec", lambda name: None)
    for command, extra in (("mcp", "mcp"), ("reconcile", "web")):
        missing = CliRunner().invoke(app, [command, str(tmp_path / "none.crossdoc")])
        assert missing.exit_code != 0
        assert "none.crossdoc" in missing.output
        bare = CliRunner().invoke(app, [command, str(whole_result)])
        assert bare.exit_code == 2
        assert f"crossdoc[{extra}]" in bare.output


def test_help_names_it():
    assert "explore" in CliRunner().invoke(app, ["--help"]).stdout


@pytest.fixture(scope="module")
def resolved(tmp_path_factory):
    from crossdoc.run import resolve as pipeline

    folder = tmp_path_factory.mktemp("explore")
    (folder / "a.txt").write_text("John Smith, chairman of General Motors, spoke in Detroit.")
    pipeline.resolve(folder / "a.txt", output=folder / "a.crossdoc").close()
    return folder / "a.crossdoc"


@pytest.fixture
def demo(resolved, tmp_path):
    return shutil.copy(resolved, tmp_path / "a.crossdoc")


@pytest.fixture
def start(demo):
    running = []

    def begin(*options: str, environment: dict[str, str] | None = None) -> tuple[subprocess.Popen, str]:
        command = [sys.executable, "-m", "crossdoc", "explore", str(demo), *options]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "COLUMNS": "200", **(environment or {})}
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
        running.append(process)
        text = ""
        while "Ctrl-C" not in text:
            line = process.stdout.readline().decode()
            assert line, process.stderr.read().decode()
            text += line
        return process, text

    yield begin
    for process in running:
        process.kill()
        process.wait()


def address(text: str) -> str:
    return re.search(r"http://\S+", text).group()


def test_a_port_in_use_is_left_for_the_next_one_and_each_has_its_token(start):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        _, text = start("--no-browser", "--port", str(port))
    found = int(re.search(r":(\d+)/\?token=", text).group(1))
    assert port < found < port + 50
    assert f"Port {port} is in use" in text
    _, other = start("--no-browser", "--port", str(port))
    assert address(text).partition("token=")[2] != address(other).partition("token=")[2]
    assert len(address(text).partition("token=")[2]) >= 32


def test_it_ends_quietly_and_leaves_the_file_whole(start, demo):
    process, text = start("--no-browser", "--port", "8990")
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    assert b"crossdoc" in opener.open(address(text)).read()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert (out + err).decode().strip() == ""
    shown = CliRunner().invoke(app, ["show", str(demo)])
    assert "John Smith" in shown.stdout


def test_the_browser_is_opened_unless_it_must_not(start, tmp_path):
    opened = tmp_path / "opened"
    script = tmp_path / "browser.sh"
    script.write_text(f'#!/bin/sh\necho "$1" > {opened}\n')
    script.chmod(0o755)
    _, text = start("--port", "8990", environment={"BROWSER": f"{script} %s"})
    until = time.monotonic() + 30
    while not opened.exists() and time.monotonic() < until:
        time.sleep(0.1)
    given = opened.read_text().strip()
    token = address(text).partition("token=")[2]
    assert given.partition("?")[0] == address(text).partition("?")[0]
    assert token not in given
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    assert opener.open(given).status == 200
    # Whoever has read it in the browser's arguments comes too late; the terminal's address still works.
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.build_opener(urllib.request.HTTPCookieProcessor()).open(given)
    assert opener.open(given).status == 200
    assert urllib.request.build_opener(urllib.request.HTTPCookieProcessor()).open(address(text)).status == 200
    opened.unlink()
    start("--no-browser", "--port", "8990", environment={"BROWSER": f"{script} %s"})
    time.sleep(1)
    assert not opened.exists()


def test_read_only_writes_nothing(start, demo, tmp_path):
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    process, text = start("--no-browser", "--read-only", "--port", "8990")
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    opener.open(address(text)).read()
    base = address(text).partition("/?")[0]
    assert b"John Smith" in opener.open(f"{base}/api/search?words=chairman").read()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_other_commands_work_while_the_page_is_open(start, demo):
    """Looking and judging in a terminal: the explorer does not hold the file."""
    _, text = start("--no-browser", "--port", "8990")
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    opener.open(address(text)).read()
    for command in (["show", str(demo)], ["export", str(demo)], ["info", str(demo)]):
        assert CliRunner().invoke(app, command).exit_code == 0
    named = CliRunner().invoke(app, ["rename", str(demo), "a.txt:0:10", "Jack Smith"])
    assert named.exit_code == 0, named.stderr
    base = address(text).partition("/?")[0]
    assert b"Jack Smith" in opener.open(f"{base}/search.csv?q=jack").read()


@pytest.fixture
def without_packages(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)


def test_a_missing_index_and_a_missing_package_are_named(run, tmp_path, without_packages):
    missing = run("graphrag", tmp_path / "none")
    assert missing.code != 0
    assert "none holds no index of GraphRAG" in missing.err
    bare = run("graphrag", tmp_path)
    assert bare.code == 2
    assert "crossdoc[graphrag]" in bare.err
