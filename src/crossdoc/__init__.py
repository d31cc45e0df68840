"""crossdoc: who is who across documents.

The public names, each imported when it is first used, so that `crossdoc --help` need not wait for spaCy and numba.
`crossdoc.open` is one of them too, but `from crossdoc import *` leaves Python's own `open` alone. Estimators and
stopping rules of the papers are in `crossdoc.cluster`, links across languages in `crossdoc.crosslingual`.
"""

# ruff: noqa: I001 - a name that is exported is imported as itself

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crossdoc.cluster.clusterer import Method as Method
    from crossdoc.compare.specialists import Specialist as Specialist, specialist as specialist
    from crossdoc.compare.training import train as train
    from crossdoc.errors import CrossdocError as CrossdocError
    from crossdoc.extract import Extractor as Extractor
    from crossdoc.integrations.spacy_component import from_spacy as from_spacy
    from crossdoc.model import (
        Document as Document,
        Documents as Documents,
        Evidence as Evidence,
        Identity as Identity,
        Judgement as Judgement,
        Mention as Mention,
        Mentions as Mentions,
        Partition as Partition,
        Profile as Profile,
        Profiles as Profiles,
    )
    from crossdoc.run.evaluation import score as score
    from crossdoc.run.mention_answer import resolve_mentions as resolve_mentions
    from crossdoc.run.resolution import Resolution as Resolution
    from crossdoc.run.resolve import resolve as resolve, write_extracted as write_extracted
    from crossdoc.run.stages import (
        cluster_evidence as cluster_evidence,
        compare_profiles as compare_profiles,
        describe_partition as describe_partition,
        extract_profiles as extract_profiles,
        read_documents as read_documents,
    )
    from crossdoc.settings import Settings as Settings
    from crossdoc.version import __version__ as __version__

    open = Resolution.open

_HOMES = {
    "cluster.clusterer": ["Method"],
    "compare.specialists": ["Specialist", "specialist"],
    "compare.training": ["train"],
    "errors": ["CrossdocError"],
    "extract": ["Extractor"],
    "integrations.spacy_component": ["from_spacy"],
    "model": ["Document", "Documents", "Evidence", "Identity", "Judgement", "Mention", "Mentions", "Partition",
              "Profile", "Profiles"],
    "run.evaluation": ["score"],
    "run.mention_answer": ["resolve_mentions"],
    "run.resolution": ["Resolution"],
    "run.resolve": ["resolve", "write_extracted"],
    "run.stages": ["cluster_evidence", "compare_profiles", "describe_partition", "extract_profiles", "read_documents"],
    "settings": ["Settings"],
    "version": ["__version__"],
}  # fmt: skip
_FORMER_HOMES = {
    "cluster": ["ARCA", "FRC", "KARC", "BagClustering", "ContextClustering", "CorrelationClustering",
                "LinkageClustering", "SamplingClustering", "cluster_graph", "gap", "pk1", "pk2",
                "pk3"],
    "compare.blocking": ["candidates"],
    "compare.specialists.base": ["attribute_rows"],
    "compare.vectors": ["ContextVectoriser"],
    "crosslingual": ["ArticleGroup", "LinkDetector", "link_groups"],
    "model": ["Constraints", "Relation", "Relations", "Vectors"],
    "run.resolve": ["Resolver"],
    "scoring": ["Assignment", "Scores"],
}  # fmt: skip
"""Modules of names that were public here up to version 0.1."""
_HOME = {name: home for home, names in _HOMES.items() for name in names}
__all__ = sorted(_HOME)  # type: ignore[assignment]
_FORMER_HOME = {name: home for home, names in _FORMER_HOMES.items() for name in names}
_ROOMS = ("cluster", "crosslingual", "model", "scoring")
"""Packages that `import crossdoc` alone makes reachable."""


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"crossdoc.{name}")
    if name == "open":
        value = import_module("crossdoc.run.resolution").Resolution.open
    elif name in _HOME:
        value = getattr(import_module(f"crossdoc.{_HOME[name]}"), name)
    elif name in _FORMER_HOME:
        return _former(name, f"crossdoc.{_FORMER_HOME[name]}")
    else:
        raise AttributeError(f"module 'crossdoc' has no attribute {name!r}")
    globals()[name] = value
    return value


def _former(name: str, home: str) -> Any:
    import warnings

    from crossdoc import errors

    warnings.warn(str(errors.former_import(name, home)), DeprecationWarning, stacklevel=3)
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "open"})
