"""Ambiguous author names (Tang et al. 2012, doi:10.1109/TKDE.2011.13): the papers of each name, labelled by author.

The corpus consists of profiles: co-authors, venue and organisation are relations, the title is the context. Ids are
NAME/PAPER and the group in the gold is NAME.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from corpora.annotations import corpus_files, gold_table, parse_xml
from crossdoc.model import Profile, Relation

_NOTHING = ("", "null")


def profiles(folder: Path) -> Iterator[Profile]:
    """Yield one profile per paper and name."""
    for name, paper in _papers(folder):
        id = f"{name}/{paper.findtext('id')}"
        title, year = paper.findtext("title") or "", paper.findtext("year") or ""
        authors = [author.strip() for author in (paper.findtext("authors") or "").split(",")]
        relations = [Relation("list", author) for author in authors if author not in ("", name)]
        venue = paper.findtext("jconf") or ""
        employer = paper.findtext("organization") or ""
        if employer not in _NOTHING:
            relations.append(Relation("employment", employer))
        attributes = {"written": [year]} if year else {}
        yield Profile(id, id, name, "person", f"{title}. {venue}", "en", attributes, tuple(relations))


def gold(folder: Path) -> pa.Table:
    """Return `id, entity, group`: the author of each paper."""
    rows = (
        (f"{name}/{paper.findtext('id')}", f"{name}/{paper.findtext('label')}", name) for name, paper in _papers(folder)
    )
    return gold_table(rows, groups=True)


def _papers(folder: Path) -> Iterator[tuple[str, ET.Element]]:
    """Yield name and paper, each paper once: a few are listed twice under one name."""
    for path in corpus_files(folder, "*.xml", "NAME.xml"):
        seen = set()
        for paper in parse_xml(path).iter("publication"):
            if paper.findtext("id") not in seen:
                seen.add(paper.findtext("id"))
                yield path.stem, paper
