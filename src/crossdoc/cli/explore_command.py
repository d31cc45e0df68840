"""`crossdoc explore`: an answer as pages in the browser, to search, understand and correct."""

from __future__ import annotations

import importlib.util
import webbrowser
from typing import Annotated

import typer
from rich.markup import escape

from crossdoc import errors
from crossdoc.cli.common import Result, out

NEEDED = ("nicegui", "fastapi", "uvicorn")


def explore(
    store: Result,
    host: Annotated[
        str, typer.Option(help="Address to listen on; other machines that know the full URL can then connect too.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to use, or the next free one.")] = 8765,
    read_only: Annotated[bool, typer.Option("--read-only", help="Do not allow any changes.")] = False,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the address without opening a browser.")
    ] = False,
) -> None:
    """Open an answer in the browser to search it, see who is who and why, correct it and add to it.

    Example:  crossdoc explore articles.crossdoc
    """
    from crossdoc.resolution import Resolution

    # Fail for a missing answer before the web packages are loaded.
    Resolution.open(store).close()
    if any(importlib.util.find_spec(package) is None for package in NEEDED):
        raise errors.no_web()
    from crossdoc.web.server import open_session, serve

    def opened(address: str, once: str, found: int) -> None:
        if found != port:
            out.print(f"[dim]Port {port} is in use; using {found} instead.[/]")
        out.print(f"{escape(str(store))} is open at\n\n  [bold]{escape(address)}[/]\n", soft_wrap=True)
        out.print("[dim]Anyone with this full address can read it"
                  f"{'' if read_only else ' and correct it'}. Ctrl-C stops it; nothing needs saving.[/]")  # fmt: skip
        if not no_browser:
            webbrowser.open(once)

    if store.is_dir() and not read_only:
        read_only = True
        out.print(f"[dim]A folder is read-only; `crossdoc pack {escape(str(store))} -o OUT.crossdoc` "
                  "makes a file that can be changed.[/]", soft_wrap=True)  # fmt: skip
    session = open_session(store, read_only)
    try:
        serve(session, host, port, opened)
    finally:
        session.close()
