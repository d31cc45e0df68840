"""Rows of the tables: documents, mentions and profiles as typed views that a person reads."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from crossdoc import errors

EntityType = Literal["person", "organisation", "place"]
ENTITY_TYPES: tuple[EntityType, ...] = ("person", "organisation", "place")
MentionKind = Literal["name", "nominal", "pronoun"]
Verdict = Literal["same", "different"]
VERDICTS: tuple[Verdict, ...] = ("same", "different")
WORD_OF_VERDICT = {"same": "positive", "different": "negative"}
"""Verdict → its word in nomenklatura and Aleph."""
UNDECIDED_WORDS = frozenset({"unsure", "no_judgement"})
"""Words of nomenklatura and Aleph that decide nothing."""

IntArray = npt.NDArray[np.int32]
FloatArray = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True)
class Mention:
    """A span of a document that refers to an entity.

    Parameters
    ----------
    id : str
        The id.
    document : str
        The id of the document.
    start : int
        Where it begins, in code points of the text.
    end : int
        Where it ends (half-open).
    text : str
        The words themselves.
    type : str or None, default None
        "person", "organisation" or "place", if it is known.
    kind : {"name", "nominal", "pronoun"}, default "name"
        What kind of words they are.
    chain : str or None, default None
        The id of the profile that it belongs to; None if it belongs to none.

    Examples
    --------
    >>> Mention("a:0:10", "a", 0, 10, "John Smith", "person").kind
    'name'
    """

    id: str
    document: str
    start: int
    end: int
    text: str
    type: str | None = None
    kind: MentionKind = "name"
    chain: str | None = None
    """Id of the within-document chain in the input; after extraction, the id of the profile."""

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise errors.bad_span(self.id, self.start, self.end)


@dataclass(frozen=True, slots=True)
class Document:
    """A text and what is known about it.

    Parameters
    ----------
    id : str
        The id, unique in the collection.
    text : str
        The text.
    title : str or None, default None
        The title.
    language : str or None, default None
        ISO 639-1 code; None identifies it from the text.
    date : str or None, default None
        ISO 8601 date, or the beginning of one.
    source : str or None, default None
        Where the text was published.
    mentions : tuple[Mention, ...] or None, default None
        Mentions that are already known; then nothing else is extracted from the text.

    Examples
    --------
    >>> Document("a", "John Smith spoke.", date="1996-01-14").id
    'a'
    """

    id: str
    text: str
    title: str | None = None
    language: str | None = None
    date: str | None = None
    """ISO 8601, as precise as is known: 1996, 1996-01 or 1996-01-14."""
    source: str | None = None
    mentions: tuple[Mention, ...] | None = None
    """Mentions that came with the document; None means that extraction has to find them."""

    def __post_init__(self) -> None:
        if not self.id:
            raise errors.empty_id("document")


@dataclass(frozen=True, slots=True)
class Relation:
    """A typed link from a profile to another entity, with the sentence that states it.

    Parameters
    ----------
    type : str
        The kind of relation, such as employment, perhaps with a detail after a colon.
    name : str
        The name of the other end.
    profile : str or None, default None
        The id of its profile, if it has one.
    evidence : str or None, default None
        The sentence that states it.

    Examples
    --------
    >>> Relation("employment:chairman", "General Motors").name
    'General Motors'
    """

    type: str
    name: str
    profile: str | None = None
    evidence: str | None = None


@dataclass(frozen=True, slots=True)
class Profile:
    """All that one document says about one entity.

    Parameters
    ----------
    id : str
        The id, unique in the collection.
    document : str
        The id of the document.
    name : str
        The fullest name that the document uses.
    type : str or None, default None
        "person", "organisation" or "place", if it is known.
    context : str, default ""
        The words around its mentions.
    language : str or None, default None
        ISO 639-1 code.
    attributes : dict[str, list[str]], optional
        What is stated about it, by type: {"born": ["1931"]}.
    relations : tuple[Relation, ...], default ()
        Whom and what it is related to.

    Examples
    --------
    >>> profile = Profile("p1", "a", "John Smith", "person", "chairman of General Motors")
    >>> profile.name, profile.attributes
    ('John Smith', {})
    """

    id: str
    document: str
    name: str
    type: str | None = None
    context: str = ""
    language: str | None = None
    attributes: dict[str, list[str]] = field(default_factory=dict)
    relations: tuple[Relation, ...] = ()

    def __post_init__(self) -> None:
        if not self.id:
            raise errors.empty_id("profile")


@dataclass(frozen=True, slots=True)
class Judgement:
    """A statement that two profiles are the same entity or different ones.

    Judgements of people are hard, those of rules soft: a soft one adds its weight to the strength.

    Parameters
    ----------
    a : str
        The id of a profile.
    b : str
        The id of another.
    verdict : {"same", "different"}
        What they are.
    hard : bool, default True
        Whether it always holds, as a person's judgement does.
    weight : float, default 1.0
        For a soft judgement: what is added to the strength.
    who : str, default ""
        Who says so.
    why : str, default ""
        The reason.
    when : str, default ""
        When it was made.

    Examples
    --------
    >>> Judgement("a:0:10", "b:5:15", "same", who="Ada").hard
    True
    """

    a: str
    b: str
    verdict: Verdict
    hard: bool = True
    weight: float = 1.0
    who: str = ""
    why: str = ""
    when: str = ""

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise errors.bad_judgement(f"the verdict is {self.verdict!r}, and must be 'same' or 'different'")
        if not self.a or not self.b:
            raise errors.bad_judgement("a profile's id is empty")
        if self.a == self.b:
            raise errors.bad_judgement(f"{self.a!r} is judged against itself")
        if not 0 <= self.weight < float("inf"):
            raise errors.bad_judgement(f"the weight is {self.weight}, and must be a finite number of at least 0")

    def __str__(self) -> str:
        word = "is the same as" if self.verdict == "same" else "is different from"
        by = f" ({self.who})" if self.who else ""
        return f"{self.a} {word} {self.b}{by}"
