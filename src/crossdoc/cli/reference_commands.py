"""The commands that print reference text: `formats` and `settings`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from importlib.resources import files


def formats() -> None:
    """Print the file formats with examples.

    Example:  crossdoc formats
    """
    sys.stdout.write(formats_text())


def settings() -> None:
    """Print every setting with its meaning and default, ready to be saved as crossdoc.toml.

    Example:  crossdoc settings > crossdoc.toml
    """
    from crossdoc.settings import Settings

    sys.stdout.write(Settings().to_toml())


def formats_text() -> str:
    """Return the description of all formats, with the types of evidence that installed specialists read."""
    text = (files("crossdoc.cli") / "templates" / "formats.txt").read_text(encoding="utf-8")
    return text.replace("{EVIDENCE}", "\n".join(_evidence()))


def _evidence() -> Iterator[str]:
    from crossdoc.compare.learned import types_read
    from crossdoc.compare.specialists import all_specialists
    from crossdoc.names.evidence_types import SHOWN_ATTRIBUTES, SHOWN_RELATIONS

    specialists = all_specialists()
    yield "EVIDENCE in profiles  (what specialists compare, once `crossdoc train` has learned how much each counts)"
    for kind, shown in (("attribute", SHOWN_ATTRIBUTES), ("relation", SHOWN_RELATIONS)):
        read = types_read(kind, specialists)  # type: ignore[arg-type]
        yield f"  {kind}s, and the specialists that read them:"
        yield from _list_types({type: f"{meaning}  [{', '.join(by)}]" for type, (meaning, by) in read.items()})
        yield f"  {kind}s that are kept but not compared:"
        yield from _list_types({type: meaning for type, meaning in shown.items() if type not in read})
    yield "  In a type, upper and lower case, and space, - and _, are the same. A relation type may have a detail after"
    yield "  a colon. A type that no specialist reads gives a note and has no effect.\n"


def _list_types(types: Mapping[str, str]) -> Iterator[str]:
    return (f"    {type:<18} {meaning}" for type, meaning in sorted(types.items()))
