"""Let every call that opens, writes, flushes, renames or deletes a file fail in turn: is a complete answer there?

    python tools/fail_calls.py [--cases 200] [--only judge,add] [--part 1/4] [--seed 0]

Each act runs in a process of its own. Its n-th call on a file fails (once; from then on; as on a full disk) or ends the
process, for n = 1, 2, … until the last call. Afterwards the answer has to be the old one or the new one: the new one if
the act reported success, and the one that the message names if it failed. It has to open for writing as well.
A C compiler is needed: the calls pass through `failing_calls.c`, so that those of DuckDB and Arrow fail as well.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import json
import multiprocessing
import os
import pickle
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).with_name("failing_calls.c")
MEMORY = "/dev/shm"
LIBRARY = "CROSSDOC_FAILING_CALLS"
COUNT, FAIL_ONCE, FAIL_ON, FULL_ON, KILL = range(5)
WAYS = {"fails once": FAIL_ONCE, "fails from then on": FAIL_ON, "disk is full": FULL_ON, "killed": KILL}
FALSE_WORDS = ("has a bug", "Traceback", "is damaged", "is not a crossdoc result", "changed or made by another program")
"""Words that no message may have: the file is as crossdoc wrote it."""
KEPT = ("is untouched", "is unchanged", "nothing was changed")
NO_COMPILER = 77
"""Exit code if there is no compiler; automake's for a skipped test."""
Content = Any


@dataclass(frozen=True)
class Act:
    """Something that writes: what it does in a folder, and what it changes there."""

    name: str
    do: Callable[[Path], object]
    changes: str
    is_answer: bool = True


@dataclass(frozen=True)
class Outcome:
    """How a process ended: exit code (None if it was killed), messages, number of calls, and the call that failed."""

    code: int | None
    told: str
    calls: int
    failed: str


def compiled(folder: Path) -> Path | None:
    """Return the library of failing calls; None if there is no compiler, or not Linux."""
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if compiler is None or sys.platform != "linux":
        return None
    made = folder / "failing_calls.so"
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", made, SOURCE, "-lpthread"], check=True)
    return made


def faults() -> ctypes.CDLL:
    library = ctypes.CDLL(os.environ[LIBRARY])
    library.faults_failed.restype = ctypes.c_char_p
    return library


def command(*words: str) -> Callable[[Path], object]:
    """Return a command line; words with a leading @ are files of the folder."""

    def do(folder: Path) -> None:
        from crossdoc import cli

        sys.argv = ["crossdoc", *(str(folder / word[1:]) if word.startswith("@") else word for word in words)]
        cli.main()

    return do


def guarded(do: Callable[[Path], object]) -> Callable[[Path], object]:
    """Return a function with the messages and exit codes of a command."""

    def run(folder: Path) -> None:
        import typer

        from crossdoc.cli.ui import guard

        try:
            guard(do)(folder)
        except typer.Exit as ended:
            os._exit(ended.exit_code)

    return run


def explored(act: str, *given: Any) -> Callable[[Path], object]:
    """Return an order to the explorer, as its process carries it out."""

    def do(folder: Path) -> None:
        from crossdoc.web import worker

        ours, theirs = multiprocessing.Pipe()

        def hear() -> None:
            with contextlib.suppress(EOFError, OSError):
                while True:
                    theirs.recv()

        threading.Thread(target=hear, daemon=True).start()
        path = folder / "a.crossdoc"
        questions = worker.Questions(path, worker.PipeProgress(ours))
        filled = tuple(folder / each[1:] if str(each).startswith("@") else each for each in given)
        outcome = worker.outcome(ours, path, questions, act, filled, {})
        if outcome[0] != "done":
            raise outcome[1]

    return guarded(do)


def resolve_on_engine(folder: Path) -> None:
    import crossdoc
    from crossdoc.engine import LocalEngine

    with LocalEngine(1) as engine:
        crossdoc.resolve(folder / "profiles.jsonl", output=folder / "many.crossdoc", engine=engine).close()


ACTS = [
    Act("judge", command("judge", "@a.crossdoc", "different", "p00", "p03"), "a.crossdoc"),
    Act("merge", command("merge", "@a.crossdoc", "p01", "p02"), "a.crossdoc"),
    Act("split", command("split", "@a.crossdoc", "p00", "p06"), "a.crossdoc"),
    Act("rename", command("rename", "@a.crossdoc", "p00", "Another"), "a.crossdoc"),
    Act("undo", command("undo", "@a.crossdoc"), "a.crossdoc"),
    Act("add", command("add", "@a.crossdoc", "@more.jsonl"), "a.crossdoc"),
    Act("remove", command("remove", "@a.crossdoc", "p05"), "a.crossdoc"),
    Act("resolve again", command("resolve", "@fewer.jsonl", "-o", "@a.crossdoc"), "a.crossdoc"),
    Act("resolve", command("resolve", "@profiles.jsonl", "-o", "@new.crossdoc"), "new.crossdoc"),
    Act("resolve on an engine", guarded(resolve_on_engine), "many.crossdoc"),
    Act("explorer: judge", explored("judge", "p00", "p03", "different"), "a.crossdoc"),
    Act("explorer: merge", explored("merge", "p01", "p02"), "a.crossdoc"),
    Act("explorer: add", explored("add", "@more.jsonl"), "a.crossdoc"),
    Act("explorer: remove", explored("remove", "p05"), "a.crossdoc"),
    Act("export a table", command("export", "@a.crossdoc", "--format", "csv", "-o", "@a.csv"), "a.csv", False),
    Act("export", command("export", "@a.crossdoc", "-o", "@a.jsonld"), "a.jsonld", False),
    Act("report", command("report", "@a.crossdoc", "-o", "@a.html"), "a.html", False),
    Act("extract", command("extract", "@texts", "-o", "@found.jsonl"), "found.jsonl", False),
    Act("cluster", command("cluster", "@edges.csv", "-o", "@clusters.csv"), "clusters.csv", False),
]


def fill(folder: Path) -> None:
    """Write the answers and inputs that acts start from."""
    import crossdoc
    from crossdoc.model import Profile

    names = ["Ann Li", "Bo Kim", "Cy Ode"]
    made = [Profile(f"p{n:02}", f"d{n}", names[n % 3], "person", f"word{n % 3} race lap {n}", "en") for n in range(13)]
    for name, rows in (("profiles", made[:12]), ("fewer", made[:10]), ("more", made[12:])):
        lines = ({"id": each.id, "document": each.document, "name": each.name, "type": each.type,
                  "context": each.context, "language": "en"} for each in rows)  # fmt: skip
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (folder / "texts").mkdir()
    for n in range(2):
        (folder / "texts" / f"{n}.txt").write_text(f"Ann Lee spoke in Paris on day {n}. Bo Kim listened.")
    (folder / "edges.csv").write_text("a,b,strength\nx,y,0.9\ny,z,0.1\n")
    with crossdoc.resolve(folder / "profiles.jsonl", output=folder / "a.crossdoc") as answer:
        answer.rename("p01", "Bo")
        answer.judge("p00", "p09", "same")
    resolve_on_engine(folder)
    for name in ("a.csv", "a.jsonld", "a.html", "found.jsonl", "clusters.csv"):
        (folder / name).write_text("<!doctype html>" if name.endswith("html") else "{}" if "json" in name else "old\n")


def content(path: Path, is_answer: bool) -> Content:
    """Read what an act changes, without times; None if it is not there."""
    if not path.exists():
        return None
    if not is_answer:
        return path.read_bytes()
    import crossdoc

    with crossdoc.open(path) as answer:
        rows = answer.answer(soft=True).to_pylist()
        entries = [
            (each.number, each.act, each.undoes, sorted(each.about)) for each in answer.store.entries(standing=False)
        ]
        named = sorted((each.id, each.name) for each in answer.store.identities())
        return sorted(map(str, rows)), named, entries, len(answer.runs), sorted(answer.profiles.ids)


def forked(work: Callable[[], object]) -> tuple[int, bytes, str]:
    """Do something in a process of its own: its status, what it returned (pickled) and what it printed as errors."""
    files = [tempfile.TemporaryFile() for _ in range(2)]  # noqa: SIM115 - closed below
    sys.stdout.flush()
    process = os.fork()
    if not process:
        code = 70
        try:
            os.dup2(files[1].fileno(), 2)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            files[0].write(pickle.dumps(work()))
            files[0].flush()
            code = 0
        except BaseException:  # noqa: BLE001 - the parent reports it
            import traceback

            traceback.print_exc()
        os._exit(code)
    status = os.waitpid(process, 0)[1]
    for file in files:
        file.seek(0)
    with files[0], files[1]:
        return status, files[0].read(), files[1].read().decode(errors="replace")


def done(work: Callable[[], object]) -> Any:
    status, value, told = forked(work)
    if status:
        raise AssertionError(told or f"ended with {status}")
    return pickle.loads(value)


def attempted(act: Act, folder: Path, number: int, way: int, before: Callable[[], object] = lambda: None) -> Outcome:
    """Do an act whose call `number` fails; `before` is called first in its process."""
    counted = folder.with_name("counted")
    counted.unlink(missing_ok=True)

    def work() -> None:
        library = faults()
        exit_at_once = os._exit

        def leave(code: int) -> None:
            counted.write_text(f"{library.faults_count()}\n{library.faults_failed().decode(errors='replace')}")
            exit_at_once(code)

        vars(os)["_exit"] = leave
        before()
        library.faults_arm(os.fsencode(folder), number, way)
        act.do(folder)
        leave(0)

    status, _, told = forked(work)
    calls, failed = (counted.read_text() + "\n").split("\n")[:2] if counted.exists() else ("0", "killed")
    return Outcome(None if os.WIFSIGNALED(status) else os.waitstatus_to_exitcode(status), told, int(calls), failed)


def judge(outcome: Outcome, found: Content, old: Content, new: Content) -> list[str]:
    """Return what is wrong after an act."""
    wrong = [] if found in (old, new) else ["neither the old nor the new answer"]
    if outcome.code == 0 and found != new:
        wrong.append("reported as done, but it is not there")
    if outcome.code not in (0, None):
        wrong += [f"says {words!r}" for words in FALSE_WORDS if words in outcome.told]
        if "error:" not in outcome.told:
            wrong.append("no message")
        if any(words in outcome.told for words in KEPT) and found != old:
            wrong.append("says that nothing has changed, but the new answer is there")
        if "has replaced" in outcome.told and found != new:
            wrong.append("says that the new answer is there, but the old one is")
    return wrong


def check_after(act: Act, folder: Path) -> Content:
    """Return what is there; an answer must open for writing, too."""
    found = content(folder / act.changes, act.is_answer)
    if act.changes == "a.crossdoc":
        from crossdoc.store import Store

        Store.open(folder / act.changes, write=True).close()
    return found


@dataclass(frozen=True)
class Trial:
    """An act with what is there before and after it, and the number of its calls."""

    act: Act
    template: Path
    old: Content
    new: Content
    calls: int

    @classmethod
    def of(cls, act: Act, template: Path, work: Path) -> Trial:
        place = fresh(template, work)
        old = done(lambda: content(place / act.changes, act.is_answer))
        outcome = attempted(act, place, 0, COUNT)
        assert outcome.code == 0, f"{act.name}: {outcome.told}"
        return cls(act, template, old, done(lambda: content(place / act.changes, act.is_answer)), outcome.calls)

    def run(self, work: Path, number: int, way: int) -> tuple[Outcome, list[str]]:
        place = fresh(self.template, work)
        outcome = attempted(self.act, place, number, way)
        try:
            found = done(lambda: check_after(self.act, place))
        except AssertionError as error:
            return outcome, [f"cannot be used afterwards: {error}"]
        wrong = judge(outcome, found, self.old, self.new)
        if self.act.changes != "a.crossdoc" and found == self.old:
            again = attempted(self.act, place, 0, COUNT)
            if again.code != 0 or done(lambda: content(place / self.act.changes, self.act.is_answer)) != self.new:
                wrong.append(f"cannot be done again: {again.told}")
        return outcome, wrong


def fresh(template: Path, work: Path) -> Path:
    place = work / "place"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(template, place)
    return place


def prepared(only: list[str], work: Path) -> Iterator[Trial]:
    """Import, load and compile everything once, and yield the acts with their number of calls."""
    import crossdoc
    from crossdoc.cli.output_commands import report  # noqa: F401 - imported once, before processes are forked
    from crossdoc.extract import models
    from crossdoc.model import Profile
    from crossdoc.web import worker  # noqa: F401

    if not only or "extract" in only:
        models.load(models.model_for("en"))
    with crossdoc.resolve([Profile(f"p{n}", f"d{n}", "Ann Li", "person", f"race lap {n}") for n in range(4)]) as warm:
        warm.judge("p0", "p1", "same")
    template = work / "template"
    template.mkdir()
    done(partial(fill, template))
    for act in ACTS:
        if not only or act.name in only:
            trial = Trial.of(act, template, work)
            print(f"{act.name}: {trial.calls} calls", flush=True)
            yield trial


def sample(trials: list[Trial], most: int | None, seed: int) -> list[tuple[Trial, int, str]]:
    """Return all points of all acts, or `most` of them, of each act and way as many."""
    groups = [[(trial, n, way) for n in range(1, trial.calls + 1)] for trial in trials for way in WAYS]
    if most is None:
        return [case for group in groups for case in group]
    rng = random.Random(seed)
    for group in groups:
        rng.shuffle(group)
    rng.shuffle(groups)
    dealt = [group[at] for at in range(max(map(len, groups))) for group in groups if at < len(group)]
    return dealt[:most]


def in_preloaded_process(main: Callable[[Path], int]) -> int:
    """Run a program in a process whose calls pass through the library, with a folder of its own; returns its code."""
    # No TemporaryDirectory: each process that ends would delete it. In memory, flushing takes no time.
    work = Path(tempfile.mkdtemp(dir=MEMORY if os.access(MEMORY, os.W_OK) else None)).resolve()
    try:
        if LIBRARY in os.environ:
            return main(work)
        library = compiled(work)
        if library is None:
            print("no C compiler, or not Linux: calls cannot be made to fail")
            return NO_COMPILER
        preloaded = {**os.environ, LIBRARY: str(library), "LD_PRELOAD": str(library)}
        return subprocess.run([sys.executable, *sys.argv], env=preloaded, check=False).returncode
    finally:
        shutil.rmtree(work)


def main(work: Path) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, help="number of points to try (default: all)")
    parser.add_argument("--only", default="", help="names of acts, separated by commas")
    parser.add_argument("--part", default="1/1", help="only this part of the cases, as 2/5")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    began, ends, bad = time.monotonic(), Counter[str](), 0
    trials = list(prepared([each for each in given.only.split(",") if each], work))
    part, parts = map(int, given.part.split("/"))
    cases = sample(trials, given.cases, given.seed)[part - 1 :: parts]
    for trial, number, way in cases:
        outcome, wrong = trial.run(work, number, WAYS[way])
        ends["killed" if outcome.code is None else "done" if outcome.code == 0 else "failed with a message"] += 1
        bad += bool(wrong)
        for each in wrong:
            print(f"WRONG {trial.act.name}, call {number} ({outcome.failed}) {way}: {each}\n{outcome.told}", flush=True)
    print(", ".join(f"{n:,} {what}" for what, n in ends.most_common()))
    print(f"{len(cases):,} failing calls of {len(trials)} acts in {time.monotonic() - began:.0f} s, {bad} wrong")
    return bad > 0


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(in_preloaded_process(main))
