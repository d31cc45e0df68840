"""The explorer through HTTP: JSON, read and write, described at /api/openapi.json (see docs/api.md).

Ids are parameters and no part of paths, since they hold whatever documents are called. A change is an order: with
`wait` (the default) its answer is what became of it, without it the order that can be asked for again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from concurrent.futures import TimeoutError as NotYet
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from fastapi import APIRouter, File, Query, Request, Response, UploadFile
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from crossdoc import errors
from crossdoc.lineage import Event
from crossdoc.review import Asked
from crossdoc.revision import Change
from crossdoc.store.catalogue import Sort
from crossdoc.store.views import (
    Card,
    DocumentLine,
    DocumentView,
    Facets,
    LogLine,
    Maybe,
    MemberLine,
    Network,
    Overview,
    Page,
    ProfileView,
    Related,
)
from crossdoc.web.changes import Changes, Order, Refusal, State
from crossdoc.web.reading_why import Why, WhyIdentity
from crossdoc.web.session import Session

MOST = 1_000
"""Maximum number of lines in one response."""
LONGEST_WAIT = 600.0

Text = Annotated[str, Field(max_length=10_000)]
Id = Annotated[str, Query(min_length=1, max_length=10_000, description="An id, as other answers give it.")]
Offset = Annotated[int, Query(ge=0, le=10**9)]
Limit = Annotated[int, Query(ge=1, le=MOST)]
Year = Annotated[int | None, Query(ge=0, le=9999)]
Count = Annotated[int | None, Query(ge=0, le=10**9)]
Share = Annotated[float | None, Query(ge=0, le=1)]


@dataclass(frozen=True, slots=True)
class ApiProblem:
    """Why something could not be done."""

    what: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of an explorer."""

    version: int
    """Grows with every change to the answer, whoever makes it."""
    read_only: bool
    words_ready: bool
    """Whether all words of contexts are indexed."""


@dataclass(frozen=True, slots=True)
class OrderView:
    """A change that somebody wants, and what became of it."""

    number: int
    act: str
    who: str
    why: str
    summary: str
    state: State
    stage: str
    share: float | None
    change: Change | None
    refusal: Refusal | None

    @classmethod
    def of(cls, order: Order) -> OrderView:
        return cls(
            order.number, order.act, order.who, order.why, order.summary, order.state, order.stage, order.share,
            order.change, order.refusal,
        )  # fmt: skip


class Wish(BaseModel):
    """What all changes have: who makes it, why, and whether the response waits until it is done."""

    model_config = ConfigDict(extra="forbid")

    who: Text = ""
    why: Text = ""
    wait: bool = True


class JudgeWish(Wish):
    """Two profiles are the same entity, or different ones."""

    a: Text
    b: Text
    verdict: Literal["same", "different"]


class MergeWish(Wish):
    """These identities are one."""

    identities: list[Text] = Field(min_length=2, max_length=1_000)


class SplitWish(Wish):
    """These profiles of an identity are somebody else."""

    identity: Text
    profiles: list[Text] = Field(min_length=1, max_length=100_000)


class RenameWish(Wish):
    """An identity gets another name."""

    identity: Text
    name: Annotated[str, Field(min_length=1, max_length=1_000)]


class UndoWish(Wish):
    """Undo an entry of the log; without a number, the last one in force."""

    entry: int | None = Field(None, ge=1, le=2**62)


class RemoveWish(Wish):
    """Remove documents."""

    documents: list[Text] = Field(min_length=1, max_length=100_000)


class _Route(APIRoute):
    """Messages for people become answers of their own kind; a parameter that nobody reads is refused, not ignored."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        known = sorted(each.alias for each in self.dependant.query_params)

        async def handled(request: Request) -> Response:
            if unknown := sorted(set(request.query_params) - {*known, "token"}):
                problem = errors.unknown_parameter(unknown[0], known)
                return _json(ApiProblem(problem.what, problem.hint), 422)
            try:
                return await handle(request)
            except errors.CrossdocError as error:
                return _json(ApiProblem(error.what, error.hint), _status(error))
            except RequestValidationError as error:
                return _invalid(error)

        return handled


def _invalid(error: RequestValidationError) -> Response:
    """What is wrong with a request, without the values: JSON has no infinity, and UTF-8 no half characters."""
    detail = [{key: each[key] for key in ("type", "loc", "msg")} for each in error.errors()]
    return Response(json.dumps({"detail": detail}), 422, media_type="application/json")


def _status(error: errors.CrossdocError) -> int:
    if isinstance(error, errors.StoreError):
        return 503
    if error.what == errors.only_looking().what:
        return 403
    return 404 if isinstance(error, errors.UsageError | errors.InputError) else 400


def _json(what: Any, status: int = 200) -> Response:
    """As JSON, without checking again what the types say already."""
    return Response(TypeAdapter(type(what)).dump_json(what), status, media_type="application/json")


def _listed(kind: Any, rows: Any) -> Response:
    return Response(TypeAdapter(list[kind]).dump_json(rows), media_type="application/json")


NOT_FOUND: dict[int | str, dict[str, Any]] = {
    404: {"model": ApiProblem, "description": "Not found."},
    503: {"model": ApiProblem, "description": "The file cannot be read at the moment."},
}
NOT_DONE: dict[int | str, dict[str, Any]] = {
    400: {"model": OrderView, "description": "The change was refused; nothing was written."},
    403: {"model": ApiProblem, "description": "The explorer is read-only."},
    409: {"model": OrderView, "description": "It contradicts earlier judgements, which are in `refusal.chain`."},
    202: {"model": OrderView, "description": "The change is queued; ask for the order by its number."},
}


def router(session: Session) -> APIRouter:
    """The routes below /api of one explorer."""
    made = APIRouter(prefix="/api", route_class=_Route)
    _collection(made, session)
    _identities(made, session)
    _texts(made, session)
    _changes(made, session)
    return made


def _collection(api: APIRouter, session: Session) -> None:
    reader = session.reader

    @api.get("/state", response_model=Standing, tags=["collection"], responses=NOT_FOUND)
    def state() -> Response:
        """Whether something has changed, and whether it may be."""
        return _json(Standing(reader.version, session.read_only, reader.catalogue.words.ready.is_set()))

    @api.get("/search", response_model=Page, tags=["collection"], responses=NOT_FOUND)
    def search(
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
        return _json(
            reader.search(
                q,
                words=words,
                types=type,
                languages=language,
                years=(from_year, to_year),
                sizes=(least, most),
                certainty=(unsurest, surest),
                sort=sort,
                descending=descending,
                offset=offset,
                limit=limit,
            )
        )

    @api.get("/facets", response_model=Facets, tags=["collection"], responses=NOT_FOUND)
    def facets() -> Response:
        """What can be filtered by, with the number of identities each."""
        return _json(reader.facets())

    @api.get("/overview", response_model=Overview, tags=["collection"], responses=NOT_FOUND)
    def overview(top: Limit = 10) -> Response:
        """The collection at a glance."""
        return _json(reader.overview(top))

    @api.get("/network", response_model=Network, tags=["collection"], responses=NOT_FOUND)
    def network(top: Annotated[int, Query(ge=1, le=500)] = 100) -> Response:
        """The largest identities, and in how many documents each two of them appear together."""
        return _json(reader.network(top))

    @api.get("/log", response_model=list[LogLine], tags=["collection"], responses=NOT_FOUND)
    def log() -> Response:
        """All judgements, latest first."""
        return _listed(LogLine, reader.log())


def _identities(api: APIRouter, session: Session) -> None:
    reader = session.reader

    @api.get("/identity", response_model=Card, tags=["identity"], responses=NOT_FOUND)
    def identity(id: Id) -> Response:
        """Names, facts and relations of an identity, or of the one that took its place."""
        return _json(reader.identity(id))

    @api.get("/identity/members", response_model=list[MemberLine], tags=["identity"], responses=NOT_FOUND)
    def members(id: Id, offset: Offset = 0, limit: Limit = 50) -> Response:
        """Its profiles, most certain first."""
        return _listed(MemberLine, reader.members(id, offset, limit))

    @api.get("/identity/documents", response_model=list[DocumentLine], tags=["identity"], responses=NOT_FOUND)
    def documents(id: Id, offset: Offset = 0, limit: Limit = 50) -> Response:
        """The documents that mention it, earliest first."""
        return _listed(DocumentLine, reader.documents_of(id, offset, limit))

    @api.get("/identity/timeline", response_model=list[tuple[str, int]], tags=["identity"], responses=NOT_FOUND)
    def timeline(id: Id) -> Response:
        """In how many documents of each year or month it is mentioned."""
        return _listed(tuple[str, int], reader.timeline(id))

    @api.get("/identity/related", response_model=list[Related], tags=["identity"], responses=NOT_FOUND)
    def related(id: Id, limit: Limit = 20) -> Response:
        """Who is mentioned in the same documents."""
        return _listed(Related, reader.related(id, limit))

    @api.get("/identity/maybe", response_model=list[Maybe], tags=["identity"], responses=NOT_FOUND)
    def maybe(id: Id, limit: Limit = 20) -> Response:
        """Who it may also be."""
        return _listed(Maybe, reader.maybe(id, limit))

    @api.get("/identity/history", response_model=list[Event], tags=["identity"], responses=NOT_FOUND)
    def history(id: Id) -> Response:
        """What happened to it."""
        return _listed(Event, reader.history(id))


def _texts(api: APIRouter, session: Session) -> None:
    reader = session.reader

    @api.get("/document", response_model=DocumentView, tags=["texts"], responses=NOT_FOUND)
    def document(id: Id) -> Response:
        """A document with every mention in it, and the identity of each."""
        return _json(reader.document(id))

    @api.get("/profile", response_model=ProfileView, tags=["texts"], responses=NOT_FOUND)
    def profile(id: Id) -> Response:
        """All that one document says about one entity."""
        return _json(reader.profile(id))

    @api.get("/why", response_model=Why, tags=["texts"], responses=NOT_FOUND)
    def why(a: Id, b: Id) -> Response:
        """The evidence for and against two profiles being one entity."""
        return _json(reader.why(a, b))

    @api.get("/why/identity", response_model=WhyIdentity, tags=["texts"], responses=NOT_FOUND)
    def why_identity(profile: Id, identity: Id) -> Response:
        """The same for a profile and the most certain members of an identity."""
        return _json(reader.why_identity(profile, identity))


def _changes(api: APIRouter, session: Session) -> None:
    def writing() -> Changes:
        if session.changes is None:
            raise errors.only_looking()
        return session.changes

    def route(path: str, act: Callable[[Changes, Any], Order], kind: type[Wish]) -> None:
        def change(wish: Wish) -> Response:
            return _finished(act(writing(), wish), wish.wait)

        change.__annotations__["wish"] = kind
        change.__doc__ = kind.__doc__
        api.post(
            path, response_model=OrderView, tags=["changes"], responses=NOT_DONE, name=path.strip("/"),
            operation_id=path.strip("/"),
        )(change)  # fmt: skip

    route("/judge", lambda c, w: c.judge(w.a, w.b, w.verdict, who=w.who, why=w.why), JudgeWish)
    route("/merge", lambda c, w: c.merge(*w.identities, who=w.who, why=w.why), MergeWish)
    route("/split", lambda c, w: c.split(w.identity, w.profiles, who=w.who, why=w.why), SplitWish)
    route("/rename", lambda c, w: c.rename(w.identity, w.name, who=w.who, why=w.why), RenameWish)
    route("/undo", lambda c, w: c.undo(w.entry, who=w.who, why=w.why), UndoWish)
    route("/remove", lambda c, w: c.remove(*w.documents, who=w.who), RemoveWish)

    @api.post("/add", response_model=OrderView, tags=["changes"], responses=NOT_DONE)
    def add(
        files: Annotated[list[UploadFile], File(description="Documents, in any format that crossdoc reads.")],
        who: Annotated[str, Query(max_length=1_000)] = "",
        wait: bool = False,
    ) -> Response:
        """Add documents; by default the response does not wait until they are read."""
        from crossdoc.web.pages.add_page import received

        order, problems = received(writing(), files, who)
        if order is None:
            return _json(ApiProblem(" ".join(problems)), 400)
        return _finished(order, wait)

    @api.get("/orders", response_model=list[OrderView], tags=["changes"])
    def orders() -> Response:
        """The latest changes, oldest first."""
        orders = [] if session.changes is None else list(session.changes.orders)
        return _listed(OrderView, [OrderView.of(order) for order in orders])

    @api.get("/orders/{number}", response_model=OrderView, tags=["changes"], responses=NOT_FOUND)
    def order(number: int) -> Response:
        """What became of a change."""
        found = None if session.changes is None else session.changes.order(number)
        if found is None:
            return _json(ApiProblem(f"There is no order {number}."), 404)
        return _json(OrderView.of(found))

    @api.get("/review", response_model=list[Asked], tags=["changes"], responses=NOT_DONE)
    def review(most: Annotated[int, Query(ge=1, le=100)] = 10) -> Response:
        """The pairs whose answer would change most; send the answers to `/judge`."""
        order = writing().questions(most).wait(LONGEST_WAIT)
        if order.refusal is not None:
            return _json(ApiProblem(order.refusal.what, order.refusal.hint), 400)
        return _listed(Asked, order.answer)


def _finished(order: Order, wait: bool) -> Response:
    if wait:
        try:
            order.wait(LONGEST_WAIT)
        except NotYet:
            return _json(OrderView.of(order), 202)
    status = 202 if order.state in ("waiting", "working") else 200
    if order.refusal is not None:
        status = 409 if order.refusal.chain else 400
    return _json(OrderView.of(order), status)
