"""What docs/extending/specialist.md says, done: its code runs, is found, is learned with, and both ways agree."""

import json
import re
import sys
import types
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from crossdoc.cli import app
from crossdoc.compare import specialists
from crossdoc.model import Profile, Profiles

PAGE = (Path(__file__).parents[3] / "docs" / "extending" / "specialist.md").read_text()
CODE = dict(re.findall(r"```python\n# (\w+)\.py\n(.*?)```", PAGE, re.DOTALL))
ROWS = [
    {"id": f"{name}{code}{i}", "document": f"{name}{code}{i}", "name": f"Ann {name}", "type": "person",
     "attributes": {"dialling_code": [code]}}
    for name in ("Baker", "Cooper", "Fisher", "Mason", "Taylor", "Weaver") for code in ("+1", "+44") for i in range(4)
]  # fmt: skip


@pytest.fixture
def documented(monkeypatch, tmp_path) -> dict[str, types.ModuleType]:
    """The page's modules, importable; what they write is written where nobody minds."""
    monkeypatch.chdir(tmp_path)
    modules = {name: types.ModuleType(name) for name in CODE}
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
        exec(CODE[name], module.__dict__)
    return modules


@pytest.fixture
def install(documented, monkeypatch):
    def _install(value: str) -> None:
        points = EntryPoints([EntryPoint("dialling_code", value, specialists.ENTRY_POINTS)])
        monkeypatch.setattr(specialists, "entry_points", lambda group: points.select(group=group))

    return _install


def test_ten_lines_are_enough():
    assert len([line for line in CODE["dialling"].splitlines() if line.strip()]) <= 10


def test_columns_say_what_the_function_says(documented):
    codes = [["+1"], ["+44"], ["+1"], []]
    table = Profiles.of(Profile(str(i), "d", "Ann", attributes={"dialling_code": c}) for i, c in enumerate(codes))
    slow, fast = documented["dialling"].dialling_code, documented["dialling_columns"].DiallingCode()
    pairs = [(0, 1), (0, 2), (2, 1), (0, 3), (3, 3), (1, 1)]
    assert slow.score(table, table, pairs).tolist()[:3] == [0, 1, 0]
    np.testing.assert_array_equal(slow.score(table, table, pairs), fast.score(table, table, pairs))
    assert fast.evidence(table[0], table[1]) == "+1 / +44"
    nobody = Profiles.of([])
    assert fast.score(nobody, nobody, []).shape == (0,)


def test_the_documented_entry_point(install):
    value = re.search(r'dialling_code = "(.*?)"', PAGE)[1]
    group = re.search(r'\[project.entry-points."(.*?)"\]', PAGE)[1]
    assert group == specialists.ENTRY_POINTS
    install(value)
    assert specialists.all_specialists()[-1].name == "dialling_code"


def test_learned_with_and_used(install, write, tmp_path, monkeypatch):
    install("dialling_columns:DiallingCode")

    def run(*arguments):
        return CliRunner().invoke(app, [str(argument) for argument in arguments])

    profiles, model, result = write("profiles.jsonl", ROWS), tmp_path / "model.json", tmp_path / "x.crossdoc"
    gold = write("gold.csv", [{"id": row["id"], "entity": row["id"][:-1]} for row in ROWS])
    assert run("train", profiles, gold, "-o", model).exit_code == 0
    learned = json.loads(model.read_text())["ensemble"]
    assert max(zip(learned["weights"], learned["specialists"], strict=True))[1] == "dialling_code"
    resolved = run("resolve", profiles, "-o", result, "--model", model, "--json")
    assert json.loads(resolved.stdout)["identities"] == 12
    assert "+1 / +44" in run("why", result, "Baker+10", "Baker+440").stdout
    monkeypatch.setattr(specialists, "entry_points", lambda group: EntryPoints([]))
    missing = run("resolve", profiles, "-o", tmp_path / "y.crossdoc", "--model", model)
    assert missing.exit_code == 1
    assert "not installed: dialling_code" in missing.stderr
