"""E-mail addresses, telephone numbers and web addresses: finding them, their normal forms, what may be kept of them.

Under "match", the default, only a keyed hash (HMAC-SHA-256, RFC 2104) leaves this file: equal details meet across
documents, and they cannot be read or tested without the salt.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

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
    """The address in lower case.

    >>> normal_email("John.Smith@Example.ORG")
    'john.smith@example.org'
    """
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
    """The address without scheme, "www.", fragment and closing slash; the host in lower case.

    >>> normal_url("https://www.Example.org/People/Smith/#top")
    'example.org/People/Smith'
    """
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
