"""Methods by name: crossdoc's own, and those that installed packages add under the entry point `crossdoc.clusterers`.

An entry point names a :class:`~crossdoc.cluster.clusterer.Method`; docs/extending/clusterer.md has an example.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from inspect import isclass
from typing import Any, get_args

from crossdoc import errors
from crossdoc.cluster.clusterer import DEFAULT_FITS, Answer, Clusterer, Fit, Method, Scope, Takes, Work
from crossdoc.cluster.methods import BUILT_IN
from crossdoc.model import Evidence, Partition

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
            raise errors.no_threshold(method)
        if found.threshold in values:
            raise errors.one_of_two("The threshold", f"{found.threshold} of {method}")
        values[found.threshold] = threshold
    if time_limit is not None:
        if "time_limit" not in found.parameters:
            raise errors.no_time_limit(method, [m.name for m in BUILT_IN if "time_limit" in m.parameters])
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
