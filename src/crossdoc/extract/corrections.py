"""Corrections after reading: types settled over the collection, and dates of documents as attributes of profiles.

Profiles without a type, among others that have one, get the type that names like theirs have.

A name that is an organisation in most documents is one in the next. Each profile has one vote, counted when all
documents are read, so that their order does not matter. Names of places are left alone: only its sentence decides
whether "Chicago" is the city or the club. A person whom the document gives a title stays one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import log
from typing import Any

import pyarrow as pa

from crossdoc.extract.attributes import opening_date
from crossdoc.extract.gender import is_first_name
from crossdoc.extract.name_surroundings import place_kind
from crossdoc.model import Documents, Mentions, Profiles
from crossdoc.names import fold

OWN_READING = 0.5
"""Log odds. The other documents must say so much more for another type than for a document's own. Set so
that three documents outweigh one; on AIDA train .3 to 1 differ by .002 in F1."""
FIRST_NAME = 0.2
"""Log odds for a person of a name that opens with a first name: it decides where two documents disagree.
Set by hand."""
MOST_TYPED_NAMES = 50_000
"""Names and types, the most frequent first, that missing types are learned from. Bounds the time."""
STATED = "title"
"""The attribute by which a document states that a name is a person's."""


def votes_of(named: Sequence[tuple[str, str | None]]) -> Iterator[tuple[str, str, int]]:
    """How many profiles have each name and type; "Danny Oyelaran" says that "Oyelaran" alone is a person, too.

    >>> list(votes_of([("Danny Oyelaran", "person"), ("Oyelaran", "place")]))
    [('Danny Oyelaran', 'person', 1), ('Oyelaran', 'place', 1), ('Oyelaran', 'person', 1)]
    """
    votes = Counter(named)
    names = {name for name, _ in named}
    for name, type_ in named:
        last = name.rpartition(" ")[2]
        if type_ == "person" and last != name and last in names:
            votes[last, type_] += 1
    yield from ((name, type_, n) for (name, type_), n in votes.items() if type_)


def settled_types(votes: Iterable[tuple[str, str, int]]) -> dict[tuple[str, str | None], str]:
    """By name and type, the type that it should have had; votes are name, type and number of documents.

    The log odds of the commonest type against a document's own are those of the counts of the other documents.

    >>> settled_types([("PKK", "organisation", 9), ("PKK", "person", 1), ("Rome", "place", 9), ("Rome", "person", 1)])
    {('PKK', 'person'): 'organisation'}
    """
    counted: dict[str, dict[str, int]] = defaultdict(dict)
    for name, type_, documents in votes:
        counted[name][type_] = documents
    settled: dict[tuple[str, str | None], str] = {}
    for name, types in counted.items():
        if len(types) == 1 or place_kind(name):
            continue
        prior = {"person": FIRST_NAME} if _opens_with_first_name(name) else {}
        odds = {type_: log(count + 0.5) + prior.get(type_, 0.0) for type_, count in types.items()}
        best = max(types, key=lambda type_: (odds[type_], type_))
        for type_, count in types.items():
            # All other readings of one word count against the best; several words are seldom the name of two kinds of
            # things, and only the reading in question does. The document itself does not count.
            against = count if " " in name else sum(types.values()) - types[best]
            if type_ != best and odds[best] - log(against) - prior.get(type_, 0.0) > OWN_READING:
                settled[name, type_] = best
    return settled


def complete_types(votes: Iterable[tuple[str, str, int]], untyped: Iterable[str]) -> dict[tuple[str, str | None], str]:
    """Return the likeliest type of names without one, by the typed names of the same collection.

    A logistic regression on the words of names, fitted on the names that have a type. Without it, a profile that lacks
    its type would never meet the others of its name.

    >>> typed = [("Ann Lee", "person", 3), ("Lee Motors", "organisation", 1), ("Acme Motors", "organisation", 1)]
    >>> complete_types(typed, ["Velo Motors", "Bo Lee"])
    {('Bo Lee', None): 'person', ('Velo Motors', None): 'organisation'}
    """
    names, typed = sorted(set(untyped)), list(votes)
    types = {type_ for _, type_, _ in typed}
    if not names or len(types) < 2:
        return {(name, None): type_ for name in names for type_ in types}
    # Imported here, since most collections need no completion.
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    typed = sorted(typed, key=lambda vote: (-vote[2], vote[0], vote[1]))[:MOST_TYPED_NAMES]
    vectoriser = CountVectorizer(analyzer=_features_of)
    known = vectoriser.fit_transform([name for name, _, _ in typed])
    model = LogisticRegression(max_iter=300)
    model.fit(known, [type_ for _, type_, _ in typed], sample_weight=[count for _, _, count in typed])
    found = model.predict(vectoriser.transform(names))
    return {(name, None): str(type_) for name, type_ in zip(names, found.tolist(), strict=True)}


def _features_of(name: str) -> list[str]:
    words = fold(name).split() or [""]
    found = ["=" + " ".join(words), f"opens {words[0]}", f"ends {words[-1]}", f"ending {words[-1][-3:]}", *words]
    found += [f"{min(len(words), 4)} words", f"place {place_kind(name)}", f"capitals {name.isupper()}"]
    return found + ["first name"] * _opens_with_first_name(name)


def _opens_with_first_name(name: str) -> bool:
    first, _, rest = name.partition(" ")
    return bool(rest) and is_first_name(first)


def retyped(mentions: Mentions, profiles: Profiles) -> tuple[Mentions, Profiles]:
    """Mentions and profiles of a collection in memory with their types settled, as `Store.retype` does on file."""
    named = [(name, type_) for name, type_ in _cells(profiles, "name", "type")]
    return with_settled_types(mentions, profiles, settled_types(votes_of(named)))


def with_settled_types(
    mentions: Mentions, profiles: Profiles, settled: Mapping[tuple[str, str | None], str]
) -> tuple[Mentions, Profiles]:
    """The same with the types that were settled elsewhere; "President Ford" is a person, whatever most Fords are."""
    types = [
        type_ if any(key == STATED for key, _ in stated or ()) else settled.get((name, type_), type_)
        for name, type_, stated in _cells(profiles, "name", "type", "attributes")
    ]
    of_chain = dict(zip(profiles.ids, types, strict=True))
    own = [of_chain.get(chain, type_) for chain, type_ in _cells(mentions, "chain", "type")]
    return (
        Mentions(_with_column(mentions.arrow, "type", own)),
        Profiles(_with_column(profiles.arrow, "type", types)),
    )


def _cells(table: Documents | Mentions | Profiles, *names: str) -> Iterator[tuple[Any, ...]]:
    return zip(*(table.column(name).to_pylist() for name in names), strict=True)


def _with_column(table: pa.Table, name: str, cells: list[Any]) -> pa.Table:
    at = table.schema.get_field_index(name)
    return table.set_column(at, table.schema.field(at), pa.array(cells, table.schema.field(at).type))


def dated(profiles: Profiles, documents: Documents) -> Profiles:
    """Profiles that say when their documents were written, where that is known and they do not say it themselves.

    >>> from crossdoc.model import Document, Profile
    >>> found = dated(Profiles.of([Profile("p", "d", "Ann")]), Documents.of([Document("d", "Ann.", date="1987-03")]))
    >>> [profile.attributes for profile in found]
    [{'written': ['1987-03']}]
    """
    when = {id: {"written": [date]} for id, date in _cells(documents, "id", "date") if date}
    stated = _cells(profiles, "document", "attributes") if when else ()
    cells = [list((dict(own or ()) | when.get(document, {}) | dict(own or ())).items()) for document, own in stated]
    return Profiles(_with_column(profiles.arrow, "attributes", cells)) if when else profiles


def with_opening_dates(documents: Documents) -> Documents:
    """The documents with the dates that those without one state at their opening."""
    cells = _cells(documents, "date", "text", "language")
    dates = [given or opening_date(text, language) for given, text, language in cells]
    return Documents(_with_column(documents.arrow, "date", dates))
