"""Draws docs/demo.svg, the picture in the README: what `crossdoc demo` prints, as it looks in a terminal."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

from rich.console import Console

from crossdoc.cli.output_commands import show_ambiguous
from crossdoc.run import resolve as pipeline

ROOT = Path(__file__).resolve().parent.parent
NAMES = ("John Smith", "Bush")


def main() -> None:
    console = Console(record=True, width=100, file=io.StringIO(), force_terminal=True, highlight=False)
    with tempfile.TemporaryDirectory() as folder:
        resolution = pipeline.resolve(
            ROOT / "src/crossdoc/sample/documents.jsonl", output=Path(folder, "demo.crossdoc"), processes=1
        )
        with resolution:
            show_ambiguous(resolution, NAMES, console)
    console.save_svg(str(ROOT / "docs/demo.svg"), title="crossdoc demo")


if __name__ == "__main__":
    main()
