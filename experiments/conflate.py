r"""Several names as one ambiguous name, to test whether clustering separates them again (Pedersen & Kulkarni 2006).

    python experiments/conflate.py articles/ --names "Sonia Gandhi|Mrs. Gandhi" "Leonid Kuchma" -o contexts.jsonl \
        --gold gold.csv

The contexts are for `crossdoc contexts`, the gold (id, entity) for `crossdoc score`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

import pyarrow as pa
from corpora.senseclusters import CONFLATED_WORDS, Conflation

from crossdoc import errors
from crossdoc.cli.ui import write_table
from crossdoc.files import whole_file
from crossdoc.read import DocumentReader, find_sources


def conflate(documents: Path, conflation: Conflation, output: Path, gold: Path | None = None) -> list[str]:
    """Write the contexts, and which name each was; the lines say what was written."""
    found = [context for batch in DocumentReader(find_sources([documents])) for context in conflation.contexts(batch)]
    counts = Counter(context.sense for context in found)
    if missing := [name for name in conflation.names if not counts[name]]:
        raise errors.InputError(f"The documents do not mention {', '.join(map(repr, missing))}.", "Check the spelling.")
    with whole_file(output) as stream:
        for context in found:
            record = {"id": context.id, "text": context.text, "start": context.start, "end": context.end}
            stream.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
    lines = [f"{len(found):,} contexts in {output}: " + ", ".join(f"{n} {counts[n]:,}" for n in conflation.names)]
    if gold is not None:
        table = pa.table({"id": [context.id for context in found], "entity": [context.sense for context in found]})
        lines.append(f"{write_table(table, gold):,} rows of gold in {gold}")
    return lines


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("documents", type=Path, help="a folder or a file of documents")
    parser.add_argument("-o", "--output", type=Path, required=True, help="contexts as JSONL")
    parser.add_argument("--names", nargs="+", required=True, help='names with their variants, as in "A|A. Smith"')
    parser.add_argument("--gold", type=Path, help="also write which name each was")
    parser.add_argument("--as", dest="pseudonym", help="text that replaces the names")
    parser.add_argument("--words", type=int, default=CONFLATED_WORDS, help="words on each side; 0 keeps all")
    parser.add_argument("--once", action="store_true", help="only the first mention in each document")
    given = parser.parse_args(arguments)
    try:
        conflation = Conflation(given.names, pseudonym=given.pseudonym, words=given.words or None, once=given.once)
        print("\n".join(conflate(given.documents, conflation, given.output, given.gold)))
    except errors.CrossdocError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
