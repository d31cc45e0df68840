"""Instances of the experiments are used in tests, too."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "experiments"))
