"""Documents, profiles and tables in, from files of every kind that `crossdoc formats` lists."""

from crossdoc.read.documents import DocumentReader
from crossdoc.read.profiles import read_all_profiles, read_profiles
from crossdoc.read.records import Input, sources_of
from crossdoc.read.small_tables import read_answer, read_edges, read_gold, read_judgements, read_known
from crossdoc.read.sources import Source, find_sources

__all__ = [
    "DocumentReader",
    "Input",
    "Source",
    "find_sources",
    "read_all_profiles",
    "read_answer",
    "read_edges",
    "read_gold",
    "read_judgements",
    "read_known",
    "read_profiles",
    "sources_of",
]
