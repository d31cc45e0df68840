"""Views of an answer for the explorer and its HTTP interface: plain dataclasses that serialise to JSON."""

from __future__ import annotations

from dataclasses import dataclass, field

from crossdoc.model.partition import Event
from crossdoc.store.history_table import Run
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
    known_probability: float | None = None
    snippet: str = ""
    """For a search by words: a line of a context that has them."""


@dataclass(frozen=True, slots=True)
class Page:
    """Some of the lines that were requested, and how many there are."""

    total: int
    rows: list[Line]
    took_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class Facets:
    """Values of all filters (years of the first document), with the number of identities of each."""

    types: list[tuple[str | None, int]]
    languages: list[tuple[str, int]]
    years: list[tuple[int, int]]
    sizes: list[tuple[int, int]]
    """1, 2, 3, 5, 10, 20, 50 … documents or more (up to the next), identities."""
    certainty: list[tuple[float, int]]


@dataclass(frozen=True, slots=True)
class FactLine:
    """A stated fact about an identity (role, birthplace, nationality), and how many profiles state it."""

    kind: str
    value: str
    sentence: str
    document: str | None
    profile: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class RelationLine:
    """A stated relation with the sentence that states it, and the other entity's profile and identity, if known."""

    type: str
    name: str
    profile: str | None
    identity: str | None
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
    """Names, facts and relations of one identity, and the number of its profiles."""

    line: Line
    variants: list[tuple[str, int]]
    facts: list[FactLine]
    relations: list[RelationLine]
    languages: list[tuple[str, int]]
    profiles: int
    known: KnownLink | None = None
    asked: str = ""
    """The requested id, if this identity replaced it."""


@dataclass(frozen=True, slots=True)
class MemberLine:
    """A profile as part of an identity; spans of its first mention, and of its name in the snippet (`marked`)."""

    profile: str
    document: str
    title: str | None
    date: str | None
    name: str
    membership: float
    snippet: str
    marked: tuple[int, int] | None = None
    start: int | None = None
    end: int | None = None
    first: bool = True
    """Whether this is its strongest identity."""


@dataclass(frozen=True, slots=True)
class DocumentLine:
    """A document in a list, with the mentions of one identity in it."""

    id: str
    title: str | None
    date: str | None
    source: str | None
    language: str | None
    mentions: int
    names: list[str]
    start: int | None


@dataclass(frozen=True, slots=True)
class Span:
    """A mention in a text, with its identity and the name of that."""

    start: int
    end: int
    identity: str | None
    name: str
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
    """An identity that is mentioned in the same documents (how many), and the relations stated between the two."""

    line: Line
    documents: int
    types: list[str]


@dataclass(frozen=True, slots=True)
class Maybe:
    """An identity that may be the same as another."""

    line: Line
    likely: float | None
    """Mean membership of the doubtful profiles in the other; None if only the name agrees."""
    profiles: int
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
    """All that one document states about one entity, with the spans of its names and its weaker identities."""

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
    attributes: dict[str, list[str]]
    relations: list[RelationLine]
    identity: str | None
    identity_name: str | None
    membership: float | None
    others: list[tuple[str, str, float]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Overview:
    """Sizes, extremes, and latest events of a collection, and notes on what the last run left out."""

    sizes: dict[str, int]
    facets: Facets
    ambiguous: list[tuple[str, int, int]]
    """Name, number of identities with this name, number of documents."""
    largest: list[Line]
    unsure: list[Line]
    """Large identities with the lowest certainty."""
    left_out: list[str]
    runs: list[Run]
    changes: list[Event]
    known: int = 0


@dataclass(frozen=True, slots=True)
class Network:
    """Identities, and the number of documents that each two of them share."""

    nodes: list[Line]
    edges: list[tuple[str, str, int]]
