"""Methods by name: crossdoc's own, and those that installed packages add under the entry point `crossdoc.clusterers`.

An entry point names a :class:`~crossdoc.cluster.clusterer.Method`; docs/extending/clusterer.md has an example. Each
estimator is imported when it is needed: a run needs one of them, and a solver or a sampler takes long to load.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from inspect import isclass
from typing import Any, get_args

import numpy as np
from scipy import sparse

from crossdoc import errors
from crossdoc.cluster.clusterer import (
    DEFAULT_FITS,
    EVEN,
    Answer,
    Clusterer,
    Fit,
    Method,
    Scope,
    Takes,
    Work,
    fit_to_relations,
)
from crossdoc.model import Evidence, Partition, Relations

FUZZY_ROWS = 10_000
"""Each N × N matrix in double precision takes 0.8 GB then, and a few are needed."""


def _lazy(path: str) -> Callable[[], type[Any]]:
    module, name = path.split(":")
    return lambda: getattr(import_module(f"crossdoc.cluster.{module}"), name)


def _fit_fuzzy(estimator: Any, evidence: Evidence, work: Work) -> Answer:
    """Fit, and add small memberships to the best one."""
    found = fit_to_relations(estimator, evidence, work)
    return Answer(_without_small(Partition(evidence.ids, found.membership)))


def _without_small(partition: Partition) -> sparse.csr_matrix:
    from crossdoc.cluster.estimators import SMALLEST_MEMBERSHIP

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
    return Answer(found.membership, facts, found.notes)


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
    if work.engine is not None:
        from crossdoc.cluster.sampling.rounds import EngineSampling

        estimator = EngineSampling(**estimator.get_params())
        estimator.engine = work.engine
    found = _fit_mentions(estimator, evidence, work, agreeing=evidence.agreeing)
    if evidence.entity_type:
        return found
    return replace(found, notes=(*found.notes, "profiles without types: --method bags usually finds more of them"))


def _fit_mentions(estimator: Any, evidence: Evidence, work: Work, **more: Any) -> Answer:
    """Cluster all rows at once, starting from the checkpoint if there is one to resume."""
    estimator.set_params(checkpoint=work.checkpoint, resume=work.resume, progress=work.progress)
    found = estimator.fit(evidence.vectors, names=evidence.names, constraints=evidence.constraints, **more)
    where = getattr(found, "where_", f"on {found.threads or os.cpu_count() or 1} threads")
    notes = [f"{found.n_iter_:,} rounds {where}, energy {found.energy_:,.1f}, {found.weights_origin_}"]
    if found.stopped_ in ("time", "interrupted"):
        notes.append("clustering was stopped early; --resume continues it")
    elif work.checkpoint is not None:
        work.checkpoint.unlink(missing_ok=True)
    return Answer(found.partition_.membership, notes=tuple(notes))


def _fit_baseline(estimator: Any, evidence: Evidence, work: Work) -> Answer:
    fitted = estimator.fit(evidence.same_spelling(), constraints=evidence.constraints)
    return Answer(fitted.partition_.membership)


def _fit_mean_max(estimator: Any, evidence: Evidence, work: Work) -> Answer:
    from crossdoc.cluster.linkage_kernels import fit_mean_max

    return fit_mean_max(estimator, evidence, work)


def _linkage(name: str, about: str, **more: Any) -> Method:
    load = _lazy("hierarchical:LinkageClustering")
    return Method(name, about, "relations", "component", load, threshold="threshold", signed=True, **more)


def _fuzzy(name: str, about: str, **more: Any) -> Method:
    load = _lazy(f"fuzzy:{name.upper()}")
    return Method(name, about, "relations", "block", load, max_rows=FUZZY_ROWS, fit=_fit_fuzzy, **more)


def _karc_links(parameters: Mapping[str, Any]) -> bool:
    """As printed, KARC joins nothing at a threshold."""
    return parameters.get("variant", "linked") == "linked"


def _mentions(name: str, about: str, estimator: str, **more: Any) -> Method:
    return Method(name, about, "vectors", "type", _lazy(estimator), start="start", resumable=True, **more)


def _baseline(name: str, about: str, takes: Any, estimator: str) -> Method:
    return Method(name, about, takes, "type", _lazy(f"baselines:{estimator}"), fit=_fit_baseline, soft=False)


BUILT_IN = (
    _linkage(
        "mean-max-linkage",
        "Clusters are one by half the mean and half the highest of their similarities.",
        fit=_fit_mean_max,
        fixed={"linkage": "mean-max"},
    ),
    _linkage(
        "average-linkage", "Clusters whose profiles are similar on average are one.", fixed={"linkage": "average"}
    ),
    _linkage("single-linkage", "Clusters with one similar pair are one.", fixed={"linkage": "single"}),
    _linkage("complete-linkage", "Clusters all of whose pairs are similar are one.", fixed={"linkage": "complete"}),
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
    _mentions(
        "sampling",
        "Hierarchical MCMC over pairs of mentions, for millions of them (Singh et al. 2011).",
        "sampling:SamplingClustering",
        from_evidence=_weights,
        fit=_fit_sampling,
    ),
    _mentions(
        "bags",
        "Mentions against bags of words and names, for millions of links without types.",
        "bags:BagClustering",
        fit=_fit_mentions,
    ),
    _baseline("string-match", "The same name is the same entity.", "names", "StringMatch"),
    _baseline("one-in-one", "Every profile is an entity of its own.", "nothing", "OneInOne"),
    _baseline("all-in-one", "One entity for everything.", "nothing", "AllInOne"),
)


GROUP = "crossdoc.clusterers"
DEFAULT = "mean-max-linkage"


@cache
def _added() -> dict[str, EntryPoint]:
    own = {method.name for method in BUILT_IN}
    return {entry.name: entry for entry in entry_points(group=GROUP) if entry.name not in own}


def names() -> list[str]:
    """All methods, crossdoc's own first."""
    return [*(method.name for method in BUILT_IN), *sorted(_added())]


def method_named(name: str) -> Method:
    """The entry of a name; a package's is loaded now, and has to be what it should be.

    >>> method_named("sampling").scope
    'type'
    """
    for method in BUILT_IN:
        if method.name == name:
            return method
    if name not in _added():
        raise errors.unknown_choice("method", name, names())
    return _loaded(_added()[name])


def usable() -> Iterator[Method]:
    """All methods that can be loaded: another's broken package is no hindrance."""
    for name in names():
        with suppress(errors.UsageError):
            yield method_named(name)


@cache
def _loaded(entry: EntryPoint) -> Method:
    try:
        method = entry.load()
        estimator = method.estimator() if isinstance(method, Method) else None
    except Exception as error:
        raise errors.bad_clusterer(entry.name, f"it cannot be loaded: {type(error).__name__}: {error}") from error
    if not isinstance(method, Method):
        raise errors.bad_clusterer(entry.name, f"it names a {type(method).__name__}, not a crossdoc Method")
    if not isclass(estimator):
        raise errors.bad_clusterer(entry.name, "its estimator must be a function that gives the class")
    problems = [f"its name is {method.name!r}"] if method.name != entry.name else []
    problems += ["its estimator has no fit"] if not callable(getattr(estimator, "fit", None)) else []
    for what, known in (("takes", get_args(Takes)), ("scope", get_args(Scope))):
        if getattr(method, what) not in known:
            problems.append(f"{what} is {getattr(method, what)!r}, not one of {', '.join(known)}")
    if method.fit is None and method.takes not in ("relations", "vectors"):
        problems.append(f"it takes {method.takes} and does not say how to fit them")
    if method.threshold is not None and method.threshold not in method.parameters:
        problems.append(f"its estimator has no parameter {method.threshold!r}, which is to be the threshold")
    if problems:
        raise errors.bad_clusterer(entry.name, "; ".join(problems))
    return replace(method, fit=_guarded(method))


def _guarded(method: Method) -> Fit:
    """Wrap a package's fit: report its failures as its own, and check its answer."""
    fit = method.fit or DEFAULT_FITS[method.takes]

    def guarded(estimator: Any, evidence: Evidence, work: Work) -> Answer:
        try:
            answer = fit(estimator, evidence, work)
            partition = Partition(evidence.ids, answer.membership)
        except Exception as error:
            raise errors.bad_clusterer(method.name, f"{type(error).__name__}: {error}") from error
        if (partition.labels < 0).any():
            raise errors.bad_clusterer(method.name, "it left profiles without a cluster")
        if broken := evidence.constraints.violated_by(partition.labels):
            raise errors.bad_clusterer(method.name, f"its answer breaks {broken:,} hard judgements")
        return answer

    return guarded


def clusterer(
    method: str | Any = DEFAULT,
    parameters: Mapping[str, Any] | None = None,
    *,
    threshold: float | None = None,
    time_limit: float | None = None,
) -> Clusterer:
    """A method by its name and parameters, or an estimator of one, checked before any work is done.

    >>> from crossdoc.cluster.fuzzy import KARC
    >>> clusterer(KARC(variant="paper")).name, clusterer("karc", {"variant": "paper"}).parameters
    ('karc', {'variant': 'paper'})
    """
    if not isinstance(method, str):
        return _of_estimator(method, parameters, threshold, time_limit)
    found = method_named(method)
    values = _given(found.checked(parameters or {}))
    if threshold is not None:
        if found.threshold is None or not found.joins(values):
            raise errors.not_usable_with("A threshold", f"the method {method}", "methods such as average-linkage")
        if found.threshold in values:
            raise errors.one_of_two("The threshold", f"{found.threshold} of {method}")
        values[found.threshold] = threshold
    if time_limit is not None:
        if "time_limit" not in found.parameters:
            raise errors.not_usable_with(
                "A time limit", f"the method {method}", [m.name for m in BUILT_IN if "time_limit" in m.parameters]
            )
        if "time_limit" in values:
            raise errors.one_of_two("The time limit", f"time_limit of {method}")
        values["time_limit"] = time_limit
    return Clusterer(found, values)


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out None, which a run fills in."""
    return {key: value for key, value in values.items() if value is not None}


def _of_estimator(
    estimator: Any, parameters: Mapping[str, Any] | None, threshold: float | None, time_limit: float | None
) -> Clusterer:
    if parameters or threshold is not None or time_limit is not None:
        raise errors.one_of_two("An estimator", "parameters for it")
    for method in usable():
        if type(estimator) is method.estimator():
            given = estimator.get_params(deep=False)
            if all(given[key] == value for key, value in method.fixed.items()):
                return Clusterer(method, _given({key: given[key] for key in method.parameters}))
    kind = type(estimator).__name__
    if isclass(estimator):
        kind = f"class; write {estimator.__name__}()"
    raise errors.unknown_estimator(kind, names())
