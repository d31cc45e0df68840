"""`crossdoc mcp`: an answer as tools for agents, over the Model Context Protocol."""

from __future__ import annotations

import importlib.util
import secrets
from typing import Annotated

from rich.markup import escape

from crossdoc import errors
from crossdoc.cli import ui


def mcp(
    store: ui.Result,
    write: Annotated[bool, ui.option("Let agents judge, merge, split and undo; logged.", "--write")] = False,
    http: Annotated[bool, ui.option("Serve streamable HTTP instead of standard input and output.", "--http")] = False,
    host: Annotated[str, ui.option("Address to listen on under --http.")] = "127.0.0.1",
    port: Annotated[int, ui.option("Port under --http.", min=1, max=65535)] = 8766,
    no_token: Annotated[
        bool, ui.option("Under --http, let every program that reaches the port read.", "--no-token")
    ] = False,
) -> None:
    """Serve an answer to agents: find identities, read quotes, ask why, list uncertain pairs; read-only unless --write.

    Example:  crossdoc mcp articles.crossdoc
    """
    from crossdoc.run.resolution import Resolution

    # Fail for a missing answer before the packages are loaded.
    Resolution.open(store).close()
    if importlib.util.find_spec("mcp") is None:
        raise errors.needs_extra("`crossdoc mcp`", "mcp", "mcp")
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
