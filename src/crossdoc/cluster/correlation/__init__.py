"""Correlation clustering: strengths → the partition of least disagreement, with constraints (Van Gael & Zhu 2007)."""

from crossdoc.cluster.correlation.correlation_clustering import SOLVERS, CorrelationClustering
from crossdoc.cluster.correlation.problem import CorrelationProblem, Solution, build

__all__ = ["SOLVERS", "CorrelationClustering", "CorrelationProblem", "Solution", "build"]
