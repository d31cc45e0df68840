"""`crossdoc pack`: a folder of Parquet files in, one .crossdoc file out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from crossdoc.cli.common import err


def pack(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Folder that `crossdoc resolve --engine ray` wrote.")
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="Output file, OUT.crossdoc.")],
) -> None:
    """Pack an answer that is a folder of Parquet files into one .crossdoc file.

    Example:  crossdoc pack answer/ -o answer.crossdoc
    """
    from crossdoc.store import folder as folders

    packed = folders.pack(folder, output)
    err.print(f"[dim]Next: crossdoc show {escape(str(packed))}[/]", soft_wrap=True)
