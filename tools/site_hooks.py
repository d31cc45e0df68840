"""What MkDocs fills in when it builds the site (mkdocs.yml): reference pages come from the code, never from hand.

A page holds a comment such as ``<!-- commands -->`` where the commands go; MARKS has them all. The files of
docs/examples are packed into examples.zip, for readers who want to run the pages.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import typer

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

TABLES = {
    "meta": "version of the layout, salt, what the collection was when all of it was last compared",
    "documents": "the texts, as they were read",
    "mentions": "where somebody is named; `chain` is the profile",
    "profiles": "what one document says of one entity",
    "memberships": "which profile belongs to which identity; `rank` 1 is the strongest",
    "clustered": "which entity types are done, and how long each took",
    "identities": "what a person reads: one row per identity",
    "runs": "when, with which version, method, seed, settings and input, and the notes of each run",
    "judgements": "the log of what people said; rows are only ever added",
    "history": "which identities appeared, split, merged and vanished",
    "former_memberships": "the memberships that each entry of the log replaced, so that undo can put them back",
    "former_identities": "the identities that each entry of the log replaced",
    "id_changes": "the ids of identities before and after each entry of the log that changed them",
    "word_counts": "in how many texts each word occurs, which `crossdoc add` continues from",
    "bearers": "how often each last name occurs with each first name",
    "spellings": "how many profiles have each name, and the keys by which it is found",
    "related_counts": "how many profiles name each related person or organisation",
    "capitals": "how words are written in running text, by which headlines are read",
    "document_topics": "the topic of each document",
    "readings": "as what a name is read in a topic",
    "linked_names": "which names of organisations and places are connected",
    "known": "the entries of a known list",
    "known_odds": "log odds of a profile being an entry of the known list",
}
"""What the tables of a .crossdoc file are for."""


WORDS = {str: "text", int: "integer", float: "number", bool: "flag"}


def click_command(name: str) -> Any:
    """A subcommand with its parameters, as Click knows it."""
    from crossdoc.cli import function_of

    alone = typer.Typer(add_completion=False)
    alone.command(name)(function_of(name))
    return typer.main.get_command(alone)


def commands() -> str:
    """Every command: what it does, its arguments and options with types and defaults."""
    from crossdoc.cli import COMMANDS, function_of

    lines, group = [], ""
    for name, listed in COMMANDS.items():
        if listed != group:
            group = listed
            lines += [f"## {group}", ""]
        lines += [f"### crossdoc {name}", "", *_described(click_command(name), get_type_hints(function_of(name))), ""]
    return "\n".join(lines)


def _described(command: Any, types: Mapping[str, Any]) -> list[str]:
    text, _, example = (command.help or "").replace("\b", "").partition("Example:")
    lines = [text.strip(), ""]
    if example.strip():
        lines += ["```sh", *(line.strip() for line in example.strip().splitlines() if line.strip()), "```", ""]
    if not command.params:
        return lines
    lines += ["| parameter | type | default | |", "|---|---|---|---|"]
    return lines + [_row(parameter, types[parameter.name]) for parameter in command.params]


def _row(parameter: Any, type_: Any) -> str:
    argument = parameter.param_type_name == "argument"
    options = ", ".join([*parameter.opts, *parameter.secondary_opts])
    names = parameter.metavar or parameter.name.upper() if argument else options
    default = "required" if parameter.required else _default(parameter.default)
    text = (getattr(parameter, "help", None) or "").replace("|", "\\|")
    return f"| `{names}` | {_named(type_)} | {default} | {text} |"


def _named(type_: Any) -> str:
    inner = [each for each in get_args(type_) if each is not type(None)]
    if get_origin(type_) in (list, tuple):
        return f"{_named(inner[0])}, repeatable"
    if inner:
        return " or ".join(map(_named, inner))
    return WORDS.get(type_, type_.__name__.lower())


def _default(value: Any) -> str:
    return "" if value is None or value is False or callable(value) or value in ((), []) else f"`{value}`"


def tables() -> str:
    """The tables of a .crossdoc file with their columns."""
    from crossdoc.store.schema import TABLES as columns

    rows = [f"| `{name}` | {TABLES[name]} | `{shape}` |" for name, shape in columns.items()]
    return "\n".join(["| table | what it holds | columns |", "|---|---|---|", *rows])


def formats() -> str:
    from crossdoc.cli.resolve_commands import formats_text

    return f"```text\n{formats_text()}```"


def settings() -> str:
    from crossdoc.settings import Settings

    return f"```toml\n{Settings().to_toml()}```"


def changelog() -> str:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    return text.partition("\n")[2].replace("](docs/", "](")


MARKS: dict[str, Callable[[], str]] = {
    "commands": commands,
    "tables": tables,
    "formats": formats,
    "settings": settings,
    "changelog": changelog,
}


def filled(markdown: str) -> str:
    """A page with its marks filled in, and without links to files of the repository that the site does not have."""
    marked = re.sub(
        r"^<!-- (\w+) -->$",
        lambda found: MARKS[found[1]]() if found[1] in MARKS else found[0],
        markdown,
        flags=re.MULTILINE,
    )
    return re.sub(r"\[([^]]+)\]\(\.\./(?:\.\./)*[A-Z]+\.md\)", r"`\1`", marked)


def on_page_markdown(markdown: str, **_: Any) -> str:
    return filled(markdown)


def on_post_build(config: Any, **_: Any) -> None:
    examples = ROOT / "docs" / "examples"
    shutil.make_archive(str(Path(config["site_dir"]) / "examples"), "zip", examples)
