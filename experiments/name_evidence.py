"""What a name is worth before anything else is known: learned on AIDA's training articles, tried on `testa`.

    CROSSDOC_DATA=… python experiments/name_evidence.py

Gold mentions and gold chains within each article, so that only the links across articles are judged. Tried are among
how many people a full name is looked for, and the log odds of the same name of an organisation or a place. Namesakes
are rare in newswire and the reason to use crossdoc, so of all that are within `TOLERANCE` of the best the most careful
is taken.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from common import data, table
from corpora import aida

from crossdoc.cluster.methods import DEFAULT
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.name_prior import NamePrior
from crossdoc.model import ENTITY_TYPES, Documents
from crossdoc.run.resolve import Resolver
from crossdoc.scoring import Assignment, align, b_cubed
from crossdoc.settings import Settings

PEOPLE = (1e5, 1e4, 1e3)
ODDS = (0.0, 1.0, 2.0, 3.0)
"""Both with the most careful first."""
TOLERANCE = 0.002
Row = tuple[str, float, float, float, float, float]


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


def sizes(entity_type: str, worth: float) -> NamePrior:
    shipped = LearnedModel.default().names
    assert shipped is not None
    change = {"people": worth} if entity_type == "person" else {"others": {entity_type: worth}}
    return shipped.model_copy(update=change)


def silent() -> NamePrior:
    """A prior by which no name says anything."""
    return sizes("place", 0.0).model_copy(update={"bound": 1e-6})


def b3(documents: Documents, gold: dict[str, str], entity_type: str, names: NamePrior | None) -> float:
    """B³ over profiles of one type; without a prior, string match."""
    shipped = LearnedModel.default()
    model = shipped if names is None else shipped.model_copy(update={"names": names})
    settings = Settings(types=[entity_type], method=DEFAULT if names is not None else "string-match")
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
    """Type, worth learned, B³ on the training articles and on testa; there also without names and by string match."""
    train, train_gold = profiles_and_gold(data("aida"), "train")
    held_out, held_out_gold = profiles_and_gold(data("aida"), "testa")
    for entity_type in ENTITY_TYPES:
        worths = PEOPLE if entity_type == "person" else ODDS
        tried = {worth: b3(train, train_gold, entity_type, sizes(entity_type, worth)) for worth in worths}
        best = next(worth for worth in worths if tried[worth] >= max(tried.values()) - TOLERANCE)
        priors = (sizes(entity_type, best), silent(), None)
        ours, contexts_alone, strings = (b3(held_out, held_out_gold, entity_type, names) for names in priors)
        yield entity_type, best, tried[best], ours, contexts_alone, strings


def main() -> None:
    header = ["type", "worth", "train", "testa", "testa, contexts alone", "testa, string match"]
    print("B³ F1 over profiles\n" + table(header, list(rows())))


if __name__ == "__main__":
    main()
