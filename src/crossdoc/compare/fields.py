"""Fields by which two profiles are compared: their contexts, their documents, and the names related to them.

Each field gives every profile a sparse row of unit length, empty if it has no value, so that one kind of comparison
(`curve.py`, `background.py`) serves them all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache

import numpy as np
from scipy import sparse
from sklearn.preprocessing import normalize

from crossdoc.compare.specialists.base import codes_of, relation_rows
from crossdoc.compare.vectors import ContextVectoriser, Texts
from crossdoc.model import Profiles, Vectors
from crossdoc.names import fold, parse_person

_WORD = re.compile(r"[^\W\d_]{2,}")

CONTEXT, DOCUMENT = "context", "document"


@lru_cache(maxsize=200_000)
def whole_name(name: str) -> tuple[str, ...]:
    """Return a name as one unit, without titles and middle names.

    >>> whole_name("Dr. Ann B. Li"), whole_name("IBM")
    (('ann li',), ('ibm',))
    """
    parsed = parse_person(name)
    unit = f"{parsed.first} {parsed.last}" if parsed.first and parsed.last else fold(name)
    return (unit,) if unit else ()


@lru_cache(maxsize=200_000)
def words_of_name(name: str) -> tuple[str, ...]:
    """
    >>> words_of_name("Dept. of Physics, MIT")
    ('dept', 'of', 'physics', 'mit')
    """
    return tuple(_WORD.findall(name.lower()))


RELATED: dict[str, tuple[tuple[str, ...], Callable[[str], tuple[str, ...]]]] = {
    "beside": (("list",), whole_name),
    "work": (("employment", "ownership"), words_of_name),
}
"""By field the relations it reads, and what of their names is compared."""

FIELDS = (CONTEXT, DOCUMENT, *RELATED)


Usual = tuple[int, Mapping[str, int]]
"""Number of profiles of a collection that have a value in a field, and the number that have each value."""


def related_rows(profiles: Profiles, field: str, usual: Usual | None = None) -> Vectors:
    """Unit rows of the names at the other ends of a field's relations, each weighted by log((1 + N) / (1 + df)) + 1.

    The profile's own name is no evidence: a paper lists its author among the others. `usual` has N and df of the full
    collection, of which these profiles are a part.

    >>> from crossdoc.model import Profile, Relation
    >>> beside = [("Bo Li", "Cy Ode"), ("Bo Li",), ()]
    >>> rows = [Profile(str(i), "d", "Ann", relations=tuple(Relation("list", n) for n in names))
    ...         for i, names in enumerate(beside)]
    >>> matrix = related_rows(Profiles.of(rows), "beside").matrix
    >>> matrix.shape, round(float((matrix[0] @ matrix[1].T).toarray()[0, 0]), 2), matrix[2].nnz
    ((3, 2), 0.58, 0)
    """
    types, units = RELATED[field]
    rows, names, _ = relation_rows(profiles, *types)
    coded = names.dictionary_encode()
    distinct = [units(name) for name in coded.dictionary.to_pylist()] or [()]
    number = codes_of(unit for own in distinct for unit in own)
    owner = np.repeat(np.arange(len(distinct)), [len(own) for own in distinct])
    unit = [number[unit] for own in distinct for unit in own]
    units_of = sparse.csr_matrix((np.ones(len(unit)), (owner, unit)), shape=(len(distinct), max(len(number), 1)))
    cells = np.ones(len(rows)), (rows, coded.indices.to_numpy())
    counts = (sparse.csr_matrix(cells, shape=(len(profiles), len(distinct))) @ units_of).tocsr()
    counts.sort_indices()
    own = [number.get("".join(whole_name(name or "")), -1) for name in profiles.column("name").to_pylist()]
    other = counts.indices != np.repeat(np.array(own, dtype=np.int64), np.diff(counts.indptr))
    ends = np.append(0, np.cumsum(other))[counts.indptr]
    counts = sparse.csr_matrix((counts.data[other], counts.indices[other], ends), shape=counts.shape)
    if not counts.nnz:
        return Vectors(sparse.csr_matrix((len(profiles), 1), dtype=np.float32), np.array([""], dtype=object))
    used, columns = np.unique(counts.indices, return_inverse=True)
    features = np.array(list(number), dtype=object)[used]
    if usual is None:
        naming, frequency = int((np.diff(counts.indptr) > 0).sum()), np.bincount(columns)
    else:
        naming, frequency = usual[0], np.array([usual[1].get(named, 0) for named in features])
    weight = np.log((1 + naming) / (1 + frequency)) + 1
    weighted = weight[columns].astype(np.float32), columns, counts.indptr
    return Vectors(normalize(sparse.csr_matrix(weighted, shape=(len(profiles), len(used))), copy=False), features)


def related_units(profiles: Profiles, field: str) -> set[str]:
    """Return all units that :func:`related_rows` may compare in a field.

    >>> from crossdoc.model import Profile, Relation
    >>> sorted(related_units(Profiles.of([Profile("a", "d", "Ann", relations=(Relation("list", "Bo Li"),))]), "beside"))
    ['bo li']
    """
    types, units = RELATED[field]
    return {unit for name in relation_rows(profiles, *types)[1].unique().to_pylist() for unit in units(name)}


def shared_features(rows: Vectors, most: int = 8) -> str:
    """Return the features that two rows, which are all of these, share, heaviest first."""
    if rows.features is None:
        return ""
    shared = rows.matrix[0].multiply(rows.matrix[1]).tocsr()
    return ", ".join(rows.features[shared.indices[np.argsort(-shared.data, kind="stable")[:most]]])


def rows_of(
    field: str,
    profiles: Profiles,
    vectoriser: ContextVectoriser,
    texts: Texts | None,
    usual: Mapping[str, Usual] | None = None,
) -> Vectors:
    """Rows of a field; rows of missing documents are empty. `usual` has the counts of the full collection by field."""
    if field == CONTEXT:
        return vectoriser.transform(profiles)
    if field == DOCUMENT:
        if texts is None:
            return Vectors(sparse.csr_matrix((len(profiles), 1), dtype=np.float32))
        return vectoriser.transform_documents(profiles, texts)
    return related_rows(profiles, field, None if usual is None else usual.get(field))
