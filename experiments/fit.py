"""Choose the numbers of the shipped model on labelled collections, with each collection left out in turn.

    CROSSDOC_DATA=… python experiments/fit.py measure [FAMILY …]       # each number up and down, on each collection
    python experiments/fit.py choose [--without FAMILY] [-o model.json]
    CROSSDOC_DATA=… python experiments/fit.py left-out [FAMILY …]      # each family by the numbers chosen on the others
    python experiments/fit.py page                                     # docs/left-out.md from these figures

`measure` runs `crossdoc.resolve` with the shipped model and with each number of `NUMBERS` at each of its other values,
and keeps B³ F1 in docs/left-out.json; what is there is not measured again. `choose` takes a value for each number: the
one with the highest sum of its mean and its worst change over the families, a family being collections of one kind, so
that a gain on many does not pay for a loss on one. `left-out` measures a family by the numbers chosen without it.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from common import table
from referee import SETS, Material, b3, groups_of_names, table_rows
from result_pages import DOCS

import crossdoc
from crossdoc.names import fold

FIGURES = DOCS / "left-out.json"
PAGE = DOCS / "left-out.md"
SHIPPED = "shipped"
LEAST = 0.001
"""B³. A value has to gain this much to be chosen in place of the shipped one. Twice or half of it changes no choice."""
Figures = dict[str, dict[str, float]]
"""By case and by change of the model: B³ F1."""


@dataclass(frozen=True)
class Number:
    """A number of the model: where it stands in its file, and other values that were tried."""

    path: str
    values: tuple[float, ...]
    unit: str = "log odds"


NUMBERS = (
    Number("threshold.mean-max-linkage", (0.5, 0.7), "strength"),
    Number("fields.context.intercept", (-1.6, -0.8)),
    Number("fields.context.slope", (0.55, 1.0), "log odds per standard deviation"),
    Number("names.people", (3e3, 3e4), "people"),
    Number("names.bound", (2, 4)),
    Number("names.bare", (50, 200), "mentions"),
    Number("names.similar", (-4, -2)),
    Number("names.others.organisation", (4, 6)),
    Number("names.others.place", (4, 6)),
    Number("names.part", (4, 6)),
    Number("shrinkage.curve_pairs", (100, 1000), "pairs"),
    Number("shrinkage.name_sd", (0.1, 0.4)),
    Number("shrinkage.shift_sd", (1.5, 4)),
    Number("shrinkage.raise_sd", (0.5, 2)),
)
"""Numbers of the model file that the collections here can tell."""

FAMILIES: dict[str, tuple[tuple[str, str], ...]] = {
    "diplomatic papers": (
        ("frus-1917-72PubDipv07", "table"), ("frus-1958-60v17", "tenth"), ("frus-1977-80v21", "tenth"),
    ),
    "diary": (("schnitzler-1927", "table"),),
    "toponyms": (("trnews", "table"),),
    "newswire": (("aida-testa", "tenth"), ("aida-testa", "untyped-520")),
    "news topics": (("ecbplus-dev", "untyped"),),
    "web pages": (("weps", "2-names"), ("weps", "10-names")),
    "authors": (("arnetminer", "2-names"), ("arnetminer", "10-names")),
    "inventors": (("patentsview", "tenth"),),
    "links": (("wikipedia-links", "untyped-520"),),
}  # fmt: skip
"""Collections of one kind and the forms in which they are handed over (`referee.py`)."""


# -- the model ---------------------------------------------------------------------------------------------------------


@cache
def shipped() -> str:
    return resources.files("crossdoc.compare").joinpath("default_model.json").read_text(encoding="utf-8")


def changed(values: Mapping[str, float]) -> dict[str, Any]:
    """The shipped model with other values of some numbers.

    >>> changed({"names.bound": 4})["names"]["bound"]
    4
    """
    model: dict[str, Any] = json.loads(shipped())
    for path, value in values.items():
        *parents, name = path.split(".")
        inner = model
        for parent in parents:
            inner = inner[parent]
        if name not in inner:
            raise KeyError(path)
        inner[name] = value
    return model


def values_in(model: Mapping[str, Any]) -> dict[str, float]:
    """The numbers of a model that `NUMBERS` lists."""
    found = {}
    for number in NUMBERS:
        inner: Any = model
        for part in number.path.split("."):
            inner = inner[part]
        found[number.path] = float(inner)
    return found


# -- measuring ---------------------------------------------------------------------------------------------------------


def score(material: Material, form: str, model: Path) -> float:
    """B³ F1 of `crossdoc.resolve` with a model, the mean over groups of names."""
    found = []
    for part in groups_of_names(material, form):
        rows = table_rows(part, form)
        gold = {row.id: part.gold[row.id] for row in rows if row.id in part.gold}
        names = {row.id: fold(row.name) for row in rows} if part.by_name else None
        given = [{key: value for key, value in asdict(row).items() if value is not None} for row in rows]
        with crossdoc.resolve(given, model=model, processes=1) as answer:
            partition = answer.partition
            label = dict(zip(partition.ids.tolist(), map(str, partition.labels), strict=True))
        found.append(b3({id: label[id] for id in gold}, gold, names))
    return sum(found) / len(found)


def measure(families: Iterable[str], changes: Mapping[str, Mapping[str, float]]) -> None:
    """Measure all cases of some families with each change of the model that has no figure yet."""
    figures = read_figures()
    for family in families:
        for name, form in FAMILIES[family]:
            case = f"{name} {form}"
            missing = {title: values for title, values in changes.items() if title not in figures.get(case, {})}
            if not missing:
                continue
            material = SETS[name][0]()
            for title, values in missing.items():
                with tempfile.TemporaryDirectory() as folder:
                    model = Path(folder, "model.json")
                    model.write_text(json.dumps(changed(values)), encoding="utf-8")
                    found = score(material, form, model)
                # Another process may have added figures of other cases.
                figures = read_figures()
                figures.setdefault(case, {})[title] = round(found, 5)
                FIGURES.write_text(json.dumps(figures, indent=1, sort_keys=True) + "\n", encoding="utf-8")
                print(f"{case}: {title}: {found:.4f}", file=sys.stderr, flush=True)


def read_figures() -> Figures:
    return json.loads(FIGURES.read_text(encoding="utf-8")) if FIGURES.exists() else {}


def single_changes() -> dict[str, dict[str, float]]:
    """The shipped model, and each number at each of its other values."""
    changes: dict[str, dict[str, float]] = {SHIPPED: {}}
    for number in NUMBERS:
        changes |= {f"{number.path} = {value:g}": {number.path: value} for value in number.values}
    return changes


# -- choosing ----------------------------------------------------------------------------------------------------------


def gains(figures: Figures, title: str) -> dict[str, float]:
    """By family, the mean change of B³ over its cases; families without figures are left out.

    >>> gains({"aida-testa tenth": {"shipped": .9, "x": .92}, "aida-testa untyped-520": {"shipped": .8, "x": .8}}, "x")
    {'newswire': 0.01}
    """
    found = defaultdict(list)
    for family, cases in FAMILIES.items():
        for name, form in cases:
            own = figures.get(f"{name} {form}", {})
            if SHIPPED in own and title in own:
                found[family].append(own[title] - own[SHIPPED])
    return {family: round(sum(own) / len(own), 5) for family, own in found.items()}


def choose(figures: Figures, without: str | None = None) -> dict[str, float]:
    """The numbers to change, chosen on all families but one: by the mean and the worst gain together."""
    chosen = {}
    for number in NUMBERS:
        best = LEAST
        for value in number.values:
            own = [gain for family, gain in gains(figures, f"{number.path} = {value:g}").items() if family != without]
            worth = sum(own) / len(own) + min(own) if own else 0.0
            if worth > best:
                best, chosen[number.path] = worth, value
    return chosen


def left_out_title(family: str | None) -> str:
    return "chosen on all" if family is None else f"chosen without {family}"


# -- showing -----------------------------------------------------------------------------------------------------------


def sensitivity(figures: Figures) -> str:
    """A table of all numbers: the shipped value, and what another one gains or loses at worst and on average."""
    now = values_in(json.loads(shipped()))
    rows = []
    for number in NUMBERS:
        for value in number.values:
            own = gains(figures, f"{number.path} = {value:g}")
            if own:
                worst = min(own, key=own.__getitem__)
                mean = sum(own.values()) / len(own)
                rows.append(
                    [f"`{number.path}`", number.unit, f"{now[number.path]:g}", f"{value:g}", f"{mean:+.4f}",
                     f"{own[worst]:+.4f}", worst, f"{max(own.values()):+.4f}"]
                )  # fmt: skip
    return table(["number", "unit", "shipped", "tried", "mean", "worst", "family", "best"], rows)


def left_out(figures: Figures) -> str:
    """A table of all cases: B³ as shipped, by numbers chosen on all families, and by numbers chosen without its own."""
    rows = []
    for family, cases in FAMILIES.items():
        for name, form in cases:
            own = figures.get(f"{name} {form}", {})
            titles = (SHIPPED, left_out_title(None), left_out_title(family))
            rows.append([family, name, form, *(own.get(title, float("nan")) for title in titles)])
    return table(["family", "collection", "form", "shipped", "chosen on all", "chosen without its family"], rows)


PAGE_TEXT = """\
# How much do the shipped numbers owe to the collections they were chosen on?

The model has a few numbers that no collection can tell by itself: the threshold, the curve of contexts before it is
fitted, the priors of names, and how far a collection moves them (`default_model.json`). Here each of them is set higher
and lower, and all are chosen again with the collections of one kind left out. Every figure is B³ F1 of
`crossdoc.resolve`, with default settings but for the model (`experiments/fit.py`; the forms of input are those of
`experiments/referee.py`).

## Each kind of collection left out

A number is changed if the mean and the worst change over the other kinds add up to more than {least}.

{left_out}

Numbers that would be changed:

{chosen}

The shipped numbers stay. The other slope gains on the diary, on two names and on links, and loses on ten names. Without
inventors the prior of a name would be bounded closer to 0 and moved further by the collection, and rare names of
inventors would be split ([how far a collection moves the model](notes/fitted-model.md)). A number that is chosen
by the sum of its mean and its worst change may still lose on a form that its kind has gained on in the mean. The rules
around the numbers were made with all of
these collections in view, which no figure here can show.

## Each number by itself

Change of B³ over the kinds of collection: mean, worst (and where), best.

{sensitivity}
"""


def page(figures: Figures) -> str:
    chosen = []
    for family in (None, *FAMILIES):
        values = [f"`{path}` {value:g}" for path, value in choose(figures, family).items()]
        chosen.append(f"- {left_out_title(family)}: {', '.join(values) or 'as shipped'}")
    return PAGE_TEXT.format(
        least=LEAST, left_out=left_out(figures), chosen="\n".join(chosen), sensitivity=sensitivity(figures)
    )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("measure", "choose", "left-out", "page"))
    parser.add_argument("families", nargs="*", help=f"of {', '.join(FAMILIES)} (default: all)")
    parser.add_argument("--without", choices=tuple(FAMILIES))
    parser.add_argument("-o", "--output", type=Path, help="where `choose` writes the model")
    options = parser.parse_args(arguments)
    if unknown := set(options.families) - set(FAMILIES):
        parser.error(f"there is no family {', '.join(sorted(unknown))}; there are {', '.join(FAMILIES)}")
    families = options.families or list(FAMILIES)
    if options.step == "measure":
        measure(families, single_changes())
    elif options.step == "left-out":
        figures = read_figures()
        for family in families:
            changes = {left_out_title(each): choose(figures, each) for each in (None, family)}
            measure([family], changes)
    elif options.step == "choose":
        model = json.dumps(changed(choose(read_figures(), options.without)), indent=1)
        if options.output:
            options.output.write_text(model + "\n", encoding="utf-8")
        else:
            print(model)
    else:
        PAGE.write_text(page(read_figures()), encoding="utf-8")


if __name__ == "__main__":
    main()
