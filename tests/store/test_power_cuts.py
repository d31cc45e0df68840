"""Power cuts: recorded writes replayed with those lost that were not flushed, and what is repaired then."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import crossdoc
from crossdoc import errors
from crossdoc.files import mode_of
from crossdoc.model import Profile
from crossdoc.store import Store
from crossdoc.store.connection import BLOCK, HEADERS, blocks_of, log_of, repair

ROOT = Path(__file__).parent.parent.parent
TOOL = ROOT / "tools" / "cut_power.py"


@pytest.fixture
def answer(tmp_path):
    path = tmp_path / "a.crossdoc"
    made = [Profile(f"p{n}", f"d{n}", "Ann Li", "person", f"race lap {n}", "en") for n in range(6)]
    crossdoc.resolve(made, output=path).close()
    return path


def tear(path, at, size):
    with path.open("r+b") as file:
        file.seek(at)
        held = file.read(size)
        file.seek(at)
        file.write(bytes(byte ^ 0xFF for byte in held))


def entries(path):
    with crossdoc.open(path) as opened:
        return [entry.number for entry in opened.store.entries()]


@pytest.mark.parametrize("damaged", [HEADERS + 4096, 4096, 2 * 4096])
def test_blocks_and_headers_that_were_half_written_are_restored_and_the_log_is_replayed(answer, damaged):
    with crossdoc.open(answer) as opened:
        opened.judge("p0", "p1", "different")
    store = Store.open(answer, write=True)
    state = answer.read_bytes()
    with crossdoc.open(shutil.copy(answer, answer.with_name("b.crossdoc"))) as other:
        assert len(other.store.entries()) == 1
    kept = blocks_of(answer).read_bytes()
    store.close()
    assert not blocks_of(answer).exists()
    answer.write_bytes(state)
    blocks_of(answer).write_bytes(kept)
    tear(answer, damaged, 4096)
    assert entries(answer) == [1]
    assert answer.read_bytes() == state
    assert os.listdir(answer.parent).count(answer.name + ".blocks") == 0


def test_what_is_no_copy_of_this_state_restores_nothing(answer):
    store = Store.open(answer, write=True)
    kept = blocks_of(answer).read_bytes()
    store.close()
    with crossdoc.open(answer) as opened:
        opened.judge("p0", "p1", "different")
    tear(answer, HEADERS + 4096, 4096)
    for content in (kept, kept[:-1], b"", b"x" * 50):
        blocks_of(answer).write_bytes(content)
        with pytest.raises(errors.StoreError, match="damaged"):
            crossdoc.open(answer)
    blocks_of(answer).unlink()
    blocks_of(answer).symlink_to(answer.with_name("elsewhere"))
    with pytest.raises(errors.StoreError, match="damaged"):
        crossdoc.open(answer)


def test_the_copy_is_as_closed_as_the_answer_and_no_link_is_followed(answer, tmp_path):
    answer.chmod(0o600)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("mine")
    blocks_of(answer).symlink_to(elsewhere)
    store = Store.open(answer, write=True)
    assert (mode_of(blocks_of(answer)), blocks_of(answer).is_symlink()) == (0o600, False)
    assert blocks_of(answer).stat().st_size > HEADERS + BLOCK
    store.close()
    assert elsewhere.read_text() == "mine"


JUDGE_AND_DIE = """
import os, signal, sys
from crossdoc.model import Judgement
from crossdoc.store import Store
store = Store.open(sys.argv[1], write=True)
for other in ("p1", "p2"):
    store.judge([Judgement("p0", other, "same")])
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_log_whose_last_entry_is_half_written_is_cut_before_it(answer):
    subprocess.run([sys.executable, "-c", JUDGE_AND_DIE, str(answer)], check=False)
    log = log_of(answer)
    tear(log, log.stat().st_size - 40, 8)
    assert entries(answer) == [1]
    with crossdoc.open(answer) as opened:
        assert opened.judge("p0", "p3", "same").entry == 2
    assert not log.exists()


def test_another_error_repairs_nothing(answer):
    assert not repair(answer, OSError("Input/output error"))
    assert not repair(answer, OSError("Corrupt WAL file: entry at byte position 9"))


def cut_power(cuts):
    paths = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]))
    command = [sys.executable, str(TOOL), "--cuts", str(cuts)]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, check=False)
    if done.returncode == 77:
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{cuts:,} power cuts" in done.stdout
    assert done.stdout.rstrip().endswith("0 wrong")


@pytest.mark.skipif(not TOOL.exists(), reason="an sdist has no tools")
@pytest.mark.parametrize("cuts", [25, pytest.param(1500, marks=pytest.mark.slow)])
def test_after_a_power_cut_what_was_acknowledged_is_there(cuts):
    cut_power(cuts)
