"""One door to every labelled set in CROSSDOC_DATA: what a run of crossdoc gets, its gold, and the gold's three parts.

    CROSSDOC_DATA=… [CROSSDOC_CACHE=FOLDER] python experiments/labelled.py [SET …] [--cache FOLDER]

prints what each set has and fills the cache, where extracted profiles are kept by the state of `crossdoc.extract` and
`crossdoc.lang`. *build* is for making rules and curves, *choose* for choosing between them, *once* for the last look:
`load(…, part="once", once=True)` says aloud that it is being looked at and writes a line into docs/once.md.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache, cached_property, partial
from importlib import import_module, resources
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from common import data, table

import crossdoc
from crossdoc.compare.evidence import ProfileEvidence
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.stage import Comparison
from crossdoc.extract.extractor import MASKED, GivenExtractor
from crossdoc.model import Document, Documents, Profile, Profiles, rows_of
from crossdoc.names import fold
from crossdoc.read.corpora import aida, arnetminer, bsnlp, ecbplus, hipe, john_smith, meantime, patentsview, weps
from crossdoc.score import Assignment, Scores, align, b_cubed_extended, f_alpha, score
from crossdoc.settings import Settings
from crossdoc.stages import bystanders, compare_profiles, extract_profiles, extracted, read_documents

Kind = Literal["one-name", "open", "records", "mentions"]
Split = Literal["names", "build", "once"]
Part = Literal["build", "choose", "once", "seen", "all"]
PARTS: dict[str, tuple[str, ...]] = {
    "build": ("build",),
    "choose": ("choose",),
    "once": ("once",),
    "seen": ("build", "choose"),
    "all": ("build", "choose", "once"),
}
ONCE_SHARE, CHOOSE_SHARE = 0.36, 0.26
"""Of the names of a set; `once` has at least a third of them, whatever their hashes are."""
ROOT = Path(__file__).parents[1]
RECORD = ROOT / "docs" / "once.md"
SETTINGS = Settings(contact_salt="experiments")
LINK_MENTIONS = 10_000
Gold = dict[str, set[str]]
Tables = dict[str, pa.Table]


@dataclass(frozen=True)
class Collection:
    """What one run of crossdoc gets: profiles and the documents that they are from."""

    profiles: Profiles
    documents: Documents | None = None
    name: str | None = None
    """The one asked-for name, if all profiles answer to it."""
    others: Profiles | None = None
    """Under one name: other people in the documents, as `extract_profiles` gives them."""
    apart: tuple[npt.NDArray[np.int64], ...] = ()
    """Rows of several asked-for names in one collection, each a task of its own."""

    @property
    def one_name(self) -> bool:
        return self.name is not None or bool(self.apart)

    def compared(self, **options: Any) -> Comparison:
        """The evidence by type, as `resolve` would have it; of several asked-for names none is worth anything."""
        if self.apart:
            model = options.get("model") or LearnedModel.default()
            sizes = model.names and model.names.model_copy(update={"asked": 0.0})
            options["model"] = model.model_copy(update={"names": sizes})
        return compare_profiles(self.profiles, self.documents, one_name=self.one_name, others=self.others, **options)

    def evidence(self, **options: Any) -> Iterator[ProfileEvidence]:
        """Of each type, or of each asked-for name, what is to be clustered by itself."""
        comparison = self.compared(**options)
        for type in comparison:
            found = comparison[type]
            yield from map(found.part, self.apart) if self.apart else [found]


@dataclass(frozen=True)
class Labelled:
    """A set with the gold of one of its parts; all profiles are there, whatever part is asked for."""

    name: str
    kind: Kind
    part: Part
    collections: tuple[Collection, ...]
    """One, but where each asked-for name has documents of its own: then these are the names of the part."""
    gold: Gold
    """Of profiles: several entities where a page is about several people; most sets have profiles without gold."""
    groups: dict[str, str] | None = None
    """Of profiles with gold: the ambiguous name, where the figure is a mean over names."""
    mention_gold: Gold | None = None
    """Where mentions are scored, not profiles: their gold, also of mentions that extraction missed."""
    profile_of: dict[str, str] = field(default_factory=dict)
    """Mention → profile, where mentions are scored."""
    type_of: dict[str, str] = field(default_factory=dict)
    """Of gold entities: person, organisation or place, where that is known."""

    @cached_property
    def profiles(self) -> Profiles:
        return Profiles(pa.concat_tables([collection.profiles.arrow for collection in self.collections]))

    def scored(self, answer: Mapping[str, str], *, type: str | None = None, bootstrap: int = 0) -> Scores:
        """An answer by profile against the gold, by mention where that is what is scored; all types or one."""
        found, gold = self._both(answer, type)
        return score(found, gold, by=None if gold.groups is None else "group", bootstrap=bootstrap)

    def b3(self, answer: Mapping[str, str], *, type: str | None = None) -> float:
        """B³ F1 alone, extended where pages are about several people, the mean over names where there are groups.

        The same as in `scored`, and far quicker.
        """
        aligned = align(*self._both(answer, type))
        if aligned.group is None:
            return float(b_cubed_extended(aligned).f1)
        split = aligned.split_by_group()
        assert split.entity_group is not None
        sums = [np.bincount(split.entity_group, row) for row in b_cubed_extended(split).parts]
        precision, recall = sums[0] / sums[1], sums[2] / sums[3]
        return float(np.mean(f_alpha(precision, recall, 0.5)))

    def _both(self, answer: Mapping[str, str], type: str | None) -> tuple[Assignment, Assignment]:
        gold: Mapping[str, set[str]] = self.gold
        if self.mention_gold is not None:
            gold = self.mention_gold
            answer = {mention: answer[profile] for mention, profile in self.profile_of.items() if profile in answer}
        if type is not None:
            gold = {id: own for id, own in gold.items() if any(self.type_of.get(entity) == type for entity in own)}
        groups = None if self.groups is None else {id: self.groups[id] for id in gold}
        return Assignment.from_rows(list(answer), list(answer.values())), Assignment.of(dict(gold), groups)


@dataclass(frozen=True)
class Source:
    """How a set is made: its tables (profiles, gold, names; documents, others, mentions), and what it needs."""

    kind: Kind
    make: Callable[[], Tables]
    needs: str | None = None
    split: Split = "names"
    """By names, or the whole set in one part."""
    alone: bool = False
    """Of one-name sets: each name's documents are a collection of their own."""
    own: tuple[str, ...] = ()
    """Folders of the package that have its data, which may change."""

    def there(self) -> bool:
        return self.needs is None or Path(os.environ.get("CROSSDOC_DATA", "/nowhere"), self.needs).exists()


# -- parts -------------------------------------------------------------------------------------------------------------


def key(name: str, type: str | None = "person") -> str:
    """What related names share: the surname of people, the first telling word of all others.

    >>> key("Howard H. Baker Jr."), key("The Bank of England", "organisation"), key("St. Louis", "place")
    ('baker', 'bank', 'louis')
    """
    words = [fold(word) for word in re.findall(r"\w+", name)]
    telling = [word for word in words if len(word) > 2 and word not in ("the", "der", "die", "das", "les", "jnr")]
    ordered = telling or words or [name]
    return ordered[-1] if type == "person" else ordered[0]


def blocks(names: Iterable[tuple[str, str]]) -> dict[str, str]:
    """(entity, key) → the block of each entity, by its first key; entities that share a key are in one block.

    >>> blocks([("hb", "baker"), ("jb", "baker"), ("rr", "reagan"), ("jb", "jim")])
    {'hb': 'baker', 'jb': 'baker', 'rr': 'reagan'}
    """
    home: dict[str, str] = {}

    def root(node: str) -> str:
        while home.setdefault(node, node) != node:
            node = home[node]
        return node

    first: dict[str, str] = {}
    for entity, word in names:
        a, b = root(first.setdefault(entity, word)), root(word)
        home[max(a, b)] = min(a, b)
    return {entity: root(word) for entity, word in first.items()}


def parts(names: Iterable[str]) -> dict[str, str]:
    """The part of each name by its hash alone: the same in every set, but that `once` always has a third at least."""
    order = sorted(set(names), key=_share)
    third = -(-len(order) // 3)
    found = {}
    for rank, name in enumerate(order):
        share = _share(name)
        if share < ONCE_SHARE or rank < third:
            found[name] = "once"
        else:
            found[name] = "choose" if share < ONCE_SHARE + CHOOSE_SHARE else "build"
    return found


def _share(name: str) -> float:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") / 2**64


# -- loading -----------------------------------------------------------------------------------------------------------


def names_of_sets(part: Part = "build") -> list[str]:
    """The sets whose data is there and that have something in a part."""
    wanted = {"build": ("names", "build"), "choose": ("names",), "once": ("names", "once"), "seen": ("names", "build")}
    return [name for name, source in SOURCES.items() if source.there() and source.split in wanted.get(part, _SPLITS)]


_SPLITS = ("names", "build", "once")


def load(name: str, part: Part = "build", *, once: bool = False) -> Labelled:
    """A set with the gold of a part (`seen`: build and choose); `once` and `all` need `once=True`, and are recorded."""
    if name not in SOURCES:
        sys.exit(f"There is no set {name}; there are {', '.join(SOURCES)}.")
    if "once" in PARTS[part]:
        if not once:
            sys.exit(f"{name}: the part `once` is looked at one time, at the end; --once says that this is it.")
        record(name)
    source, tables, part_of = SOURCES[name], kept(name), entity_parts(name)
    gold = _in_part(_gold_of(tables["gold"]), part_of, part)
    group_of = dict(zip(*(tables["gold"][c].to_pylist() for c in ("id", "group")), strict=True))
    groups = {id: group_of[id] for id in gold} if any(group_of.values()) else None
    mention_gold, profile_of = None, {}
    if "mentions" in tables:
        mention_gold = _in_part(_gold_of(tables["mention_gold"]), part_of, part)
        profile_of = dict(zip(*(tables["mentions"][c].to_pylist() for c in ("id", "chain")), strict=True))
    collections = tuple(_collections(source, tables, groups))
    type_of = {row["entity"]: row["type"] for row in tables["names"].to_pylist() if row["type"]}
    return Labelled(name, source.kind, part, collections, gold, groups, mention_gold, profile_of, type_of)


def entity_parts(name: str) -> dict[str, str]:
    """The part of each gold entity of a set."""
    split, names = SOURCES[name].split, kept(name)["names"].to_pylist()
    if split != "names":
        return {row["entity"]: split for row in names}
    block_of = blocks((row["entity"], key(row["name"], row["type"])) for row in names)
    of_block = parts(block_of.values())
    return {entity: of_block[block] for entity, block in block_of.items()}


def record(name: str) -> None:
    """Say aloud, and write down, that a set's `once` is being looked at: one line a day, commit and set."""
    line = f"| {date.today()} | {code_state()} | {name} | "
    if line not in RECORD.read_text(encoding="utf-8"):
        command = shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]])
        with RECORD.open("a", encoding="utf-8") as stream:
            stream.write(f"{line}`{command}` |\n")
        print(f"Looking at `once` of {name}: written down in docs/{RECORD.name}.", file=sys.stderr)


def code_state() -> str:
    """The commit, and + where the code is not as it is there."""
    git = ["git", "-C", str(ROOT)]
    changed = _said([*git, "status", "--porcelain", "-uno", "src", "experiments", "benchmarks"])
    return _said([*git, "rev-parse", "--short", "HEAD"]) + ("+" if changed else "")


def _said(command: Sequence[str]) -> str:
    return subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout.strip()


def _gold_of(rows: pa.Table) -> Gold:
    found: Gold = {}
    for id, entity in zip(rows["id"].to_pylist(), rows["entity"].to_pylist(), strict=True):
        found.setdefault(id, set()).add(entity)
    return found


def _in_part(gold: Gold, part_of: Mapping[str, str], part: Part) -> Gold:
    wanted = PARTS[part]
    kept = {id: {entity for entity in own if part_of[entity] in wanted} for id, own in gold.items()}
    return {id: own for id, own in kept.items() if own}


def _collections(source: Source, tables: Tables, groups: Mapping[str, str] | None) -> Iterable[Collection]:
    profiles = Profiles(tables["profiles"])
    documents = Documents(tables["documents"]) if "documents" in tables else None
    if source.kind != "one-name":
        yield Collection(profiles, documents)
        return
    if groups is None:
        yield Collection(profiles, documents, profiles[0].name, Profiles(tables["others"]))
        return
    group_of = np.array([id.split("/")[0] for id in profiles.ids])
    names = sorted(set(groups.values()))
    if source.alone:
        for group in names:
            mine = profiles.take(np.flatnonzero(group_of == group))
            own, others = (
                tables[which].filter(pc.equal(tables[which]["group"], group)) for which in ("documents", "others")
            )
            yield Collection(mine, Documents(own), mine[0].name, Profiles(others))
        return
    mine = profiles.take(np.flatnonzero(np.isin(group_of, names)))
    group_of = group_of[np.isin(group_of, names)]
    # Whoever has an asked-for surname may be one of the asked-for people.
    asked = {key(profile.name) for profile in profiles}
    far = [key(name) not in asked for name in tables["everyone"]["name"].to_pylist()]
    others = Profiles(tables["everyone"].filter(pa.array(far)))
    yield Collection(mine, documents, None, others, tuple(np.flatnonzero(group_of == group) for group in names))


# -- the cache ---------------------------------------------------------------------------------------------------------


@cache
def cache_folder() -> Path:
    """CROSSDOC_CACHE or the user's own cache folder, and in it a folder for what extraction is like now.

    Rules for names are not asked about, though chains follow them: before the last figures, begin with an empty cache.
    """
    users = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "crossdoc")
    return Path(os.environ.get("CROSSDOC_CACHE") or users, "labelled-1", _state("extract", "lang"))


def _state(*rooms: str) -> str:
    """A hash of the version and of the files of some rooms."""
    source = Path(crossdoc.__file__).parent
    files = sorted(path for room in rooms for path in (source / room).rglob("*") if path.is_file())
    state = hashlib.sha256(crossdoc.__version__.encode())
    for path in files:
        if path.suffix not in (".pyc", ".nbi", ".nbc"):
            state.update(path.relative_to(source).as_posix().encode() + path.read_bytes())
    return state.hexdigest()[:12]


@cache
def kept(name: str) -> Tables:
    """The tables of a set, from the cache or made now."""
    own = SOURCES[name].own
    folder = cache_folder() / (f"{name}-{_state(*own)}" if own else name)
    if not folder.is_dir():
        if needs := SOURCES[name].needs:
            data(*needs.split("/"))
        print(f"{name}: extracting into {folder}", file=sys.stderr, flush=True)
        made = folder.with_name(f"{name}.{os.getpid()}.part")
        made.mkdir(parents=True, exist_ok=True)
        for table_name, rows in SOURCES[name].make().items():
            pq.write_table(rows, made / f"{table_name}.parquet")
        if not folder.is_dir():
            made.rename(folder)
    return {path.stem: pq.read_table(path) for path in sorted(folder.glob("*.parquet"))}


# -- the sets ----------------------------------------------------------------------------------------------------------


def _names(rows: Iterable[tuple[str, str, str | None]]) -> pa.Table:
    """(entity, name, type), each once."""
    entity, name, type = zip(*dict.fromkeys(rows), strict=True)
    return pa.table({"entity": entity, "name": name, "type": pa.array(type, pa.string())})


def _gold_table(gold: Iterable[tuple[str, str]], group_of: Callable[[str], str | None] = lambda id: None) -> pa.Table:
    ids, entities = zip(*gold, strict=True)
    return pa.table({"id": ids, "entity": entities, "group": pa.array([group_of(id) for id in ids], pa.string())})


def sample() -> Tables:
    """The sample corpus from raw text; its gold is of mentions."""
    folder = resources.files("crossdoc.sample")
    with resources.as_file(folder.joinpath("documents.jsonl")) as path:
        documents = read_documents(path)
    with resources.as_file(folder.joinpath("gold.csv")) as path:
        rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    found = extract_profiles(documents, settings=SETTINGS)
    names = _names((row["entity"], row["text"], row["type"]) for row in rows)
    return _with_mentions(found, documents, [(row["id"], row["entity"]) for row in rows], names)


def _with_mentions(
    found: crossdoc.stages.Extracted, documents: Documents, gold: Sequence[tuple[str, str]], names: pa.Table
) -> Tables:
    """Where mentions are scored: a profile's own gold is that of most of its mentions."""
    entity = dict(gold)
    votes: dict[str, Counter[str]] = {}
    for mention, profile in zip(found.mentions.ids, found.mentions.column("chain").to_pylist(), strict=True):
        if mention in entity:
            votes.setdefault(profile, Counter())[entity[mention]] += 1
    of_profiles = [(profile, max(sorted(own), key=own.__getitem__)) for profile, own in votes.items()]
    return {
        "profiles": found.profiles.arrow,
        "documents": documents.arrow,
        "mentions": found.mentions.arrow.select(["id", "chain"]),
        "gold": _gold_table(of_profiles),
        "mention_gold": _gold_table(gold),
        "names": names,
    }


def john_smiths() -> Tables:
    documents = Documents.of(john_smith.documents(data("john_smith")))
    found = extract_profiles(documents, name="John Smith", describe=True, settings=SETTINGS)
    assert found.others is not None
    gold = [(row["id"], row["entity"]) for row in john_smith.gold(data("john_smith")).to_pylist()]
    names = _names((entity, "John Smith", "person") for _, entity in gold)
    return {
        "profiles": found.profiles.arrow,
        "documents": documents.arrow,
        "others": found.others.arrow,
        "gold": _gold_table(gold),
        "names": names,
    }


def weps_windows() -> Tables:
    """Only labelled pages are clustered; all count words and have bystanders."""
    folder = data("weps1", "train")
    gold = weps.gold(folder)
    labelled = set(gold["id"].to_pylist())
    pages, profiles, others = [], [], []
    for name in weps.names(folder):
        asked = name.replace("_", " ")
        own = list(weps.documents(folder, name))
        pages += own
        chosen = Documents.of(page for page in own if page.id in labelled)
        profiles.append(extract_profiles(chosen, name=asked, describe=True, settings=SETTINGS).profiles.arrow)
        beside = extract_profiles(Documents.of(own), name=asked, settings=SETTINGS).others
        assert beside is not None
        others.append(_with(beside.arrow, group=[name] * len(beside)))
    everywhere = Documents.of(pages)
    everyone = bystanders(everywhere, lambda ids: Documents(rows_of(everywhere.arrow, ids)), "", SETTINGS.window)
    return {
        "profiles": pa.concat_tables(profiles),
        "everyone": everyone.arrow,
        "documents": _with(everywhere.arrow, group=[page.id.split("/")[0] for page in pages]),
        "others": pa.concat_tables(others),
        "gold": gold,
        "names": _names((row["entity"], row["group"].replace("_", " "), "person") for row in gold.to_pylist()),
    }


def _with(rows: pa.Table, **columns: Sequence[str]) -> pa.Table:
    for name, values in columns.items():
        rows = rows.append_column(name, pa.array(values, pa.string()))
    return rows


def weps_pages() -> Tables:
    """The same profiles with whole pages as contexts; on a page, one bystander stands for all, who have the same."""
    tables = dict(kept("weps-windows"))
    texts = dict(zip(*(tables["documents"][c].to_pylist() for c in ("id", "text")), strict=True))
    clean = cache(lambda id: MASKED.clean(texts[id]))
    for which in ("profiles", "others", "everyone"):
        rows = tables[which]
        if which != "profiles":
            rows = rows.take(np.unique(rows["document"].to_numpy(zero_copy_only=False), return_index=True)[1])
        contexts = pa.array([clean(id) for id in rows["document"].to_pylist()], pa.string())
        tables[which] = rows.set_column(rows.column_names.index("context"), "context", contexts)
    return tables


def arnetminers() -> Tables:
    profiles = Profiles.of(arnetminer.profiles(data("arnetminer")))
    gold = arnetminer.gold(data("arnetminer"))
    names = _names((row["entity"], row["group"], "person") for row in gold.to_pylist())
    return {"profiles": profiles.arrow, "gold": gold, "names": names}


def inventors() -> Tables:
    """Labelled inventors, and everybody else up to 2021 who has the same name as one of them."""
    from specialists import PATENTSVIEW_UNTIL

    folder = data("patentsview")
    entity = {row["id"]: row["entity"] for row in patentsview.gold(folder).to_pylist()}
    dates = pq.read_table(folder / "mentions.parquet", columns=["mention_id", "patent_date"]).to_pydict()
    early = {id for id, day in zip(*dates.values(), strict=True) if day <= PATENTSVIEW_UNTIL}
    everyone = [profile for profile in patentsview.profiles(folder) if profile.id in early]
    known = {fold(profile.name) for profile in everyone if profile.id in entity}
    chosen = [profile for profile in everyone if fold(profile.name) in known]
    gold = [(profile.id, entity[profile.id]) for profile in chosen if profile.id in entity]
    names = _names((entity[p.id], p.name, "person") for p in chosen if p.id in entity)
    return {"profiles": Profiles.of(chosen).arrow, "gold": _gold_table(gold), "names": names}


def reuters_stories(field: Literal["people", "organisations"]) -> Tables:
    """Stories with editors' labels of people or organisations, from raw text."""
    from reuters_people import labelled, labelled_stories, labels, organisation

    told = labels(data("reuters21578"), field)
    documents = Documents.of(labelled_stories(told))
    found = extract_profiles(documents, settings=SETTINGS)
    gold = []
    for profile in found.profiles:
        if field == "people" and profile.type == "person":
            label = labelled(profile.name, told[profile.document])
        elif field == "organisations" and profile.type == "organisation":
            label = organisation(profile.name, told[profile.document])
        else:
            label = None
        if label:
            gold.append((profile.id, label))
    type = "person" if field == "people" else "organisation"
    names = _names((label, label.replace("-", " "), type) for own in told.values() for label in own)
    return {"profiles": found.profiles.arrow, "documents": documents.arrow, "gold": _gold_table(gold), "names": names}


def given(documents: Callable[[], Iterable[Document]], *, chained: bool = True) -> Tables:
    """Annotated mentions, with who is who within a document given; or not, and then mentions are scored."""
    everything = list(documents())
    named = [(m.chain, m.text, m.type) for d in everything for m in d.mentions or () if m.chain and m.kind == "name"]
    rest = [(m.chain, m.text, m.type) for d in everything for m in d.mentions or () if m.chain and m.kind != "name"]
    with_name = {entity for entity, *_ in named}
    names = _names([*named, *(row for row in rest if row[0] not in with_name)])
    read = Documents.of(everything if chained else unchained(everything))
    mentions, profiles = extracted(GivenExtractor(SETTINGS.window), read, SETTINGS.types)
    entity = {m.id: m.chain for d in everything for m in d.mentions or () if m.chain}
    if chained:
        gold = _gold_table((id, entity[id]) for id in profiles.ids if id in entity)
        return {"profiles": profiles.arrow, "documents": read.arrow, "gold": gold, "names": names}
    return _with_mentions(crossdoc.stages.Extracted(mentions, profiles), read, list(entity.items()), names)


def unchained(documents: Sequence[Document]) -> list[Document]:
    """The same documents, but nothing is known of who is who within them."""
    return [replace(d, mentions=tuple(replace(m, chain=None) for m in d.mentions or ())) for d in documents]


def newswire(part: str) -> Tables:
    """AIDA; names that Wikipedia has no page for are left out, as in the figures that were published."""

    def linked(document: Document) -> Document:
        return replace(document, mentions=tuple(m for m in document.mentions or () if m.chain is not None))

    return given(lambda: map(linked, aida.documents(data("aida"), part)))


def slavic_articles(language: str) -> Iterable[Document]:
    return (d for d in bsnlp.documents(data("bsnlp2019")) if d.language == language)


def links(kind: str) -> Tables:
    """A made-up corpus like Singh's: mentions of no type, each a document of its own."""
    made = _wikilinks().corpus(LINK_MENTIONS, kind=_link_kinds()[kind])
    rows = made.table(0, len(made)).to_pylist()
    profiles = Profiles.of(Profile(row["id"], row["id"], row["name"], None, row["context"], "en") for row in rows)
    names = _names((row["entity"], row["entity"], None) for row in rows)
    return {"profiles": profiles.arrow, "gold": _gold_table((r["id"], r["entity"]) for r in rows), "names": names}


@cache
def _wikilinks() -> Any:
    sys.path.insert(0, str(ROOT / "benchmarks"))
    return import_module("wikilink_corpus")


def _link_kinds() -> dict[str, Any]:
    return getattr(_wikilinks(), "ALL_KINDS", _wikilinks().KINDS)


HIPE = {
    "hipe2020": ("en", "fr", "de"),
    "newseye": ("de", "fr", "fi", "sv"),
    "sonar": ("de",),
    "topres19th": ("en",),
}
SLAVIC = ("cs", "ru", "pl", "bg")
ONLY_ONCE = ("hipe-sonar-de", "hipe-newseye-fi", "bsnlp-pl", "bsnlp-bg", "meantime-nl")
"""Looked at as a whole one time, at the end, with their -mentions."""


def _annotated() -> dict[str, tuple[str, Callable[[], Iterable[Document]]]]:
    """Sets of given mentions: the folder of each, and its documents."""
    found: dict[str, tuple[str, Callable[[], Iterable[Document]]]] = {}
    for part in ecbplus.PARTS:
        found[f"ecbplus-{part}"] = "ecbplus", partial(_from, ecbplus, "ecbplus", part)
    for part, languages in HIPE.items():
        for language in languages:
            found[f"hipe-{part}-{language}"] = "hipe2022", partial(_from, hipe, "hipe2022", language, part)
    for language in meantime.LANGUAGES:
        found[f"meantime-{language}"] = "meantime", partial(_from, meantime, "meantime", language)
    for language in SLAVIC:
        found[f"bsnlp-{language}"] = "bsnlp2019", partial(slavic_articles, language)
    return found


def _from(reader: Any, folder: str, *which: str) -> Iterable[Document]:
    return reader.documents(data(folder), *which)


def _sources() -> dict[str, Source]:
    found = {
        "sample": Source("open", sample, own=("sample",)),
        "john-smith": Source("one-name", john_smiths, "john_smith", "build"),
        "weps-windows": Source("one-name", weps_windows, "weps1/train"),
        "weps-pages": Source("one-name", weps_pages, "weps1/train"),
        "weps-windows-alone": Source("one-name", partial(kept, "weps-windows"), "weps1/train", alone=True),
        "weps-pages-alone": Source("one-name", partial(kept, "weps-pages"), "weps1/train", alone=True),
        "reuters-people": Source("open", partial(reuters_stories, "people"), "reuters21578"),
        "reuters-organisations": Source("open", partial(reuters_stories, "organisations"), "reuters21578"),
        "arnetminer": Source("records", arnetminers, "arnetminer"),
        "patentsview": Source("records", inventors, "patentsview"),
        "aida-train": Source("mentions", partial(newswire, "train"), "aida"),
        "aida-testa": Source("mentions", partial(newswire, "testa"), "aida"),
    }
    for name, (needs, documents) in _annotated().items():
        split: Split = "once" if name in ONLY_ONCE else "names"
        found[name] = Source("mentions", partial(given, documents), needs, split)
        found[f"{name}-mentions"] = Source("mentions", partial(given, documents, chained=False), needs, split)
    held_out = getattr(_wikilinks(), "HELD_OUT", {})
    for kind in _link_kinds():
        name = f"links-{kind.replace(',', '').replace(' ', '-')}"
        found[name] = Source("mentions", partial(links, kind), None, "once" if kind in held_out else "build")
    return found


SOURCES = _sources()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=[])
    parser.add_argument("--cache", type=Path, help="the folder for extracted profiles, in place of CROSSDOC_CACHE")
    options = parser.parse_args()
    if options.cache:
        os.environ["CROSSDOC_CACHE"] = str(options.cache)
    wanted = options.sets or [name for name, source in SOURCES.items() if source.there()]
    if unknown := [name for name in wanted if name not in SOURCES]:
        parser.error(f"there is no set {unknown[0]}; there are {', '.join(SOURCES)}")
    rows: list[list[object]] = []
    for name in wanted:
        tables, part_of = kept(name), entity_parts(name)
        gold = tables.get("mention_gold", tables["gold"])
        counts = [Counter(part_of.values())[part] for part in PARTS["all"]]
        items = Counter(part_of[entity] for entity in gold["entity"].to_pylist())
        scored = [items[part] for part in PARTS["all"]]
        documents = len(tables["documents"]) if "documents" in tables else "–"
        rows.append([name, SOURCES[name].kind, documents, len(tables["profiles"]), *scored, *counts])
        print(table(["…"] * len(rows[-1]), rows[-1:]).splitlines()[-1], file=sys.stderr, flush=True)
    header = ["set", "kind", "documents", "profiles"]
    header += [f"{what}: {part}" for what in ("scored", "entities") for part in PARTS["all"]]
    print(table(header, rows))


if __name__ == "__main__":
    main()
