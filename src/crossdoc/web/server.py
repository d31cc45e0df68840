"""The explorer's server: the pages and the API of one answer behind the guard, on a free port."""

from __future__ import annotations

import asyncio
import gc
import hashlib
import pkgutil
import secrets
import socket
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from importlib.resources import files
from pathlib import Path

import nicegui.client
import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse
from nicegui import app as pages_app
from nicegui import ui

from crossdoc import errors
from crossdoc.version import __version__
from crossdoc.web import look, pages
from crossdoc.web.api import router
from crossdoc.web.guard import MOST_BYTES_SENT, Guard, WithNonce
from crossdoc.web.pages import layout
from crossdoc.web.parts.basics import show_error
from crossdoc.web.session import Session

PORT = 8765
PORTS_TRIED = 50
OBJECTS_BETWEEN_COLLECTIONS = 50_000
"""Objects; a page has about 5,000."""
FAVICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="12" cy="16" r="10" fill="#4363d8"/>'
    '<circle cx="21" cy="16" r="9" fill="#d98a3a" fill-opacity=".8"/></svg>'
)


def open_session(path: Path, read_only: bool = False) -> Session:
    """Open an answer for reading and, unless `read_only`, for changes."""
    from crossdoc.web.changes import Changes
    from crossdoc.web.reader import Reader

    reader = Reader(path)
    return Session(path, reader, None if read_only else Changes(path, reader))


def make_app(session: Session) -> FastAPI:
    """Return the API and all pages of one answer. NiceGUI has one set of pages, so a process has one explorer."""
    app = FastAPI(title="crossdoc", version=__version__, openapi_url="/api/openapi.json", docs_url=None, redoc_url=None)
    app.state.session = session
    app.include_router(router(session))
    _serve_look(app)
    for module in pkgutil.iter_modules(pages.__path__):
        register = getattr(import_module(f"{pages.__name__}.{module.name}"), "register", None)
        if register is not None:
            register(session)
    pages_app.add_exception_handler(errors.CrossdocError, _no_table)
    pages_app.on_page_exception(lambda error: _failed(session, error))
    # Quasar's loading bar is for requests that these pages do not make, and has no name for screen readers.
    pages_app.config.quasar_config["loadingBar"] = {"skipHijack": True}
    templates = nicegui.client.templates.env
    assert templates.loader is not None
    templates.loader = WithNonce(templates.loader)
    ui.run_with(
        app,
        root=lambda: layout.not_found(session, "There is no such page.", "Perhaps the address was cut off."),
        title="crossdoc",
        favicon=FAVICON,
        dark=None,
        language="en-US",
        tailwind=False,
        binding_refresh_interval=None,
        reconnect_timeout=30.0,
        show_welcome_message=False,
    )
    return app


def _spare_collector() -> None:
    """Leave what was imported out of garbage collection, which took two thirds of the time of many pages at once."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS, *gc.get_threshold()[1:])


def _serve_look(app: FastAPI) -> None:
    """Serve the style sheet as a file that browsers cache until it changes."""
    sheet = look.css() + (files("crossdoc.web.parts") / "parts.css").read_text(encoding="utf-8")
    path = f"/look-{hashlib.sha256(sheet.encode()).hexdigest()[:12]}.css"

    @app.get(path, include_in_schema=False)
    def css() -> Response:
        return Response(sheet, media_type="text/css", headers={"Cache-Control": "private, max-age=31536000, immutable"})

    ui.add_head_html(f'<link rel="stylesheet" href="{path}">', shared=True)


def _no_table(request: Request, error: Exception) -> Response:
    assert isinstance(error, errors.CrossdocError)
    return JSONResponse({"what": error.what, "hint": error.hint}, status_code=404)


def _failed(session: Session, error: Exception) -> None:
    with layout.frame(session, "Something went wrong"):
        if not isinstance(error, errors.CrossdocError):
            error = errors.page_failed(f"{type(error).__name__}: {error}")
        show_error(error)


def bind(host: str, port: int) -> socket.socket:
    """Return a socket on the port, or on the next free one."""
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise errors.cannot_listen(host, port, error.strerror or str(error)) from error
    for tried in range(port, min(port + PORTS_TRIED, 65536)):
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((address[0], tried))
        except OSError as error:
            listening.close()
            if isinstance(error, PermissionError) or error.errno in (99, 49):
                raise errors.cannot_listen(host, port, error.strerror or str(error)) from error
            continue
        # A browser that connects before the pages are ready waits.
        listening.listen()
        return listening
    raise errors.no_free_port(port, min(port + PORTS_TRIED, 65536) - 1, host)


def serve(
    session: Session,
    host: str,
    port: int,
    opened: Callable[[str, str, int], None],
    token: str = "",
    most: int = MOST_BYTES_SENT,
) -> None:
    """Serve until Ctrl-C. When pages are available, `opened` is called with two addresses and the port.

    The first address has the token. The second works once: it is for the arguments of a browser, which all users of
    this machine can read.
    """
    listening = bind(host, port)
    found = int(listening.getsockname()[1])
    token = token or secrets.token_urlsafe(24)
    app = make_app(session)
    name = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(host, host)
    address = f"http://{f'[{name}]' if ':' in name else name}:{found}/"
    code = secrets.token_urlsafe(24)
    config = uvicorn.Config(
        Guard(app, token, found, host, most, code), log_level="error", access_log=False, server_header=False,
        ws_max_size=4_000_000, timeout_graceful_shutdown=3,
    )  # fmt: skip
    server = uvicorn.Server(config)
    pages_app.on_startup(_spare_collector)
    pages_app.on_startup(lambda: opened(f"{address}?token={token}", f"{address}?code={code}", found))
    with suppress(KeyboardInterrupt, asyncio.CancelledError):
        server.run(sockets=[listening])
