"""Entity resolution for knowledge graphs, in the format of ER-KG-Bench: pairwise F1, over all records and per class.

    python experiments/er_kg.py [FILE.csv] [--half build | held-out] [--failures N]

A record is a mention that a language model extracted: record_id, mention, entity_type, context, entity_id and
failure_class. The first four go into `crossdoc.resolve_mentions` with default settings, the last two are gold. String
match joins equal names of one type, as graph builders do. Without a file it measures `er_kg.csv`: twenty cases of each
class, written for this experiment, in two halves of whole cases. `--failures` prints pairs that are wrong, and why.

The figures of a class count the pairs of its own records; `all` counts every pair.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from pathlib import Path

from common import table

import crossdoc
from crossdoc.names import fold

CASES = Path(__file__).with_suffix(".csv")
GIVEN = ("record_id", "mention", "entity_type", "context")
GOLD = ("entity_id", "failure_class")
HALVES = ("build", "held-out")
CaseRecord = Mapping[str, str]
Answer = Mapping[str, str]
"""Record → entity."""


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        records = list(csv.DictReader(stream))
    if missing := [name for name in (*GIVEN, *GOLD) if not records or name not in records[0]]:
        sys.exit(f"{path} has no column {missing[0]}; ER-KG-Bench's records have {', '.join((*GIVEN, *GOLD))}")
    return records


def half(entity: str) -> str:
    """
    >>> half("same_name_collision-07-b"), half("acronym-12-a")
    ('build', 'held-out')
    """
    return HALVES[int(entity.rsplit("-", 2)[1]) % 2 == 0]


def pairs_of_one(records: Sequence[CaseRecord], entity_of: Callable[[CaseRecord], str]) -> set[tuple[str, str]]:
    members: dict[str, list[str]] = {}
    for record in records:
        members.setdefault(entity_of(record), []).append(record["record_id"])
    return {pair for ids in members.values() for pair in combinations(sorted(ids), 2)}


def pairwise(records: Sequence[CaseRecord], answer: Answer) -> tuple[float, float, float]:
    """Precision, recall and F1 of pairs. A class without a pair to find has only what was wrongly joined.

    >>> records = [{"record_id": id, "entity_id": entity} for id, entity in ("1a", "2a", "3a", "4b")]
    >>> pairwise(records, {"1": "x", "2": "x", "3": "y", "4": "y"})
    (0.5, 0.3333333333333333, 0.4)
    """
    found = pairs_of_one(records, lambda record: answer[record["record_id"]])
    gold = pairs_of_one(records, lambda record: record["entity_id"])
    right = len(found & gold)
    precision = right / len(found) if found else 1.0
    recall = right / len(gold) if gold else 1.0
    return precision, recall, 2 * precision * recall / ((precision + recall) or 1)


def string_match(records: Sequence[CaseRecord]) -> Answer:
    return {each["record_id"]: f"{fold(each['mention'])} {each['entity_type']}" for each in records}


def resolved(records: Sequence[CaseRecord]) -> tuple[crossdoc.MentionAnswer, Answer]:
    """The default answer. A record of a type that crossdoc does not resolve is an entity of its own."""
    answer = crossdoc.resolve_mentions([{name: record[name] for name in GIVEN} for record in records])
    return answer, {row["record_id"]: row["identity"] or f"alone {row['record_id']}" for row in answer.rows}


def rows(records: Sequence[CaseRecord], answer: Answer) -> list[list[object]]:
    classes = Counter(record["failure_class"] for record in records)
    plain = string_match(records)
    listed: list[list[object]] = []
    for name in [*classes, "all"]:
        own = [record for record in records if name in ("all", record["failure_class"])]
        listed.append([name, len(own), pairwise(own, plain)[2], *pairwise(own, answer)])
    return listed


def failures(records: Sequence[CaseRecord], answer: crossdoc.MentionAnswer, found: Answer, top: int) -> None:
    """Print wrong pairs of one class each, with the evidence that `crossdoc why` shows."""
    by_id = {record["record_id"]: record for record in records}
    wrong = pairs_of_one(records, lambda record: found[record["record_id"]])
    wrong ^= pairs_of_one(records, lambda record: record["entity_id"])
    for a, b in sorted(wrong, key=lambda pair: (by_id[pair[0]]["failure_class"], pair))[:top]:
        said = "joined" if found[a] == found[b] else "apart"
        print(f"\n{by_id[a]['failure_class']}: {said}, wrongly")
        for each in (by_id[a], by_id[b]):
            print(f"  {each['record_id']} {each['mention']} [{each['entity_type']}] {each['context']}")
        explained = answer.resolution.explain(a, b)
        print(f"  strength {explained.strength:.3f}")
        for opinion in explained.opinions:
            if opinion.score is not None:
                print(f"  {opinion.weight:+.2f} {opinion.specialist}: {opinion.evidence}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, nargs="?", default=CASES)
    parser.add_argument("--half", choices=HALVES, help="of er_kg.csv; by default each half by itself")
    parser.add_argument("--failures", type=int, default=0, metavar="N", help="print N wrong pairs")
    options = parser.parse_args()
    records = read(options.file)
    parts = [options.half] if options.half else list(HALVES) if options.file == CASES else [""]
    for part in parts:
        own = [record for record in records if not part or half(record["entity_id"]) == part]
        answer, found = resolved(own)
        with answer:
            columns = ["class", "records", "string match F1", "P", "R", "F1"]
            print(f"\n{part or options.file.name}: honest, default settings\n\n" + table(columns, rows(own, found)))
            failures(own, answer, found, options.failures)


if __name__ == "__main__":
    main()
