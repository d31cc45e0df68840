"""`crossdoc reconcile`: an answer as a reconciliation service for OpenRefine."""

from __future__ import annotations

import importlib.util
import secrets
from typing import Annotated

from rich.markup import escape

from crossdoc import errors
from crossdoc.cli import ui


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
    from crossdoc.run.resolution import Resolution

    # Fail for a missing answer before the packages are loaded.
    Resolution.open(store).close()
    if any(importlib.util.find_spec(package) is None for package in ("starlette", "uvicorn")):
        raise errors.needs_extra("`crossdoc reconcile`", "starlette", "web")
    from crossdoc.integrations.reconcile import serve

    def opened(address: str) -> None:
        ui.line("Add this address in OpenRefine (Reconcile, Start reconciling, Add standard service):\n\n"
                  f"  [bold]{escape(address)}[/]\n\n[dim]Ctrl-C stops it.[/]")  # fmt: skip

    serve(store, host, port, "" if no_token else secrets.token_urlsafe(24), opened)
