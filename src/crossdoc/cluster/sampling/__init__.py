"""Sampling over a factor graph: Singh, Subramanya, Pereira, McCallum 2011. Start with `SamplingClustering`."""

from crossdoc.cluster.sampling.learning import Weights, sample_rank, unsupervised
from crossdoc.cluster.sampling.sampling_clustering import SamplingClustering

__all__ = ["SamplingClustering", "Weights", "sample_rank", "unsupervised"]
