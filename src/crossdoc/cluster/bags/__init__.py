"""The bag model: mentions against the bags of words and names of entities. Start with `BagClustering`."""

from crossdoc.cluster.bags.bag_clustering import BagClustering

__all__ = ["BagClustering"]
