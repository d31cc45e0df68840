"""The protocol of extractors, those of other packages, and what all extractors share.

`text_extractor.py` reads plain text, `given.py` mentions that came with the documents, `asked_name.py` looks for one
name. Packages bring theirs under the entry point `crossdoc.extractors`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.metadata import entry_points
from itertools import islice
from typing import Any, Protocol, get_args

import pyarrow as pa

from crossdoc import errors
from crossdoc.model import ENTITY_TYPES, Documents, Mention, MentionKind, Mentions, Profile, Profiles, Relation
from crossdoc.names.texts import ContactPolicy

GROUP = "crossdoc.extractors"
MOST_PROBLEMS = 1000
MASKED = ContactPolicy("off")
"""The default of extractors that need no salt: contact details are masked."""
PROFILES_AT_ONCE = 500
"""Profiles. Batch that is converted to Arrow at once: contexts take more memory as Python strings."""

Described = tuple[list[Mention], Profile]
"""The mentions of one entity in a document, and its profile."""


class Extractor(Protocol):
    """Turns documents into mentions and profiles; register yours under the entry point `crossdoc.extractors`.

    Its one method is `extract(documents)`, called with a batch of documents at a time. A mention's `chain` is the id of
    its profile. docs/extending/extractor.md has a complete example.

    Examples
    --------
    >>> class Nobody:
    ...     def extract(self, documents):
    ...         return Mentions.of([]), Profiles.of([])
    >>> Nobody().extract([])
    (<Mentions: 0>, <Profiles: 0>)
    """

    def extract(self, documents: Documents) -> tuple[Mentions, Profiles]: ...


def tables_of(described: Iterable[Described]) -> tuple[Mentions, Profiles]:
    """Mentions and profiles as tables, converted while they are made, so that few exist as Python objects."""
    rows, parts = iter(described), []
    while batch := list(islice(rows, PROFILES_AT_ONCE)):
        mentions = Mentions.of(mention for own, _ in batch for mention in own)
        parts.append((mentions, Profiles.of(profile for _, profile in batch)))
    return concatenated(parts)


def concatenated(parts: Sequence[tuple[Mentions, Profiles]]) -> tuple[Mentions, Profiles]:
    mentions, profiles = zip((Mentions.of(()), Profiles.of(())), *parts, strict=True)
    return (
        Mentions(pa.concat_tables([table.arrow for table in mentions])),
        Profiles(pa.concat_tables([table.arrow for table in profiles])),
    )


def merged(profiles: Iterable[Profile]) -> tuple[dict[str, list[str]], tuple[Relation, ...]]:
    """Merge the attributes and relations of several profiles, each value once."""
    attributes: dict[str, dict[str, None]] = {}
    relations: dict[Relation, None] = {}
    for profile in profiles:
        for key, values in profile.attributes.items():
            attributes.setdefault(key, {}).update(dict.fromkeys(values))
        relations.update(dict.fromkeys(profile.relations))
    return {key: list(values) for key, values in attributes.items()}, tuple(relations)


def fullest(names: Iterable[str]) -> str:
    """The name with most words; ties go to the most frequent, the longest, the first.

    >>> fullest(["Smith", "John Smith", "Jack Smith"]), fullest(["Berlin", "Berlins", "Berlin"])
    ('John Smith', 'Berlin')
    """
    counts = Counter(names)
    return max(counts, key=lambda name: (len(name.split()), counts[name], len(name)))


# Extractors of other packages


def load_extractor(given: str) -> PluginExtractor:
    """The extractor that is installed under a name; what follows a colon is handed to it when it is made.

    The object of the entry point is called with that text, or without arguments.
    """
    name, _, argument = given.partition(":")
    installed = {point.name: point for point in entry_points(group=GROUP)}
    if name not in installed:
        raise errors.unknown_extractor(name, sorted(installed))
    return PluginExtractor(name, _guard(name, lambda: installed[name].load()(*filter(None, [argument]))))


def confirmed(stored: str, again: str | None, path: object) -> str:
    """The extractor of a result, which has to be named again where text goes to it.

    That text may name a folder whose content is run, and whoever sent the result may have sent that folder, too.

    >>> confirmed("doctors", None, "o.crossdoc"), confirmed("tagger:old", "tagger:new", "o.crossdoc")
    ('doctors', 'tagger:new')
    """
    if again is None and ":" not in stored:
        return stored
    if again is None or again.partition(":")[0] != stored.partition(":")[0]:
        raise errors.extractor_to_confirm(path, stored)
    return again


class PluginExtractor:
    """An extractor of another package. Every fault in its output is an error that names it."""

    def __init__(self, name: str, inner: Any) -> None:
        if not callable(getattr(inner, "extract", None)):
            raise errors.bad_extraction(name, [f"a {type(inner).__name__} has no method extract(documents)"])
        self.name = name
        self._inner: Extractor = inner

    def extract(self, documents: Documents) -> tuple[Mentions, Profiles]:
        given = _guard(self.name, lambda: self._inner.extract(documents))
        problems = list(islice(_problems(given, documents), MOST_PROBLEMS))
        if problems:
            raise errors.bad_extraction(self.name, problems)
        return given


def _guard(name: str, work: Callable[[], Any]) -> Any:
    try:
        return work()
    except errors.InputError as error:
        # A profile or mention that it made and that cannot be.
        raise errors.part_failed("extractor", name, error.what.removesuffix(".")) from error
    except errors.CrossdocError:
        raise
    except Exception as error:
        # A failure in code of another package is reported as its own, not as a bug of crossdoc.
        raise errors.part_failed("extractor", name, f"{type(error).__name__}: {error}") from error


def _problems(given: Any, documents: Documents) -> Iterator[str]:
    if not isinstance(given, tuple) or [type(part) for part in given] != [Mentions, Profiles]:
        several = isinstance(given, tuple)
        shape = f"({', '.join(type(part).__name__ for part in given)})" if several else type(given).__name__
        yield f"extract() must give (Mentions, Profiles), not {shape}"
        return
    mentions, profiles = given
    lengths = {document.id: len(document.text) for document in documents}
    for what, table in (("mention", mentions), ("profile", profiles)):
        for id, count in Counter(table.ids).items():
            if not id:
                yield f"{count:,} of its {what}s have no id"
            elif count > 1:
                yield f"the {what} id {id!r} stands for {count:,} of them"
        for row in table:
            where = f"{what} {row.id!r}"
            if row.document not in lengths:
                yield f"{where} is of document {row.document!r}, which it was not given"
            if row.type is not None and row.type not in ENTITY_TYPES:
                yield f"{where}: the type must be one of {', '.join(ENTITY_TYPES)}, not {row.type!r}"
    known, kinds = set(profiles.ids), get_args(MentionKind)
    for mention in mentions:
        where, start, end = f"mention {mention.id!r}", mention.start, mention.end
        length = lengths.get(mention.document)
        if length is not None and (start is None or end is None or not 0 <= start < end <= length):
            yield f"{where}: {start}–{end} does not lie within the text of {length:,} characters"
        if mention.chain is not None and mention.chain not in known:
            yield f"{where}: its chain {mention.chain!r} is the id of none of the profiles"
        if mention.kind not in kinds:
            yield f"{where}: the kind must be one of {', '.join(kinds)}, not {mention.kind!r}"
    yield from (f"profile {each.id!r} has no name" for each in profiles if not (each.name or "").strip())
