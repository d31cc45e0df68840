"""Precision and recall over pairs as the bias falls: the curves of figure 3 of Van Gael & Zhu 2007."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import pyarrow as pa

from crossdoc import errors
from crossdoc.constraints import Constraints
from crossdoc.crosslingual.bias import positive_share
from crossdoc.crosslingual.link import LinkDetector
from crossdoc.files import whole_file
from crossdoc.progress import Progress, Quiet
from crossdoc.scoring import Assignment, Tally, align, pairwise

PLOT_ENDINGS = ("svg", "png", "pdf")


@dataclass(frozen=True, slots=True)
class Point:
    """What one bias gives. Precision and recall count all pairs of groups, those of one language too."""

    bias: float
    positive_share: float
    """Of the pairs of different languages."""
    precision: float
    recall: float
    f1: float
    clusters: int
    links: int
    seconds: float


def score_links(detector: LinkDetector, gold: Assignment) -> Tally:
    """Pairwise precision and recall of a detector's clusters; groups that the gold does not know are left out."""
    answer = Assignment.from_rows([group.id for group in detector.groups_], [str(label) for label in detector.labels_])
    return pairwise(align(answer, gold))


def point(detector: LinkDetector, gold: Assignment, bias: float, seconds: float = 0.0) -> Point:
    """What a detector that has clustered at this bias reaches."""
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
    """Cluster at each bias what `detector.compare` has compared, and score it."""
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
    whole = ("clusters", "links")
    schema = pa.schema([(field.name, pa.int64() if field.name in whole else pa.float64()) for field in fields(Point)])
    return pa.Table.from_pylist([asdict(point) for point in points], schema=schema)


def plot(curves: dict[str, Sequence[Point]], path: Path, marked: tuple[str, Point] | None = None) -> None:
    """Precision over recall, one line a method, as SVG, PNG or PDF; `marked` is a point with its name."""
    try:
        from matplotlib import rc_context
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise errors.no_matplotlib() from error
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
    # A salt of its own would give the same picture other ids each time.
    with rc_context({"svg.hashsalt": "crossdoc"}), whole_file(path) as stream:
        figure.savefig(stream, format=path.suffix.removeprefix(".").lower(), metadata=_undated(path))


def _undated(path: Path) -> dict[str, None]:
    """The same curve gives the same file."""
    return {"Date": None} if path.suffix.lower() == ".svg" else {}
