"""What `import crossdoc` offers: the same names in every list, and nothing heavy before it is asked for."""

from __future__ import annotations

import ast
import builtins
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import crossdoc
import crossdoc.cluster

ROOT = Path(__file__).parent.parent
SOURCE = Path(crossdoc.__file__)


def imports_for_type_checkers(package: ModuleType) -> dict[str, str]:
    """Name → module, from the `if TYPE_CHECKING` block."""
    (block,) = [node for node in ast.parse(Path(package.__file__).read_text()).body if isinstance(node, ast.If)]
    found = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: f"{node.module}" for node in found for alias in node.names}


@pytest.mark.parametrize("package", [crossdoc, crossdoc.cluster], ids=lambda package: package.__name__)
def test_the_lists_agree(package):
    homes = {name: f"{package.__name__}.{home}" for name, home in package._HOME.items()}
    assert imports_for_type_checkers(package) == homes
    assert sorted(package.__all__) == sorted(homes)
    assert sum(map(len, package._HOMES.values())) == len(homes)
    assert set(package.__all__) <= set(dir(package))
    for name in package.__all__:
        assert getattr(package, name) is getattr(import_module(homes[name]), name)


def test_the_surface_is_small():
    assert len(crossdoc.__all__) <= 29


@pytest.mark.parametrize("name", sorted(crossdoc._FORMER_HOME))
def test_a_former_import_works_and_names_the_new_place(name):
    home = f"crossdoc.{crossdoc._FORMER_HOME[name]}"
    with pytest.warns(DeprecationWarning, match=f"crossdoc.{name} has moved.*\n.*Use {home}.{name}") as caught:
        assert getattr(crossdoc, name) is getattr(import_module(home), name)
    assert caught[0].filename == __file__
    assert name not in dir(crossdoc)


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
    for package in (crossdoc, crossdoc.cluster):
        with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
            _ = package.nonsense


@pytest.mark.skipif(not (ROOT / "docs").is_dir(), reason="the pages are not in the sdist")
def test_what_the_pages_import_is_there():
    told = set()
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        text = page.read_text()
        for module, names in re.findall(r"^ *(?:>>> )?from (crossdoc[\w.]*) import ([\w, ]+)$", text, re.MULTILINE):
            told.update((module, name.strip()) for name in names.split(","))
        told.update(("crossdoc", name) for name in re.findall(r"\bcrossdoc\.([A-Za-z_]+)\(", text))
    assert {("crossdoc", "resolve"), ("crossdoc.cluster", "KARC"), ("crossdoc", "Profiles")} <= told
    assert {name for module, name in told if module == "crossdoc"} - {*crossdoc.__all__, "open"} == set()
    # An adapter imports a package that may be absent, so its names are looked up in its source.
    adapters = {(module, name) for module, name in told if module.startswith("crossdoc.integrations.")}
    assert [name for module, name in told - adapters if not hasattr(import_module(module), name)] == []
    for module, name in adapters:
        source = (SOURCE.parent / "integrations" / f"{module.rpartition('.')[2]}.py").read_text()
        assert re.search(rf"^(?:class|def|async def) {name}\b", source, re.MULTILINE), (module, name)


HELP = """
import sys
sys.argv = ["crossdoc", "--help"]
from crossdoc.cli import main
try:
    main()
except SystemExit as stopped:
    print("code", stopped.code)
print("heavy", sorted({"spacy", "numba", "sklearn", "pandas", "polars"} & set(sys.modules)))
"""


IMPORT = """
import sys
import crossdoc
import crossdoc.cluster
print("code", 0)
print("heavy", sorted({"numpy", "pyarrow", "spacy"} & set(sys.modules)))
"""

LINKS = """
import sys
from crossdoc import Profile, resolve
people = [Profile(str(i), str(i), "Ann Lee", context=f"the chairman of the board in {i}") for i in range(4)]
resolve(people, method="bags")
print("code", 0)
print("heavy", sorted({"spacy"} & set(sys.modules)))
"""


@pytest.mark.parametrize("code", [HELP, IMPORT, LINKS], ids=["help", "import", "links"])
def test_nothing_heavy_is_imported_before_it_is_needed(code):
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert told.splitlines()[-2:] == ["code 0", "heavy []"]
