"""`crossdoc graphrag`: a finished GraphRAG index with one entity per identity."""

from __future__ import annotations

import importlib.util
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from rich.markup import escape

from crossdoc import errors
from crossdoc.cli import ui


def graphrag(
    index: Annotated[Path, ui.argument("Folder of the index, or its folder `output`.", "INDEX")],
    output: Annotated[Path | None, ui.output_option("New folder for the tables (default: INDEX-crossdoc).")] = None,
    as_json: ui.SummaryAsJson = False,
) -> None:
    """Make one entity of one identity in a finished GraphRAG index: namesakes apart, variants joined, in a new folder.

    The index stays as it is. No language model is called: reports of communities and embeddings are left out, and made
    again by GraphRAG. OUTPUT/index.crossdoc explains, corrects and undoes.

    Example:  crossdoc graphrag ragtest -o ragtest-crossdoc
    """
    if not index.is_dir():
        raise errors.no_graphrag_index(index)
    if importlib.util.find_spec("graphrag") is None:
        raise errors.needs_extra("`crossdoc graphrag`", "graphrag", "graphrag")
    from crossdoc.integrations.graphrag import resolve_index

    place = output or index.resolve().with_name(f"{index.resolve().name}-crossdoc")
    counts = resolve_index(index, place)
    if as_json:
        ui.print_json(asdict(counts))
        return
    ui.line(f"{counts.nodes_before:,} entities became {counts.nodes:,}: {counts.split:,} titles were namesakes, "
              f"{counts.joined:,} were variants of another.")  # fmt: skip
    ui.status(f"The tables are in {escape(str(place))}. To make reports and embeddings, let `output_storage` of\n"
              "settings.yaml name that folder and run the workflows create_community_reports and "
              "generate_text_embeddings.")  # fmt: skip
