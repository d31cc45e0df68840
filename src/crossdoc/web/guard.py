"""Access control of the explorer: a request needs the token, and must come from its own pages under its own name.

Every request and WebSocket is checked here first. The token is in the printed address; it is moved to a cookie at once,
and stays in no history and no link. The browser that crossdoc opens gets a code instead, which is exchanged for the
cookie once: other users of the machine can read a browser's arguments. Pages of another origin (CSRF) and foreign names
that point here (DNS rebinding) are always refused.
"""

from __future__ import annotations

import ipaddress
import re
import secrets
import socket
from collections.abc import Iterable
from contextlib import suppress
from hmac import compare_digest
from html import escape
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from jinja2 import BaseLoader, Environment, PackageLoader
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_BYTES_SENT = 500_000_000
"""Bytes of one request; a larger collection is added with `crossdoc add`."""

EMPTY_STYLE = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
"""Hash of the empty style element that NiceGUI writes."""
SECRETS = ("token", "code")
"""Parameters of an address that give access; they are removed from it at once."""
LOOPBACK = ("localhost", "127.0.0.1", "::1")
REFUSED = {
    "host": "This page was requested under a host name that is not its own.",
    "origin": "This was requested by another page; only the explorer's own pages may do so.",
    "token": "The key is missing.",
    "size": "This is too much to send at once.",
}


def content_policy(nonce: str) -> str:
    """Return the strictest Content-Security-Policy under which NiceGUI runs.

    Scripts and styles are those that the server itself wrote into the page (they carry the nonce) or its own files.
    `unsafe-eval` is there because NiceGUI compiles its components in the browser; no text of a document is among them.
    Style attributes are allowed because Quasar places its menus with them.
    """
    return (
        f"default-src 'none'; script-src 'self' 'nonce-{nonce}' 'unsafe-eval'; script-src-attr 'none'; "
        f"style-src 'self' 'nonce-{nonce}' {EMPTY_STYLE}; style-src-attr 'unsafe-inline'; img-src 'self' data:; "
        "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-src 'none'; "
        "frame-ancestors 'none'; object-src 'none'; worker-src 'none'; manifest-src 'none'"
    )


HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


class Guard:
    """The outermost layer of the server, which refuses foreign requests and adds security headers."""

    def __init__(
        self, app: ASGIApp, token: str, port: int, host: str = "127.0.0.1", most: int = MOST_BYTES_SENT, code: str = ""
    ) -> None:
        self.app = app
        self.token = token
        self.code = code
        """Gives access to one request, and is then empty."""
        self.cookie = f"crossdoc-{port}"
        self.names = own_names(host)
        self.any_address = host not in LOOPBACK
        self.most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        asked = HTTPConnection(scope)
        refusal = self.refusal(asked)
        if refusal is not None:
            await _refuse(asked, receive, send, refusal)
            return
        # A proxy's prefix would be believed by NiceGUI.
        scope = {**scope, "headers": [each for each in scope["headers"] if each[0].lower() != b"x-forwarded-prefix"]}
        if scope["type"] == "websocket":
            await self.app(scope, receive, send)
        elif any(key in asked.query_params for key in SECRETS):
            self.code = "" if self._brings_code(asked) else self.code
            await self._let_in(asked)(scope, receive, send)
        else:
            nonce = secrets.token_urlsafe(16)
            scope.setdefault("state", {})["nonce"] = nonce
            try:
                await self.app(scope, self._counted(receive), _with_headers(send, nonce))
            except RuntimeError as error:
                # Raised by Starlette if the browser did not wait for the response.
                if str(error) != "No response returned.":
                    raise

    def refusal(self, asked: HTTPConnection) -> str | None:
        """Return the reason of a refusal (a key of `REFUSED`), or None."""
        headers, host = asked.headers, asked.headers.get("host", "")
        if not self.is_own(host):
            return "host"
        if "origin" in headers and _part_of(headers["origin"], "netloc") != host.lower():
            return "origin"
        # A page on another port of this machine is of the same site, so its requests carry the cookie.
        elsewhere = headers.get("sec-fetch-site", "none") not in ("same-origin", "none")
        going_there = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
        if elsewhere and not (going_there and asked.scope.get("method") == "GET"):
            return "origin"
        if not self._brings_code(asked) and not any(_equal(each, self.token) for each in self._tokens(asked)):
            return "token"
        length = headers.get("content-length", "0")
        return "size" if not length.isdecimal() or int(length) > self.most else None

    def is_own(self, host: str) -> bool:
        """Whether a Host header names this server; DNS rebinding uses a foreign name, never an address."""
        name = _part_of(f"//{host}", "hostname")
        return name in self.names or (self.any_address and _is_address(name))

    def _tokens(self, asked: HTTPConnection) -> Iterable[str]:
        """Yield the tokens of a request: in a header (programs), in its cookie (pages), in its address (once)."""
        scheme, _, bearer = asked.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            yield bearer.strip()
        yield asked.cookies.get(self.cookie, "")
        if asked.scope["type"] == "http":
            yield asked.query_params.get("token", "")

    def _brings_code(self, asked: HTTPConnection) -> bool:
        is_page = asked.scope["type"] == "http"
        return bool(self.code) and is_page and _equal(asked.query_params.get("code", ""), self.code)

    def _let_in(self, asked: HTTPConnection) -> Response:
        rest = [(key, value) for key, value in asked.query_params.multi_items() if key not in SECRETS]
        path = "/" + quote(asked.scope["path"].lstrip("/\\")) + (f"?{urlencode(rest)}" if rest else "")
        answer: Response
        if asked.headers.get("sec-fetch-site", "none") in ("none", "same-origin"):
            answer = RedirectResponse(path, status_code=303)
        else:
            # A request from a link on a foreign page carries no strict cookie, not even after a redirect.
            answer = HTMLResponse(f'<!doctype html><meta http-equiv="refresh" content="0;url={escape(path)}">')
            answer.headers["Content-Security-Policy"] = "default-src 'none'; frame-ancestors 'none'"
        answer.set_cookie(self.cookie, self.token, httponly=True, samesite="strict", path="/")
        answer.headers.update(HEADERS | {"Cache-Control": "no-store"})
        return answer

    def _counted(self, receive: Receive) -> Receive:
        """Count the bytes of bodies without a length; a body that is too long ends like a closed connection."""
        got = 0

        async def limited() -> Message:
            nonlocal got
            message = await receive()
            got += len(message.get("body", b""))
            return {"type": "http.disconnect"} if got > self.most else message

        return limited


def own_names(host: str) -> set[str]:
    """Return the names under which a server bound to `host` may be called.

    >>> sorted(own_names("127.0.0.1"))
    ['127.0.0.1', '::1', 'localhost']
    """
    elsewhere = () if host in LOOPBACK else (host, socket.gethostname(), socket.getfqdn())
    return {name.lower() for name in (*LOOPBACK, *elsewhere)}


def _is_address(name: str) -> bool:
    with suppress(ValueError):
        return bool(ipaddress.ip_address(name))
    return False


def _equal(given: str, secret: str) -> bool:
    return compare_digest(given.encode(), secret.encode())


def _part_of(address: str, part: str) -> str:
    """Return the `hostname` of an address, or its `netloc` (with the port); empty if it is no address."""
    with suppress(ValueError):
        return (getattr(urlsplit(address), part) or "").lower()
    return ""


def _with_headers(send: Send, nonce: str) -> Send:
    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers["Content-Security-Policy"] = content_policy(nonce)
            headers.update(HEADERS)
            headers.setdefault("Cache-Control", "no-store")
        await send(message)

    return sent


async def _refuse(asked: HTTPConnection, receive: Receive, send: Send, why: str) -> None:
    if asked.scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008, "reason": REFUSED[why]})
        return
    status = {"host": 421, "size": 413}.get(why, 403)
    answer: Response = JSONResponse({"error": REFUSED[why]}, status_code=status)
    if "text/html" in asked.headers.get("accept", ""):
        page = Environment(loader=PackageLoader("crossdoc.web"), autoescape=True).get_template("refused.html")
        answer = HTMLResponse(page.render(why=why, what=REFUSED[why]), status_code=status)
    answer.headers.update(HEADERS | {"Cache-Control": "no-store"})
    answer.headers["Content-Security-Policy"] = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
    await answer(asked.scope, receive, send)


class WithNonce(BaseLoader):
    """A loader that adds the request's nonce to the scripts and styles of NiceGUI's page template."""

    def __init__(self, inner: BaseLoader) -> None:
        self.inner = inner

    def get_source(self, environment: Environment, template: str) -> tuple[str, str | None, Any]:
        source, path, fresh = self.inner.get_source(environment, template)
        return re.sub(r"<(script|style)\b", r'<\1 nonce="{{ request.state.nonce }}"', source), path, fresh
