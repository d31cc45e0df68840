"""Power cuts, kills and full disks: what stands under the name of a result is always a whole one."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from crossdoc.model import Judgement
from crossdoc.store import Run, Store

WRITER = """
import os, resource, signal, sys
from crossdoc import errors
from crossdoc.model import Document, Documents, Judgement, Partition, Profile, Profiles
from crossdoc.store import Run, Store

BATCHES, ROWS = 5, 20

def write(path, number, staged=()):
    with Store.begin(path, f"run {number}") as store:
        done = set(store.documents().ids)
        for batch in range(BATCHES):
            ids = [f"{number}:{batch}:{row}" for row in range(ROWS)]
            if ids[0] in done:
                continue
            with store.batch():
                store.add(Documents.of(Document(id, "text " * 50) for id in ids))
                store.add(Profiles.of(Profile(id, id, f"name {number}") for id in ids))
        ids = store.profiles().ids
        if store.partition_of("", ids) is None:
            store.save_partition("", Partition.from_labels(ids, [0] * len(ids)), 0.1)
        store.stage_judgements([Judgement(f"{number}", said, "same", when="2024") for said in staged])
        store.save_run(Run("", "", "", "", number, "", [], []))
        store.finish()
"""

ENDLESS = (
    WRITER
    + """
number = int(sys.argv[2])
print("ready", flush=True)
while True:
    write(sys.argv[1], number)
    number += 1
"""
)


def run(code: str, *arguments: object, check: bool = True) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", WRITER + code, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if check:
        assert done.returncode == 0, done.stderr
    return done


def number_of_whole_result(path: Path) -> int | None:
    """The number of the run that stands under the name, every row of it there; None where nothing does."""
    if not path.exists():
        return None
    with Store.open(path) as store:
        numbers = {id.split(":")[0] for id in store.documents().ids}
        assert len(numbers) == 1
        assert store.count("documents") == store.count("profiles") == store.count("memberships") == 100
        assert len(list(store.profiles())) == 100
        assert store.runs()[-1].seed == int(next(iter(numbers)))
        return int(numbers.pop())


def test_killed_at_any_moment(tmp_path):
    path = tmp_path / "out.crossdoc"
    rng = random.Random(0)
    last = -1
    timed = "import time; begun = time.perf_counter(); write(sys.argv[1], 0); print(time.perf_counter() - begun)"
    one_run = float(run(timed, tmp_path / "timed.crossdoc").stdout)
    (tmp_path / "timed.crossdoc").unlink()
    for _ in range(22):
        writer = subprocess.Popen([sys.executable, "-c", ENDLESS, str(path), str(last + 1)], stdout=subprocess.PIPE)
        assert writer.stdout is not None
        writer.stdout.readline()
        time.sleep(rng.uniform(0.0, 2 * one_run))
        writer.kill()
        writer.wait()
        writer.stdout.close()
        found = number_of_whole_result(path)
        if found is None:
            assert last == -1
        else:
            assert found >= last
            last = found
    assert last > 0
    run("write(sys.argv[1], 10_000)", path)
    assert number_of_whole_result(path) == 10_000
    assert os.listdir(tmp_path) == ["out.crossdoc"]
    with Store.open(path) as store:
        numbers = [one.seed for one in store.runs()]
    assert numbers == sorted(set(numbers))


@pytest.mark.parametrize("moment", ["flush_to_disk", "os.replace"])
def test_killed_between_checkpoint_and_rename(tmp_path, moment):
    path = tmp_path / "out.crossdoc"
    run("write(sys.argv[1], 1, ['a', 'b'])", path)
    killed = run(
        f"""
import crossdoc.store.store as module
def killed(*arguments): os.kill(os.getpid(), signal.SIGKILL)
module.{moment} = killed
write(sys.argv[1], 2, ["c"])
""",
        path,
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    assert number_of_whole_result(path) == 1
    with Store.begin(path, "run 2") as store:
        assert store.count("documents") == 100
        assert [judgement.b for entry in store.entries() for judgement in entry.judgements] == ["c"]
        store.save_run(Run("", "", "", "", 2, "", [], []))
        store.finish()
        judged = [(entry.number, judgement.b) for entry in store.entries() for judgement in entry.judgements]
        assert judged == [
            (1, "a"),
            (2, "b"),
            (3, "c"),
        ]
        assert [one.seed for one in store.runs()] == [1, 2]


def test_killed_after_rename(tmp_path):
    path = tmp_path / "out.crossdoc"
    run("write(sys.argv[1], 1)", path)
    killed = run(
        """
import crossdoc.store.store as module
replace = os.replace
def killed(*arguments):
    replace(*arguments)
    os.kill(os.getpid(), signal.SIGKILL)
module.os.replace = killed
write(sys.argv[1], 2)
""",
        path,
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    assert number_of_whole_result(path) == 2


def test_judgements_of_a_killed_judge_reach_the_new_result(tmp_path):
    path = tmp_path / "out.crossdoc"
    run("write(sys.argv[1], 1)", path)
    run(
        """
store = Store.open(sys.argv[1], write=True)
store.judge([Judgement("a", "b", "same")])
os.kill(os.getpid(), signal.SIGKILL)
""",
        path,
        check=False,
    )
    log = tmp_path / "out.crossdoc.wal"
    assert log.exists()
    with Store.open(path) as store:
        assert len(store.entries()) == 1
    run("write(sys.argv[1], 2)", path)
    assert not log.exists()
    assert number_of_whole_result(path) == 2
    with Store.open(path, write=True) as store:
        assert len(store.entries()) == 1
        store.judge([Judgement("a", "c", "same")])
    with Store.open(path) as store:
        assert [entry.number for entry in store.entries()] == [1, 2]


def test_the_log_of_a_result_that_is_gone_does_not_spoil_the_next(tmp_path):
    path, log = tmp_path / "out.crossdoc", tmp_path / "out.crossdoc.wal"
    run("write(sys.argv[1], 1)", path)
    run(
        """
store = Store.open(sys.argv[1], write=True)
store.judge([Judgement("a", "b", "same")])
os.kill(os.getpid(), signal.SIGKILL)
""",
        path,
        check=False,
    )
    path.unlink()
    assert log.exists()
    run("write(sys.argv[1], 2)", path)
    assert number_of_whole_result(path) == 2
    assert not log.exists()


FULL_DISK = """
limit = int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
try:
    write(sys.argv[1], 2)
except errors.CrossdocError as error:
    print(error)
"""


def test_a_full_disk_leaves_the_old_result(tmp_path):
    path = tmp_path / "out.crossdoc"
    run("write(sys.argv[1], 1)", path)
    size = path.stat().st_size
    told = []
    for limit in [100, 5_000, 20_000, *range(size // 8, size, size // 8)]:
        told.append(run(FULL_DISK, path, limit).stdout)
        assert number_of_whole_result(path) == 1
    assert [said for said in told if f"{path.name}" not in said or "could not be written" not in said] == []
    run("write(sys.argv[1], 2)", path)
    assert number_of_whole_result(path) == 2
