"""Descriptors, employment and ownership of people and organisations, by Jiang-Conrath similarity over WordNet 3.0.

Jiang & Conrath 1997, in Huang et al. 2009, section 2.3 ("President" ~ "Commander in Chief"). The values of two profiles
are compared by a best-match average: every value on either side takes its best partner's score. Words that WordNet
lacks are ignored.

Information content comes from WordNet's own sense tags, add-one smoothed, since only 13,739 of 82,115 synsets have any.
Beyond the paper, senses of two kinds (a person, a plant) have similarity 0: by distance alone a banana (a living thing,
and tagged) is nearer to a president than a commander in chief is (a leaf, and never tagged).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit
from scipy import sparse

from crossdoc.compare.specialists.base import (
    MOST_SHOWN,
    Pairs,
    Scores,
    Specialist,
    codes_of,
    meanings,
    related,
    values_of,
)
from crossdoc.lang.en import ABBREVIATED_TITLES, COURTESIES, PARTS, PREPOSITIONS
from crossdoc.model import Profile, Profiles
from crossdoc.names import agreeing_names, parse_person, telling_words
from crossdoc.names.evidence_types import ATTRIBUTES, RELATIONS

LONGEST_PHRASE = 5
LONGEST_TEXT = 400
MOST_VALUES = 32
"""Distinct values of one kind per profile; further ones are ignored. crossdoc's own extraction keeps 12 descriptors."""
LARGEST_CACHE = 1 << 20

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

# Numbers of lexicographers' files (lexnames(5WN)).
TOPS, GROUP, LOCATION, PERSON = 3, 14, 15, 18
KIND_OF_TYPE = {"person": PERSON, "organisation": GROUP, "place": LOCATION}

MOST_SENSES = 8
RARE = 0.1
"""Share of the tags of a word's commonest sense. Rarer senses are left out ("head": of a letter, of foam)."""
LONGEST_LEMMA = 80
# WordNet's own rules of detachment for nouns (morphy).
ENDINGS = (
    ("s", ""),
    ("ses", "s"),
    ("xes", "x"),
    ("zes", "z"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("men", "man"),
    ("ies", "y"),
)


class Graph(NamedTuple):
    """Arrays for the kernels: each synset's ancestors by rank, and the information content by synset and by rank."""

    starts: Longs
    ancestors: Ints
    information: Floats
    information_by_rank: Floats
    kinds: Ints


class WordNet:
    """The noun synsets, numbered from 0, with their hypernyms, lemmas, kinds and information content."""

    def __init__(self, arrays: dict[str, npt.NDArray[np.generic]]) -> None:
        lemmas = arrays["lemmas"].tobytes().decode("ascii").split("\n")
        self._index = {lemma: number for number, lemma in enumerate(lemmas)}
        self._exceptions = dict(line.split(" ") for line in arrays["exceptions"].tobytes().decode("ascii").split("\n"))
        self._sense_starts = _starts(arrays["sense_counts"])
        self._senses = arrays["senses"].astype(np.int32)
        self._tagged = arrays["tagged"].astype(np.int64)
        self.kinds = arrays["files"].astype(np.int32)
        """The lexicographer's file of each synset: one for each of the 25 hierarchies of Miller 1990, one for tops."""
        self.hypernym_starts = _starts(arrays["hypernym_counts"])
        children = np.repeat(np.arange(self.n_synsets), np.diff(self.hypernym_starts))
        self.hypernyms = (children + arrays["hypernym_steps"].astype(np.int64)).astype(np.int32)
        self.tags = np.bincount(self._senses, weights=self._tagged, minlength=self.n_synsets)
        own = self.tags + 1.0
        above = self._closure()
        # A descendant counts once, however many paths lead to it.
        self.information = np.maximum(np.log(own.sum()) - np.log(above.T @ own), 0.0)
        self.greatest = float(np.log(own.sum()))
        """Largest information content: that of a synset without tags and without descendants."""
        # Ancestors are kept by rank, most informative first: the first that two synsets share is their lowest.
        order = np.lexsort((np.arange(self.n_synsets), -self.information))
        rank = np.empty(self.n_synsets, dtype=np.int32)
        rank[order] = np.arange(self.n_synsets)
        ranked = sparse.csr_matrix((above.data, rank[above.indices], above.indptr), shape=above.shape)
        ranked.sort_indices()
        self.graph = Graph(
            ranked.indptr.astype(np.int64), ranked.indices, self.information, self.information[order], self.kinds
        )

    def _closure(self) -> sparse.csr_matrix:
        """Return each synset and all its hypernyms, row by row."""
        n = self.n_synsets
        links = np.ones(len(self.hypernyms), dtype=np.float64)
        above = sparse.csr_matrix((links, self.hypernyms, self.hypernym_starts), shape=(n, n)) + sparse.identity(n)
        while True:
            further = (above @ above).tocsr()
            further.data[:] = 1.0
            if further.nnz == above.nnz:
                return further
            above = further

    @property
    def n_synsets(self) -> int:
        return len(self.hypernym_starts) - 1

    def lemma(self, phrase: str) -> str | None:
        """WordNet's lemma for a word or phrase in the singular or plural, None if it has none.

        >>> wordnet().lemma("Commanders in Chief"), wordnet().lemma("clergymen"), wordnet().lemma("qwerty")
        ('commander_in_chief', 'clergyman', None)
        """
        if len(phrase) > LONGEST_LEMMA:
            return None
        # Only accents go: transliterated, a word of another script would turn into some English one.
        plain = "".join(c for c in unicodedata.normalize("NFKD", phrase.casefold()) if not unicodedata.combining(c))
        words = plain.replace("_", " ").replace("’", "'").split()
        if not words or not plain.isascii() or len("".join(words)) < 2:
            return None
        return next((form for form in self._forms(words) if form in self._index), None)

    def _forms(self, words: list[str]) -> Iterator[str]:
        yield "_".join(words)
        for place in {len(words) - 1: None, 0: None}:
            for singular in self._singulars(words[place]):
                yield "_".join([*words[:place], singular, *words[place + 1 :]])
        if any("-" in word for word in words):
            yield from self._forms("_".join(words).replace("-", "_").split("_"))
            yield "_".join(words).replace("-", "")

    def _singulars(self, word: str) -> Iterator[str]:
        if word in self._exceptions:
            yield self._exceptions[word]
        if not word.endswith("ss"):
            yield from (word.removesuffix(end) + new for end, new in ENDINGS if word.endswith(end) and len(word) > 3)

    def senses(self, phrase: str, kind: int | None = None) -> Ints:
        """The synsets of a word, commonest first: at most eight, without rare ones, and empty for an unknown word.

        With `kind`, only those of that kind, if there are any: a "pitcher" who is a person is no jug.
        """
        lemma = self.lemma(phrase)
        if lemma is None:
            return np.empty(0, dtype=np.int32)
        part = slice(*self._sense_starts[self._index[lemma] :][:2])
        synsets, tagged = self._senses[part], self._tagged[part] + 1
        of_kind = self.kinds[synsets] == kind
        if of_kind.any():
            synsets, tagged = synsets[of_kind], tagged[of_kind]
        return synsets[tagged >= RARE * tagged.max()][:MOST_SENSES]

    def similarity(self, a: str, b: str, kind: int | None = None) -> float:
        """The similarity of the two nearest senses of two words, NaN if WordNet lacks a word.

        >>> round(wordnet().similarity("senator", "legislator"), 2), wordnet().similarity("boss", "xyzzy")
        (0.95, nan)
        """
        senses, starts = self.vocabulary([(a, kind), (b, kind)])
        both = (np.diff(starts) > 0).all()
        return word_similarity(0, 1, starts, senses, self.graph, self.greatest) if both else float("nan")

    def vocabulary(self, words: Sequence[tuple[str, int | None]]) -> tuple[Ints, Longs]:
        """The senses of some words (phrase, kind) in one array, for kernels, and where those of each word start."""
        rows = [self.senses(word, kind) for word, kind in words]
        return np.concatenate([*rows, np.empty(0, dtype=np.int32)]), _starts(np.array(list(map(len, rows)), dtype=int))


@lru_cache(maxsize=1)
def wordnet() -> WordNet:
    """The WordNet that comes with crossdoc, read at the first call."""
    with (
        (files("crossdoc.compare") / "data" / "wordnet.npz").open("rb") as handle,
        np.load(handle, allow_pickle=False) as stored,
    ):
        return WordNet({key: stored[key] for key in stored.files})


def _starts(counts: npt.NDArray[np.generic]) -> Longs:
    return np.concatenate([[0], np.cumsum(counts.astype(np.int64))])


@njit(cache=True, nogil=True)
def synset_distance(a, b, graph):  # type: ignore[no-untyped-def]
    """Jiang-Conrath distance IC(a) + IC(b) − 2·IC(lcs) in nats."""
    # Each look at a tuple's array costs a reference count, hence the local.
    ancestors = graph.ancestors
    i, j = graph.starts[a], graph.starts[b]
    i_end, j_end = graph.starts[a + 1], graph.starts[b + 1]
    shared = 0.0
    while i < i_end and j < j_end:
        x, y = ancestors[i], ancestors[j]
        if x == y:
            shared = graph.information_by_rank[x]
            break
        if x < y:
            i += 1
        else:
            j += 1
    return max(graph.information[a] + graph.information[b] - 2.0 * shared, 0.0)


@njit(cache=True, nogil=True)
def word_similarity(u, v, starts, senses, graph, greatest):  # type: ignore[no-untyped-def]
    """1 − distance / (2·greatest IC) of the nearest senses of two words of a vocabulary, which both have senses.

    The scaling is that of Seco, Veale, Hayes 2004: 1 for one synset, where the usual 1/distance has no value, and 0 for
    the farthest that two can be. A top of a hierarchy ("person", "group") is of any kind, other kinds do not compare.
    """
    best = 0.0
    for i in range(starts[u], starts[u + 1]):
        for j in range(starts[v], starts[v + 1]):
            a, b = senses[i], senses[j]
            if a == b:
                return 1.0
            if graph.kinds[a] == graph.kinds[b] or graph.kinds[a] == TOPS or graph.kinds[b] == TOPS:
                best = max(best, 1.0 - synset_distance(a, b, graph) / (2.0 * greatest))
    return best


_WORD = re.compile(r"[^\W\d_](?:[^\W_]|['’.-](?=\w))*")


@lru_cache(maxsize=100_000)
def head_phrases(text: str) -> tuple[str, ...]:
    """The WordNet lemmas that head a descriptor's parts: the longest phrase that holds the last noun of each.

    Words after a preposition belong to the noun before it, unless both are one phrase.

    >>> head_phrases("former vice president of General Motors"), head_phrases("Commander in Chief")
    (('vice_president',), ('commander_in_chief',))
    >>> head_phrases("French poet and painter"), head_phrases("xyzzy")
    (('poet', 'painter'), ())
    """
    found = []
    for part in PARTS.split(text[:LONGEST_TEXT]):
        words = _WORD.findall(re.sub(r"['’]s\b", "", part))
        stop = next((place for place, word in enumerate(words) if word.lower() in PREPOSITIONS), len(words))
        lemma = _longest(words, stop - 1) if stop else None
        if lemma is not None:
            found.append(lemma)
        if stop < len(words):
            break
    return tuple(dict.fromkeys(found))


def _longest(words: Sequence[str], head: int) -> str | None:
    """The longest phrase of WordNet with the head noun in it, of two equally long ones that which ends in it."""
    net = wordnet()
    for length in range(min(LONGEST_PHRASE, len(words)), 0, -1):
        for end in range(head + 1, min(head + length, len(words)) + 1):
            if end >= length and (lemma := net.lemma(" ".join(words[end - length : end]))) is not None:
                return lemma
    # "ex-president", "vice-captain": WordNet lists few of these, and the last part has the meaning.
    return net.lemma(words[head].rpartition("-")[2])


class Values(NamedTuple):
    """Each profile's values: the number of a word in a vocabulary and of another entity's name, −1 for none."""

    starts: npt.NDArray[np.int64]
    words: npt.NDArray[np.int32]
    names: npt.NDArray[np.int32]
    sense_starts: npt.NDArray[np.int64]
    senses: npt.NDArray[np.int32]
    agreeing: npt.NDArray[np.int64]
    """Sorted: a · number of names + b for all names a and b that agree."""
    n_names: int


Value = tuple[str, int, str]
"""A lemma ('' for none), its kind, and the name of another entity ('' for none)."""


class _JiangConrath(Specialist[Values]):
    """Best-match average over values that `values` reads off a table."""

    def values(self, profiles: Profiles) -> Iterable[Iterable[Value]]:
        raise NotImplementedError

    def encode(self, profiles: Profiles) -> Values:
        rows = [_first_distinct(given) for given in self.values(profiles)]
        values = list(chain.from_iterable(rows))
        words = codes_of((lemma, kind) for lemma, kind, _ in values if lemma)
        names = codes_of(name for *_, name in values if name)
        senses, sense_starts = wordnet().vocabulary(list(words))
        return Values(
            np.cumsum([0, *map(len, rows)], dtype=np.int64),
            np.array([words.get((lemma, kind), -1) for lemma, kind, _ in values], dtype=np.int32),
            np.array([names.get(name, -1) for *_, name in values], dtype=np.int32),
            sense_starts,
            senses,
            agreeing_names(list(names), "organisation"),
            len(names),
        )

    def compare(self, encoded: Values, pairs: Pairs) -> Scores:
        net = wordnet()
        # Direct-mapped, so that any number of words fits; a power of two, so that a mask finds the slot.
        slots = min(LARGEST_CACHE, 1 << max(8, (4 * len(pairs)).bit_length()))
        return _best_matches(
            np.ascontiguousarray(pairs, dtype=np.int32),
            encoded,
            net.graph,
            net.greatest,
            np.full(slots, -1, dtype=np.int64),
            np.empty(slots, dtype=np.float32),
        )

    def evidence(self, left: Profile, right: Profile) -> str:
        sides = []
        for given in self.values(Profiles.of([left, right])):
            shown = dict.fromkeys(_shown(lemma, name) for lemma, _, name in _first_distinct(given))
            sides.append(", ".join(list(shown)[:MOST_SHOWN]))
        return " ~ ".join(sides) if all(sides) else ""


class Descriptors(_JiangConrath):
    """Descriptors of two entities: the heads of their descriptors, and a person's titles of office."""

    name = "descriptor"
    reads_attributes = meanings(ATTRIBUTES, "descriptor", "title")

    def values(self, profiles: Profiles) -> Iterator[list[Value]]:
        types = profiles.column("type").to_pylist()
        columns = zip(types, values_of(profiles, "descriptor"), values_of(profiles, "title"), strict=True)
        for type, descriptors, titles in columns:
            kind = KIND_OF_TYPE.get(type, PERSON)
            lemmas = [lemma for text in descriptors[:MOST_VALUES] for lemma in head_phrases(text)]
            lemmas += [lemma for text in titles[:MOST_VALUES] for lemma in head_phrases(_title(text))]
            yield [(lemma, kind, "") for lemma in lemmas]


class Posts(_JiangConrath):
    """Roles of a person in organisations: half the score by role and half by the organisation's name.

    If a role is missing, or WordNet lacks it, the name alone decides. An organisation's or place's own relations lead
    to the people who hold its posts.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.reads_relations = meanings(RELATIONS, name)

    def values(self, profiles: Profiles) -> Iterator[list[Value]]:
        for kind, relations in zip(profiles.column("type").to_pylist(), related(profiles, self.name), strict=True):
            # A profile may hold thousands that say the same, so that only the distinct ones are read closer.
            distinct = dict.fromkeys((type.partition(":")[2], name) for type, name in relations)
            yield [
                (next(iter(head_phrases(role)), ""), PERSON, _other_end(name, kind))
                for role, name in list(distinct)[:MOST_VALUES]
            ]


def _other_end(name: str, type: str | None) -> str:
    """The name to compare; of a person, first and last name, or '' where there is only one of them."""
    if type in {"organisation", "place"}:
        parts = parse_person(name)
        return f"{parts.first} {parts.last}" if parts.first else ""
    return name if telling_words(name) else ""


def _title(title: str) -> str:
    words = (ABBREVIATED_TITLES.get(word, word) for word in title.lower().replace(".", " ").split())
    plain = " ".join(words)
    return "" if plain in COURTESIES else plain


def _first_distinct(values: Iterable[Value]) -> list[Value]:
    return [value for value in dict.fromkeys(values) if value[0] or value[2]][:MOST_VALUES]


def _shown(lemma: str, name: str) -> str:
    return " of ".join(filter(None, [lemma.replace("_", " "), name]))


@njit(cache=True, nogil=True)
def _best_matches(pairs, values, graph, greatest, keys, known):  # type: ignore[no-untyped-def]
    # Each look at a tuple's array costs a reference count, hence the locals.
    starts, words, names, agreeing, n_names = values.starts, values.words, values.names, values.agreeing, values.n_names
    n_words = len(values.sense_starts) - 1
    scores = np.full(len(pairs), np.nan, dtype=np.float32)
    best = np.empty(MOST_VALUES, dtype=np.float64)
    for pair in range(len(pairs)):
        left, right = pairs[pair, 0], pairs[pair, 1]
        first, last = starts[right], starts[right + 1]
        best[: last - first] = -1.0
        total = 0.0
        count = 0
        for i in range(starts[left], starts[left + 1]):
            own = -1.0
            for j in range(first, last):
                score = -1.0
                u, v = min(words[i], words[j]), max(words[i], words[j])
                if u >= 0:
                    key = np.int64(u) * n_words + v
                    slot = key & (len(keys) - 1)
                    if keys[slot] != key:
                        keys[slot] = key
                        known[slot] = word_similarity(u, v, values.sense_starts, values.senses, graph, greatest)
                    score = known[slot]
                if names[i] >= 0 and names[j] >= 0:
                    code = np.int64(names[i]) * n_names + names[j]
                    place = np.searchsorted(agreeing, code)
                    agree = 1.0 if place < len(agreeing) and agreeing[place] == code else 0.0
                    score = agree if score < 0 else 0.5 * (score + agree)
                own = max(own, score)
                best[j - first] = max(best[j - first], score)
            if own >= 0:
                total += own
                count += 1
        others = 0.0
        for j in range(last - first):
            if best[j] >= 0:
                others += best[j]
                count += 1
        if count:
            scores[pair] = min((total + others) / count, 1.0)
    return scores
