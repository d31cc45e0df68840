"""How much cosine a name's agreement is worth, by entity type: learned on AIDA's training articles, tried on `testa`.

    CROSSDOC_DATA=… python experiments/name_evidence.py

Gold mentions and gold chains within each article, so that only the links across articles are judged. The threshold
stays the one learned on WePS-1; a worth above it joins names of that kind whatever their contexts say. Namesakes are
rare in newswire and the reason to use crossdoc, so of all worths within `TOLERANCE` of the best the smallest is taken.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from common import data, table

from crossdoc.compare.learned import LearnedModel
from crossdoc.model import ENTITY_TYPES, Documents
from crossdoc.pipeline import Resolver
from crossdoc.read.corpora import aida
from crossdoc.score import Assignment, align, b_cubed
from crossdoc.settings import Settings

WORTHS = (0.0, 0.005, 0.01, 0.015, 0.02, 0.1)
TOLERANCE = 0.002
Row = tuple[str, dict[str, float], float, float, float, float]


def profiles_and_gold(folder: Path, part: str) -> tuple[Documents, dict[str, str]]:
    """Articles whose unlinked mentions are left out, and the page of each profile."""
    documents = []
    gold = {}
    for document in aida.documents(folder, part):
        linked = tuple(mention for mention in document.mentions or () if mention.chain is not None)
        documents.append(type(document)(document.id, document.text, language="en", mentions=linked))
        for mention in linked:
            gold[mention.id] = str(mention.chain)
    return Documents.of(documents), gold


def b3(documents: Documents, gold: dict[str, str], entity_type: str, evidence: dict[str, float] | None) -> float:
    """B³ over profiles of one type; without evidence, string match."""
    shipped = LearnedModel.default()
    model = shipped.model_copy(update={"name_evidence": {entity_type: evidence or {}}})
    settings = Settings(types=[entity_type], method="average-linkage" if evidence is not None else "string-match")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "articles.jsonl")
        write(documents, path, entity_type)
        answer = Resolver(settings, model=model).run([path]).partition.harden().table()
    ids = set(answer.column("id").to_pylist())
    wanted = {id: entity for id, entity in gold.items() if id in ids}
    return b_cubed(align(Assignment.from_table(answer), Assignment.of(wanted))).f1


def write(documents: Documents, path: Path, entity_type: str) -> None:
    with path.open("w", encoding="utf-8") as stream:
        for document in documents:
            mentions = [
                {"id": m.id, "start": m.start, "end": m.end, "type": m.type, "chain": m.chain}
                for m in document.mentions or ()
                if m.type == entity_type
            ]
            record = {"id": document.id, "text": document.text, "language": "en", "mentions": mentions}
            stream.write(json.dumps(record) + "\n")


def rows() -> Iterator[Row]:
    """Type, worths learned, B³ on the training articles and on testa; on testa also contexts alone and string match."""
    train, train_gold = profiles_and_gold(data("aida"), "train")
    held_out, held_out_gold = profiles_and_gold(data("aida"), "testa")
    for entity_type in ENTITY_TYPES:
        tried = {
            (part, variant, same): b3(train, train_gold, entity_type, {"part": part, "variant": variant, "same": same})
            for part, variant, same in product(WORTHS, WORTHS, WORTHS)
            if part <= variant <= same
        }
        good = [worth for worth, score in tried.items() if score >= max(tried.values()) - TOLERANCE]
        best = min(good, key=lambda worth: (sum(worth), -tried[worth]))
        evidence = dict(zip(("part", "variant", "same"), best, strict=True))
        ours, contexts_alone, strings = (b3(held_out, held_out_gold, entity_type, e) for e in (evidence, {}, None))
        yield entity_type, evidence, tried[best], ours, contexts_alone, strings


def main() -> None:
    header = ["type", "worth", "train", "testa", "testa, contexts alone", "testa, string match"]
    print("B³ F1 over profiles\n" + table(header, list(rows())))


if __name__ == "__main__":
    main()
