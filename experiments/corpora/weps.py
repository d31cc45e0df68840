"""WePS-1, web people search (Artiles, Gonzalo & Sekine 2007, doi:10.3115/1621474.1621486): search results for a name.

Document ids are NAME/RANK and the group in the gold is NAME. If a page is missing, as in the test set, the title and
snippet of the search engine are used instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element

import pyarrow as pa

from corpora.annotations import corpus_files, gold_table, parse_xml
from crossdoc import errors
from crossdoc.model import Document
from crossdoc.read.clean_text import NotText, decode, html_to_text, tidy


def names(folder: Path) -> list[str]:
    """Return the ambiguous names, as in the file names (``David_Lodge``)."""
    return [path.stem for path in corpus_files(folder, "description_files/*.xml", "description_files/NAME.xml")]


def documents(folder: Path, name: str | None = None) -> Iterator[Document]:
    """Yield the pages of all names, or of one."""
    for each in [name] if name else names(folder):
        for doc in parse_xml(folder / "description_files" / f"{each}.xml").iter("doc"):
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
    """Return `id, entity, group`; a document may be about several people, and discarded documents are left out."""
    truth = folder / "truth_files"
    files = sorted((truth / annotation).glob("*.clust.xml")) or sorted(truth.glob("*.clust.xml"))
    if not files:
        raise errors.nothing_to_read(folder, ["truth_files/NAME.clust.xml"])
    rows = [
        (f"{name}/{_rank(doc, name)}", f"{name}/{number}", name)
        for name, tree in ((path.name.removesuffix(".clust.xml"), parse_xml(path)) for path in files)
        for number, entity in enumerate(tree.iter("entity"))
        for doc in entity.iter("doc")
    ]
    return gold_table(rows, groups=True)


def _rank(doc: Element, name: str) -> int:
    rank = doc.get("rank", "")
    if not rank.isdigit():
        raise errors.unreadable(name, f"a document has the rank {rank!r}")
    return int(rank)
