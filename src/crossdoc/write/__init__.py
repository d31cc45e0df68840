"""Export of identities for other programs: FollowTheMoney, JSON-LD, GraphML, and CSV that is safe for spreadsheets."""

from crossdoc.write.entities import escape_formulas, write_ftm, write_graphml, write_json_ld, write_neo4j

__all__ = ["escape_formulas", "write_ftm", "write_graphml", "write_json_ld", "write_neo4j"]
