"""Prior log odds that two mentions of a name refer to one entity.

N·p of N people bear a name of share p, so two mentions of it refer to one person with odds of about 1 : N·p. The shares
come from the US Census and from the collection itself, in which every other bearer of the same surname or first name
counts, so that names common in other countries are common there too. The prior of a bare surname depends on the people
who bear it with a first name in the collection. Organisations and places have priors of their own.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field
from scipy.special import betaln, expit

from crossdoc.compare.specialists.base import relation_rows
from crossdoc.model import Profiles
from crossdoc.names import Agreeing, Grade, PersonName, agreeing, parse_person
from crossdoc.names.index import equal_names
from crossdoc.names.others import (
    abbreviations,
    is_doubtful_abbreviation,
    is_head,
    is_place,
    plain_name,
    short_for,
    telling_words,
)
from crossdoc.names.words import first_letters, first_names, first_names_agree, fold, share_of_first, share_of_last

Floats = npt.NDArray[np.float32]


class NameShifts(NamedTuple):
    """Log odds that the collection adds to the priors of names (`fit.py`)."""

    names: Mapping[str, float] = {}
    """By key of a name, log odds to add for pairs of it; of two keys the smaller."""
    others: float = 0.0
    """The share that the priors of all other pairs lose, where they are above 0."""
    raised: float = 0.0
    """Log odds to add for equal names without a key. Contexts do not show how ambiguous a bare surname is, but a
    collection that names fewer people than the census predicts has fewer bearers of it, too."""


class NamePrior(BaseModel):
    """Parameters of the name prior, learned on labelled data."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    people: float = Field(gt=0, description="N: among how many people a full name is looked for.")
    bare: float = Field(gt=0, description="Among how many mentions one of a bare surname is looked for.")
    bare_mentions: float = Field(
        5.0, gt=0, description="As many mentions of a surname in the collection count as much as `bare`."
    )
    rival: float = Field(
        1.0, ge=0, description="Mentions of a bare surname that each of its bearers but the most frequent one has."
    )
    census: float = Field(gt=0, description="As many people's names of the collection count as much as the census.")
    bound: float = Field(gt=0, description="The most that a name says for or against.")
    asked: float = Field(0.0, ge=0, description="The most that a name says for one person where it was asked for.")
    asked_people: float | None = Field(
        None, gt=0, description="Among how many people an asked-for name is looked for, where not among `people`."
    )
    asked_share: float = Field(1.0, ge=0, le=1, description="Of its log odds, what an asked-for name counts.")
    similar: float = Field(le=0, description="What another spelling costs.")
    spelling: dict[str, float] = Field(
        {}, description="By type of entity, where it is not `similar`: log odds that two spellings are one's."
    )
    others: dict[str, float] = Field(description="By type of entity: log odds that one name is one entity.")
    part: float = Field(ge=0, description="What is taken off where one name of these is a part of the other.")
    only: float = Field(
        0.0, ge=0, description="What is given back where it is a part of no other organisation's in the collection."
    )
    head: float = Field(
        0.0,
        description="Log odds of a bare last word and the name that most of those that end in it are.",
    )


NO_MISPRINT = 3
"""Occurrences. A spelling at least this frequent is a name of its own, not a misprint."""
CHOSEN_ONCE, TEXT_ONCE = (1.0, 19.0), (5.0, 5.0)
"""Beta distributions of the share of distinct names that occur once: in chosen names, and in text.

Set by hand in a prototype: q was .77 or more for chosen names, 0 for newswire, diplomatic papers and a diary.
"""


def probability_chosen(once: int, names: int) -> float:
    """Return q, the probability that the names of a collection were chosen, as in a search for people.

    A beta-binomial Bayes factor at even prior odds: `once` of `names` distinct names occur once. Chosen names are the
    ambiguous ones, so a rare name is then no evidence for one person.

    >>> [round(probability_chosen(*counts), 3) for counts in ((0, 29), (0, 2), (40, 100), (0, 0))]
    [0.999, 0.768, 0.002, 0.5]
    """
    likelihood = [betaln(a + once, b + names - once) - betaln(a, b) for a, b in (CHOSEN_ONCE, TEXT_ONCE)]
    return float(expit(likelihood[0] - likelihood[1]))


def group_first_names(counts: Mapping[str, int]) -> dict[str, str]:
    """Map the first names that occur with one surname to those of the people who bear it.

    Spellings that agree (an initial, an abbreviation, a nickname, another spelling) are one person's. Full names come
    first and the most frequent first, and each joins the first bearer that it agrees with: an initial that fits
    several goes to the most frequent of them.

    >>> group_first_names({"andrei": 5, "a": 9, "andrey": 1, "anna": 2})
    {'andrei': 'andrei', 'anna': 'anna', 'andrey': 'andrei', 'a': 'andrei'}
    """
    bearer: dict[str, str] = {}
    by_letter: dict[str, list[str]] = defaultdict(list)
    for first in sorted(counts, key=lambda first: (len(first) == 1, -counts[first], first)):
        letters = {first[0], *first_letters(first)}
        known = sorted({other for letter in letters for other in by_letter[letter]}, key=lambda other: -counts[other])
        bearer[first] = next((other for other in known if _one_first_name(first, other)), first)
        if bearer[first] == first:
            for letter in letters:
                by_letter[letter].append(first)
    return bearer


def _one_first_name(a: str, b: str) -> bool:
    """Return whether two first names of one surname may be one person's.

    >>> [_one_first_name("theod", other) for other in ("theodor", "thomas")]
    [True, False]
    """
    short, long = sorted((a, b), key=len)
    abbreviated = len(short) > 1 and long.startswith(short) and short not in first_names()
    return abbreviated or first_names_agree(a, b)


class NameCounts:
    """The names of people in a collection: who bears each surname and each first name.

    Parameters
    ----------
    own : the names of the profiles.
    beside : names of people who stand in relation to them.

    >>> counts = NameCounts(["James Baker", "James Baker", "Howard Baker"], ["Ann Baker"])
    >>> counts.people, counts.mentions, counts.this_bearer("baker", "james")
    (3, 4, 0.5)
    """

    def __init__(self, own: Iterable[str], beside: Iterable[str] = ()) -> None:
        self.bearers: dict[str, Counter[str]] = defaultdict(Counter)
        self.bare = Counter[str]()
        """By surname: mentions without a first name."""
        firsts: dict[str, set[str]] = defaultdict(set)
        named = Counter(own)
        for name, count in (*named.items(), *Counter(beside).items()):
            parsed = parse_person(name)
            if parsed.last and parsed.first:
                self.bearers[parsed.last][parsed.first] += count
                firsts[parsed.first].add(parsed.last)
            elif parsed.last:
                self.bare[parsed.last] += count
        self.firsts = {first: len(lasts) for first, lasts in firsts.items()}
        self.people = sum(map(len, self.bearers.values()))
        self.mentions = self.bare.total() + sum(each.total() for each in self.bearers.values())
        """Mentions of any name, with or without a first name."""
        self.personal = share_of_personal(first for firsts in self.bearers.values() for first in firsts)
        """The share of names of several words that look like a person's, for names without a type."""
        self._grouped: dict[str, tuple[dict[str, str], Counter[str]]] = {}

    @classmethod
    def from_counts(
        cls,
        bearers: Iterable[tuple[str, str, int]],
        firsts: Mapping[str, int],
        people: int,
        mentions: int,
        personal: float,
    ) -> NameCounts:
        """Return the counts of some names of a collection, from rows of last name, first name and frequency.

        `firsts` says with how many last names each first name occurs in the collection; `people` and `mentions` are
        those of all its names.
        """
        counts = cls(())
        for last, first, count in bearers:
            if first:
                counts.bearers[last][first] += count
            else:
                counts.bare[last] += count
        counts.firsts, counts.people, counts.mentions = dict(firsts), people, mentions
        counts.personal = personal
        return counts

    def _people(self, last: str) -> tuple[dict[str, str], Counter[str]]:
        """Return who each first name with a surname belongs to, and how often each person is named."""
        if last not in self._grouped:
            counts = self.bearers.get(last, Counter())
            bearer, named = group_first_names(counts), Counter[str]()
            for first, n in counts.items():
                named[bearer[first]] += n
            self._grouped[last] = bearer, named
        return self._grouped[last]

    def share_of_last(self, last: str, census: float) -> float:
        """The share of a surname, the census and the *other* people of the collection taken together."""
        others = max(len(self._people(last)[1]) - 1, 0)
        return (others + census * share_of_last(last)) / (self.people + census)

    def share_of_first(self, first: str, census: float) -> float:
        others = max(self.firsts.get(first, 0) - 1, 0)
        return (others + census * share_of_first(first)) / (self.people + census)

    def bare_odds(self, last: str, sizes: NamePrior) -> float:
        """Return the log odds that two mentions of a bare surname are one person's.

        The mentions of a surname are those of one prominent bearer and those of other people: strangers, as many as
        the share of the surname predicts, and `sizes.rival` for each other bearer named in the collection. The odds
        are their ratio, with `sizes.bare_mentions` more mentions of a surname among `sizes.bare` others each. They
        are at most those of the full name of the most frequent bearer: every John Smith may be called Smith.

        >>> sizes = NamePrior(people=1e4, bare=100, census=1e4, bound=3, similar=-3, others={}, part=0)
        >>> names = ["Lyndon Johnson", *["Johnson"] * 60, *(f"Ann Unlisted{n}" for n in range(500))]
        >>> collections = names[:2], names, ["Alex Johnson", *names]
        >>> [round(NameCounts(own).bare_odds("johnson", sizes), 1) for own in collections]
        [0.5, 2.0, 1.9]
        """
        named = self._people(last)[1]
        rivals = sizes.rival * max(len(named) - 1, 0)
        odds = self._short_odds(self._observed(last), share_of_last(last), rivals, sizes)
        main = max(named, key=lambda first: (named[first], first), default="")
        return min(odds, self.full_odds(last, main, sizes)) if main else odds

    def _observed(self, last: str) -> int:
        return self.bare[last] + self.bearers.get(last, Counter()).total()

    def _short_odds(self, observed: float, share: float, rivals: float, sizes: NamePrior) -> float:
        """Return the log ratio of the mentions of a short form to those of other people whom it fits."""
        strangers = (self.mentions + sizes.bare_mentions * sizes.bare) * share
        return float(np.log((observed + sizes.bare_mentions) / (strangers + rivals)))

    def full_odds(self, last: str, first: str, sizes: NamePrior) -> float:
        """Return the log odds that two mentions of a name with a first name are one person's.

        They are those of its commonness. Initials alone ("C. P.") are a short form, as a bare surname is.
        """
        if len(last) == 1:
            share = share_of_last(last) * share_of_first(first)
            return self._short_odds(self.bearers.get(last, Counter())[first], share, 0.0, sizes)
        shares = self.share_of_last(last, sizes.census) * self.share_of_first(first, sizes.census)
        return float(-np.log(sizes.people * shares))

    def bearer(self, last: str, first: str) -> str:
        """Return the first name under which the bearer of a name is counted."""
        return self._people(last)[0].get(first, first)

    def this_bearer(self, last: str, first: str) -> float:
        """Return how likely a bare surname means the bearer with this first name."""
        bearer, named = self._people(last)
        return named[bearer[first]] / named.total() if first in bearer else 1.0


def people_named(profiles: Profiles) -> Counter[str]:
    """Count the names of the profiles and of the people listed with them or related to them."""
    related = relation_rows(profiles, "list", "family")[1].to_pylist()
    return Counter(name for name in (*profiles.column("name").to_pylist(), *related) if name)


def _logit(share: float) -> float:
    return float(np.log(share / (1 - share))) if share < 1 else np.inf


def person_prior(a: PersonName, b: PersonName, grade: int, counts: NameCounts, sizes: NamePrior) -> float:
    """The log odds of two people's names that agree.

    >>> sizes = NamePrior(people=1e4, bare=100, census=1e4, bound=3, similar=-3, others={}, part=0)
    >>> others = ["Ronald Reagan", "Ann Lee", "Bo Li", "Cy Orr"]
    >>> counts = NameCounts(["James Baker"] * 6 + ["Howard Baker"] * 2 + others)
    >>> def prior(a, b):
    ...     a, b = map(parse_person, (a, b))
    ...     return round(person_prior(a, b, 4, counts, sizes), 1)
    >>> prior("John Smith", "John Smith"), prior("Ronald Reagan", "Ronald Reagan")
    (-0.5, 3.0)
    >>> prior("Baker", "James Baker"), prior("Baker", "Howard Baker"), prior("Baker", "Baker")
    (1.1, -1.1, 1.2)
    """
    odds = float(np.clip(_odds(a, b, counts, sizes), -sizes.bound, sizes.bound))
    return min(odds, 0.0) + sizes.similar if grade == Grade.SIMILAR else odds


def share_of_personal(firsts: Iterable[str]) -> float:
    """Return the share of first names that are usual ones or initials, counting one more of each kind.

    >>> share_of_personal(["ann", "j", "white"])
    0.6
    """
    personal = [len(first) == 1 or first in first_names() for first in firsts]
    return (sum(personal) + 1) / (len(personal) + 2)


def untyped_prior(a: PersonName, b: PersonName, grade: int, counts: NameCounts, sizes: NamePrior) -> float:
    """Return the log odds of two names without a type.

    If either looks like a person's, they are people's. Else they are people's as far as the names of the collection
    look like people's, and organisations' for the rest, where a bare last word costs as much as another spelling.

    >>> from crossdoc.names import relate
    >>> sizes = NamePrior(people=1e4, bare=100, census=1e4, bound=3, similar=-3, others={"organisation": 5}, part=5)
    >>> counts = NameCounts(["Apollo 11", "John Smith", "White House", "Ann Lee"])
    >>> names = [("Apollo 11", "Apollo 11"), ("John Smith", "John Smith"), ("House", "White House")]
    >>> [round(untyped_prior(*map(parse_person, pair), relate(*pair), counts, sizes), 1) for pair in names]
    [4.0, -0.5, 0.0]
    """
    as_person = person_prior(a, b, grade, counts, sizes)
    if has_form_of_person(a, counts) or has_form_of_person(b, counts) or grade == Grade.SIMILAR:
        return as_person
    other = sizes.similar if grade == Grade.PART else sizes.others.get("organisation", 0.0)
    return counts.personal * as_person + (1 - counts.personal) * other


def has_form_of_person(name: PersonName, counts: NameCounts) -> bool:
    """Return whether a name without a type is likely a person's.

    It has a title, an initial or a usual first name, or it is the surname of such a name in the collection.

    >>> counts = NameCounts(["Howard Baker", "White House"])
    >>> names = ("Mr. Hu", "J. Hu", "Ann Hu", "Baker", "House", "White House", "Apollo 11")
    >>> [has_form_of_person(parse_person(name), counts) for name in names]
    [True, True, True, True, False, False, False]
    """
    firsts = [name.first] if name.given else list(counts.bearers.get(name.last, ()))
    return bool(name.title) or any(len(first) == 1 or first in first_names() for first in firsts)


def _odds(a: PersonName, b: PersonName, counts: NameCounts, sizes: NamePrior) -> float:
    """Return the log odds of equal names, without bounds."""
    if a.given and b.given:
        return min(counts.full_odds(name.last, name.first, sizes) for name in (a, b))
    full = a if a.given else b
    bare = min(counts.bare_odds(name.last, sizes) for name in (a, b))
    return min(bare, _logit(counts.this_bearer(full.last, full.first))) if full.given else bare


def asked_prior(name: str, sizes: NamePrior) -> float:
    """Return the log odds of an asked-for name.

    A name on the web has more bearers than in a collection of text, but a few of them have most of the pages: twice as
    many bearers do not halve the odds that two pages are about one person.

    >>> sizes = NamePrior(people=1e4, bare=100, census=1e4, bound=3, asked=1, asked_people=2e7, asked_share=0.25,
    ...                   similar=-3, others={}, part=0)
    >>> [round(asked_prior(name, sizes), 1) for name in ("John Smith", "Edward Fox", "Zoe Quux")]
    [-2.0, -0.9, 1.0]
    """
    parsed = parse_person(name)
    more = np.log((sizes.asked_people or sizes.people) / sizes.people)
    odds = sizes.asked_share * (_odds(parsed, parsed, NameCounts(()), sizes) - more)
    return float(np.clip(odds, -sizes.bound, sizes.asked))


def asked_priors(names: Sequence[str], sizes: NamePrior, asked: float = 1.0) -> Floats:
    """Return :func:`asked_prior` for each row; with probability 1 − `asked` it is that of any full name.

    A row takes the prior of the commonest full form of its surname; a row without a name that of the commonest name.

    >>> sizes = NamePrior(people=1e4, bare=100, census=1e4, bound=3, asked=1, similar=-3, others={}, part=0)
    >>> asked_priors(["John Smith", "J. Smith", "", "John Smith", "Zoe Quux"], sizes).round(1).tolist()
    [-0.5, -0.5, -0.5, -0.5, 1.0]
    """
    counted = Counter(name for name in names if name)
    parsed = {name: parse_person(name) for name in counted}
    worth: dict[str, float] = {}
    for name in sorted(counted, key=lambda name: (len(parsed[name].first) <= 1, -counted[name], name)):
        if parsed[name].last not in worth:
            usual = person_prior(parsed[name], parsed[name], Grade.EQUAL, NameCounts(()), sizes)
            worth[parsed[name].last] = asked * asked_prior(name, sizes) + (1 - asked) * usual
            worth.setdefault("", worth[parsed[name].last])
    return np.array([worth.get(parsed[name].last if name else "", 0.0) for name in names], dtype=np.float32)


def parts_of_one(pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.bool_]:
    """Mask pairs of a name and a part of it: true if the part is a part of no other name.

    >>> parts_of_one([("Velox", "Velox Tyres Ltd"), ("Velox Tyres", "Velox"), ("Oz", "Oz Air"), ("Oz Bank", "Oz")])
    array([ True,  True, False, False])
    """
    words = [tuple(sorted((telling_words(a), telling_words(b)), key=lambda each: (len(each), each))) for a, b in pairs]
    wholes: dict[tuple[str, ...], set[tuple[str, ...]]] = defaultdict(set)
    for part, whole in words:
        wholes[part].add(whole)
    return np.array([len(wholes[part]) == 1 for part, _ in words], dtype=bool)


def _other_odds(
    names: Sequence[str], entity_type: str, found: Agreeing, often: Mapping[str, int], sizes: NamePrior
) -> Floats:
    """Log odds of pairs of names of organisations or places, by grade; those of a part depend on the names it is in."""
    equal, similar = sizes.others.get(entity_type, 0.0), sizes.spelling.get(entity_type, sizes.similar)
    of_grade = {Grade.CLASH: 0.0, Grade.SIMILAR: similar, Grade.PART: equal - sizes.part}
    odds = np.array([of_grade.get(grade, equal) for grade in Grade], dtype=np.float32)[found.grade]
    for at in np.flatnonzero(found.grade == Grade.SIMILAR).tolist():
        a, b = divmod(int(found.code[at]), found.n)
        of_clubs = entity_type == "organisation" and (is_place(names[a]) or is_place(names[b]))
        if of_clubs or not _may_be_misread(names[a], names[b], often):
            odds[at] = sizes.similar
    parts = np.flatnonzero(found.grade == Grade.PART)
    pairs = [(names[code // found.n], names[code % found.n]) for code in found.code[parts].tolist()]
    if entity_type == "organisation":
        odds[parts[parts_of_one(pairs)]] += np.float32(sizes.only)
    # The contexts decide whether "Bank" and "Bank" are one.
    generic = [telling_words(a) == telling_words(b) for a, b in pairs]
    odds[parts[np.array(generic, dtype=bool)]] = min(equal - sizes.part, 0.0)
    odds[_doubtful_abbreviations(names, found, pairs)] = min(equal - sizes.part, 0.0)
    heads = {
        at: (plain_name(short), plain_name(full))
        for at, pair in zip(parts.tolist(), pairs, strict=True)
        for short, full in (pair, pair[::-1])
        if is_head(short, full)
    }
    ending = Counter[str]()
    for short, full in set(heads.values()):
        ending[short] += often[full]
    for at, (short, full) in heads.items():
        odds[at] = sizes.head if 2 * often[full] > ending[short] else sizes.similar
    return odds


def _doubtful_abbreviations(
    names: Sequence[str], found: Agreeing, parts: Iterable[tuple[str, str]]
) -> npt.NDArray[np.int64]:
    """Return the places of equal pairs of two letters that stand for none, or for several, of the names.

    >>> names = ["GM", "General Motors", "EU", "AC", "Air Canada", "Apple Computer"]
    >>> found = agreeing(names, "organisation")
    >>> parts = [(names[a], names[b]) for a, b in found.pairs() if a != b]
    >>> [names[found.code[at] // found.n] for at in _doubtful_abbreviations(names, found, parts)]
    ['EU', 'AC']
    """
    full_names: dict[str, set[str]] = defaultdict(set)
    for pair in parts:
        for short, full in (pair, pair[::-1]):
            if is_doubtful_abbreviation(short) and short_for(short) in abbreviations(full):
                full_names[fold(short)].add(plain_name(full))
    equal = np.flatnonzero(found.grade == Grade.EQUAL)
    short_names = [names[code // found.n] for code in found.code[equal].tolist()]
    doubtful = [is_doubtful_abbreviation(name) and len(full_names[fold(name)]) != 1 for name in short_names]
    return equal[np.array(doubtful, dtype=bool)]


def _may_be_misread(a: str, b: str, often: Mapping[str, int]) -> bool:
    """Whether first letters agree, or that of a rare name that is no place's may be wrong: "Prussia" is no Russia.

    >>> [_may_be_misread(name, "Russia", {"prussia": 3, "bussia": 1}) for name in ("Prussia", "Bussia")]
    [False, True]
    """
    wrong = b if is_place(a) else a
    return plain_name(a)[0] == plain_name(b)[0] or often[plain_name(wrong)] < NO_MISPRINT


def _by_full_names(
    names: Sequence[str], found: Agreeing, odds: Floats, often: Mapping[str, int]
) -> tuple[Agreeing, Floats]:
    """Add the pairs that agree through a third name: an acronym or part of it, and another form of it.

    "Fund" and "IMF" stay apart if there is no "International Monetary Fund". Two parts of one name stay apart: of
    "World Bank and IMF", or of a firm and its owner.
    """
    forms: dict[int, list[tuple[int, int, float]]] = defaultdict(list)
    for code, grade, worth in zip(found.code.tolist(), found.grade.tolist(), odds.tolist(), strict=True):
        for short, full in (divmod(code, found.n), divmod(code, found.n)[::-1]):
            if grade and short != full and _is_form(names[short], names[full], grade, often):
                forms[full].append((short, grade, worth))
    third: dict[int, float] = {}
    listed = set(found.code[found.grade > Grade.CLASH].tolist())
    for own in forms.values():
        for (a, grade, worth), (b, other, also) in combinations(own, 2):
            code = min(a, b) * found.n + max(a, b)
            if code not in listed and max(grade, other) != Grade.PART:
                third[code] = max(third.get(code, -np.inf), min(worth, also))
    kept = ~np.isin(found.code, list(third))
    code = np.concatenate([found.code[kept], np.array(list(third), dtype=np.int64)])
    grade = np.concatenate([found.grade[kept], np.full(len(third), Grade.PART, dtype=np.int8)])
    odds = np.concatenate([odds[kept], np.array(list(third.values()), dtype=np.float32)])
    order = np.argsort(code)
    return Agreeing(found.n, code[order], grade[order], np.zeros(len(code), dtype=np.float32)), odds[order]


def _is_form(short: str, full: str, grade: int, often: Mapping[str, int]) -> bool:
    """Return whether one name is a form of another: a part, its letters, a rarer spelling, or an equal."""
    if grade == Grade.PART:
        return len(telling_words(short)) < len(telling_words(full))
    if grade == Grade.SIMILAR:
        return often[plain_name(short)] < often[plain_name(full)]
    return short_for(full) not in abbreviations(short)


def _spelt(names: Mapping[str, int]) -> Counter[str]:
    """Count the occurrences of each plain form."""
    often = Counter[str]()
    for name, n in names.items():
        often[plain_name(name)] += n
    return often


def fitted_key(name: str, entity_type: str | None, counts: NameCounts) -> str:
    """Return the key of a name whose ambiguity is fitted on the collection (`fit.py`); empty for other names.

    Spellings of one bearer have one key. A bare surname has none: the contexts of a famous bearer look like those of
    two people, so that only its frequency says how ambiguous it is.

    >>> counts = NameCounts(["Andrei Gromyko", "A. Gromyko"])
    >>> [fitted_key(name, "person", counts) for name in ("A. Gromyko", "Gromyko")]
    ['andrei gromyko', '']
    >>> fitted_key("The World Bank", "organisation", counts)
    'worldbank'
    """
    if entity_type not in ("person", None):
        return plain_name(name)
    parsed = parse_person(name)
    is_full = parsed.given and len(parsed.last) > 1
    return f"{counts.bearer(parsed.last, parsed.first)} {parsed.last}" if is_full else ""


class Priors:
    """Priors of rows of one type by their names, computed once for each pair of distinct names.

    With `asked` rows, people get priors for pairs with these rows only. Priors of organisations and places depend on
    other names; for some rows of a collection, `among` has the counts of those names in the full collection
    (:func:`crossdoc.names.index.bearing_on`).
    """

    def __init__(
        self,
        names: Sequence[str],
        entity_type: str | None,
        counts: NameCounts,
        sizes: NamePrior | None,
        asked: npt.NDArray[np.integer] | None = None,
        among: Mapping[str, int] | None = None,
        fitted: NameShifts = NameShifts(),
    ) -> None:
        every = np.array([*names, *(among or ())], dtype=object).astype(str)
        distinct, code = np.unique(every, return_inverse=True)
        self.code = code[: len(names)]
        wanted = None if asked is None else np.unique(self.code[asked]).tolist()
        if among is not None:
            equal = equal_names(distinct.tolist(), names)
            wanted = [number for number, name in enumerate(distinct.tolist()) if name in equal]
        self.agreeing: Agreeing = agreeing(distinct.tolist(), entity_type, wanted)
        if sizes is None:
            self.odds = np.zeros(len(self.agreeing.code), dtype=np.float32)
        elif entity_type in ("person", None):
            parsed = [parse_person(name) for name in distinct]
            left, right = np.divmod(self.agreeing.code, max(self.agreeing.n, 1))
            listed = zip(left.tolist(), right.tolist(), self.agreeing.grade.tolist(), strict=True)
            prior = person_prior if entity_type == "person" else untyped_prior
            odds = [prior(parsed[a], parsed[b], grade, counts, sizes) if grade else 0.0 for a, b, grade in listed]
            self.odds = np.array(odds, dtype=np.float32)
        else:
            often = Counter(map(plain_name, names)) if among is None else _spelt(among)
            self.odds = _other_odds(distinct.tolist(), entity_type, self.agreeing, often, sizes)
            self.agreeing, self.odds = _by_full_names(distinct.tolist(), self.agreeing, self.odds, often)
        if any(fitted):
            keys = [fitted_key(name, entity_type, counts) for name in distinct]
            self._add(np.array([fitted.names.get(key, np.nan) for key in keys], dtype=np.float32), fitted)

    def _add(self, shifts: Floats, fitted: NameShifts) -> None:
        """Add shifts to pairs of equal names or variants that have one; all other priors above 0 are weakened."""
        shift = np.fmin(*shifts[np.stack(np.divmod(self.agreeing.code, max(self.agreeing.n, 1)))])
        known = ~np.isnan(shift) & (self.agreeing.grade >= Grade.VARIANT)
        rest = self.odds - np.float32(fitted.others) * np.maximum(self.odds, np.float32(0.0))
        rest += np.float32(fitted.raised) * (self.agreeing.grade == Grade.EQUAL)
        self.odds = np.where(known, self.odds + shift, rest)

    def part(self, rows: npt.NDArray[np.integer]) -> Priors:
        """Return the priors of some rows, unchanged by the selection."""
        some = object.__new__(Priors)
        distinct, some.code = np.unique(self.code[rows], return_inverse=True)
        first, last = np.searchsorted(
            self.agreeing.code, [distinct * self.agreeing.n, (distinct + 1) * self.agreeing.n]
        )
        listed = np.concatenate([np.arange(0), *map(np.arange, first, last)]).astype(np.int64)
        left, right = np.divmod(self.agreeing.code[listed], max(self.agreeing.n, 1))
        kept = np.isin(right, distinct)
        left, right = np.searchsorted(distinct, [left[kept], right[kept]])
        listed = listed[kept]
        code, grade, score = left * len(distinct) + right, self.agreeing.grade[listed], self.agreeing.score[listed]
        some.agreeing, some.odds = Agreeing(len(distinct), code, grade, score), self.odds[listed]
        return some

    def of(self, pairs: npt.NDArray[np.int32]) -> Floats:
        """Return the priors of pairs of rows; 0 for names that clash, which a rule keeps apart."""
        at, listed = self.agreeing.places(self.code[pairs])
        return np.where(listed, self.odds[at], np.float32(0.0)) if len(self.odds) else np.zeros(len(pairs), np.float32)

    def all_pairs(self) -> tuple[Floats, npt.NDArray[np.int32]]:
        """Return the priors of all pairs, as a matrix, and the pairs whose names clash."""
        n = self.agreeing.n
        odds, clash = np.zeros((n, n), dtype=np.float32), np.ones((n, n), dtype=bool)
        left, right = np.divmod(self.agreeing.code, max(n, 1))
        odds[left, right] = odds[right, left] = self.odds
        clash[left, right] = clash[right, left] = self.agreeing.grade == Grade.CLASH
        rows = np.ix_(self.code, self.code)
        return odds[rows], np.argwhere(np.triu(clash[rows], k=1)).astype(np.int32)
