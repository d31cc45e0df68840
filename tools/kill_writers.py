"""Kill processes that write, at commits, renames and any moment of any act: is what was acknowledged there, and whole?

    python tools/kill_writers.py [--kills 200] [--seed 0] [--patience 2]

Each child judges, renames, takes back, adds, removes, resolves, exports, reports and extracts in an endless loop, and
says what it has done only when it is done. It is killed (SIGKILL) at a random moment, or by itself right before or
after one of its commits or while the file is put under its name by a new run. After each kill the file must open, be
whole and hold all that was acknowledged, the other files must be whole, and the next child must be able to go on.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import crossdoc
from crossdoc.cli import ui
from crossdoc.cli.output_commands import export, report
from crossdoc.extract import models
from crossdoc.model import Profile
from crossdoc.store import connection

MOMENTS = ("any", "before commit", "any", "after commit", "any", "before close", "after close", "any",
           "before rename", "after rename")  # fmt: skip
TEXTS = [f"Ann Lee spoke in Paris on day {n}. Bo Kim of Acme Corp. listened to Mrs. Lee." for n in range(12)]


def profile(n: int) -> Profile:
    return Profile(f"p{n}", f"d{n}", ["Ann Li", "Bo Kim", "Ann B. Li"][n % 3], "person", f"word{n % 5} race lap {n}")


class Child:
    """What a child does until it is killed; `number` is where the profiles that it adds begin."""

    ACTS = ("judge", "undo", "rename", "add", "remove", "resolve", "export", "report", "extract")

    def __init__(self, path: Path, seed: int, moment: str, number: int) -> None:
        self.path, self.moment, self.number = path, moment, number
        self.rng = random.Random(seed)
        self.left = self.rng.randint(1, 2 if "rename" in moment else 6)
        often = ("resolve", "export") * 3
        self.acts = (*self.ACTS[:5], *often) if "rename" in moment else self.ACTS

    def run(self) -> None:
        self.watch()
        ui.err.quiet = ui.out.quiet = True
        say("ready")
        while True:
            act = self.rng.choice(self.acts)
            say("doing", act)
            getattr(self, act)()

    def watch(self) -> None:
        """Die at the commit, close or rename that the moment says."""
        connect, replace = connection.connect, os.replace
        killed_at = self.killed_at

        class Watched:
            def __init__(self, db: Any) -> None:
                self.db = db

            def __getattr__(self, name: str) -> Any:
                return getattr(self.db, name)

            def commit(self) -> None:
                killed_at("before commit")
                self.db.commit()
                killed_at("after commit")

            def execute(self, query: str, *given: Any) -> Any:
                # To let go of the file is to close it.
                closes = query.startswith("DETACH") and query.endswith("stored")
                if closes:
                    killed_at("before close")
                done = self.db.execute(query, *given)
                if closes:
                    killed_at("after close")
                return done

            def close(self) -> None:
                killed_at("before close")
                self.db.close()
                killed_at("after close")

        def renamed(*given: Any) -> None:
            killed_at("before rename")
            replace(*given)
            killed_at("after rename")

        def watched(*given: Any, again: Any = None, **more: Any) -> Watched:
            return Watched(connect(*given, again=getattr(again, "db", again), **more))

        vars(connection)["connect"] = watched
        vars(os)["replace"] = renamed

    def killed_at(self, when: str) -> None:
        self.left -= self.moment == when
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def judge(self) -> None:
        with crossdoc.open(self.path) as answer:
            a, b = self.rng.sample(answer.profiles.ids.tolist(), 2)
            try:
                say("judged", answer.judge(a, b, self.rng.choice(["same", "different"])).entry)
            except crossdoc.CrossdocError:
                return

    def undo(self) -> None:
        with crossdoc.open(self.path) as answer:
            if answer.store.entries():
                say("undone", answer.undo().entry)

    def rename(self) -> None:
        with crossdoc.open(self.path) as answer:
            say("judged", answer.rename(answer.identities(top=1)[0].id, f"N{self.number}").entry)

    def add(self) -> None:
        self.number += 1
        with crossdoc.open(self.path) as answer:
            answer.add([profile(self.number)])
        say("added", f"p{self.number}")

    def remove(self) -> None:
        with crossdoc.open(self.path) as answer:
            ids = answer.profiles.ids.tolist()
            if len(ids) > 20:
                gone = self.rng.choice(ids)
                say("removing", gone)
                answer.remove(gone)
                say("removed", gone)

    def resolve(self) -> None:
        with crossdoc.open(self.path) as answer:
            everything = list(answer.profiles)
        crossdoc.resolve(everything, output=self.path).close()
        say("wrote", self.path.name)

    def export(self) -> None:
        export(self.path, output=self.path.with_name("a.jsonld"))
        say("wrote", "a.jsonld")

    def report(self) -> None:
        report(self.path, self.path.with_name("a.html"))
        say("wrote", "a.html")

    def extract(self) -> None:
        """Goes on from where one was that was killed."""
        output = self.path.with_name("profiles.jsonl")
        output.unlink(missing_ok=True)
        crossdoc.write_extracted(self.path.with_name("texts"), output=output, processes=1)
        say("wrote", output.name)


def say(*words: object) -> None:
    print("SAID", *words, flush=True)


def forked(work: Callable[[], object]) -> tuple[int, int]:
    """Do something in a process of its own, which need not import everything again: its id, and where it writes to."""
    sys.stdout.flush()
    end, start = os.pipe()
    process = os.fork()
    if process:
        os.close(start)
        return process, end
    os.dup2(start, 1)
    sys.stdout = os.fdopen(1, "w")
    try:
        work()
        sys.stdout.flush()
    except BaseException:  # noqa: BLE001 - whatever it is, the parent has to hear of it and this process has to end
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def done(work: Callable[[], object]) -> str:
    """What work in a process of its own prints; who has threads of a database cannot be forked."""
    process, end = forked(work)
    with os.fdopen(end) as stream:
        answer = stream.read()
    assert os.waitpid(process, 0)[1] == 0, "what is there is not as it should be"
    return answer


def acknowledged(path: Path, seed: int, moment: str, number: int, patience: float) -> list[list[str]]:
    """What a child said that it was doing and had done before it was killed."""
    process, end = forked(Child(path, seed, moment, number).run)
    with os.fdopen(end) as stream:
        stream.readline()
        if moment == "any":
            time.sleep(random.Random(seed).uniform(0, patience))
            os.kill(process, signal.SIGKILL)
        # The last line may be a part of one.
        lines = [line.split() for line in stream.read().splitlines(keepends=True) if line.endswith("\n")]
    status = os.waitpid(process, 0)[1]
    assert os.WIFSIGNALED(status), "the child was not killed, but failed"
    return [words[1:] for words in lines if words[0] == "SAID"]


def check(path: Path, lines: list[list[str]], extracted: bytes) -> int:
    """All is whole and holds what was said; gives the highest number of a profile."""
    check_files(path, {name for act, name in lines if act == "wrote"}, extracted)
    with crossdoc.open(path) as answer:
        held, ids = answer.store.entity_of(), set(answer.profiles.ids)
        assert set(held) == ids, "a profile without an identity"
        assert {identity.id for identity in answer.identities()} == set(held.values()), "identities that are not there"
        entries = {entry.number: entry for entry in answer.store.entries(standing=False)}
        undone = {entry.undoes for entry in entries.values()}
        last = {what: act for act, what in lines if act in ("added", "removed")}
        for act, what in lines:
            if act in ("judged", "undone"):
                assert int(what) in entries, f"entry {what} is lost"
            if act == "undone":
                assert int(what) in undone, f"the undoing of {what} is lost"
        # What was being removed when the kill came may be there or not; of everything else that was said is so.
        open_ = lines[-1][1] if lines and lines[-1][0] == "removing" else None
        wrong = [what for what, act in last.items() if (what in ids) != (act == "added") and what != open_]
        assert not wrong, f"not as acknowledged: {wrong}"
        return max(int(id[1:]) for id in ids)


def print_checked(*given: Any) -> None:
    print(check(*given))


def check_files(path: Path, wrote: set[str], extracted: bytes) -> None:
    """Files that are there are whole, those that were written are there."""
    page, linked, profiles = (path.with_name(name) for name in ("a.html", "a.jsonld", "profiles.jsonl"))
    assert all(each.exists() for each in (page, linked) if each.name in wrote), "a file that was written is not there"
    assert not page.exists() or page.read_text().rstrip().endswith("</html>"), "half a report"
    assert not linked.exists() or json.loads(linked.read_text()), "half an export"
    assert not profiles.exists() or profiles.read_bytes() == extracted, "profiles that are not those of a whole run"


def kill(path: Path, kills: int, seed: int, patience: float) -> tuple[int, Counter[str]]:
    """So many kills, one after the other: how many acts were acknowledged, and at what the kills came."""
    texts = path.with_name("texts")
    texts.mkdir()
    for n, text in enumerate(TEXTS):
        (texts / f"{n}.txt").write_text(text)
    first = [profile(n) for n in range(30)]
    # Everything is imported, loaded and compiled once.
    models.load(models.model_for("en"))
    with crossdoc.resolve(first) as warm:
        warm.judge("p0", "p2", "same")
    whole = path.with_name("whole.jsonl")
    done(lambda: crossdoc.resolve(first, output=path).close())
    done(lambda: crossdoc.write_extracted(texts, output=whole, processes=1))
    extracted = whole.read_bytes()
    number, count, at_what = 30, 0, Counter[str]()
    for at in range(kills):
        moment = MOMENTS[at % len(MOMENTS)]
        lines = acknowledged(path, seed + at, moment, number + 1000 * (at + 1), patience)
        number = max(int(done(partial(print_checked, path, lines, extracted))), number) % 1000
        doing = next((what for act, what in reversed(lines) if act == "doing"), "start")
        at_what[doing if lines and lines[-1][0] in ("doing", "removing") else "between"] += 1
        count += sum(act not in ("doing", "removing") for act, _ in lines)
        print(f"{at + 1}: {moment}, {doing}, {len(lines)} lines", flush=True)
    done(lambda: every_act(path))
    return count, at_what


def every_act(path: Path) -> None:
    """Nothing that was left behind is in the way of a later run."""
    ui.err.quiet = ui.out.quiet = True
    child = Child(path, 0, "never", 999_000)
    for act in Child.ACTS:
        getattr(child, act)()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--patience", type=float, default=2.0, help="seconds within which a child is killed")
    given = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        count, at_what = kill(Path(folder, "a.crossdoc"), given.kills, given.seed, given.patience)
    print(", ".join(f"{n} at {what}" for what, n in at_what.most_common()))
    print(f"{given.kills:,} kills in {time.monotonic() - began:.0f} s; {count:,} acts acknowledged, none lost")


if __name__ == "__main__":
    main()
