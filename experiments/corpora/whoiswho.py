"""WhoIsWho (Chen et al., KDD 2023): papers of ambiguous author names.

`train_author.json` has the papers of each author of each name, `train_pub.json` the papers; the validation set is
`sna_valid_ground_truth.json` and `sna_valid_pub.json`. The corpus consists of profiles as ArnetMiner's does, with
abstract and keywords. Ids are NAME/PAPER and the group in the gold is NAME.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from corpora.annotations import check_part, corpus_file, gold_table, read_utf8
from crossdoc import errors
from crossdoc.model import Profile, Relation

WHOISWHO_PARTS = {"train": "train_author.json", "valid": "sna_valid_ground_truth.json"}
"""Part → the file that says whose papers are whose."""


def profiles(folder: Path, part: str | None = None) -> Iterator[Profile]:
    """Yield one profile per paper and name."""
    for path in _labels(folder, part):
        papers = _read(corpus_file(path.parent, re.sub(r"_(author|ground_truth)\.json$", "_pub.json", path.name)))
        for name, _, id in _written(path):
            yield _profile(name, f"{name}/{id}", papers[id])


def gold(folder: Path, part: str | None = None) -> pa.Table:
    """Return `id, entity, group`: the author of each paper."""
    rows = (
        (f"{name}/{id}", f"{name}/{author}", name)
        for path in _labels(folder, part)
        for name, author, id in _written(path)
    )
    return gold_table(rows, groups=True)


def _labels(folder: Path, part: str | None) -> list[Path]:
    check_part(part, tuple(WHOISWHO_PARTS))
    if not folder.is_dir():
        raise errors.no_such_path(folder)
    wanted = [name for own, name in WHOISWHO_PARTS.items() if part in (None, own)]
    found = [path for name in wanted for path in sorted(folder.rglob(name))]
    if not found:
        raise errors.nothing_to_read(folder, wanted)
    return found


def _read(path: Path) -> dict[str, Any]:
    return json.loads(read_utf8(path))


def _written(path: Path) -> Iterator[tuple[str, str, str]]:
    """Yield name, author and paper, each paper of a name once. Authors without ids are numbered."""
    for name, authors in _read(path).items():
        seen = set()
        for author, papers in authors.items() if isinstance(authors, dict) else enumerate(authors):
            for id in papers:
                if id not in seen:
                    seen.add(id)
                    yield name, str(author), id


def _profile(name: str, id: str, paper: Mapping[str, Any]) -> Profile:
    own: Mapping[str, Any] = {}
    relations = []
    for author in paper.get("authors") or ():
        if not own and _words(author.get("name")) == _words(name):
            own = author
        elif author.get("name"):
            relations.append(Relation("list", author["name"]))
    if own.get("org"):
        relations.append(Relation("employment", own["org"]))
    parts = [paper.get("title"), paper.get("venue"), paper.get("abstract"), ", ".join(paper.get("keywords") or ())]
    year = str(paper.get("year") or "")
    shown = own.get("name") or name.replace("_", " ").title()
    return Profile(
        id, id, shown, "person", ". ".join(each.rstrip(". ") for each in parts if each), "en",
        {"written": [year]} if year else {}, tuple(relations),
    )  # fmt: skip


def _words(name: str | None) -> list[str]:
    """Return the words of a name in no order: papers have surnames first or last.

    >>> _words("Haifeng Qian") == _words("qian_haifeng"), _words("Hai-Feng QIAN")
    (True, ['haifeng', 'qian'])
    """
    plain = (name or "").lower().replace("-", "").replace("'", "")
    return sorted(re.findall(r"[^\W_]+", plain))
