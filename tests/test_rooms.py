"""The direction between the rooms: read → extract → compare → cluster, with leaves under them all (docs/rooms.md)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parent.parent / "src" / "crossdoc"
BARE = frozenset({"errors", "model", "frames", "files", "progress", "memory", "version", "constraints"})
"""Leaves that know nothing of names."""
LEAVES = BARE | {"names", "lang"}
MAY_IMPORT: dict[str, frozenset[str]] = {
    **dict.fromkeys(LEAVES, LEAVES),
    "settings": BARE | {"cluster"},
    "model": LEAVES | {"notebook"},
    "notebook": LEAVES | {"resolution"},
    "identities": LEAVES,
    "lineage": LEAVES,
    "read": LEAVES,
    "corpora": LEAVES | {"read"},
    "scoring": LEAVES,
    "store": LEAVES | {"identities", "lineage"},
    "write": LEAVES,
    "extract": LEAVES | {"engine"},
    "compare": LEAVES | {"scoring"},
    "cluster": BARE | {"scoring", "engine"},
    "engine": BARE,
    "crosslingual": LEAVES | {"compare", "cluster", "read", "scoring"},
}
"""Room → the other rooms that it may import."""
MAY_IMPORT_ALL = frozenset(
    {
        "__init__",
        "__main__",
        "evaluation",
        "stages",
        "pipeline",
        "partitioned",
        "partition_tasks",
        "partition_sampling",
        "resolution",
        "review",
        "revision",
        "touched",
        "run",
        "stored_collection",
        "links",
        "cli",
        "web",
    }
)
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
