"""Measure `crossdoc resolve` on labelled collections in every form in which a user may hand them over.

    CROSSDOC_DATA=… python experiments/referee.py [SET …] [--forms FORM …] [-o FILE.json]

Each row is one run of the command with default settings, scored by B³ F1 over the gold mentions, with string match and,
for people, the same last word for comparison. The last lines name the worst margin against these and, for each set, the
cliff: the best minus the worst form that holds the same information. `-o` also writes the figures; an earlier file
given with `--before` is shown next to them.

Forms: `raw` (text alone; scored over the gold mentions that were found), `given` and `given-untyped` (documents with
mentions), `table` and `untyped` (one row a mention with 300 characters on each side), `shuffled` (the rows of `table`
in another order), `no-documents` (without the document), `names-only` (without context and document), `half-typed`
(every second type is missing), `tenth` (every tenth row), `untyped-480` and `untyped-520` (the first rows), `N-names`
(pages or records of N ambiguous names, one row each; the mean over up to five groups of names), `windows` (the same
with the text around the surname), `with-newswire` (all of them and newswire in one table; the score is that of the
former), `one-surname` (labelled rows alone, and everybody is called Wang: "Wang, John"), `one-surname-initials` (the
same, and half of the rows have initials: "Wang, J.").

Ten lines of scikit-learn: TF-IDF of the contexts, average link among the rows of one last word (`ten_lines`).
"""

from __future__ import annotations

import argparse
import csv
import json
import lzma
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from common import command, data, table
from corpora import aida, arnetminer, ecbplus, patentsview, weps
from scipy import sparse
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.feature_extraction.text import TfidfVectorizer
from wikilinks import LinkCorpus, LinkFilters

from crossdoc.model import Document, Mention
from crossdoc.names import fold
from crossdoc.scoring import Assignment, score_assignments

WINDOW = 300
"""Characters on each side of a mention in a table; the default window of the extractor."""
FRUS = ("1917-72PubDipv07", "1918Russiav03", "1958-60v17", "1964-68v29p2", "1969-76v19p2", "1977-80v21")
YEARS = ("1905", "1907")
"""Of the diary; all of it has 8,073 days."""
OTHER_YEARS = ("1893", "1911", "1921", "1927")
"""Years of the diary that no rule was chosen on."""
GROUPS = 5
"""Groups of names that a form `N-names` is measured on."""
CUT = 0.05
"""Cosine at which ten lines of scikit-learn stop joining. Set by hand; other values were not tried."""
SURNAME = "Wang"
SUFFIXES = ("Jr.", "Sr.", "II", "III")
BLOCK = 1_000
"""Rows whose distances to all others are computed together."""
LINKS = LinkFilters(most_distance=1, concepts=True, least_links=2)
Gold = dict[str, set[str]]
Answer = Mapping[str, str]


@dataclass(frozen=True)
class Row:
    """A mention or record as a table has it."""

    id: str
    name: str
    type: str | None
    context: str
    document: str | None = None


@dataclass(frozen=True)
class Material:
    """A labelled collection: documents with mentions, or rows alone."""

    gold: Gold
    documents: tuple[Document, ...] = ()
    rows: tuple[Row, ...] = ()
    by_name: bool = False
    """Whether rows are of ambiguous names; the score is then the mean over names."""


@dataclass(frozen=True)
class Figures:
    """B³ F1 of one run and of the simple tools on the same mentions; NaN where a tool does not apply."""

    set: str
    form: str
    mentions: int
    default: float
    string_match: float
    last_word: float
    ten_lines: float
    seconds: float
    found: float = 1.0
    """The share of gold mentions that were found, and so are scored."""
    as_people: float = float("nan")
    """The share of the found gold mentions that are typed as a person; raw text with labelled people only."""

    @property
    def margin(self) -> float:
        """The default minus the better of the simple tools."""
        tools = (self.string_match, self.last_word, self.ten_lines)
        return self.default - max(value for value in tools if value == value)


# -- collections -------------------------------------------------------------------------------------------------------


def annotated(path: Path, keep: Callable[[str], bool] = lambda id: True) -> Material:
    """Documents as JSONL with spans and types, and the gold as `id, entity`, where an id is document:start:end."""
    documents = []
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            each = json.loads(line)
            if keep(each["id"]):
                spans = ((m["start"], m["end"], m["type"]) for m in each["mentions"])
                own = tuple(_mention(each["id"], each["text"], *span) for span in spans)
                documents.append(
                    Document(each["id"], each["text"], language=each["language"], date=each.get("date"), mentions=own)
                )
    stem = path.name.removesuffix(".jsonl.xz")
    gold_path = next(path.parent.glob(f"{stem}.gold.csv*"))
    with (lzma.open if gold_path.suffix == ".xz" else open)(gold_path, "rt", encoding="utf-8") as lines:
        gold = {row["id"]: {row["entity"]} for row in csv.DictReader(lines) if keep(row["id"].rsplit(":", 2)[0])}
    return Material(gold, tuple(documents))


def _mention(document: str, text: str, start: int, end: int, type: str) -> Mention:
    return Mention(f"{document}:{start}:{end}", document, start, end, text[start:end], type=type)


def chained(documents: Iterable[Document]) -> Material:
    """Documents whose mentions carry their entity; pronouns are left out, and the chains are taken away."""
    kept, gold = [], Gold()
    for document in documents:
        own = [m for m in document.mentions or () if m.chain is not None and m.kind != "pronoun"]
        gold |= {m.id: {str(m.chain)} for m in own}
        kept.append(replace(document, mentions=tuple(replace(m, chain=None) for m in own)))
    return Material(gold, tuple(kept))


def weps_pages() -> Material:
    folder = data("weps1", "train")
    gold: Gold = defaultdict(set)
    for row in weps.gold(folder).to_pylist():
        gold[row["id"]].add(row["entity"])
    rows = tuple(
        Row(page.id, name.replace("_", " "), "person", page.text, page.id)
        for name in weps.names(folder)
        for page in weps.documents(folder, name)
        if page.id in gold
    )
    return Material(dict(gold), rows=rows, by_name=True)


def arnetminers() -> Material:
    folder = data("arnetminer")
    gold = {row["id"]: {row["entity"]} for row in arnetminer.gold(folder).to_pylist()}
    rows = tuple(Row(p.id, p.name, p.type, p.context or "") for p in arnetminer.profiles(folder))
    return Material(gold, rows=rows, by_name=True)


def inventors() -> Material:
    """Labelled inventors and everybody of the same name, without co-inventors and firms."""
    gold = {row["id"]: {row["entity"]} for row in patentsview.gold(data("patentsview")).to_pylist()}
    everyone = list(patentsview.profiles(data("patentsview")))
    known = {fold(p.name) for p in everyone if p.id in gold}
    rows = tuple(Row(p.id, p.name, p.type, p.context or "") for p in everyone if fold(p.name) in known)
    return Material(_gold_of(gold, rows), rows=rows)


def wikipedia_links() -> Material:
    with LinkCorpus(LINKS).read([data("wikipedia_links")]) as corpus:
        found = pa.Table.from_batches(corpus.mentions()).to_pylist()
    rows = tuple(Row(row["id"], row["name"], None, row["context"]) for row in found)
    return Material({row["id"]: {row["entity"]} for row in found}, rows=rows)


def frus(volume: str) -> Material:
    return annotated(data("frus", f"frus{volume}.jsonl.xz"))


def diary(years: tuple[str, ...]) -> Material:
    return annotated(data("schnitzler", "diary.jsonl.xz"), lambda id: id.startswith(years))


def _aida(part: str) -> Material:
    return chained(aida.documents(data("aida"), part))


def _ecbplus(part: str) -> Material:
    return chained(ecbplus.documents(data("ecbplus"), part))


TABLES = ("table", "shuffled", "untyped", "no-documents", "whole", "shouted", "half-typed", "names-only", "tenth")
PAGES = ("table", "untyped", "half-typed", "names-only", "tenth")
ONE_SURNAME = ("one-surname", "one-surname-initials")
DOCUMENT_FORMS = ("raw", "given", "given-untyped", *TABLES)
NEWSWIRE = "aida-testa"
SETS: dict[str, tuple[Callable[[], Material], tuple[str, ...]]] = {
    **{f"frus-{volume}": (partial(frus, volume), DOCUMENT_FORMS) for volume in FRUS},
    "schnitzler": (partial(diary, YEARS), ("given", "given-untyped", *TABLES)),
    **{f"schnitzler-{year}": (partial(diary, (year,)), ("given", "table")) for year in OTHER_YEARS},
    "trnews": (lambda: annotated(data("toponyms", "trnews.jsonl.xz")), ("given", *TABLES)),
    "geovirus": (lambda: annotated(data("toponyms", "geovirus.jsonl.xz")), ("given", *TABLES)),
    NEWSWIRE: (partial(_aida, "testa"), ("given", "given-untyped", *TABLES, "untyped-480", "untyped-520")),
    "ecbplus-dev": (partial(_ecbplus, "dev"), ("given", "given-untyped", *TABLES, "untyped-480", "untyped-520")),
    "weps": (
        weps_pages,
        ("1-names", "2-names", "5-names", "10-names", *PAGES, "windows", "with-newswire"),
    ),
    "arnetminer": (arnetminers, ("1-names", "2-names", "10-names", *PAGES, "with-newswire", *ONE_SURNAME)),
    "patentsview": (inventors, ("table", "untyped", "tenth", *ONE_SURNAME)),
    "wikipedia-links": (wikipedia_links, ("untyped", "untyped-480", "untyped-520")),
}
SAME_INFORMATION = (
    ("given", "given-untyped", "table", "shuffled", "untyped", "no-documents", "half-typed", "with-newswire"),
    ("untyped-480", "untyped-520"),
)


# -- forms -------------------------------------------------------------------------------------------------------------


def rows_of(material: Material, whole: bool = False) -> Iterator[Row]:
    """The rows of a table: mentions with the text around them, or with the whole document."""
    if material.rows:
        yield from material.rows
        return
    for document in material.documents:
        for m in document.mentions or ():
            around = document.text[max(m.start - WINDOW, 0) : m.end + WINDOW]
            yield Row(m.id, m.text, m.type, document.text if whole else around, document.id)


def table_rows(material: Material, form: str) -> list[Row]:
    """The rows that a form of table holds."""
    rows = list(rows_of(material, form == "whole"))
    kind, _, count = form.partition("-")
    if kind == "untyped":
        rows = [replace(row, type=None) for row in rows]
        return rows[: int(count)] if count else rows
    if form == "shuffled":
        return random.Random(0).sample(rows, len(rows))
    if form == "tenth":
        return rows[::10]
    if form == "no-documents":
        return [replace(row, document=None) for row in rows]
    if form == "shouted":
        return [replace(row, name=row.name.upper()) for row in rows]
    if form == "names-only":
        return [replace(row, document=None, context="") for row in rows]
    if form == "half-typed":
        return [replace(row, type=None) if at % 2 else row for at, row in enumerate(rows)]
    if form == "windows":
        return [replace(row, context=_around(row.context, row.name)) for row in rows]
    return rows


def groups_of_names(material: Material, form: str) -> list[Material]:
    """The collections that a form is measured on: for `N-names` up to five groups of names, else one."""
    if form in ONE_SURNAME:
        rows = with_one_surname(
            [row for row in material.rows if row.id in material.gold], initials=form != ONE_SURNAME[0]
        )
        return [replace(material, rows=tuple(rows), by_name=False)]
    if not form.endswith("-names"):
        return [material]
    size, names = int(form.partition("-")[0]), sorted({row.name for row in material.rows})
    groups = [set(names[at : at + size]) for at in range(0, len(names) - size + 1, size)][:GROUPS]
    parts = [tuple(row for row in material.rows if row.name in group) for group in groups]
    return [replace(material, rows=part, gold=_gold_of(material.gold, part)) for part in parts]


def _gold_of(gold: Gold, rows: Iterable[Row]) -> Gold:
    return {row.id: gold[row.id] for row in rows if row.id in gold}


def with_one_surname(rows: Iterable[Row], initials: bool) -> Iterator[Row]:
    """Rows in which everybody has one surname; with `initials`, half of them have no first names.

    >>> [row.name for row in with_one_surname([Row("a", "John F. Lee Jr.", None, "")], initials=False)]
    ['Wang, John F.']
    """
    random_rows = random.Random(0)
    for row in rows:
        first = [word for word in row.name.replace(",", " ").split() if word not in SUFFIXES][:-1] or ["X"]
        if initials and random_rows.random() < 0.5:
            first = [f"{word[0]}." for word in first]
        yield replace(row, name=f"{SURNAME}, {' '.join(first)}")


def ten_lines(rows: Sequence[Row], cut: float) -> dict[str, str]:
    """What ten lines of scikit-learn answer: average link of TF-IDF contexts among rows of one last word."""
    found, blocks = dict[str, str](), defaultdict[str, list[int]](list)
    for at, row in enumerate(rows):
        blocks[_last_word(row.name)].append(at)
    if not any(row.context.strip() for row in rows):
        return {row.id: _last_word(row.name) for row in rows}
    vectors = TfidfVectorizer(sublinear_tf=True).fit_transform([row.context for row in rows])
    for word, block in blocks.items():
        labels = [0]
        if len(block) > 1:
            labels = fcluster(linkage(_distances(vectors[block]), "average"), 1 - cut, "distance")
        found |= {rows[at].id: f"{word} {label}" for at, label in zip(block, labels, strict=True)}
    return found


def _distances(vectors: sparse.csr_matrix) -> npt.NDArray[np.float64]:
    """Cosine distances of rows of unit length (or 0), in the order of `scipy.spatial.distance.pdist`."""
    found = []
    for start in range(0, vectors.shape[0], BLOCK):
        near = (vectors[start : start + BLOCK] @ vectors[start:].T).toarray()
        found += [1 - row[at + 1 :] for at, row in enumerate(near)]
    return np.clip(np.concatenate(found), 0, None)


def _last_word(name: str) -> str:
    """The surname: what stands before a comma, else the last word."""
    return fold((name.partition(",")[0].split() or [""])[-1])


def _around(text: str, name: str) -> str:
    """The text around the first occurrence of the surname, or the beginning."""
    found = re.search(re.escape(name.split()[-1]), text, re.IGNORECASE)
    at = found.start() if found else 0
    return text[max(at - WINDOW, 0) : at + WINDOW]


def write_input(material: Material, form: str, folder: Path) -> Path:
    """The file that the command gets."""
    path = folder / "input.jsonl"
    with path.open("w", encoding="utf-8") as file:
        if form in ("raw", "given", "given-untyped"):
            for document in material.documents:
                file.write(json.dumps(_record(document, form)) + "\n")
        else:
            for row in table_rows(material, form):
                file.write(json.dumps({key: value for key, value in asdict(row).items() if value is not None}) + "\n")
    return path


def _record(document: Document, form: str) -> dict[str, Any]:
    record: dict[str, Any] = {"id": document.id, "text": document.text, "language": document.language}
    if document.date:
        record["date"] = str(document.date)
    if form != "raw":
        keys = ("start", "end") if form == "given-untyped" else ("start", "end", "type")
        record["mentions"] = [{key: getattr(m, key) for key in keys} for m in document.mentions or ()]
    return record


# -- runs and scores ---------------------------------------------------------------------------------------------------


def answer_of(path: Path, folder: Path) -> dict[str, dict[str, str]]:
    """What the command answers: by mention (of a table by row) its entity and type."""
    out = folder / "out.crossdoc"
    command("resolve", path, "-o", out)
    found: dict[str, dict[str, str]] = {}
    for level in ("profile", "mention"):
        rows = folder / f"{level}.csv"
        command("export", out, "--level", level, "--raw", "-o", rows)
        with rows.open(encoding="utf-8", newline="") as lines:
            found |= {row["id"]: row for row in csv.DictReader(lines)}
    return found


def b3(answer: Answer, gold: Gold, names: Mapping[str, str] | None = None) -> float:
    """B³ F1, extended where an id has several entities; with `names` the mean over names."""
    groups = None if names is None else {id: names[id] for id in gold}
    found = score_assignments(
        Assignment.of(dict(answer)), Assignment.of(dict(gold), groups), by="group" if groups else None
    )
    return found.values["b3_extended"]["f1"]


def overlapping(gold: Iterable[str], found: Iterable[str]) -> dict[str, str]:
    """By gold mention the found mention that shares most characters with it, if there is one."""
    spans: dict[str, list[tuple[int, int, str]]] = defaultdict(list)
    for id in found:
        document, start, end = id.rsplit(":", 2)
        spans[document].append((int(start), int(end), id))
    matched = {}
    for id in gold:
        document, start, end = id.rsplit(":", 2)
        shared = [(min(int(end), b) - max(int(start), a), other) for a, b, other in spans[document]]
        best = max(shared, default=(0, ""))
        if best[0] > 0:
            matched[id] = best[1]
    return matched


def measure(name: str, material: Material, form: str) -> Figures:
    """Run one form of a set; the means over its groups of names."""
    parts = [_measure(name, part, form) for part in groups_of_names(material, form)]

    def mean(key: str) -> float:
        return float(np.mean([getattr(part, key) for part in parts]))

    return replace(
        parts[0], mentions=sum(part.mentions for part in parts), default=mean("default"), ten_lines=mean("ten_lines"),
        string_match=mean("string_match"), last_word=mean("last_word"), seconds=mean("seconds"),
    )  # fmt: skip


def _measure(name: str, material: Material, form: str) -> Figures:
    listed = table_rows(material, form)
    if form == "with-newswire":
        newswire = SETS[NEWSWIRE][0]()
        material = replace(material, rows=(*material.rows, *rows_of(newswire)))
    rows = {row.id: row for row in listed}
    gold = {id: own for id, own in material.gold.items() if id in rows}
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        found = answer_of(write_input(material, form, Path(folder)), Path(folder))
    seconds = time.perf_counter() - started
    share, as_people = 1.0, float("nan")
    answer = {id: row["entity"] for id, row in found.items() if id in gold}
    if form == "raw":
        matched = overlapping(gold, (id for id in found if re.search(r":\d+:\d+$", id)))
        share = len(matched) / len(gold)
        gold = {id: gold[id] for id in matched}
        answer = {id: found[other]["entity"] for id, other in matched.items()}
        as_people = sum(found[other]["type"] == "person" for other in matched.values()) / max(len(matched), 1)
    by_name = {id: fold(rows[id].name) for id in gold} if material.by_name else None
    tools = simple_tools(name, listed, gold, material.by_name)
    return Figures(
        name,
        form,
        len(gold),
        b3(answer, gold, by_name),
        tools["string match"],
        tools.get("last word", float("nan")),
        tools["ten lines"],
        round(seconds, 1),
        share,
        as_people,
    )


def simple_tools(name: str, listed: Sequence[Row], gold: Gold, by_name: bool) -> dict[str, float]:
    """B³ F1 of string match, of the same last word (people alone) and of ten lines of scikit-learn."""
    rows = {row.id: row for row in listed if row.id in gold}
    names = {id: fold(row.name) for id, row in rows.items()}
    people = all(row.type in ("person", None) for row in rows.values())
    answers: dict[str, Answer] = {"string match": names}
    if people and not name.startswith(("wikipedia", "ecb", "aida")):
        answers["last word"] = {id: _last_word(row.name) for id, row in rows.items()}
    found = ten_lines(listed, CUT)
    answers["ten lines"] = {id: found[id] for id in gold}
    return {tool: b3(answer, gold, names if by_name else None) for tool, answer in answers.items()}


def report(figures: Sequence[Figures], before: Mapping[tuple[str, str], float]) -> str:
    """The table, the worst margin and the cliffs."""
    header = [
        "set",
        "form",
        "mentions",
        *(["before"] if before else []),
        "default",
        "string match",
        "last word",
        "ten lines",
        "margin",
    ]
    rows = []
    for each in figures:
        earlier = [before.get((each.set, each.form), float("nan"))] if before else []
        tools = [each.string_match, each.last_word, each.ten_lines, each.margin]
        rows.append([each.set, each.form, each.mentions, *earlier, each.default, *tools])
    lines = [table(header, rows), ""]
    worst = min(figures, key=lambda each: each.margin)
    lines.append(f"worst margin: {worst.margin:+.3f} ({worst.set}, {worst.form})")
    by_set: dict[str, dict[str, float]] = defaultdict(dict)
    for each in figures:
        by_set[each.set][each.form] = each.default
    for name, own in by_set.items():
        for forms in SAME_INFORMATION:
            values = [own[form] for form in forms if form in own]
            if len(values) > 1:
                lines.append(f"cliff of {name}: {max(values) - min(values):.3f} ({', '.join(forms)})")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", help=f"of {', '.join(SETS)} (default: all)")
    parser.add_argument("--forms", nargs="*", default=(), help="only these forms")
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--before", type=Path, help="figures of an earlier run")
    chosen = parser.parse_args(arguments)
    if unknown := sorted(set(chosen.sets) - set(SETS)):
        parser.error(f"no such set: {', '.join(unknown)}")
    figures: list[Figures] = []
    for name in chosen.sets or SETS:
        load, forms = SETS[name]
        wanted = [form for form in forms if not chosen.forms or form in chosen.forms]
        material = load() if wanted else None
        for form in wanted:
            assert material is not None
            try:
                figures.append(measure(name, material, form))
            except subprocess.CalledProcessError as error:
                print(f"{name}, {form}: the command failed with {error.returncode}", file=sys.stderr)
                figures.append(Figures(name, form, 0, 0.0, 1.0, float("nan"), float("nan"), 0.0))
            print(figures[-1], file=sys.stderr, flush=True)
            if chosen.output:
                chosen.output.write_text(json.dumps([asdict(each) for each in figures], indent=1) + "\n")
    before = {}
    if chosen.before:
        before = {(each["set"], each["form"]): each["default"] for each in json.loads(chosen.before.read_text())}
    print(report(figures, before))


if __name__ == "__main__":
    main()
