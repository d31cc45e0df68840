"""`crossdoc corpus`: a published benchmark corpus as crossdoc's own documents or profiles, and gold."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import Annotated

import typer
from rich.markup import escape

from crossdoc import errors
from crossdoc.cli.choices import CORPORA as NAMES
from crossdoc.cli.common import Force, ShownProgress, check_outputs, err, print_notes
from crossdoc.cli.export import format_of, write_table
from crossdoc.files import whole_file


def corpus(
    name: Annotated[str, typer.Argument(help=f"One of: {', '.join(NAMES)}.", autocompletion=lambda: NAMES)],
    folder: Annotated[Path, typer.Argument(help="The folder or file of the corpus.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="Documents (or profiles) as JSONL.")],
    gold: Annotated[Path | None, typer.Option(help="Gold as CSV, JSONL or Parquet.")] = None,
    person: Annotated[
        str | None, typer.Option("--name", help="For a corpus of profiles: only those of this name, one per document.")
    ] = None,
    language: Annotated[str | None, typer.Option(help="Only articles in this language (hipe, meantime).")] = None,
    part: Annotated[
        str | None, typer.Option(help="Only one part, such as dev of ecbplus, newseye of hipe, testa of aida.")
    ] = None,
    force: Force = False,
) -> None:
    """Convert a benchmark corpus into documents (or profiles) and gold that the other commands can read.

    Example:  crossdoc corpus john-smith data/john_smith -o documents.jsonl --gold gold.csv
              crossdoc corpus hipe data/hipe2022 --language fr -o documents.jsonl --gold gold.csv
    """
    from crossdoc.corpora import CORPORA, reading

    if name not in CORPORA:
        raise errors.unknown_choice("corpus", name, list(CORPORA))
    reader = CORPORA[name]
    if format_of(output) != "jsonl":
        raise errors.unknown_choice("output format", output.name, ["NAME.jsonl"])
    format_of(gold)
    check_outputs([output, gold], [folder], force=force)
    if gold is not None and not hasattr(reader, "gold"):
        raise errors.no_gold(name)
    what = "profiles" if hasattr(reader, "profiles") else "documents"
    # Gold is of what is written, so it has to know the same.
    asked = _asked(name, {"name": person, "language": language, "part": part})
    count, bare = 0, list[str]()
    with ShownProgress() as progress, reading(name, folder), whole_file(output) as stream:
        progress.start(f"reading {what}")
        for row in getattr(reader, what)(folder, **asked):
            record = {key: value for key, value in asdict(row).items() if value is not None}
            stream.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
            progress.advance()
            count += 1
            if getattr(row, "mentions", None) == ():
                bare.append(row.id)
    err.print(f"{count:,} {what} in {escape(str(output))}", soft_wrap=True)
    if bare:
        shown = ", ".join(bare[:3]) + (" …" if bare[3:] else "")
        print_notes([f"{len(bare):,} of the documents have no annotation (or none of a name), the first: {shown}"])
    if others := reader.left_out(folder, **asked) if hasattr(reader, "left_out") else None:
        listed = ", ".join(f"{kind} {number:,}" for kind, number in others.most_common())
        err.print(f"{others.total():,} mentions of other kinds left out: {escape(listed)}", soft_wrap=True)
    if gold is not None:
        with reading(name, folder):
            rows = write_table(reader.gold(folder, **asked), gold)
        err.print(f"{rows:,} rows of gold in {escape(str(gold))}", soft_wrap=True)


def _asked(corpus: str, given: dict[str, str | None]) -> dict[str, str]:
    """The options that were given, if the reader takes them."""
    from crossdoc.corpora import CORPORA

    asked = {option: value for option, value in given.items() if value is not None}
    # Only one name's documents are found by `crossdoc resolve --name`.
    if "name" in asked and not (hasattr(CORPORA[corpus], "profiles") and "name" in _options(CORPORA[corpus])):
        raise errors.name_needs_profiles(corpus)
    for option in asked:
        takes = [each for each, reader in CORPORA.items() if option in _options(reader)]
        if corpus not in takes:
            raise errors.not_of_corpus(f"--{option}", corpus, takes)
    return asked


def _options(reader: ModuleType) -> Iterable[str]:
    return signature(reader.profiles if hasattr(reader, "profiles") else reader.documents).parameters
