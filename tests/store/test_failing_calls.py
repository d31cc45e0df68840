"""Every call that opens, writes, flushes, renames or deletes a file fails in turn, in every act that writes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
TOOL = ROOT / "tools" / "fail_calls.py"
SAMPLE = ["--cases", "30", "--only", "judge,add,resolve again,explorer: add,export"]


@pytest.mark.skipif(not TOOL.exists(), reason="an sdist has no tools")
@pytest.mark.parametrize("options", [SAMPLE, pytest.param([], marks=pytest.mark.slow, id="all")])
def test_the_old_or_the_new_answer_is_there_and_the_message_is_true(options):
    paths = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]))
    command = [sys.executable, str(TOOL), *options]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, check=False)
    if done.returncode == 77:
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.rstrip().endswith("0 wrong")
