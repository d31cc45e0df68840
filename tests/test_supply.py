"""What crossdoc is made of: a lock file of versions and hashes without a registry, and the bill of a wheel."""

import importlib.util
import json
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
LOCK, TOOL = ROOT / "requirements-ci.txt", ROOT / "tools" / "make_sbom.py"


@pytest.mark.skipif(not LOCK.exists(), reason="an sdist has no lock file")
def test_the_lock_file_has_hashes_and_no_registry():
    text = LOCK.read_text()
    pinned = re.findall(r"^([\w.-]+)==\S+ (\\\n    --hash=sha256:[0-9a-f]{64})?", text, re.MULTILINE)
    assert len(pinned) > 40
    assert [name for name, hashed in pinned if not hashed] == []
    assert not re.search(r"https?://|index-url|trusted-host|file:", text)


def asked_for(project: dict, extra: str | None = None) -> list[Requirement]:
    """What crossdoc or one of its extras requires; extras of extras are followed."""
    extras = project["optional-dependencies"]
    found = [Requirement(each) for each in (project["dependencies"] if extra is None else extras[extra])]
    own = [each for each in found if each.name == project["name"]]
    return [each for each in found if each not in own] + [
        each for mine in own for further in sorted(mine.extras) for each in asked_for(project, further)
    ]


@pytest.mark.skipif(not LOCK.exists(), reason="an sdist has no lock file")
def test_the_lock_file_has_all_that_the_project_requires():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    pinned = {name: version for name, (version, _) in tool().locked(LOCK.read_text()).items()}
    asked = asked_for(project) + asked_for(project, "dev")
    wrong = [
        f"{each} is {pinned.get(tool().plain(each.name))}"
        for each in asked
        if tool().plain(each.name) not in pinned or pinned[tool().plain(each.name)] not in each.specifier
    ]
    assert wrong == [], "run `make lock`"
    assert len(asked) > 40


def tool():
    spec = importlib.util.spec_from_file_location("make_sbom", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(not TOOL.exists(), reason="an sdist has no tools")
def test_a_bill_beside_every_wheel_of_a_folder(tmp_path):
    for name in "ab":
        with zipfile.ZipFile(tmp_path / f"{name}-1-py3-none-any.whl", "w") as packed:
            packed.writestr(f"{name}-1.dist-info/METADATA", f"Name: {name}\nVersion: 1\nRequires-Dist: scikit-learn\n")
    run = subprocess.run([sys.executable, str(TOOL), str(tmp_path)], check=True, capture_output=True, text=True)
    assert run.stdout.count(" parts in ") == 2
    bill = json.loads((tmp_path / "b-1-py3-none-any.whl.cdx.json").read_text())
    needed = {part["name"] for part in bill["components"] if part["scope"] == "required"}
    # What scikit-learn requires is required, too; what tests alone require is not.
    assert {"scikit-learn", "scipy", "numpy", "threadpoolctl"} <= needed
    assert "pytest" not in needed
    empty = tmp_path / "empty"
    empty.mkdir()
    assert subprocess.run([sys.executable, str(TOOL), str(empty)], capture_output=True, check=False).returncode == 1


@pytest.mark.skipif(not TOOL.exists(), reason="an sdist has no tools")
def test_the_bill_of_a_wheel(tmp_path):
    wheel = tmp_path / "a-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as packed:
        about = "Name: a\nVersion: 1\nRequires-Dist: Num_Py>=1\nRequires-Dist: other; extra == 'dev'\n"
        packed.writestr("a-1.dist-info/METADATA", about)
    lock = "num-py==2.0 \\\n    --hash=sha256:" + "0" * 64 + "\nother==3 \\\n    --hash=sha256:" + "1" * 64 + "\n"
    bill = tool().bill(wheel, lock)
    assert json.loads(json.dumps(bill))["bomFormat"] == "CycloneDX"
    assert bill["dependencies"][0] == {"ref": "pkg:pypi/a@1", "dependsOn": ["pkg:pypi/num-py@2.0"]}
    assert [(part["name"], part["scope"]) for part in bill["components"]] == [
        ("num-py", "required"),
        ("other", "optional"),
    ]
