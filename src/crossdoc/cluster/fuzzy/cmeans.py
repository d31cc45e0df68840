"""Restarts of the fuzzy loop and the search for C: what KARC as printed, ARCA and FRC do with their inner products."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from crossdoc.cluster.fuzzy import validity
from crossdoc.cluster.fuzzy.gram_means import Floats, FuzzyMeans, Gram, settle, spread_rows
from crossdoc.cluster.fuzzy.validity import Validity
from crossdoc.cluster.memberships import SMALLEST_MEMBERSHIP

if TYPE_CHECKING:
    from crossdoc.cluster.fuzzy.fuzzy_relational import ContractedRelation

OneCluster = Literal["reference", "paper"]
ONE_CLUSTER: tuple[OneCluster, ...] = ("reference", "paper")
Start = Literal["random", "spread"]
STARTS: tuple[Start, ...] = ("random", "spread")
MAX_CLUSTERS = 60
REFERENCES = 10
Found = tuple[Floats, float, Validity, int]


@dataclass
class CMeans:
    """Fuzzy c-means in the space that `gram` makes of a matrix of strengths."""

    gram: Callable[[Floats], Gram]
    m: float
    tol: float
    max_iter: int
    n_init: int
    start: Start
    noise: float | None
    max_clusters: int
    one_cluster: OneCluster
    full_curve: bool
    choose: validity.Choose
    random_state: int

    def run(self, given: ContractedRelation, n_clusters: int | None) -> Found:
        """Memberships, the objective, how the number of clusters was found, and the iterations of the best start."""
        gram = self.gram(given.strengths)
        random = np.random.default_rng(self.random_state)
        if n_clusters is not None or len(given.strengths) == 1:
            wanted = n_clusters or 1
            settled = self._best(gram, wanted, given.sizes, random)
            found = Validity.of(wanted, "there is one row" if n_clusters is None else "given")
        else:
            settled, found = self._search(gram, given, random)
        return self._memberships(settled), settled.objective, found, len(settled.history)

    def run_from(self, given: ContractedRelation, labels: npt.NDArray[np.int64], why: str) -> Found:
        """The same from the centres of a hard partition; rows of −1 count in none of them at first."""
        gram = self.gram(given.strengths)
        labelled = np.flatnonzero(labels >= 0)
        weight = np.zeros((len(labels), int(labels.max()) + 1))
        weight[labelled, labels[labelled]] = given.sizes[labelled]
        settled = self._settle(gram, gram.to_centres(weight)[0], given.sizes)
        return self._memberships(settled), settled.objective, Validity.of(weight.shape[1], why), len(settled.history)

    def _memberships(self, settled: FuzzyMeans) -> Floats:
        return settled.membership if self.noise is None else with_loners(settled.membership)

    def _settle(self, gram: Gram, distance: Floats, sizes: Floats) -> FuzzyMeans:
        noise = np.inf if self.noise is None else float(self.noise)
        return settle(gram, distance, sizes, float(self.m), self.tol, int(self.max_iter), noise)

    def _best(self, gram: Gram, k: int, sizes: Floats, random: np.random.Generator) -> FuzzyMeans:
        """The restart with the lowest objective."""
        if k == 1:
            return self._settle(gram, gram.to_centres(sizes[:, None])[0], sizes)
        runs = (self._settle(gram, self._first(gram, k, random), sizes) for _ in range(int(self.n_init)))
        return min(runs, key=lambda settled: settled.objective)

    def _first(self, gram: Gram, k: int, random: np.random.Generator) -> Floats:
        if self.start == "spread":
            return gram.to_rows(spread_rows(gram, k, random))
        return gram.to_rows(random.choice(len(gram.matrix), size=k, replace=False))

    def _search(
        self, gram: Gram, given: ContractedRelation, random: np.random.Generator
    ) -> tuple[FuzzyMeans, Validity]:
        """The first minimum of KXBI over C = 2, 3, …, and whether that is better than one cluster."""
        largest = max(2, min(int(self.max_clusters), len(given.strengths) - 1))
        tried: dict[int, FuzzyMeans] = {1: self._best(gram, 1, given.sizes, random)}

        def curve() -> Iterator[tuple[int, float]]:
            for k in range(2, largest + 1):
                tried[k] = self._best(gram, k, given.sizes, random)
                yield k, validity.kxbi(tried[k], float(given.sizes.sum()))

        everything = self.full_curve or self.choose != "kxbi"
        seen = list(curve() if everything else validity.first_minimum(curve()))
        numbers = [1, *(k for k, _ in seen)]
        values = np.array([np.nan, *(value for _, value in seen)])
        objectives = np.array([tried[k].objective for k in numbers])
        if self.choose != "kxbi":
            criterion = [validity.hard_criterion(given.strengths, tried[k].membership, given.sizes) for k in numbers]
            chosen = validity.stopped(self.choose, np.array(criterion))
            report = Validity(np.array(numbers), values, objectives, chosen, self.choose, criterion=np.array(criterion))
            return tried[chosen], report
        chosen = seen[validity.position_of_first_minimum([value for _, value in seen])][0]
        references = self._references(given, chosen, random)
        why = "the first minimum of KXBI"
        if not _better(tried[chosen].objective, tried[1].objective, references):
            chosen, why = 1, "splitting gains no more than it would by chance"
        return tried[chosen], Validity(np.array(numbers), values, objectives, chosen, why, references)

    def _references(self, given: ContractedRelation, k: int, random: np.random.Generator) -> Floats:
        if self.one_cluster == "paper":
            return np.zeros(0)
        return validity.references(
            given.strengths, REFERENCES, random, lambda dealt: self._fall(dealt, k, given.sizes, random)
        )

    def _fall(self, strengths: Floats, k: int, sizes: Floats, random: np.random.Generator) -> float:
        """J_C / J_1."""
        gram = self.gram(strengths)
        one = self._best(gram, 1, sizes, random).objective
        return self._best(gram, k, sizes, random).objective / one if one > 0 else 1.0


MEANS_PARAMETERS = [field.name for field in fields(CMeans)[1:]]


def _better(objective: float, one: float, references: Floats) -> bool:
    """Is C better than one cluster: by chance's measure, or without references by the paper's comparison?"""
    if not len(references):
        return objective < one
    return one > 0 and validity.worth_splitting(objective / one, references)


def with_loners(membership: Floats) -> Floats:
    """Turn a row's membership in the noise cluster into membership in a cluster of its own."""
    alone = 1.0 - membership.sum(axis=1)
    rows = np.flatnonzero(alone >= SMALLEST_MEMBERSHIP)
    own = np.zeros((len(membership), len(rows)))
    own[rows, np.arange(len(rows))] = alone[rows]
    joined = np.hstack([membership, own])
    return joined / joined.sum(axis=1, keepdims=True)
