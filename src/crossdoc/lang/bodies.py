"""Names of countries and international bodies in several languages, where they do not sound alike: `bodies.toml`."""

from __future__ import annotations

import tomllib
from importlib.resources import files

_TABLES = tomllib.loads((files(__package__) / "bodies.toml").read_text("utf-8"))
CALLED: dict[str, list[tuple[str, str]]] = {
    language: [(name, english) for english, names in table.items() for name in names]
    for language, table in _TABLES.items()
}
"""By language its names, and the English one of each."""
