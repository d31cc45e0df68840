"""Inventors of American patents, hand-disambiguated in part (Binette et al. 2023, doi:10.1080/2330443X.2023.2191664).

`mentions.parquet` has one row for each inventor of a patent. The rows are profiles, so nothing is extracted.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from corpora.annotations import corpus_file
from crossdoc.model import Profile, Relation

PATENT_COLUMNS = [
    "mention_id",
    "patent_id",
    "raw_inventor_name_first",
    "raw_inventor_name_last",
    "raw_city",
    "raw_state",
    "raw_country",
    "patent_title",
    "patent_abstract",
    "raw_assignee_organization",
    "cpc_group",
    "coinventor_name_first",
    "coinventor_name_last",
]


def _join_name(first: str | None, last: str | None) -> str:
    return " ".join(f"{first or ''} {last or ''}".split())


def profiles(folder: Path) -> Iterator[Profile]:
    """Yield one profile per inventor of a patent, with co-inventors, assignee, place and classes.

    The context is the title and the abstract of the patent.
    """
    path = corpus_file(folder, "mentions.parquet")
    ids = pq.read_table(path, columns=["mention_id", "patent_id", "raw_inventor_name_first", "raw_inventor_name_last"])
    of_patent = {
        (patent, _join_name(first, last)): id for id, patent, first, last in zip(*ids.to_pydict().values(), strict=True)
    }
    for batch in pq.ParquetFile(path).iter_batches(columns=PATENT_COLUMNS, batch_size=4096):
        for row in batch.to_pylist():
            yield _profile(row, of_patent)


def _profile(row: dict[str, Any], of_patent: dict[tuple[str, str], str]) -> Profile:
    patent, name = row["patent_id"], _join_name(row["raw_inventor_name_first"], row["raw_inventor_name_last"])
    firsts, lasts = row["coinventor_name_first"] or [], row["coinventor_name_last"] or []
    inventors = [_join_name(first, last) for first, last in zip(firsts, lasts, strict=True)]
    if name in inventors:
        inventors.remove(name)
    colleagues = [Relation("list", other, of_patent.get((patent, other))) for other in inventors if other]
    employers = [Relation("employment", employer) for employer in row["raw_assignee_organization"] or [] if employer]
    place = ", ".join(filter(None, (row["raw_city"], row["raw_state"], row["raw_country"])))
    home = [Relation("resident", place)] if place else []
    # The first four characters are the subclass, such as H04N; the rest is finer than people's careers.
    classes = list(dict.fromkeys(group[:4] for group in row["cpc_group"] or [] if group))
    text = " ".join(f"{row['patent_title'] or ''}. {row['patent_abstract'] or ''}".split())
    attributes = {"cpc": classes} if classes else {}
    return Profile(row["mention_id"], patent, name, "person", text, "en", attributes, (*colleagues, *employers, *home))


def gold(folder: Path) -> pa.Table:
    """Return `id, entity` of the inventors that were disambiguated by hand."""
    table = pq.read_table(corpus_file(folder, "reference.parquet"), columns=["mention_id", "unique_id"])
    return table.rename_columns(["id", "entity"])
