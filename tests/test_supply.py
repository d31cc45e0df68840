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


def asked_for(about: dict, extras: list[str]) -> list[Requirement]:
    """What crossdoc, some of its extras and work on it require."""
    own = (about["project"]["optional-dependencies"][extra] for extra in extras)
    listed = [about["project"]["dependencies"], *own, about["dependency-groups"]["dev"]]
    return [Requirement(each) for requirements in listed for each in requirements]


@pytest.mark.skipif(not LOCK.exists(), reason="an sdist has no lock file")
def test_the_lock_file_has_all_that_the_project_requires():
    about = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "dev" not in about["project"]["optional-dependencies"]
    pinned = {name: version for name, (version, _) in tool().locked(LOCK.read_text()).items()}
    asked = asked_for(
        about, re.search(r"^EXTRAS := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)[1].split(",")
    )
    wrong = [
        f"{each} is {pinned.get(tool().plain(each.name))}"
        for each in asked
        if tool().plain(each.name) not in pinned or pinned[tool().plain(each.name)] not in each.specifier
    ]
    assert wrong == [], "run `make lock`"
    assert len(asked) > 40


WORKFLOWS = ROOT / ".github" / "workflows"


@pytest.mark.skipif(not WORKFLOWS.exists(), reason="an sdist has no workflows")
def test_actions_are_pinned_by_hash_with_their_version():
    used = [line for path in WORKFLOWS.iterdir() for line in path.read_text().splitlines() if "uses:" in line]
    assert len(used) > 5
    assert [each for each in used if not re.search(r"uses: [\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$", each)] == []


@pytest.mark.skipif(not WORKFLOWS.exists(), reason="an sdist has no workflows")
def test_zizmor_finds_nothing_in_the_workflows():
    zizmor = Path(sys.executable).with_name("zizmor")
    if not zizmor.exists():
        pytest.skip("zizmor is not installed: it is in the group dev")
    done = subprocess.run([zizmor, "--offline", str(WORKFLOWS)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


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


@pytest.mark.skipif(not (ROOT / "tools").is_dir(), reason="an sdist has no tools")
def test_crossdoc_requires_nothing_under_a_strong_reciprocal_licence(capsys):
    spec = importlib.util.spec_from_file_location("licences", ROOT / "tools" / "licences.py")
    licences = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(licences)
    assert licences.is_barred("GNU General Public License v3 (GPLv3)")
    assert not licences.is_barred("Public Domain; BSD License; GNU General Public License (GPL)")
    assert licences.main([]) == 0
    assert "spacy" in licences.required("crossdoc")[0]
    assert capsys.readouterr().out.count("\n") == 3
