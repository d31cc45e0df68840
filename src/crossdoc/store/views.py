"""Views of an answer for the explorer and its HTTP interface: plain dataclasses that serialise to JSON."""

from __future__ import annotations

from dataclasses import dataclass, field

from crossdoc.model.partition import Event
from crossdoc.store.history_table import Run, Score
from crossdoc.store.judgement_log import Entry


@dataclass(frozen=True, slots=True)
class Line:
    """An identity in a list."""

    id: str
    name: str
    descriptor: str
    type: str | None
    documents: int
    mentions: int
    first_year: int | None
    last_year: int | None
    certainty: float
    known: str | None = None
    """Its entry of the known list, if it has one."""
    known_probability: float | None = None
    snippet: str = ""
    """For a search by words: a line of a context that has them."""


@dataclass(frozen=True, slots=True)
class Page:
    """Some of the lines that were requested, and how many there are."""

    total: int
    rows: list[Line]
    took_ms: float = 0.0
    pending: bool = False
    """Whether words of contexts are still being indexed, so that some may be missing."""


@dataclass(frozen=True, slots=True)
class Facets:
    """Values of all filters, with the number of identities of each."""

    types: list[tuple[str | None, int]]
    languages: list[tuple[str, int]]
    years: list[tuple[int, int]]
    """Year of the first document, identities."""
    sizes: list[tuple[int, int]]
    """1, 2, 3, 5, 10, 20, 50 … documents or more (up to the next), identities."""
    certainty: list[tuple[float, int]]
    """0.0, 0.1 … 0.9 or more, identities."""


@dataclass(frozen=True, slots=True)
class FactLine:
    """A stated fact about an identity: its role, birthplace, nationality."""

    kind: str
    value: str
    sentence: str
    document: str | None
    profile: str
    count: int = 1
    """Number of profiles that state it."""


@dataclass(frozen=True, slots=True)
class RelationLine:
    """A stated relation of an identity, with the sentence that states it."""

    type: str
    name: str
    profile: str | None
    """The profile of the other entity, if it is known."""
    identity: str | None
    """The identity of that profile."""
    evidence: str
    document: str | None
    count: int = 1


@dataclass(frozen=True, slots=True)
class KnownLink:
    """The entry of a known list for an identity."""

    id: str
    name: str
    description: str
    probability: float


@dataclass(frozen=True, slots=True)
class Card:
    """Names, facts and relations of one identity."""

    line: Line
    variants: list[tuple[str, int]]
    facts: list[FactLine]
    relations: list[RelationLine]
    languages: list[tuple[str, int]]
    profiles: int
    """Number of profiles whose strongest identity it is."""
    known: KnownLink | None = None
    asked: str = ""
    """The requested id, if this identity replaced it."""


@dataclass(frozen=True, slots=True)
class MemberLine:
    """A profile as part of an identity."""

    profile: str
    document: str
    title: str | None
    date: str | None
    name: str
    membership: float
    snippet: str
    marked: tuple[int, int] | None = None
    """Span of the name in the snippet."""
    start: int | None = None
    """Start of its first mention in the document."""
    end: int | None = None
    first: bool = True
    """Whether this is its strongest identity."""


@dataclass(frozen=True, slots=True)
class DocumentLine:
    """A document in a list."""

    id: str
    title: str | None
    date: str | None
    source: str | None
    language: str | None
    mentions: int
    """Mentions of the requested identity."""
    names: list[str]
    start: int | None
    """Start of its first mention."""


@dataclass(frozen=True, slots=True)
class Span:
    """A mention in a text, and its identity."""

    start: int
    end: int
    identity: str | None
    name: str
    """Name of the identity."""
    type: str | None
    kind: str
    profile: str | None


@dataclass(frozen=True, slots=True)
class DocumentView:
    """A document with all mentions in it, in the order of the text; longer ones go before those within them."""

    id: str
    title: str | None
    date: str | None
    source: str | None
    language: str | None
    text: str
    spans: list[Span]
    profiles: int = 0


@dataclass(frozen=True, slots=True)
class Related:
    """An identity that is mentioned in the same documents."""

    line: Line
    documents: int
    """Documents that mention both."""
    types: list[str]
    """Types of the relations that are stated between them."""


@dataclass(frozen=True, slots=True)
class Maybe:
    """An identity that may be the same as another."""

    line: Line
    likely: float | None
    """Mean membership of the doubtful profiles in the other; None if only the name agrees."""
    profiles: int
    """Number of profiles that may belong to either."""
    reason: str
    """`shared` for doubtful profiles, or `name` for the same name."""
    a: str | None = None
    """A profile of this identity and one of the other, to compare."""
    b: str | None = None


@dataclass(frozen=True, slots=True)
class LogLine:
    """An entry of the log of judgements, and whether it is in force."""

    entry: Entry
    standing: bool


@dataclass(frozen=True, slots=True)
class ProfileView:
    """All that one document states about one entity."""

    id: str
    document: str
    title: str | None
    date: str | None
    source: str | None
    name: str
    type: str | None
    language: str | None
    context: str
    marked: list[tuple[int, int]]
    """Spans of its names in the context."""
    attributes: dict[str, list[str]]
    relations: list[RelationLine]
    identity: str | None
    identity_name: str | None
    membership: float | None
    others: list[tuple[str, str, float]] = field(default_factory=list)
    """Weaker identities: id, name, membership."""


@dataclass(frozen=True, slots=True)
class Overview:
    """Sizes, extremes and history of a collection."""

    sizes: dict[str, int]
    """Numbers of documents, mentions, profiles, identities and judgements."""
    facets: Facets
    ambiguous: list[tuple[str, int, int]]
    """Name, number of identities with this name, number of documents."""
    largest: list[Line]
    unsure: list[Line]
    """Large identities with the lowest certainty."""
    left_out: list[str]
    """Notes of the last run about data that it left out."""
    runs: list[Run]
    changes: list[Event]
    """The latest events."""
    known: int = 0
    """Number of identities with an entry of the known list."""
    scores: list[Score] = field(default_factory=list)
    """Scores that `crossdoc score --keep` stored."""


@dataclass(frozen=True, slots=True)
class Network:
    """Identities, and the number of documents that each two of them share."""

    nodes: list[Line]
    edges: list[tuple[str, str, int]]
