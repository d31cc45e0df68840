"""What `import crossdoc` offers: the same names in every list, and nothing heavy before it is asked for."""

from __future__ import annotations

import ast
import builtins
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import crossdoc

ROOT = Path(__file__).parent.parent
SOURCE = Path(crossdoc.__file__)


def imports_for_type_checkers() -> dict[str, str]:
    """Name → module, from the `if TYPE_CHECKING` block."""
    (block,) = [node for node in ast.parse(SOURCE.read_text()).body if isinstance(node, ast.If)]
    found = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: f"{node.module}" for node in found for alias in node.names}


def test_the_lists_agree():
    homes = {name: f"crossdoc.{home}" for name, home in crossdoc._HOME.items()}
    assert imports_for_type_checkers() == homes
    assert sorted(crossdoc.__all__) == sorted(homes)
    assert sum(map(len, crossdoc._HOMES.values())) == len(homes)


@pytest.mark.parametrize("name", crossdoc.__all__)
def test_every_name_is_there(name):
    assert getattr(crossdoc, name) is getattr(import_module(f"crossdoc.{crossdoc._HOME[name]}"), name)
    assert name in dir(crossdoc)
    # A submodule of that name would take the place of the export as soon as it is imported.
    assert not (SOURCE.parent / name).exists()
    assert not (SOURCE.parent / f"{name}.py").exists()


def test_open_stays_and_does_not_shadow_pythons():
    assert crossdoc.open == crossdoc.Resolution.open
    assert "open" in dir(crossdoc)
    space: dict[str, object] = {}
    exec("from crossdoc import *", space)
    assert space.get("open", builtins.open) is builtins.open
    assert set(crossdoc.__all__) <= set(space)
    assert not set(crossdoc.__all__) & set(dir(builtins))


def test_an_unknown_name():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = crossdoc.nonsense


@pytest.mark.skipif(not (ROOT / "docs").is_dir(), reason="the pages are not in the sdist")
def test_what_the_pages_import_is_exported():
    told = set()
    # What a language is made of has a door of its own, crossdoc.lang.
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        text = page.read_text()
        for names in re.findall(r"^ *from crossdoc(?!\.lang)[\w.]* import ([\w, ]+)$", text, re.MULTILINE):
            told.update(name.strip() for name in names.split(","))
        told.update(re.findall(r"\bcrossdoc\.([A-Za-z_]+)\(", text))
    assert {"resolve", "KARC", "Specialist", "Profiles"} <= told
    assert told - set(crossdoc.__all__) - {"open"} == set()


HELP = """
import sys
sys.argv = ["crossdoc", "--help"]
from crossdoc.cli import main
try:
    main()
except SystemExit as stopped:
    print("code", stopped.code)
print("heavy", sorted({"spacy", "numba", "sklearn", "lightgbm", "pandas", "polars"} & set(sys.modules)))
"""


IMPORT = """
import sys
import crossdoc
print("code", 0)
print("heavy", sorted({"numpy", "pyarrow", "spacy"} & set(sys.modules)))
"""

LINKS = """
import sys
from crossdoc import Profile, resolve
people = [Profile(str(i), str(i), "Ann Lee", context=f"the chairman of the board in {i}") for i in range(4)]
resolve(people, method="bags")
print("code", 0)
print("heavy", sorted({"spacy", "lightgbm"} & set(sys.modules)))
"""


@pytest.mark.parametrize("code", [HELP, IMPORT, LINKS], ids=["help", "import", "links"])
def test_nothing_heavy_is_imported_before_it_is_needed(code):
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert told.splitlines()[-2:] == ["code 0", "heavy []"]
