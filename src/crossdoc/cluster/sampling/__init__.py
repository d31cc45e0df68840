"""Sampling over a factor graph: Singh, Subramanya, Pereira, McCallum 2011. Start with `SamplingClustering`."""

from crossdoc.cluster.sampling.learning import Weights, on_development_split, sample_rank, unsupervised
from crossdoc.cluster.sampling.sampling_clustering import SamplingClustering

__all__ = ["SamplingClustering", "Weights", "on_development_split", "sample_rank", "unsupervised"]
