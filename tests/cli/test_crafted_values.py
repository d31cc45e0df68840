"""Every column of a result with values that no run writes there: each command answers or says what is wrong with the
file; none fails by a bug, hangs, or writes half a file."""

import re

import duckdb
import pytest

from crossdoc.store.schema import TABLES

VALUES = {
    "VARCHAR": ["NULL", "''", "repeat('x', 100000)", "'a' || chr(0) || chr(27) || '[31m'", """'{"a": [1'""", "'-1'"],
    "BIGINT": ["NULL", "-1", "0", "9223372036854775807"],
    "INTEGER": ["NULL", "-1", "2147483647"],
    "DOUBLE": ["NULL", "'NaN'", "'-inf'", "-1", "1e308"],
    "BOOLEAN": ["NULL"],
}
NESTED = ["NULL", "[]", "MAP {}", "[NULL]", "MAP {'': []}", "MAP {'': NULL}", "MAP {'x': -1}", "[{'name': NULL}]"]
COLUMNS = [
    (table, *found)
    for table, columns in TABLES.items()
    for found in re.findall(r'(?:^|, )("?\w+"?) ([A-Z]+(?:\[\])?)(?=\(|,|$)', re.sub(r"\([^)]*\)", "", columns))
]


def test_every_column_is_tried():
    with duckdb.connect() as db:
        for table, columns in TABLES.items():
            db.execute(f"CREATE TABLE {table} ({columns})")
        there = db.execute("SELECT table_name, column_name FROM duckdb_columns() WHERE NOT internal").fetchall()
    assert {(table, column.strip('"')) for table, column, _ in COLUMNS} == set(there)


@pytest.fixture
def commands(tmp_path):
    """Ways of looking at a result and of changing it."""
    more = tmp_path / "more.jsonl"
    more.write_text('{"id": "d10", "text": "Ann Lee sang."}\n')
    table, linked, page = (str(tmp_path / name) for name in ("out.csv", "out.jsonld", "out.html"))
    looking = [
        ("info", "A"), ("show", "A"), ("why", "A", "d0", "d1"), ("history", "A"), ("judgements", "A"),
        ("export", "A", "--force", "-o", table), ("export", "A", "--force", "-o", linked),
        ("report", "A", "--force", "-o", page),
    ]  # fmt: skip
    return [*looking, ("judge", "A", "same", "d2", "d4"), ("undo", "A"), ("add", "A", str(more))]


@pytest.mark.slow
@pytest.mark.parametrize(("table", "column", "kind"), COLUMNS, ids=lambda given: given.strip('"'))
def test_no_value_of_a_column_is_a_bug(whole_result, tmp_path, commands, run, table, column, kind):
    path = tmp_path / "b.crossdoc"
    tried = 0
    for value in VALUES.get(kind, NESTED):
        path.write_bytes(whole_result.read_bytes())
        with duckdb.connect(str(path)) as db:
            try:
                db.execute(f"UPDATE {table} SET {column} = {value}")
            except duckdb.Error:
                continue  # A value of another type.
        tried += 1
        for command in commands:
            ran = run(*(path if word == "A" else word for word in command))
            what = (table, column, value[:40], *command[:1])
            assert ran.code in (0, 1, 2), (what, ran.err)
    assert tried
