"""What crossdoc is made of: a lock file of versions and hashes without a registry, and the bill of a wheel."""

import importlib.util
import json
import re
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LOCK, TOOL = ROOT / "requirements-ci.txt", ROOT / "tools" / "make_sbom.py"


@pytest.mark.skipif(not LOCK.exists(), reason="an sdist has no lock file")
def test_the_lock_file_has_hashes_and_no_registry():
    text = LOCK.read_text()
    pinned = re.findall(r"^([\w.-]+)==\S+ (\\\n    --hash=sha256:[0-9a-f]{64})?", text, re.MULTILINE)
    assert len(pinned) > 40
    assert [name for name, hashed in pinned if not hashed] == []
    assert not re.search(r"https?://|index-url|trusted-host|file:", text)


@pytest.mark.skipif(not TOOL.exists(), reason="an sdist has no tools")
def test_the_bill_of_a_wheel(tmp_path):
    spec = importlib.util.spec_from_file_location("make_sbom", TOOL)
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    wheel = tmp_path / "a-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as packed:
        packed.writestr("a-1.dist-info/METADATA", "Name: a\nVersion: 1\nRequires-Dist: Num_Py>=1\n")
    lock = "num-py==2.0 \\\n    --hash=sha256:" + "0" * 64 + "\nother==3 \\\n    --hash=sha256:" + "1" * 64 + "\n"
    bill = tool.bill(wheel, lock)
    assert json.loads(json.dumps(bill))["bomFormat"] == "CycloneDX"
    assert bill["dependencies"] == [{"ref": "pkg:pypi/a@1", "dependsOn": ["pkg:pypi/num-py@2.0"]}]
    assert [(part["name"], part["scope"]) for part in bill["components"]] == [
        ("num-py", "required"),
        ("other", "optional"),
    ]
