"""Which method clusters a table of names and contexts without types: bags where they explain it better, else linkage.

A link's profile has one mention with words of its own, and an entity may have names that share nothing. The bag model
(docs/sampling.md) learns from all mentions which words go together. In tables made from running text, windows overlap
and names say more than words; linkage is better there. `fit_of_bags` measures which of the two a table is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow.compute as pc
from scipy import sparse

from crossdoc.cluster import registry
from crossdoc.cluster.bags.bags import present
from crossdoc.cluster.bags.held_out import BagFit, fit_of_bags
from crossdoc.cluster.sampling.mention_rows import row_order
from crossdoc.compare.specialists.base import attribute_types, relation_types
from crossdoc.model import Profiles
from crossdoc.settings import Settings

METHOD = "bags"


def has_names_and_contexts_only(profiles: Profiles) -> bool:
    """Return whether no profile has a type, an attribute or a relation."""
    typed = pc.any(pc.not_equal(pc.fill_null(profiles.column("type"), ""), "")).as_py()
    return not typed and not any(len(each) for kind in (attribute_types, relation_types) for each in kind(profiles))


def measure_links(matrix: sparse.csr_matrix, names: Sequence[str], seed: int, threads: int) -> BagFit:
    """Measure how well bags explain profiles with these names, in one spelling, and the words of `matrix`."""
    order = row_order(matrix, names)
    return fit_of_bags(present(matrix)[order], np.array(names, dtype=object)[order], seed=seed, threads=threads)


def is_left_open(settings: Settings) -> bool:
    """Return whether the settings state neither a method nor a parameter of the default one."""
    stated = settings.model_fields_set & {"method", "threshold"}
    return not stated and registry.DEFAULT not in settings.parameters


def note(profiles: int) -> str:
    """
    >>> note(4000)[:75]
    '4,000 profiles with a name and a context each, and no type: clustered as li'
    """
    return (
        f"{profiles:,} profiles with a name and a context each, and no type: clustered as links, by bags, since "
        f"bags of words explain them better than names do (--method {registry.DEFAULT}: as profiles of documents)"
    )
