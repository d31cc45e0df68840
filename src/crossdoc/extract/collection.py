"""A second look at types, over the whole collection: what is an organisation in most documents is one in the next.

Votes are of profiles, one a document and name, counted when all documents are read: hence the same in whatever order
they came. Names that a place has too are left as they are: which of "Chicago" is the city and which is the club, only
its own sentence says.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

import pyarrow as pa

from crossdoc.extract.candidates import place_kind
from crossdoc.extract.gender import is_first_name
from crossdoc.model import Mentions, Profiles

LEAST_OTHERS = 2
LEAST_SHARE, OF_SEVERAL_WORDS = 0.7, 0.5
"""How many other documents must have a name, and how many of them must call it the same; of several words it is seldom
the name of two kinds of things. Chosen on AIDA train, where 2 to 5 and .5 to .8 differ by .001."""


def votes_of(named: Sequence[tuple[str, str | None]]) -> Iterator[tuple[str, str, int]]:
    """How many profiles have each name and type; "Danny Oyelaran" says that "Oyelaran" alone is a person, too.

    >>> list(votes_of([("Danny Oyelaran", "person"), ("Oyelaran", "place")]))
    [('Danny Oyelaran', 'person', 1), ('Oyelaran', 'place', 1), ('Oyelaran', 'person', 1)]
    """
    votes = Counter(named)
    names = {name for name, _ in named}
    for name, type_ in named:
        last = name.rpartition(" ")[2]
        if type_ == "person" and last != name and last in names:
            votes[last, type_] += 1
    yield from ((name, type_, n) for (name, type_), n in votes.items() if type_)


def settled_types(votes: Iterable[tuple[str, str, int]]) -> dict[tuple[str, str], str]:
    """By name and type, the type that it should have had; votes are name, type and number of documents.

    >>> settled_types([("PKK", "organisation", 9), ("PKK", "person", 1), ("Rome", "place", 9), ("Rome", "person", 1)])
    {('PKK', 'person'): 'organisation'}
    """
    counted: dict[str, dict[str, int]] = defaultdict(dict)
    for name, type_, documents in votes:
        counted[name][type_] = documents
    settled: dict[tuple[str, str], str] = {}
    for name, types in counted.items():
        best = max(types, key=lambda type_: (types[type_], type_))
        others = sum(types.values()) - 1
        share = OF_SEVERAL_WORDS if " " in name else LEAST_SHARE
        least = 1 if best == "person" and _opens_with_first_name(name) else LEAST_OTHERS
        if types[best] >= max(least, share * others) and len(types) > 1 and not place_kind(name):
            settled |= {(name, type_): best for type_ in types if type_ != best}
    return settled


def _opens_with_first_name(name: str) -> bool:
    first, _, rest = name.partition(" ")
    return bool(rest) and is_first_name(first)


def retyped(mentions: Mentions, profiles: Profiles) -> tuple[Mentions, Profiles]:
    """Mentions and profiles of a collection in memory with their types settled, as `Store.retype` does on file."""
    named = list(zip(profiles.column("name").to_pylist(), profiles.column("type").to_pylist(), strict=True))
    settled = settled_types(votes_of(named))
    types = [settled.get(each, each[1]) for each in named]
    of_chain = dict(zip(profiles.ids, types, strict=True))
    own = zip(mentions.column("chain").to_pylist(), mentions.column("type").to_pylist(), strict=True)
    return (
        Mentions(_with_types(mentions.arrow, [of_chain.get(chain, type_) for chain, type_ in own])),
        Profiles(_with_types(profiles.arrow, types)),
    )


def _with_types(table: pa.Table, types: list[str | None]) -> pa.Table:
    at = table.schema.get_field_index("type")
    return table.set_column(at, table.schema.field(at), pa.array(types, pa.string()))
