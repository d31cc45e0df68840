"""Do the tests of the halls (the code between the stages) notice when it is changed? `make mutants` asks them.

One small change at a time (an operator, a sign, a number, a condition, a dropped argument or call) is made to a file
in a copy of the source, and the tests that mirror the file run on it. Printed is how many changes made a test fail,
and each that did not. Third-party packages are imported once and the tests run in forks, since importing takes longer
than most tests.
"""

from __future__ import annotations

import argparse
import ast
import copy
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MORE_HALLS = ("web/changes.py", "settings.py", "model/identity.py", "model/evidence_protocol.py",
              "cluster/clusterer.py", "cluster/methods.py", "cluster/graph_clustering.py",
              "read/records.py")  # fmt: skip
"""Files besides those of `ROOMS`."""
ROOMS = ("run", "compare", "store")
MORE_TESTS = {
    "run/revise.py": ["test_undo.py"],
    "settings.py": ["cli/test_settings.py"],
    "compare/collection.py": ["run/test_stored_collection.py"],
    "cluster/clusterer.py": ["cluster/test_methods.py", "cluster/test_clusterer.py"],
}
"""Tests of a file besides the one of its name."""
HEAVY = ("numpy", "scipy.sparse.csgraph", "scipy.optimize", "pyarrow.parquet", "duckdb", "numba", "sklearn.base",
         "pydantic", "spacy", "pandas", "polars", "hypothesis", "pytest", "typer.testing", "lightgbm")  # fmt: skip
COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}  # fmt: skip
NO_MATTER = {"strict", "kind", "dtype", "frozen", "slots", "description", "config", "copy"}
"""Arguments that guard or speed up, so that leaving them out changes no answer."""


@dataclass(frozen=True)
class Mutant:
    """A piece of source (offsets in bytes) and what takes its place."""

    start: int
    end: int
    text: str
    line: int
    what: str

    def of(self, source: bytes) -> bytes:
        return source[: self.start] + self.text.encode() + source[self.end :]


def mutants(source: str) -> list[Mutant]:
    """Every change there is to make.

    >>> [mutant.what for mutant in mutants("if not a < 1: f(b=2)")]
    ['not a < 1 → a < 1', 'a < 1 → a <= 1', '1 → 2', 'f(b=2) → pass', 'f(…) without b', '2 → 3']
    """
    begins = [0]
    for line in source.encode().splitlines(keepends=True):
        begins.append(begins[-1] + len(line))
    found = []
    for node in _code(ast.parse(source)):
        for other in _changed(node):
            assert isinstance(node, ast.expr | ast.stmt)
            assert node.end_lineno is not None
            assert node.end_col_offset is not None
            start, end = begins[node.lineno - 1] + node.col_offset, begins[node.end_lineno - 1] + node.end_col_offset
            text = ast.unparse(other) if isinstance(other, ast.stmt | ast.Constant) else f"({ast.unparse(other)})"
            found.append(Mutant(start, end, text, node.lineno, _description(node, other)))
    return found


def _description(node: ast.AST, other: ast.AST) -> str:
    if isinstance(node, ast.Call) and isinstance(other, ast.Call):
        (dropped,) = [keyword for keyword in node.keywords if keyword not in other.keywords]
        return f"{ast.unparse(node.func)}(…) without {dropped.arg or '**'}"
    return f"{ast.unparse(node)} → {ast.unparse(other)}"


def _code(node: ast.AST) -> Iterator[ast.AST]:
    """What runs and matters: no types, no decorators, no texts (whose parts have no places of their own)."""
    if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.keyword) and node.arg in NO_MATTER):
        return
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "bases"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _code(child)


def _changed(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Compare(ops=[op]) if type(op) in COMPARISONS:
            yield _with(node, ops=[COMPARISONS[type(op)]()])
        case ast.BinOp(op=op) | ast.AugAssign(op=op) if type(op) in OPERATORS:
            yield _with(node, op=OPERATORS[type(op)]())
        case ast.BoolOp(op=op):
            yield _with(node, op=ast.Or() if isinstance(op, ast.And) else ast.And())
        case ast.UnaryOp(operand=operand):
            yield operand
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value) | float(value)):
            yield ast.Constant(value + 1)
        case ast.IfExp(body=body, orelse=orelse):
            yield _with(node, body=orelse, orelse=body)
        case ast.Expr(value=ast.Call()):
            yield ast.Pass()
        case ast.Call(keywords=keywords):
            for dropped in keywords:
                if dropped.arg not in NO_MATTER:
                    yield _with(node, keywords=[keyword for keyword in keywords if keyword is not dropped])


def _with(node: ast.AST, **changed: object) -> ast.AST:
    other = copy.copy(node)
    for name, value in changed.items():
        setattr(other, name, value)
    return other


def spread(found: list[Mutant], most: int, seed: int) -> list[Mutant]:
    """Some of them, from all over the file."""
    if len(found) <= most:
        return found
    choose = random.Random(seed).randrange
    edges = [number * len(found) // most for number in range(most + 1)]
    return [found[choose(low, high)] for low, high in pairwise(edges)]


def halls() -> dict[str, list[str]]:
    """By file the tests that run on its changes: the one of its name, or those that docs/rooms.md names."""
    elsewhere = import_module("tests.test_mirror").elsewhere()
    source, found = ROOT / "src" / "crossdoc", {}
    rooms = (path.relative_to(source).as_posix() for room in ROOMS for path in sorted((source / room).rglob("*.py")))
    for hall in (*rooms, *MORE_HALLS):
        folder, _, name = hall.rpartition("/")
        own = "/".join(filter(None, [folder, f"test_{name}"]))
        tests = [own] if (ROOT / "tests" / own).exists() else []
        tests += [test.removeprefix("tests/") for test in elsewhere.get(hall, ())]
        if tests := [*tests, *MORE_TESTS.get(hall, [])]:
            found[hall] = tests
    return found


class Copy:
    """A copy of the repository to change, with the tests run in forks of this process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("src", "tests", "docs", "tools"):
            shutil.copytree(ROOT / name, folder / name)
        shutil.copy(ROOT / "pyproject.toml", folder)
        shutil.copy(ROOT / "README.md", folder)
        for cached in (folder / "src").rglob("*.pyc"):
            cached.unlink()

    def fails(self, tests: list[str], seconds: int = 600) -> tuple[bool, float]:
        """Whether a test fails, or the tests take more seconds of CPU than that; and how many they took."""
        child = os.fork()
        if not child:
            self._run(tests, seconds)
        _, status, used = os.wait4(child, 0)
        return status != 0, used.ru_utime + used.ru_stime

    def _run(self, tests: list[str], seconds: int) -> None:
        code = 1
        try:
            silent = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silent, 1)
            os.dup2(silent, 2)
            os.chdir(self.folder)
            sys.path.insert(0, str(self.folder / "src"))
            os.environ["PYTHONPATH"] = str(self.folder / "src")
            # A limit or timer that nobody handles ends the process: a change may make a loop endless, or a lock.
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
            signal.setitimer(signal.ITIMER_REAL, 1200)
            there = [f"tests/{test}" for test in tests if Path("tests", test).exists()]
            code = int(import_module("pytest").main(["-x", "-q", "-p", "no:cacheprovider", *there])) if there else 0
        finally:
            os._exit(code)


def survivors(where: Copy, hall: str, tests: list[str], most: int, seed: int) -> tuple[list[Mutant], int]:
    """The changes to a file that no test of it notices, and how many were made."""
    path = where.folder / "src" / "crossdoc" / hall
    source = path.read_bytes()
    chosen = spread(mutants(source.decode()), most, seed)
    left = []
    failed, seconds = where.fails(tests)
    if failed:
        print(f"{hall}: its tests fail before anything is changed", flush=True)
        return [], 0
    try:
        for mutant in chosen:
            path.write_bytes(mutant.of(source))
            if not where.fails(tests, 10 + 3 * int(seconds))[0]:
                left.append(mutant)
    finally:
        path.write_bytes(source)
    return left, len(chosen)


def main() -> None:
    parser = argparse.ArgumentParser(description="How many small changes of the halls make a test fail.")
    sys.path.insert(0, str(ROOT))
    tests = halls()
    parser.add_argument("halls", nargs="*", default=list(tests), help="Files below src/crossdoc.")
    parser.add_argument("--each", type=int, default=10, help="Changes to each file.")
    parser.add_argument("--seed", type=int, default=0, help="Which changes.")
    given = parser.parse_args()
    os.nice(5)
    sys.dont_write_bytecode = True
    for name in HEAVY:
        import_module(name)
    killed = made = 0
    with tempfile.TemporaryDirectory() as folder:
        where = Copy(Path(folder))
        for hall in given.halls:
            left, tried = survivors(where, hall, tests[hall], given.each, given.seed)
            killed, made = killed + tried - len(left), made + tried
            print(f"{hall}: {tried - len(left)} of {tried}", flush=True)
            for mutant in left:
                print(f"  line {mutant.line}: {' '.join(mutant.what.split())}", flush=True)
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(
        f"all: {killed} of {made} ({killed / max(made, 1):.0%}), {(spent.ru_utime + spent.ru_stime) / 60:.1f} CPU min"
    )


if __name__ == "__main__":
    main()
