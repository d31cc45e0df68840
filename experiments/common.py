"""What the experiments share: where the data is, crossdoc's commands, and tables."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


def data(*parts: str) -> Path:
    """A folder of the benchmark data, which CROSSDOC_DATA names."""
    root = os.environ.get("CROSSDOC_DATA")
    if not root:
        sys.exit("Set CROSSDOC_DATA to the folder that holds the benchmark data.")
    path = Path(root, *parts)
    if not path.exists():
        sys.exit(f"There is no {path}; CROSSDOC_DATA must name the folder that holds the benchmark data.")
    return path


def command(*arguments: object) -> str:
    """What a crossdoc command prints, run as a process of its own."""
    call = [sys.executable, "-m", "crossdoc", *map(str, arguments)]
    return subprocess.run(call, check=True, stdout=subprocess.PIPE, text=True).stdout


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table; numbers with three decimals."""
    cells = [[f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in [list(header), *cells]) for i in range(len(header))]
    lines = [list(header), ["-" * width for width in widths], *cells]
    return "\n".join("| " + " | ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)) + " |" for line in lines)
