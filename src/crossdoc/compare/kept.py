"""What is counted in a collection, so that some of its profiles can be compared as if all of them were there.

How usual a word, a name or somebody named beside is, depends on all profiles. The counts are kept with a result, and
what is added or removed later is counted on top, so that a change costs as much as what it touches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from crossdoc.compare.fields import RELATED, Usual, related_rows, related_units
from crossdoc.compare.in_topics import InTopics, Readings
from crossdoc.compare.name_prior import NameCounts
from crossdoc.compare.vectors import ContextVectoriser, raw_words
from crossdoc.model import Profiles
from crossdoc.names import parse_person
from crossdoc.names.lookup import lookup_keys

COUNTS = pa.schema(
    [("what", pa.string()), ("type", pa.string()), ("key", pa.string()), ("value", pa.string()), ("n", pa.int64())]
)
"""`word`: in how many texts; `name`: how often a last name (key) with a first name (value), by type; the name of a
field: in how many profiles somebody is named there, by type, and with an empty key how many name anybody; `case`: how
often the word of a slot (key) is written in a case (value), by which headlines are read (`extract/truecase.py`);
`topic`: the topic (value) of a document (key), as it was found among all (`stories.py`); `called`: how many profiles
have a name (key), by type, and the keys by which it is looked up (value; `names/lookup.py`); `reading`: a name and
as what it is read (value) in a topic (key), by type (`in_topics.py`); `linked`: the name (value) that stands for all
with which one (key) of an organisation or a place is connected, by type (`blocking.py`)."""


BETWEEN = "\x1f"
MANY = 200
"""From so many profiles on it takes longer to look for their words than to read all that were counted."""


@dataclass(frozen=True, slots=True)
class Kept:
    """Of a whole collection what bears on some of its profiles of one type."""

    names: NameCounts = field(default_factory=lambda: NameCounts(()))
    related: Mapping[str, Usual] = field(default_factory=dict)
    asked: str | None = None
    """The one asked-for name."""
    in_topics: InTopics | None = None
    """What the topics of the collection make of them."""
    among: Mapping[str, int] | None = None
    """The names of organisations or places on which it depends what theirs are worth, and how often each is met."""


def cases_of(listed: Iterable[tuple[int, int, int]], sign: int = 1) -> pa.Table:
    """What `CaseCounts.listed` gives as rows to keep, with a `sign` of −1 to take them off.

    >>> cases_of([(7, 1, 3)], -1).to_pylist()
    [{'what': 'case', 'type': '', 'key': '7', 'value': '1', 'n': -3}]
    """
    return counts_table([("case", "", str(slot), str(case), sign * n) for slot, case, n in listed])


def topic_counts(topic_of: Mapping[str, int], sign: int = 1) -> pa.Table:
    """The topics of documents as rows to keep, with a `sign` of −1 to take them off."""
    return counts_table([("topic", "", document, str(topic), sign) for document, topic in topic_of.items()])


def called_counts(profiles: Profiles, sign: int = 1) -> pa.Table:
    """The names of profiles with the keys by which each is looked up, with a `sign` of −1 to take them off.

    >>> from crossdoc.model import Profile
    >>> called_counts(Profiles.of([Profile("a", "d", "Bo Kim", "person")])).to_pylist()[0]["value"]
    '+bo -kim .kim'
    """
    named = Counter(zip(*(profiles.column(column).to_pylist() for column in ("type", "name")), strict=True))
    return counts_table(
        [
            ("called", entity_type or "", name, " ".join(sorted(lookup_keys(name, entity_type).kept)), sign * n)
            for (entity_type, name), n in named.items()
            if name
        ]
    )


def linked_counts(before: Mapping[str, str], now: Mapping[str, str], entity_type: str) -> pa.Table:
    """What has changed in the names with which others are connected.

    >>> linked_counts({"Oz": "Oz", "Fiat": "Fiat"}, {"Oz": "Oz"}, "place").to_pylist()
    [{'what': 'linked', 'type': 'place', 'key': 'Fiat', 'value': 'Fiat', 'n': -1}]
    """
    changed = ((-1, before.items() - now.items()), (1, now.items() - before.items()))
    return counts_table(
        [("linked", entity_type, name, label, sign) for sign, rows in changed for name, label in sorted(rows)]
    )


def reading_counts(readings: Readings, entity_type: str, sign: int = 1) -> pa.Table:
    """As what names are read in topics, with a `sign` of −1 to take them off.

    >>> readings_of(reading_counts({(3, "Reagn"): "Reagan"}, "person").select(["key", "value"]))
    {(3, 'Reagn'): 'Reagan'}
    """
    rows = [
        ("reading", entity_type, str(topic), f"{name}{BETWEEN}{read}", sign) for (topic, name), read in readings.items()
    ]
    return counts_table(rows)


def all_readings(readings: Mapping[str, Readings | None]) -> pa.Table | None:
    """The readings of all types; None where those of one are not known.

    >>> all_readings({"person": {}, "place": None}) is None
    True
    """
    found = [reading_counts(own, kind) for kind, own in readings.items() if own is not None]
    return pa.concat_tables(found) if found and len(found) == len(readings) else None


def readings_of(counted: pa.Table) -> Readings:
    """What :func:`reading_counts` made of readings, from its columns key and value."""
    split = (value.partition(BETWEEN) for value in counted.column("value").to_pylist())
    topics = map(int, counted.column("key").to_pylist())
    return {(topic, name): read for topic, (name, _, read) in zip(topics, split, strict=True)}


def counts_of(profiles: Profiles, vectoriser: ContextVectoriser, sign: int = 1) -> pa.Table:
    """The counts of profiles, and of words as the vectoriser has counted them; with a `sign` of −1 to take them off.

    >>> from crossdoc.model import Profile
    >>> people = Profiles.of([Profile("a", "d", "Ann Lee", "person", "Ann Lee spoke")])
    >>> counts_of(people, ContextVectoriser().fit([["Ann Lee spoke"]])).to_pydict()["key"]
    ['ann', 'lee', 'spoke', 'lee']
    """
    rows: list[tuple[str, str, str, str, int]] = [
        ("word", "", word, "", n) for word, n in sorted(vectoriser.document_frequency.items())
    ]
    types = pc.fill_null(profiles.column("type"), "")
    for entity_type in sorted(pc.unique(types).to_pylist()):
        part = Profiles(profiles.arrow.filter(pc.equal(types, entity_type)))
        for last, bearers in NameCounts.of(part).bearers.items():
            rows += [("name", entity_type, last, first, n) for first, n in bearers.items()]
        for name in RELATED:
            rows += [(name, entity_type, unit, "", n) for unit, n in _related_counts(part, name).items()]
    table = counts_table(rows)
    return table if sign == 1 else table.set_column(4, COUNTS.field("n"), pc.multiply(table.column("n"), sign))


def counts_table(rows: list[tuple[str, str, str, str, int]]) -> pa.Table:
    return pa.table([pa.array([row[at] for row in rows], kind.type) for at, kind in enumerate(COUNTS)], schema=COUNTS)


def _related_counts(profiles: Profiles, name: str) -> Counter[str]:
    """In how many profiles each is named in a field, and under the empty string how many name anybody."""
    rows = related_rows(profiles, name)
    if rows.features is None or not rows.matrix.nnz:
        return Counter()
    counts = np.bincount(rows.matrix.indices, minlength=rows.matrix.shape[1]).tolist()
    counted = Counter(dict(zip(rows.features.tolist(), counts, strict=True)))
    counted[""] = int((np.diff(rows.matrix.indptr) > 0).sum())
    return counted


@dataclass(frozen=True, slots=True)
class Asked:
    """What has to be known of a collection to compare some of its profiles."""

    words: set[str] | None
    """None: all of them."""
    lasts: set[str]
    firsts: set[str]
    related: Mapping[str, set[str]]

    @classmethod
    def by(cls, profiles: Profiles, whole: bool = False) -> Asked:
        """Of the profiles' contexts; `whole`: whole documents count too.

        >>> from crossdoc.model import Profile
        >>> Asked.by(Profiles.of([Profile("a", "d", "Ann Lee", "person", "Ann spoke")])).lasts
        {'lee'}
        """
        words = None
        if not whole and len(profiles) < MANY:
            words = {word for text in profiles.column("context").to_pylist() for word in raw_words(text or "")}
        parsed = [parse_person(name) for name in set(profiles.column("name").to_pylist()) if name]
        related = {name: {"", *related_units(profiles, name)} for name in RELATED}
        return cls(words, {name.last for name in parsed}, {name.first for name in parsed}, related)
