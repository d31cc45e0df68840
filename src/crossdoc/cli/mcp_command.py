"""`crossdoc mcp`: an answer as tools for agents, over the Model Context Protocol."""

from __future__ import annotations

import importlib.util
import secrets
from typing import Annotated

import typer
from rich.markup import escape

from crossdoc import errors
from crossdoc.cli.common import Result, err


def mcp(
    store: Result,
    write: Annotated[bool, typer.Option("--write", help="Let agents judge, merge, split and undo; logged.")] = False,
    http: Annotated[
        bool, typer.Option("--http", help="Serve streamable HTTP instead of standard input and output.")
    ] = False,
    host: Annotated[str, typer.Option(help="Address to listen on under --http.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port under --http.")] = 8766,
    no_token: Annotated[
        bool, typer.Option("--no-token", help="Under --http, let every program that reaches the port read.")
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
        err.print(f"{escape(str(store))} is open to agents at {escape(address)}", soft_wrap=True)
        if token:
            err.print(f"They need the header  Authorization: Bearer {token}", soft_wrap=True)

    with AnswerTools(store, write) as tools:
        server = make_server(tools)
        if http:
            serve_http(server, host, port, token, opened)
        else:
            server.run("stdio")
