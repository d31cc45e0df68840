"""Names of one document into entities: full name and surname, title, initials, nickname, acronym, short form.

Full names are grouped first, as only they tell namesakes apart; then every short name goes to the nearest that it fits.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crossdoc.extract.gender import SURE_GENDER, gender_of_first_name, gender_of_mention
from crossdoc.extract.mention_spans import SpanMention, sentence_numbers
from crossdoc.extract.name_surroundings import before, is_title
from crossdoc.lang import NameWords, Titles, pack
from crossdoc.lang.en import COUNTRIES, SAME_PLACE, STATES
from crossdoc.names import (
    PARTICLES,
    SMALL_WORDS,
    TITLES,
    PersonName,
    first_names_agree,
    fold,
    is_acronym,
    parse_person,
    persons_agree,
    telling_words,
)

if TYPE_CHECKING:
    from spacy.tokens import Doc


@dataclass(slots=True)
class Entity:
    """A chain in the making."""

    type: str
    mentions: list[SpanMention] = field(default_factory=list)
    names: list[PersonName] = field(default_factory=list)
    gender: str = ""
    generation: str = ""
    descriptors: set[str] = field(default_factory=set)
    """Head nouns of its titles, appositions and predicates."""
    named: bool = True


@dataclass(slots=True)
class _PersonMention:
    mention: SpanMention
    name: PersonName
    gender: str
    generation: str

    @property
    def is_full(self) -> bool:
        return bool(self.name.first and self.name.last)


def name_tokens(doc: Doc, mention: SpanMention) -> tuple[int, int]:
    """The name itself within a mention that may be a longer phrase ("Los Angeles based Northrop Grumman")."""
    the = pack(doc.lang_).function_words.the
    bracket = next((i for i in range(mention.start + 1, mention.end) if doc[i].text == "("), mention.end)
    words = [doc[i] for i in range(mention.start, bracket)]
    if all(not t.is_alpha or t.text[:1].isupper() or t.lower_ in SMALL_WORDS | PARTICLES for t in words):
        start = mention.start
        while start + 1 < bracket and doc[start].lower_ in the:
            start += 1
        return start, bracket
    root = doc[mention.start : mention.end].root.i
    for entity in doc[mention.start : mention.end].ents:
        if entity.start <= root < entity.end:
            return entity.start + (entity[0].lower_ in the and len(entity) > 1), entity.end
    start, end = root, root + 1
    while start > mention.start and doc[start - 1].pos_ == "PROPN":
        start -= 1
    while end < mention.end and doc[end].pos_ == "PROPN":
        end += 1
    return start, end


def name_text(doc: Doc, mention: SpanMention) -> str:
    start, end = name_tokens(doc, mention)
    if end - start > 1 and doc[end - 1].text in {"'s", "’s", "'"}:
        end -= 1
    return " ".join(doc[start:end].text.split())


def chain_names(doc: Doc, mentions: Iterable[SpanMention]) -> list[Entity]:
    """Named mentions as entities, each type by itself, in the order of their first mentions."""
    by_type: dict[str, list[SpanMention]] = defaultdict(list)
    for mention in mentions:
        by_type[mention.type].append(mention)
    places = {fold(name_text(doc, m)) for m in by_type.get("place", [])}
    entities: list[Entity] = []
    for type_, own in by_type.items():
        entities += _people(doc, own) if type_ == "person" else _others(doc, own, type_, places)
    for entity in entities:
        entity.mentions.sort(key=lambda m: m.start)
    return sorted(entities, key=lambda e: e.mentions[0].start)


# People


def titles_before(doc: Doc, start: int) -> list[str]:
    """Title words right before a name, in text order."""
    titles: list[str] = []
    i = before(doc, start)
    while i is not None and len(titles) < 3:
        word = doc[i].text
        if not (is_title(word, doc.lang_) or (fold(word) in TITLES and word[:1].isupper())):
            break
        titles.insert(0, word)
        i = before(doc, i)
    return titles


def _person_mention(doc: Doc, mention: SpanMention) -> _PersonMention:
    language = pack(doc.lang_)
    start, end = name_tokens(doc, mention)
    titles = [language.titles.spelled.get(fold(title), title) for title in titles_before(doc, start)]
    name = parse_person(" ".join([*titles, name_text(doc, mention)]))
    guess = gender_of_mention(doc[start:end])
    gender = name.gender or ("" if guess.confidence < SURE_GENDER else "f" if guess.female > 0.5 else "m")
    return _PersonMention(mention, name, gender, _generation(doc, start, end, name.suffix))


def _generation(doc: Doc, start: int, end: int, suffix: str) -> str:
    """ "jr" or "sr" by a suffix, an adjective ("the younger") or a word for kin before the name or in apposition."""
    kin, i = pack(doc.lang_).kinship, before(doc, start)
    generation = suffix if suffix in {"jr", "sr"} else ""
    if i is not None:
        generation = kin.generations.get(doc[i].lower_, generation)
    nouns = [] if i is None else [doc[i].lower_]
    root = doc[start:end].root if start < end else None
    if root is not None and root.dep_ == "appos" and root.head.i < start:
        nouns.append(root.head.lower_)
    stated = ["jr" if noun in kin.children else "sr" for noun in nouns if noun in kin.children | kin.parents]
    return generation or (stated[0] if stated else "")


def _people(doc: Doc, mentions: list[SpanMention]) -> list[Entity]:
    people = [_person_mention(doc, m) for m in mentions]
    entities: list[Entity] = []
    by_ending: dict[str, list[Entity]] = defaultdict(list)
    for person in (each for each in people if each.is_full):
        namesakes = by_ending[person.name.last[-3:]]
        fitting = [e for e in namesakes if _fits_all(person.name, e.names, doc.lang_)]
        fitting = [e for e in fitting if not _contradicts(e, person, by_first_name=True)]
        known = [e for e in fitting if person.name in e.names] or fitting
        home = max(known, key=lambda e: e.mentions[-1].start, default=None)
        if home is None:
            home = Entity("person")
            entities.append(home)
            namesakes.append(home)
        _add(home, person)
    sentence = sentence_numbers(doc)
    for person in (each for each in people if not each.is_full):
        home = _nearest(person, entities, sentence, pack(doc.lang_).titles)
        if home is None:
            home = Entity("person")
            entities.append(home)
        _add(home, person)
    return entities


def _add(entity: Entity, person: _PersonMention) -> None:
    entity.mentions.append(person.mention)
    if person.name not in entity.names:
        entity.names.append(person.name)
    entity.gender = entity.gender or person.gender
    entity.generation = entity.generation or person.generation


def _fits_all(name: PersonName, known: list[PersonName], language: str) -> bool:
    """Whether a full name fits one known name and contradicts none; "W. Dorsey" does not contradict "Bill Dorsey"."""
    fits = [_full_names_fit(name, other, language) for other in known]
    excused = [1 in {len(name.first), len(o.first)} and _surnames_fit(name.last, o.last) for o in known]
    return any(fits) and all(
        fit or (excuse and not o.suffix) for fit, excuse, o in zip(fits, excused, known, strict=True)
    )


def _full_names_fit(a: PersonName, b: PersonName, language: str) -> bool:
    if not a.first or not b.first:
        return False
    if a.first + a.last == b.last or b.first + b.last == a.last:  # "Van Buren" and "Martin Van Buren"
        return True
    if not _surnames_fit(a.last, b.last):
        return False
    if len(a.first) > 1 and len(b.first) > 1 and a.first != b.first:
        if a.first in b.middle or b.first in a.middle:
            return True
        x, y = gender_of_first_name(a.first, language), gender_of_first_name(b.first, language)
        if min(x.confidence, y.confidence) > SURE_GENDER and (x.female > 0.5) != (y.female > 0.5):
            return False
    return persons_agree(a, b)


def _surnames_fit(a: str, b: str) -> bool:
    if a == b:
        return True
    short, long = sorted((a, b), key=len)
    lead = long[: len(long) - len(short)]
    return long.endswith(short) and len(short) > 2 and (lead in PARTICLES or lead in {"vander", "vonder", "dela"})


def _fit(short: PersonName, name: PersonName, titles: Titles) -> int:
    """How well a short name fits a name: 4 the surname, 3 the first name, 2 initials, 1 a nickname or middle name."""
    # "King Hussein" has no surname: he is neither Saddam Hussein nor President Hussein.
    one_reigns = (short.title in titles.monarchs) != (name.title in titles.monarchs)
    if one_reigns and short.title and (name.first or name.title):
        return 0
    if not name.first:
        return 4 if _surnames_fit(short.last, name.last) else 0
    if _surnames_fit(short.last, name.last):
        return 4
    if short.title and not (short.title == name.title or short.title in titles.before_first_names):
        return 0
    word, first = short.last, name.first
    if word == first and len(word) > 1:
        return 3
    if word == first[0] + "".join(m[0] for m in name.middle) + name.last[0]:
        return 2
    if len(word) < 3:
        return 0
    agree = first_names_agree(word, first)
    another = agree and len(first) > 1 and word[0] != first[0]
    shortened = agree and 2 < len(first) > len(word) and not first.startswith(word + word[-1:])
    return int(word in name.middle or another or shortened)


def _contradicts(entity: Entity, person: _PersonMention, by_first_name: bool = False) -> bool:
    if entity.generation and person.generation and entity.generation != person.generation:
        return True
    titled = person.name.gender or (person.gender if not by_first_name else "")
    return bool(titled and entity.gender and titled != entity.gender and (person.name.gender or person.name.first))


def _nearest(person: _PersonMention, entities: list[Entity], sentence: list[int], titles: Titles) -> Entity | None:
    """The entity that a short name fits best, then the nearest and most spoken of."""
    at = person.mention.start
    open_ = [entity for entity in entities if not _contradicts(entity, person)]
    fits = [(max(_fit(person.name, name, titles) for name in entity.names), entity) for entity in open_]
    fitting = [(fit, entity) for fit, entity in fits if fit]
    best, best_rank = None, (0, -math.inf)
    if person.generation and sum(fit == 4 for fit, _ in fitting) > 1 and not any(e.generation for _, e in fitting):
        return None
    for fit, entity in fitting:
        earlier = [m for m in entity.mentions if m.start < at]
        distance = sentence[at] - sentence[max(m.start for m in earlier)] if earlier else 20 + entity.mentions[0].start
        score = -distance + 0.5 * min(len(earlier), 4)
        score += 30.0 * (person.name.title != "" and any(n.title == person.name.title for n in entity.names))
        score += 30.0 * (person.generation != "" and entity.generation == person.generation)
        score += 2.0 * any(n == person.name for n in entity.names)
        if (fit, score) > best_rank:
            best, best_rank = entity, (fit, score)
    return best


# Organisations and places


def _others(doc: Doc, mentions: list[SpanMention], type_: str, places: set[str]) -> list[Entity]:
    by_key: dict[str, Entity] = {}
    texts: dict[str, str] = {}
    for mention in mentions:
        text = name_text(doc, mention)
        key = "".join(telling_words(text)) or fold(text) or text
        if type_ == "place":
            key = SAME_PLACE.get(key, key)
        by_key.setdefault(key, Entity(type_)).mentions.append(mention)
        texts.setdefault(key, text)
    if type_ == "place":
        return list(by_key.values())
    known = pack(doc.lang_).name_words
    parent = {key: key for key in texts}
    for key, alias in _defined_in_brackets(doc, by_key):
        parent[alias] = key
    # Shortest first, so that "Northrop" goes to "Northrop Grumman" and this to "Northrop Grumman Systems".
    for key in sorted(texts, key=lambda k: (len(telling_words(texts[k])), k)):
        others = [k for k in texts if parent[k] != key] if parent[key] == key else []
        longer = [k for k in others if _is_short_form(texts[key], texts[k], places, known)]
        if longer:
            parent[key] = max(longer, key=lambda k: (len(by_key[k].mentions), -by_key[k].mentions[0].start, k))
    merged: dict[str, Entity] = {}
    for key, entity in by_key.items():
        top, seen = key, {key}
        while parent[top] not in seen:
            top = parent[top]
            seen.add(top)
        merged.setdefault(top, Entity(type_)).mentions.extend(entity.mentions)
    return list(merged.values())


def _defined_in_brackets(doc: Doc, by_key: dict[str, Entity]) -> list[tuple[str, str]]:
    """ "European Aeronautic Defence and Space Company (EADS)", or the two turned round."""
    starts = {name_tokens(doc, m)[0]: (key, m) for key, entity in by_key.items() for m in entity.mentions}
    pairs = []
    for key, entity in by_key.items():
        for mention in entity.mentions:
            end = name_tokens(doc, mention)[1]
            if end + 2 >= len(doc) or doc[end].text != "(" or end + 1 not in starts:
                continue
            other, inner = starts[end + 1]
            inner_end = name_tokens(doc, inner)[1]
            if other == key or inner_end >= len(doc) or doc[inner_end].text != ")":
                continue
            long, short = (key, other) if len(key) > len(other) else (other, key)
            if short[:1] == long[:1] and len(short) <= 8:
                pairs.append((long, short))
    return pairs


def _is_short_form(short: str, full: str, places: set[str], known: NameWords) -> bool:
    x, y = telling_words(short), telling_words(full)
    if not x or len(y) <= len(x) - (is_acronym(short)):
        return False
    if is_acronym(short) and len(y) > 1:
        letters = fold(short)
        initials = "".join(word[0] for word in y)
        words = full.replace("-", " ").split()
        spelled = "".join(fold(word)[:1] for word in words)
        capitals = "".join(fold(word)[:1] for word in words if word[:1].isupper())
        if letters in {initials, spelled, capitals, initials[1:] if y[0] in {"us", "uk"} else initials}:
            return True
    if len(y) <= len(x) or fold(short) in places or short in STATES or short in COUNTRIES:
        return False
    if len(x) == 1 and x[0] in known.too_general:
        return False
    if y[: len(x)] == x:
        return y[len(x)] not in known.derived and y[-1] not in known.derived
    return len(x) > 1 and y[-len(x) :] == x
