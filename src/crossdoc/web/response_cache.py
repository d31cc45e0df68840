"""Responses of the HTTP interface, kept in memory until the file changes.

Most routes that read depend on the file alone, and a response costs between 5 and 40 ms of processor time. Requests for
the same thing at the same time wait for one of them.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from urllib.parse import parse_qs

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from crossdoc.web.reader import Reader

MOST_BYTES = 64_000_000
"""Bytes of all responses; the least recently used ones are dropped first."""
MOST_BYTES_EACH = 4_000_000
"""Bytes; a larger response is not kept."""

Key = tuple[str, bytes, bytes]
"""Path, parameters and accepted encodings."""


class ResponseCache:
    """A layer of the server that answers GET requests to `paths` from memory while the file stays as it is."""

    def __init__(self, app: ASGIApp, reader: Reader, paths: set[str], most: int = MOST_BYTES) -> None:
        self.app, self.reader, self.paths, self.most = app, reader, paths, most
        self._responses: OrderedDict[Key, tuple[int, list[Message]]] = OrderedDict()
        """Responses with the version of the file that they were read from."""
        self._size = 0
        self._working: dict[tuple[Key, int], asyncio.Event] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET" or not self._depends_on_file(scope):
            await self.app(scope, receive, send)
            return
        key = scope["path"], scope["query_string"], dict(scope["headers"]).get(b"accept-encoding", b"")
        version = self.reader.version
        found = self._find(key, version)
        if found is None and (key, version) in self._working:
            await self._working[key, version].wait()
            found = self._find(key, version)
        if found is None:
            await self._record(key, version, scope, receive, send)
            return
        for message in found:
            await send(message)

    def _depends_on_file(self, scope: Scope) -> bool:
        # A search for words may be incomplete while they are being indexed.
        return scope["path"] in self.paths and b"words" not in parse_qs(scope["query_string"])

    def _find(self, key: Key, version: int) -> list[Message] | None:
        kept = self._responses.get(key)
        if kept is None or kept[0] != version:
            return None
        self._responses.move_to_end(key)
        return kept[1]

    async def _record(self, key: Key, version: int, scope: Scope, receive: Receive, send: Send) -> None:
        messages: list[Message] = []

        async def recorded(message: Message) -> None:
            messages.append(message)
            await send(message)

        done = self._working.setdefault((key, version), asyncio.Event())
        try:
            await self.app(scope, receive, recorded)
            # A response of a file that changed meanwhile is of either state.
            if messages and messages[0].get("status") == 200 and self.reader.version == version:
                self._keep(key, version, messages)
        finally:
            self._working.pop((key, version), None)
            done.set()

    def _keep(self, key: Key, version: int, messages: list[Message]) -> None:
        size = _size_of(messages)
        if size > min(MOST_BYTES_EACH, self.most):
            return
        if (old := self._responses.pop(key, None)) is not None:
            self._size -= _size_of(old[1])
        self._responses[key] = version, messages
        self._size += size
        while self._size > self.most:
            self._size -= _size_of(self._responses.popitem(last=False)[1][1])


def _size_of(messages: list[Message]) -> int:
    """Return the bytes of a response; one without a body takes some, too."""
    return 1_000 + sum(len(each.get("body", b"")) for each in messages)
