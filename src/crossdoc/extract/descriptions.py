"""Which nouns say what an entity is ("John Smith, the French chairman of General Motors"), read off a spaCy parse.

A description is in apposition, after a copula, as a compound ("striker Smith") or after "as". A negated,
conditional, doubted or questioned one is none. Attributes and relations are both read from descriptions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from crossdoc.extract.mention_spans import Chain, SpanMention
from crossdoc.lang import pack
from crossdoc.names import fold

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

NUMERIC_ENTITIES = frozenset("DATE TIME MONEY PERCENT QUANTITY ORDINAL CARDINAL".split())
NOT_IN_PHRASE = frozenset("relcl appos acl punct advcl preconj predet nsubj aux".split())
LONGEST_PHRASE = 14

Descriptions = Mapping[int, Sequence[int]]
"""For each described token, the heads of the noun phrases that say what it is."""


def subject(verb: Token) -> tuple[Token | None, bool]:
    """The subject of a verb, and whether it is passive; "who" and a participle refer to the noun they modify."""
    passive = any(child.dep_ == "auxpass" for child in verb.lefts)
    for _ in range(4):
        for child in verb.lefts:
            if child.dep_ in {"nsubj", "nsubjpass"}:
                if child.tag_ in {"WP", "WDT"}:
                    return (verb.head if verb.dep_ == "relcl" else None), child.dep_ == "nsubjpass"
                return child, passive or child.dep_ == "nsubjpass"
        if verb.dep_ == "acl":
            return verb.head, verb.tag_ == "VBN"
        if verb.dep_ != "conj" or verb.head.pos_ not in {"VERB", "AUX"}:
            break
        verb = verb.head
    return None, passive


def asserted(verb: Token) -> bool:
    """Whether a clause states a fact: no "not", "would", "if", denial or question."""
    known = pack(verb.lang_).statements
    words = {"mark": known.conditions, "aux": known.doubtful_auxiliaries, "advmod": known.no_longer}
    for child in verb.children:
        conditional = child.dep_ == "advcl" and any(
            mark.dep_ == "mark" and mark.lower_ in known.conditions for mark in child.lefts
        )
        if conditional or child.dep_ == "neg" or child.lower_ in words.get(child.dep_, ()):
            return False
    if verb.dep_ == "ccomp" and verb.head.lemma_ in known.doubting:
        return False
    if verb.dep_ == "conj" and verb.head.pos_ in {"VERB", "AUX"} and verb.head.i < verb.i:
        return not any(child.dep_ == "aux" and child.lower_ in known.doubtful_auxiliaries for child in verb.head.lefts)
    return bool(verb.sent[-1].text != "?")


def is_person_noun(token: Token) -> bool:
    word = token.lower_
    known = pack(token.lang_).roles
    by_ending = len(word) > 5 and word.endswith(known.endings) and not token.ent_type_
    return token.lemma_.lower() in known.people or by_ending


def _describes(token: Token) -> bool:
    if token.ent_type_ in NUMERIC_ENTITIES or token.is_punct:
        return False
    # A role in capitals ("Chairman", "Prime Minister") is tagged as a name, and may even be taken into one.
    return token.pos_ == "NOUN" or (token.pos_ in {"PROPN", "ADJ"} and _is_listed(token))


def _is_listed(token: Token) -> bool:
    return token.lemma_.lower() in pack(token.lang_).roles.people


def goes_on(noun: Token) -> bool:
    """Whether a role ends in a later word: of "General Manager John Smith", only the second says what he is."""
    if noun.dep_ != "compound" or noun.i + 1 >= len(noun.doc):
        return False
    follower = noun.nbor()
    return bool(_is_listed(follower) and noun.head in (follower, follower.head))


def _bearers(noun: Token) -> Iterator[Token]:
    head, dep, known = noun.head, noun.dep_, pack(noun.lang_).statements
    # "Is John Smith the chairman?" parses as an apposition.
    is_question = dep == "appos" and noun.sent[-1].text == "?" and noun.sent[0].pos_ == "AUX"
    if dep == "appos" and not is_question:
        yield head.head if head.pos_ == "NUM" and head.dep_ == "appos" else head
    elif dep == "compound" and head.pos_ == "PROPN" and not goes_on(noun):
        yield head
    elif dep == "attr" and head.lemma_ in known.copulas and asserted(head):
        yield from filter(None, [subject(head)[0]])
    elif dep == "oprd" and head.lemma_ in known.naming:
        yield from _named(noun, head)
    elif dep == "pobj" and head.lower_ in known.as_ and head.head.lemma_ in known.serving:
        yield from _named(noun, head.head)
    for child in noun.rights:
        if child.dep_ == "appos" and child.pos_ == "PROPN":
            yield child
            yield from (other for other in child.conjuncts if noun.tag_ == "NNS")
        # "GM chairman and chief executive John Smith" is parsed as two people.
        elif child.dep_ == "conj" and child.pos_ == "PROPN" and child.ent_type_ == "PERSON" and noun.pos_ == "PROPN":
            roles = [left for left in child.lefts if left.dep_ == "compound" and _describes(left)]
            if roles and not any(left.dep_ == "det" for left in noun.lefts):
                yield child


def _named(noun: Token, verb: Token) -> Iterator[Token]:
    """Whoever is named or serves as something."""
    objects = [child for child in verb.rights if child.dep_ == "dobj"]
    # "named John Smith chairman" is parsed as one noun phrase.
    objects += [child for child in noun.lefts if child.dep_ == "compound" and child.ent_type_ == "PERSON"]
    who, passive = subject(verb)
    if asserted(verb) and (objects or passive or verb.lemma_ not in pack(verb.lang_).statements.naming):
        yield from objects[:1] or filter(None, [who])


def descriptions(doc: Doc) -> dict[int, list[int]]:
    """Which nouns say what each token's entity is; a noun in coordination says what its first conjunct does."""
    found: dict[int, list[int]] = defaultdict(list)
    bearers: dict[int, list[int]] = {}
    for token in doc:
        if not _describes(token):
            continue
        who = [bearer.i for bearer in _bearers(token)]
        if token.dep_ == "conj" and token.head.i in bearers:
            who += bearers[token.head.i]
        if who:
            bearers[token.i] = who
            for bearer in who:
                found[bearer].append(token.i)
    return found


def tokens_of(doc: Doc, mention: SpanMention) -> list[int]:
    """The tokens that stand for a mention: all of a name, but only the head of a phrase, which may hold other names."""
    if mention.kind == "name":
        return list(range(mention.start, mention.end))
    return [mention.span(doc).root.i] if mention.end > mention.start else []


def name_spans(doc: Doc, chain: Chain) -> list[Span]:
    return [mention.span(doc) for mention in chain.mentions if mention.kind == "name" and mention.end > mention.start]


def describing_nouns(doc: Doc, chain: Chain, found: Descriptions) -> list[Token]:
    """The nouns that say what a chain's entity is, in text order."""
    nouns, own = set(), set()
    for mention in chain.mentions:
        tokens = tokens_of(doc, mention)
        if mention.kind == "nominal":
            nouns.update(tokens)
        elif mention.kind == "name":
            own.update(tokens)
        nouns.update(noun for token in tokens for noun in found.get(token, ()))
    kept = [doc[index] for index in sorted(nouns - own)]
    if chain.type == "person":
        # A plural noun in apposition sums up a list that the entity is only part of.
        return [noun for noun in kept if is_person_noun(noun) and (noun.tag_ != "NNS" or noun.dep_ == "compound")]
    # "GM is a perfect example" is an opinion; "GM, the largest carmaker" is a description.
    return [noun for noun in kept if noun.dep_ == "appos" and _says_kind(noun, chain.type)]


def _says_kind(noun: Token, type_: str) -> bool:
    """Whether a noun says what a place or an organisation is: what follows a dateline or a table's name does not."""
    known = pack(noun.lang_).nominals
    word = noun.lemma_.lower()
    if type_ == "place":
        return word in known.places
    determined = any(child.dep_ in {"det", "poss"} for child in noun.lefts)
    return word in known.organisations or (determined and not is_person_noun(noun))


def _in_phrase(child: Token) -> bool:
    if child.dep_ == "prep":
        return child.i > child.head.i and child.lower_ in pack(child.lang_).statements.kept_prepositions
    if child.dep_ in {"cc", "conj"}:
        return child.i > child.head.i and child.pos_ in {"CCONJ", "NOUN", "PROPN"} and child.ent_type_ != "PERSON"
    if child.dep_ == "advmod":
        return bool(child.head.dep_ == "amod")
    return child.dep_ not in NOT_IN_PHRASE


def _phrase_tokens(head: Token) -> list[int]:
    kept: list[int] = []
    waiting = [head]
    # A long list parses as a chain of conjuncts thousands deep: hence no recursion, and an end.
    while waiting and len(kept) < 4 * LONGEST_PHRASE:
        token = waiting.pop()
        kept.append(token.i)
        waiting.extend(child for child in token.children if _in_phrase(child))
    return sorted(kept)


def _only_marks(doc: Doc, start: int, end: int) -> bool:
    return all(doc[index].is_punct or doc[index].is_space for index in range(start, end))


def words_in_front(noun: Token) -> list[Token]:
    """The words right in front of a noun that belong to it, or like it to the name that follows, in text order."""
    words: list[Token] = []
    for index in range(noun.i - 1, noun.sent.start - 1, -1):
        token = noun.doc[index]
        if token.is_space:
            continue
        beside = noun.dep_ == "compound" and token.head == noun.head and token.ent_type_ != "PERSON"
        if token.dep_ not in {"compound", "nmod", "amod"} or not (beside or token.head == noun):
            break
        words.insert(0, token)
    return words


def phrase(noun: Token) -> str:
    """The noun phrase of a noun without relative clause, apposition and leading article.

    A name in front that the noun belongs to ("General Motors chairman John Smith") stays, the bearer's name does not.
    """
    doc = noun.doc
    kept = _phrase_tokens(noun)
    if noun.dep_ == "compound":
        kept = sorted({*kept, *(token.i for token in words_in_front(noun))})
    start = end = noun.i
    for index in reversed([i for i in kept if i < noun.i]):
        if not _only_marks(doc, index + 1, start):
            break
        start = index
    for index in [i for i in kept if i > noun.i]:
        if index - start >= LONGEST_PHRASE or not _only_marks(doc, end + 1, index):
            break
        end = index
    while start < noun.i and (doc[start].pos_ in {"DET", "PRON", "PUNCT", "PART"} or doc[start].is_space):
        start += 1
    while end > noun.i and (doc[end].pos_ in {"ADP", "CCONJ", "DET", "PUNCT", "PART"} or doc[end].is_space):
        end -= 1
    return " ".join(doc[start : end + 1].text.split())


def affiliations_of(doc: Doc, chain: Chain, nouns: Iterable[Token]) -> Iterator[tuple[str, str, Token]]:
    """Nationality, religion, ethnicity and party stated by a chain's describing nouns, or in front of its names."""
    for noun in nouns:
        yield from _affiliations(noun)
    for span in name_spans(doc, chain):
        yield from _affiliations(span.root, is_name=True)


def _affiliations(token: Token, is_name: bool = False) -> Iterator[tuple[str, str, Token]]:
    known = pack(token.lang_).affiliations
    for word in token.lefts if is_name else (token, *token.children):
        if word is not token and word.dep_ not in {"amod", "compound", "nmod"}:
            continue
        # "black Labrador": only a word taken for a people's counts in front of a name.
        if is_name and word.ent_type_ != "NORP":
            continue
        whole = _whole(word)
        plain = fold(whole)
        singular = {plain, plain.removesuffix("s")}
        for kind, words in (("religion", known.religions), ("ethnicity", known.ethnicities)):
            if plain in words:
                yield kind, whole, word
        # A model that marks peoples marks parties too; otherwise both are known by their words.
        listed = word.pos_ == "ADJ" and bool(known.peoples) and bool(singular & (known.peoples | known.parties))
        if (word.ent_type_ == "NORP" or listed) and plain not in known.religions | known.ethnicities:
            yield "party" if singular & known.parties else "nationality", whole, word


def entity_text(token: Token) -> str:
    """The text of the named entity that a token is part of, without article and possessive ending."""
    doc, start, end = token.doc, token.i, token.i + 1
    while start > 0 and doc[start].ent_iob_ == "I":
        start -= 1
    while end < len(doc) and doc[end].ent_iob_ == "I":
        end += 1
    text = " ".join(doc[start:end].text.split()).strip('`"“”')
    return pack(doc.lang_).function_words.entity_edges.sub("", text)


def _whole(word: Token) -> str:
    """The word with its hyphenated part: "African-American"."""
    doc, start, end = word.doc, word.i, word.i + 1
    while start > 1 and doc[start - 1].text == "-" and not doc[start - 1].whitespace_:
        start -= 2
    while end < len(doc) - 1 and doc[end].text == "-" and not doc[end].whitespace_:
        end += 2
    return str(doc[start:end].text)
