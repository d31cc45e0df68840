"""PatentsView inventors as profiles."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from corpora import patentsview

from crossdoc.errors import UsageError
from crossdoc.model import Relation


def row(id: str, patent: str, first: str, last: str, **more: object) -> dict[str, object]:
    nothing = dict.fromkeys(patentsview.PATENT_COLUMNS)
    return {
        **nothing,
        "mention_id": id,
        "patent_id": patent,
        "raw_inventor_name_first": first,
        "raw_inventor_name_last": last,
        "coinventor_name_first": ["Ann", "Bo", "Cy"],
        "coinventor_name_last": ["Li", "Li", "Ode"],
        **more,
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [
        row(
            "US1-0",
            "1",
            "Ann",
            "Li",
            raw_city="Oslo",
            raw_country="NO",
            patent_title="A pump",
            patent_abstract=" It  pumps.",
            raw_assignee_organization=["Acme Co."],
            cpc_group=["H04N1/12", "H04N1/5", "F25B9/00"],
        ),
        row("US1-1", "1", "Bo", "Li"),
    ]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "mentions.parquet")
    gold = pa.table({"mention_id": ["US1-0"], "unique_id": ["x"]})
    pq.write_table(gold, tmp_path / "reference.parquet")
    return tmp_path


def test_profiles(folder: Path) -> None:
    ann, bo = patentsview.profiles(folder)
    assert (ann.id, ann.document, ann.name, ann.type) == ("US1-0", "1", "Ann Li", "person")
    assert ann.context == "A pump. It pumps."
    assert ann.attributes == {"cpc": ["H04N", "F25B"]}
    assert ann.relations == (
        Relation("list", "Bo Li", "US1-1"),
        Relation("list", "Cy Ode"),
        Relation("employment", "Acme Co."),
        Relation("resident", "Oslo, NO"),
    )
    assert bo.attributes == {}
    assert [relation.name for relation in bo.relations] == ["Ann Li", "Cy Ode"]


def test_gold(folder: Path) -> None:
    assert patentsview.gold(folder).to_pylist() == [{"id": "US1-0", "entity": "x"}]


def test_a_folder_without_the_files(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"mentions\.parquet"):
        list(patentsview.profiles(tmp_path))
