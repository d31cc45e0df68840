"""The labelled sets: how the tables of each are made from CROSSDOC_DATA, and the cache that keeps them.

Extracted profiles are kept by the state of `crossdoc.extract` and `crossdoc.lang`; `labelled.py` is the door to them.
"""

from __future__ import annotations

import csv
import hashlib
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import import_module, resources
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from common import data
from corpora import aida, arnetminer, bsnlp, ecbplus, hipe, john_smith, meantime, patentsview, weps

import crossdoc
from crossdoc.extract.extractor import MASKED
from crossdoc.extract.given import GivenExtractor
from crossdoc.model import Document, Documents, Profile, Profiles
from crossdoc.names import fold
from crossdoc.run.reading import extracted
from crossdoc.run.stages import extract_profiles, read_documents
from crossdoc.run.stored_collection import bystanders
from crossdoc.settings import Settings

Kind = Literal["one-name", "open", "records", "mentions"]
Split = Literal["names", "build", "choose"]
SETTINGS = Settings(contact_salt="experiments")
LINK_MENTIONS = 10_000
Tables = dict[str, pa.Table]


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
    found: crossdoc.run.stages.Extracted, documents: Documents, gold: Sequence[tuple[str, str]], names: pa.Table
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
        beside = extract_profiles(Documents.of(own), name=asked, describe=False, settings=SETTINGS).others
        assert beside is not None
        others.append(_with(beside.arrow, group=[name] * len(beside)))
    everywhere = Documents.of(pages)
    everyone = bystanders(everywhere, "", SETTINGS.window)
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

    labels_of = labels(data("reuters21578"), field)
    documents = Documents.of(labelled_stories(labels_of))
    found = extract_profiles(documents, settings=SETTINGS)
    gold = []
    for profile in found.profiles:
        if field == "people" and profile.type == "person":
            label = labelled(profile.name, labels_of[profile.document])
        elif field == "organisations" and profile.type == "organisation":
            label = organisation(profile.name, labels_of[profile.document])
        else:
            label = None
        if label:
            gold.append((profile.id, label))
    type = "person" if field == "people" else "organisation"
    names = _names((label, label.replace("-", " "), type) for own in labels_of.values() for label in own)
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
    return _with_mentions(crossdoc.run.stages.Extracted(mentions, profiles), read, list(entity.items()), names)


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
    sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
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
NEVER_BUILT_ON = ("hipe-sonar-de", "hipe-newseye-fi", "bsnlp-pl", "bsnlp-bg", "meantime-nl")
"""Sets on which no rule was made: wholly `choose`, with their -mentions."""


def _annotated() -> dict[str, tuple[str, Callable[[], Iterable[Document]]]]:
    """Sets of given mentions: the folder of each, and its documents."""
    found: dict[str, tuple[str, Callable[[], Iterable[Document]]]] = {}
    for part in ecbplus.ECB_PARTS:
        found[f"ecbplus-{part}"] = "ecbplus", partial(_from, ecbplus, "ecbplus", part)
    for part, languages in HIPE.items():
        for language in languages:
            found[f"hipe-{part}-{language}"] = "hipe2022", partial(_from, hipe, "hipe2022", language, part)
    for language in meantime.MEANTIME_LANGUAGES:
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
        split: Split = "choose" if name in NEVER_BUILT_ON else "names"
        found[name] = Source("mentions", partial(given, documents), needs, split)
        found[f"{name}-mentions"] = Source("mentions", partial(given, documents, chained=False), needs, split)
    held_out = getattr(_wikilinks(), "HELD_OUT", {})
    for kind in _link_kinds():
        name = f"links-{kind.replace(',', '').replace(' ', '-')}"
        found[name] = Source("mentions", partial(links, kind), None, "choose" if kind in held_out else "build")
    return found


SOURCES = _sources()
