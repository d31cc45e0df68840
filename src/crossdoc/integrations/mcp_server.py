"""An answer as tools for agents, over the Model Context Protocol: stdio, or HTTP on this machine behind a token.

Results are the dataclasses of `store/views.py`. Long lists come in pages, documents as quotes with offsets. The tools
that change the answer exist only with `write`, and want to know who changes it and why.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.types import ToolAnnotations
from pydantic import Field, RootModel

from crossdoc import errors
from crossdoc.model.partition import Event
from crossdoc.run.resolution import Resolution
from crossdoc.run.review import Asked, Review
from crossdoc.store.views import Card, Line, MemberLine, Page, ProfileView, Related
from crossdoc.version import __version__
from crossdoc.web.changes import Act, Changes
from crossdoc.web.guard import Guard
from crossdoc.web.reader import Reader

MOST = 100
"""Rows of one page."""
PASSAGE = 2_000
"""Characters of a passage."""
NEIGHBOURS = 50
"""Related identities that are followed from each step of a path."""
LONGEST_PATH = 4
SECONDS = 600.0
"""Time that a change may take."""
Offset = Annotated[int, Field(ge=0, description="Number of rows to leave out, for later pages.")]
Limit = Annotated[int, Field(ge=1, le=MOST, description="Rows of this page.")]
Who = Annotated[str, Field(min_length=1, description="Name of the person or program that decides; it is logged.")]
Why = Annotated[str, Field(min_length=1, description="Reason; it is logged.")]
IdentityId = Annotated[str, Field(description="Id of an identity, as `find` returns it; merged ids work too.")]
ProfileId = Annotated[str, Field(description="Id of a profile (one entity in one document), as `quotes` returns it.")]
Found = TypeVar("Found")


# The package derives no schema from a dataclass with slots, but does from a model round it.
FoundPage = RootModel[Page]
IdentityCard = RootModel[Card]


@dataclass(frozen=True)
class Reason:
    """One kind of evidence about two profiles."""

    about: str
    log_odds: float
    """Its contribution: positive for one entity, negative for two."""
    evidence: str


@dataclass(frozen=True)
class Comparison:
    """Two profiles, the strength of their being one entity (0 to 1), and the reasons."""

    a: ProfileView
    b: ProfileView
    strength: float
    reasons: list[Reason]


@dataclass(frozen=True)
class Passage:
    """A part of a document's text."""

    document: str
    title: str | None
    date: str | None
    start: int
    end: int
    length: int
    text: str


@dataclass(frozen=True)
class Step:
    """An identity on a path, and its links to the one before: shared documents and stated relations."""

    line: Line
    documents: int
    relations: list[str]


@dataclass(frozen=True)
class Changed:
    """Effect of a change: its entry in the log (for `undo`) and the events of identities."""

    entry: int | None
    events: list[str]


class AnswerTools(ExitStack):
    """The tools over one .crossdoc file, which is closed at the end of a `with` block."""

    def __init__(self, path: Path, write: bool = False) -> None:
        super().__init__()
        self.file = path
        self.reader = self.enter_context(Reader(path))
        self.changes = self.enter_context(closing(Changes(path, self.reader))) if write else None

    def find(
        self,
        name: Annotated[str, Field(description="Beginnings of words of a name; empty lists all.")] = "",
        type: Literal["person", "organisation", "place"] | None = None,
        words: Annotated[str, Field(description='Words of the text around it; phrases in "quotes".')] = "",
        offset: Offset = 0,
        limit: Limit = 20,
    ) -> FoundPage:
        """Find identities by name and by the words around them, those of most documents first."""
        found = self.reader.search(name, types=[type] if type else [], words=words, offset=offset, limit=limit)
        return FoundPage(found) if offset == 0 or found.rows else _beyond(offset, found.total)

    def identity(self, id: IdentityId) -> IdentityCard:
        """Return names, facts and relations of one identity, each with the sentence that states it."""
        return IdentityCard(self.reader.identity(id))

    def quotes(self, id: IdentityId, offset: Offset = 0, limit: Limit = 20) -> list[MemberLine]:
        """Return the documents of an identity, most certain first: quote, offsets in the text, profile id."""
        found = self.reader.members(id, offset, limit)
        return found if offset == 0 or found else _beyond(offset, self.reader.identity(id).profiles)

    def passage(
        self,
        document: str,
        start: Annotated[int, Field(ge=0, description="First character.")] = 0,
        length: Annotated[int, Field(ge=1, le=PASSAGE)] = 600,
    ) -> Passage:
        """Return a part of a document's text."""
        found = self.reader.document(document)
        if start and start >= len(found.text):
            return _beyond(start, len(found.text))
        text = found.text[start : start + length]
        return Passage(found.id, found.title, found.date, start, start + len(text), len(found.text), text)

    def why(self, a: ProfileId, b: ProfileId) -> Comparison:
        """Explain why two profiles are or are not one entity: each kind of evidence with its score."""
        found = self.reader.why(a, b)
        reasons = [Reason(each.specialist, each.weight, each.evidence) for each in found.explanation.opinions]
        return Comparison(found.a, found.b, found.explanation.strength, reasons)

    def related(self, id: IdentityId, limit: Limit = 20) -> list[Related]:
        """Return identities in the same documents, with the number of documents and stated relations."""
        return self.reader.related(id, limit)

    def path(self, a: IdentityId, b: IdentityId) -> list[Step]:
        """Return a shortest chain of identities in common documents from one identity to another."""
        start, goal = self.reader.line(a).id, self.reader.line(b).id
        chains = {start: [Step(self.reader.identity(start).line, 0, [])]}
        layer = [start]
        for _ in range(LONGEST_PATH):
            further = []
            for here in layer:
                for each in self.reader.related(here, NEIGHBOURS):
                    if each.line.id not in chains:
                        chains[each.line.id] = [*chains[here], Step(each.line, each.documents, each.types)]
                        further.append(each.line.id)
            if goal in chains:
                return chains[goal]
            layer = further
        return chains.get(goal, [])

    def uncertain(self, limit: Limit = 10) -> list[Asked]:
        """Return the pairs of profiles that a person should look at, those that would change most first."""
        with Resolution.open(self.file) as answer:
            return Review(answer).questions(limit)

    def history(self, id: IdentityId | None = None, offset: Offset = 0, limit: Limit = 20) -> list[Event]:
        """Return when identities appeared, split, merged and vanished, latest first: all, or one."""
        events = self.reader.history(id)[::-1]
        return events[offset : offset + limit] if offset == 0 or offset < len(events) else _beyond(offset, len(events))

    def judge(self, a: ProfileId, b: ProfileId, verdict: Literal["same", "different"], who: Who, why: Why) -> Changed:
        """Judge two profiles to be the same entity or different ones."""
        return self._changed("judge", a, b, verdict, who=who, why=why)

    def merge(self, a: IdentityId, b: IdentityId, who: Who, why: Why) -> Changed:
        """Merge two identities into one."""
        return self._changed("merge", a, b, who=who, why=why)

    def split(self, id: IdentityId, profiles: list[str], who: Who, why: Why) -> Changed:
        """Split profiles of an identity off into one of their own."""
        return self._changed("split", id, profiles, who=who, why=why)

    def undo(self, who: Who, why: Why, entry: int | None = None) -> Changed:
        """Undo an entry of the log, or the last one that is in force."""
        return self._changed("undo", entry, who=who, why=why)

    def _changed(self, act: Act, *arguments: Any, who: str, why: str) -> Changed:
        assert self.changes is not None
        order = self.changes.order(act, *arguments, who=who, why=why).wait(SECONDS)
        if order.refusal is not None:
            raise ToolError(f"{order.refusal.what}\n{order.refusal.hint}")
        assert order.change is not None
        return Changed(order.change.entry, [str(event) for event in order.change.events])


READS = ("find", "identity", "quotes", "passage", "why", "related", "path", "uncertain", "history")
WRITES = ("judge", "merge", "split", "undo")


def make_server(tools: AnswerTools) -> MCPServer[Any]:
    """Return a server over the tools of an answer."""
    names = (*READS, *(WRITES if tools.changes is not None else ()))
    return MCPServer(
        "crossdoc",
        version=__version__,
        instructions=f"Who is who in {tools.file.name}: find identities, read quotes, ask why. Names are not unique; "
        "use ids.",
        tools=[_tool(getattr(tools, name), name in WRITES) for name in names],
        log_level="ERROR",
    )


def _tool(method: Callable[..., Any], writes: bool) -> Tool:
    tool = Tool.from_function(
        _explained(method),
        annotations=ToolAnnotations(read_only_hint=not writes, destructive_hint=False, open_world_hint=False),
    )
    # An argument that does not exist is an error, and not silently ignored.
    arguments = tool.fn_metadata.arg_model
    arguments.model_config["extra"] = "forbid"
    arguments.model_rebuild(force=True)
    tool.parameters = arguments.model_json_schema()
    return tool


def _explained(method: Callable[..., Found]) -> Callable[..., Found]:
    """Return a method whose errors reach the agent with their hints."""

    @functools.wraps(method)
    def call(**arguments: Any) -> Found:
        try:
            return method(**arguments)
        except errors.CrossdocError as error:
            raise ToolError(str(error)) from error

    return call


def _beyond(offset: int, total: int) -> Any:
    raise errors.beyond_the_end(offset, total)


def serve_http(server: MCPServer[Any], host: str, port: int, token: str, opened: Callable[[str], None]) -> None:
    """Serve until Ctrl-C. With a token, every request needs the header `Authorization: Bearer TOKEN`."""
    import uvicorn

    app: Any = server.streamable_http_app(host=host)
    opened(f"http://{host}:{port}/mcp")
    uvicorn.run(Guard(app, token, port, host) if token else app, host=host, port=port, log_level="error")
