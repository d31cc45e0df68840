"""Build the sample corpus from the annotated sources in tools/sample.

A source file has two kinds of block. An entity is declared on one line, in any file, and may be used in all of them:

    @ smith-motors | person | John A. Smith | chairman of Halden Motors, the car maker of Toledo

A document starts with its id and four header lines, then a blank line, then the text. Paragraphs are separated by
blank lines; the lines of a paragraph are joined with a space. Every named mention is written [[surface|entity]]:

    # id: motors-1
    title: Halden picks a chairman
    date: 2003-01-14
    source: Toledo Ledger
    language: en

    [[Halden Motors|halden-motors]] named [[John A. Smith|smith-motors]] chairman on Tuesday.

Titles ("Mr."), the article and the possessive 's stay outside the brackets; pronouns and nominals are not marked.

Run `python tools/build_sample.py` to write src/crossdoc/sample, with --check to compare only (exit status 1).
"""

from __future__ import annotations

import argparse
import csv
import datetime
import io
import itertools
import json
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "tools" / "sample"
OUTPUT = ROOT / "src" / "crossdoc" / "sample"
TYPES = ("person", "organisation", "place")
LANGUAGES = ("en", "fr")
HEADER = ("title", "date", "source", "language")
MARKUP = re.compile(r"\[\[([^\[\]|]+)\|([a-z0-9-]+)\]\]")


class SampleError(ValueError):
    """A source file that cannot be built; the message names the file and the line or the document."""


@dataclass(frozen=True)
class Entity:
    id: str
    type: str
    name: str
    description: str


@dataclass(frozen=True)
class Mention:
    entity: str
    start: int
    end: int
    text: str


@dataclass
class Document:
    id: str
    header: dict[str, str]
    text: str
    mentions: list[Mention]


@dataclass
class Sample:
    entities: dict[str, Entity] = field(default_factory=dict)
    documents: dict[str, Document] = field(default_factory=dict)


def parse_entity(line: str, where: str) -> Entity:
    fields = [part.strip() for part in line.removeprefix("@").split("|")]
    if len(fields) != 4 or not all(fields):
        raise SampleError(f"{where}: an entity is '@ id | type | name | description'")
    if fields[1] not in TYPES:
        raise SampleError(f"{where}: type {fields[1]!r} is not one of {', '.join(TYPES)}")
    return Entity(*fields)


def strip_markup(marked: str, where: str) -> tuple[str, list[Mention]]:
    pieces: list[str] = []
    mentions: list[Mention] = []
    length = position = 0
    for match in MARKUP.finditer(marked):
        before, surface = marked[position : match.start()], match[1]
        start = length + len(before)
        if surface != surface.strip():
            raise SampleError(f"{where}: space at the edge of the mention {match[0]}")
        pieces += [before, surface]
        length = start + len(surface)
        mentions.append(Mention(match[2], start, length, surface))
        position = match.end()
    pieces.append(marked[position:])
    text = "".join(pieces)
    if broken := re.search(r".{0,20}[\[\]|].{0,20}", text):
        raise SampleError(f"{where}: broken markup near {broken[0]!r}")
    return text, mentions


def parse_document(lines: Sequence[str], where: str) -> Document:
    document = lines[0].removeprefix("# id:").strip()
    where = f"{where}: document {document}"
    header: dict[str, str] = {}
    for name, line in zip(HEADER, lines[1:], strict=False):
        key, _, value = line.partition(":")
        if key != name or not value.strip():
            raise SampleError(f"{where}: expected the header line '{name}: ...', found {line!r}")
        header[name] = value.strip()
    if len(header) < len(HEADER):
        raise SampleError(f"{where}: incomplete header")
    try:
        datetime.date.fromisoformat(header["date"])
    except ValueError:
        raise SampleError(f"{where}: {header['date']!r} is not an ISO date") from None
    if header["language"] not in LANGUAGES:
        raise SampleError(f"{where}: language {header['language']!r} is not one of {', '.join(LANGUAGES)}")
    body = "\n".join(line.strip() for line in lines[1 + len(HEADER) :]).strip()
    paragraphs = [" ".join(paragraph.split()) for paragraph in re.split(r"\n{2,}", body)]
    text, mentions = strip_markup("\n\n".join(paragraphs), where)
    if not text:
        raise SampleError(f"{where}: no text")
    return Document(document, header, text, mentions)


def read_source(path: Path, sample: Sample) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    starts = [number for number, line in enumerate(lines) if line.startswith("# id:")]
    for number, line in enumerate(lines[: starts[0] if starts else len(lines)], start=1):
        where = f"{path.name}:{number}"
        if line.startswith("@"):
            entity = parse_entity(line, where)
            if entity.id in sample.entities:
                raise SampleError(f"{where}: entity {entity.id} is declared twice")
            sample.entities[entity.id] = entity
        elif line.strip():
            raise SampleError(f"{where}: neither an entity nor a document: {line!r}")
    for start, end in itertools.pairwise([*starts, len(lines)]):
        document = parse_document(lines[start:end], f"{path.name}:{start + 1}")
        if document.id in sample.documents:
            raise SampleError(f"{path.name}:{start + 1}: document id {document.id} is used twice")
        sample.documents[document.id] = document


def read_sample(sources: Path = SOURCES) -> Sample:
    sample = Sample()
    for path in sorted(sources.glob("*.txt")):
        read_source(path, sample)
    used = set()
    for document in sample.documents.values():
        for mention in document.mentions:
            if mention.entity not in sample.entities:
                raise SampleError(f"document {document.id}: undeclared entity {mention.entity} ({mention.text!r})")
            used.add(mention.entity)
    if unused := sorted(set(sample.entities) - used):
        raise SampleError(f"declared but never mentioned: {', '.join(unused)}")
    return sample


def to_csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return buffer.getvalue()


def render(sample: Sample) -> dict[str, str]:
    """The three shipped files, by name."""
    documents = [{"id": d.id, **d.header, "text": d.text} for d in sample.documents.values()]
    gold = [
        (f"{d.id}:{m.start}:{m.end}", m.entity, d.id, m.start, m.end, m.text, sample.entities[m.entity].type)
        for d in sample.documents.values()
        for m in d.mentions
    ]
    entities = [(e.id, e.type, e.name, e.description) for e in sorted(sample.entities.values(), key=lambda e: e.id)]
    return {
        "documents.jsonl": "".join(json.dumps(document, ensure_ascii=False) + "\n" for document in documents),
        "gold.csv": to_csv(("id", "entity", "document", "start", "end", "text", "type"), gold),
        "entities.csv": to_csv(("entity", "type", "name", "description"), entities),
    }


def stale_files(files: dict[str, str], output: Path = OUTPUT) -> list[str]:
    """Names of the shipped files that are missing or differ from what the sources give."""
    return [
        name
        for name, content in files.items()
        if not (output / name).is_file() or (output / name).read_bytes() != content.encode()
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Build the sample corpus from tools/sample.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the shipped files are stale")
    options = parser.parse_args(arguments)
    try:
        sample = read_sample()
    except SampleError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    files = render(sample)
    if options.check:
        stale = stale_files(files)
        for name in stale:
            print(f"error: {name} is not what the sources give; run python tools/build_sample.py", file=sys.stderr)
        return 1 if stale else 0
    OUTPUT.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (OUTPUT / name).write_bytes(content.encode())
    mentions = sum(len(document.mentions) for document in sample.documents.values())
    print(f"{len(sample.documents)} documents, {len(sample.entities)} entities, {mentions} mentions")
    return 0


if __name__ == "__main__":
    sys.exit(main())
