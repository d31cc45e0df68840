"""BSNLP 2019 (Piskorski et al. 2019, aclanthology W19-3709): news in six Slavic languages, entities with shared ids.

Read from TOPIC/raw/LANGUAGE/NAME.txt and TOPIC/annotated/LANGUAGE/NAME.out (of 2021 also X.txt_file_N.txt and
X.out_file_N.out). Annotations are the distinct forms of names in a document without offsets; mentions here are all
occurrences of these forms. Document ids are TOPIC/LANGUAGE/NAME.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from corpora.annotations import TYPES, gold_of_chains, mention_at
from crossdoc import errors
from crossdoc.model import Document, Mention
from crossdoc.read.clean_text import tidy

BSNLP_LANGUAGES = ("bg", "cs", "pl", "ru", "sl", "uk")
_ENDING_INSIDE = re.compile(r"\.(?:out|txt)_file_(?=\d+$)")
HEADER_LINES = 4
"""Lines before the text: number, language, date and address."""


@dataclass(frozen=True, slots=True)
class Form:
    """A name as it is written in a document, its base form, its type (also PRO and EVT) and the entity it names."""

    document: str
    topic: str
    language: str
    text: str
    lemma: str
    type: str
    entity: str


def forms(folder: Path) -> Iterator[Form]:
    """Yield all annotations; the few lines that lack one of the four fields are left out."""
    for topic, language, path in _files(folder, "annotated"):
        for line in path.read_text(encoding="utf-8-sig").splitlines()[1:]:
            fields = [tidy(field).strip() for field in line.split("\t")]
            if len(fields) == 4 and all(fields):
                yield Form(_id(topic, language, path), topic, language, *fields)


def documents(folder: Path) -> Iterator[Document]:
    """Yield the articles with all occurrences of their names of people, organisations and places, in gold chains."""
    named: dict[str, list[Form]] = {}
    for form in forms(folder):
        if form.type in TYPES:
            named.setdefault(form.document, []).append(form)
    for topic, language, path in _files(folder, "raw"):
        header, text = _split(tidy(path.read_text(encoding="utf-8-sig")))
        id = _id(topic, language, path)
        title = text.partition("\n")[0] or None
        yield Document(
            id, text, title, language, _date(header), "BSNLP 2019", tuple(_locate(id, text, named.get(id, [])))
        )


def gold(folder: Path) -> pa.Table:
    """Return `id, entity`: one row per chain, with the id of its first mention; entities span languages."""
    return gold_of_chains(documents(folder))


def _id(topic: str, language: str, path: Path) -> str:
    """Return the id that a text and its annotations share.

    >>> _id("t", "pl", Path("a.txt_file_3.txt")) == _id("t", "pl", Path("a.out_file_3.out"))
    True
    """
    return f"{topic}/{language}/{_ENDING_INSIDE.sub('_file_', path.stem)}"


def _locate(id: str, text: str, named: list[Form]) -> Iterator[Mention]:
    """Yield the occurrences of the forms as complete words; of two that overlap, the longer one."""
    kinds = {form.text: form for form in named}
    if not kinds:
        return
    longest_first = sorted(kinds, key=len, reverse=True)
    pattern = re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, longest_first)) + r")(?!\w)")
    for match in pattern.finditer(text):
        form = kinds[match[0]]
        yield mention_at(id, text, match.span(), TYPES[form.type], chain=form.entity)


def _split(content: str) -> tuple[list[str], str]:
    lines = content.split("\n")
    return lines[:HEADER_LINES], "\n".join(lines[HEADER_LINES:]).strip()


def _date(header: list[str]) -> str | None:
    found = re.search(r"\b\d{4}-\d{2}-\d{2}\b", " ".join(header[2:3]))
    return found[0] if found else None


def _files(folder: Path, kind: str) -> Iterator[tuple[str, str, Path]]:
    """Yield topic, language and path; `folder` holds the topics, or is one."""
    if not folder.is_dir():
        raise errors.no_such_path(folder)
    topics = [folder] if (folder / kind).is_dir() else sorted(p for p in folder.iterdir() if (p / kind).is_dir())
    found = False
    for topic in topics:
        for language in sorted(p for p in (topic / kind).iterdir() if p.is_dir()):
            for path in sorted(language.iterdir()):
                if path.suffix in (".txt", ".out"):
                    found = True
                    yield topic.name, language.name, path
    if not found:
        raise errors.nothing_to_read(folder, [f"TOPIC/{kind}/LANGUAGE/NAME"])
