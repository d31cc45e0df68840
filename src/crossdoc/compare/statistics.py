"""Counts over all texts and profiles of a collection.

They let some profiles be compared exactly as among all of them: how usual a word, a name or a related person is
depends on the full collection. Statistics add up: those of A and B are those of the two collections together, and
subtracting B gives back those of A. The store keeps them in tables of the same shape (`store/collection_tables.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from crossdoc.compare.fields import RELATED, Usual, related_rows, related_units
from crossdoc.compare.name_prior import NameCounts, people_named, share_of_personal
from crossdoc.compare.vectors import ContextVectoriser, raw_words
from crossdoc.model import Profiles
from crossdoc.names import parse_person
from crossdoc.names.index import lookup_keys

Key = TypeVar("Key")
MANY_PROFILES = 200
"""Profiles. Above this, reading all word counts is faster than looking up the words of the profiles."""


@dataclass
class TypeStatistics:
    """Counts of the profiles of one entity type."""

    bearers: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By last and first name, which may be empty: mentions as a profile or as a related person."""
    names: Counter[str] = field(default_factory=Counter)
    """By name: profiles."""
    related: dict[str, Counter[str]] = field(default_factory=dict)
    """By field and unit: profiles that state it; under the empty string, profiles that state anything."""

    @classmethod
    def of(cls, profiles: Profiles) -> TypeStatistics:
        """Count the profiles of one type."""
        names = Counter(name for name in profiles.column("name").to_pylist() if name)
        bearers = Counter[tuple[str, str]]()
        for name, n in people_named(profiles).items():
            parsed = parse_person(name)
            if parsed.last:
                bearers[parsed.last, parsed.first] += n
        return cls(bearers, names, {name: _count_related(profiles, name) for name in RELATED})

    def counts(self) -> TypeCounts:
        """Return the counts that evidence about profiles of this type uses."""
        firsts = Counter(first for _, first in self.bearers if first)
        personal = share_of_personal(first for _, first in self.bearers if first)
        rows = ((last, first, n) for (last, first), n in self.bearers.items())
        names = NameCounts.from_counts(rows, firsts, firsts.total(), sum(self.bearers.values()), personal)
        return TypeCounts(names, {name: (units[""], units) for name, units in self.related.items()})


@dataclass
class Statistics:
    """Counts of a collection.

    >>> from crossdoc.model import Profile
    >>> ann, bo = (Profiles.of([Profile(id, "d", name, "person", "spoke")]) for id, name in (("a", "Ann"), ("b", "Bo")))
    >>> both = Statistics.of(Profiles(pa.concat_tables([ann.arrow, bo.arrow])), [["spoke", "spoke"]])
    >>> Statistics.of(ann, [["spoke"]]) + Statistics.of(bo, [["spoke"]]) == both
    True
    >>> both - Statistics.of(bo, [["spoke"]]) == Statistics.of(ann, [["spoke"]])
    True
    """

    texts: int = 0
    """Documents, or profiles of a collection without documents."""
    words: Counter[str] = field(default_factory=Counter)
    """By word: texts that contain it."""
    types: dict[str, TypeStatistics] = field(default_factory=dict)
    """By entity type, the empty string for profiles without one."""

    @classmethod
    def of(cls, profiles: Profiles, texts: Iterable[Iterable[str] | pa.ChunkedArray] = ()) -> Statistics:
        """Count profiles, and texts given in batches."""
        counted = ContextVectoriser().fit(texts)
        return cls(counted.document_count, counted.document_frequency, count_types(profiles))

    def vectoriser(self, words: Iterable[str] | None = None) -> ContextVectoriser:
        """Return a vectoriser with the frequencies of all words; the store's version reads some of them."""
        return ContextVectoriser(self.texts, self.words)

    def type_counts(self, lookups: Mapping[str, Lookup]) -> dict[str, TypeCounts]:
        """Return by type the counts that evidence looks up."""
        return {entity_type: self.types.get(entity_type, TypeStatistics()).counts() for entity_type in lookups}

    def __add__(self, other: Statistics) -> Statistics:
        return self._combine(other, 1)

    def __sub__(self, other: Statistics) -> Statistics:
        return self._combine(other, -1)

    def _combine(self, other: Statistics, sign: int) -> Statistics:
        types = {}
        for entity_type in self.types.keys() | other.types.keys():
            left, right = (each.types.get(entity_type, TypeStatistics()) for each in (self, other))
            combined = TypeStatistics(
                _combined(left.bearers, right.bearers, sign),
                _combined(left.names, right.names, sign),
                {
                    name: _combined(left.related.get(name, Counter()), right.related.get(name, Counter()), sign)
                    for name in RELATED
                },
            )
            if combined.bearers or combined.names or any(combined.related.values()):
                types[entity_type] = combined
        return Statistics(
            self.texts + sign * other.texts,
            _combined(self.words, other.words, sign),
            types,
        )

    def tables(self, sign: int = 1) -> dict[str, pa.Table]:
        """Return rows for the tables of `store/collection_tables.py`; a `sign` of −1 subtracts them.

        >>> Statistics(1, Counter({"ode": 1})).tables(-1)["word_counts"].to_pylist()
        [{'word': 'ode', 'n': -1}]
        """
        typed = sorted(self.types.items())
        return {
            "word_counts": _table(("word",), (((word,), sign * n) for word, n in sorted(self.words.items()))),
            "bearers": _table(
                ("type", "last", "first"),
                (((kind, *name), sign * n) for kind, own in typed for name, n in own.bearers.items()),
            ),
            "spellings": _table(
                ("type", "name", "keys"),
                (
                    ((kind, name, " ".join(sorted(lookup_keys(name, kind).kept))), sign * n)
                    for kind, own in typed
                    for name, n in own.names.items()
                ),
            ),
            "related_counts": _table(
                ("type", "field", "unit"),
                (
                    ((kind, field, unit), sign * n)
                    for kind, own in typed
                    for field, units in own.related.items()
                    for unit, n in units.items()
                ),
            ),
        }


def _table(keys: tuple[str, ...], rows: Iterable[tuple[tuple[str, ...], int]]) -> pa.Table:
    listed = list(rows)
    columns = {key: pa.array([row[at] for row, _ in listed], pa.string()) for at, key in enumerate(keys)}
    return pa.table({**columns, "n": pa.array([n for _, n in listed], pa.int64())})


def capital_rows(listed: Iterable[tuple[int, int, int]], sign: int = 1) -> pa.Table:
    """Return the rows of `CaseCounts.listed` for the store; a `sign` of −1 subtracts them."""
    slot, form, n = np.array(list(listed), dtype=np.int64).reshape(-1, 3).T
    return pa.table({"slot": slot.astype(np.int32), "form": form.astype(np.int32), "n": sign * n})


def topic_rows(topic_of: Mapping[str, int], sign: int = 1) -> pa.Table:
    """Return the topics of documents for the store; a `sign` of −1 removes them."""
    columns = {"document": pa.array(topic_of, pa.string()), "topic": pa.array(topic_of.values(), pa.int64())}
    return pa.table({**columns, "n": pa.array([sign] * len(topic_of), pa.int64())})


def reading_rows(readings: Mapping[tuple[int, str], str], entity_type: str, sign: int = 1) -> pa.Table:
    """Return the readings of names for the store; a `sign` of −1 removes them."""
    return pa.table(
        {
            "type": pa.array([entity_type] * len(readings), pa.string()),
            "topic": pa.array([topic for topic, _ in readings], pa.int64()),
            "name": pa.array([name for _, name in readings], pa.string()),
            "reading": pa.array(readings.values(), pa.string()),
            "n": pa.array([sign] * len(readings), pa.int64()),
        }
    )


def all_readings(readings: Mapping[str, Mapping[tuple[int, str], str] | None]) -> pa.Table | None:
    """Return the readings of all types for the store; None if those of one type are not known.

    >>> all_readings({"person": {}, "place": None}) is None
    True
    """
    found = [reading_rows(own, kind) for kind, own in readings.items() if own is not None]
    return pa.concat_tables(found) if found and len(found) == len(readings) else None


def linked_rows(before: Mapping[str, str], now: Mapping[str, str], entity_type: str) -> pa.Table:
    """Return the changes of connected names for the store.

    >>> linked_rows({"Oz": "Oz", "Fiat": "Fiat"}, {"Oz": "Oz"}, "place").to_pylist()
    [{'type': 'place', 'name': 'Fiat', 'label': 'Fiat', 'n': -1}]
    """
    changed = ((-1, before.items() - now.items()), (1, now.items() - before.items()))
    rows = [((entity_type, *names), sign) for sign, found in changed for names in sorted(found)]
    return _table(("type", "name", "label"), rows)


def count_types(profiles: Profiles) -> dict[str, TypeStatistics]:
    """Count the profiles of each entity type."""
    types = pc.fill_null(profiles.column("type"), "")
    return {
        entity_type: TypeStatistics.of(Profiles(profiles.arrow.filter(pc.equal(types, entity_type))))
        for entity_type in sorted(pc.unique(types).to_pylist())
    }


def _combined(left: Counter[Key], right: Counter[Key], sign: int) -> Counter[Key]:
    found = Counter(left)
    for key, n in right.items():
        found[key] += sign * n
    return Counter({key: n for key, n in found.items() if n})


def _count_related(profiles: Profiles, name: str) -> Counter[str]:
    rows = related_rows(profiles, name)
    if rows.features is None or not rows.matrix.nnz:
        return Counter()
    counts = np.bincount(rows.matrix.indices, minlength=rows.matrix.shape[1]).tolist()
    counted = Counter(dict(zip(rows.features.tolist(), counts, strict=True)))
    counted[""] = int((np.diff(rows.matrix.indptr) > 0).sum())
    return counted


@dataclass(frozen=True, slots=True)
class TypeCounts:
    """Counts that evidence about profiles of one type uses."""

    names: NameCounts = field(default_factory=lambda: NameCounts(()))
    related: Mapping[str, Usual] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Lookup:
    """Keys that have to be looked up in the statistics to compare some profiles."""

    words: set[str] | None
    """None means all words."""
    lasts: set[str]
    firsts: set[str]
    related: Mapping[str, set[str]]

    @classmethod
    def of(cls, profiles: Profiles, texts: Iterable[str] | None = (), names: Iterable[str] = ()) -> Lookup:
        """Return the keys of profiles, of the `texts` compared with them (None: very many) and of further `names`.

        >>> from crossdoc.model import Profile
        >>> Lookup.of(Profiles.of([Profile("a", "d", "Ann Lee", "person", "Ann spoke")])).lasts
        {'lee'}
        """
        words = None
        if texts is not None and len(profiles) < MANY_PROFILES:
            contexts = (text or "" for text in profiles.column("context").to_pylist())
            words = {word for source in (contexts, texts) for text in source for word in raw_words(text)}
        parsed = [parse_person(name) for name in {*profiles.column("name").to_pylist(), *names} if name]
        related = {name: {"", *related_units(profiles, name)} for name in RELATED}
        return cls(words, {name.last for name in parsed}, {name.first for name in parsed}, related)
