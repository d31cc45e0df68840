"""Precision and recall over pairs for a falling bias: the curves of figure 3 of Van Gael & Zhu 2007."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import pyarrow as pa

from crossdoc import errors
from crossdoc.constraints import Constraints
from crossdoc.crosslingual.bias import positive_share
from crossdoc.crosslingual.detector import LinkDetector
from crossdoc.files import whole_file
from crossdoc.progress import Progress, Quiet
from crossdoc.scoring import Assignment, Tally, align, pairwise

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


def point(detector: LinkDetector, gold: Assignment, bias: float, seconds: float = 0.0) -> Point:
    """Score a detector that has clustered at this bias."""
    tally = score_links(detector, gold)
    share = positive_share(detector.relations_, detector.pairs_, bias)
    clusters = int(detector.labels_.max()) + 1
    return Point(bias, share, tally.precision, tally.recall, tally.f1, clusters, detector.n_links_, seconds)


def curve(
    detector: LinkDetector,
    gold: Assignment,
    biases: Iterable[float],
    constraints: Constraints | None = None,
    progress: Progress | None = None,
) -> list[Point]:
    """Cluster the compared groups of a detector at each bias, and score them."""
    wanted = list(biases)
    progress = progress or Quiet()
    progress.start("sweeping the bias", len(wanted))
    points = []
    for bias in wanted:
        started = time.perf_counter()
        detector.cluster(bias, constraints=constraints)
        points.append(point(detector, gold, bias, time.perf_counter() - started))
        progress.advance()
    return points


def table(points: Sequence[Point]) -> pa.Table:
    """Return one row per point."""
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
