"""The plots of Pedersen & Kulkarni 2006 as SVG: the criterion and what PK1, PK2 and PK3 make of it (their Figure 1),
the observed and the reference criterion and the Gap between them (Figure 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
import numpy.typing as npt

from crossdoc.cluster.contexts.stopping import Decision, GapDecision

FIGURE_WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 480, 190, 62, 16, 28, 26
INK, FIRST_COLOUR, SECOND_COLOUR, SHADE = "#222", "#1f5a92", "#b3541e", "#dfe7ef"


@dataclass(frozen=True)
class Panel:
    """One plot: series of values at k, the chosen k, and a region in which a value says nothing."""

    title: str
    series: Sequence[tuple[str, npt.NDArray[np.int64], npt.NDArray[np.float64]]]
    chosen: int | None = None
    low: float = -np.inf
    high: float = np.inf


def stopping_figure(
    criterion: str, values: npt.NDArray[np.float64], first: int, decisions: dict[str, Decision], *, minimised: bool
) -> str:
    """All panels as one SVG file."""
    at = np.arange(first, first + len(values))
    panels = [Panel(f"{criterion.upper()} vs k", [("", at, values)])]
    for rule, decision in decisions.items():
        if isinstance(decision, GapDecision):
            reference = values + decision.value if minimised else values - decision.value
            both = [("observed", at, values), ("reference", at, reference)]
            panels.append(Panel(f"{criterion.upper()}, observed and reference", both))
            panels.append(Panel(f"Gap vs k: {decision.k}", [("", decision.at, decision.value)], decision.k))
        elif len(decision.value):
            panels.append(
                Panel(
                    f"{rule.upper()} vs k: {decision.k}",
                    [("", decision.at, decision.value)],
                    decision.k,
                    decision.low,
                    decision.high,
                )
            )
    body = "".join(_panel(panel, number * HEIGHT, at[0], at[-1]) for number, panel in enumerate(panels))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {FIGURE_WIDTH} {HEIGHT * len(panels)}" '
        f'width="{FIGURE_WIDTH}" font-family="sans-serif" font-size="11" fill="{INK}">\n'
        f'<rect width="100%" height="100%" fill="white"/>\n{body}</svg>\n'
    )


def _panel(panel: Panel, top: int, first: int, last: int) -> str:
    shown = np.concatenate([values for _, _, values in panel.series])
    bounds = [bound for bound in (panel.low, panel.high) if np.isfinite(bound)]
    lowest, highest = min([shown.min(), *bounds]), max([shown.max(), *bounds])
    margin = (highest - lowest) * 0.06 or max(abs(highest), 1.0) * 0.06
    lowest, highest = lowest - margin, highest + margin
    right, bottom = FIGURE_WIDTH - RIGHT, top + HEIGHT - BOTTOM

    def x(k: float) -> float:
        return LEFT + (k - first + 0.5) * (right - LEFT) / (last - first + 1)

    def y(value: float) -> float:
        return bottom - (value - lowest) * (bottom - top - TOP) / (highest - lowest)

    parts = [f'<text x="{LEFT}" y="{top + 18}" font-weight="bold">{escape(panel.title)}</text>']
    if bounds:
        above, below = y(min(panel.high, highest)), y(max(panel.low, lowest))
        parts.append(
            f'<rect x="{LEFT}" y="{above:.1f}" width="{right - LEFT}" height="{below - above:.1f}" fill="{SHADE}"/>'
        )
    parts.append(f'<path d="M{LEFT} {top + TOP}V{bottom}H{right}" fill="none" stroke="{INK}"/>')
    for value in np.linspace(lowest + margin, highest - margin, 4):
        parts.append(f'<text x="{LEFT - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value:.4g}</text>')
    for k in range(first, last + 1, max(1, -(-(last - first + 1) // 16))):
        parts.append(f'<text x="{x(k):.1f}" y="{bottom + 15}" text-anchor="middle">{k}</text>')
    for number, (name, at, values) in enumerate(panel.series):
        colour = SECOND_COLOUR if number else FIRST_COLOUR
        line = " ".join(f"{x(k):.1f},{y(value):.1f}" for k, value in zip(at, values, strict=True))
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-opacity="0.4"/>')
        for k, value in zip(at, values, strict=True):
            radius = 5 if k == panel.chosen else 2.5
            parts.append(f'<circle cx="{x(k):.1f}" cy="{y(value):.1f}" r="{radius}" fill="{colour}"/>')
        if name:
            where = f'x="{right}" y="{top + 18 + 13 * number}"'
            parts.append(f'<text {where} text-anchor="end" fill="{colour}">{escape(name)}</text>')
    return "\n".join(parts) + "\n"
