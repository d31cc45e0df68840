"""Numbers in the source that stand for a choice: counted per room, under budgets that may fall and never rise.

A number that can change an answer belongs in `compare/default_model.json`, where `experiments/fit.py` measures it, or
has a docstring that says its unit, its effect, and on what it was chosen.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parent.parent / "src" / "crossdoc"
BUDGET = {"compare": (80, 30), "names": (49, 19), "cluster/bags": (46, 10), "extract": (73, 27)}
"""Room → numbers, and those of them without a docstring."""


def is_number(node: ast.expr) -> bool:
    """Return whether an expression is a number, arithmetic with numbers, or a tuple of them."""
    if isinstance(node, ast.Tuple):
        return bool(node.elts) and all(map(is_number, node.elts))
    if isinstance(node, ast.UnaryOp):
        return is_number(node.operand)
    if isinstance(node, ast.BinOp):
        return is_number(node.left) and is_number(node.right)
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def constants(source: str) -> Iterator[tuple[str, bool]]:
    """Yield each number that a module names in capitals, and whether a docstring follows.

    >>> list(constants("A = 1\\nB, C = 2, .5\\n'''Unit.'''\\nd = 3\\nE = 'x'"))
    [('A', False), ('B', True), ('C', True)]
    """
    body = ast.parse(source).body
    for node, after in zip(body, [*body[1:], ast.Pass()], strict=True):
        if isinstance(node, ast.Assign):
            targets, value = node.targets, node.value
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            targets, value = [node.target], node.value
        else:
            continue
        described = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
        for target in targets:
            for each in target.elts if isinstance(target, ast.Tuple) else [target]:
                if isinstance(each, ast.Name) and each.id.lstrip("_").isupper() and is_number(value):
                    yield each.id, described


@pytest.mark.parametrize("room", BUDGET)
def test_no_room_has_more_numbers_than_its_budget(room):
    found = [own for path in sorted((SOURCE / room).rglob("*.py")) for own in constants(path.read_text("utf-8"))]
    bare = [name for name, described in found if not described]
    assert (len(found) <= BUDGET[room][0], len(bare) <= BUDGET[room][1]) == (True, True), (len(found), bare)
    assert len(found) > 0.8 * BUDGET[room][0], "the budget can fall"
