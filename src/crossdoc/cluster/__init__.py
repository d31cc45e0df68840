"""Evidence → partition. The estimators and stopping rules of the papers, each imported when it is first used."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crossdoc.cluster.bags import BagClustering
    from crossdoc.cluster.contexts.context_clustering import ContextClustering
    from crossdoc.cluster.contexts.stopping import gap, pk1, pk2, pk3
    from crossdoc.cluster.correlation import CorrelationClustering
    from crossdoc.cluster.fuzzy import ARCA, FRC, KARC
    from crossdoc.cluster.graph_clustering import cluster_graph
    from crossdoc.cluster.hierarchical import LinkageClustering
    from crossdoc.cluster.sampling import SamplingClustering

__all__ = [
    "ARCA",
    "FRC",
    "KARC",
    "BagClustering",
    "ContextClustering",
    "CorrelationClustering",
    "LinkageClustering",
    "SamplingClustering",
    "cluster_graph",
    "gap",
    "pk1",
    "pk2",
    "pk3",
]

_HOMES = {
    "bags": ["BagClustering"],
    "contexts.context_clustering": ["ContextClustering"],
    "contexts.stopping": ["gap", "pk1", "pk2", "pk3"],
    "correlation": ["CorrelationClustering"],
    "fuzzy": ["ARCA", "FRC", "KARC"],
    "graph_clustering": ["cluster_graph"],
    "hierarchical": ["LinkageClustering"],
    "sampling": ["SamplingClustering"],
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'crossdoc.cluster' has no attribute {name!r}")
    value = getattr(import_module(f"crossdoc.cluster.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
