"""Blocks of plain text of a wiki page's source, with their links.

A block is a paragraph or an item of a list. Templates, tables, footnotes, headings and pictures are left out, since
they rarely contain sentences. Every step is linear in the length of the page, also if brackets are left open.

Blocks of text of a web page, with their links to Wikipedia.

A block is a unit that a browser sets apart: a paragraph, a list item, a table cell, or text between two empty lines.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Collection, Iterator
from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote, urljoin, urlsplit

from resiliparse.parse.html import HTMLTree, NodeType, traverse_dom

from crossdoc.read.clean_text import shallow


class WikiLink(NamedTuple):
    """Offsets of a link's anchor in its block, and the title of the page that it leads to."""

    start: int
    end: int
    title: str


class Block(NamedTuple):
    text: str
    links: tuple[WikiLink, ...]


class SpacedText:
    """Text that is collected in pieces, with single spaces."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.length = 0

    def add(self, text: str) -> None:
        piece = _SPACES.sub(" ", text)
        if piece.startswith(" ") and (not self.pieces or self.pieces[-1].endswith(" ")):
            piece = piece[1:]
        if piece:
            self.pieces.append(piece)
            self.length += len(piece)


NAMESPACES = frozenset(
    f"{name}{talk}"
    for name in ("user", "wikipedia", "file", "mediawiki", "template", "help", "category", "portal", "book", "draft",
                 "education program", "timedtext", "module", "gadget", "gadget definition", "topic")
    for talk in ("", " talk")
) | {"media", "special", "talk", "image", "image talk", "project", "project talk", "wp", "wt"}  # fmt: skip
"""Namespaces of the English Wikipedia in lower case; a dump lists its own."""
PICTURES = frozenset({"file", "image", "media"})

_NESTED = {
    "template": re.compile(r"(\{\{)|(\}\})"),
    "table": re.compile(r"(\{\|)|(\|\})"),
    "link": re.compile(r"(\[\[)|(\]\])"),
}
_FOOTNOTE = re.compile(r"<ref\b[^<>]*/>", re.IGNORECASE)
_LEFT_OUT = "ref|math|gallery|timeline|source|syntaxhighlight|code|pre|score|chem|imagemap|templatedata|table"
_ELEMENT = re.compile(rf"(<(?:{_LEFT_OUT})\b[^<>]*>)|(</(?:{_LEFT_OUT})\s*>)", re.IGNORECASE)
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_BLOCK_TAG = re.compile(r"</?(?:p|div|blockquote|center|ul|ol|li|dl|dd|dt|hr|h[1-6])\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_EXTERNAL = re.compile(r"\[(?:https?:|ftp:)?//[^\s\[\]]+[ \t]*([^\[\]\n]*)\]")
_SWITCH = re.compile(r"__[A-Z]+__")
_HEADING = re.compile(r"^=.*=\s*$")
# Small letters right after a link belong to its anchor; scripts without small letters have no such endings.
_LINK = re.compile(r"\[\[([^\[\]|\n]+)(?:\|([^\[\]\n]*))?\]\]([a-zß-öø-ÿа-џ]*)")
_ITEM = re.compile(r"^[*#:;]+\s*")
_SPACES = re.compile(r"[\s\u200e\u200f]+")
_OTHER_WIKI = re.compile(r"^[a-z][a-z-]{0,14}:\S")
_DISAMBIGUATION = re.compile(r"\{\{\s*(?:disambig|hndis|geodis|dab\s*[|}]|surname\s*[|}])", re.IGNORECASE)


def blocks(source: str, namespaces: Collection[str] = NAMESPACES) -> Iterator[Block]:
    """Yield the paragraphs and list items of a page.

    >>> for block in blocks("'''Apollo 11''' landed [[Neil Armstrong|Armstrong]] on the [[Moon]].{{cn}}"):
    ...     print(block.text, [(block.text[link.start : link.end], link.title) for link in block.links])
    Apollo 11 landed Armstrong on the Moon. [('Armstrong', 'Neil Armstrong'), ('Moon', 'Moon')]
    """
    paragraph: list[str] = []
    for line in _plain(source).split("\n"):
        item = _ITEM.match(line)
        if paragraph and (item or not line.strip() or line.startswith("=")):
            yield _block(" ".join(paragraph), namespaces)
            paragraph = []
        if item:
            yield _block(line[item.end() :], namespaces)
        elif line.strip() and not _HEADING.match(line):
            paragraph.append(line)
    if paragraph:
        yield _block(" ".join(paragraph), namespaces)


def page_title(target: str, namespaces: Collection[str] = NAMESPACES) -> str | None:
    """Return the article title of a link target or of the last part of an address; None if it is no article.

    >>> page_title("free_association_(communism)#History"), page_title("Category:Anarchism"), page_title("fr:Moi")
    ('Free association (communism)', None, None)
    """
    target = unquote(html.unescape(target)).replace("_", " ").partition("#")[0]
    title = _SPACES.sub(" ", target).strip().removeprefix(":").lstrip()
    prefix, colon, _ = title.partition(":")
    if not title or len(title) > 255 or (colon and prefix.strip().lower() in namespaces) or _OTHER_WIKI.match(title):
        return None
    return title[0].upper() + title[1:]


def is_disambiguation(source: str) -> bool:
    """Return whether a page lists the meanings of a name.

    >>> is_disambiguation("'''Mercury''' may be … {{Disambiguation}}")
    True
    """
    return _DISAMBIGUATION.search(source) is not None


def without_bracket(title: str) -> str:
    """Return a title without the bracket that distinguishes it from others of that name.

    >>> without_bracket("Mercury (planet)")
    'Mercury'
    """
    # Only the last bracket is looked at: a search for all of them takes quadratic time.
    at = title.rfind("(") if title.endswith(")") else -1
    return title[:at].rstrip() or title if at >= 0 and ")" not in title[at:-1] else title


def _plain(source: str) -> str:
    """Return the text with links and lists still marked, and all other markup removed."""
    text = _without_comments(source)
    text = _without_nested(_FOOTNOTE.sub("", text), _ELEMENT)
    text = _without_nested(text, _NESTED["template"])
    text = _without_nested(text, _NESTED["table"])
    text = _without_nested(text, _NESTED["link"], _is_picture)
    text = _EXTERNAL.sub(r"\1", _SWITCH.sub("", text))
    text = _TAG.sub("", _BLOCK_TAG.sub("\n\n", _BREAK.sub(" ", text)))
    return html.unescape(text.replace("'''''", "").replace("'''", "").replace("''", ""))


def _without_comments(text: str) -> str:
    kept, at = [], 0
    while (opened := text.find("<!--", at)) >= 0:
        kept.append(text[at:opened])
        closed = text.find("-->", opened + 4)
        at = len(text) if closed < 0 else closed + 3
    return "".join([*kept, text[at:]])


def _without_nested(text: str, marks: re.Pattern[str], wanted: Callable[[str, int], bool] | None = None) -> str:
    """Remove the text between an opening mark (group 1) and the closing one (group 2), with the marks.

    Unbalanced marks stay. `wanted` decides by the text after an opening mark whether it is removed.
    """
    spans: list[tuple[int, int]] = []
    opened: list[tuple[int, int]] = []
    for mark in marks.finditer(text):
        if mark[1] is not None:
            opened.append(mark.span())
        elif opened:
            start, after = opened.pop()
            if wanted is None or wanted(text, after):
                while spans and spans[-1][0] > start:
                    spans.pop()
                spans.append((start, mark.end()))
    kept, at = [], 0
    for start, end in spans:
        kept.append(text[at:start])
        at = end
    return "".join([*kept, text[at:]])


def _is_picture(text: str, at: int) -> bool:
    name, colon, _ = text[at : at + 20].partition(":")
    return bool(colon) and name.strip().lower() in PICTURES


def _block(marked: str, namespaces: Collection[str]) -> Block:
    """Remove the link marks, record the links' offsets and collapse white space."""
    plain, links, at = SpacedText(), list[WikiLink](), 0
    for mark in _LINK.finditer(marked):
        plain.add(marked[at : mark.start()])
        target, label, trail = mark.groups()
        at = mark.end()
        title = page_title(target, namespaces)
        if title is None and not target.strip().startswith((":", "#")) and label is None:
            # A category or a link to another language shows no text.
            plain.add(trail)
            continue
        shown = target.strip().removeprefix(":") if label is None else label.strip() or without_bracket(target.strip())
        anchor = _SPACES.sub(" ", shown + trail).strip()
        start = plain.length
        plain.add(anchor)
        if title is not None and plain.length > start:
            links.append(WikiLink(start, plain.length, title))
    plain.add(marked[at:])
    return Block("".join(plain.pieces).rstrip(), tuple(links))


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
