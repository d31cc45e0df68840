"""Counts over all texts and profiles of a collection.

They let some profiles be compared exactly as among all of them: how usual a word, a name or a related person is
depends on the full collection. Statistics add up: those of A and B are those of the two collections together, and
subtracting B gives back those of A. The store keeps them in tables of the same shape (`store/collection_tables.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

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
_NUMBERS = frozenset({"slot", "form", "topic"})
"""Columns of integers; the others are texts."""
MANY_PROFILES = 200
"""Profiles. Above this, reading all word counts is faster than looking up the words of the profiles."""


@dataclass
class Statistics:
    """Counts of a collection. Entity types are the empty string for profiles without one.

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
    bearers: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """By entity type, last and first name, which may be empty: mentions as a profile or as a related person."""
    names: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By entity type and name: profiles."""
    related: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """By entity type, field and unit: profiles that state it; the empty unit is of profiles that state anything."""

    @classmethod
    def of(cls, profiles: Profiles, texts: Iterable[Iterable[str] | pa.ChunkedArray] = ()) -> Statistics:
        """Count profiles, and texts given in batches."""
        counted = ContextVectoriser().fit(texts)
        found = cls(counted.document_count, counted.document_frequency)
        types = pc.fill_null(profiles.column("type"), "")
        for kind in pc.unique(types).to_pylist():
            own = Profiles(profiles.arrow.filter(pc.equal(types, kind)))
            found.names.update((kind, name) for name in own.column("name").to_pylist() if name)
            for name, n in people_named(own).items():
                parsed = parse_person(name)
                if parsed.last:
                    found.bearers[kind, parsed.last, parsed.first] += n
            for name in RELATED:
                found.related.update({(kind, name, unit): n for unit, n in _count_related(own, name).items()})
        return found

    def type_counts(self, types: Iterable[str]) -> dict[str, TypeCounts]:
        """Return by type the counts that evidence uses."""
        found = {}
        for wanted in types:
            rows = [(last, first, n) for (kind, last, first), n in self.bearers.items() if kind == wanted]
            firsts = Counter(first for _, first, _ in rows if first)
            personal = share_of_personal(first for _, first, _ in rows if first)
            names = NameCounts.from_counts(rows, firsts, firsts.total(), sum(n for *_, n in rows), personal)
            units: dict[str, dict[str, int]] = {name: {} for name in RELATED}
            for (kind, name, unit), n in self.related.items():
                if kind == wanted:
                    units[name][unit] = n
            found[wanted] = TypeCounts(names, {name: (own.get("", 0), own) for name, own in units.items()})
        return found

    def __add__(self, other: Statistics) -> Statistics:
        return self._combine(other, 1)

    def __sub__(self, other: Statistics) -> Statistics:
        return self._combine(other, -1)

    def _combine(self, other: Statistics, sign: int) -> Statistics:
        combined = [
            _combined(getattr(self, each), getattr(other, each), sign)
            for each in ("words", "bearers", "names", "related")
        ]
        return Statistics(self.texts + sign * other.texts, *combined)

    def tables(self, sign: int = 1) -> dict[str, pa.Table]:
        """Return rows for the tables of `store/collection_tables.py`; a `sign` of −1 subtracts them.

        >>> Statistics(1, Counter({"ode": 1})).tables(-1)["word_counts"].to_pylist()
        [{'word': 'ode', 'n': -1}]
        """
        keys = {(kind, name): " ".join(sorted(lookup_keys(name, kind).kept)) for kind, name in self.names}
        spelt = {(*each, keys[each]): n for each, n in self.names.items()}
        return {
            "word_counts": _table(("word",), {(word,): n for word, n in self.words.items()}, sign),
            "bearers": _table(("type", "last", "first"), self.bearers, sign),
            "spellings": _table(("type", "name", "keys"), spelt, sign),
            "related_counts": _table(("type", "field", "unit"), self.related, sign),
        }


def _table(keys: tuple[str, ...], counts: Mapping[tuple[Any, ...], int], sign: int = 1) -> pa.Table:
    listed = sorted(counts)
    columns = {
        key: pa.array([row[at] for row in listed], pa.int64() if key in _NUMBERS else pa.string())
        for at, key in enumerate(keys)
    }
    return pa.table({**columns, "n": pa.array([sign * counts[row] for row in listed], pa.int64())})


def capital_rows(listed: Iterable[tuple[int, int, int]], sign: int = 1) -> pa.Table:
    """Return the rows of `CaseCounts.listed` for the store; a `sign` of −1 subtracts them."""
    return _table(("slot", "form"), {(slot, form): n for slot, form, n in listed}, sign)


def topic_rows(topic_of: Mapping[str, int], sign: int = 1) -> pa.Table:
    """Return the topics of documents for the store; a `sign` of −1 removes them."""
    return _table(("document", "topic"), dict.fromkeys(topic_of.items(), sign))


def reading_rows(readings: Mapping[tuple[int, str], str], entity_type: str, sign: int = 1) -> pa.Table:
    """Return the readings of names for the store; a `sign` of −1 removes them."""
    rows = [(entity_type, *each, reading) for each, reading in readings.items()]
    return _table(("type", "topic", "name", "reading"), dict.fromkeys(rows, sign))


def all_readings(readings: Mapping[str, Mapping[tuple[int, str], str]]) -> pa.Table:
    """Return the readings of all types for the store."""
    return pa.concat_tables([reading_rows(own, kind) for kind, own in readings.items()])


def linked_rows(before: Mapping[str, str], now: Mapping[str, str], entity_type: str) -> pa.Table:
    """Return the changes of connected names for the store.

    >>> linked_rows({"Oz": "Oz", "Fiat": "Fiat"}, {"Oz": "Oz"}, "place").to_pylist()
    [{'type': 'place', 'name': 'Fiat', 'label': 'Fiat', 'n': -1}]
    """
    changed = ((-1, before.items() - now.items()), (1, now.items() - before.items()))
    return _table(
        ("type", "name", "label"), {(entity_type, *names): sign for sign, found in changed for names in found}
    )


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
