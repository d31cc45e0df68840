"""Data types exchanged by the stages: Document, Mention, Profile, Evidence, Judgement, Partition, Identity.

Tables hold millions of rows (`Documents`, `Mentions`, `Profiles`: Arrow under the hood); a person reads a light typed
view of one row. Objects made by hand are checked; views of a table's rows show what the table holds.
"""

# ruff: noqa: I001 - a name that is exported is imported as itself

from crossdoc.model.evidence_protocol import (
    Constraints as Constraints,
    Evidence as Evidence,
    Relations as Relations,
    Vectors as Vectors,
)
from crossdoc.model.identity import (
    Appearance as Appearance,
    Facts as Facts,
    Identity as Identity,
    KnownEntry as KnownEntry,
    Member as Member,
)
from crossdoc.model.partition import Partition as Partition
from crossdoc.model.rows import (
    ENTITY_TYPES as ENTITY_TYPES,
    VERDICTS as VERDICTS,
    Document as Document,
    Documents as Documents,
    EntityType as EntityType,
    FloatArray as FloatArray,
    IntArray as IntArray,
    Judgement as Judgement,
    Mention as Mention,
    MentionKind as MentionKind,
    Mentions as Mentions,
    Profile as Profile,
    Profiles as Profiles,
    Relation as Relation,
    Table as Table,
    Verdict as Verdict,
    rows_of as rows_of,
    view_of as view_of,
)
