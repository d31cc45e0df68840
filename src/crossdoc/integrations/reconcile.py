"""A reconciliation service over an answer, for OpenRefine (protocol 0.2): names of a table → identities.

It reads and never writes. OpenRefine cannot send a header, so the token is the first part of every path. Reference:
Reconciliation Service API v0.2, Final Community Group Report, 10 April 2023.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from html import escape
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import quote

from rapidfuzz.fuzz import token_sort_ratio
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Mount, Route

from crossdoc.model import ENTITY_TYPES
from crossdoc.names import fold
from crossdoc.read.profiles import type_of
from crossdoc.store.views import Card, Line
from crossdoc.version import __version__
from crossdoc.web.guard import own_names
from crossdoc.web.reader import Reader

MOST_QUERIES = 1_000
"""Queries of one batch; OpenRefine sends ten."""
CONSIDERED = 50
"""Identities of a name that are ranked."""
MOST_CANDIDATES = 25
SAME = 95.0
"""Score of names from which a single candidate counts as a match; names that differ in a middle initial reach it."""
TYPES = [{"id": each, "name": each.capitalize()} for each in ENTITY_TYPES]
PROPERTIES = (
    "name", "names", "type", "descriptor", "documents", "mentions", "first_year", "last_year", "certainty", "known"
)  # fmt: skip
"""Properties that a table can be extended with: attributes of a line, and all names."""


class Reconciliation:
    """Answers of the service; the routes below call it."""

    def __init__(self, reader: Reader, address: str) -> None:
        self.reader, self.address = reader, address.rstrip("/")

    def manifest(self) -> dict[str, Any]:
        here = self.address
        preview = f"{here}/preview?id={{{{id}}}}"
        suggest = {kind: {"service_url": here, "service_path": f"/suggest/{kind}"} for kind in SUGGESTED}
        return {
            "versions": ["0.2"],
            "name": f"crossdoc: {self.reader.path.name}",
            "identifierSpace": f"{here}/identity/",
            "schemaSpace": f"{here}/schema/",
            "serviceVersion": __version__,
            "defaultTypes": TYPES,
            "view": {"url": preview},
            "preview": {"url": preview, "width": 430, "height": 260},
            "suggest": suggest,
            "extend": {"propose_properties": {"service_url": here, "service_path": "/properties"}},
        }

    def candidates(self, query: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return identities for one query, best first; `features` are the reasons for the score."""
        text = str(query.get("query") or "").strip()
        if not text:
            _refuse("a query has no text")
        types = _types(query.get("type"))
        lines = self._lines(text, types)
        scored = [self._candidate(line, text, query.get("properties") or [], lines) for line in lines]
        scored.sort(key=lambda each: (-each["score"], each["id"]))
        if scored and scored[0]["score"] >= SAME and (len(scored) == 1 or scored[1]["score"] < SAME):
            scored[0]["match"] = True
        limit = query.get("limit")
        return scored[: min(limit, MOST_CANDIDATES) if isinstance(limit, int) and limit > 0 else MOST_CANDIDATES]

    def _lines(self, text: str, types: list[str]) -> list[Line]:
        found = self.reader.search(text, types=types, limit=CONSIDERED).rows
        return found or self.reader.search(text.split()[-1], types=types, limit=CONSIDERED).rows

    def _candidate(self, line: Line, text: str, given: list[Any], lines: list[Line]) -> dict[str, Any]:
        name = token_sort_ratio(fold(text), fold(line.name))
        features: list[dict[str, Any]] = [
            {"id": "name_similarity", "value": name},
            {"id": "certainty", "value": line.certainty},
            {"id": "documents", "value": line.documents},
            {"id": "namesakes", "value": sum(each.name == line.name for each in lines) - 1},
        ]
        agree = [self._agrees(line, each) for each in given if isinstance(each, dict)]
        features += [{"id": f"context:{pid}", "value": value} for pid, value in agree]
        # A column of the table that the contexts of an identity have too decides between namesakes.
        share = sum(value for _, value in agree) / len(agree) if agree else 1.0
        return {
            "id": line.id, "name": line.name, "description": line.descriptor,
            "type": [each for each in TYPES if each["id"] == line.type],
            "score": round(name * (0.5 + 0.5 * share), 2), "match": False, "features": features,
        }  # fmt: skip

    def _agrees(self, line: Line, given: Mapping[str, Any]) -> tuple[str, bool]:
        values = given.get("v") if isinstance(given.get("v"), list) else [given.get("v")]
        words = " ".join(str(each.get("name", "")) if isinstance(each, dict) else str(each) for each in values or ())
        found = self.reader.search(line.id, words=words, limit=1).rows if words.strip() else []
        return str(given.get("pid", "")), bool(found)

    def extend(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Return values of properties for identities; an unknown id has none."""
        ids, properties = asked.get("ids"), asked.get("properties")
        if not isinstance(ids, list) or not isinstance(properties, list) or len(ids) > MOST_QUERIES:
            _refuse(f"an extension needs the lists ids (of at most {MOST_QUERIES:,}) and properties")
        wanted = [str(each.get("id")) for each in properties]
        if unknown := [each for each in wanted if each not in PROPERTIES]:
            _refuse(f"there is no property {unknown[0]!r}; there are: {', '.join(PROPERTIES)}")
        known = {id for id in map(str, ids) if self.reader.successors(id)}
        cards = {id: self.reader.identity(id) for id in known if len(self.reader.successors(id)) == 1}
        rows = {str(id): {each: _cells(cards.get(str(id)), each) for each in wanted} for id in ids}
        return {"meta": [{"id": each, "name": each.replace("_", " ")} for each in wanted], "rows": rows}

    def suggest(self, kind: str, prefix: str) -> list[dict[str, Any]]:
        """Return entities, types or properties that begin so."""
        if kind == "entity":
            rows = self.reader.search(prefix, limit=MOST_CANDIDATES).rows
            return [{"id": each.id, "name": each.name, "description": each.descriptor} for each in rows]
        listed = TYPES if kind == "type" else [{"id": each, "name": each.replace("_", " ")} for each in PROPERTIES]
        return [each for each in listed if each["name"].lower().startswith(prefix.lower())]

    def preview(self, id: str) -> str:
        """Return a small page about an identity."""
        if not self.reader.successors(id):
            raise HTTPException(404, f"There is no identity {id!r}.")
        line = self.reader.identity(id).line
        quotes = "".join(
            f"<li>{escape(each.snippet)} <small>{escape(each.document)}</small></li>"
            for each in self.reader.members(id, 0, 3)
        )
        about = f"{escape(line.descriptor)}, {line.documents:,} documents"
        return f'<!doctype html><meta charset="utf-8"><b>{escape(line.name)}</b> ({about})<ul>{quotes}</ul>'


SUGGESTED = ("entity", "type", "property")


def make_app(reader: Reader, host: str, port: int, token: str) -> tuple[Starlette, str]:
    """Return the service and its address."""
    root = f"/{quote(token)}" if token else ""
    address = f"http://{host}:{port}{root}/"
    service = Reconciliation(reader, address)

    async def main(request: Request) -> Response:
        form = await request.form() if request.method == "POST" else request.query_params
        if "queries" in form:
            return JSONResponse(_batch(service, _parsed(str(form["queries"]))))
        if "extend" in form:
            return JSONResponse(service.extend(_parsed(str(form["extend"]))))
        return JSONResponse(service.manifest())

    def suggest(request: Request) -> Response:
        found = service.suggest(request.path_params["kind"], request.query_params.get("prefix", ""))
        return JSONResponse({"result": found})

    def properties(request: Request) -> Response:
        return JSONResponse({"properties": service.suggest("property", ""), "type": request.query_params.get("type")})

    def preview(request: Request) -> Response:
        return HTMLResponse(
            service.preview(request.query_params.get("id", "")),
            headers={"Content-Security-Policy": "default-src 'none'"},
        )

    def failed(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return JSONResponse({"status": "error", "message": error.detail}, error.status_code)

    routes = [
        Route("/", main, methods=["GET", "POST"]),
        Route("/suggest/{kind}", suggest),
        Route("/properties", properties),
        Route("/preview", preview),
    ]
    names = [name for name in own_names(host) if ":" not in name]
    middleware = [
        Middleware(TrustedHostMiddleware, allowed_hosts=names, www_redirect=False),
        Middleware(CORSMiddleware, allow_origins=["*"], allow_methods=["GET", "POST"]),
    ]
    mounted = [Mount(root, routes=routes)] if root else routes
    return Starlette(routes=mounted, middleware=middleware, exception_handlers={HTTPException: failed}), address


def serve(path: Path, host: str, port: int, token: str, opened: Callable[[str], None]) -> None:
    """Serve until Ctrl-C."""
    import uvicorn

    with Reader(path) as reader:
        app, address = make_app(reader, host, port, token)
        opened(address)
        uvicorn.run(app, host=host, port=port, log_level="error")


def _batch(service: Reconciliation, queries: Mapping[str, Any]) -> dict[str, Any]:
    if len(queries) > MOST_QUERIES:
        _refuse(f"a batch has {len(queries):,} queries; {MOST_QUERIES:,} are the limit", 413)
    if bad := [key for key, query in queries.items() if not isinstance(query, dict)]:
        _refuse(f"query {bad[0]!r} is not an object")
    return {key: {"result": service.candidates(query)} for key, query in queries.items()}


def _parsed(text: str) -> dict[str, Any]:
    try:
        given = json.loads(text)
    except ValueError as error:
        _refuse(f"this is not JSON: {error}")
    if not isinstance(given, dict):
        _refuse(f"a JSON object was expected, not {type(given).__name__}")
    return given


def _types(given: Any) -> list[str]:
    """Return our types for those of a query; a type that crossdoc does not know is an error."""
    asked = [given] if isinstance(given, str) else list(given or [])
    found = [(each, type_of(str(each))) for each in asked]
    if unknown := [each for each, kind in found if kind is None]:
        _refuse(f"there is no type {unknown[0]!r}; there are: {', '.join(ENTITY_TYPES)}")
    return [kind for _, kind in found if kind]


def _cells(card: Card | None, name: str) -> list[dict[str, Any]]:
    if card is None:
        return []
    values = [each for each, _ in card.variants] if name == "names" else [getattr(card.line, name)]
    return [{type(value).__name__: value} for value in values if value not in (None, "")]


def _refuse(what: str, status: int = 400) -> NoReturn:
    raise HTTPException(status, what[:1].upper() + what[1:] + ".")
