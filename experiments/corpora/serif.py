"""Profiles of the John Smith corpus by two third-party extractors, BBN SERIF and LingPipe.

There is one profile per within-document chain with a name. Alternate names, descriptors, title, age and gender come
from the mentions: the file has attributes of LingPipe only, which repeat the gender of each pronoun. Document ids are
those of the corpus `john-smith`.
"""

from __future__ import annotations

import json
import lzma
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa

from corpora.annotations import NO_SPACE_BEFORE, gold_table, join_tokens
from crossdoc import errors
from crossdoc.lang import DEFAULT, pack
from crossdoc.model import Profile, Relation
from crossdoc.names import TITLES, fold, parse_person
from crossdoc.names.texts import name_pattern, window
from crossdoc.read.sources import open_binary

SYSTEMS = ("serif", "lingpipe")
PENN_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
"""Brackets as the Penn Treebank writes them."""
CONTEXT_REACH = 300
"""Characters of context on each side of a mention."""
LONGEST_WITHOUT_NAME = 20_000
"""Characters of context of a document without the name."""
NAME, PRONOUN, NOMINAL = 0, 1, 2
SERIF_TYPES: dict[int | None, str] = {0: "person", 1: "organisation", 2: "place", 10: "place", 11: "place"}
RELATION_TYPES = {
    0: "location", 1: "near", 2: "part", 3: "subsidiary", 4: "artifact part", 5: "business", 6: "family",
    7: "personal", 8: "employment", 9: "ownership", 10: "ownership", 11: "education", 12: "sports", 13: "investor",
    14: "membership", 15: "artifact", 16: "citizen", 17: "location",
}  # fmt: skip
"""ACE's codes as relation types of extract/relations.py; SERIF does not separate citizens from residents."""
WITH_ROLE = frozenset({"employment", "ownership", "education", "sports", "investor", "membership"})
_MALE, _FEMALE = pack("en").pronouns.masculine, pack("en").pronouns.feminine
_NO_SPACE_BEFORE = NO_SPACE_BEFORE | {"'re", "'ve", "'ll", "'d"}
_AGE_AFTER = re.compile(r",\s(?:aged?\s)?(\d{1,3})\s?(?:,|\.(?:\s|$)|;)")


@dataclass(slots=True)
class _Mention:
    sentence: int
    start: int
    end: int
    text: str
    type: int | None
    kind: int
    chain: int


@dataclass
class _SerifArticle:
    """One document of one system: text, one line per sentence, and mentions."""

    id: str
    entity: str
    text: str = ""
    sentences: list[tuple[int, int]] = field(default_factory=list)
    mentions: dict[tuple[int, int], _Mention] = field(default_factory=dict)
    links: list[dict[str, int]] = field(default_factory=list)

    @cached_property
    def chains(self) -> dict[int, list[_Mention]]:
        """Chains of people, organisations and places with a name, in text order."""
        found: dict[int, list[_Mention]] = defaultdict(list)
        for mention in self.mentions.values():
            if mention.chain >= 0 and mention.type in SERIF_TYPES:
                found[mention.chain].append(mention)
        return {chain: own for chain, own in found.items() if any(m.kind == NAME for m in own)}

    @cached_property
    def names(self) -> dict[int, str]:
        return {chain: _fullest(own) for chain, own in self.chains.items()}

    def profile_id(self, chain: int) -> str:
        first = self.chains[chain][0]
        return f"{self.id}:{first.start}:{first.end}"


def profiles(path: Path, system: str = "serif", name: str | None = None) -> Iterator[Profile]:
    """Yield a profile for each chain with a name; or, with `name`, one per document (:func:`profile_of_name`)."""
    for article in _articles(path, system):
        if name is not None:
            yield profile_of_name(article, name)
        else:
            related = _relations(article)
            yield from (
                _profile(article, article.profile_id(chain), article.names[chain], own, related[chain])
                for chain, own in article.chains.items()
            )


def gold(path: Path, system: str = "serif", name: str | None = None) -> pa.Table:
    """Return `id, entity` of the profiles called John Smith; `name` as in :func:`profiles`."""
    return gold_table(
        (id, article.entity)
        for article in _articles(path, system)
        for id in ([article.id] if name else map(article.profile_id, _chains_of_name(article, "John Smith")))
    )


def profile_of_name(article: _SerifArticle, name: str) -> Profile:
    """Return one profile of a name in a document, under the document's id.

    All chains of people with a mention of the name (other words between its parts allowed) count as one; if there is
    none, those of other types. Without any, the profile is the document's text without attributes: in SERIF's data the
    documents with "John Smithmeyer" and "John Smithee".
    """
    wanted = _chains_of_name(article, name)
    if not wanted:
        return Profile(article.id, article.id, name, "person", article.text[:LONGEST_WITHOUT_NAME], "en")
    related = _relations(article)
    own = sorted((m for chain in wanted for m in article.chains[chain]), key=lambda m: (m.start, m.end))
    links = dict.fromkeys(link for chain in wanted for link in related[chain])
    # A chain may be wrong, and its fullest name another person's.
    fullest = _fullest([m for m in own if m.kind == NAME and name_pattern(name).search(m.text)])
    return _profile(article, article.id, fullest, own, links)


def without_name(path: Path, name: str, system: str = "serif") -> list[str]:
    """Return the documents in which no chain has the name."""
    return [article.id for article in _articles(path, system) if not _chains_of_name(article, name)]


def _chains_of_name(article: _SerifArticle, name: str) -> list[int]:
    pattern = name_pattern(name)
    found = [
        chain for chain, own in article.chains.items() if any(m.kind == NAME and pattern.search(m.text) for m in own)
    ]
    return [chain for chain in found if _type(article.chains[chain]) == "person"] or found


def _profile(article: _SerifArticle, id: str, name: str, own: list[_Mention], links: Iterable[Relation]) -> Profile:
    context = window(article.text, [(m.start, m.end) for m in own], CONTEXT_REACH)
    return Profile(id, article.id, name, _type(own), context, "en", _attributes(article, name, own), tuple(links))


def _type(own: list[_Mention]) -> str:
    return SERIF_TYPES[own[0].type]


def _fullest(own: list[_Mention]) -> str:
    return max((m.text for m in own if m.kind == NAME), key=lambda text: (len(text.split()), len(text)))


def _attributes(article: _SerifArticle, name: str, own: list[_Mention]) -> dict[str, list[str]]:
    values = [("alternate name", m.text) for m in own if m.kind == NAME and m.text.lower() != name.lower()]
    values += [("descriptor", m.text.lower()) for m in own if m.kind == NOMINAL]
    if _type(own) == "person":
        parts = parse_person(name)
        values += [("first", parts.first), *(("middle", middle) for middle in parts.middle), ("last", parts.last)]
        values.append(("suffix", parts.suffix))
        values += _titles_and_ages(article, own)
        values.append(("gender", _gender(own)))
    found: dict[str, list[str]] = {}
    for key, value in values:
        if value and value not in found.setdefault(key, []):
            found[key].append(value)
    return {key: value for key, value in found.items() if value}


def _gender(own: Iterable[_Mention]) -> str:
    """Return the gender of most of the pronouns: 'm', 'f' or ''."""
    pronouns = [m.text.lower() for m in own if m.kind == PRONOUN]
    male, female = (sum(word in words for word in pronouns) for words in (_MALE, _FEMALE))
    return "m" if male > female else "f" if female > male else ""


def _titles_and_ages(article: _SerifArticle, own: list[_Mention]) -> Iterator[tuple[str, str]]:
    for mention in own:
        if mention.kind != NAME:
            continue
        yield "title", parse_person(mention.text).title
        before = article.text[max(mention.start - 20, 0) : mention.start].split()
        if before and before[-1][:1].isupper() and fold(before[-1]) in TITLES:
            yield "title", fold(before[-1])
        if (age := _AGE_AFTER.match(article.text, mention.end)) and 0 < int(age[1]) < 120:
            yield "age", age[1]


def _relations(article: _SerifArticle) -> dict[int, list[Relation]]:
    """Return each chain's relations: those of the system in both directions, then "list" for sharing a sentence."""
    found: dict[int, dict[tuple[str, str, str], Relation]] = {chain: {} for chain in article.chains}

    def add(chain: int, type: str, other: int, sentence: int) -> None:
        if chain != other and chain in found and other in found:
            name, id = article.names[other], article.profile_id(other)
            start, end = article.sentences[sentence]
            found[chain].setdefault((type, name, id), Relation(type, name, id, article.text[start:end]))

    for link in article.links:
        first, second = article.mentions[link["2"], link["3"]], article.mentions[link["4"], link["5"]]
        type = RELATION_TYPES[link["1"]]
        if type == "family":
            to_first, to_second = _kin(article, first, second)
        else:
            role = first.text.lower() if type in WITH_ROLE and first.kind == NOMINAL else ""
            to_first = to_second = f"{type}:{role}" if role else type
        add(first.chain, to_first, second.chain, link["2"])
        add(second.chain, to_second, first.chain, link["2"])
    for number, together in groupby(article.mentions.values(), key=lambda m: m.sentence):
        present = dict.fromkeys(m.chain for m in together if m.chain in found)
        for one in present:
            for other in present:
                add(one, "list", other, number)
    return {chain: list(links.values()) for chain, links in found.items()}


def _kin(article: _SerifArticle, first: _Mention, second: _Mention) -> tuple[str, str]:
    """Return the types for both ends. In "his sister" the second mention is the relative of the first."""
    kin = second.text.lower() if second.kind == NOMINAL else ""
    known = pack(DEFAULT).kinship
    if known.group_of(kin) is None:
        return "family", "family"
    return f"family:{kin}", f"family:{known.inverse_of(kin, _gender(article.chains.get(first.chain, ())))}"


def _articles(path: Path, system: str) -> Iterator[_SerifArticle]:
    if system not in SYSTEMS:
        raise errors.unknown_choice("system", system, SYSTEMS)
    if not path.is_file():
        raise errors.no_such_path(path)
    try:
        with open_binary(path) as lines:
            for line in lines:
                record = json.loads(line)
                article = _SerifArticle(f"{record['gold_entity']}/{record['doc']}", record["gold_entity"])
                article.links = record["relations"].get(system, [])
                _put_together(article, record["sentences"][system])
                yield article
    except (ValueError, KeyError, TypeError, IndexError, OSError, EOFError, lzma.LZMAError) as error:
        raise errors.unreadable(path, f"it is not the John Smith corpus of SERIF and LingPipe ({error})") from error


def _put_together(article: _SerifArticle, sentences: list[list[list[Any]]]) -> None:
    words = (
        (number, position, PENN_BRACKETS.get(token[0], token[0]))
        for number, tokens in enumerate(sentences)
        for position, token in enumerate(tokens)
    )
    article.text, offsets = join_tokens(words, _NO_SPACE_BEFORE)
    for number, tokens in enumerate(sentences):
        if tokens:
            article.sentences.append((offsets[number, 0][0], offsets[number, len(tokens) - 1][1]))
        for position, (_, _, type, mention, chain, kind) in enumerate(tokens):
            start, end = offsets[number, position]
            if mention >= 0:
                own = article.mentions.setdefault(
                    (number, mention), _Mention(number, start, end, "", type, kind, chain)
                )
                own.end = end
    for own in article.mentions.values():
        own.text = article.text[own.start : own.end]
