"""The surroundings of a name: related names, contact details and contexts.

SoftTFIDF (Cohen, Ravikumar & Fienberg 2003, section 2.4): TF-IDF cosine in which words that look alike match too.

Huang et al. 2009 use it for the names in co-occurrence and family relations: all names of one relation type make one
bag of words. Departures: both directions are averaged, since the measure is not symmetric, and capped at 1, since two
words of one side may match one word of the other; the inverse document frequency is smoothed, so that a word that
everybody has still counts. Full names as units would not do: Jaro-Winkler calls "smith john" and "smith jane" alike.

Jaccard coefficient of the people, organisations and places related to a profile (Huang et al. 2009, 3.3).

A relation does not state the type of its other end. It is the type of the profile it points to, or else the commonest
among the profiles of that name; names that no profile of the table bears are compared by a specialist of their own.

A shared e-mail address, telephone number or web address: 1 if there is one, else the specialist abstains.

Works on the details themselves and on the keyed hashes that extraction keeps by default (`names/texts.py`).

TF-IDF cosine of the contexts of names (Salton & Buckley 1988).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from scipy import sparse
from sklearn.preprocessing import normalize

from crossdoc.compare.specialists import kernels
from crossdoc.compare.specialists.base import (
    MOST_SHOWN,
    Letters,
    Pairs,
    Scores,
    SharedValues,
    SparseRows,
    Specialist,
    attribute_rows,
    codes_of,
    counted,
    letters,
    lists,
    meanings,
    relation_rows,
    sparse_rows,
)
from crossdoc.compare.vectors import ContextVectoriser, words
from crossdoc.model import ENTITY_TYPES, EntityType, Profile, Profiles
from crossdoc.names import fold, parse_person, telling_words
from crossdoc.names.evidence_types import ATTRIBUTES, RELATIONS
from crossdoc.names.texts import CONTACT_KINDS, normal_email, normal_phone, normal_url

THRESHOLD = 0.9
"""Jaro-Winkler similarity at which two words match, as in Cohen et al. 2003, section 3.2."""

_SPLIT = re.compile(r"[\s,;:()\"“”/&-]+")


class EncodedBags(NamedTuple):
    letters: Letters
    bags: SparseRows


@lru_cache(maxsize=200_000)
def name_words(name: str) -> tuple[str, ...]:
    """
    >>> name_words("Smith-Jones, Åsa")
    ('smith', 'jones', 'asa')
    """
    return tuple(filter(None, map(fold, _SPLIT.split(name))))


def weighted(counts: sparse.csr_matrix) -> SparseRows:
    """Unit-length rows of log(1 + tf) · (log((1 + N) / (1 + df)) + 1); N counts the bags that are not empty."""
    n = int((np.diff(counts.indptr) > 0).sum())
    frequency = np.bincount(counts.indices, minlength=counts.shape[1])
    idf = np.log((1 + n) / (1 + frequency)) + 1
    cells = np.log1p(counts.data) * idf[counts.indices], counts.indices, counts.indptr
    bags = normalize(sparse.csr_matrix(cells, shape=counts.shape)) if len(counts.indptr) > 1 else counts
    return SparseRows(bags.indptr.astype(np.int64), bags.indices.astype(np.int32), bags.data, bags.shape[1])


class RelatedNames(Specialist[EncodedBags]):
    """SoftTFIDF of the names at the other ends of some types of relations; awake if both profiles have such relations.

    >>> from crossdoc.model import Relation
    >>> def with_others(id: str, *names: str) -> Profile:
    ...     return Profile(id, "d", "Ann", "person", relations=tuple(Relation("list", name) for name in names))
    >>> people = Profiles.of([with_others("1", "Jon Tchernov", "Bo Li"), with_others("2", "John Tchernow")])
    >>> RelatedNames("list_names", "list").score(people, people, [(0, 1)]).astype(float).round(2).tolist()
    [0.67]
    """

    def __init__(self, name: str, *types: str) -> None:
        self.name = name
        self.reads_relations = meanings(RELATIONS, *types)

    def encode(self, profiles: Profiles) -> EncodedBags:
        rows, names, _ = relation_rows(profiles, *self.reads_relations)
        coded = names.dictionary_encode()
        bags = [name_words(name) for name in coded.dictionary.to_pylist()]
        code = codes_of(word for bag in bags for word in bag)
        owner = [number for number, bag in enumerate(bags) for _ in bag]
        words_of_names = counted(owner, [code[word] for bag in bags for word in bag], max(1, len(bags)))
        cells = np.ones(len(rows)), (rows, coded.indices.to_numpy())
        related = sparse.csr_matrix(cells, shape=(len(profiles), max(1, len(bags))))
        # A name that a profile is related to twice over still counts once.
        related.data[:] = 1.0
        counts = (related @ words_of_names).tocsr()
        counts.sort_indices()
        return EncodedBags(letters(list(code)), weighted(counts))

    def compare(self, encoded: EncodedBags, pairs: Pairs) -> Scores:
        both = kernels.soft_tfidf(encoded.letters, encoded.bags, pairs, THRESHOLD)
        return np.minimum(both.mean(axis=1), 1.0).astype(np.float32)

    def evidence(self, left: Profile, right: Profile) -> str:
        return _in_common(left, right, self.reads_relations, name_words)


CO_OCCURRENCE = "list"
UNKNOWN = -1


def same_name_key(name: str, entity_type: str | None) -> str:
    """Key shared by names that differ only in middle names, titles, legal forms and spelling.

    >>> same_name_key("Mr. John Q. Smith", "person"), same_name_key("The Acme Co.", "organisation")
    ('john smith', 'acme')
    """
    if entity_type == "person":
        parsed = parse_person(name)
        return f"{parsed.first} {parsed.last}".strip()
    return " ".join(telling_words(name))


class CoOccurring(Specialist[SparseRows]):
    """Jaccard of the co-occurring entities of one type (None: of those whose type nothing tells).

    >>> from crossdoc.model import Relation
    >>> def beside(id: str, *names: str) -> Profile:
    ...     return Profile(id, "d", id, "person", relations=tuple(Relation("list", name) for name in names))
    >>> people = Profiles.of([beside("Ann", "Bo Li", "Cy Ode"), beside("Dee", "Bo Li"), beside("Bo Li", "Ann")])
    >>> CoOccurring("people", "person").score(people, people, [(0, 1)])
    array([1.], dtype=float32)
    >>> CoOccurring("others", None).score(people, people, [(0, 1)])
    array([nan], dtype=float32)
    """

    reads_relations = meanings(RELATIONS, CO_OCCURRENCE)

    def __init__(self, name: str, entity_type: EntityType | None) -> None:
        self.name = name
        self.entity_type = entity_type

    def encode(self, profiles: Profiles) -> SparseRows:
        rows, names, ids = relation_rows(profiles, CO_OCCURRENCE)
        coded = names.dictionary_encode()
        distinct = coded.dictionary.to_pylist()
        name = coded.indices.to_numpy().astype(np.int64)
        pointed = _type_of_profile(profiles, ids)
        by_name = _types_of_names(profiles)
        known = np.array([by_name.get(name_words(text), UNKNOWN) for text in distinct], dtype=np.int64)
        types = np.where(pointed == UNKNOWN, known[name], pointed)
        chosen = types == (UNKNOWN if self.entity_type is None else ENTITY_TYPES.index(self.entity_type))
        keys = {number: same_name_key(distinct[number], self.entity_type) for number in np.unique(name[chosen])}
        code = codes_of(key for key in keys.values() if key)
        numbered = np.full(len(distinct), -1, dtype=np.int64)
        for number, key in keys.items():
            numbered[number] = code.get(key, -1)
        chosen[chosen] = numbered[name[chosen]] >= 0
        return lists(rows[chosen], numbered[name[chosen]], len(profiles))

    def compare(self, encoded: SparseRows, pairs: Pairs) -> Scores:
        return kernels.jaccard(encoded, pairs)

    def evidence(self, left: Profile, right: Profile) -> str:
        return _in_common(left, right, (CO_OCCURRENCE,), lambda name: same_name_key(name, self.entity_type))


def _in_common(left: Profile, right: Profile, types: Collection[str], key: Callable[[str], Hashable]) -> str:
    """Describe the names at the other ends of relations of some types that two profiles share."""
    mine, theirs = (
        {key(relation.name): relation.name for relation in profile.relations if relation.type.split(":")[0] in types}
        for profile in (left, right)
    )
    common = [name for each, name in mine.items() if each in theirs]
    return f"both with {', '.join(common[:MOST_SHOWN])}" if common else ""


def _type_of_profile(profiles: Profiles, ids: pa.Array) -> npt.NDArray[np.int64]:
    """Return the types, as numbers, of the profiles with these ids."""
    rows = pc.index_in(ids, value_set=profiles.column("id").combine_chunks())
    # A relation without a profile must not find a row whose id is missing.
    rows = pc.if_else(pc.is_valid(ids), rows, pa.scalar(None, pa.int32()))
    types = profiles.column("type").combine_chunks().take(rows)
    numbers = pc.index_in(types, value_set=pa.array(ENTITY_TYPES), skip_nulls=True)
    return pc.fill_null(numbers, UNKNOWN).to_numpy(zero_copy_only=False).astype(np.int64)


def _types_of_names(profiles: Profiles) -> dict[tuple[str, ...], int]:
    """Return the commonest type, as a number, of the profiles of each name; ties go to the smallest."""
    pairs = pa.table({"name": profiles.column("name"), "type": profiles.column("type")})
    counts: defaultdict[tuple[str, ...], Counter[int]] = defaultdict(Counter)
    for row in pairs.group_by(["name", "type"]).aggregate([([], "count_all")]).to_pylist():
        if row["name"] and row["type"] in ENTITY_TYPES:
            counts[name_words(row["name"])][ENTITY_TYPES.index(row["type"])] += row["count_all"]
    return {name: min(found, key=lambda type: (-found[type], type)) for name, found in counts.items()}


_HASH = re.compile(r"[0-9a-f]{32}")


def normal(kind: str, value: str) -> str:
    """Return one form for all spellings of a detail; hashes stay as they are.

    >>> normal("email", " John@Example.org "), normal("phone", "(212) 555-0100"), normal("url", "http://www.example.org/")
    ('john@example.org', '12125550100', 'example.org')
    """
    value = value.strip()
    if _HASH.fullmatch(value):
        return value
    if kind == "phone":
        # Extraction's normal form is bare digits, which must not get the country's prefix twice.
        return value if value.isdigit() else normal_phone(value)
    return normal_email(value) if kind == "email" else normal_url(value)


class Contacts(SharedValues):
    """1 for a shared contact detail; no opinion on others.

    >>> mails = ("ann@example.org", "Ann@Example.org", "bo@example.org")
    >>> table = Profiles.of(Profile(mail, "d", "Ann", attributes={"email": [mail]}) for mail in mails)
    >>> Contacts().score(table, table, [(0, 1), (0, 2)])
    array([ 1., nan], dtype=float32)
    """

    name = "contact"
    reads_attributes = meanings(ATTRIBUTES, *CONTACT_KINDS)

    if_not = np.nan

    def values(self, profiles: Profiles) -> Iterator[tuple[int, tuple[str, str] | None]]:
        for kind in CONTACT_KINDS:
            for row, value in zip(*attribute_rows(profiles, kind), strict=True):
                detail = normal(kind, value)
                yield row, (kind, detail) if detail else None

    def evidence(self, left: Profile, right: Profile) -> str:
        kinds = [
            kind
            for kind in CONTACT_KINDS
            if {normal(kind, value) for value in left.attributes.get(kind, [])}
            & {normal(kind, value) for value in right.attributes.get(kind, [])}
        ]
        return f"the same {' and '.join(kinds)}" if kinds else ""


class Contexts(Specialist[SparseRows]):
    """Cosine of the context windows; awake if both have words in the vocabulary.

    Parameters
    ----------
    vectoriser : fitted on the full collection; without one, document frequencies come from the table's contexts.

    >>> table = Profiles.of([Profile("1", "d", "Ann", context=c) for c in ("a car maker", "the car race", "")])
    >>> Contexts().score(table, table, [(0, 1), (0, 0), (0, 2)]).astype(float).round(2).tolist()
    [0.37, 1.0, nan]
    """

    name = "context"

    def __init__(self, vectoriser: ContextVectoriser | None = None) -> None:
        self.vectoriser = vectoriser

    def encode(self, profiles: Profiles) -> SparseRows:
        vectoriser = self.vectoriser
        if vectoriser is None:
            contexts = (batch.to_pylist() for batch in profiles.column("context").chunks)
            vectoriser = ContextVectoriser().fit([text or "" for text in batch] for batch in contexts)
        return sparse_rows(vectoriser.transform(profiles))

    def compare(self, encoded: SparseRows, pairs: Pairs) -> Scores:
        return kernels.sparse_cosine(*encoded, pairs)

    def evidence(self, left: Profile, right: Profile) -> str:
        mine = dict.fromkeys(words(left.context, left.language))
        both = set(words(right.context, right.language)) - set(words(f"{left.name} {right.name}"))
        common = [word for word in mine if word in both]
        # The rarest words are those that carried the cosine.
        frequency = self.vectoriser.document_frequency if self.vectoriser else Counter[str]()
        return ", ".join(sorted(common, key=lambda word: frequency[word])[:MOST_SHOWN])
