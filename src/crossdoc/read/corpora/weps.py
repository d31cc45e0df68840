"""WePS-1, web people search (Artiles, Gonzalo & Sekine 2007, doi:10.3115/1621474.1621486): search results for a name.

Document ids are NAME/RANK and the gold's group is NAME. Where the pages are not to be had (the test set), the search
engine's title and snippet stand for them.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from crossdoc import errors
from crossdoc.model import Document
from crossdoc.read.text import NotText, decode, html_to_text, tidy


def names(folder: Path) -> list[str]:
    """The ambiguous names, as in the file names (``David_Lodge``)."""
    found = sorted(path.stem for path in (folder / "description_files").glob("*.xml"))
    if not found:
        raise errors.nothing_to_read(folder, ["description_files/NAME.xml"])
    return found


def documents(folder: Path, name: str | None = None) -> Iterator[Document]:
    for each in [name] if name else names(folder):
        for doc in _parsed(folder / "description_files" / f"{each}.xml").iter("doc"):
            rank = _rank(doc, each)
            title = doc.get("title") or doc.findtext("title")
            page = folder / "web_pages" / each / "raw" / f"{rank:03d}" / "index.html"
            text, page_title = _page_text(page)
            title = title or page_title
            if not text:
                text = tidy("\n".join(filter(None, [title, doc.get("snippet") or doc.findtext("snippet")])))
            yield Document(f"{each}/{rank}", text, title, "en", source=doc.get("url"))


def _page_text(page: Path) -> tuple[str, str | None]:
    try:
        return html_to_text(decode(page.read_bytes(), html=True))
    except (FileNotFoundError, NotText):
        return "", None


def gold(folder: Path, annotation: str = "official_annotation") -> pa.Table:
    """`id, entity, group`; a document may belong to several people, discarded documents are left out."""
    truth = folder / "truth_files"
    files = sorted((truth / annotation).glob("*.clust.xml")) or sorted(truth.glob("*.clust.xml"))
    if not files:
        raise errors.nothing_to_read(folder, ["truth_files/NAME.clust.xml"])
    rows = [
        (f"{name}/{_rank(doc, name)}", f"{name}/{number}", name)
        for name, tree in ((path.name.removesuffix(".clust.xml"), _parsed(path)) for path in files)
        for number, entity in enumerate(tree.iter("entity"))
        for doc in entity.iter("doc")
    ]
    columns = {name: [row[at] for row in rows] for at, name in enumerate(("id", "entity", "group"))}
    return pa.table(columns, schema=pa.schema([(name, pa.string()) for name in columns]))


def _rank(doc: ET.Element, name: str) -> int:
    rank = doc.get("rank", "")
    if not rank.isdigit():
        raise errors.unreadable(name, f"a document has the rank {rank!r}")
    return int(rank)


def _parsed(path: Path) -> ET.Element:
    if not path.exists():
        raise errors.no_such_path(path)
    text = decode(path.read_bytes())
    try:
        return ET.fromstring(text)
    except ET.ParseError:
        # Some descriptions hold bare ampersands and control characters.
        mended = re.sub(r"&(?!#?\w+;)", "&amp;", tidy(text))
        try:
            return ET.fromstring(re.sub(r"^<\?xml[^>]*\?>", "", mended))
        except ET.ParseError as error:
            raise errors.unreadable(path, str(error)) from error
