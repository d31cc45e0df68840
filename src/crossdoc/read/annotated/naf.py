"""NAF, the NLP Annotation Format (https://github.com/newsreader/NAF): layers of words, terms, entities and coreference.

One file is one document. Entities with one external reference, and members of one coreference set, are one chain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from crossdoc import errors
from crossdoc.model import Document
from crossdoc.read.annotated.marked_spans import Name, Reference, RunningText, kind_of, mentions_of
from crossdoc.read.clean_text import printable
from crossdoc.read.small_tables import Element, bytes_of, parse_safely
from crossdoc.read.sources import Source
from crossdoc.read.type_labels import type_of

_DATE = re.compile(r"\d{4}(-\d{2}){0,2}")
_NO_ENTITY = ("event", "time", "timex")

Place = tuple[int, int]


def read_naf(source: Source) -> Iterator[Document]:
    """Yield the document of a file; its id is `publicId` of the header, or else the file's."""
    root = parse_safely(source, bytes_of(source))
    if root.tag not in ("NAF", "KAF"):
        raise errors.broken_line(source.path, root.line, f"the root is <{root.tag}>, and not <NAF>")
    header = root.find("nafHeader")
    about = {} if header is None else {key: value for each in header for key, value in each.attrib.items()}
    id = printable(about.get("publicId") or source.id)
    language = root.get("xml:lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang")
    date = _DATE.match(about.get("creationtime", ""))
    text, places = _words(source, root)
    _add_terms(source, root, places)
    names = list(_names(source, root, places))
    clusters = {
        coreference.get("id") or f"coref{number}": list(_references(source, coreference, places, text, language))
        for number, coreference in enumerate(_each(root, "coreferences", "coref"), 1)
        if coreference.get("type", "").lower() not in _NO_ENTITY
    }
    mentions = mentions_of(id, text, names, clusters)
    title = about.get("title") or None
    yield Document(id, text, title, language, None if date is None else date[0], mentions=mentions)


def _each(root: Element, layer: str, tag: str) -> Iterator[Element]:
    for found in root.findall(layer):
        yield from found.findall(tag)  # type: ignore[misc]


def _words(source: Source, root: Element) -> tuple[str, dict[str, Place]]:
    """Return the text, raw if the file has it, and the span of each word."""
    raw = root.find("raw")
    text = "" if raw is None else raw.text or ""
    running = RunningText()
    places: dict[str, Place] = {}
    sentence = None
    for word in _each(root, "text", "wf"):
        id = word.get("id") or word.get("wid")
        if not id or not word.text:
            raise errors.broken_line(source.path, word.line, "a word (<wf>) without an id or without text")
        if text:
            start = _number(source, word, "offset")
            places[id] = start, start + len(word.text)
            if text[start : start + len(word.text)] != word.text:
                why = f"the word {word.text!r} is not at {start:,} in the raw text"
                raise errors.broken_line(source.path, word.line, why)
        else:
            if word.get("sent") != sentence:
                running.end_sentence()
            sentence = word.get("sent")
            places[id] = running.add(word.text)
    if not places:
        raise errors.broken_line(source.path, root.line, "there is no <text> with words (<wf>)")
    return text or running.text, places


def _number(source: Source, element: Element, name: str) -> int:
    given = element.get(name, "")
    if not given.isdecimal() or len(given) > 12:
        raise errors.broken_line(source.path, element.line, f"<{element.tag}> has no whole number as its {name}")
    return int(given)


def _add_terms(source: Source, root: Element, places: dict[str, Place]) -> None:
    """Add the spans of terms, which are one word or several."""
    for term in _each(root, "terms", "term"):
        id = term.get("id") or term.get("tid")
        span = term.find("span")
        if not id or span is None:
            raise errors.broken_line(source.path, term.line, "a <term> without an id or without a <span>")
        places[id] = _place(source, span, places)  # type: ignore[arg-type]


def _place(source: Source, span: Element, places: Mapping[str, Place]) -> Place:
    found = []
    for target in span.findall("target"):
        if target.get("id") not in places:
            line = target.line  # type: ignore[attr-defined]
            raise errors.broken_line(source.path, line, f"the target {target.get('id')!r} is neither a word nor a term")
        found.append(places[target.get("id", "")])
    if not found:
        raise errors.broken_line(source.path, span.line, "a <span> without a target")
    return min(start for start, _ in found), max(end for _, end in found)


def _names(source: Source, root: Element, places: Mapping[str, Place]) -> Iterator[Name]:
    for entity in _each(root, "entities", "entity"):
        type = type_of(entity.get("type"))
        if type is None:
            continue
        links = [reference.get("reference") for reference in entity.iter("externalRef")]
        for span in (*entity.findall("references/span"), *entity.findall("span")):
            yield Name(*_place(source, span, places), type, next(filter(None, links), None))  # type: ignore[arg-type]


def _references(
    source: Source, coreference: Element, places: Mapping[str, Place], text: str, language: str | None
) -> Iterator[Reference]:
    for span in (*coreference.findall("span"), *coreference.findall("references/span")):
        start, end = _place(source, span, places)  # type: ignore[arg-type]
        heads = [target.get("id", "") for target in span.findall("target") if target.get("head") == "yes"]
        head = places[heads[0]] if heads else None
        yield Reference(start, end, kind_of(text[start:end], language), head)
