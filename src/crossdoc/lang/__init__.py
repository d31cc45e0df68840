"""Languages: `pack("en")` is all that crossdoc knows of English. A language is a folder here, or comes with a package.

A `Language` has named parts, each of which is data alone and may be left out: its rules then find nothing. The rules
are in extract/ and contain no word of any language. A package names its :class:`Language` under the entry point
`crossdoc.languages`, by the language's code; it takes the place of crossdoc's own (docs/extending/language.md).

`words.toml` in the folder of a language has a table for each part. A list is a text of words separated by spaces.
`&part.field` in it stands for another list or for the words of another table, and `!` before a word or a list removes
it, as in "&roles.roles !&roles.offices". Patterns stay in Python.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache, lru_cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.resources import files
from pathlib import Path
from typing import Any

from crossdoc import errors

Words = frozenset[str]
NONE: Words = frozenset()
NEVER = re.compile(r"(?!)")
"""Matches nothing."""


def words(text: str) -> Words:
    """A set of words from a text that lists them.

    >>> sorted(words("he him"))
    ['he', 'him']
    """
    return frozenset(text.split())


@dataclass(frozen=True, slots=True)
class Models:
    """Which spaCy packages read the language."""

    packages: tuple[str, ...] = ()
    """Names to import, best first; without any, spaCy's usual names are tried."""
    requirement: str = ""
    """Argument of `pip install`, only if the package index really has it."""
    universal: bool = False
    """Whether they parse in Universal Dependencies."""
    names: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """By feature of a candidate for a name, the weights for none, person, organisation and place."""


@dataclass(frozen=True, slots=True)
class FunctionWords:
    """Articles, joints and prepositions. All in small letters."""

    articles: Words = NONE
    the: Words = NONE
    """Articles that open names without being part of them."""
    definite: Words = NONE
    """Determiners of what is known already."""
    and_: Words = NONE
    of: Words = NONE
    where: Words = NONE
    before_places: Words = NONE
    before_people: Words = NONE
    determiners: Words = NONE
    """Further prepositions before names of places and of people, and further words before nouns: frames by which names
    are learned where nouns are capitalised."""
    particles: Words = NONE
    """Words in small letters within a person's name."""
    entity_edges: re.Pattern[str] = NEVER
    """Edges that are no part of an entity: its article, its possessive ending."""
    stop: Words = NONE
    """Words that say nothing of what a text is about; without any, spaCy's list of the language counts."""


@dataclass(frozen=True, slots=True)
class Titles:
    """Titles before a person's name, in small letters and without a dot; from `telling` on without accents too."""

    female: Words = NONE
    male: Words = NONE
    neutral: Words = NONE
    telling: Words = NONE
    """After these comes a person, whatever the model says."""
    also: Words = NONE
    """Titles in addition to those of crossdoc.names."""
    small: Words = NONE
    """Titles that are written with a small letter before names."""
    names_too: Words = NONE
    """Titles that are first names or parts of names at least as often."""
    before_first_names: Words = NONE
    """"Sir Paul": what follows may be the first name alone."""
    monarchs: Words = NONE
    """Titles before first names, so that "King Hussein" has no surname."""
    spelled: Mapping[str, str] = field(default_factory=dict)
    """Titles that could as well be initials, written out."""
    role_of: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NameWords:
    """Words within names of organisations and places, in small letters and without accents."""

    organisations: Words = NONE
    places: Words = NONE
    heads_first: bool = False
    """Whether such a word opens the name ("Banque de France") instead of ending it."""
    countries: Words = NONE
    """Countries as the language calls them, where the model needs help to see them as places."""
    not_names: Words = NONE
    """Words in capitals that models take for names: singular."""
    surnames_too: Words = NONE
    """Words of organisations and places that are surnames as well."""
    with_article: Words = NONE
    too_general: Words = NONE
    """No short forms of a longer name by themselves."""
    first_names: Mapping[str, float] = field(default_factory=dict)
    """First names, and the share of women among their bearers; those of the United States are known anyway."""
    derived: Words = NONE
    """Words that follow an organisation's name in the name of another."""
    bodies: Words = NONE
    trades: Words = NONE
    clubs: Words = NONE
    units: Words = NONE
    """Units that tables abbreviate ("Dlrs"): no part of a name, and none by itself."""
    always_capitals: Words = NONE
    """Acronyms that are other words in small letters; in capitals."""
    table_words: Words = NONE
    """Headings of tables and the like, which are no names in whatever letters."""
    team_sports: Words = NONE
    single_sports: Words = NONE
    """By which a report on teams, or on athletes, is known."""
    """Words between two names in a line of a score card: "Wasim Akram b Harris 4"."""


@dataclass(frozen=True, slots=True)
class Kinship:
    """Words for kin."""

    nouns: Words = NONE
    groups: Mapping[str, str] = field(default_factory=dict)
    """By one of them, the words that say the same but for gender."""
    inverse: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By group, what the other is: a man, a woman, either."""
    relative: str = ""
    """The inverse if nothing more is known."""
    kept_adjectives: Words = NONE
    children: Words = NONE
    parents: Words = NONE
    close: Words = NONE
    """Kin and friends: who is introduced so is talked about through another."""
    generations: Mapping[str, str] = field(default_factory=dict)
    """Adjectives of a generation: "jr" or "sr"."""

    def group_of(self, noun: str) -> str | None:
        return next((group for group, listed in self.groups.items() if noun in listed.split()), None)

    def inverse_of(self, kin: str, gender: str) -> str:
        """Return the word for the other, of that `gender`, to whom someone is `kin`.

        >>> [pack("en").kinship.inverse_of(*each) for each in (("wife", "m"), ("former wife", ""), ("son", "f"))]
        ['husband', 'former spouse', 'mother']
        """
        *adjectives, noun = kin.split()
        group = self.group_of(noun)
        if group is None:
            return self.relative
        male, female, either = self.inverse[group]
        kept = [word for word in adjectives if word in self.kept_adjectives]
        return " ".join([*kept, {"m": male, "f": female}.get(gender, either)])


@dataclass(frozen=True, slots=True)
class Roles:
    """Nouns for what people are."""

    offices: Words = NONE
    roles: Words = NONE
    people: Words = NONE
    endings: tuple[str, ...] = ()
    portfolios: Words = NONE
    """Roles before which a field stands, and not an employer."""
    adjectives: Words = NONE
    """Adjectives that belong to a role: "former", "vice"."""
    says_nothing: Words = NONE
    same: Mapping[str, Words] = field(default_factory=dict)
    """Other words that are used for a role."""
    female: Words = NONE
    male: Words = NONE


@dataclass(frozen=True, slots=True)
class Nominals:
    """Heads of phrases that stand for a person, an organisation or a place ("the company")."""

    people: Words = NONE
    organisations: Words = NONE
    places: Words = NONE
    general: Words = NONE
    """Heads that fit any entity of their type, so that the nearest may take them."""
    telling: Words = NONE
    """Heads that say what an entity is, so that the only one of its type nearby may take them."""
    countries: Words = NONE
    states: Words = NONE
    male: Words = NONE
    female: Words = NONE
    endings: Mapping[str, str] = field(default_factory=dict)
    """Last parts of compounds, and their type."""
    no_compounds: Words = NONE


@dataclass(frozen=True, slots=True)
class Pronouns:
    """Third-person and relative pronouns."""

    masculine: Words = NONE
    feminine: Words = NONE
    either: Words = NONE
    """For one person of either gender."""
    plural: Words = NONE
    thing: Words = NONE
    things_too: Words = NONE
    """For people, and for things by their grammatical gender."""
    relative: Words = NONE
    relative_of_things: Words = NONE
    reflexive: Words = NONE
    nominative: Words = NONE
    accusative: Words = NONE
    accusative_or_possessive: Words = NONE
    not_people: Words = NONE
    """Subjects to which no pronoun can refer."""
    empty: Words = NONE
    """Pronouns that may refer to nothing."""
    empty_verbs: Words = NONE
    """Verbs of which `empty` pronouns are then the subject."""
    speakers: Words = NONE
    """First and second person, which only annotated corpora have as mentions."""

    @property
    def personal(self) -> Words:
        return self.masculine | self.feminine | self.either

    @property
    def all(self) -> Words:
        return self.personal | self.plural | self.thing | self.relative | self.reflexive | self.speakers


@dataclass(frozen=True, slots=True)
class Dates:
    """Ages and dates as they are written."""

    months: tuple[str, ...] = ()
    letters: int = 3
    """How many letters tell the months apart."""
    weekdays: tuple[str, ...] = ()
    date: re.Pattern[str] = NEVER
    """With the groups day, month, after and year."""
    leading: re.Pattern[str] = NEVER
    written: re.Pattern[str] = NEVER
    """A date in running text, for languages whose models mark none."""
    life: re.Pattern[str] = NEVER
    """Dates of life after a name, with the groups born and died."""
    age: re.Pattern[str] = NEVER
    age_after: re.Pattern[str] = NEVER
    years_old: re.Pattern[str] = NEVER
    dateline: re.Pattern[str] = NEVER
    """The opening of a news report, with the group place."""

    def month(self, word: str) -> int | None:
        """The number of a month that a word begins like."""
        if len(word) < 3:
            return None
        start = word[: self.letters].lower()
        return next((n for n, name in enumerate(self.months, 1) if name[: self.letters] == start), None)


@dataclass(frozen=True, slots=True)
class Affiliations:
    """Faiths, peoples and parties, folded."""

    religions: Words = NONE
    ethnicities: Words = NONE
    demonyms: Mapping[str, str] = field(default_factory=dict)
    """By what a people is called the code of its country, as the gazetteer has it."""
    peoples: Words = NONE
    """Peoples that texts are searched for, singular, in languages whose models mark none."""
    parties: Words = NONE
    party_letters: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Statements:
    """Lemmas and words by which a clause states what a person is, and by which it does not."""

    be: str = ""
    copulas: Words = NONE
    naming: Words = NONE
    serving: Words = NONE
    as_: Words = NONE
    life: Mapping[str, str] = field(default_factory=dict)
    """Verbs of birth and death: "born" or "died"."""
    doubtful_auxiliaries: Words = NONE
    doubting: Words = NONE
    conditions: Words = NONE
    no_longer: Words = NONE
    kept_prepositions: Words = NONE
    """Prepositions that continue a description."""
    of_people: Words = NONE
    """Verb forms, and words such as "himself", that follow names of people far more often than other names."""
    auxiliaries: Words = NONE
    """Words that may stand between a subject and such a verb."""


@dataclass(frozen=True, slots=True)
class Row:
    """One kind of statement: its type, its words, the slots in which the other end may stand, and what that must be."""

    type: str
    words: Words
    slots: Words
    other: str
    detail: str | None = None
    """Text after the colon; None for the predicate noun itself, '' for nothing."""
    passive: bool = False


def row(type: str, predicates: str | Words, slots: str, other: str, detail: str | None = None) -> Row:
    """A row with its words and slots in a text each; slots that open with "passive" are of the passive."""
    passive = slots.startswith("passive ")
    listed = words(predicates) if isinstance(predicates, str) else predicates
    return Row(type, listed, words(slots.removeprefix("passive ")), other, detail, passive)


@dataclass(frozen=True, slots=True)
class RelationWords:
    """Nouns and verbs of relations: of whom, where, for whom."""

    nouns: tuple[Row, ...] = ()
    verbs: tuple[Row, ...] = ()
    beside_names: tuple[Row, ...] = ()
    degrees: Words = NONE
    degree_verbs: Words = NONE
    schools: Words = NONE
    bridges: Words = NONE
    """Words between a role and its organisation."""
    bridge_prepositions: Words = NONE


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    """A language: its code (ISO 639-1), and what crossdoc knows of it.

    >>> Language("xx", titles=Titles(male=words("mr"))).missing[:3]
    ('models', 'function_words', 'name_words')
    """

    code: str
    models: Models = Models()
    function_words: FunctionWords = FunctionWords()
    titles: Titles = Titles()
    name_words: NameWords = NameWords()
    kinship: Kinship = Kinship()
    roles: Roles = Roles()
    nominals: Nominals = Nominals()
    pronouns: Pronouns = Pronouns()
    dates: Dates = Dates()
    affiliations: Affiliations = Affiliations()
    statements: Statements = Statements()
    relations: RelationWords = RelationWords()

    @property
    def missing(self) -> tuple[str, ...]:
        """The parts that were left out."""
        parts = [each for each in fields(self) if each.name != "code"]
        return tuple(each.name for each in parts if getattr(self, each.name) == each.default)


DEFAULT = "en"
OWN = frozenset(path.parent.name for path in Path(__file__).parent.glob("*/__init__.py"))
"""Languages of which crossdoc itself has a pack."""


def languages() -> frozenset[str]:
    """The codes of all languages that have a pack, of crossdoc or of another package.

    >>> languages() >= {"en", "fr", "de"}
    True
    """
    return OWN | _added().keys()


@lru_cache(maxsize=256)
def pack(code: str) -> Language:
    """The pack of a language; an unknown one has no parts. A parse without a language is taken for English.

    >>> pack("en").missing, pack("tlh").code, pack("").code
    ((), 'tlh', 'en')
    """
    code = code or DEFAULT
    added = _added().get(code)
    if added is None:
        return import_module(f"{__name__}.{code}").LANGUAGE if code in OWN else Language(code)
    try:
        given = added.load()
    except Exception as error:
        # A failure in code of another package is reported as its own, not as a bug of crossdoc.
        raise errors.part_failed(f"language pack {added.value}", code, f"{type(error).__name__}: {error}") from error
    if not isinstance(given, Language):
        raise errors.part_failed(
            f"language pack {added.value}", code, f"it is a {type(given).__name__} and no crossdoc Language"
        )
    if given.code != code:
        raise errors.part_failed(f"language pack {added.value}", code, f"its code is {given.code!r}")
    return given


def _added() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group="crossdoc.languages")}


INVERTED = frozenset({"demonyms", "first_names"})
"""Fields whose tables have a value before all words that have it."""


@cache
def tables(code: str) -> dict[str, dict[str, Any]]:
    """The tables of a language by name."""
    return tomllib.loads((files(__name__) / code / "words.toml").read_text("utf-8"))


def word_list(code: str, text: str) -> Words:
    """The words of a list.

    >>> sorted(word_list("en", "&nominals.countries !nation realm"))
    ['country', 'realm']
    """
    found: set[str] = set()
    for token in text.split():
        name = token.removeprefix("!")
        listed = frozenset({name})
        if name.startswith("&"):
            part, _, field = name[1:].partition(".")
            value = tables(code)[part][field]
            listed = word_list(code, value if isinstance(value, str) else " ".join(value.values()))
        if token.startswith("!"):
            found -= listed
        else:
            found |= listed
    return frozenset(found)


def by_word(table: Mapping[str, str]) -> dict[str, str]:
    """The value of each word of a table that has words by value.

    >>> by_word({"FR": "French Frenchman", "DE": "German"})
    {'French': 'FR', 'Frenchman': 'FR', 'German': 'DE'}
    """
    return {word: value for value, listed in table.items() for word in listed.split()}


def read_language(code: str, **patterns: Mapping[str, Any]) -> Language:
    """A language from its tables, with fields of its parts that are not words: patterns, weights."""
    parts = {}
    for part in fields(Language)[1:]:
        kind = type(getattr(Language(code), part.name))
        types = {each.name: str(each.type) for each in fields(kind)}
        given = tables(code).get(part.name, {})
        values = {name: _value(code, name, types[name], value) for name, value in given.items()}
        parts[part.name] = kind(**{**values, **patterns.get(part.name, {})})
    return Language(code, **parts)


def _value(code: str, name: str, type: str, value: Any) -> Any:
    if name in INVERTED:
        return {word: float(given) if "float" in type else given for word, given in by_word(value).items()}
    if type == "Words":
        return word_list(code, value)
    if type == "tuple[str, ...]":
        return tuple(value.split())
    if type == "tuple[Row, ...]":
        return tuple(row(kind, word_list(code, predicates), *cells) for kind, predicates, *cells in value)
    if type == "Mapping[str, Words]":
        return {key: frozenset(listed.split()) for key, listed in value.items()}
    return value
