"""Identities as people read them, and what they are described with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from crossdoc.model.tables import Documents, Mentions


@dataclass(frozen=True, slots=True)
class Facts:
    """Data that describe identities in addition to their profiles."""

    variants: Mapping[str, list[str]] = field(default_factory=dict)
    """By profile the names that its document uses for it."""
    mention_counts: Mapping[str, int] = field(default_factory=dict)
    """By profile."""
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
        Its names, and how often each occurs.
    n_documents : int
        How many documents name it.
    n_mentions : int
        How many mentions it has.
    first_date : str or None
        The earliest date of its documents.
    last_date : str or None
        The latest date of its documents.
    certainty : float
        How sure the answer is, from 0 to 1.
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
    """

    id: str
    name: str
    type: str | None
    descriptor: str
    variants: dict[str, int]
    """Every name it goes by, with the number of profiles, commonest first."""
    n_documents: int
    n_mentions: int
    first_date: str | None
    last_date: str | None
    certainty: float
    """Mean membership of its hard members."""
    members: tuple[Member, ...] = ()
    """Ranked by membership."""
    known: str | None = None
    """The id of the entry of a known list that it is, if it is any."""
    known_probability: float | None = None

    def with_members(self, members: Iterable[Member]) -> Identity:
        return replace(self, members=tuple(members))

    def __str__(self) -> str:
        return f"{self.name} ({self.descriptor})" if self.descriptor else self.name

    def _repr_html_(self) -> str:
        from crossdoc.model.notebook import identity_html

        return identity_html(self)
