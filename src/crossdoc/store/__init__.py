"""One resolution in one file, and its log of judgements."""

from crossdoc.store.history_table import Run
from crossdoc.store.store import Store

__all__ = ["Run", "Store"]
