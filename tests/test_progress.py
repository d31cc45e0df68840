"""What a run says of itself and before work that may not fit, and how much memory it may still have."""

import gc
import subprocess
import sys

import pytest

import crossdoc
from crossdoc import progress
from crossdoc.model import Profile
from crossdoc.progress import Progress, Quiet
from crossdoc.run import revise as revision


@pytest.mark.parametrize("limit", ["RLIMIT_AS", "RLIMIT_DATA"])
def test_what_a_process_may_have_is_what_is_free(limit):
    most = f"import resource; resource.setrlimit(resource.{limit}, (1 << 36,) * 2)"
    asked = "from crossdoc.progress import _process_limit; print(*_process_limit())"
    told = subprocess.run([sys.executable, "-c", f"{most}; {asked}"], capture_output=True, text=True, check=True)
    assert (1 << 36) - (1 << 32) < int(told.stdout) < 1 << 36
    assert progress.free_bytes() is None or progress.free_bytes() > 0


def test_too_little_is_said_before_work_and_no_reason_not_to_try(monkeypatch):
    said = []

    class Heard(Quiet):
        def note(self, message):
            said.append(message)

        def start(self, stage, total=None):
            said.append(stage)

    rows = [Profile(id, id, "Ann Orr", "person", "red car") for id in "abc"]
    monkeypatch.setattr(progress, "free_bytes", lambda: 20_000)
    crossdoc.resolve(rows, progress=Heard()).close()
    (told,) = (line for line in said if "3 profiles need about 0.0 GB of memory" in line)
    assert said.index(told) < said.index("counting words")
    said.clear()
    monkeypatch.setattr(progress, "free_bytes", lambda: 60_000)
    crossdoc.resolve(rows, progress=Heard()).close()
    assert not any("of memory" in line for line in said)


@pytest.mark.parametrize("looks", [True, False])
def test_the_collector_is_as_it_was_after_work_without_it(looks):
    def fail():
        with progress.uncollected():
            assert not gc.isenabled()
            with progress.uncollected():
                pass
            assert not gc.isenabled()
            raise ValueError

    (gc.enable if looks else gc.disable)()
    try:
        with pytest.raises(ValueError, match=r"^$"):
            fail()
        assert gc.isenabled() == looks
    finally:
        gc.enable()


def test_a_small_change_is_made_without_the_collector_and_a_large_one_with_it(monkeypatch):
    rows = [Profile(f"p{n}", f"d{n}", "Ann Orr" if n else "Bo Lee", "person", "red car") for n in range(40)]
    seen = []
    clustered = revision.cluster
    monkeypatch.setattr(revision, "cluster", lambda *given: (seen.append(gc.isenabled()), clustered(*given))[1])
    with crossdoc.resolve(rows[:30]) as answer:
        answer.add(rows[30:31])
        answer.add(rows[31:])
    assert seen == [False, True]
    assert gc.isenabled()


KEEPS = """
import numpy as np
from crossdoc import progress
def used():
    return int(open("/proc/self/statm").read().split()[1]) * 4096 >> 20
{ask}
del_first = np.ones(3 << 20)
del del_first
held = [np.ones(1 << 19) for _ in range(40)]
before = used()
del held[:-1]
print(before - used())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only glibc keeps it")
@pytest.mark.parametrize(("ask", "returned"), [("", False), ("progress.return_large()", True)])
def test_large_arrays_go_back_to_the_system(ask, returned):
    told = subprocess.run([sys.executable, "-c", KEEPS.format(ask=ask)], capture_output=True, text=True, check=True)
    assert (int(told.stdout) > 100) == returned


def test_a_run_gives_back_what_arrow_keeps(monkeypatch):
    asked = []
    monkeypatch.setattr("crossdoc.run.resolve.return_unused", lambda: asked.append("unused"))
    monkeypatch.setattr("crossdoc.run.resolve.return_large", lambda: asked.append("large"))
    crossdoc.resolve([Profile(id, id, "Ann Orr", "person", "red car") for id in "abc"]).close()
    assert asked == ["large", "unused", "unused"]


def test_quiet_reports_nothing(capsys):
    quiet: Progress = Quiet()
    quiet.start("reading", 3)
    quiet.advance(2)
    quiet.note("something")
    assert capsys.readouterr() == ("", "")
