"""Which profiles may meet: disjoint blocks of profiles whose names could be one entity's.

People by the phonetic key of the surname (Huang et al. 2009, section 3.1), so that "President Bush" meets "George W.
Bush"; organisations and places by their first telling word and by their acronym.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from crossdoc.model import Profiles
from crossdoc.names import acronym, parse_person, sound, telling_words


def keys(name: str, entity_type: str | None) -> list[str]:
    """The blocking keys of a name; profiles that share one are in one block.

    >>> keys("President Bush", "person") == keys("George W. Bush", "person")
    True
    >>> keys("National Cycling Association", "organisation")
    ['=national', 'nca']
    """
    if entity_type == "person":
        return [sound(parse_person(name).last)]
    words = telling_words(name)
    if not words:
        return []
    letters = acronym(name)
    first = [] if letters and len(words) == 1 else [f"={words[0]}"]
    return [*first, *([letters] if len(letters) > 1 else [])]


def blocks(profiles: Profiles, linked: npt.NDArray[Any]) -> list[npt.NDArray[np.int64]]:
    """Row numbers of each block, every row in exactly one block; a profile without any name is a block of its own.

    `linked` is the must-link group of each row: what has to be one entity has to meet.
    """
    n = len(profiles)
    numbers: dict[str, int] = {}
    rows, columns = [], []
    names, types = profiles.column("name").to_pylist(), profiles.column("type").to_pylist()
    for row, (name, entity_type) in enumerate(zip(names, types, strict=True)):
        for key in keys(name or "", entity_type):
            if key:
                rows.append(row)
                columns.append(2 * n + numbers.setdefault(key, len(numbers)))
        rows.append(row)
        columns.append(n + int(linked[row]))
    size = 2 * n + len(numbers)
    graph = sparse.coo_matrix((np.ones(len(rows)), (rows, columns)), shape=(size, size))
    component = connected_components(graph, directed=False)[1][:n]
    order = np.argsort(component, kind="stable")
    starts = np.flatnonzero(np.diff(component[order], prepend=-1))
    return [np.sort(block) for block in np.split(order, starts[1:])] if n else []
