"""Choose the numbers of the shipped model on labelled collections, with each collection left out in turn.

    CROSSDOC_DATA=… python experiments/fit.py measure [FAMILY …]       # the simple tools, each number up and down
    CROSSDOC_DATA=… python experiments/fit.py left-out [FAMILY …]      # each family by the numbers chosen on the others
    CROSSDOC_DATA=… python experiments/fit.py choose [--without FAMILY] [-o model.json]
    python experiments/fit.py page                                     # docs/left-out.md and README's table

`measure` runs `crossdoc.resolve` with the shipped model and with each number of `NUMBERS` at each of its other values,
and keeps B³ F1 in docs/left-out.json; what is there is not measured again. A family is collections of one kind.
`choose` judges a value by the family that it is worst for: it takes a value if no family loses more than `LEAST` and
the mean gains more; `-o src/crossdoc/compare/default_model.json` writes the shipped file. Several numbers are measured
together before they are taken. `left-out` measures a family by the shipped model and by the numbers chosen without it.
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
from referee import SETS, Material, b3, groups_of_names, simple_tools, table_rows
from result_pages import DOCS, README, page_table, replaced, write

import crossdoc
from crossdoc.names import fold

FIGURES = DOCS / "left-out.json"
PAGE = DOCS / "left-out.md"
SHIPPED = "shipped"
TOOLS = ("string match", "last word", "ten lines")
LEAST = 0.001
"""B³. A value has to gain more than this on average and may not lose more on any family."""
Figures = dict[str, dict[str, float]]
"""By case, and by tool or by change of the model: B³ F1."""
Values = Mapping[str, float]
"""By the path of a number: another value than the shipped one."""


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
    "authors": (
        ("arnetminer", "2-names"), ("arnetminer", "10-names"),
        ("arnetminer", "one-surname"), ("arnetminer", "one-surname-initials"),
    ),
    "inventors": (
        ("patentsview", "tenth"), ("patentsview", "one-surname"), ("patentsview", "one-surname-initials"),
    ),
    "links": (("wikipedia-links", "untyped-520"),),
}  # fmt: skip
"""Collections of one kind and the forms in which they are handed over (`referee.py`)."""
COLLECTIONS = {
    "frus-1917-72PubDipv07": "FRUS 1917–72",
    "frus-1958-60v17": "FRUS 1958–60",
    "frus-1977-80v21": "FRUS 1977–80",
    "schnitzler-1927": "Schnitzler 1927",
    "trnews": "TR-News",
    "aida-testa": "AIDA CoNLL testa",
    "ecbplus-dev": "ECB+ dev",
    "weps": "WePS-1",
    "arnetminer": "ArnetMiner",
    "patentsview": "PatentsView",
    "wikipedia-links": "Wikipedia",
}
FORMS = {
    "table": "all mentions",
    "tenth": "every tenth mention",
    "untyped": "all mentions, no types",
    "untyped-520": "520 mentions, no types",
    "2-names": "all of two names",
    "10-names": "all of ten names",
    "one-surname": "all called Wang",
    "one-surname-initials": "all called Wang, half by initials",
}


# -- the model ---------------------------------------------------------------------------------------------------------


@cache
def shipped() -> str:
    return resources.files("crossdoc.compare").joinpath("default_model.json").read_text(encoding="utf-8")


def changed(values: Values) -> dict[str, Any]:
    """The shipped model with other values of some numbers.

    >>> changed({"names.bound": 4.0})["names"]["bound"]
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
        inner[name] = int(value) if value == int(value) else value
    return model


def model_file(model: Mapping[str, Any]) -> str:
    """The text of a model's file: a line for each part, or for each entry of a part that has parts itself."""

    def text(part: Any) -> str:
        if not isinstance(part, dict) or not any(isinstance(each, dict | str) for each in part.values()):
            return json.dumps(part, ensure_ascii=False)
        lines = (f'    "{key}": {json.dumps(each, ensure_ascii=False)}' for key, each in part.items())
        return "{\n" + ",\n".join(lines) + "\n  }"

    return "{\n" + ",\n".join(f'  "{key}": {text(part)}' for key, part in model.items()) + "\n}\n"


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


def tools(name: str, material: Material, form: str) -> dict[str, float]:
    """B³ F1 of the simple tools, the mean over groups of names."""
    found = []
    for part in groups_of_names(material, form):
        rows = table_rows(part, form)
        gold = {row.id: part.gold[row.id] for row in rows if row.id in part.gold}
        found.append(simple_tools(name, rows, gold, part.by_name))
    return {tool: sum(each[tool] for each in found) / len(found) for tool in found[0]}


def measure(families: Iterable[str], changes: Mapping[str, Values]) -> None:
    """Measure all cases of some families by the simple tools and with each change of the model, where not known yet."""
    for family in families:
        for name, form in FAMILIES[family]:
            own = read_figures().get(case(name, form), {})
            missing = {title: values for title, values in changes.items() if title not in own}
            if not missing and TOOLS[0] in own:
                continue
            material = SETS[name][0]()
            if TOOLS[0] not in own:
                keep(case(name, form), tools(name, material, form))
            for title, values in missing.items():
                with tempfile.TemporaryDirectory() as folder:
                    model = Path(folder, "model.json")
                    model.write_text(model_file(changed(values)), encoding="utf-8")
                    keep(case(name, form), {title: score(material, form, model)})


def keep(of: str, found: Mapping[str, float]) -> None:
    """Add figures of a case to the file; another process may have added figures of other cases."""
    figures = read_figures()
    figures.setdefault(of, {}).update({title: round(value, 5) for title, value in found.items()})
    FIGURES.write_text(json.dumps(figures, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    print(f"{of}: {', '.join(f'{title} {value:.4f}' for title, value in found.items())}", file=sys.stderr, flush=True)


def read_figures() -> Figures:
    return json.loads(FIGURES.read_text(encoding="utf-8")) if FIGURES.exists() else {}


def case(name: str, form: str) -> str:
    return f"{name} {form}"


def title_of(values: Values) -> str:
    """What figures of a change are kept under.

    >>> title_of({"names.bound": 4, "names.part": 6}), title_of({})
    ('names.bound = 4, names.part = 6', 'shipped')
    """
    return ", ".join(f"{path} = {value:g}" for path, value in values.items()) or SHIPPED


def single_changes() -> list[dict[str, float]]:
    """Each number at each of its other values."""
    return [{number.path: value} for number in NUMBERS for value in number.values]


# -- choosing ----------------------------------------------------------------------------------------------------------


def gains(figures: Figures, title: str, without: str | None = None) -> dict[str, float]:
    """By family, the mean change of B³ over its cases; families without figures are left out.

    >>> gains({"aida-testa tenth": {"shipped": .9, "x": .92}, "aida-testa untyped-520": {"shipped": .8, "x": .8}}, "x")
    {'newswire': 0.01}
    """
    found = defaultdict(list)
    for family, cases in FAMILIES.items():
        for name, form in cases:
            own = figures.get(case(name, form), {})
            if family != without and SHIPPED in own and title in own:
                found[family].append(own[title] - own[SHIPPED])
    return {family: round(sum(own) / len(own), 5) for family, own in found.items()}


def mean_gain(figures: Figures, values: Values, without: str | None) -> float:
    """The mean gain over families; −1 if a family loses, or if the mean gains too little."""
    own = gains(figures, title_of(values), without).values()
    mean = sum(own) / len(own) if own else 0.0
    return mean if mean > LEAST and min(own) >= -LEAST else -1.0


def together(figures: Figures, without: str | None = None) -> list[dict[str, float]]:
    """The best value of each number that has one, the best number first."""
    best: dict[str, tuple[float, dict[str, float]]] = {}
    for values in single_changes():
        (path,) = values
        gain = mean_gain(figures, values, without)
        if gain > max(0.0, best[path][0] if path in best else 0.0):
            best[path] = gain, values
    return [values for _, values in sorted(best.values(), key=lambda each: -each[0])]


def union(changes: Iterable[Values]) -> dict[str, float]:
    """All changes as one, in the order of `NUMBERS`."""
    values = {path: value for each in changes for path, value in each.items()}
    return {number.path: values[number.path] for number in NUMBERS if number.path in values}


def choose(figures: Figures, without: str | None = None) -> dict[str, float]:
    """The numbers to change, chosen on all families but one; several only if they are good together, too."""
    changes = together(figures, without)
    if len(changes) > 1 and mean_gain(figures, union(changes), without) < 0:
        return changes[0]
    return union(changes)


def chosen(without: str | None) -> dict[str, float]:
    """The same after several numbers were measured together on the families that they were chosen on."""
    changes = together(read_figures(), without)
    if len(changes) > 1:
        values = union(changes)
        measure((family for family in FAMILIES if family != without), {title_of(values): values})
    return choose(read_figures(), without)


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


Rows = dict[str, dict[str, float | str]]


def left_out(figures: Figures) -> Rows:
    """All cases: B³ of the simple tools, as shipped, and by the numbers chosen without the family of the case."""
    rows: Rows = {}
    for family, cases in FAMILIES.items():
        title = title_of(choose(figures, family))
        for name, form in cases:
            own = figures.get(case(name, form), {})
            columns = {**{tool: tool for tool in TOOLS}, "in sample": SHIPPED, "left out": title}
            rows[f"{family}: {COLLECTIONS[name]}, {FORMS[form]}"] = {
                column: own.get(key, "–") for column, key in columns.items()
            }
    return rows


def margins(rows: Rows) -> dict[str, float]:
    """By row, the left-out figure minus the best simple tool."""
    return {
        name: float(row["left out"]) - max(float(row[tool]) for tool in TOOLS if row[tool] != "–")
        for name, row in rows.items()
        if row["left out"] != "–" and row[TOOLS[0]] != "–"
    }


def summary(rows: Rows) -> str:
    """The worst row, and the row that the choice of numbers costs most."""
    by_row = margins(rows)
    worst = min(by_row, key=by_row.__getitem__)
    cost = {name: float(row["in sample"]) - float(row["left out"]) for name, row in rows.items() if name in by_row}
    dearest = max(cost, key=cost.__getitem__)
    lines = [
        f"The worst row is *{worst}*: {by_row[worst]:+.3f} against the best simple tool. "
        f"{sum(margin > 0 for margin in by_row.values())} of {len(by_row)} rows are above every simple tool."
    ]
    if cost[dearest] > LEAST:
        lines.append(f"The numbers lose most when chosen without *{dearest}*: {-cost[dearest]:+.3f}.")
    else:
        lines.append(f"Numbers chosen without a family lose at most {LEAST} on it.")
    return " ".join(lines).replace("-0.", "−.").replace("+0.", "+.")


PAGE_TEXT = """\
# How much do the shipped numbers owe to the collections they were chosen on?

The model has a few numbers that no collection can tell by itself: the threshold, the curve of contexts before it is
fitted, the priors of names, and how far a collection moves them (`default_model.json`). Here each of them is set higher
and lower, and all are chosen again with the collections of one kind left out. Every figure is B³ F1 of
`crossdoc.resolve`, with default settings but for the model (`experiments/fit.py`; the forms of input and the simple
tools are those of `experiments/referee.py`).

## Each kind of collection left out

*In sample* is the shipped model. *Left out* is the model whose numbers were chosen without the collections of the row's
kind (`fit.py choose --without KIND`).

{left_out}

{summary}

## How numbers are chosen

The kind of collection that a value is worst for decides, not the mean. Another value of a number is taken if

1. no kind loses more than {least} B³ by it, as the mean over its rows, and
2. the mean over the kinds gains more than {least}.

If several values of a number pass, the one with the best mean is taken. If several numbers are changed, they are
measured together on the kinds they were chosen on. If a kind then loses more than {least}, only the best single change
is kept. `python experiments/fit.py choose -o src/crossdoc/compare/default_model.json` writes the shipped file.

Numbers that would be changed:

{chosen}

The rules around the numbers were made with all of these collections in view, which no figure here can show.

## Each number by itself

Change of B³ over the kinds of collection: mean, worst (and where), best.

{sensitivity}
"""


def page(figures: Figures) -> str:
    listed = []
    for family in (None, *FAMILIES):
        values = [f"`{path}` {value:g}" for path, value in choose(figures, family).items()]
        on = "all kinds" if family is None else f"without {family}"
        listed.append(f"- {on}: {', '.join(values) or 'none'}")
    rows = left_out(figures)
    return PAGE_TEXT.format(
        least=LEAST, left_out=page_table("collection and form", rows), summary=summary(rows),
        chosen="\n".join(listed), sensitivity=sensitivity(figures),
    )  # fmt: skip


def readme(figures: Figures) -> str:
    """README with its table and the sentences below it."""
    rows = left_out(figures)
    content = f"{page_table('B³ F1', rows)}\n\n{summary(rows)}"
    return replaced(README.read_text(encoding="utf-8"), "left-out", content, README)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("measure", "left-out", "choose", "page"))
    parser.add_argument("families", nargs="*", help=f"of {', '.join(FAMILIES)} (default: all)")
    parser.add_argument("--without", choices=tuple(FAMILIES))
    parser.add_argument("-o", "--output", type=Path, help="where `choose` writes the model")
    options = parser.parse_args(arguments)
    if unknown := set(options.families) - set(FAMILIES):
        parser.error(f"there is no family {', '.join(sorted(unknown))}; there are {', '.join(FAMILIES)}")
    families = options.families or list(FAMILIES)
    if options.step == "measure":
        measure(families, {title_of(values): values for values in ({}, *single_changes())})
    elif options.step == "left-out":
        for family in families:
            measure([family], {title_of(values): values for values in ({}, chosen(family))})
    elif options.step == "choose":
        text = model_file(changed(chosen(options.without)))
        if options.output:
            write(options.output, text)
        else:
            print(text, end="")
    else:
        write(PAGE, page(read_figures()))
        write(README, readme(read_figures()))


if __name__ == "__main__":
    main()
