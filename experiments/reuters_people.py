"""Who is who in Reuters-21578 from raw text: string match and the default, against the editors' labels of people.

    CROSSDOC_DATA=… python experiments/reuters_people.py

The 1,012 stories with a body and labels in `<PEOPLE>` are resolved as they are. The profile of such a story whose name
has the surname of a label (its last part: `james-baker`, `reagan`) is that person; where two labels of a story have one
surname, the name must have the rest of the label too. B³ over these profiles; all others are left out.
"""

from __future__ import annotations

import csv
import json
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow.csv
from common import command, data, table

from crossdoc.model import Document
from crossdoc.read.corpora import reuters
from crossdoc.read.sources import open_binary

METHODS = ("string-match", "average-linkage")
Row = tuple[str, float, float, float, int, int]
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
            told = re.findall(r"<D>(.*?)</D>", named[1]) if named else []
            if told and "<BODY>" in story[2]:
                found[story[1]] = told
    return found


def labelled_stories(told: Mapping[str, Sequence[str]]) -> Iterator[Document]:
    """The stories that have labels."""
    for story in reuters.documents(data("reuters21578")):
        if story.id in told:
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


def organisation(name: str, told: Sequence[str]) -> str | None:
    """The one label of a story that the name of an organisation can be, or None.

    >>> organisation("European Community", ["ec", "gatt"]), organisation("ADB", ["adb-asia", "adb-africa"])
    ('ec', None)
    """
    plain = re.sub(r"^the ", "", name.lower())
    same = [label for label in told if label in ORGANISATIONS and re.fullmatch(ORGANISATIONS[label], plain)]
    return same[0] if len(same) == 1 else None


def rows() -> Iterator[Row]:
    """Method; B³ precision, recall and F1; profiles and people in the gold."""
    people = labels(data("reuters21578"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with (folder / "documents.jsonl").open("w", encoding="utf-8") as stream:
            for story in labelled_stories(people):
                record = {"id": story.id, "text": story.text, "language": "en", "date": story.date}
                stream.write(json.dumps(record) + "\n")
        for method in METHODS:
            answer, table_of, gold = (folder / f"{method}{end}" for end in (".crossdoc", ".csv", "-gold.csv"))
            command("resolve", folder / "documents.jsonl", "-o", answer, "--type", "person", "--method", method)
            command("export", answer, "-o", table_of)
            told = pyarrow.csv.read_csv(table_of, convert_options=_text()).to_pylist()
            truth = {row["id"]: labelled(row["name"], people[row["document"]]) for row in told}
            with gold.open("w", encoding="utf-8", newline="") as stream:
                writer = csv.writer(stream)
                writer.writerows([("id", "entity"), *((id, person) for id, person in truth.items() if person)])
            scores = json.loads(command("score", answer, gold, "--bootstrap", 0, "--json"))
            b3, counts = scores["values"]["b3"], scores["counts"]
            yield method, b3["precision"], b3["recall"], b3["f1"], counts["items"], counts["gold_entities"]


def _text() -> pyarrow.csv.ConvertOptions:
    """Ids are text, though Reuters' stories are numbered."""
    return pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(("id", "document", "name"), pyarrow.string()))


def main() -> None:
    print(table(["method", "B³ P", "B³ R", "B³ F1", "profiles", "people"], list(rows())))


if __name__ == "__main__":
    main()
