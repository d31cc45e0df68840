"""Draws the figures of docs/how-it-decides.md from the sample corpus: `python tools/make_figures.py`.

What a pair's evidence adds up to, how alike contexts are for no reason, and the strengths of all who are called
Smith beside the answer.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("svg")
import numpy as np
from matplotlib import pyplot

import crossdoc

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "figures"
SAMPLE = ROOT / "src" / "crossdoc" / "sample" / "documents.jsonl"
PAIRS = (
    ("motors-1:65:78", "motors-2:203:213", "Two articles about the chairman"),
    ("motors-1:65:78", "pastor-1:194:204", "The chairman and the pastor"),
)
FOR, AGAINST, SUM = "#00796b", "#c62828", "#455a64"
# A figure is the same file wherever it is drawn.
matplotlib.rcParams.update({"svg.hashsalt": "crossdoc", "font.size": 9, "svg.fonttype": "none"})


def draw(folder: Path = FOLDER) -> list[Path]:
    """All figures, as files in a folder."""
    documents = crossdoc.read_documents(SAMPLE)
    found = crossdoc.extract_profiles(documents)
    evidence: Any = crossdoc.compare_profiles(found.profiles, documents)["person"]
    partition = crossdoc.cluster_evidence(evidence).partition
    drawn = {"decides-sum": _sums(evidence), "decides-usual": _usual(evidence)}
    drawn["decides-strengths"] = _strengths(evidence, partition)
    for name, figure in drawn.items():
        figure.tight_layout()
        figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
        pyplot.close(figure)
    return [folder / f"{name}.svg" for name in drawn]


def _sums(evidence: Any) -> Any:
    """What each kind of evidence adds, and the sum, for a pair that is one person and for one that is two."""
    row = {id: number for number, id in enumerate(evidence.ids)}
    figure, axes = pyplot.subplots(1, len(PAIRS), figsize=(8, 2.8), sharex=True)
    for axis, (a, b, title) in zip(axes, PAIRS, strict=True):
        explained = evidence.explain(row[a], row[b])
        weights = [(each.specialist, each.weight) for each in explained.opinions if each.score is not None]
        bars = [*weights, ("sum", sum(weight for _, weight in weights))]
        colours = [FOR if weight > 0 else AGAINST for _, weight in weights] + [SUM]
        axis.barh([name for name, _ in bars], [weight for _, weight in bars], color=colours)
        axis.invert_yaxis()
        axis.axvline(0, color="black", linewidth=0.8)
        axis.set_title(f"{title}: strength {explained.strength:.2f}", fontsize=9)
        axis.set_xlabel("log odds")
    return figure


def _usual(evidence: Any) -> Any:
    """The likeness of contexts of different names, which are different people, and of one name."""
    rows = evidence.vectors.matrix
    cosine = np.asarray((rows @ rows.T).todense())
    names = evidence.profiles.column("name").to_pylist()
    last = np.array([name.split()[-1] for name in names])
    above = np.triu(np.ones(cosine.shape, dtype=bool), 1)
    documents = np.array(evidence.profiles.column("document").to_pylist())
    above &= documents[:, None] != documents[None, :]
    same = last[:, None] == last[None, :]
    figure, axis = pyplot.subplots(figsize=(6, 2.8))
    edges = np.linspace(0, 0.8, 33).tolist()
    for chosen, label, colour in ((~same, "different surnames", SUM), (same, "the same surname", FOR)):
        of_pairs = np.sqrt(cosine[above & chosen])
        weights = np.full(len(of_pairs), 1 / len(of_pairs))
        axis.hist(of_pairs, edges, weights=weights, alpha=0.6, label=f"{label} ({len(of_pairs):,} pairs)", color=colour)
    axis.set_xlabel("√cosine of the contexts")
    axis.set_ylabel("share of the pairs")
    axis.legend(fontsize="small")
    return figure


def _strengths(evidence: Any, partition: Any) -> Any:
    """The strengths between all Smiths, in the order of the identities they were put into."""
    rows = np.array([row for row, name in enumerate(evidence.profiles.column("name").to_pylist()) if "Smith" in name])
    labels = np.asarray(partition.labels)[rows]
    order = np.argsort(labels, kind="stable")
    strengths = evidence.part(rows[order]).relations().dense()
    figure, axis = pyplot.subplots(figsize=(4.6, 4))
    shown = axis.imshow(strengths, cmap="Greens", vmin=0, vmax=1)
    for start, size in _runs(labels[order]):
        axis.add_patch(pyplot.Rectangle((start - 0.5, start - 0.5), size, size, fill=False, edgecolor=AGAINST))  # type: ignore[attr-defined]
    axis.set_xticks([])
    axis.set_yticks([])
    axis.set_xlabel(f"{len(rows)} profiles called Smith")
    figure.colorbar(shown, label="strength")
    return figure


def _runs(labels: Any) -> list[tuple[int, int]]:
    """(start, length) of each run of one label."""
    starts = np.flatnonzero(np.r_[True, labels[1:] != labels[:-1]])
    return [(int(a), int(b - a)) for a, b in zip(starts, [*starts[1:], len(labels)], strict=True)]


if __name__ == "__main__":
    for path in draw():
        print(path.relative_to(ROOT))
