"""Whose a document's contact details are: a chain's by what they say, else by being nearest to its name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from crossdoc.extract.mention_spans import Chain
from crossdoc.names import fold, parse_person, telling_words
from crossdoc.names.contact_details import Contact

if TYPE_CHECKING:
    from spacy.tokens import Doc

OWNERS = {"person": "PERSON", "organisation": "ORG"}
REACH = 80
"""Characters between a name and a contact detail that may still be its own."""


def contacts_of(doc: Doc, chain: Chain, found: Sequence[Contact]) -> list[Contact]:
    """Select a chain's own contact details: those that spell its name, else those that are nearest to it."""
    label = OWNERS.get(chain.type)
    if not found or label is None:
        return []
    names = [mention.span(doc) for mention in chain.mentions if mention.kind == "name"]
    own = [(span.start_char, span.end_char) for span in names]
    rivals = [(ent.start_char, ent.end_char) for ent in doc.ents if ent.label_ == label]
    rivals = [span for span in rivals if span not in own]
    belonging = []
    for contact in found:
        named = _names_entity(contact, chain)
        if named or (named is None and _nearest(doc, contact, own, rivals)):
            belonging.append(contact)
    return belonging


def _names_entity(contact: Contact, chain: Chain) -> bool | None:
    """Whether the detail spells out the chain's name: yes, no (it spells another's), or None where it cannot say."""
    if contact.kind == "phone":
        return None
    if contact.kind == "email" and chain.type == "person":
        who = fold(contact.value.partition("@")[0])
        name = parse_person(chain.name)
        if len(name.last) > 2 and name.last in who:
            rest = who.replace(name.last, "")
            return not (rest.isalpha() and name.first) or rest[0] == name.first[0] or name.first in rest
        return None
    if chain.type == "organisation":
        host = fold(contact.value.rpartition("@")[2].partition("/")[0])
        words = telling_words(chain.name)
        return True if words and len("".join(words)) > 3 and "".join(words) in host else None
    return None


def _gap(contact: Contact, span: tuple[int, int]) -> int:
    return max(span[0] - contact.end, contact.start - span[1], 0)


def _nearest(doc: Doc, contact: Contact, own: Iterable[tuple[int, int]], rivals: Iterable[tuple[int, int]]) -> bool:
    nearest = min(own, key=lambda span: _gap(contact, span), default=None)
    if nearest is None or _gap(contact, nearest) > REACH:
        return False
    between = doc.text[min(nearest[1], contact.end) : max(nearest[0], contact.start)]
    # A blank line ends a signature block or an entry of a list.
    if re.search(r"\n\s*\n", between):
        return False
    return all(_gap(contact, rival) > _gap(contact, nearest) for rival in rivals)
