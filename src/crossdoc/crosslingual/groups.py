"""Monolingual article groups, the nodes of link detection, and their file format.

A group is some articles of one language on one event (or the forms of one name in one language). A file has one record
per group with `id`, `language`, `titles` and `texts`, as JSONL, Parquet or CSV (in which `titles` may be one text).
Languages are written as ISO 639-1 (two letters) and read as ISO 639-3 and tags such as `pt-BR` too.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path

from crossdoc import errors
from crossdoc.files import whole_file
from crossdoc.read.clean_text import identify_language, printable
from crossdoc.read.records import Record, UniqueIds, read_records
from crossdoc.read.small_tables import table_source

_CODES = tomllib.loads((files(__package__) / "words.toml").read_text("utf-8"))
THREE_LETTERS = dict(pair.split(":") for pair in _CODES["codes"].split())
"""ISO 639-1 → ISO 639-3."""
TRANSLATION_TARGET = "en"
"""Language that all translators translate into."""
_TWO_LETTERS = {three: two for two, three in THREE_LETTERS.items()}
_TWO_LETTERS |= dict(pair.split(":") for pair in _CODES["bibliographic"].split())


def language_code(tag: str) -> str | None:
    """Return the two-letter code of a language (three letters if it has none); None for other tags.

    >>> language_code("en"), language_code("spa"), language_code("pt-BR"), language_code("ceb"), language_code("xx")
    ('en', 'es', 'pt', 'ceb', None)
    """
    first = tag.strip().lower().replace("_", "-").partition("-")[0]
    if first in THREE_LETTERS:
        return first
    if first in _TWO_LETTERS:
        return _TWO_LETTERS[first]
    return first if len(first) == 3 and first.isascii() and first.isalpha() else None


@dataclass(frozen=True, slots=True)
class ArticleGroup:
    r"""Articles of one language that belong together; one title or text may be given as it is.

    Parameters
    ----------
    id : str
        The id of the group.
    language : str
        ISO 639 code of the language.
    titles : tuple[str, ...]
        Titles of the articles.
    texts : tuple[str, ...], default ()
        Their texts.

    Examples
    --------
    >>> ArticleGroup("g1", "eng", ("Airbus wins order", "Qatar buys jets")).text()
    'Airbus wins order\nQatar buys jets'
    """

    id: str
    language: str
    """ISO 639-1; other codes that `language_code` knows are turned into it."""
    titles: tuple[str, ...]
    texts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        code = language_code(self.language)
        if code is None:
            raise errors.unknown_language(self.id, self.language)
        object.__setattr__(self, "language", code)
        for name in ("titles", "texts"):
            given: str | Iterable[str] = getattr(self, name)
            object.__setattr__(self, name, (given,) if isinstance(given, str) else tuple(given))

    def text(self, titles_only: bool = False) -> str:
        """Return the titles and, unless `titles_only`, the texts, one per line."""
        return "\n".join(self.titles if titles_only else (*self.titles, *self.texts))


def read_groups(path: str | Path) -> tuple[list[ArticleGroup], list[str]]:
    """Return the groups of a file and notes for the user; all faults of the file are reported together."""
    source, ids = table_source(path), UniqueIds()
    identified: list[str] = []
    groups = list(read_records(source, lambda record: _group(record, identified)))
    for group in groups:
        ids.add(group.id, source)
    ids.raise_if_repeated()
    if not groups:
        raise errors.no_records(source.path, "article group")
    notes = []
    if identified:
        shown = ", ".join(identified[:5]) + (" …" if identified[5:] else "")
        notes.append(f"Groups whose language was identified from the text: {len(identified):,} ({shown}).")
    if rare := sorted({group.language for group in groups} - set(THREE_LETTERS)):
        notes.append(f"Languages without a two-letter code, used as written: {', '.join(rare)}.")
    return groups, notes


def write_groups(groups: Iterable[ArticleGroup], path: Path) -> None:
    """Write groups as JSONL; the file is complete or absent."""
    with whole_file(path) as stream:
        for group in groups:
            stream.write(json.dumps(asdict(group), ensure_ascii=False).encode() + b"\n")


def _group(record: Record, identified: list[str]) -> ArticleGroup | None:
    id, stated = record.text("id", required=True), record.text("language")
    titles, texts = (_texts(record, name) for name in ("titles", "texts"))
    if not titles and not texts and record.sound:
        record.fault("there is neither a title nor a text")
    if id is None or not record.sound:
        return None
    language = language_code(stated) if stated is not None else identify_language("\n".join((*titles, *texts)))
    if language is None:
        unknown = f"{stated!r} is not a language code (ISO 639-1, such as en or pt)"
        reason = unknown if stated else "the text is too short to identify it"
        record.fault(f"the language is unknown: {reason}")
        return None
    if stated is None:
        identified.append(f"{id}: {language}")
    return ArticleGroup(id, language, titles, texts)


def _texts(record: Record, name: str) -> tuple[str, ...]:
    """Return a list of texts, or one text as a list; empty ones are left out."""
    given = record.fields.get(name)
    listed = given if isinstance(given, list) else [] if given is None else [given]
    if not all(isinstance(text, str) for text in listed):
        record.fault(f"the field {name!r} must be a list of texts")
        return ()
    return tuple(printable(text) for text in listed if text.strip())
