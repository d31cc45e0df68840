"""A published corpus → documents (or profiles) as JSONL, and its gold, which the commands of crossdoc read.

python experiments/read_corpus.py john-smith data/john_smith -o documents.jsonl --gold gold.csv
python experiments/read_corpus.py hipe data/hipe2022 --language fr -o documents.jsonl --gold gold.csv
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from inspect import signature
from pathlib import Path
from types import ModuleType

from corpora import CORPORA, corpus_errors

from crossdoc import errors
from crossdoc.cli.ui import format_of, write_table
from crossdoc.files import whole_file

OPTIONS = ("name", "language", "part")


def convert(corpus: str, folder: Path, output: Path, gold: Path | None = None, **options: str) -> list[str]:
    """Write the documents (or profiles) and the gold, with the same options; the lines say what was written."""
    reader = CORPORA[corpus]
    what = "profiles" if hasattr(reader, "profiles") else "documents"
    if format_of(output) != "jsonl":
        raise errors.unknown_choice("output format", output.name, ["NAME.jsonl"])
    format_of(gold)
    for option in options:
        takes = [name for name, each in CORPORA.items() if option in _parameters(each)]
        if corpus not in takes:
            raise errors.not_usable_with(f"--{option}", f"the corpus {corpus!r}", takes)
    with corpus_errors(corpus, folder):
        return list(_convert(reader, what, folder, output, gold, options))


def _parameters(reader: ModuleType) -> list[str]:
    return list(signature(reader.profiles if hasattr(reader, "profiles") else reader.documents).parameters)


def _convert(
    reader: ModuleType, what: str, folder: Path, output: Path, gold: Path | None, options: dict[str, str]
) -> Iterator[str]:
    count, bare = 0, list[str]()
    with whole_file(output) as stream:
        for row in getattr(reader, what)(folder, **options):
            record = {key: value for key, value in asdict(row).items() if value is not None}
            stream.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
            count += 1
            if getattr(row, "mentions", None) == ():
                bare.append(row.id)
    yield f"{count:,} {what} in {output}"
    if bare:
        yield f"{len(bare):,} of the documents have no annotation (or none of a name), such as {bare[0]}"
    if others := reader.left_out(folder, **options) if hasattr(reader, "left_out") else None:
        listed = ", ".join(f"{kind} {number:,}" for kind, number in others.most_common())
        yield f"{others.total():,} mentions of other kinds left out: {listed}"
    if gold is not None:
        yield f"{write_table(reader.gold(folder, **options), gold):,} rows of gold in {gold}"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", choices=list(CORPORA))
    parser.add_argument("folder", type=Path, help="the folder or file of the corpus")
    parser.add_argument("-o", "--output", type=Path, required=True, help="documents (or profiles) as JSONL")
    parser.add_argument("--gold", type=Path, help="gold as CSV, JSONL or Parquet")
    parser.add_argument("--name", help="for a corpus of profiles: only those of this name, one per document")
    parser.add_argument("--language", help="only articles in this language (hipe, meantime)")
    parser.add_argument("--part", help="only one part, such as dev of ecbplus, newseye of hipe, testa of aida")
    given = parser.parse_args(arguments)
    options = {option: getattr(given, option) for option in OPTIONS if getattr(given, option) is not None}
    try:
        print("\n".join(convert(given.corpus, given.folder, given.output, given.gold, **options)))
    except errors.CrossdocError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
