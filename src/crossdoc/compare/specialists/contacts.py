"""A shared e-mail address, telephone number or web address: 1 if there is one, else the specialist abstains.

Works on the details themselves and on the keyed hashes that extraction keeps by default (`names/contact_details.py`).
"""

from __future__ import annotations

import re

import numpy as np

from crossdoc.compare.specialists import kernels
from crossdoc.compare.specialists.base import Pairs, Scores, Specialist, attribute_rows, meanings
from crossdoc.compare.specialists.coding import Lists, codes_of, lists
from crossdoc.model import Profile, Profiles
from crossdoc.names.contact_details import CONTACT_KINDS, normal_email, normal_phone, normal_url
from crossdoc.names.evidence_types import ATTRIBUTES

_HASH = re.compile(r"[0-9a-f]{32}")


def normal(kind: str, value: str) -> str:
    """Return one form for all spellings of a detail; hashes stay as they are.

    >>> normal("email", " John@Example.org "), normal("phone", "(212) 555-0100"), normal("url", "http://www.example.org/")
    ('john@example.org', '12125550100', 'example.org')
    """
    value = value.strip()
    if _HASH.fullmatch(value):
        return value
    if kind == "phone":
        # Extraction's normal form is bare digits, which must not get the country's prefix twice.
        return value if value.isdigit() else normal_phone(value)
    return normal_email(value) if kind == "email" else normal_url(value)


class Contacts(Specialist[Lists]):
    """
    >>> mails = ("ann@example.org", "Ann@Example.org", "bo@example.org")
    >>> table = Profiles.of(Profile(mail, "d", "Ann", attributes={"email": [mail]}) for mail in mails)
    >>> Contacts().score(table, table, [(0, 1), (0, 2)])
    array([ 1., nan], dtype=float32)
    """

    name = "contact"
    reads_attributes = meanings(ATTRIBUTES, *CONTACT_KINDS)

    def encode(self, profiles: Profiles) -> Lists:
        rows: list[int] = []
        details: list[tuple[str, str]] = []
        for kind in CONTACT_KINDS:
            for row, value in zip(*attribute_rows(profiles, kind), strict=True):
                if detail := normal(kind, value):
                    rows.append(row)
                    details.append((kind, detail))
        code = codes_of(details)
        return lists(rows, [code[detail] for detail in details], len(profiles))

    def compare(self, encoded: Lists, pairs: Pairs) -> Scores:
        return kernels.shared(encoded, pairs, 1.0, np.nan)

    def evidence(self, left: Profile, right: Profile) -> str:
        kinds = [
            kind
            for kind in CONTACT_KINDS
            if {normal(kind, value) for value in left.attributes.get(kind, [])}
            & {normal(kind, value) for value in right.attributes.get(kind, [])}
        ]
        return f"the same {' and '.join(kinds)}" if kinds else ""
