"""One resolution in one file, and its log of judgements."""

from crossdoc.store.store import Run, Score, Store

__all__ = ["Run", "Score", "Store"]
