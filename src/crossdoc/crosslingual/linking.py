"""Links between article groups, with judgements and gold, from files or from memory.

`link_groups("groups.jsonl").summary()` is `crossdoc link` in Python.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from crossdoc import errors
from crossdoc.crosslingual.detector import LinkDetector
from crossdoc.crosslingual.groups import ArticleGroup, read_groups
from crossdoc.model import Judgement
from crossdoc.model.evidence_protocol import Constraints
from crossdoc.progress import Progress
from crossdoc.read import read_answer, read_judgements
from crossdoc.scoring import Assignment, Tally, align, pairwise

AnyPath = str | os.PathLike[str]
TITLE_CHARACTERS = 100
"""Characters of the text that replace the title of a group without titles."""
PAIR_COLUMNS = pa.schema(
    [("a", pa.string()), ("b", pa.string()), ("language_a", pa.string()), ("language_b", pa.string()),
     ("similarity", pa.float64())]
)  # fmt: skip


def score_links(detector: LinkDetector, gold: Assignment) -> Tally:
    """Return pairwise precision and recall of a detector's clusters; groups without gold are left out."""
    answer = Assignment.from_rows([group.id for group in detector.groups_], [str(label) for label in detector.labels_])
    return pairwise(align(answer, gold))


@dataclass(frozen=True)
class LinkedGroups:
    """Result of `link_groups`: the fitted detector, its constraints, the gold, and notes for the user."""

    detector: LinkDetector
    constraints: Constraints
    gold: Assignment | None
    notes: list[str]

    def answer(self, soft: bool = False) -> pa.Table:
        """Return `id, entity, membership` as in every answer, then `language, translated_by, title`."""
        table = self.detector.partition_.table(soft)
        known = {group.id: group for group in self.detector.groups_}
        own = [known[id] for id in table["id"].to_pylist()]
        columns = {
            "language": [group.language for group in own],
            "translated_by": [self.detector.translated_[group.language] for group in own],
            "title": [group.titles[0] if group.titles else group.texts[0][:TITLE_CHARACTERS] for group in own],
        }
        for name, values in columns.items():
            table = table.append_column(name, pa.array(values, pa.string()))
        return table

    def pairs(self) -> pa.Table:
        """Return the links, most similar first: `a, b, language_a, language_b, similarity`."""
        return pa.Table.from_pylist([asdict(link) for link in self.detector.links_], schema=PAIR_COLUMNS)

    def summary(self) -> dict[str, Any]:
        """Return all facts for JSON, with precision and recall if there is gold."""
        found = self.detector
        summary: dict[str, Any] = {
            "groups": len(found.groups_),
            "languages": dict(zip(found.languages_, np.bincount(found.language_of_).tolist(), strict=True)),
            "translated_by": found.translated_,
            "features": list(found.kinds),
            "similarity": found.measure,
            "bias": found.bias_.bias,
            "bias_rule": found.bias_.rule,
            "positive_share": float((found.relations_.strength > found.bias_.bias).sum() / max(found.pairs_, 1)),
            "method": found.method,
            "solver": found.solver_,
            **found.bounds_,
            "clusters": int(found.labels_.max()) + 1,
            "links": found.n_links_,
            "notes": self.notes,
        }
        if self.gold is not None:
            tally = score_links(found, self.gold)
            summary |= {"precision": tally.precision, "recall": tally.recall, "f1": tally.f1}
        return summary


def link_groups(
    groups: AnyPath | Sequence[ArticleGroup],
    detector: LinkDetector | None = None,
    *,
    constraints: Sequence[Judgement] | AnyPath = (),
    gold: AnyPath | Assignment | None = None,
    progress: Progress | None = None,
) -> LinkedGroups:
    """Link article groups across languages.

    Parameters
    ----------
    groups : path or sequence of ArticleGroup
        The groups, or a file of them.
    detector : LinkDetector or None, default None
        How to compare and cluster; it is fitted.
    constraints : sequence of Judgement or path, default ()
        Judgements that the answer must respect, or a file of them.
    gold : path or Assignment or None, default None
        Which groups are about the same thing, or a file of it (id, entity): precision and recall over pairs.
    progress : Progress or None, default None
        Where progress is reported; None reports nothing.

    Returns
    -------
    LinkedGroups
        `.answer()`, `.pairs()` and `.summary()`.

    References
    ----------
    Van Gael, Zhu 2007, Correlation Clustering for Crosslingual Link Detection, IJCAI.

    Examples
    --------
    >>> titles = {"e1": "Airbus wins Qatar order", "e2": "Apple shares fall", "d1": "Airbus erhält Auftrag aus Qatar"}
    >>> groups = [ArticleGroup(id, {"e": "en", "d": "de"}[id[0]], (title,)) for id, title in titles.items()]
    >>> linked = link_groups(groups, LinkDetector(bias=0.2), gold=Assignment.of({"e1": "x", "d1": "x", "e2": "y"}))
    >>> linked.pairs().select(["a", "b"]).to_pylist(), linked.summary()["f1"]
    ([{'a': 'e1', 'b': 'd1'}], 1.0)
    """
    given, notes = read_groups(Path(groups)) if isinstance(groups, str | os.PathLike) else (list(groups), [])
    judgements, origin = constraints, ""
    if isinstance(judgements, str | os.PathLike):
        judgements, origin = read_judgements(Path(judgements)), str(judgements)
    limits = Constraints.between([group.id for group in given], judgements, origin)
    truth = Assignment.from_table(read_answer(Path(gold))) if isinstance(gold, str | os.PathLike) else gold
    if truth is not None:
        notes = [*notes, *_note_unmatched_ids(given, truth)]
    fitted = (detector or LinkDetector()).fit(given, constraints=limits, progress=progress)
    return LinkedGroups(fitted, limits, truth, [*notes, *fitted.notes_])


def _note_unmatched_ids(groups: list[ArticleGroup], truth: Assignment) -> list[str]:
    """Return notes on ids that only the groups or only the gold have."""
    given, known = {group.id for group in groups}, set(truth.ids.to_pylist())
    if not given & known:
        raise errors.nothing_in_common()
    notes = []
    if alone := len(known - given):
        notes.append(f"Ids in the gold standard without a group, which count as singletons: {alone:,}.")
    if ungraded := len(given - known):
        notes.append(
            f"Groups that are not in the gold standard and are left out of precision and recall: {ungraded:,}."
        )
    return notes
