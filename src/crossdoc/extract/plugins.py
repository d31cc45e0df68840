"""Extractors of other packages, under the entry point `crossdoc.extractors`: found, made, checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint, entry_points
from typing import Any, get_args

from crossdoc import errors
from crossdoc.extract.extractor import Extractor
from crossdoc.model import ENTITY_TYPES, Documents, MentionKind, Mentions, Profiles

GROUP = "crossdoc.extractors"
MOST_PROBLEMS = 1000


def load_extractor(given: str) -> PluginExtractor:
    """The extractor that is installed under a name; what follows a colon is handed to it when it is made.

    The object of the entry point is called with that text, or without arguments.
    """
    name, _, argument = given.partition(":")
    installed: dict[str, EntryPoint] = {point.name: point for point in entry_points(group=GROUP)}
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
        problems = [problem for problem, _ in zip(_problems(given, documents), range(MOST_PROBLEMS), strict=False)]
        if problems:
            raise errors.bad_extraction(self.name, problems)
        return given


def _guard(name: str, work: Callable[[], Any]) -> Any:
    try:
        return work()
    except errors.InputError as error:
        # A profile or mention that it made and that cannot be.
        raise errors.extractor_failed(name, error.what.removesuffix(".")) from error
    except errors.CrossdocError:
        raise
    except Exception as error:
        # A failure in code of another package is reported as its own, not as a bug of crossdoc.
        raise errors.extractor_failed(name, f"{type(error).__name__}: {error}") from error


def _problems(given: Any, documents: Documents) -> Iterator[str]:
    if not isinstance(given, tuple) or [type(part) for part in given] != [Mentions, Profiles]:
        yield f"extract() must give (Mentions, Profiles), not {_shape(given)}"
        return
    mentions, profiles = given
    lengths = {document.id: len(document.text) for document in documents}
    for what, table in (("mention", mentions), ("profile", profiles)):
        for id, count in Counter(table.ids).items():
            if not id:
                yield f"{count:,} of its {what}s have no id"
            elif count > 1:
                yield f"the {what} id {id!r} stands for {count:,} of them"
    known = set(profiles.ids)
    for mention in mentions:
        where = f"mention {mention.id!r}"
        if mention.document not in lengths:
            yield f"{where} is of document {mention.document!r}, which it was not given"
        elif (
            mention.start is None
            or mention.end is None
            or not (0 <= mention.start < mention.end <= lengths[mention.document])
        ):
            yield (
                f"{where}: {mention.start}–{mention.end} does not lie within the text of "
                f"{lengths[mention.document]:,} characters"
            )
        if mention.chain is not None and mention.chain not in known:
            yield f"{where}: its chain {mention.chain!r} is the id of none of the profiles"
        if mention.kind not in get_args(MentionKind):
            yield f"{where}: the kind must be one of {', '.join(get_args(MentionKind))}, not {mention.kind!r}"
        yield from _wrong_type(where, mention.type)
    for profile in profiles:
        where = f"profile {profile.id!r}"
        if profile.document not in lengths:
            yield f"{where} is of document {profile.document!r}, which it was not given"
        if not (profile.name or "").strip():
            yield f"{where} has no name"
        yield from _wrong_type(where, profile.type)


def _wrong_type(where: str, type: str | None) -> Iterator[str]:
    if type is not None and type not in ENTITY_TYPES:
        yield f"{where}: the type must be one of {', '.join(ENTITY_TYPES)}, not {type!r}"


def _shape(given: Any) -> str:
    if isinstance(given, tuple):
        return f"({', '.join(type(part).__name__ for part in given)})"
    return type(given).__name__
