"""`crossdoc wikilinks`: a corpus for cross-document coreference out of links to Wikipedia."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from crossdoc.cli.choices import DEVELOPMENT_SHARE, LEAST_LINKS, LEAST_WORDS, LINK_SEED, MOST_DISTANCE
from crossdoc.cli.common import Force, ShownProgress, check_outputs, err
from crossdoc.cli.export import format_of, write_rows
from crossdoc.files import whole_file

if TYPE_CHECKING:
    import pyarrow as pa

    from crossdoc.corpora.wikilinks import LinkCorpus, Split


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
    # Beside the output, where there is room for large files, unless that folder is yet to be made.
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
