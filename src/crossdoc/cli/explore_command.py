"""`crossdoc explore`: an answer as pages in the browser, to search, understand and correct."""

from __future__ import annotations

import importlib.util
import webbrowser
from typing import Annotated

from rich.markup import escape

from crossdoc import errors
from crossdoc.cli import ui

NEEDED = ("nicegui", "fastapi", "uvicorn")


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
    from crossdoc.run.resolution import Resolution

    # Fail for a missing answer before the web packages are loaded.
    Resolution.open(store).close()
    if any(importlib.util.find_spec(package) is None for package in NEEDED):
        raise errors.no_web()
    from crossdoc.web.server import open_session, serve

    def opened(address: str, once: str, found: int) -> None:
        if found != port:
            ui.out.print(f"[dim]Port {port} is in use; using {found} instead.[/]")
        ui.line(f"{escape(str(store))} is open at\n\n  [bold]{escape(address)}[/]\n")
        ui.out.print("[dim]Anyone with this full address can read it"
                  f"{'' if read_only else ' and correct it'}. Ctrl-C stops it; nothing needs saving.[/]")  # fmt: skip
        if not no_browser:
            webbrowser.open(once)

    if store.is_dir() and not read_only:
        read_only = True
        ui.line(f"[dim]A folder is read-only; `crossdoc pack {escape(str(store))} -o OUT.crossdoc` "
                  "makes a file that can be changed.[/]")  # fmt: skip
    session = open_session(store, read_only)
    try:
        serve(session, host, port, opened)
    finally:
        session.close()
