"""Contexts of one ambiguous name or word → clusters, their number found, and their descriptions.

The Python side of `crossdoc contexts`: `cluster_contexts_of("line.jsonl").summary()`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from crossdoc import errors
from crossdoc.cluster.contexts.context_clustering import DEFAULT_RULE, ClusterWords, ContextClustering, cluster_words
from crossdoc.cluster.contexts.stopping import GapDecision, stopping_figure
from crossdoc.compare.context_vectors import ContextVectors
from crossdoc.model import Judgement, Partition, Profiles
from crossdoc.model.evidence_protocol import Constraints
from crossdoc.progress import Progress, Quiet
from crossdoc.read import find_sources, read_all_profiles, read_judgements
from crossdoc.read.context_files import is_matrix, read_contexts, read_matrix
from crossdoc.read.documents import holds_profiles
from crossdoc.read.sources import check_file, kind_of
from crossdoc.store import Store

AnyPath = str | os.PathLike[str]


@dataclass(frozen=True)
class NameContexts:
    """The contexts of one name: profiles, or a matrix of vectors."""

    ids: list[str]
    profiles: Profiles | None = None
    matrix: Any = None
    notes: tuple[str, ...] = ()


class ContextCluster(NamedTuple):
    """One cluster: its size, the id and the text of the context nearest to its centre, and its words."""

    size: int
    representative: str
    text: str | None
    words: ClusterWords | None


@dataclass(frozen=True)
class NameClusters:
    """Result of `cluster_contexts_of`: the contexts, the fitted clusterer, and the clusters' words."""

    contexts: NameContexts
    clusterer: ContextClustering
    words: list[ClusterWords] | None

    @property
    def partition(self) -> Partition:
        return Partition(self.contexts.ids, self.clusterer.partition_.membership)

    @property
    def clusters(self) -> list[ContextCluster]:
        sizes = np.bincount(self.clusterer.labels_, minlength=self.clusterer.n_clusters_).tolist()
        ids, profiles = self.contexts.ids, self.contexts.profiles
        return [
            ContextCluster(
                size,
                ids[row],
                None if profiles is None else profiles[row].context,
                None if self.words is None else self.words[cluster],
            )
            for cluster, (size, row) in enumerate(zip(sizes, self.clusterer.representatives_.tolist(), strict=True))
        ]

    def figure(self) -> str:
        """The criterion and what the stopping rules make of it, as SVG."""
        found = self.clusterer
        minimised = found.criterion == "e1"
        return stopping_figure(found.criterion, found.criterion_, found.first_k_, found.stopping_, minimised=minimised)

    def summary(self) -> dict[str, Any]:
        """All of it as JSON takes it."""
        found = self.clusterer
        summary: dict[str, Any] = {
            "contexts": len(self.contexts.ids),
            "clusters": [
                {
                    "size": each.size,
                    "representative": each.representative,
                    **(each.words._asdict() if each.words else {}),
                }
                for each in self.clusters
            ],
            "k": found.n_clusters_,
            "first_k": found.first_k_,
            "delta_k": found.delta_k_,
            "criterion": found.criterion_.tolist(),
            "stopping": {rule: decision.k for rule, decision in found.stopping_.items()},
            "notes": list(self.contexts.notes),
        }
        gap = found.stopping_.get("gap")
        if isinstance(gap, GapDecision):
            summary["gap"] = {"values": gap.value.tolist(), "intervals": gap.interval.tolist(), "support": gap.support}
        return summary


def cluster_contexts_of(
    contexts: AnyPath | Profiles,
    clusterer: ContextClustering | None = None,
    vectors: ContextVectors | None = None,
    *,
    name: str | None = None,
    window: int | None = None,
    constraints: Sequence[Judgement] | AnyPath = (),
    progress: Progress | None = None,
) -> NameClusters:
    """Cluster the contexts of one name or word, and find the number of clusters.

    Parameters
    ----------
    contexts : path or Profiles
        Profiles, or a file of contexts, profiles or a matrix, or a .crossdoc file.
    clusterer : ContextClustering or None, default None
        How to cluster. Left out, or with the stopping rule None: the number is found by the rule calibrated where
        texts are weighted by the background, else by pk3.
    vectors : ContextVectors or None, default None
        What the vectors of texts are made of; a matrix has its own.
    name : str or None, default None
        For profiles of several names: the name to cluster.
    window : int or None, default None
        For texts with a marked target: the words on each side of it to keep.
    constraints : sequence of Judgement or path, default ()
        Judgements that the answer must respect, or a file of them.
    progress : Progress or None, default None
        Where progress is reported; None reports nothing.

    Returns
    -------
    NameClusters
        The partition, and size, words and representative of each cluster.

    Examples
    --------
    >>> from crossdoc.model import Profile
    >>> texts = ["a car engine", "the engine of a car", "engine and car", "squid at sea", "a squid", "sea and squid"]
    >>> profiles = Profiles.of(Profile(f"p{row}", "", "Smith", context=text) for row, text in enumerate(texts))
    >>> found = cluster_contexts_of(profiles)
    >>> [(each.size, each.words.describing[:2]) for each in found.clusters]
    [(3, ['car', 'engine']), (3, ['squid', 'sea'])]
    """
    near_target = window is not None or (vectors is not None and vectors.kind == "target")
    given = read_name_contexts(contexts, name, window, near_target=near_target)
    if vectors is not None and given.profiles is None:
        raise errors.only_for("Each of --vectors, --svd, --stop-list and the options of pairs of words", "text")
    limits = _limits(constraints, given.ids)
    fitted, made_of = clone(clusterer or ContextClustering(stop=None)), vectors or ContextVectors()
    if fitted.stop is None:
        # Even odds are known only for texts weighted by the background.
        weighted = given.profiles is not None and made_of.kind == "background" and made_of.dimensions is None
        fitted.set_params(stop="calibrated" if weighted and fitted.delta is None else DEFAULT_RULE)
    (progress or Quiet()).start(f"clustering {len(given.ids):,} contexts")
    rows = given.matrix if given.profiles is None else made_of.of(given.profiles)
    fitted.fit(rows, constraints=limits)
    return NameClusters(given, fitted, _words(given.profiles, fitted))


def read_name_contexts(
    contexts: AnyPath | Profiles,
    name: str | None = None,
    window: int | None = None,
    *,
    near_target: bool = False,
) -> NameContexts:
    """The contexts of one name, whatever kind of file they are in; with `near_target` each must have its target marked.

    An option that the kind of input has no use for is an error.
    """
    profiles, where = (contexts, "The input") if isinstance(contexts, Profiles) else _profiles(Path(contexts))
    if profiles is not None:
        if window is not None:
            raise errors.only_for("--window", "text")
        kept = _of_one_name(where, profiles, name)
        return NameContexts(list(kept.ids), kept)
    path = Path(where)
    if name is not None:
        raise errors.only_for("--name", "profiles")
    if is_matrix(path):
        if window is not None:
            raise errors.only_for("--window", "text")
        matrix = read_matrix(path)
        return NameContexts([str(row) for row in range(matrix.shape[0])], None, matrix)
    return _of_texts(path, window, near_target)


def _profiles(path: Path) -> tuple[Profiles | None, AnyPath]:
    """The profiles in a result or a file, None if it is something else; and where they are from."""
    check_file(path)
    if path.suffix == ".crossdoc":
        with Store.open(path) as store:
            return store.profiles(), path
    if kind_of(path) in ("jsonl", "parquet") and holds_profiles(find_sources([path])[0]):
        return read_all_profiles([path]), path
    return None, path


def _of_one_name(where: AnyPath, profiles: Profiles, name: str | None) -> Profiles:
    names = [" ".join(each.split()) for each in profiles.column("name").to_pylist()]
    if name is None and len({each.casefold() for each in names}) > 1:
        raise errors.whose_profiles(where, sorted(set(names)))
    wanted = name.casefold() if name is not None else "".join(names[:1]).casefold()
    rows = np.flatnonzero([each.casefold() == wanted for each in names])
    if not len(rows):
        raise errors.not_found(name or "", where)
    # Random starts pick rows, and must not depend on the order of a file.
    return profiles.take(rows[np.argsort(profiles.ids[rows].astype(str), kind="stable")])


def _of_texts(path: Path, window: int | None, near_target: bool) -> NameContexts:
    # Random starts pick rows, and must not depend on the order of a file.
    found = sorted(read_contexts(path), key=lambda context: context.id)
    notes: tuple[str, ...] = ()
    unmarked = sum(not context.target for context in found)
    if unmarked and near_target:
        raise errors.no_target(path, unmarked)
    if unmarked:
        notes = (f"{unmarked:,} of {len(found):,} contexts have no target marked and count as whole texts",)
    if window is not None:
        found = [context.within(window) for context in found]
    profiles = Profiles.of(context.profile() for context in found)
    return NameContexts(profiles.ids.tolist(), profiles, notes=notes)


def _limits(constraints: Sequence[Judgement] | AnyPath, ids: list[str]) -> Constraints:
    if isinstance(constraints, str | os.PathLike):
        return Constraints.between(ids, read_judgements(Path(constraints)), constraints)
    return Constraints.between(ids, constraints)


def _words(profiles: Profiles | None, clusterer: ContextClustering) -> list[ClusterWords] | None:
    """The clusters' words, where there are any: a matrix has none, nor have empty contexts."""
    weighted = None if profiles is None else ContextVectors("tfidf").of(profiles)
    if weighted is None or weighted.features is None:
        return None
    return cluster_words(weighted, clusterer.labels_)
