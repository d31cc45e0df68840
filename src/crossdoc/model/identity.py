"""Identities as people read them: the name, descriptor, variants, dates and certainty of a cluster of profiles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from crossdoc.lang.en import state_named
from crossdoc.model.evidence_protocol import Vectors
from crossdoc.model.partition import Partition
from crossdoc.model.rows import Documents, Mentions, Profiles
from crossdoc.names import TITLES, fold
from crossdoc.names.evidence_types import plain_type
from crossdoc.names.words import is_ordinary_word


@dataclass(frozen=True, slots=True)
class Facts:
    """Data that describe identities in addition to their profiles."""

    variants: Mapping[str, list[str]] = field(default_factory=dict)
    """By profile the names that its document uses for it."""
    mention_counts: Mapping[str, int] = field(default_factory=dict)
    dates: Mapping[str, str] = field(default_factory=dict)
    """By document."""

    @classmethod
    def of(cls, mentions: Mentions | None, documents: Documents | None) -> Facts:
        named: dict[str, set[str]] = {}
        counted: Counter[str] = Counter()
        for mention in mentions or ():
            counted[mention.chain or ""] += 1
            if mention.kind == "name":
                named.setdefault(mention.chain or "", set()).add(mention.text)
        columns = () if documents is None else (documents.column(name).to_pylist() for name in ("id", "date"))
        dates = {id: date for id, date in zip(*columns, strict=True) if date is not None}
        return cls({profile: sorted(names) for profile, names in named.items()}, counted, dates)


@dataclass(frozen=True, slots=True)
class Member:
    """A profile as a part of an identity.

    Parameters
    ----------
    profile : str
        The id of the profile.
    document : str
        The id of its document.
    name : str
        The name that the document uses.
    membership : float
        How much the profile belongs to the identity, from 0 to 1.
    snippet : str, default ""
        The words around the name.

    Examples
    --------
    >>> Member("a:0:10", "a", "John Smith", 0.9).membership
    0.9
    """

    profile: str
    document: str
    name: str
    membership: float
    snippet: str = ""


@dataclass(frozen=True, slots=True)
class KnownEntry:
    """Entry of a known list: an authority file, a watch list, a list of customers."""

    id: str
    name: str
    aliases: tuple[str, ...] = ()
    type: str | None = None
    """None: it may be of any."""
    description: str = ""
    attributes: dict[str, list[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Appearance:
    """An identity in a document, under these names."""

    entity: str
    document: str
    names: list[str]


@dataclass(frozen=True, slots=True)
class Identity:
    """One real person, organisation or place, as a person would want to read it.

    Parameters
    ----------
    id : str
        The id, kept from run to run.
    name : str
        The name that a person reads.
    type : str or None
        "person", "organisation" or "place", if it is known.
    descriptor : str
        What the documents say it is.
    variants : dict[str, int]
        Every name it goes by, with the number of profiles, commonest first.
    n_documents : int
        How many documents name it.
    n_mentions : int
        How many mentions it has.
    first_date : str or None
        The earliest date of its documents.
    last_date : str or None
        The latest date of its documents.
    certainty : float
        How sure the answer is, from 0 to 1: the mean membership of its hard members.
    members : tuple[Member, ...], default ()
        Its profiles, the surest first.
    known : str or None, default None
        The id of the entry of a known list that it is.
    known_probability : float or None, default None
        How likely it is that entry.

    Examples
    --------
    >>> smith = Identity("a", "John Smith", "person", "chairman", {"John Smith": 2}, 2, 2, None, None, 0.9)
    >>> str(smith)
    'John Smith (chairman)'
    >>> smith
    <Identity a: John Smith (chairman), person, 2 documents, certainty 0.90>
    """

    id: str
    name: str
    type: str | None
    descriptor: str
    variants: dict[str, int]
    n_documents: int
    n_mentions: int
    first_date: str | None
    last_date: str | None
    certainty: float
    members: tuple[Member, ...] = ()
    known: str | None = None
    known_probability: float | None = None

    def with_members(self, members: Iterable[Member]) -> Identity:
        return replace(self, members=tuple(members))

    def __str__(self) -> str:
        return f"{self.name} ({self.descriptor})" if self.descriptor else self.name

    def __repr__(self) -> str:
        kind = f", {self.type}" if self.type else ""
        return f"<Identity {self.id}: {self}{kind}, {self.n_documents} documents, certainty {self.certainty:.2f}>"


DESCRIPTOR_WORDS = 3
TOO_COMMON = 0.1
"""Share of profiles. More common words are not used as key words. Ignored for fewer than `FEW` profiles."""
FEW = 50
TELLING_RELATIONS = ("employment", "ownership", "family", "education")
"""Relations that describe an entity: "chairman of General Motors"."""
LONGEST_SHOWN = 4
"""Letters. A name in capitals of at most so many is shown as it is, like an acronym. Set by hand."""
LEAST_FULL = 0.1
"""Share of a person's profiles. A full name must be used by this share to be shown."""


def describe(
    partition: Partition,
    profiles: Profiles,
    facts: Facts,
    key_words: list[str] | None = None,
    given: Mapping[str, tuple[int, str]] | None = None,
) -> Iterator[Identity]:
    """Yield one identity for each cluster that is the best of a profile; `key_words` describe it if no profile does.

    `given` has names given by users, by a profile of the identity, each with a number: the highest counts.
    """
    # Profiles from another extractor come without mentions: each counts as at least one.
    unlisted = 0 if facts.mention_counts else 1
    documents, names, types = (profiles.column(name).to_pylist() for name in ("document", "name", "type"))
    attributes, relations = profiles.column("attributes"), profiles.column("relations")
    # Reading a cell takes microseconds, and in a table of links all cells are empty.
    has_attributes, has_relations = _filled(attributes), _filled(relations)
    order = np.argsort(partition.labels, kind="stable")
    bounds = np.searchsorted(partition.labels[order], np.arange(partition.n_clusters + 1))
    # All at once: reading a few cells of a sparse matrix takes a millisecond.
    own = partition.membership.max(axis=1).toarray().ravel() if partition.n_clusters else np.zeros(0)
    for cluster in range(partition.n_clusters):
        rows = order[bounds[cluster] : bounds[cluster + 1]]
        if not len(rows):
            continue
        ids = [partition.ids[row] for row in rows]
        counted, described, related = Counter[str](), Counter[str](), Counter[str]()
        for row, profile in zip(rows.tolist(), ids, strict=True):
            counted.update(set(facts.variants.get(profile) or [names[row]]))
            for key, values in attributes[row].as_py() if has_attributes[row] else []:
                if plain_type(key) == "descriptor":
                    described.update(set(values))
            if has_relations[row]:
                related.update(set(_roles(relations[row].as_py(), types[row])))
        entity_type = Counter(types[row] for row in rows).most_common(1)[0][0]
        named_in = {documents[row] for row in rows}
        dates = sorted(facts.dates[document] for document in named_in if document in facts.dates)
        descriptor = most_said(described) or most_said(related)
        # Words near a place are about events there, not about the place.
        if not descriptor and key_words and entity_type != "place":
            descriptor = key_words[cluster]
        yield Identity(
            id=partition.entities[cluster],
            name=given_name(ids, given or {}) or canonical_name(counted, entity_type),
            type=entity_type,
            descriptor=descriptor,
            variants=dict(sorted(counted.items(), key=lambda item: (-item[1], item[0]))),
            n_documents=len(named_in),
            n_mentions=sum(facts.mention_counts.get(profile, unlisted) for profile in ids),
            first_date=dates[0] if dates else None,
            last_date=dates[-1] if dates else None,
            certainty=float(own[rows].mean()),
        )


def _filled(column: pa.ChunkedArray) -> npt.NDArray[np.bool_]:
    """Return which cells of a column of lists or maps are not empty.

    >>> _filled(pa.chunked_array([[[1], None], [[], [2, 3]]])).tolist()
    [True, False, False, True]
    """
    lengths = [np.where(chunk.is_valid(), np.diff(chunk.offsets), 0) for chunk in column.chunks]
    return np.concatenate([np.zeros(0, dtype=np.int64), *lengths]) > 0


def given_name(ids: Iterable[str], given: Mapping[str, tuple[int, str]]) -> str:
    """Return the last name that a user gave to the identity of these profiles, if any."""
    return max((given[id] for id in ids if id in given), default=(0, ""))[1]


def most_said(texts: Mapping[str, int]) -> str:
    """Return the description with most votes: its own, and those of all that it contains.

    A description less than half as frequent as another is no candidate, whatever it contains. Ties go to the commoner,
    then to the longer one.

    >>> most_said({"chairman": 3, "chairman of General Motors": 2, "lawyer": 4})
    'chairman of General Motors'
    >>> most_said({"chairman": 3, "chairman of a chess club": 1})
    'chairman'
    """
    words = {text: frozenset(text.lower().split()) for text in texts}
    common = [text for text in texts if 2 * texts[text] >= max(texts.values())]

    def votes(text: str) -> tuple[int, int, int, str]:
        contained = sum(texts[other] for other in texts if words[other] <= words[text])
        return contained, texts[text], len(text), text

    return max(common, key=votes, default="")


def _roles(relations: Iterable[Mapping[str, str | None]], entity_type: str | None) -> Iterator[str]:
    """Yield relations as text: "employment:chairman" to General Motors is "chairman of General Motors".

    For the company itself it is "chairman Ann Lee".
    """
    for relation in relations:
        kind, _, role = plain_type(relation["type"] or "").partition(":")
        if kind in TELLING_RELATIONS and role and relation["name"] and entity_type != "place":
            yield f"{role} {'of ' if entity_type == 'person' else ''}{relation['name']}"


def canonical_name(variants: Mapping[str, int], entity_type: str | None = None) -> str:
    """Return the variant with the largest product of profiles that use it and words.

    A variant in capitals counts for the same name in small letters, and an abbreviated state for its full name. A
    person's full name goes before the surname alone if it is not rare.

    >>> canonical_name({"Bush": 10, "George W. Bush": 5, "George Bush": 3})
    'George W. Bush'
    >>> canonical_name({"NEW YORK": 9, "New York": 1, "N.Y.": 20}, "place")
    'New York'
    """
    counted: Counter[str] = Counter()
    small = [name for name in variants if not name.isupper()]
    # The commonest way to write it, but "Opec" is no better than "OPEC".
    mixed = {name.casefold(): name for name in sorted(small, key=lambda name: (variants[name], name))}
    if entity_type == "organisation":
        mixed = {key: name for key, name in mixed.items() if " " in name}
    for name, count in variants.items():
        full = state_named(name) if entity_type == "place" else None
        if full is not None and full in variants:
            name = full
        counted[mixed.get(name.casefold()) or _in_small_letters(name, entity_type)] += count
    if entity_type == "person":
        least = LEAST_FULL * max(counted.values(), default=0)
        plain = {name: count for name, count in counted.items() if not _is_headline(name, counted)}
        full_names = {name: count for name, count in plain.items() if " " in name and count >= least}
        counted = Counter(full_names or plain or counted)
    return max(counted, key=lambda name: (counted[name] * len(name.split()), len(name), name), default="")


def _is_headline(name: str, counted: Mapping[str, int]) -> bool:
    """Return whether a name occurs once, is opened by an ordinary word, and ends with another form.

    Words before a name in a headline have capitals, too. A title also opens names outside of headlines. Lists of
    ordinary words have foreign first names ("Saddam"), so that a name that occurs again is no headline.

    >>> counted = {"Reagan": 5, "Affair Diminishes Reagan": 1, "Ronald Reagan": 1, "President Reagan": 1}
    >>> [_is_headline(name, counted) for name in counted]
    [False, True, False, False]
    """
    words = name.split()
    opens = fold(words[0])
    if counted[name] > 1 or opens in TITLES or not is_ordinary_word(opens):
        return False
    return any(" ".join(words[end:]) in counted for end in range(1, len(words)))


def _in_small_letters(name: str, entity_type: str | None) -> str:
    """Return a name that occurs in capitals only as it is usually written; an organisation's may be an acronym."""
    if not name.isupper() or "." in name or len(name) <= LONGEST_SHOWN or entity_type not in ("person", "place"):
        return name
    return " ".join(word.capitalize() for word in name.split())


def key_words(partition: Partition, vectors: Vectors) -> list[str]:
    """Return the heaviest context words of each cluster, without very common ones."""
    if vectors.features is None or not len(partition):
        return [""] * partition.n_clusters
    total = (partition.harden().membership.T @ vectors.matrix).tocsr()
    spread = np.bincount(vectors.matrix.indices, minlength=vectors.matrix.shape[1])
    telling = (spread <= TOO_COMMON * len(partition)) | (len(partition) < FEW)
    distinct = np.unique(partition.labels[partition.labels >= 0])
    words = [""] * partition.n_clusters
    for row, cluster in enumerate(distinct):
        part = slice(total.indptr[row], total.indptr[row + 1])
        ordered = total.indices[part][np.argsort(-total.data[part], kind="stable")]
        words[cluster] = ", ".join(vectors.features[ordered[telling[ordered]][:DESCRIPTOR_WORDS]])
    return words
