"""The explorer's HTTP interface: JSON, read and write, described at /api/openapi.json (see docs/api.md).

Ids are parameters and not parts of paths, since ids of documents contain slashes. A change is an order: with `wait`
(the default) the response is its outcome, without it the order, which can be requested again. Responses that depend on
the file alone are kept until it changes: each costs between 5 and 40 ms of processor time.
"""

from __future__ import annotations

import asyncio
import inspect
import json
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, File, Query, Request, Response, UploadFile
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, create_model

from crossdoc import errors
from crossdoc.run.review import Asked
from crossdoc.store.catalogue import Sort
from crossdoc.store.views import Page
from crossdoc.web.changes import Act, Order, OrderView
from crossdoc.web.reader import Reader
from crossdoc.web.session import Session

MOST_LINES = 1_000
"""Maximum number of lines in one response."""
LONGEST_WAIT = 600.0
"""Seconds that a response waits for a change."""
RESPONSES_KEPT = 64
"""Responses; the least recently used one is dropped first."""
MOST_BYTES_KEPT = 1_000_000
"""Bytes; a larger response is not kept."""

Text = Annotated[str, Field(max_length=10_000)]
Id = Annotated[str, Query(min_length=1, max_length=10_000, description="An id, as other answers give it.")]
Offset = Annotated[int, Query(ge=0, le=10**9)]
Limit = Annotated[int, Query(ge=1, le=MOST_LINES)]
Year = Annotated[int | None, Query(ge=0, le=9999)]
Count = Annotated[int | None, Query(ge=0, le=10**9)]
Share = Annotated[float | None, Query(ge=0, le=1)]


@dataclass(frozen=True, slots=True)
class ApiProblem:
    """The reason of a failure."""

    what: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of an explorer."""

    version: int
    """A number that grows with every change to the answer."""
    read_only: bool


class Wish(BaseModel):
    """Parameters of all changes: who makes it, why, and whether the response waits until it is done."""

    model_config = ConfigDict(extra="forbid")

    who: Text = ""
    why: Text = ""
    wait: bool = True


Texts = list[Text]
WISHES: dict[Act, tuple[str, dict[str, Any]]] = {
    "judge": (
        "Two profiles are the same entity, or different ones.",
        {"a": Text, "b": Text, "verdict": Literal["same", "different"]},
    ),
    "merge": ("These identities are one.", {"identities": Annotated[Texts, Field(min_length=2, max_length=1_000)]}),
    "split": (
        "These profiles of an identity are another entity.",
        {"identity": Text, "profiles": Annotated[Texts, Field(min_length=1, max_length=100_000)]},
    ),
    "rename": (
        "An identity gets another name.",
        {"identity": Text, "name": Annotated[str, Field(min_length=1, max_length=1_000)]},
    ),
    "undo": (
        "Undo an entry of the log; without a number, the last one in force.",
        {"entry": (Annotated[int | None, Field(ge=1, le=2**62)], None)},
    ),
    "remove": ("Remove documents.", {"documents": Annotated[Texts, Field(min_length=1, max_length=100_000)]}),
}
"""Change → what it does, and its parameters in the order of the arguments of the order."""
OF_MANY = ("merge", "remove")
"""Changes whose arguments are the items of their list."""


class _Route(APIRoute):
    """A route that returns messages as JSON, and refuses unknown parameters."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        known = sorted(each.alias for each in self.dependant.query_params)

        async def handled(request: Request) -> Response:
            if unknown := sorted(set(request.query_params) - {*known, "token"}):
                return _problem(errors.unknown_parameter(unknown[0], known), 422)
            try:
                return await handle(request)
            except errors.CrossdocError as error:
                return _problem(error, _status(error))
            except RequestValidationError as error:
                # Without the values: JSON has no infinity, and UTF-8 no surrogates.
                detail = [{key: each[key] for key in ("type", "loc", "msg")} for each in error.errors()]
                return Response(json.dumps({"detail": detail}), 422, media_type="application/json")

        return handled


class ResponseCache:
    """Responses that are kept until the file changes; requests for the same thing wait for one of them."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self._version = -1
        self._bodies: OrderedDict[str, asyncio.Task[bytes]] = OrderedDict()

    async def get(self, key: str, make: Callable[[], bytes]) -> Response:
        if self._version != (version := self.reader.version):
            self._version = version
            self._bodies.clear()
        if key not in self._bodies:
            self._bodies[key] = asyncio.create_task(run_in_threadpool(make))
            while len(self._bodies) > RESPONSES_KEPT:
                self._bodies.popitem(last=False)
        self._bodies.move_to_end(key)
        made, is_kept = self._bodies[key], False
        try:
            body = await asyncio.shield(made)
            is_kept = len(body) <= MOST_BYTES_KEPT
        finally:
            if not is_kept and self._bodies.get(key) is made:
                del self._bodies[key]
        return Response(body, media_type="application/json")


def _status(error: errors.CrossdocError) -> int:
    if isinstance(error, errors.StoreError):
        return 503
    if error.what == errors.only_looking().what:
        return 403
    return 404 if isinstance(error, errors.UsageError | errors.InputError) else 400


def _problem(error: errors.CrossdocError, status: int) -> Response:
    return _json(ApiProblem(error.what, error.hint), status)


def _json(what: Any, status: int = 200, kind: Any = None) -> Response:
    return Response(_body(what, kind or type(what)), status, media_type="application/json")


def _body(what: Any, kind: Any) -> bytes:
    """Return a value as JSON, without the validation that FastAPI would add."""
    return _adapter(kind).dump_json(what)


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


Responses = dict[int | str, dict[str, Any]]
NOT_FOUND: Responses = {
    404: {"model": ApiProblem, "description": "Not found."},
    503: {"model": ApiProblem, "description": "The file cannot be read at the moment."},
}
NOT_DONE: Responses = {
    400: {"model": OrderView, "description": "The change was refused; nothing was written."},
    403: {"model": ApiProblem, "description": "The explorer is read-only."},
    409: {"model": OrderView, "description": "It contradicts earlier judgements, which are in `refusal.chain`."},
    202: {"model": OrderView, "description": "The change is queued; ask for the order by its number."},
}


READS: dict[str, tuple[str, Callable[..., Any]]] = {
    "/facets": ("collection", Reader.facets),
    "/overview": ("collection", Reader.overview),
    "/network": ("collection", Reader.network),
    "/log": ("collection", Reader.log),
    "/identity": ("identity", Reader.identity),
    "/identity/members": ("identity", Reader.members),
    "/identity/documents": ("identity", Reader.documents_of),
    "/identity/timeline": ("identity", Reader.timeline),
    "/identity/related": ("identity", Reader.related),
    "/identity/maybe": ("identity", Reader.maybe),
    "/identity/history": ("identity", Reader.history),
    "/document": ("texts", Reader.document),
    "/profile": ("texts", Reader.profile),
    "/why": ("texts", Reader.why),
    "/why/identity": ("texts", Reader.why_identity),
}
"""Routes that return the result of a method of the reader: path, tag, method."""
PARAMETERS: dict[str, Any] = {
    "id": Id, "a": Id, "b": Id, "profile": Id, "identity": Id, "offset": Offset, "limit": Limit, "top": Limit
}  # fmt: skip
"""Types of the parameters of these methods, with their limits."""


def router(session: Session) -> APIRouter:
    """Return the routes below /api of one explorer."""
    api = APIRouter(prefix="/api", route_class=_Route)
    kept = ResponseCache(session.reader)
    _add_state_and_search(api, session, kept)
    for path, (tag, method) in READS.items():
        _add_read(api, session.reader, kept, path, tag, method)
    _add_changes(api, session)
    return api


def _add_read(
    api: APIRouter, reader: Reader, kept: ResponseCache, path: str, tag: str, method: Callable[..., Any]
) -> None:
    """Add a route with the parameters, the result and the docstring of a method of the reader."""
    signature = inspect.signature(method, eval_str=True)
    own = [
        each.replace(annotation=PARAMETERS[each.name]) for name, each in signature.parameters.items() if name != "self"
    ]
    if path == "/network":
        own = [each.replace(annotation=Annotated[int, Query(ge=1, le=500)]) for each in own]
    if path == "/identity/history":
        own = [each.replace(default=inspect.Parameter.empty) for each in own]

    async def read(**given: Any) -> Response:
        return await kept.get(f"{path} {given}", lambda: _body(method(reader, **given), signature.return_annotation))

    read.__signature__ = signature.replace(parameters=own)  # type: ignore[attr-defined]
    api.get(
        path, response_model=signature.return_annotation, tags=[tag], responses=NOT_FOUND,
        name=path.strip("/").replace("/", " "), description=inspect.getdoc(method),
    )(read)  # fmt: skip


def _add_state_and_search(api: APIRouter, session: Session, kept: ResponseCache) -> None:
    reader = session.reader

    @api.get("/state", response_model=Standing, tags=["collection"], responses=NOT_FOUND)
    async def state() -> Response:
        """Whether the answer has changed, and whether it can be changed."""
        return _json(Standing(reader.version, session.read_only))

    @api.get("/search", response_model=Page, tags=["collection"], responses=NOT_FOUND)
    async def search(
        q: Annotated[str, Query(max_length=1_000, description="Beginnings of words in a name, or an id.")] = "",
        words: Annotated[str, Query(max_length=1_000, description='Words in contexts; phrases "in quotes".')] = "",
        type: Annotated[list[str], Query(description="Entity types; '' for none.")] = [],  # noqa: B006
        language: Annotated[list[str], Query()] = [],  # noqa: B006
        from_year: Year = None,
        to_year: Year = None,
        least: Count = None,
        most: Count = None,
        surest: Share = None,
        unsurest: Share = None,
        sort: Sort = "documents",
        descending: bool = True,
        offset: Offset = 0,
        limit: Limit = 50,
    ) -> Response:
        """Identities by name, largest first; `least` and `most` are documents, `unsurest` and `surest` certainties."""
        find = partial(
            reader.search, q, words=words, types=type, languages=language, years=(from_year, to_year),
            sizes=(least, most), certainty=(unsurest, surest), sort=sort, descending=descending, offset=offset,
            limit=limit,
        )  # fmt: skip
        return await kept.get(f"/search {find.args} {find.keywords}", lambda: _body(find(), Page))


def _add_change(api: APIRouter, session: Session, act: Act, description: str, parameters: dict[str, Any]) -> None:
    kind = create_model(f"{act.capitalize()}Wish", __base__=Wish, __doc__=description, **parameters)

    def change(wish: Wish) -> Response:
        given = [getattr(wish, name) for name in parameters]
        arguments = given[0] if act in OF_MANY else given
        return _finished(session.writable().order(act, *arguments, who=wish.who, why=wish.why), wish.wait)

    change.__annotations__["wish"] = kind
    api.post(
        f"/{act}", response_model=OrderView, tags=["changes"], responses=NOT_DONE, name=act, operation_id=act,
        description=description,
    )(change)  # fmt: skip


def _add_changes(api: APIRouter, session: Session) -> None:
    for act, (description, parameters) in WISHES.items():
        _add_change(api, session, act, description, parameters)

    @api.post("/add", response_model=OrderView, tags=["changes"], responses=NOT_DONE)
    def add(
        files: Annotated[list[UploadFile], File(description="Documents, in any format that crossdoc reads.")],
        who: Annotated[str, Query(max_length=1_000)] = "",
        wait: bool = False,
    ) -> Response:
        """Add documents; by default the response does not wait until they are read."""
        from crossdoc.web.pages.add_page import received

        order, problems = received(session.writable(), files, who)
        if order is None:
            return _json(ApiProblem(" ".join(problems)), 400)
        return _finished(order, wait)

    @api.get("/orders", response_model=list[OrderView], tags=["changes"])
    def orders() -> Response:
        """The latest changes, oldest first."""
        orders = [] if session.changes is None else list(session.changes.orders)
        return _json(orders, kind=list[OrderView])

    @api.get("/orders/{number}", response_model=OrderView, tags=["changes"], responses=NOT_FOUND)
    def order(number: int) -> Response:
        """Return the state of a change."""
        found = None if session.changes is None else session.changes.find(number)
        if found is None:
            return _json(ApiProblem(f"There is no order {number}."), 404)
        return _json(found, kind=OrderView)

    @api.get("/review", response_model=list[Asked], tags=["changes"], responses=NOT_DONE)
    def review(most: Annotated[int, Query(ge=1, le=100)] = 10) -> Response:
        """The pairs whose answer would change most; send the answers to `/judge`."""
        order = session.writable().order("questions", most).wait(LONGEST_WAIT)
        if order.refusal is not None:
            return _json(ApiProblem(order.refusal.what, order.refusal.hint), 400)
        return _json(order.answer, kind=list[Asked])


def _finished(order: Order, wait: bool) -> Response:
    if wait:
        with suppress(TimeoutError):
            order.wait(LONGEST_WAIT)
    status = 202 if order.state in ("waiting", "working") else 200
    if order.refusal is not None:
        status = 409 if order.refusal.chain else 400
    return _json(order, status, OrderView)
