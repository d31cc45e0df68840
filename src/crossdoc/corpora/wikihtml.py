"""Blocks of text of a web page, with their links to Wikipedia.

A block is a unit that a browser sets apart: a paragraph, a list item, a table cell, or text between two empty lines.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urljoin, urlsplit

from resiliparse.parse.html import HTMLTree, NodeType, traverse_dom

from crossdoc.corpora.wikitext import Block, SpacedText, WikiLink, page_title
from crossdoc.read.clean_text import shallow

_BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hr li main menu nav ol p pre section summary table tbody td tfoot th thead "
    "tr ul".split()
)
_UNREAD = frozenset("head script style noscript template textarea select button svg math iframe object".split())


def html_blocks(page: str, address: str = "", language: str = "en") -> Iterator[Block]:
    """Yield the blocks of a page that hold text. `address` completes links that lack a host.

    >>> page = "<p>He met <a href='https://en.wikipedia.org/wiki/Mercury_(planet)'>Mercury</a>.<p>Bye"
    >>> for block in html_blocks(page):
    ...     print(block)
    Block(text='He met Mercury.', links=(WikiLink(start=7, end=14, title='Mercury (planet)'),))
    Block(text='Bye', links=())
    """
    tree = HTMLTree.parse(shallow(page))
    if tree.body is None:
        return
    declared = tree.head.query_selector("base[href]") if tree.head is not None else None
    walk = _PageWalk(urljoin(address, declared.getattr("href") or "") if declared is not None else address, language)
    traverse_dom(tree.body, walk.enter, walk.leave)
    walk.end_block()
    yield from walk.blocks


def wikipedia_title(address: str, language: str = "en") -> str | None:
    """Return the title of the article at a Wikipedia address; None for any other address.

    >>> wikipedia_title("http://en.m.wikipedia.org/wiki/S%C3%A3o_Paulo#History")
    'São Paulo'
    >>> wikipedia_title("https://en.wikipedia.org/w/index.php?title=S%C3%A3o_Paulo&oldid=1")
    'São Paulo'
    """
    try:
        parts = urlsplit(address)
        host = (parts.hostname or "").removeprefix("www.")
    except ValueError:
        return None
    hosts = (f"{language}.wikipedia.org", f"{language}.m.wikipedia.org")
    if parts.scheme not in ("http", "https") or host not in hosts:
        return None
    if parts.path.startswith("/wiki/"):
        return page_title(parts.path.removeprefix("/wiki/"))
    asked = parse_qs(parts.query).get("title", [""])[0] if parts.path in ("/w/index.php", "/wiki.phtml", "/") else ""
    return page_title(asked)


class _PageWalk:
    """Walk over a page: the finished blocks, and the text of the open one."""

    def __init__(self, address: str, language: str) -> None:
        self.address, self.language = address, language
        self.blocks: list[Block] = []
        self._unread = 0
        self._begin()

    def _begin(self) -> None:
        self._text, self._breaks = SpacedText(), 0
        self._links: list[WikiLink] = []
        self._anchor: tuple[int, int, str] | None = None
        """The open link: its offset, its first piece, its title."""

    def enter(self, context: Any) -> None:
        node = context.node
        if node.type == NodeType.TEXT:
            if not self._unread:
                self._add(node.value or "")
            return
        if node.type != NodeType.ELEMENT:
            return
        if node.tag in _UNREAD:
            self._unread += 1
        elif node.tag in _BLOCKS:
            self.end_block()
        elif node.tag == "br":
            self._add(" ")
            self._breaks += 1
            if self._breaks > 1:
                self.end_block()
        elif node.tag == "a" and not self._unread:
            self._close_anchor()
            title = self._title(node.getattr("href") or "")
            if title is not None:
                self._anchor = (self._text.length, len(self._text.pieces), title)

    def leave(self, context: Any) -> None:
        tag = context.node.tag
        if tag in _UNREAD:
            self._unread -= 1
        elif tag in _BLOCKS:
            self.end_block()
        elif tag == "a":
            self._close_anchor()

    def end_block(self) -> None:
        anchor = self._anchor
        self._close_anchor()
        text = "".join(self._text.pieces)
        if text.strip():
            self.blocks.append(Block(text.rstrip(), tuple(self._links)))
        self._begin()
        if anchor is not None:
            # In HTML a link may contain several blocks.
            self._anchor = (0, 0, anchor[2])

    def _title(self, href: str) -> str | None:
        try:
            return wikipedia_title(urljoin(self.address, href.strip()), self.language)
        except ValueError:
            return None

    def _add(self, text: str) -> None:
        if text.strip():
            self._breaks = 0
        self._text.add(text)

    def _close_anchor(self) -> None:
        if self._anchor is None:
            return
        start, first, title = self._anchor
        self._anchor = None
        inside = "".join(self._text.pieces[first:])
        anchor = inside.strip()
        if anchor:
            start += len(inside) - len(inside.lstrip())
            self._links.append(WikiLink(start, start + len(anchor), title))
