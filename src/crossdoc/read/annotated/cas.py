"""UIMA's CAS, as XMI or JSON, read by dkpro-cassis (`crossdoc[cas]`): named entities and coreference as DKPro has them.

XMI needs its type system in the same folder: NAME.xml, TypeSystem.xml or typesystem.xml. A named entity is an
annotation of the type NamedEntity, with the type of the entity as its `value`, or of a type called Person, Location and
the like; a chain is a CoreferenceChain, followed from its `first` link by `next`.
"""

from __future__ import annotations

import io
import json
import warnings
from collections.abc import Iterator
from typing import Any

from crossdoc import errors
from crossdoc.model import Document
from crossdoc.read.annotated.marked_spans import Name, Reference, kind_of, mentions_of
from crossdoc.read.clean_text import printable
from crossdoc.read.small_tables import bytes_of, parse_safely
from crossdoc.read.sources import Source, without_compression
from crossdoc.read.type_labels import type_of

_TYPE_SYSTEMS = ("TypeSystem.xml", "typesystem.xml")
_CHAIN, _NAMED = "CoreferenceChain", "NamedEntity"
_UNKNOWN_LANGUAGE = "x-unspecified"


def read_cas(source: Source) -> Iterator[Document]:
    """Yield the document of a file: the text of its first view, under the id of DocumentMetaData or of the file."""
    cas = _load(source, bytes_of(source))
    text = cas.sofa_string
    if not text:
        raise errors.unreadable(source.path, "its first view (sofa) has no text")
    about = next((each for each in cas.select_all_fs() if _short(each) == "DocumentMetaData"), None)
    id = printable(str(getattr(about, "documentId", None) or source.id))
    language = getattr(about, "language", None)
    language = None if language == _UNKNOWN_LANGUAGE else language
    names: list[Name] = []
    clusters: dict[str, list[Reference]] = {}
    for each in cas.select_all_fs():
        kind = _short(each)
        type = type_of(getattr(each, "value", None) if kind == _NAMED else kind)
        if type is not None and hasattr(each, "begin"):
            link = getattr(each, "identifier", None) or None
            names.append(Name(*_place(source, each, text), type, link))
        elif kind == _CHAIN:
            clusters[f"chain{len(clusters) + 1}"] = list(_references(source, each, text, language))
    title = getattr(about, "documentTitle", None) or None
    yield Document(id, text, title, language, mentions=mentions_of(id, text, names, clusters))


def _load(source: Source, content: bytes) -> Any:
    try:
        import cassis
    except ImportError as error:
        raise errors.needs_extra("UIMA CAS", "dkpro-cassis", "cas") from error
    is_json = content.lstrip()[:1] == b"{"
    types = None if is_json else _type_system(source)
    if is_json:
        _check_json(source, content)
    else:
        parse_safely(source, content)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if is_json:
                return cassis.load_cas_from_json(io.BytesIO(content))
            system = cassis.load_typesystem(io.BytesIO(types or b""))
            return cassis.load_cas_from_xmi(io.BytesIO(content), typesystem=system, lenient=True)
    except Exception as error:
        # cassis checks little of its input, so a file that is no CAS fails in many ways.
        raise errors.unreadable(source.path, f"it is not a CAS ({type(error).__name__}: {error})") from error


def _check_json(source: Source, content: bytes) -> None:
    try:
        json.loads(content)
    except json.JSONDecodeError as error:
        raise errors.broken_line(source.path, error.lineno, f"not valid JSON ({error.msg})") from error
    except (UnicodeDecodeError, RecursionError) as error:
        raise errors.unreadable(source.path, f"not valid JSON ({error})") from error


def _type_system(source: Source) -> bytes:
    stem = without_compression(source.path).rpartition(".")[0]
    beside = (source.path.with_name(name) for name in (f"{source.path.name[: len(stem)]}.xml", *_TYPE_SYSTEMS))
    found = next((path for path in beside if path.is_file() and path != source.path), None)
    if found is None:
        raise errors.no_type_system(source.path)
    content = bytes_of(Source(found, found.name, "text"))
    parse_safely(Source(found, found.name, "text"), content)
    return content


def _short(annotation: Any) -> str:
    """Return the name of an annotation's type without the package."""
    return str(annotation.type.name).rpartition(".")[2]


def _place(source: Source, annotation: Any, text: str) -> tuple[int, int]:
    start, end = annotation.begin, annotation.end
    if not (isinstance(start, int) and isinstance(end, int) and 0 <= start < end <= len(text)):
        why = f"its {_short(annotation)} {start}–{end} does not lie in the text of {len(text):,} characters"
        raise errors.unreadable(source.path, why)
    return start, end


def _references(source: Source, chain: Any, text: str, language: str | None) -> Iterator[Reference]:
    link, seen = getattr(chain, "first", None), set()
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        start, end = _place(source, link, text)
        yield Reference(start, end, kind_of(text[start:end], language))
        link = getattr(link, "next", None)
