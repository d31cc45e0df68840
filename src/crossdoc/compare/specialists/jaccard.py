"""Jaccard coefficient of the people, organisations and places related to a profile (Huang et al. 2009, 3.3).

A relation does not state the type of its other end. It is the type of the profile it points to, or else the commonest
among the profiles of that name; names that no profile of the table bears are compared by a specialist of their own.
"""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from crossdoc.compare.specialists import kernels
from crossdoc.compare.specialists.base import Pairs, Scores, Specialist, meanings, relation_rows
from crossdoc.compare.specialists.coding import Lists, codes_of, lists
from crossdoc.compare.specialists.soft_tfidf import MOST_SHOWN, name_words
from crossdoc.model import ENTITY_TYPES, EntityType, Profile, Profiles
from crossdoc.names import parse_person, telling_words
from crossdoc.names.evidence_types import RELATIONS

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


class CoOccurring(Specialist[Lists]):
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

    def encode(self, profiles: Profiles) -> Lists:
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

    def compare(self, encoded: Lists, pairs: Pairs) -> Scores:
        return kernels.jaccard(encoded, pairs)

    def evidence(self, left: Profile, right: Profile) -> str:
        mine, theirs = (
            {
                same_name_key(relation.name, self.entity_type): relation.name
                for relation in profile.relations
                if relation.type.split(":")[0] == CO_OCCURRENCE
            }
            for profile in (left, right)
        )
        common = [mine[key] for key in mine if key in theirs]
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
