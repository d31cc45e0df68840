"""Do the tests of the halls (the code between the stages) notice when it is changed? `make mutants` asks them.

One small change at a time (an operator, a sign, a number, a condition, a dropped argument or call) is made to a file
in a copy of the source. The tests that mirror the file run once on the unchanged code, and it is recorded which
functions of the file each of them calls. On a change, the tests run that call the changed function, the quickest first.
Printed is how many changes made a test fail, and each that did not. Third-party packages are imported once and the
tests run in forks, since importing takes longer than most tests. The changes are a random sample that follows from the
seed.
"""

from __future__ import annotations

import argparse
import ast
import copy
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import FrameType

import pytest

ROOT = Path(__file__).resolve().parent.parent
MORE_HALLS = ("web/changes.py", "settings.py", "model/identity.py", "model/evidence_protocol.py",
              "cluster/clusterer.py", "cluster/methods.py", "cluster/graph_clustering.py",
              "read/records.py")  # fmt: skip
"""Files besides those of `ROOMS`."""
ROOMS = ("run", "compare", "store")
MORE_TESTS = {
    "run/revise.py": ["test_undo.py", "run/test_removals.py"],
    "run/reading.py": ["run/test_conformance.py"],
    "run/stored_collection.py": ["run/test_affected.py"],
    "settings.py": ["cli/test_settings.py"],
    "compare/collection.py": ["run/test_stored_collection.py"],
    "cluster/clusterer.py": ["cluster/test_methods.py"],
}
"""Tests of a file besides the one of its name."""
MOST_SECONDS = 40.0
"""Seconds of tests that run on one change, the quickest first."""
SLOWER = 5
"""Times as long as before the tests may take on a change, plus ten seconds: it may have made a loop endless."""
HEAVY = ("numpy", "scipy.sparse.csgraph", "scipy.optimize", "pyarrow.parquet", "duckdb", "numba", "sklearn.base",
         "pydantic", "spacy", "pandas", "polars", "hypothesis", "pytest", "typer.testing")  # fmt: skip
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
    """By file the tests that run on its changes: the one of its name, and those of `MORE_TESTS`."""
    source, found = ROOT / "src" / "crossdoc", {}
    rooms = (path.relative_to(source).as_posix() for room in ROOMS for path in sorted((source / room).rglob("*.py")))
    for hall in (*rooms, *MORE_HALLS):
        folder, _, name = hall.rpartition("/")
        own = "/".join(filter(None, [folder, f"test_{name}"]))
        if (ROOT / "tests" / own).exists():
            found[hall] = [own, *MORE_TESTS.get(hall, [])]
    return found


class CallRecorder:
    """A plugin of pytest that records which functions of a file each test calls (first lines), and its seconds."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)
        self.called: dict[str, tuple[float, list[int]]] = {}

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        seen, begun = set[int](), time.perf_counter()

        def note(frame: FrameType, event: str, argument: object) -> None:
            if event == "call" and frame.f_code.co_filename == self.path:
                seen.add(frame.f_code.co_firstlineno)

        threading.setprofile(note)
        sys.setprofile(note)
        yield
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
        self.called[item.nodeid] = time.perf_counter() - begun, sorted(seen)


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

    def fails(self, tests: list[str], seconds: int = 900) -> tuple[bool, float]:
        """Whether a test fails, or the tests take more seconds than that; and how many they took."""
        begun = time.monotonic()
        child = os.fork()
        if not child:
            self._run(tests, seconds)
        return os.waitpid(child, 0)[1] != 0, time.monotonic() - begun

    def calls(self, tests: list[str], hall: str) -> dict[str, tuple[float, list[int]]] | None:
        """Return for each test its seconds and the functions of a file that it calls; None if one fails."""
        into, recorder = self.folder / "calls.json", CallRecorder(self.folder / "src" / "crossdoc" / hall)
        into.unlink(missing_ok=True)
        child = os.fork()
        if not child:
            self._run(tests, 900, recorder, into)
        failed = os.waitpid(child, 0)[1] != 0
        return None if failed or not into.exists() else json.loads(into.read_text())

    def _run(
        self, tests: list[str], seconds: int, recorder: CallRecorder | None = None, into: Path | None = None
    ) -> None:
        code = 1
        try:
            silent = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silent, 1)
            os.dup2(silent, 2)
            os.chdir(self.folder)
            sys.path.insert(0, str(self.folder / "src"))
            os.environ["PYTHONPATH"] = str(self.folder / "src")
            # A timer that nobody handles ends the process: a change may make a loop endless, or a lock.
            signal.setitimer(signal.ITIMER_REAL, seconds)
            arguments = ["-x", "-q", "-p", "no:cacheprovider", "-n", "0", *tests]
            code = int(import_module("pytest").main(arguments, plugins=[recorder] if recorder else []))
            if recorder is not None and into is not None:
                into.write_text(json.dumps(recorder.called))
        finally:
            os._exit(code)


def calling_tests(mutant: Mutant, source: bytes, called: dict[str, tuple[float, list[int]]]) -> list[str]:
    """Return the tests that call the function of a change, the quickest first; all of them outside of any function."""
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef | ast.Lambda)]
    around = [node for node in functions if node.lineno <= mutant.line <= (node.end_lineno or 0)]
    first = {min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))]) for node in around}
    calling = {test: seconds for test, (seconds, lines) in called.items() if not first or first & set(lines)}
    chosen, total = list[str](), 0.0
    for test, seconds in sorted(calling.items(), key=lambda item: item[1]):
        if chosen and total + seconds > MOST_SECONDS:
            break
        chosen.append(test)
        total += seconds
    return chosen


def survivors(where: Copy, hall: str, tests: list[str], most: int, seed: int, until: float) -> tuple[list[Mutant], int]:
    """The changes to a file that no test of it notices, and how many were made."""
    path = where.folder / "src" / "crossdoc" / hall
    source = path.read_bytes()
    chosen = spread(mutants(source.decode()), most, seed)
    called = where.calls([f"tests/{test}" for test in tests], hall)
    if called is None:
        print(f"{hall}: its tests fail before anything is changed", flush=True)
        return [], 0
    left, made = list[Mutant](), 0
    try:
        for mutant in chosen:
            if time.monotonic() > until:
                break
            made += 1
            some = calling_tests(mutant, source, called)
            path.write_bytes(mutant.of(source))
            limit = 10 + SLOWER * int(sum(called[test][0] for test in some))
            if not some or not where.fails(some, limit)[0]:
                left.append(mutant)
    finally:
        path.write_bytes(source)
    return left, made


def main() -> None:
    parser = argparse.ArgumentParser(description="How many small changes of the halls make a test fail.")
    sys.path.insert(0, str(ROOT))
    tests = halls()
    parser.add_argument("halls", nargs="*", default=list(tests), help="Files below src/crossdoc.")
    parser.add_argument("--each", type=int, default=10, help="Changes to each file.")
    parser.add_argument("--seed", type=int, default=0, help="Which changes.")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="No further change after so many minutes.")
    given = parser.parse_args()
    os.nice(5)
    sys.dont_write_bytecode = True
    for name in HEAVY:
        import_module(name)
    until = time.monotonic() + 60 * given.minutes
    killed = made = 0
    with tempfile.TemporaryDirectory() as folder:
        where = Copy(Path(folder))
        for hall in random.Random(given.seed).sample(given.halls, len(given.halls)):
            if time.monotonic() > until:
                break
            left, tried = survivors(where, hall, tests[hall], given.each, given.seed, until)
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
