"""Tests mirror the source: every module has a test file of its name, or docs/rooms.md says where it is tested."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "crossdoc"
PAGE = ROOT / "docs" / "rooms.md"
NO_LOGIC = ("__init__.py", "__main__.py", "version.py")
pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="the pages are not in the sdist")


def elsewhere() -> dict[str, list[str]]:
    """By module the files that test it, from the page's table; one without a folder is in that of the one before."""
    told = {}
    section = PAGE.read_text().split("## Where modules are tested")[1].split("\n## ")[0]
    for modules, tests in re.findall(r"^\| (`.*?) \| (`.*) \|$", section, re.MULTILINE):
        folder = ""
        for module in re.findall(r"`([\w/]+\.py)`", modules):
            folder = module.rpartition("/")[0] if "/" in module else folder
            told["/".join(filter(None, [folder, module.rpartition("/")[2]]))] = re.findall(
                r"`(tests/[\w/]+\.py)`", tests
            )
    return told


def test_every_module_is_tested_somewhere():
    modules = [path.relative_to(SOURCE) for path in SOURCE.rglob("*.py") if path.name not in NO_LOGIC]
    mirrored = [m for m in modules if (ROOT / "tests" / m.parent / f"test_{m.name}").exists()]
    assert len(mirrored) > 100
    assert {m.as_posix() for m in modules} - {m.as_posix() for m in mirrored} - set(elsewhere()) == set()


def test_the_page_names_files_that_are_there():
    told = elsewhere()
    assert [module for module in told if not (SOURCE / module).exists()] == []
    assert [module for module, tests in told.items() if not tests] == []
    assert [test for tests in told.values() for test in tests if not (ROOT / test).exists()] == []
