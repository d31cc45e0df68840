"""Links between article groups, with judgements and gold, from files or from memory, and curves over the bias.

`link_groups("groups.jsonl").summary()` is `crossdoc link` in Python. Curves are as in figure 3 of Van Gael & Zhu 2007:
precision and recall over pairs for a falling bias.
"""

from __future__ import annotations

import copy
import os
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from crossdoc import errors
from crossdoc.crosslingual.detector import LinkDetector
from crossdoc.crosslingual.groups import ArticleGroup, read_groups
from crossdoc.crosslingual.similarity import positive_share, sweep_biases
from crossdoc.files import whole_file
from crossdoc.model import Judgement
from crossdoc.model.evidence_protocol import Constraints
from crossdoc.progress import Progress, Quiet
from crossdoc.read import read_answer, read_judgements
from crossdoc.scoring import Assignment, Tally, align, pairwise

AnyPath = str | os.PathLike[str]
STEP, UNTIL = 0.001, 0.1
"""Shares of the pairs. Step and end of the paper's sweep on its larger set."""
TITLE_CHARACTERS = 100
"""Characters of the text that replace the title of a group without titles."""
PAIR_COLUMNS = pa.schema(
    [("a", pa.string()), ("b", pa.string()), ("language_a", pa.string()), ("language_b", pa.string()),
     ("similarity", pa.float64())]
)  # fmt: skip
PLOT_ENDINGS = ("svg", "png", "pdf")


@dataclass(frozen=True, slots=True)
class Point:
    """Scores at one bias. Precision and recall count all pairs of groups, also those of one language."""

    bias: float
    positive_share: float
    """Share of the pairs of different languages that are positive."""
    precision: float
    recall: float
    f1: float
    clusters: int
    links: int
    seconds: float


def score_links(detector: LinkDetector, gold: Assignment) -> Tally:
    """Return pairwise precision and recall of a detector's clusters; groups without gold are left out."""
    answer = Assignment.from_rows([group.id for group in detector.groups_], [str(label) for label in detector.labels_])
    return pairwise(align(answer, gold))


def table(points: Sequence[Point]) -> pa.Table:
    kinds = {"int": pa.int64(), "float": pa.float64()}
    schema = pa.schema([(field.name, kinds[str(field.type)]) for field in fields(Point)])
    return pa.Table.from_pylist([asdict(point) for point in points], schema=schema)


def plot(curves: dict[str, Sequence[Point]], path: Path, marked: tuple[str, Point] | None = None) -> None:
    """Plot precision over recall, one line per method, as SVG, PNG or PDF; `marked` is a point with its name."""
    try:
        from matplotlib import rc_context
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise errors.needs_extra("--plot", "matplotlib", "plot") from error
    figure = Figure(figsize=(5.0, 4.0), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot(xlabel="recall", ylabel="precision", xlim=(0, 1.01), ylim=(0, 1.02))
    for name, points in curves.items():
        axes.plot([p.recall for p in points], [p.precision for p in points], label=name, linewidth=1.2)
    if marked is not None:
        name, point = marked
        axes.plot([point.recall], [point.precision], "o", color="black", label=name)
    axes.legend(loc="lower left", frameon=False)
    axes.grid(alpha=0.3)
    ending = path.suffix.removeprefix(".").lower()
    # With a fixed salt and no date the same curve gives the same file.
    with rc_context({"svg.hashsalt": "crossdoc"}), whole_file(path) as stream:
        figure.savefig(stream, format=ending, metadata={"Date": None} if ending == "svg" else {})


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

    def point(self, detector: LinkDetector | None = None, bias: float | None = None, seconds: float = 0.0) -> Point:
        """Return precision and recall at the detector's bias, as a point of the curve."""
        if self.gold is None:
            raise errors.needs_option("--sweep", "--gold GOLD.csv")
        found, bias = detector or self.detector, self.detector.bias_.bias if bias is None else bias
        tally = score_links(found, self.gold)
        share = positive_share(found.relations_, found.pairs_, bias)
        clusters = int(found.labels_.max()) + 1
        return Point(bias, share, tally.precision, tally.recall, tally.f1, clusters, found.n_links_, seconds)

    def curve(self, step: float = STEP, until: float = UNTIL, progress: Progress | None = None) -> list[Point]:
        """Return precision and recall for a falling bias: `step` more of the pairs are positive each time.

        It ends at the share `until`. The links of this result do not change.
        """
        detector, progress = copy.copy(self.detector), progress or Quiet()
        biases = sweep_biases(detector.relations_, detector.pairs_, step, until)
        progress.start("sweeping the bias", len(biases))
        points = []
        for bias in biases:
            started = time.perf_counter()
            detector.cluster(bias, constraints=self.constraints)
            points.append(self.point(detector, bias, time.perf_counter() - started))
            progress.advance()
        return points

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
            "positive_share": positive_share(found.relations_, found.pairs_, found.bias_.bias),
            "method": found.method,
            "solver": found.solver_,
            **found.bounds_,
            "clusters": int(found.labels_.max()) + 1,
            "links": found.n_links_,
            "notes": self.notes,
        }
        if self.gold is not None:
            scored = self.point()
            summary |= {"precision": scored.precision, "recall": scored.recall, "f1": scored.f1}
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
        `.answer()`, `.pairs()`, `.curve()` and `.summary()`.

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
