"""Changes in place by several processes, on a full disk, and by some that are killed: nothing acknowledged is lost."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import crossdoc
from crossdoc import errors
from crossdoc.model import Profile
from crossdoc.run import revise as revision
from crossdoc.store import Store, connection


def rows(count: int = 30) -> list[Profile]:
    return [Profile(f"p{n}", f"d{n}", ["Ann Li", "Bo Kim"][n % 2], "person", f"race lap {n}") for n in range(count)]


@pytest.fixture
def result(tmp_path) -> Path:
    path = tmp_path / "a.crossdoc"
    crossdoc.resolve(rows(), output=path).close()
    return path


def run(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


JUDGE = """
import sys, crossdoc
with crossdoc.open(sys.argv[1]) as answer:
    for n in range(int(sys.argv[2]), 20, 2):
        print(answer.judge(f"p{n}", f"p{n + 2}", "same", who=sys.argv[2]).entry, flush=True)
"""


def test_two_processes_judge_the_same_file(result):
    """Each waits for the other, and all that both said is in the log."""
    command = [sys.executable, "-c", JUDGE]
    children = [
        subprocess.Popen([*command, str(result), str(who)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for who in (0, 1)
    ]
    said = [child.communicate() for child in children]
    told = [[int(line) for line in out.split()] for out, _ in said]
    with crossdoc.open(result) as answer:
        held = {entry.number: entry for entry in answer.store.entries()}
        entity = answer.store.entity_of()
    assert sorted(number for numbers in told for number in numbers) == sorted(held)
    for who, ((_, err), numbers) in enumerate(zip(said, told, strict=True)):
        # Whoever did not get the file in time is told so.
        assert len(numbers) == 10 or "is open in another crossdoc" in err
        assert all(held[number].who == str(who) for number in numbers)
    for entry in held.values():
        (said_so,) = entry.judgements
        assert entity[said_so.a] == entity[said_so.b]


def test_who_waits_in_vain_is_told_and_who_waits_long_enough_gets_the_file(result, monkeypatch):
    holder = Store.open(result, write=True)
    monkeypatch.setattr("crossdoc.store.connection.PATIENCE_TO_READ", 0.2)
    with pytest.raises(errors.StoreError, match="open in another crossdoc"):
        crossdoc.open(result)
    monkeypatch.setattr("crossdoc.store.connection.PATIENCE_TO_READ", 30.0)
    threading.Timer(0.5, holder.close).start()
    with crossdoc.open(result) as answer:
        assert len(answer.profiles) == 30
    assert connection.PATIENCE_TO_READ >= 1


def test_the_file_is_open_for_writing_only_while_it_is_written(result):
    with crossdoc.open(result) as answer:
        answer.judge("p0", "p2", "same")
        other = run("import sys, crossdoc; print(len(crossdoc.open(sys.argv[1]).profiles))", result)
        assert other.stdout.strip() == "30", other.stderr
        assert answer.store.entity_of()["p0"] == answer.store.entity_of()["p2"]


def during(monkeypatch, what: Callable[[], object]) -> None:
    """Do something while the first change is being computed."""
    clustered, done = revision.cluster, []

    def cluster(*given):
        if not done:
            done.append(what())
        return clustered(*given)

    monkeypatch.setattr(revision, "cluster", cluster)


def test_others_read_while_a_change_is_computed(result, monkeypatch):
    read: list[str] = []
    code = "import sys, duckdb; print(duckdb.connect(sys.argv[1], read_only=True).sql('FROM profiles').shape[0])"
    during(monkeypatch, lambda: read.append(run(code, result).stdout.strip()))
    with crossdoc.open(result) as answer:
        answer.judge("p0", "p1", "same")
    assert read == ["30"]


def test_who_finds_another_answer_than_it_computed_from_begins_again(result, monkeypatch):
    """A new run replaces the file meanwhile; what is judged counts in its answer."""
    during(monkeypatch, lambda: crossdoc.resolve(rows(31), output=result).close())
    with crossdoc.open(result) as answer:
        answer.judge("p0", "p1", "same", who="ada")
        assert len(answer.profiles) == 31
        assert [entry.who for entry in answer.store.entries()] == ["ada"]
        assert answer.store.entity_of()["p0"] == answer.store.entity_of()["p1"]
        assert set(answer.store.entity_of()) == set(answer.profiles.ids)
        assert answer.store.revision == 2


def test_a_change_that_fails_leaves_the_answer_open_and_whole(result, monkeypatch):
    with crossdoc.open(result) as answer:
        before = answer.store.entity_of()
        monkeypatch.setattr(Store, "add_identities", lambda *given: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            answer.judge("p0", "p1", "same")
        monkeypatch.undo()
        assert answer.store.entity_of() == before
        assert answer.store.entries() == []
        answer.judge("p0", "p1", "same")
        assert len(answer.store.entries()) == 1


FULL = """
import resource, sys, crossdoc
from crossdoc.model import Profile
path, limit = sys.argv[1], int(sys.argv[2])
more = [Profile(f"q{n}", f"e{n}", "Cy Ode", "person", f"word{n} " * 3000) for n in range(40)]
with crossdoc.open(path) as answer:
    answer.judge("p0", "p2", "same")
    print("judged", flush=True)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    try:
        answer.add(more)
        print("added", flush=True)
    except crossdoc.CrossdocError as error:
        print(error)
"""


def test_a_full_disk_leaves_the_old_answer(result):
    size = result.stat().st_size
    told = run(FULL, result, size // 2)
    with crossdoc.open(result) as answer:
        assert "judged" in told.stdout
        assert ("q0" in answer.profiles.ids) == ("added" in told.stdout)
        assert "added" in told.stdout or "could not be written" in told.stdout, told.stdout + told.stderr
        assert len(answer.store.entries()) == 1
        assert set(answer.store.entity_of()) == set(answer.profiles.ids)
        answer.add([Profile("r0", "f0", "Cy Ode", "person", "word")])
        assert "r0" in answer.profiles.ids
