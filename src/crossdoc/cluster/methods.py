"""The methods that come with crossdoc, as entries of the registry: the one place that knows them by name.

Each estimator is imported when it is needed: a run needs one of them, and a solver or a sampler takes long to load.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crossdoc.cluster.clusterer import EVEN, Answer, Method, Work, fit_to_relations
from crossdoc.model import Evidence, Partition, Relations

PAIR_PARAMETERS = (
    "bias", "name_weight", "clash_weight", "proposals", "hierarchy", "temperature", "samples", "sub_bias",
    "united_bias",
)  # fmt: skip
"""Parameters of the pairwise model that the bag model does not have."""
FUZZY_ROWS = 10_000
"""Each N × N matrix in double precision takes 0.8 GB then, and a few are needed."""


def _lazy(path: str) -> Callable[[], type[Any]]:
    module, name = path.split(":")
    return lambda: getattr(import_module(f"crossdoc.cluster.{module}"), name)


def _fit_fuzzy(estimator: Any, evidence: Evidence, work: Work) -> Answer:
    """Fit, and add small memberships to the best one."""
    if work.before and len(evidence) <= work.max_rows:
        fitted = estimator.fit(evidence.relations(), constraints=evidence.limits, start=_earlier(evidence, work))
        return Answer(_without_small(Partition(evidence.ids, fitted.partition_.membership)))
    found = fit_to_relations(estimator, evidence, work)
    return Answer(_without_small(Partition(evidence.ids, found.membership)))


def _earlier(evidence: Evidence, work: Work) -> npt.NDArray[np.int64]:
    """The clusters of an earlier answer, −1 of rows that are new."""
    number: dict[str, int] = {}
    return np.array(
        [-1 if id not in work.before else number.setdefault(work.before[id], len(number)) for id in evidence.ids]
    )


def _without_small(partition: Partition) -> sparse.csr_matrix:
    from crossdoc.cluster.memberships import SMALLEST_MEMBERSHIP

    membership = partition.membership
    rows = np.repeat(np.arange(len(partition)), np.diff(membership.indptr))
    best = membership.indices == partition.labels[rows]
    membership.data[(membership.data < SMALLEST_MEMBERSHIP) & ~best] = 0.0
    elsewhere = np.bincount(rows[~best], weights=membership.data[~best], minlength=len(partition))
    membership.data[best] = 1.0 - elsewhere[rows[best]]
    membership.eliminate_zeros()
    return membership[:, np.unique(membership.indices)]


def _fit_correlation(estimator: Any, evidence: Evidence, work: Work) -> Answer:
    found = fit_to_relations(estimator, evidence, work)
    facts = {
        "solver": estimator.chosen_,
        "account": estimator.solver_,
        "objective": estimator.objective_,
        "lower_bound": estimator.lower_bound_,
        "gap": estimator.gap_,
    }
    return Answer(found.membership, facts, (*found.notes, *estimator.notes_))


def _solvers(facts: Sequence[Mapping[str, Any]]) -> list[str]:
    """Which solvers were chosen, and how far from optimal an answer can be, where that is known."""
    used = Counter(fact["solver"] for fact in facts)
    if not used:
        return []
    listed = ", ".join(f"{solver} ({many:,})" for solver, many in used.most_common())
    if open_ := sum(fact["gap"] is None for fact in facts):
        quality = f"{open_:,} of the answers have no certificate (--set correlation.certificate=true computes it)"
    elif (widest := max(fact["gap"] for fact in facts)) > 0:
        quality = f"at most {widest:.2%} of the cost of any answer is above the optimum"
    else:
        quality = "all answers are optimal"
    return [f"solvers, by components: {listed}; {quality}"]


def _even(evidence: Evidence) -> Mapping[str, Any]:
    """Return the cosine of the rule `even`, lowered by the weight of the same name."""
    return {} if evidence.even is None else {"even": max(evidence.even - evidence.same_name, 0.0)}


def _fit_contexts(estimator: Any, evidence: Evidence, work: Work) -> Answer:
    """By our own rule few rows are linked: a curve over so few says nothing."""
    from crossdoc.cluster.contexts.context_clustering import FEW_CONTEXTS
    from crossdoc.cluster.hierarchical import LinkageClustering

    limits = evidence.limits
    if estimator.space == "similarity":
        return Answer(estimator.fit(evidence.relations(), constraints=limits).partition_.membership)
    if estimator.stop == "even" and len(evidence) < FEW_CONTEXTS:
        linked = LinkageClustering("average", estimator.even)
        return Answer(
            linked.fit(Relations.from_dense(evidence.vectors.cosine()), constraints=limits).partition_.membership
        )
    return Answer(estimator.fit(evidence.vectors, constraints=limits).partition_.membership)


def _weights(evidence: Evidence) -> Mapping[str, Any]:
    """Return the learned bias and name weight, if there are any; names that clash are kept apart.

    A common name has a negative weight, which raises the bias.
    """
    if evidence.even is None:
        return {}
    name, clash = evidence.same_name, 0.0 if evidence.names is None else 1.0
    return {"bias": evidence.even - min(name, 0.0), "name_weight": max(name, 0.0), "clash_weight": clash}


def _fit_sampling(estimator: Any, evidence: Evidence, work: Work) -> Answer:
    found = _fit_mentions(estimator, evidence, work, agreeing=evidence.agreeing)
    if evidence.entity_type:
        return found
    return replace(found, notes=(*found.notes, "profiles without types: --method bags usually finds more of them"))


def _fit_mentions(estimator: Any, evidence: Evidence, work: Work, **more: Any) -> Answer:
    """Cluster all rows at once, starting from the checkpoint if there is one to resume."""
    estimator.set_params(checkpoint=work.checkpoint, resume=work.resume, progress=work.progress)
    found = estimator.fit(evidence.vectors, names=evidence.names, constraints=evidence.constraints, **more)
    threads = found.threads or os.cpu_count() or 1
    notes = [f"{found.n_iter_:,} rounds on {threads} threads, energy {found.energy_:,.1f}, {found.weights_origin_}"]
    if found.stopped_ in ("time", "interrupted"):
        notes.append("clustering was stopped early; --resume continues it")
    elif work.checkpoint is not None:
        work.checkpoint.unlink(missing_ok=True)
    return Answer(found.partition_.membership, notes=tuple(notes))


def _fit_baseline(estimator: Any, evidence: Evidence, work: Work) -> Answer:
    fitted = estimator.fit(evidence.same_spelling(), constraints=evidence.constraints)
    return Answer(fitted.partition_.membership)


def _linkage(name: str, about: str) -> Method:
    return Method(
        f"{name}-linkage",
        about,
        "relations",
        "component",
        _lazy("hierarchical:LinkageClustering"),
        threshold="threshold",
        fixed={"linkage": name},
        signed=True,
    )


def _fit_mean_max(estimator: Any, evidence: Evidence, work: Work) -> Answer:
    from crossdoc.cluster.large_linkage import fit_mean_max

    return fit_mean_max(estimator, evidence, work)


def _mean_max() -> Method:
    about = "Clusters are one by half the mean and half the highest of their similarities."
    load = _lazy("hierarchical:MeanMaxClustering")
    return Method(
        "mean-max-linkage", about, "relations", "component", load, threshold="threshold", fit=_fit_mean_max, signed=True
    )


def _fuzzy(name: str, about: str, **more: Any) -> Method:
    load = _lazy(f"fuzzy:{name.upper()}")
    return Method(name, about, "relations", "block", load, max_rows=FUZZY_ROWS, fit=_fit_fuzzy, goes_on=True, **more)


def _karc_links(parameters: Mapping[str, Any]) -> bool:
    """As printed, KARC joins nothing at a threshold."""
    return parameters.get("variant", "linked") == "linked" or parameters.get("start") == "linkage"


def _baseline(name: str, about: str, takes: Any, estimator: str) -> Method:
    return Method(name, about, takes, "type", _lazy(f"baselines:{estimator}"), fit=_fit_baseline, soft=False)


BUILT_IN = (
    _mean_max(),
    _linkage("average", "Clusters whose profiles are similar on average are one."),
    _linkage("single", "Clusters with one similar pair are one."),
    _linkage("complete", "Clusters all of whose pairs are similar are one."),
    _fuzzy("karc", "Kernelised any-relation clustering (Huang et al. 2009).", threshold="threshold", joins=_karc_links),
    _fuzzy("arca", "Any-relation clustering (Corsini et al. 2005)."),
    _fuzzy("frc", "Fuzzy relational clustering (Davé & Sen 2002)."),
    Method(
        "correlation",
        "Correlation clustering: least disagreement with all pairs (Van Gael & Zhu 2007).",
        "relations",
        "component",
        _lazy("correlation:CorrelationClustering"),
        threshold="bias",
        usual={"bias": EVEN, "certificate": False},
        fit=_fit_correlation,
        notes_from=_solvers,
        signed=True,
    ),
    Method(
        "contexts",
        "Context clustering that finds the number of clusters (Pedersen & Kulkarni 2006).",
        "vectors",
        "block",
        _lazy("contexts.context_clustering:ContextClustering"),
        usual={"stop": "even"},
        from_evidence=_even,
        fit=_fit_contexts,
    ),
    Method(
        "sampling",
        "Hierarchical MCMC over pairs of mentions, for millions of them (Singh et al. 2011).",
        "vectors",
        "type",
        _lazy("sampling:SamplingClustering"),
        from_evidence=_weights,
        fit=_fit_sampling,
        start="start",
        resumable=True,
        elsewhere={"model": "bags"},
    ),
    Method(
        "bags",
        "Mentions against bags of words and names, for millions of links without types.",
        "vectors",
        "type",
        _lazy("bags:BagClustering"),
        fit=_fit_mentions,
        start="start",
        resumable=True,
        elsewhere=dict.fromkeys(PAIR_PARAMETERS, "sampling"),
    ),
    _baseline("string-match", "The same name is the same entity.", "names", "StringMatch"),
    _baseline("one-in-one", "Every profile is an entity of its own.", "nothing", "OneInOne"),
    _baseline("all-in-one", "One entity for everything.", "nothing", "AllInOne"),
)
