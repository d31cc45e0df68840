"""Running crossdoc as a user does: in this process where that will do, as a process of its own where it matters."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from crossdoc.cli import app
from crossdoc.model import Partition, Profile, Profiles
from crossdoc.store import Store

TEXTS = {
    "gm1": "John Smith, chairman of General Motors, said in Detroit that cars and trucks sold well.",
    "gm2": "General Motors chairman John Smith told dealers in Detroit that cars and trucks would sell.",
    "va": "The colonists of Jamestown chose captain John Smith, who mapped the rivers of Virginia.",
}
NAMES = {"John Smith": "person", "General Motors": "organisation"}


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


def checked(code: int, out: str, err: str) -> Ran:
    """Whatever happens, a user never sees a traceback, and no input is a bug of ours."""
    assert "Traceback" not in err + out, err
    assert "crossdoc has a bug" not in err + out, err
    return Ran(code, out, err)


@pytest.fixture
def run() -> Callable[..., Ran]:
    """Run a command in this process."""

    def invoke(*arguments: Any) -> Ran:
        result = CliRunner().invoke(app, [str(argument) for argument in arguments])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return checked(result.exit_code, result.stdout, result.stderr)

    return invoke


@pytest.fixture
def crossdoc() -> Callable[..., Ran]:
    """Run a command as a process of its own; keywords go to subprocess.run."""

    def call(*arguments: Any, **options: Any) -> Ran:
        done = subprocess.run(command(*arguments), capture_output=True, timeout=100, check=False, **options)
        return checked(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))

    return call


def command(*arguments: Any) -> list[str]:
    return [str(Path(sys.executable).with_name("crossdoc")), *map(str, arguments)]


@pytest.fixture
def command_line() -> Callable[..., list[str]]:
    return command


def record(id: str, text: str) -> dict[str, Any]:
    mentions = [
        {"start": text.index(name), "end": text.index(name) + len(name), "type": kind, "chain": name}
        for name, kind in NAMES.items()
        if name in text
    ]
    return {"id": id, "text": text, "language": "en", "date": "1996-01-14", "mentions": mentions}


@pytest.fixture
def make_record() -> Callable[[str, str], dict[str, Any]]:
    return record


@pytest.fixture
def documents(write: Callable[..., Path]) -> Path:
    """Three documents with given mentions, so that no language model is needed: five profiles."""
    return write("documents.jsonl", [record(id, text) for id, text in TEXTS.items()])


@pytest.fixture(scope="session")
def _result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("result")
    lines = [json.dumps(record(id, text)) for id, text in TEXTS.items()]
    (folder / "documents.jsonl").write_text("\n".join(lines))
    result = CliRunner().invoke(app, ["resolve", str(folder / "documents.jsonl"), "-o", str(folder / "a.crossdoc")])
    assert result.exit_code == 0, result.output
    return folder / "a.crossdoc"


@pytest.fixture
def result(_result: Path, tmp_path: Path) -> Path:
    """A finished result of `documents`."""
    return Path(shutil.copy(_result, tmp_path / "a.crossdoc"))


@pytest.fixture
def soft_result(tmp_path: Path) -> Path:
    """Two profiles, each of both of two identities."""
    path = tmp_path / "soft.crossdoc"
    with Store.begin(path, "a test") as store:
        with store.batch():
            store.add(Profiles.of(Profile(id, id, "Ann", type="person") for id in "ab"))
        store.save_partition("person", Partition(["a", "b"], [[0.7, 0.3], [0.4, 0.6]]), 0.0)
        store.finish()
    return path
