"""A graph by itself, clustered: edges with strengths or signed weights in, a partition out (`crossdoc cluster`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NoReturn, get_args

import numpy as np
import numpy.typing as npt

from crossdoc import errors
from crossdoc.cluster.clusterer import EVEN, Clusterer, Method, Work
from crossdoc.cluster.methods import DEFAULT, clusterer, usable
from crossdoc.model import Partition, Relations, Vectors
from crossdoc.model.evidence_protocol import Constraints

Missing = Literal["complete", "sparse"]
JUST_ABOVE_ZERO = 1e-12


@dataclass(frozen=True)
class GraphEvidence:
    """Evidence of a graph: the relations of its nodes, without names or contexts."""

    ids: npt.NDArray[np.object_]
    given: Relations
    constraints: Constraints
    entity_type: str | None = None
    names: list[str] | None = None
    even: float | None = None
    same_name: float = 0.0

    def __len__(self) -> int:
        return self.given.n

    @property
    def limits(self) -> Constraints:
        return self.constraints

    def relations(self) -> Relations:
        return self.given

    candidates = relations

    def components(self) -> list[npt.NDArray[np.int64]]:
        return [np.arange(len(self))]

    blocks = components

    def same_spelling(self) -> list[str]:
        return list(self.ids)

    def part(self, rows: npt.NDArray[Any]) -> NoReturn:
        raise errors.no_such_evidence("parts")

    @property
    def vectors(self) -> Vectors:
        raise errors.no_such_evidence("contexts")

    def agreeing(self, names: Sequence[str]) -> NoReturn:
        raise errors.no_such_evidence("names")


@dataclass(frozen=True)
class GraphAnswer:
    """The partition of a graph's nodes, what its method says of itself, and the strength at which it joined."""

    partition: Partition
    facts: Mapping[str, Any]
    notes: tuple[str, ...]
    threshold: float | None
    """None for signed weights, and for methods that have none."""
    missing: Missing


def graph_methods() -> list[str]:
    """The methods that need nothing but relations."""
    return [method.name for method in usable() if _takes_graphs(method)]


def _takes_graphs(method: Method) -> bool:
    return method.takes in ("relations", "nothing")


def cluster_graph(
    relations: Relations,
    ids: Sequence[str] | npt.NDArray[Any],
    method: str | Any = DEFAULT,
    *,
    signed: bool = False,
    threshold: float | None = None,
    bias: float | None = None,
    missing: Missing | None = None,
    time_limit: float | None = None,
    seed: int = 0,
    constraints: Constraints | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> GraphAnswer:
    """Cluster the nodes of a graph.

    Parameters
    ----------
    relations : Relations
        The edges.
    ids : sequence of str or ndarray
        The id of each node.
    method : str or Any, default "mean-max-linkage"
        A method's name, or an estimator.
    signed : bool, default False
        The relations are weights, joined while they are above 0; else strengths in [0, 1].
    threshold : float or None, default None
        Clusters at least this similar are one.
    bias : float or None, default None
        A strength becomes the weight strength − bias.
    missing : {"complete", "sparse"} or None, default None
        A pair without an edge is as different as can be (complete, the default) or says nothing
        (sparse).
    time_limit : float or None, default None
        Seconds after which the best answer so far is taken.
    seed : int, default 0
        Random seed.
    constraints : Constraints or None, default None
        What must and must not be together.
    parameters : mapping[str, Any] or None, default None
        Further parameters of the method.

    Returns
    -------
    GraphAnswer
        `.partition`, and how it came about.

    Examples
    --------
    >>> edges = Relations(3, np.array([0, 1], np.int32), np.array([1, 2], np.int32), np.array([0.9, 0.2], np.float32))
    >>> cluster_graph(edges, ["a", "b", "c"]).partition.labels.tolist()
    [0, 0, 1]
    """
    if missing not in (None, *get_args(Missing)):
        raise errors.unknown_choice("rule for missing pairs", str(missing), get_args(Missing))
    for name, value in (("threshold", threshold), ("bias", bias)):
        if value is not None and not 0 <= value <= 1:
            raise errors.bad_settings(name, ["strengths lie between 0 and 1, and so must this"])
    if threshold is not None and bias is not None:
        raise errors.one_of_two("A threshold", "a bias")
    cut = threshold if threshold is not None else bias
    if signed and cut is not None:
        raise errors.not_usable_with("A threshold or a bias", "signed weights", "strengths in [0, 1]")
    chosen = clusterer(method, parameters, threshold=cut, time_limit=time_limit)
    if not _takes_graphs(chosen.method):
        raise errors.unknown_choice("method", chosen.name, graph_methods())
    if signed and chosen.threshold in chosen.parameters:
        raise errors.not_usable_with("A threshold or a bias", "signed weights", "strengths in [0, 1]")
    if missing is not None and "missing" in chosen.parameters:
        raise errors.one_of_two("A rule for missing pairs", f"missing of {chosen.name}")
    missing = missing or chosen.parameters.get("missing", "complete")
    at = chosen.parameters.get(chosen.threshold or "", EVEN)
    given, filled = _joinable(chosen, relations, at, missing, signed, bias is not None)
    evidence = GraphEvidence(np.asarray(ids, dtype=object), given, constraints or Constraints.none(relations.n))
    work = Work(max_rows=max(relations.n, 1))
    # A graph is one problem, not one of thousands: correlation takes its time and proves how good its answer is.
    found = chosen.filled(filled, over=True).partition(evidence, work, random_state=seed, certificate=True)
    threshold_used = None if signed or chosen.threshold is None else at
    return GraphAnswer(Partition(evidence.ids, found.membership), found.facts, found.notes, threshold_used, missing)


def _joinable(
    chosen: Clusterer, given: Relations, cut: float, missing: Missing, signed: bool, weighed: bool
) -> tuple[Relations, dict[str, Any]]:
    """The relations to cluster, and the parameters that say how; a pair not compared takes its stated value."""
    method, parameter = chosen.method, chosen.threshold
    if "missing" in method.parameters:
        # The method knows of weights and missing pairs by itself.
        return given, {"missing": missing, **({} if parameter is None else {parameter: None if signed else cut})}
    if signed:
        return given, {} if parameter is None else {parameter: JUST_ABOVE_ZERO}
    if weighed and method.signed:
        weights = given.strength - np.float32(cut)
        default = -cut if missing == "complete" else 0.0
        stop = {} if parameter is None else {parameter: JUST_ABOVE_ZERO}
        return Relations(given.n, given.left, given.right, weights, default), stop
    default = 0.0 if missing == "complete" else float(np.nextafter(np.float32(cut), np.float32(0)))
    stop = {} if parameter is None else {parameter: cut}
    return Relations(given.n, given.left, given.right, given.strength, default), stop
