"""Nominal mentions ("the company", "the senator") and pronouns, typed by their head word.

Only singular heads that a chain of one person, organisation or place can have; which of them refers to whom is
decided in
chains.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from functools import lru_cache

from spacy.tokens import Doc, Token

from crossdoc.extract.spans import SpanMention

# Heads that fit any entity of their type, so that the nearest may take them.
GENERAL_PEOPLE = frozenset("man woman person boy girl gentleman lady".split())
PEOPLE = GENERAL_PEOPLE | frozenset(
    """actor actress adviser advisor agent aide ambassador analyst anchor architect artist assistant astronaut athlete
    attorney author ballplayer banker biologist bishop boss boxer brother builder businessman businesswoman
    candidate captain carpenter cardinal catcher champion chancellor chairman chairperson chairwoman chef chemist
    chief clerk coach colonel columnist comedian commander commissioner composer conductor congressman congresswoman
    consultant contractor coordinator counsel critic cousin dancer daughter dean defendant defender democrat deputy
    designer detective dictator diplomat director doctor driver economist editor emperor engineer executive farmer
    father filmmaker founder fugitive general goalkeeper governor grandfather grandmother guard guitarist historian
    husband inspector inventor investigator investor journalist judge jockey juror justice king lawmaker lawyer
    leader lecturer legislator lieutenant manager mayor mechanic midfielder minister mother musician nephew niece
    novelist nurse officer official owner painter pastor patient philosopher photographer physician physicist pilot
    pitcher player playwright poet policeman politician pope premier president priest prince princess principal
    producer professor prosecutor psychiatrist psychologist publisher quarterback queen rabbi ranger reporter
    representative republican researcher retiree scholar scientist sculptor secretary senator sergeant sheriff
    shortstop singer sister skipper soldier son spokesman spokesperson spokeswoman star statesman striker student
    superintendent surgeon suspect teacher teenager treasurer trainer trustee uncle veteran victim volunteer widow
    widower wife witness worker wrestler writer youth ceo""".split()
)
GENERAL_ORGANISATIONS = frozenset(
    "company firm corporation organization organisation group business automaker carmaker manufacturer "
    "conglomerate".split()
)
ORGANISATIONS = GENERAL_ORGANISATIONS | frozenset(
    """administration agency airline airport alliance army association automaker authority bank board brewer broker
    brokerage bureau carmaker carrier chain charity church club college commission committee conglomerate consortium
    council court department distributor exchange federation foundation fund giant government hospital institute
    institution insurer league library lender maker manufacturer ministry museum newspaper orchestra paper
    parliament partnership party police producer publisher regulator retailer school senate studio subsidiary
    supplier team theater theatre university union utility venture""".split()
)
GENERAL_PLACES = frozenset("city town country nation state village".split())
PLACES = GENERAL_PLACES | frozenset(
    "area borough capital county district island kingdom neighborhood neighbourhood port province region republic "
    "suburb territory township".split()
)
# "producer" and "publisher" can be either; a company is what news means by them less often.
TYPE_OF_HEAD = {
    **dict.fromkeys(PLACES, "place"),
    **dict.fromkeys(ORGANISATIONS, "organisation"),
    **dict.fromkeys(PEOPLE, "person"),
}
GENERAL_HEADS = GENERAL_PEOPLE | GENERAL_ORGANISATIONS | GENERAL_PLACES
# Not "spokesman" or "chairman", which news has long said of women too.
MALE_HEADS = frozenset(
    "man boy gentleman father son brother husband uncle nephew grandfather grandson widower king prince "
    "policeman businessman congressman statesman priest pope".split()
)
FEMALE_HEADS = frozenset(
    "woman girl lady mother daughter sister wife aunt niece grandmother granddaughter widow queen princess actress "
    "businesswoman chairwoman congresswoman spokeswoman".split()
)

PERSONAL_PRONOUNS = frozenset("he him his himself she her hers herself".split())
THING_PRONOUNS = frozenset("it its itself".split())
PLURAL_PRONOUNS = frozenset("they them their theirs themselves".split())
RELATIVE_PRONOUNS = frozenset("who whom whose which".split())
_SUFFIX_TYPES = {"woman": "person", "man": "person", "person": "person", "maker": "organisation"}
_NO_COMPOUNDS = frozenset({"human", "german", "roman", "layman", "peacemaker", "filmmaker", "lawmaker"})
_MODIFIERS = frozenset({"det", "amod", "compound", "poss", "nummod", "nmod", "case", "advmod", "punct"})
_RAISING = frozenset("seem appear happen turn follow matter rain snow".split())


@lru_cache(maxsize=50_000)
def type_of_head(word: str) -> str | None:
    """What a lower-case noun is a word for; compounds go by their last part.

    >>> type_of_head("co-founder"), type_of_head("planemaker"), type_of_head("fireman"), type_of_head("human")
    ('person', 'organisation', 'person', None)
    """
    known = TYPE_OF_HEAD.get(word) or TYPE_OF_HEAD.get(word.rpartition("-")[2])
    if known or word in _NO_COMPOUNDS:
        return known
    return next((type_ for ending, type_ in _SUFFIX_TYPES.items() if word.endswith(ending) and len(word) > 5), None)


def find_nominals(doc: Doc, taken: Set[int]) -> Iterator[SpanMention]:
    """Phrases whose head is a listed noun: definite or possessed, in apposition, or said of a name ("is a senator")."""
    for token in doc:
        type_ = type_of_head(token.lower_)
        if type_ is None or token.tag_ not in {"NN", "NNP"} or token.i in taken or token.dep_ in {"compound", "amod"}:
            continue
        start = _phrase_start(token)
        if start <= token.i and not any(i in taken for i in range(start, token.i + 1) if doc[i].dep_ != "poss"):
            yield SpanMention(start, token.i + 1, type_, "nominal")


def _phrase_start(head: Token) -> int:
    start = head.i
    for child in reversed(list(head.lefts)):
        if child.dep_ not in _MODIFIERS or child.text in {",", "--", ";"}:
            break
        start = min(start, child.left_edge.i)
    while start < head.i and (head.doc[start].is_space or head.doc[start].is_punct):
        start += 1
    return start


def head_of(doc: Doc, mention: SpanMention) -> Token:
    """The head word of a mention; a nominal found here ends with it."""
    return doc[mention.start : mention.end].root


def determiner_of(head: Token) -> str:
    """'definite', 'indefinite', 'possessed' or 'bare'."""
    for child in head.lefts:
        if child.dep_ == "poss":
            return "possessed"
        if child.dep_ == "det":
            return "definite" if child.lower_ in {"the", "this", "that", "these", "those"} else "indefinite"
    return "bare"


def find_pronouns(doc: Doc, taken: Set[int]) -> Iterator[SpanMention]:
    """Personal pronouns and "who", each by itself; the type is what they mostly stand for."""
    for token in doc:
        word = token.lower_
        if token.i in taken:
            continue
        if word in PERSONAL_PRONOUNS or (word in RELATIVE_PRONOUNS and relative_clause(token) is not None):
            yield SpanMention(token.i, token.i + 1, "organisation" if word == "which" else "person", "pronoun")
        elif word in PLURAL_PRONOUNS or (word in THING_PRONOUNS and not is_empty_subject(token)):
            yield SpanMention(token.i, token.i + 1, "organisation", "pronoun")


def relative_clause(token: Token) -> Token | None:
    """The verb of the relative clause that "who", "whose" or "which" opens."""
    verb = token
    while verb.dep_ != "relcl" and verb.head.i != verb.i:
        verb = verb.head
    return verb if verb.dep_ == "relcl" and verb.left_edge.i <= token.i else None


def is_empty_subject(token: Token) -> bool:
    """Whether "it" refers to nothing: "it rained", "it is likely that", "it seems"."""
    verb = token.head
    if token.dep_ == "expl" or verb.lemma_ in _RAISING:
        return True
    if token.lower_ != "it" or token.dep_ not in {"nsubj", "nsubjpass"}:
        return False
    has_clause = any(child.dep_ in {"ccomp", "xcomp", "advcl", "csubj"} for child in verb.children)
    if verb.lemma_ == "be":
        predicate = [child for child in verb.children if child.dep_ in {"acomp", "attr"}]
        deeper = any(c.dep_ in {"ccomp", "xcomp", "relcl", "advcl", "acl"} for p in predicate for c in p.children)
        return bool(predicate) and (has_clause or deeper)
    return token.dep_ == "nsubjpass" and any(child.dep_ == "ccomp" for child in verb.children)
