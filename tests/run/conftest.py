"""Inputs of the runs that are tested: tables of people, documents of one mention each."""

import pytest

from crossdoc.read import slices

from .common import FIRMS, PEOPLE, people
from .common import write as write_lines


@pytest.fixture
def table(write, monkeypatch):
    monkeypatch.setattr(slices, "TABLE_ROWS", 25)
    return write("people.parquet", people()[0])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Documents of one name, one in a part; one more cannot be read, and one does not have the name."""
    monkeypatch.setattr(slices, "TEXT_ROWS", 1)
    where = tmp_path / "docs"
    where.mkdir()
    for n in range(4):
        (where / f"{n}.txt").write_text(f"Ann Lee {'raced cars in Monza' if n % 2 else 'painted birds'} on day {n}.")
    (where / "4.txt").write_bytes(b"\x00\x01\x02\xff\xfe" * 200)
    (where / "5.txt").write_text("Bob Ray sang.")
    return where


@pytest.fixture
def mentioned(tmp_path):
    """Documents of one mention each, of people and firms: o0 … o3, p0 … p4."""
    records = []
    for kind, named in (("person", PEOPLE), ("organisation", FIRMS)):
        for i, (name, context) in enumerate(named):
            mention = {"id": f"{kind[0]}{i}", "start": 0, "end": len(name), "type": kind}
            text = f"{name} {context}"
            records.append({"id": f"d-{kind[0]}{i}", "text": text, "language": "en", "mentions": [mention]})
    return write_lines(tmp_path / "mentioned.jsonl", records)


@pytest.fixture
def rows(tmp_path):
    """Profiles of the same people and firms."""
    records = [
        {"id": f"{kind[0]}{i}", "document": f"d{i}", "name": name, "type": kind, "context": context}
        for kind, named in (("person", PEOPLE), ("organisation", FIRMS))
        for i, (name, context) in enumerate(named)
    ]
    return write_lines(tmp_path / "rows.jsonl", records)
