"""The commands that make labelled data: `corpus` and `conflate`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import Annotated

import typer
from rich.markup import escape

from crossdoc import errors
from crossdoc.cli.common import (
    CONTEXT_WORDS,
    CORPUS_NAMES,
    Force,
    ShownProgress,
    check_outputs,
    err,
    print_notes,
)
from crossdoc.cli.export_command import format_of, write_table
from crossdoc.files import whole_file


def corpus(
    name: Annotated[
        str, typer.Argument(help=f"One of: {', '.join(CORPUS_NAMES)}.", autocompletion=lambda: CORPUS_NAMES)
    ],
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
    from crossdoc.corpora import CORPORA, corpus_errors

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
    # The gold must match the documents, so it gets the same options.
    asked = _reader_options(name, {"name": person, "language": language, "part": part})
    count, bare = 0, list[str]()
    with ShownProgress() as progress, corpus_errors(name, folder), whole_file(output) as stream:
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
        with corpus_errors(name, folder):
            rows = write_table(reader.gold(folder, **asked), gold)
        err.print(f"{rows:,} rows of gold in {escape(str(gold))}", soft_wrap=True)


def _reader_options(corpus: str, given: dict[str, str | None]) -> dict[str, str]:
    """Return the options that were given; refuse those that the reader does not take."""
    from crossdoc.corpora import CORPORA

    asked = {option: value for option, value in given.items() if value is not None}
    # For documents, `crossdoc resolve --name` selects the name.
    if "name" in asked and not (hasattr(CORPORA[corpus], "profiles") and "name" in _options(CORPORA[corpus])):
        raise errors.name_needs_profiles(corpus)
    for option in asked:
        takes = [each for each, reader in CORPORA.items() if option in _options(reader)]
        if corpus not in takes:
            raise errors.not_usable_with(f"--{option}", f"the corpus {corpus!r}", takes)
    return asked


def _options(reader: ModuleType) -> Iterable[str]:
    return signature(reader.profiles if hasattr(reader, "profiles") else reader.documents).parameters


def conflate(
    documents: Annotated[Path, typer.Argument(metavar="DOCS", help="A folder or a file of documents.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="Contexts as JSONL, for `crossdoc contexts`.")],
    names: Annotated[
        list[str], typer.Option(help='Names to conflate: "A" "B" …, each with its variants, as in "A|A. Smith".')
    ],
    further: Annotated[list[str] | None, typer.Argument(hidden=True)] = None,
    gold: Annotated[
        Path | None, typer.Option(help="Also write which name each was (id, entity), for `crossdoc score`.")
    ] = None,
    pseudonym: Annotated[str | None, typer.Option("--as", help="Text that replaces the names.")] = None,
    words: Annotated[
        int, typer.Option(min=0, help="Words of context on each side; 0 keeps the whole document.")
    ] = CONTEXT_WORDS,
    once: Annotated[bool, typer.Option("--once", help="Use only the first mention in each document.")] = False,
    force: Force = False,
) -> None:
    """Turn several names into one ambiguous name, to test whether clustering separates them again.

    Example:  crossdoc conflate articles/ --names "Sonia Gandhi" "Leonid Kuchma" -o contexts.jsonl --gold gold.csv
    """
    import pyarrow as pa

    from crossdoc.corpora.conflation import Conflation
    from crossdoc.read import DocumentReader, find_sources
    from crossdoc.read.context_files import Context

    if format_of(output) != "jsonl":
        raise errors.unknown_choice("output format", output.name, ["NAME.jsonl"])
    format_of(gold)
    check_outputs([output, gold], [documents], force=force)
    conflation = Conflation([*names, *(further or [])], pseudonym=pseudonym, words=words or None, once=once)
    found: list[Context] = []
    with ShownProgress() as progress:
        progress.start("reading documents")
        for batch in DocumentReader(find_sources([documents])):
            found.extend(conflation.contexts(batch))
            progress.advance(len(batch))
    counts = Counter(context.sense for context in found)
    if missing := [name for name in conflation.names if not counts[name]]:
        raise errors.names_not_found(missing)
    with whole_file(output) as stream:
        for context in found:
            record = {"id": context.id, "text": context.text, "start": context.start, "end": context.end}
            stream.write(json.dumps({**record, "sense": context.sense}, ensure_ascii=False).encode() + b"\n")
    listed = ", ".join(f"{name} {counts[name]:,}" for name in conflation.names)
    err.print(f"{len(found):,} contexts in {escape(str(output))}: {escape(listed)}", soft_wrap=True)
    if gold is not None:
        table = pa.table({"id": [context.id for context in found], "entity": [context.sense for context in found]})
        err.print(f"{write_table(table, gold):,} rows of gold in {escape(str(gold))}", soft_wrap=True)
