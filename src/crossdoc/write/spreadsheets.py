"""Cells that a spreadsheet would run as a formula are written as text: ``=1+1`` becomes ``'=1+1``.

As OWASP advises (https://owasp.org/www-community/attacks/CSV_Injection): a document decides what a name is, and whoever
opens the table must not run it. Numbers stand in columns of numbers and are left as they are.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

FORMULA = "^[=+\\-@\t\r\n＝＋－＠]"


def escape_formulas(batch: pa.RecordBatch) -> tuple[pa.RecordBatch, int]:
    """Return the batch with an apostrophe before every text that begins like a formula, and their number.

    >>> safe, changed = escape_formulas(pa.record_batch({"name": ["=1+1", "Ann"], "score": [-1.5, 2.0]}))
    >>> safe.to_pydict(), changed
    ({'name': ["'=1+1", 'Ann'], 'score': [-1.5, 2.0]}, 1)
    """
    changed = 0
    for at, column in enumerate(batch.schema):
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            found = pc.fill_null(pc.match_substring_regex(batch.column(at), FORMULA), False)
            changed += found.true_count
            if found.true_count:
                # An empty joiner, so that the apostrophe is put before the text itself.
                safe = pc.binary_join_element_wise(
                    pa.scalar("'", column.type), batch.column(at), pa.scalar("", column.type)
                )
                batch = batch.set_column(at, column, pc.if_else(found, safe, batch.column(at)))
    return batch, changed
