"""Export of identities for other programs: FollowTheMoney, JSON-LD, GraphML, and CSV that is safe for spreadsheets."""

from crossdoc.write.entities import write_ftm, write_json_ld
from crossdoc.write.graphml import write_graphml
from crossdoc.write.spreadsheets import escape_formulas

__all__ = ["escape_formulas", "write_ftm", "write_graphml", "write_json_ld"]
