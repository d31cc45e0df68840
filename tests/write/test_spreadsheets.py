"""Cells that begin as a formula does."""

import pyarrow as pa
import pytest

from crossdoc.write import escape_formulas


@pytest.mark.parametrize("sign", [*"=+-@\t\r\n＝＋－＠"])
def test_every_sign_that_begins_a_formula(sign):
    batch = pa.record_batch(
        {"name": [f"{sign}1", f"a{sign}1", "", None], "large": pa.array([sign] * 4, pa.large_string())}
    )
    safe, changed = escape_formulas(batch)
    assert safe.to_pydict() == {"name": [f"'{sign}1", f"a{sign}1", "", None], "large": [f"'{sign}"] * 4}
    assert (changed, safe.schema) == (5, batch.schema)


def test_numbers_are_no_danger():
    batch = pa.record_batch({"score": [-1.5, 2.0], "n": [-3, 4]})
    assert escape_formulas(batch) == (batch, 0)
