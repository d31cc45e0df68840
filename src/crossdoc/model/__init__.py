"""Data types exchanged by the stages: Document, Mention, Profile, Evidence, Judgement, Partition, Identity.

Tables hold millions of rows (`Documents`, `Mentions`, `Profiles`: Arrow under the hood); a person reads a light typed
view of one row. Objects made by hand are checked; views of a table's rows show what the table holds.
"""

from crossdoc.model.evidence_protocol import Constraints, Evidence, Relations, Vectors
from crossdoc.model.identity import Appearance, Facts, Identity, KnownEntry, Member
from crossdoc.model.partition import Partition
from crossdoc.model.rows import (
    ENTITY_TYPES,
    VERDICTS,
    Document,
    Documents,
    EntityType,
    FloatArray,
    IntArray,
    Judgement,
    Mention,
    MentionKind,
    Mentions,
    Profile,
    Profiles,
    Relation,
    Table,
    Verdict,
    rows_of,
    view_of,
)

__all__ = [
    "ENTITY_TYPES",
    "VERDICTS",
    "Appearance",
    "Constraints",
    "Document",
    "Documents",
    "EntityType",
    "Evidence",
    "Facts",
    "FloatArray",
    "Identity",
    "IntArray",
    "Judgement",
    "KnownEntry",
    "Member",
    "Mention",
    "MentionKind",
    "Mentions",
    "Partition",
    "Profile",
    "Profiles",
    "Relation",
    "Relations",
    "Table",
    "Vectors",
    "Verdict",
    "rows_of",
    "view_of",
]
