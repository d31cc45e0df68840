"""What there is to see of an answer: lines, cards, documents, explanations; plain dataclasses that turn into JSON."""

from __future__ import annotations

from dataclasses import dataclass, field

from crossdoc.lineage import Event
from crossdoc.store.judgement_log import Entry
from crossdoc.store.runs import Run, Score


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
    """The entry of the known list that it is, if it is any."""
    known_probability: float | None = None
    snippet: str = ""
    """For a search by words: a place in the contexts that has them."""


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
    """How many identities there are of each kind: what filters can be set to."""

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
    """Something that is said about an identity: its role, birthplace, nationality."""

    kind: str
    value: str
    sentence: str
    document: str | None
    profile: str
    count: int = 1
    """How many profiles say so."""


@dataclass(frozen=True, slots=True)
class RelationLine:
    """Whom an identity is related to, and the sentence that states it."""

    type: str
    name: str
    profile: str | None
    """The profile that is meant, where it is known."""
    identity: str | None
    """The identity of that profile."""
    evidence: str
    document: str | None
    count: int = 1


@dataclass(frozen=True, slots=True)
class KnownLink:
    """The entry of a known list that an identity is."""

    id: str
    name: str
    description: str
    probability: float


@dataclass(frozen=True, slots=True)
class Card:
    """All that is said about one identity."""

    line: Line
    variants: list[tuple[str, int]]
    facts: list[FactLine]
    relations: list[RelationLine]
    languages: list[tuple[str, int]]
    profiles: int
    """How many profiles most likely belong to it."""
    known: KnownLink | None = None
    asked: str = ""
    """The id that was requested, if it is a former one that this identity replaced."""


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
    """Where the name is in the snippet."""
    start: int | None = None
    """Where it is first mentioned in the document."""
    end: int | None = None
    first: bool = True
    """Whether this is the identity that it most likely is."""


@dataclass(frozen=True, slots=True)
class DocumentLine:
    """A document in a list."""

    id: str
    title: str | None
    date: str | None
    source: str | None
    language: str | None
    mentions: int
    """Of the identity that was requested."""
    names: list[str]
    start: int | None
    """Where it is first mentioned."""


@dataclass(frozen=True, slots=True)
class Span:
    """A mention in a text, and its identity."""

    start: int
    end: int
    identity: str | None
    name: str
    """Of the identity."""
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
    """Somebody who is mentioned in the same documents."""

    line: Line
    documents: int
    """That mention both."""
    types: list[str]
    """Of the relations that are stated between them."""


@dataclass(frozen=True, slots=True)
class Maybe:
    """Who an identity may also be."""

    line: Line
    likely: float | None
    """How likely the doubtful profiles belong to the other; None where only the name is evidence for it."""
    profiles: int
    """How many profiles may belong to either."""
    reason: str
    """`shared` profiles that may belong to either, or the same `name`."""
    a: str | None = None
    """A profile of this identity and one of the other, to compare."""
    b: str | None = None


@dataclass(frozen=True, slots=True)
class LogLine:
    """An entry of the log of judgements, and whether it holds."""

    entry: Entry
    standing: bool


@dataclass(frozen=True, slots=True)
class ProfileView:
    """All that one document says about one entity."""

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
    """Where the names by which it goes are in the context."""
    attributes: dict[str, list[str]]
    relations: list[RelationLine]
    identity: str | None
    identity_name: str | None
    membership: float | None
    others: list[tuple[str, str, float]] = field(default_factory=list)
    """Other identities that it may be: id, name, membership."""


@dataclass(frozen=True, slots=True)
class Overview:
    """A collection at a glance."""

    sizes: dict[str, int]
    """How many documents, mentions, profiles, identities and judgements."""
    facets: Facets
    ambiguous: list[tuple[str, int, int]]
    """Name, identities that go by it, documents."""
    largest: list[Line]
    unsure: list[Line]
    """Large identities that are least certain."""
    left_out: list[str]
    """What the last run left out, and why."""
    runs: list[Run]
    changes: list[Event]
    """The latest."""
    known: int = 0
    """Identities that are an entry of the known list."""
    scores: list[Score] = field(default_factory=list)
    """Those that `crossdoc score --keep` stored."""


@dataclass(frozen=True, slots=True)
class Network:
    """Identities, and in how many documents each two of them appear together."""

    nodes: list[Line]
    edges: list[tuple[str, str, int]]
