"""A file that is looked at while others write it."""

import os
import subprocess
import sys
import threading
import time

import duckdb
import pytest

from crossdoc import errors
from crossdoc.store import Store, schema
from crossdoc.store import shared_file as module
from crossdoc.store.shared_file import SharedFile
from crossdoc.web.reader import Reader


@pytest.fixture
def file(answer):
    made = SharedFile(answer)
    yield made
    made.close()


def count(file):
    with file.ask() as store:
        return store.count("profiles")


def lets_go(path):
    """Whether another process can open the file for writing."""
    opened = subprocess.run(
        [sys.executable, "-c", "import duckdb, sys; duckdb.connect(sys.argv[1]).close()", str(path)],
        capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    return opened.returncode == 0


def test_a_file_is_given_up_after_a_moment(file, answer):
    assert count(file) > 0
    time.sleep(2 * module.LONGEST_OPEN)
    assert lets_go(answer)
    assert count(file) > 0


def test_a_file_that_is_asked_is_held(file, answer):
    with file.ask() as store:
        store.fetch("SELECT 1 FROM profiles")
        time.sleep(2 * module.LONGEST_OPEN)
        assert not lets_go(answer)


def test_commands_work_while_questions_never_end(answer):
    """`judge` and `show` in a terminal, while four threads ask without a pause."""
    stop = threading.Event()
    failures = []

    def ask(reader):
        while not stop.is_set():
            try:
                reader.profile("motors-2:203:213")
            except errors.CrossdocError as error:
                failures.append(error)
                return

    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with Reader(answer) as reader:
        askers = [threading.Thread(target=ask, args=[reader]) for _ in range(4)]
        for each in askers:
            each.start()
        try:
            for command in (
                ["judge", answer, "same", "motors-2:203:213", "paris-3:0:14", "--who", "Ada"],
                ["show", answer, "--find", "Smith"],
            ):
                done = subprocess.run(
                    [sys.executable, "-m", "crossdoc", *map(str, command)], capture_output=True, env=environment,
                    timeout=300, check=False,
                )  # fmt: skip
                assert done.returncode == 0, done.stderr.decode()
        finally:
            stop.set()
            for each in askers:
                each.join()
        assert failures == []
        assert [line.entry.who for line in reader.log()] == ["Ada"]
        identity = reader.profile("motors-2:203:213").identity
        assert identity == reader.profile("paris-3:0:14").identity


def test_the_version_grows_with_every_write(file, answer):
    before = file.version
    assert file.version == before
    with Store.open(answer, write=True) as store:
        store.set_meta("revision", "77")
    assert file.version > before
    with file.ask() as store:
        assert store.revision == 77


def test_a_file_that_is_replaced_is_read_anew(file, answer, tmp_path):
    other = tmp_path / "other.crossdoc"
    other.write_bytes(answer.read_bytes())
    with duckdb.connect(str(other)) as db:
        db.execute("DELETE FROM profiles WHERE document LIKE 'motors%'")
    n = count(file)
    os.replace(other, answer)
    assert 0 < count(file) < n


def test_questions_wait_while_another_process_writes(file, answer):
    time.sleep(2 * module.LONGEST_OPEN)
    script = "import duckdb, sys; db = duckdb.connect(sys.argv[1]); print('open', flush=True); sys.stdin.read()"
    asked = []
    with subprocess.Popen(
        [sys.executable, "-c", script, str(answer)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as writer:
        assert writer.stdout.readline() == b"open\n"
        asker = threading.Thread(target=lambda: asked.append(count(file)))
        asker.start()
        time.sleep(0.5)
        assert asked == []
        writer.stdin.close()
    asker.join(30)
    assert len(asked) == 1


def test_a_file_that_stays_locked_is_told(answer, monkeypatch):
    file = SharedFile(answer)
    monkeypatch.setattr(module, "OPENING_PATIENCE", 0.2)
    monkeypatch.setattr("crossdoc.store.connection.PATIENCE_TO_READ", 0.2)
    time.sleep(2 * module.LONGEST_OPEN)
    script = "import duckdb, sys; db = duckdb.connect(sys.argv[1]); print('open', flush=True); sys.stdin.read()"
    holder = subprocess.Popen(
        [sys.executable, "-c", script, str(answer)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert holder.stdout.readline() == b"open\n"
        with pytest.raises(errors.StoreError, match="open in another"):
            count(file)
    finally:
        holder.communicate()
    assert count(file) > 0
    file.close()


@pytest.mark.parametrize("harm", ["missing", "text", "folder", "cut"])
def test_what_is_no_answer_is_told(answer, harm):
    whole = answer.read_bytes()
    if harm != "text":
        answer.unlink()
    if harm == "text":
        answer.write_text("nothing of the kind")
    elif harm == "folder":
        answer.mkdir()
    elif harm == "cut":
        answer.write_bytes(whole[: len(whole) // 3])
    with pytest.raises(errors.CrossdocError):
        Reader(answer)


def test_an_older_answer_is_read_as_it_is(answer):
    with duckdb.connect(str(answer)) as db:
        for table in schema.TYPED:
            db.execute(f"DROP TABLE {table}")
        db.execute(f"CREATE TABLE counts ({schema.OLD_TABLES['counts']})")
        db.execute("UPDATE meta SET value = '5' WHERE key = 'version'")
    before = answer.read_bytes()
    with Reader(answer) as reader:
        assert reader.search("smith").total > 5
        assert reader.identity("motors-1:65:78").line.name == "John A. Smith"
        assert reader.log() == reader.history() == []
        time.sleep(2 * module.LONGEST_OPEN)
        assert reader.overview().sizes["profiles"] > 0
    assert answer.read_bytes() == before


def test_nothing_but_the_file_can_be_reached(file, tmp_path):
    (tmp_path / "secret.txt").write_text("secret")
    for _ in range(2):
        with file.ask() as store, pytest.raises(duckdb.PermissionException):
            store.fetch(f"SELECT * FROM read_text('{tmp_path}/secret.txt')")
        time.sleep(2 * module.LONGEST_OPEN)
    assert count(file)
