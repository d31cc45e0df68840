"""Which attributes and relations of profiles no specialist reads, so that a misspelt type is not ignored in silence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from crossdoc.compare.evidence import FACTS
from crossdoc.compare.fields import RELATED
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.specialists import all_specialists
from crossdoc.compare.specialists.base import Specialist, attribute_types, relation_types
from crossdoc.model import Profiles
from crossdoc.names.evidence_types import SHOWN_ATTRIBUTES, SHOWN_RELATIONS, plain_type, relation_type

WHOLE_PAGES = 4
"""Windows. A median context longer than this many windows gives a note; no answer depends on it."""
Kind = Literal["attribute", "relation"]
KINDS: tuple[Kind, ...] = ("attribute", "relation")


def types_read(kind: Kind, specialists: Iterable[Specialist[Any]]) -> dict[str, tuple[str, list[str]]]:
    """Each type that specialists declare: what it means, and the names of those that read it.

    >>> from crossdoc.compare.specialists import LifeDates
    >>> types_read("attribute", [LifeDates()])["age"]
    ('in years', ['life_dates'])
    """
    found: dict[str, tuple[str, list[str]]] = {}
    for specialist in specialists:
        declared = specialist.reads_attributes if kind == "attribute" else specialist.reads_relations
        for type, meaning in declared.items():
            known, readers = found.setdefault(type, (meaning, []))
            found[type] = (known or meaning, [*readers, specialist.name])
    return found


def unread_evidence(batches: Iterable[Profiles], specialists: Sequence[Specialist[Any]]) -> Counter[tuple[Kind, str]]:
    """Count the attributes and relations, by type as the profiles spell it, that no specialist reads.

    Attributes that crossdoc extracts only for display (a first name, a school) do not count.

    >>> from crossdoc.compare.specialists import default_specialists
    >>> from crossdoc.model import Profile, Relation
    >>> ann = Profile("1", "d", "Ann", attributes={"Born": ["1931"]}, relations=(Relation("employer", "IBM"),))
    >>> unread_evidence([Profiles.of([ann])], default_specialists())
    Counter({('relation', 'employer'): 1})
    """
    attributes = {plain_type(type) for type in (*types_read("attribute", specialists), *SHOWN_ATTRIBUTES)}
    relations = {plain_type(type) for type in (*types_read("relation", specialists), *SHOWN_RELATIONS)}
    counts: Counter[tuple[Kind, str]] = Counter()
    for batch in batches:
        for type, count in _counted(attribute_types(batch)):
            if plain_type(type) not in attributes:
                counts["attribute", type] += count
        for type, count in _counted(relation_types(batch)):
            if relation_type(type) not in relations:
                counts["relation", type.partition(":")[0].strip()] += count
    return counts


def has_more(profiles: Profiles, attributes: Collection[str], relations: Collection[str]) -> bool:
    """Whether any profile has more than a name, a context and the given attributes and relations.

    Attributes only for display do not count.
    """
    stated = {plain_type(type) for types in attribute_types(profiles) for type in types.unique().to_pylist() if type}
    related = {relation_type(type) for types in relation_types(profiles) for type in types.unique().to_pylist() if type}
    known = {plain_type(type) for type in (*attributes, *SHOWN_ATTRIBUTES)}
    return not (stated <= known and related <= {plain_type(type) for type in (*relations, *SHOWN_RELATIONS)})


def profile_notes(batches: Iterable[Profiles], model: LearnedModel, given: bool, window: int) -> list[str]:
    """Return notes on evidence in profiles that is not used, and on contexts that are much longer than expected.

    Parameters
    ----------
    given : whether the profiles come from another program.
    window : characters on each side of a name that are expected as its context.
    """
    if model.ensemble is not None:
        specialists = all_specialists()
        return unread_notes(unread_evidence(batches, specialists), specialists)
    facts = [FACTS[name]() for name in model.facts]
    attributes = sorted(types_read("attribute", facts))
    beside = {type for field in model.fields for type in RELATED.get(field, ((), None))[0]}
    relations = sorted(beside | set(types_read("relation", facts)))
    more, lengths = False, [np.zeros(0, dtype=np.int64)]
    for batch in batches if given else ():
        more = more or has_more(batch, attributes, relations)
        lengths.append(pc.fill_null(pc.utf8_length(batch.column("context")), 0).to_numpy().astype(np.int64))
    notes = []
    if more:
        notes.append(
            f"only names, contexts, the attributes {', '.join(attributes)} and the relations "
            f"{', '.join(relations)} of the profiles count; "
            "`crossdoc train` makes a model for --model that can use others"
        )
    every = np.concatenate(lengths)
    half = int(np.median(every)) if len(every) else 0
    if half > WHOLE_PAGES * 2 * window:
        notes.append(
            f"half of the contexts have more than {half:,} characters, which suggests whole pages; about "
            f"{2 * window:,} around a name are expected. People on pages that are similar for other reasons may be "
            "merged (`crossdoc extract` makes profiles from documents)"
        )
    return notes


def _counted(columns: Iterable[pa.Array]) -> Iterator[tuple[str, int]]:
    for column in columns:
        yield from ((cell["values"], cell["counts"]) for cell in column.value_counts().to_pylist() if cell["values"])


def unread_notes(unread: Mapping[tuple[Kind, str], int], specialists: Sequence[Specialist[Any]]) -> list[str]:
    """Notes for the user on the counts of :func:`unread_evidence`: one on attributes and one on relations."""
    notes = []
    for kind in KINDS:
        found = sorted(((-count, type) for (of, type), count in unread.items() if of == kind and count))
        if found:
            counts = {type: -count for count, type in found}
            notes.append(_unread_types(kind, counts, sorted(types_read(kind, specialists))))
    return notes


def _unread_types(kind: str, counts: Mapping[str, int], known: Sequence[str], most: int = 10) -> str:
    """A note, not an error: the answer is there, without this evidence."""
    shown = [f"{type!r} ({count:,})" for type, count in counts.items()]
    more = [f"… and {len(shown) - most:,} more"] if len(shown) > most else []
    return (
        f"no specialist reads the {kind} types {', '.join([*shown[:most], *more])}, so they have no effect; "
        f"known types are {', '.join(known)} (`crossdoc formats` explains them)"
    )
