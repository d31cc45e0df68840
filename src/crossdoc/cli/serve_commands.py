"""The commands for other programs: `explore`, `mcp` and `reconcile` serve an answer, `graphrag` rewrites an index."""

from __future__ import annotations

import importlib.util
import secrets
import webbrowser
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

from rich.markup import escape

from crossdoc import errors
from crossdoc.cli import ui


def explore(
    store: ui.Result,
    host: Annotated[
        str, ui.option("Address to listen on; other machines that know the full URL can then connect too.")
    ] = "127.0.0.1",
    port: Annotated[int, ui.option("Port to use, or the next free one.", min=1, max=65535)] = 8765,
    read_only: Annotated[bool, ui.option("Do not allow any changes.", "--read-only")] = False,
    no_browser: Annotated[bool, ui.option("Print the address without opening a browser.", "--no-browser")] = False,
) -> None:
    """Open an answer in the browser to search it, see who is who and why, correct it and add to it.

    Example:  crossdoc explore articles.crossdoc
    """
    _check(store, ["nicegui", "fastapi", "uvicorn"], errors.needs_extra("`crossdoc explore`", "nicegui", "web"))
    from crossdoc.web.server import open_session, serve

    def opened(address: str, once: str, found: int) -> None:
        if found != port:
            ui.line(f"[dim]Port {port} is in use; using {found} instead.[/]")
        may = "read it" if read_only else "read it and correct it"
        ui.line(f"{escape(str(store))} is open at\n\n  [bold]{escape(address)}[/]\n")
        ui.line(f"[dim]Anyone with this full address can {may}. Ctrl-C stops it; nothing needs saving.[/]")
        if not no_browser:
            webbrowser.open(once)

    session = open_session(store, read_only)
    try:
        serve(session, host, port, opened)
    finally:
        session.close()


def mcp(
    store: ui.Result,
    write: Annotated[bool, ui.option("Let agents judge, merge, split and undo; logged.", "--write")] = False,
    http: Annotated[bool, ui.option("Serve streamable HTTP, not standard input and output.", "--http")] = False,
    host: Annotated[str, ui.option("Address to listen on under --http.")] = "127.0.0.1",
    port: Annotated[int, ui.option("Port under --http.", min=1, max=65535)] = 8766,
    no_token: Annotated[
        bool, ui.option("Under --http, let every program that reaches the port read.", "--no-token")
    ] = False,
) -> None:
    """Serve an answer to agents: find identities, read quotes, ask why, list uncertain pairs; read-only unless --write.

    Example:  crossdoc mcp articles.crossdoc
    """
    _check(store, ["mcp"], errors.needs_extra("`crossdoc mcp`", "mcp", "mcp"))
    from crossdoc.integrations.mcp_server import AnswerTools, make_server, serve_http

    token = "" if no_token else secrets.token_urlsafe(24)

    def opened(address: str) -> None:
        # Standard output is the protocol's.
        ui.status(f"{escape(str(store))} is open to agents at {escape(address)}")
        if token:
            ui.status(f"They need the header  Authorization: Bearer {token}")

    with AnswerTools(store, write) as tools:
        server = make_server(tools)
        if http:
            serve_http(server, host, port, token, opened)
        else:
            server.run("stdio")


def reconcile(
    store: ui.Result,
    host: Annotated[str, ui.option("Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, ui.option("Port to use.", min=1, max=65535)] = 8767,
    no_token: Annotated[
        bool, ui.option("Leave the token out of the address, so that it stays the same.", "--no-token")
    ] = False,
) -> None:
    """Serve an answer to OpenRefine: reconcile a column of names with its identities. Nothing is ever written.

    Example:  crossdoc reconcile articles.crossdoc
    """
    _check(store, ["starlette", "uvicorn"], errors.needs_extra("`crossdoc reconcile`", "starlette", "web"))
    from crossdoc.integrations.reconcile import serve

    def opened(address: str) -> None:
        ui.line("Add this address in OpenRefine (Reconcile, Start reconciling, Add standard service):")
        ui.line(f"\n  [bold]{escape(address)}[/]\n\n[dim]Ctrl-C stops it.[/]")

    serve(store, host, port, "" if no_token else secrets.token_urlsafe(24), opened)


def _check(store: Path, packages: list[str], missing: errors.UsageError) -> None:
    """Fail for a missing answer before the packages are loaded, then for a missing package."""
    ui.open_result(store).close()
    if not all(map(find_spec, packages)):
        raise missing


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
