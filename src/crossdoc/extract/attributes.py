"""A chain's attributes: name parts, gender, descriptors, age, life dates, origin, party, faith, contact details.

The attributes of a profile in Huang et al. 2009, section 3.3 (names, gender, mention), and those that news add to them.
A value is what the document states: name parts folded, dates as ISO 8601, the rest in its own words.
A document that states its date in a short line near its opening ("Washington, November 27, 1963, 7 p.m.") gets it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING

from crossdoc.extract.descriptions import (
    Descriptions,
    affiliations_of,
    asserted,
    describing_nouns,
    entity_text,
    name_spans,
    phrase,
    subject,
)
from crossdoc.extract.gender import gender_of_chain, gender_of_mention, with_pronouns
from crossdoc.extract.mention_spans import Chain
from crossdoc.lang import DEFAULT, pack
from crossdoc.names import TITLES, fold, parse_person, telling_words
from crossdoc.names.texts import Contact, ContactPolicy, without_contacts

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token


MOST_DESCRIPTORS = 12
LONGEST_DATING = 12
"""Words after "born" within which its date stands."""
LEAST_GENDER_CONFIDENCE = 0.75
OWNERS = {"person": "PERSON", "organisation": "ORG"}
CONTACT_REACH = 80
"""Characters between a name and a contact detail that may still be its own."""

_LIFE = re.compile(r"\s?\((?:c\.\s?)?(?P<born>1\d{3}|20\d\d)\s?[-–—]\s?(?P<died>1\d{3}|20\d\d)\)")
_PARTY_STATE = re.compile(r"(?:,\s?|\s?\()([DRI])\.?\s?[-–,]\s?([A-Z][A-Za-z.]*(?:\s[A-Z][A-Za-z.]*)?)(?=[,);]|\s|$)")

_ROW = re.compile(r"\s-+\s|\bvs\b|\d,\d|\d\.\d")
"""Marks of tables and datelines, which no description contains."""

Attributes = dict[str, list[str]]


def attributes(
    doc: Doc,
    chain: Chain,
    policy: ContactPolicy,
    described: Descriptions,
    contacts: Sequence[Contact],
    day: date | None = None,
) -> Attributes:
    """Attributes of one chain that the document states, by key.

    A person's: title, first, middle, last, suffix, gender, gender_confidence, age, born, died, nationality, religion,
    ethnicity, party, state. Anyone's: descriptor, email, phone, url. `described` and `contacts` are what
    `descriptions(doc)` and `find_contacts(doc.text)` give; `day` is the document's.
    """
    nouns = describing_nouns(doc, chain, described)
    values: list[tuple[str, str]] = []
    if chain.type == "person":
        values += [*_name_parts(doc, chain), *_gender(doc, chain)]
    hide_contacts = bool(contacts) and policy.details != "keep"
    values += (("descriptor", text) for text in _descriptors(nouns, hide_contacts))
    if chain.type == "person":
        values += [*_beside_names(doc, chain), *_life(doc, chain, nouns, day)]
        values += ((kind, text) for kind, text, _ in affiliations_of(doc, chain, nouns))
    for contact in contacts_of(doc, chain, contacts) if policy.details != "off" else ():
        values.append((contact.kind, policy.kept(contact) or ""))
    result: dict[str, dict[str, None]] = defaultdict(dict)
    for key, value in values:
        if value:
            result[key][value] = None
    return {key: list(texts) for key, texts in result.items()}


def _name_parts(doc: Doc, chain: Chain) -> Iterator[tuple[str, str]]:
    if "@" in chain.name or "://" in chain.name:
        return
    for span in name_spans(doc, chain):
        titled = span.start if _is_title(span[0]) else span.start - 1
        # "Mr. and Mrs. John Smith" is no Mrs.
        if titled < 0 or (titled > 0 and doc[titled - 1].lower_ in pack(doc.lang_).function_words.and_):
            continue
        yield "title", parse_person(" ".join(span.text.split())).title
        if titled < span.start and doc[titled].is_title and _is_title(doc[titled]):
            yield "title", fold(doc[titled].text)
    name = parse_person(chain.name)
    yield "first", name.first
    yield from (("middle", middle) for middle in name.middle)
    yield "last", name.last
    yield "suffix", name.suffix


def _is_title(word: Token) -> bool:
    plain = fold(word.text)
    return plain in TITLES or plain in pack(word.lang_).titles.also


def _gender(doc: Doc, chain: Chain) -> Iterator[tuple[str, str]]:
    guess = gender_of_chain([gender_of_mention(span) for span in name_spans(doc, chain)])
    pronouns = [doc[mention.start].lower_ for mention in chain.mentions if mention.kind == "pronoun"]
    known = pack(doc.lang_).pronouns
    feminine, masculine = (sum(word in words for word in pronouns) for words in (known.feminine, known.masculine))
    guess = with_pronouns(guess, feminine, masculine)
    gender = chain.gender or ("f" if guess.female > 0.5 else "m")
    confidence = guess.female if gender == "f" else 1 - guess.female
    # A first name leans one way more often than it tells.
    if confidence >= LEAST_GENDER_CONFIDENCE:
        yield "gender", gender
        yield "gender_confidence", f"{confidence:.2f}"


def _descriptors(nouns: Sequence[Token], hide_contacts: bool) -> list[str]:
    phrases = ((phrase(noun), pack(noun.lang_).roles.says_nothing) for noun in nouns if not _only_kin(noun))
    texts = [text for text, says_nothing in phrases if text.lower() not in says_nothing and not _ROW.search(text)]
    return most_telling(map(without_contacts, texts) if hide_contacts else texts)


def most_telling(texts: Iterable[str]) -> list[str]:
    """Descriptive phrases, the one with most words first; one that another contains adds nothing.

    >>> most_telling(["chairman", "lawyer", "chairman of General Motors"])
    ['chairman of General Motors', 'lawyer']
    """
    by_length = sorted(dict.fromkeys(texts), key=lambda text: -len(text.split()))
    kept: list[str] = []
    for text in by_length:
        words = set(text.lower().split())
        if not any(words <= set(longer.lower().split()) for longer in kept):
            kept.append(text)
    return kept[:MOST_DESCRIPTORS]


def _only_kin(noun: Token) -> bool:
    """Whether a phrase says no more than "his wife": that is a relation, and the same of everyone's wife."""
    is_kin = noun.lemma_.lower() in pack(noun.lang_).kinship.nouns
    return is_kin and not any(child.dep_ == "prep" for child in noun.rights)


def _beside_names(doc: Doc, chain: Chain) -> Iterator[tuple[str, str]]:
    language = pack(doc.lang_)
    parties = language.affiliations.party_letters
    for span in name_spans(doc, chain):
        # `doc.text` is rebuilt at each call, hence the few tokens.
        after = " " * bool(doc[span.end - 1].whitespace_) + " ".join(doc[span.end : span.end + 16].text.split("\n"))
        if (match := language.dates.age_after.match(after)) and 0 < int(match[1]) < 120:
            yield "age", match[1]
        if match := _LIFE.match(after):
            yield from match.groupdict().items()
        if match := language.dates.life.match(after):
            stated = match.groupdict("").items()
            yield from ((key, stated_date(value, None, language.code) or "") for key, value in stated)
        if (match := _PARTY_STATE.match(after)) and match[1] in parties:
            yield from (("party", parties[match[1]]), ("state", match[2]))


def _life(doc: Doc, chain: Chain, nouns: Sequence[Token], day: date | None) -> Iterator[tuple[str, str]]:
    language = pack(doc.lang_)
    verbs_of_life = {language.statements.be, *language.statements.life}
    own = {mention.span(doc).root.i for mention in chain.mentions if mention.end > mention.start}
    roots = [doc[index] for index in sorted(own)]
    for noun in (*nouns, *roots):
        if match := language.dates.years_old.search(doc[noun.left_edge.i : noun.i + 1].text):
            yield "age", match[1]
    for root in roots:
        verbs = [root.head] if root.dep_ in {"nsubj", "nsubjpass"} else []
        verbs += [child for child in root.rights if child.dep_ in {"acl", "relcl"}]
        for verb in verbs:
            if verb.lemma_ in verbs_of_life and asserted(verb) and subject(verb)[0] == root:
                yield from _stated_by(verb, day)
                yield from (fact for other in _further_verbs(verb, root) for fact in _stated_by(other, day))


def _further_verbs(verb: Token, who: Token) -> Iterator[Token]:
    """ "born in 1950, died in 1999": verbs of birth and death that say who it is no more."""
    life = pack(verb.lang_).statements.life
    for each in verb.doc[verb.i + 1 : verb.sent.end] if verb.lemma_ in life else ():
        if each.lemma_ in life and each.pos_ == "VERB" and subject(each)[0] in (None, who) and asserted(each):
            yield each


def _stated_by(verb: Token, day: date | None) -> Iterator[tuple[str, str]]:
    language = pack(verb.lang_)
    event = language.statements.life.get(verb.lemma_)
    if event is not None:
        yield from _written_after(verb, event, day)
    for child in verb.rights:
        for token in (child, *child.rights) if child.dep_ == "prep" else (child,):
            if token.ent_type_ not in {"DATE", "CARDINAL"}:
                continue
            stated = entity_text(token)
            if event is not None:
                yield event, stated_date(stated, day, language.code) or ""
            elif token.dep_ in {"attr", "acomp"} and (match := language.dates.age.fullmatch(stated)):
                yield "age", match[1]


def _written_after(verb: Token, event: str, day: date | None) -> Iterator[tuple[str, str]]:
    """The date and the age in the words after a verb of birth or death, up to the next one."""
    language = pack(verb.lang_)
    end = min(verb.i + LONGEST_DATING, verb.sent.end)
    end = next((i for i in range(verb.i + 1, end) if verb.doc[i].lemma_ in language.statements.life), end)
    text = " ".join(verb.doc[verb.i + 1 : end].text.split())
    if match := language.dates.written.search(text):
        yield event, stated_date(match[0], day, language.code) or ""
        if match := language.dates.years_old.search(text):
            yield "age", match[1]


def stated_date(text: str, today: date | None = None, language: str = DEFAULT) -> str | None:
    """A date as ISO 8601, as precise as is known; a weekday or a day without a year needs the document's date.

    >>> stated_date("May 3, 1931"), stated_date("3 May 1931"), stated_date("1931"), stated_date("Sunday")
    ('1931-05-03', '1931-05-03', '1931', None)
    """
    known = pack(language).dates
    text = known.leading.sub("", " ".join(text.split()))
    if text.lower() in known.weekdays:
        back = today and (today.weekday() - known.weekdays.index(text.lower())) % 7
        return None if today is None else (today - timedelta(back or 0)).isoformat()
    match = known.date.fullmatch(text)
    month = known.month(match["month"] or "") if match else None
    if match is None or (match["month"] and month is None):
        return None
    day = match["day"] or match["after"]
    year = int(match["year"]) if match["year"] else None
    if year is None and today and month and day:
        year = today.year - ((month, int(day)) > (today.month, today.day))
    if year is None or (day and (not month or int(day) > 31)):
        return None
    return f"{year}" + (f"-{month:02}" if month else "") + (f"-{int(day):02}" if day else "")


def contacts_of(doc: Doc, chain: Chain, found: Sequence[Contact]) -> list[Contact]:
    """Select a chain's own contact details: those that spell its name, else those that are nearest to it."""
    label = OWNERS.get(chain.type)
    if not found or label is None:
        return []
    own = [(span.start_char, span.end_char) for span in name_spans(doc, chain)]
    others = {(entity.start_char, entity.end_char) for entity in doc.ents if entity.label_ == label} - set(own)
    named = {contact: _names_entity(contact, chain) for contact in found}
    return [c for c in found if named[c] or (named[c] is None and _nearest(doc, c, own, others))]


def _names_entity(contact: Contact, chain: Chain) -> bool | None:
    """Whether the detail spells out the chain's name: yes, no (it spells another's), or None where it cannot say."""
    if contact.kind == "email" and chain.type == "person":
        who, name = fold(contact.value.partition("@")[0]), parse_person(chain.name)
        if len(name.last) > 2 and name.last in who:
            rest = who.replace(name.last, "")
            return not (rest.isalpha() and name.first) or rest[0] == name.first[0] or name.first in rest
    elif contact.kind != "phone" and chain.type == "organisation":
        host = fold(contact.value.rpartition("@")[2].partition("/")[0])
        plain = "".join(telling_words(chain.name))
        return True if len(plain) > 3 and plain in host else None
    return None


def _gap(contact: Contact, span: tuple[int, int]) -> int:
    return max(span[0] - contact.end, contact.start - span[1], 0)


def _nearest(doc: Doc, contact: Contact, own: Iterable[tuple[int, int]], rivals: Iterable[tuple[int, int]]) -> bool:
    nearest = min(own, key=lambda span: _gap(contact, span), default=None)
    if nearest is None or _gap(contact, nearest) > CONTACT_REACH:
        return False
    between = doc.text[min(nearest[1], contact.end) : max(nearest[0], contact.start)]
    # A blank line ends a signature block or an entry of a list.
    if re.search(r"\n\s*\n", between):
        return False
    return all(_gap(contact, rival) > _gap(contact, nearest) for rival in rivals)


LINES, LONGEST_LINE, LEAST_LINES = 8, 90, 3
"""Lines at the opening in which a dateline is looked for, its characters, and lines that a text with one has. Chosen on
two volumes of FRUS; sensitivity not measured."""
_YEAR = re.compile(r"\b(?:1\d{3}|20\d\d)\b")
_OPENING_NUMBER = re.compile(r"^\s*\d+\.\s")


def opening_date(text: str, language: str | None = None) -> str | None:
    """The date, known to the day, of a short line near the opening of a text.

    >>> opening_date("5. Letter to the Secretary\\nWashington, January 22, 1964.\\nDear Dean:\\nIn our recent …")
    '1964-01-22'
    >>> opening_date("He was born on May 3, 1931.")
    """
    lines = [line for line in text[: LINES * 3 * LONGEST_LINE].split("\n") if line.strip()]
    if len(lines) < LEAST_LINES:
        return None
    for line in lines[:LINES]:
        if len(line) <= LONGEST_LINE and (found := _date_in(_OPENING_NUMBER.sub("", line), language or DEFAULT)):
            return found
    return None


def _date_in(line: str, language: str) -> str | None:
    for year in _YEAR.finditer(line):
        words = line[: year.end()].split()
        for size in (3, 2):
            stated = stated_date(" ".join(words[-size:]), language=language)
            if stated is not None and len(stated) == len("1964-01-22"):
                return stated
    return None
