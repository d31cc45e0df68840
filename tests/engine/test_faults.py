"""Workers, nodes and drivers that die: the harness of benchmarks/ray_faults.py with a few kills."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
HARNESS = ROOT / "benchmarks" / "ray_faults.py"


@pytest.mark.slow
@pytest.mark.skipif(not HARNESS.exists(), reason="the benchmarks are not in the sdist")
def test_a_disturbed_run_gives_the_answer_of_an_undisturbed_one(tmp_path):
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'crossdoc[ray]'")
    paths = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]))
    command = [sys.executable, str(HARNESS), str(tmp_path), "--kills", "6", "--a-run", "3", "--mentions", "1500"]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, check=True)
    assert "ANOTHER" not in done.stdout
    assert done.stdout.count("the answer the same") >= 2
