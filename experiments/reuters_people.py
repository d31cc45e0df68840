"""Whose profile is whose in Reuters-21578: the editors' labels of people and organisations, for labelled.py.

The profile of a labelled story whose name has the surname of a label (its last part: `james-baker`, `reagan`) is that
person; where two labels of a story have one surname, the name must have the rest of the label too. Organisations are
known by how their names are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from common import data
from corpora import reuters

from crossdoc.model import Document
from crossdoc.read.sources import open_binary

FIELDS = {"people": "PEOPLE", "organisations": "ORGS"}
ORGANISATIONS = {
    "ec": r"e\.?c\.?|e\.?e\.?c\.?|(the )?european (economic )?communit(y|ies)|community",
    "imf": r"i\.?m\.?f\.?|international monetary fund|fund",
    "opec": r"opec|organi[sz]ation of (the )?petroleum exporting countries",
    "worldbank": r"world bank|international bank for reconstruction and development|ibrd",
    "gatt": r"gatt|general agreement on (tariffs|trade).*",
    "ico-coffee": r"ico|international coffee organi[sz]ation",
    "oecd": r"oecd|organi[sz]ation for economic cooperation and development",
    "icco": r"icco|international cocoa organi[sz]ation",
    "adb-asia": r"adb|asian development bank",
    "adb-africa": r"adb|african development bank",
    "itc": r"itc|international tin council",
    "un": r"u\.?n\.?|united nations",
    "unctad": r"unctad|u\.?n\.? conference on trade and development",
    "fao": r"fao|(u\.?n\.? )?food and agriculture organi[sz]ation",
    "inro": r"inro|international natural rubber organi[sz]ation",
    "eib": r"eib|european investment bank",
    "iea": r"iea|international energy agency",
}
"""How the names of the organisations that editors labelled more than five times are written."""


def labels(folder: Path, field: str = "people") -> dict[str, list[str]]:
    """The people or organisations that the editors named, by story; stories without a body are left out."""
    found = {}
    for path in sorted(folder.glob("reut2-*.sgm*")):
        with open_binary(path) as stream:
            content = stream.read().decode("latin-1")
        for story in re.finditer(r'<REUTERS\b[^>]*NEWID="(\d+)"[^>]*>(.*?)</REUTERS>', content, re.DOTALL):
            named = re.search(rf"<{FIELDS[field]}>(.*?)</{FIELDS[field]}>", story[2], re.DOTALL)
            listed = re.findall(r"<D>(.*?)</D>", named[1]) if named else []
            if listed and "<BODY>" in story[2]:
                found[story[1]] = listed
    return found


def labelled_stories(labelled: Mapping[str, Sequence[str]]) -> Iterator[Document]:
    """The stories that have labels."""
    for story in reuters.documents(data("reuters21578")):
        if story.id in labelled:
            yield Document(story.id, story.text, language="en", date=story.date)


def labelled(name: str, people: Sequence[str]) -> str | None:
    """The one label that a name can be, or None.

    >>> labelled("Treasury Secretary Baker", ["james-baker", "reagan"])
    'james-baker'
    >>> labelled("Howard Baker", ["james-baker", "howard-baker"])
    'howard-baker'
    >>> labelled("Baker", ["james-baker", "howard-baker"]) is None
    True
    """
    words = set(re.findall(r"\w+", name.lower()))
    same = [label for label in people if label.split("-")[-1] in words]
    if len(same) > 1:
        same = [label for label in same if words.issuperset(label.split("-"))]
    return same[0] if len(same) == 1 else None


def organisation(name: str, labels: Sequence[str]) -> str | None:
    """The one label of a story that the name of an organisation can be, or None.

    >>> organisation("European Community", ["ec", "gatt"]), organisation("ADB", ["adb-asia", "adb-africa"])
    ('ec', None)
    """
    plain = re.sub(r"^the ", "", name.lower())
    same = [label for label in labels if label in ORGANISATIONS and re.fullmatch(ORGANISATIONS[label], plain)]
    return same[0] if len(same) == 1 else None
