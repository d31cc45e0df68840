"""Two kinds of finds in texts: occurrences of a name with the words around them, and contact details.

E-mail addresses, telephone numbers and web addresses have normal forms. Under "match", the default, only a keyed hash
(HMAC-SHA-256, RFC 2104) leaves this file: equal details meet across documents, and they cannot be read or tested
without the salt.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from crossdoc.names import fold

Span = tuple[int, int]
GAP = " … "
SNIPPET_CHARACTERS = 160
"""Characters. Length of a line of context in lists."""

ContactDetails = Literal["match", "keep", "off"]
ContactKind = Literal["email", "phone", "url"]
CONTACT_KINDS: tuple[ContactKind, ...] = ("email", "phone", "url")

HASH_DIGITS = 32

_URL = re.compile(r"(?:https?://|(?<![\w.@/])www\.)[^\s<>\"“”]{3,500}", re.IGNORECASE)
_EMAIL = re.compile(r"(?<![\w.+%-])[\w+%-][\w.+%-]{0,63}@(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}\b", re.IGNORECASE)
_SEPARATOR = r"[ \t.\u00a0\u2011–-]"
# A bare run of digits is as often a score, a date or a price: only three shapes count as telephone numbers.
_INTERNATIONAL = rf"(?:\+|\b00)[1-9]\d{{0,2}}(?:{_SEPARATOR}{{0,2}}(?:\(0?\d{{1,4}}\)|\d{{1,5}})){{2,6}}"
_NORTH_AMERICAN = rf"(?:\b1{_SEPARATOR})?(?:\(\d{{3}}\){_SEPARATOR}?|\b\d{{3}}{_SEPARATOR})\d{{3}}{_SEPARATOR}\d{{4}}"
_CUE = r"\b(?:tele)?(?:phone|tel|fax|mobile|cell)\b\.?:?\s{0,3}"
_ANNOUNCED = rf"{_CUE}(\(?\d{{2,5}}\)?(?:{_SEPARATOR}?\d{{2,5}}){{1,4}})"
_PHONE = re.compile(
    rf"(?<![\w$£€.,/-])(?:{_INTERNATIONAL}|{_NORTH_AMERICAN})(?![\w/])|{_ANNOUNCED}(?![\w/])", re.IGNORECASE
)
# The patterns above are tried at every character; most texts hold nothing that could begin to match.
_URL_HINT = re.compile(r"://|\bwww\.", re.IGNORECASE)
_PHONE_HINT = re.compile(r"\d{2}[)]?[ \t.\u00a0\u2011–-]{0,2}\d{3}|\+\d")
_PHONE_DIGITS = range(7, 16)


@lru_cache(maxsize=1024)
def name_pattern(name: str) -> re.Pattern[str]:
    """Matches a full name, with up to two words between its first and last part, or turned round."""
    parts = [_bounded(part) for part in name.split()]
    if len(parts) < 2:
        return re.compile(parts[0] if parts else r"(?!)", re.IGNORECASE)
    first, last = parts[0], parts[-1]
    middle = r"\s+(?:(?:[^\W\d_]\.|[\"“'(]?[^\W\d_][\w'’-]*[\"”')]?)\s*){0,2}?"
    return re.compile(rf"{first}{middle}{last}|{last},?\s+{first}", re.IGNORECASE)


def _bounded(word: str) -> str:
    """A pattern for a word that is not part of a longer one; a mark at its edge, as in "C++", needs no boundary."""
    before = r"\b" if re.match(r"\w", word) else ""
    after = r"\b" if re.search(r"\w$", word) else ""
    return f"{before}{re.escape(word)}{after}"


def find_name(text: str, name: str) -> list[Span]:
    """All places of a name in a text; a match that runs over a line break of two or more is not one."""
    return [m.span() for m in name_pattern(name).finditer(text) if "\n\n" not in m.group()]


def window(text: str, spans: Iterable[Span], reach: int) -> str:
    """The text within `reach` characters of any span, overlaps joined, cut at word boundaries."""
    pieces: list[str] = []
    done = 0
    for start, end in sorted(spans):
        left, right = max(start - reach, 0), min(end + reach, len(text))
        if left > 0 and not text[left - 1].isspace():
            left = next((at for at in range(left, start) if text[at].isspace()), max(left, start))
        if right < len(text) and not text[right].isspace():
            right = next((at for at in range(right, end, -1) if text[at - 1].isspace()), min(right, end))
        if right <= done:
            continue
        if left <= done and pieces:
            pieces[-1] += text[done:right]
        else:
            pieces.append(text[left:right])
        done = right
    return GAP.join(piece.strip() for piece in pieces)


def make_snippet(context: str, name: str, characters: int = SNIPPET_CHARACTERS) -> str:
    """Return a line of the context around the name, or around its last word.

    >>> make_snippet("It rained. The chairman, John Smith, resigned on Monday.", "John Smith", 30)
    '… John Smith, resigned …'
    """
    text = " ".join(context.split())
    if len(text) <= characters:
        return text
    last = next((word for word in reversed(name.split()) if fold(word)), "")
    looked_for = [each for each in (name, last) if each]
    hits = (re.search(rf"(?<!\w){re.escape(each)}(?!\w)", text, re.IGNORECASE) for each in looked_for)
    found = next(filter(None, hits), None)
    middle = found.end() - (len(last) + 1) // 2 if found else 0
    start = max(0, min(middle - characters // 2, len(text) - characters))
    end = start + characters
    if start:
        start = text.find(" ", start) + 1 or start
    if end < len(text):
        end = text.rfind(" ", start, end) if " " in text[start:end] else end
    return ("… " if start else "") + text[start:end] + (" …" if end < len(text) else "")


@dataclass(frozen=True, slots=True)
class Contact:
    """A contact detail in its normal form, at characters `start` … `end` − 1 of the text."""

    kind: ContactKind
    value: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ContactPolicy:
    """Policy for contact details: keep hashes to match by, the details themselves, or nothing."""

    details: ContactDetails = "match"
    salt: bytes = b""
    country_prefix: str = "1"
    """Country prefix of telephone numbers written without one."""

    def __post_init__(self) -> None:
        if self.details == "match" and not self.salt:
            raise ValueError('contact_details = "match" needs a salt, or the hashes could be looked up by anyone')

    def clean(self, text: str) -> str:
        """A text as a profile may hold it: contact details masked unless they are to be kept as they are.

        The mask has no letters, so that it is no word of the context.
        """
        if self.details == "keep":
            return text
        return re.sub(r"\[(?:email|phone|url)\]", "[…]", without_contacts(text))

    def kept(self, contact: Contact) -> str | None:
        """The form of a contact detail in a profile; the kind is hashed too, so that kinds never collide."""
        if self.details == "off":
            return None
        if self.details == "keep":
            return contact.value
        message = f"{contact.kind}\0{contact.value}".encode()
        return hmac.new(self.salt, message, "sha256").hexdigest()[:HASH_DIGITS]


def normal_email(email: str) -> str:
    """The address in lower case."""
    return email.lower()


def normal_phone(phone: str, country_prefix: str = "1") -> str:
    """All digits, led by the country's.

    >>> normal_phone("(212) 555-0100"), normal_phone("+1 212 555 0100"), normal_phone("+44 (0)20 7946 0000")
    ('12125550100', '12125550100', '442079460000')
    """
    international = phone.strip().startswith(("+", "00"))
    digits = re.sub(r"\D", "", phone.replace("(0)", "") if international else phone)
    if international:
        return digits.removeprefix("00")
    if country_prefix == "1" and len(digits) == 11 and digits.startswith("1"):
        return digits
    # A leading zero is dialled within the country only.
    return country_prefix + digits.removeprefix("0")


def normal_url(url: str) -> str:
    """The address without scheme, "www.", fragment and closing slash; the host in lower case."""
    bare = re.sub(r"^https?://", "", url.partition("#")[0], flags=re.IGNORECASE)
    host, slash, path = bare.partition("/")
    return (host.lower().removeprefix("www.") + slash + path).rstrip("/")


def find_contacts(text: str, country_prefix: str = "1") -> list[Contact]:
    """All contact details of a text, in text order, none within another."""
    found = []
    if "@" in text:
        found += [Contact("email", normal_email(m.group()), *m.span()) for m in _EMAIL.finditer(text)]
    for match in _URL.finditer(text) if _URL_HINT.search(text) else ():
        url = match.group().rstrip(".,;:!?)]}'’*_")
        found.append(Contact("url", normal_url(url), match.start(), match.start() + len(url)))
    for match in _PHONE.finditer(text) if _PHONE_HINT.search(text) else ():
        group = 1 if match.group(1) else 0
        digits = normal_phone(match.group(group), country_prefix)
        if len(digits) in _PHONE_DIGITS:
            found.append(Contact("phone", digits, *match.span(group)))
    found.sort(key=lambda contact: (contact.start, -contact.end))
    apart: list[Contact] = []
    for contact in found:
        if contact.value and (not apart or contact.start >= apart[-1].end):
            apart.append(contact)
    return apart


def without_contacts(text: str, found: Sequence[Contact] | None = None, start: int = 0, end: int | None = None) -> str:
    """The text, or characters `start` … `end` − 1 of it, with a placeholder such as [email] for every contact detail.

    >>> without_contacts("Write to jo@example.org or call 212-555-0100.")
    'Write to [email] or call [phone].'
    """
    end = len(text) if end is None else end
    pieces, done = [], start
    for contact in find_contacts(text) if found is None else found:
        if contact.start < end and contact.end > done:
            pieces += [text[done : contact.start], f"[{contact.kind}]"]
            done = contact.end
    return "".join([*pieces, text[done:end]])
