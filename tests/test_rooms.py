"""The direction between the rooms: read → extract → compare → cluster, with leaves under them all (docs/rooms.md)."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parent.parent / "src" / "crossdoc"
BARE = frozenset({"errors", "model", "files", "progress", "version"})
"""Leaves that know nothing of names."""
LEAVES = BARE | {"names", "lang"}
MAY_IMPORT: dict[str, frozenset[str]] = {
    **dict.fromkeys(LEAVES, LEAVES),
    "settings": BARE | {"cluster"},
    "read": LEAVES,
    "scoring": LEAVES,
    "store": LEAVES,
    "write": LEAVES,
    "extract": LEAVES | {"engine"},
    "compare": LEAVES | {"scoring"},
    "cluster": BARE | {"scoring", "engine"},
    "engine": BARE,
    "crosslingual": LEAVES | {"compare", "cluster", "read", "scoring"},
}
"""Room → the other rooms that it may import."""
MAY_IMPORT_ALL = frozenset({"__init__", "__main__", "run", "cli", "web", "integrations"})
SHARED_FILE_NAMES = frozenset({"__init__.py"})
"""Names that files of two rooms share; one fewer is better, and one more fails."""
FILES = sorted(SOURCE.rglob("*.py"))


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported(path: Path) -> Iterator[str]:
    """The rooms that a file imports, anywhere in it, by whole or relative names."""
    package = ("crossdoc", *path.relative_to(SOURCE).parent.parts)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = list(package[: len(package) + 1 - node.level]) if node.level else []
            module = above + (node.module.split(".") if node.module else [])
            names = [[*module, alias.name] for alias in node.names]
        else:
            continue
        yield from (name[1] for name in names if name[0] == "crossdoc" and len(name) > 1)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_imports_go_one_way(path):
    room = room_of(path)
    if room in MAY_IMPORT_ALL:
        return
    assert set(imported(path)) <= MAY_IMPORT[room] | {room}


def test_whole_and_relative_imports_are_seen():
    seen = set(imported(SOURCE / "compare" / "specialists" / "jiang_conrath.py"))
    assert {"compare", "lang", "model", "names"} == seen


def test_file_names_are_unique():
    counts = Counter(path.name for path in FILES)
    assert {name for name, count in counts.items() if count > 1} - SHARED_FILE_NAMES == set()


def test_class_names_are_unique():
    classes = [
        node.name
        for path in FILES
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
    ]
    assert {name for name, count in Counter(classes).items() if count > 1} == set()
