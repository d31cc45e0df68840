"""Kill processes that change a result, at commits, renames and any moment: is what was acknowledged there?

    python tools/kill_writers.py [--kills 200] [--seed 0]

Each child judges, takes back, adds and removes in an endless loop, and says what it has done only when it is done. It
is killed (SIGKILL) at a random moment, or by itself right before or after one of its commits or while the file is put
under its name by a new run. After each kill the file must open, be whole, and hold all that was acknowledged.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path

import crossdoc
from crossdoc.model import Profile

CHILD = """
import os, random, signal, sys
import crossdoc
from crossdoc.model import Profile
from crossdoc.store import store as module

path, seed, moment, number = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
rng = random.Random(seed)
left = rng.randint(1, 2 if "rename" in moment else 6)

def killed_at(when):
    global left
    if moment == when:
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

class Watched:
    # Counts the commits of a connection, and dies before or behind one of them.
    def __init__(self, db): self.db = db
    def __getattr__(self, name): return getattr(self.db, name)
    def commit(self):
        killed_at("before commit")
        self.db.commit()
        killed_at("after commit")
    def close(self):
        killed_at("before close")
        self.db.close()
        killed_at("after close")

connect, replace = module.connect, os.replace
module.connect = lambda *given, **more: Watched(connect(*given, **more))

def renamed(*given):
    killed_at("before rename")
    replace(*given)
    killed_at("after rename")

module.os.replace = renamed

def profile(n):
    return Profile(f"p{n}", f"d{n}", ["Ann Li", "Bo Kim", "Ann B. Li"][n % 3], "person", f"word{n % 5} race lap {n}")

print("ready", flush=True)
while True:
    with crossdoc.open(path) as answer:
        ids = answer.profiles.ids.tolist()
        act = rng.choice(["judge", "undo", "add", "remove", "rename"] + ["resolve"] * (9 * ("rename" in moment)))
        if act == "judge":
            a, b = rng.sample(ids, 2)
            try:
                print("judged", answer.judge(a, b, rng.choice(["same", "different"])).entry, flush=True)
            except crossdoc.CrossdocError:
                pass
        elif act == "undo" and answer.store.entries():
            print("undone", answer.undo().entry, flush=True)
        elif act == "rename":
            print("judged", answer.rename(answer.identities(top=1)[0].id, f"N{number}").entry, flush=True)
        elif act == "add":
            number += 1
            answer.add([profile(number)])
            print("added", f"p{number}", flush=True)
        elif act == "remove" and len(ids) > 20:
            gone = rng.choice(ids)
            print("removing", gone, flush=True)
            answer.remove(gone)
            print("removed", gone, flush=True)
        elif act == "resolve":
            everything = list(answer.profiles)
    if act == "resolve":
        crossdoc.resolve(everything, output=path).close()
"""
MOMENTS = ("any", "before commit", "after commit", "before close", "after close", "before rename", "after rename")


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


def acknowledged(path: Path, seed: int, moment: str, number: int, patience: float) -> list[list[str]]:
    """What a child said that it had done before it was killed."""
    sys.argv = ["", str(path), str(seed), moment, str(number)]
    process, end = forked(lambda: exec(CHILD, {}))
    with os.fdopen(end) as told:
        told.readline()
        if moment == "any":
            time.sleep(random.Random(seed).uniform(0, patience))
            os.kill(process, signal.SIGKILL)
        said = [line.split() for line in told.read().splitlines() if len(line.split()) == 2]
    status = os.waitpid(process, 0)[1]
    assert os.WIFSIGNALED(status), "the child was not killed, but failed"
    return said


def checked(path: Path, said: list[list[str]]) -> int:
    """:func:`check` in a process of its own: who has threads of a database cannot be forked."""
    process, end = forked(lambda: print(check(path, said)))
    with os.fdopen(end) as told:
        answer = told.read()
    assert os.waitpid(process, 0)[1] == 0, "what is there is not as it should be"
    return int(answer)


def check(path: Path, said: list[list[str]]) -> int:
    """The file is whole and holds what was said; gives the highest number of a profile."""
    with crossdoc.open(path) as answer:
        held, ids = answer.store.entity_of(), set(answer.profiles.ids)
        assert set(held) == ids, "a profile without an identity"
        assert {identity.id for identity in answer.identities()} == set(held.values()), "identities that are not there"
        entries = {entry.number: entry for entry in answer.store.entries(standing=False)}
        undone = {entry.undoes for entry in entries.values()}
        last = {what: act for act, what in said if act in ("added", "removed")}
        for act, what in said:
            if act in ("judged", "undone"):
                assert int(what) in entries, f"entry {what} is lost"
            if act == "undone":
                assert int(what) in undone, f"the undoing of {what} is lost"
        # What was being removed when the kill came may be there or not; of everything else that was said is so.
        open_ = said[-1][1] if said and said[-1][0] == "removing" else None
        wrong = [what for what, act in last.items() if (what in ids) != (act == "added") and what != open_]
        assert not wrong, f"not as acknowledged: {wrong}"
        return max(int(id[1:]) for id in ids)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--patience", type=float, default=8.0, help="seconds within which a child is killed")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        count = kill(Path(folder, "a.crossdoc"), given.kills, given.seed, given.patience)
    print(f"{count:,} acts acknowledged, none lost")


def kill(path: Path, kills: int, seed: int, patience: float) -> int:
    """So many kills, one after the other; gives the number of acts that were acknowledged."""
    first = [Profile(f"p{n}", f"d{n}", ["Ann Li", "Bo Kim"][n % 2], "person", f"race lap {n}") for n in range(30)]
    # Everything is imported and compiled once.
    with crossdoc.resolve(first) as warm:
        warm.judge("p0", "p2", "same")
    process, end = forked(lambda: crossdoc.resolve(first, output=path).close())
    os.waitpid(process, 0)
    os.close(end)
    number, count = 30, 0
    for at in range(kills):
        said = acknowledged(path, seed + at, MOMENTS[at % len(MOMENTS)], number + 1000 * (at + 1), patience)
        number = max(checked(path, said), number) % 1000
        count += sum(act != "removing" for act, _ in said)
        print(f"{at + 1}: {MOMENTS[at % len(MOMENTS)]}, {len(said)} acts", flush=True)
    return count


if __name__ == "__main__":
    main()
