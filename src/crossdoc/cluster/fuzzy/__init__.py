"""Relation strengths → a soft partition: KARC, ARCA, FRC, and KXBI to find how many clusters there are."""

from crossdoc.cluster.fuzzy.arca import ARCA, FRC
from crossdoc.cluster.fuzzy.fuzzy_relational import Validity
from crossdoc.cluster.fuzzy.karc import KARC

__all__ = ["ARCA", "FRC", "KARC", "Validity"]
