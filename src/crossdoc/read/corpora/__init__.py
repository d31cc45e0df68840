"""Readers of published benchmark corpora, one small file each: documents and gold in crossdoc's own terms.

Each has `documents(folder)`, an iterator of `Document`, and `gold(folder)`, a table `id, entity` (with `group` where
the corpus has several ambiguous names).
"""

from types import ModuleType

from crossdoc.read.corpora import aida, john_smith, weps

CORPORA: dict[str, ModuleType] = {"aida": aida, "john-smith": john_smith, "weps": weps}

__all__ = ["CORPORA", "aida", "john_smith", "weps"]
