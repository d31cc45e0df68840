"""crossdoc: who is who across documents.

The public names, each imported when it is first used, so that `crossdoc --help` need not wait for spaCy and numba.
`crossdoc.open` is one of them too, but `from crossdoc import *` leaves Python's own `open` alone.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crossdoc.cluster.bags import BagClustering
    from crossdoc.cluster.clusterer import Method
    from crossdoc.cluster.contexts.context_clustering import ContextClustering
    from crossdoc.cluster.contexts.stopping import gap, pk1, pk2, pk3
    from crossdoc.cluster.correlation import CorrelationClustering
    from crossdoc.cluster.fuzzy import ARCA, FRC, KARC
    from crossdoc.cluster.graph_clustering import cluster_graph
    from crossdoc.cluster.hierarchical import LinkageClustering, MeanMaxClustering
    from crossdoc.cluster.sampling import SamplingClustering
    from crossdoc.compare.blocking import blocking_report, candidates
    from crossdoc.compare.neighbours import context_neighbours
    from crossdoc.compare.specialists import Specialist, specialist
    from crossdoc.compare.specialists.base import attribute_rows
    from crossdoc.compare.training import train
    from crossdoc.compare.vectors import ContextVectoriser
    from crossdoc.constraints import Constraints
    from crossdoc.crosslingual import ArticleGroup, LinkDetector, link_groups
    from crossdoc.errors import CrossdocError
    from crossdoc.evaluation import score
    from crossdoc.extract import Extractor
    from crossdoc.model import (
        Document,
        Documents,
        Evidence,
        Identity,
        Judgement,
        Member,
        Mention,
        Mentions,
        Partition,
        Profile,
        Profiles,
        Relation,
        Relations,
        Vectors,
    )
    from crossdoc.pipeline import Resolver, resolve, write_extracted
    from crossdoc.resolution import Resolution
    from crossdoc.run.one_name import cluster_contexts_of
    from crossdoc.scoring import Assignment, Scores
    from crossdoc.settings import Settings
    from crossdoc.stages import (
        cluster_evidence,
        compare_profiles,
        describe_partition,
        extract_profiles,
        read_documents,
    )
    from crossdoc.version import __version__

    open = Resolution.open

__all__ = [
    "ARCA",
    "FRC",
    "KARC",
    "ArticleGroup",
    "Assignment",
    "BagClustering",
    "Constraints",
    "ContextClustering",
    "ContextVectoriser",
    "CorrelationClustering",
    "CrossdocError",
    "Document",
    "Documents",
    "Evidence",
    "Extractor",
    "Identity",
    "Judgement",
    "LinkDetector",
    "LinkageClustering",
    "MeanMaxClustering",
    "Member",
    "Mention",
    "Mentions",
    "Method",
    "Partition",
    "Profile",
    "Profiles",
    "Relation",
    "Relations",
    "Resolution",
    "Resolver",
    "SamplingClustering",
    "Scores",
    "Settings",
    "Specialist",
    "Vectors",
    "__version__",
    "attribute_rows",
    "blocking_report",
    "candidates",
    "cluster_contexts_of",
    "cluster_evidence",
    "cluster_graph",
    "compare_profiles",
    "context_neighbours",
    "describe_partition",
    "extract_profiles",
    "gap",
    "link_groups",
    "pk1",
    "pk2",
    "pk3",
    "read_documents",
    "resolve",
    "score",
    "specialist",
    "train",
    "write_extracted",
]

_HOMES = {
    "cluster.bags": ["BagClustering"],
    "cluster.contexts.context_clustering": ["ContextClustering"],
    "cluster.contexts.stopping": ["gap", "pk1", "pk2", "pk3"],
    "cluster.correlation": ["CorrelationClustering"],
    "cluster.fuzzy": ["ARCA", "FRC", "KARC"],
    "cluster.graph_clustering": ["cluster_graph"],
    "cluster.hierarchical": ["LinkageClustering", "MeanMaxClustering"],
    "cluster.clusterer": ["Method"],
    "cluster.sampling": ["SamplingClustering"],
    "compare.blocking": ["blocking_report", "candidates"],
    "compare.neighbours": ["context_neighbours"],
    "compare.specialists": ["Specialist", "specialist"],
    "compare.specialists.base": ["attribute_rows"],
    "compare.training": ["train"],
    "compare.vectors": ["ContextVectoriser"],
    "constraints": ["Constraints"],
    "crosslingual": ["ArticleGroup", "LinkDetector", "link_groups"],
    "errors": ["CrossdocError"],
    "evaluation": ["score"],
    "extract": ["Extractor"],
    "model": ["Document", "Documents", "Evidence", "Identity", "Judgement", "Member", "Mention", "Mentions",
              "Partition", "Profile", "Profiles", "Relation", "Relations", "Vectors"],
    "run.one_name": ["cluster_contexts_of"],
    "pipeline": ["Resolver", "resolve", "write_extracted"],
    "resolution": ["Resolution"],
    "scoring": ["Assignment", "Scores"],
    "settings": ["Settings"],
    "stages": ["cluster_evidence", "compare_profiles", "describe_partition", "extract_profiles", "read_documents"],
    "version": ["__version__"],
}  # fmt: skip
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name == "open":
        value = import_module("crossdoc.resolution").Resolution.open
    elif name in _HOME:
        value = getattr(import_module(f"crossdoc.{_HOME[name]}"), name)
    else:
        raise AttributeError(f"module 'crossdoc' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "open"})
