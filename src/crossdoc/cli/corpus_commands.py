"""The commands that make labelled data: `corpus`, `conflate` and `wikilinks`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from crossdoc import errors
from crossdoc.cli.common import (
    CONTEXT_WORDS,
    CORPUS_NAMES,
    DEVELOPMENT_SHARE,
    LEAST_LINKS,
    LEAST_WORDS,
    LINK_SEED,
    MOST_DISTANCE,
    Force,
    ShownProgress,
    check_outputs,
    err,
    print_notes,
)
from crossdoc.cli.export_command import format_of, write_rows, write_table
from crossdoc.files import whole_file

if TYPE_CHECKING:
    import pyarrow as pa

    from crossdoc.corpora.wikilinks import LinkCorpus, Split


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


def wikilinks(
    inputs: Annotated[
        list[Path],
        typer.Argument(
            metavar="INPUT…",
            help="Folders or files: HTML pages, WARC archives, MediaWiki dumps (also .gz, .bz2, .xz, .zst).",
        ),
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Output file with mentions for `resolve`: .parquet, .jsonl or .csv.")
    ],
    gold: Annotated[
        Path | None, typer.Option(help="Also write their entities (id, entity), for `crossdoc score`.")
    ] = None,
    development: Annotated[
        Path | None,
        typer.Option(help="Write the mentions of development entities here; OUTPUT then has the others."),
    ] = None,
    language: Annotated[str, typer.Option(help="On web pages, count links to the Wikipedia in this language.")] = "en",
    least_words: Annotated[
        int, typer.Option(min=0, help="Minimum number of words in the block around a link.")
    ] = LEAST_WORDS,
    most_distance: Annotated[
        float,
        typer.Option(
            min=0,
            max=1,
            help="Maximum edit distance between anchor and title, relative to the longer one; 1 keeps all.",
        ),
    ] = MOST_DISTANCE,
    concepts: Annotated[bool, typer.Option("--concepts", help="Keep pages about concepts, lists and dates.")] = False,
    least_links: Annotated[int, typer.Option(min=0, help="Minimum number of links to an entity.")] = LEAST_LINKS,
    development_share: Annotated[
        float, typer.Option(min=0, max=1, help="Share of entities set apart for development.")
    ] = DEVELOPMENT_SHARE,
    partial: Annotated[bool, typer.Option("--partial", help="Use what can be read of a truncated file.")] = False,
    seed: Annotated[
        int, typer.Option(min=0, max=2**32 - 1, help="Random seed for choosing the development entities.")
    ] = LINK_SEED,
    force: Force = False,
) -> None:
    """Build a labelled corpus from links: the anchor is the mention, its block the context, the title the entity.

    Example:  crossdoc wikilinks enwiki-pages-articles.xml.bz2 -o links.parquet --gold gold.csv
    """
    import pyarrow as pa

    from crossdoc.corpora.wikilinks import MENTIONS, LinkCorpus, LinkFilters

    formats = {path: format_of(path) for path in (output, gold, development) if path is not None}
    check_outputs([output, gold, development], inputs, force=force)
    filters = LinkFilters(least_words, most_distance, concepts, least_links, development_share, seed)
    # The output's folder has room for large files; it may not exist yet.
    folder = output.resolve().parent if output.resolve().parent.is_dir() else None
    with (
        ShownProgress() as progress,
        LinkCorpus(filters, language=language, partial=partial, folder=folder, progress=progress) as corpus,
    ):
        corpus.read(inputs)
        split: Split | None = None if development is None else "test"
        rows = {output: _write(corpus, output, formats[output], split, MENTIONS)}
        if development is not None:
            rows[development] = _write(corpus, development, formats[development], "development", MENTIONS)
        if gold is not None:
            columns = pa.schema([(name, pa.string()) for name in ("id", "entity")])
            rows[gold] = _write(corpus, gold, formats[gold], split, columns)
    for line in corpus.counts_in_words():
        err.print(f"[dim]{escape(line)}[/]", soft_wrap=True)
    err.print(f"{len(corpus.entities):,} entities, {len(corpus.development):,} of them for development")
    for path, count in rows.items():
        err.print(f"{count:,} rows in {escape(str(path))}", soft_wrap=True)


def _write(corpus: LinkCorpus, path: Path, format: str, split: Split | None, schema: pa.Schema) -> int:
    batches = (batch.select(schema.names) for batch in corpus.mentions(split))
    with whole_file(path) as stream:
        return write_rows(batches, schema, format, stream)
