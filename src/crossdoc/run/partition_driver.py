"""The driver of a run over parts of the input: it starts the tasks of `partitions.py` stage by stage on an engine.

It holds references and counts, and writes small tables; `resolve.py` has the stages in order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import reduce
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.parquet as pq

from crossdoc import errors
from crossdoc.cluster.clusterer import notes_on
from crossdoc.compare.known import LINKED
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.statistics import capital_rows
from crossdoc.engine import Engine, Ref
from crossdoc.extract import TextExtractor
from crossdoc.model import Profiles
from crossdoc.progress import Progress
from crossdoc.read import Source, slices
from crossdoc.read.documents import nothing_read
from crossdoc.read.slices import Slice
from crossdoc.run import partitions as tasks
from crossdoc.run.one_part import RunContext, clash_bound
from crossdoc.run.partitions import MOST_BUNDLES, MOST_ESTIMATED, Part
from crossdoc.run.reading import Capitals, Reading, copied_ids, source_notes, types_over_all
from crossdoc.store.folder import RAW, FolderStore, part_file, write_part
from crossdoc.store.schema import as_table

if TYPE_CHECKING:
    from crossdoc.cluster.bags.informative_words import BagFit

AT_ONCE = 8
"""Counts that one task adds up."""


class PartitionDriver:
    """The stages of a run over many parts: starts their tasks, and waits for them.

    Parameters
    ----------
    engine : where tasks run.
    store : the folder of the run.
    how : settings and data that tasks need.
    notes : notes of the run, which are appended to.
    """

    def __init__(
        self, engine: Engine, store: FolderStore, how: RunContext, report: Progress, notes: list[str], resume: bool
    ) -> None:
        self.engine, self.store, self.report, self.notes, self.resume = engine, store, report, notes, resume
        self.use(how)

    def use(self, how: RunContext) -> None:
        """Give other settings or data to the tasks that follow."""
        self.how, self.shared = how, self.engine.put(how)

    def one(self, work: Callable[..., Any], *given: Any) -> Any:
        return self.engine.get(self.engine.map(work, given[:1], *given[1:])[0])

    def every(
        self, work: Callable[..., Any], parts: Sequence[Any], stage: str, *shared: Any, apart: bool = False
    ) -> list[Any]:
        """Run all tasks and return their results, which have to be small."""
        refs = self.engine.map(work, parts, *shared, apart=apart)
        self.report.start(stage, len(refs))
        for _ in self.engine.done(refs):
            self.report.advance()
        return [self.engine.get(ref) for ref in refs]

    def summed(self, refs: list[Ref], work: Callable[..., Any]) -> Ref:
        """Add up counts by tasks, a few at a time. Counts are integers, so the order does not matter."""
        while len(refs) > 1 or not refs:
            refs = self.engine.map(work, [refs[at : at + AT_ONCE] for at in range(0, len(refs), AT_ONCE)])
        return refs[0]

    # -- read ----------------------------------------------------------------------------------------------------------

    def read(self, sources: Sequence[Source]) -> None:
        """Read the parts that no earlier run has read."""
        how, store, parts = self.how, self.store, self._parts(sources)
        left = [part for part in parts if not tasks.reading_file(how.folder, part[0]).exists()]
        if len(left) < len(parts):
            self.notes.append(f"{len(parts) - len(left):,} of {len(parts):,} parts were already done by a stopped run")
        if how.documents:
            self._extract(sources, left, parts)
        else:
            self.every(tasks.read_profile_part, left, "reading profiles", self.shared, apart=True)
            reading = self._reading(parts)
            self.notes.extend(reading.rows.lines)
            with FolderStore.at(how.folder / RAW) as raw:
                self._settle_types(raw, reading, parts)
        store.show_parts()
        table, what = ("documents", "Different files") if how.documents else ("profiles", "The input")
        if copies := store.duplicates(table):
            raise errors.duplicate_ids(what, copies)
        counts = [pq.read_metadata(part_file(how.folder, "profiles", number)).num_rows for number, _ in parts]
        self.profiles, self.firsts = sum(counts), np.cumsum([0, *counts[:-1]]).astype(np.int64)

    def _reading(self, parts: Sequence[Part]) -> Reading:
        """Return the counts and notes of all parts, also of those that an earlier run has read."""
        first, *more = (Reading.load(tasks.reading_file(self.how.folder, number)) for number, _ in parts)
        return reduce(add, more, first)

    def _parts(self, sources: Sequence[Source]) -> list[Part]:
        """Split the input into parts; a part of a file knows how many lines precede it."""
        parts = slices.parts_of(sources, not self.how.documents)
        if any(isinstance(source, Slice) and source.kind == "jsonl" for part in parts for source in part):
            lines, before = self.every(tasks.count_lines, list(enumerate(parts)), "counting lines"), Counter[Path]()
            for number, (part, many) in enumerate(zip(parts, lines, strict=True)):
                if isinstance(part[0], Slice) and part[0].kind == "jsonl":
                    parts[number] = [replace(part[0], before=before[part[0].path])]
                    before[part[0].path] += many
        return list(enumerate(parts))

    def _extract(self, sources: Sequence[Source], left: Sequence[Part], parts: Sequence[Part]) -> None:
        extractor, capitals, how = tasks.task_extractor(self.how), None, self.how
        if isinstance(extractor, TextExtractor) and left:
            self.report.start("counting capitals")
            # Also in finished parts: a part is read the same whether a run was stopped or not.
            counted = self.engine.map(tasks.count_capitals, parts, self.shared, apart=True)
            capitals = self.summed(counted, Capitals.union)
            write_part(how.folder, "capitals", 0, capital_rows(self.engine.get(capitals).cases.listed()))
        self.every(tasks.extract_part, left, "reading documents", self.shared, capitals, apart=True)
        reading = self._reading(parts)
        if not reading.documents:
            raise nothing_read(sources, reading.unreadable)
        self.notes.extend([*source_notes(sources), *reading.notes(extractor, how.name)])
        with FolderStore.at(how.folder / RAW) as raw:
            if copies := raw.duplicates("profiles"):
                raise copied_ids(extractor, copies)
            self._settle_types(raw, reading, parts)
        if isinstance(extractor, TextExtractor) and extractor.models:
            self.store.set_meta("models", ", ".join(extractor.models))

    def _settle_types(self, raw: FolderStore, reading: Reading, parts: Sequence[Part]) -> None:
        """Put all parts in their places, with the types that names have in the full collection."""
        settled, notes = types_over_all(raw, reading)
        self.notes.extend(notes)
        self.every(tasks.retype, range(len(parts)), "settling types", self.shared, settled)

    # -- compare -------------------------------------------------------------------------------------------------------

    def compare(self) -> LearnedModel:
        """Count words, make the vectors of each part, and tasks.adapt the model to the collection."""
        engine, many = self.engine, len(self.firsts)
        self.report.start("counting words")
        self.vectoriser = engine.map(tasks.vectorise, [self.how.folder], self.shared)[0]
        self.vectors, self.spread = list[Ref](), None
        if self.how.compares:
            self.vectors = engine.map(tasks.vectors_of, range(many), self.shared, self.vectoriser, apart=True)
            spread = engine.map(tasks.spread_of, [[n, ref] for n, ref in enumerate(self.vectors)], self.shared)
            self.spread = self.summed(spread, tasks.sum_spread)
        self.report.start("learning what is usual in the collection")
        self.adapted = engine.map(tasks.adapt, [self.vectoriser], self.shared)[0]
        self.model, notes = engine.get(self.adapted)
        self.notes.extend(notes)
        return self.model

    def batches(self) -> Iterable[Profiles]:
        """All profiles."""
        return self.store.profile_batches()

    def fit_of_links(self) -> BagFit | None:
        """Measure how well bags explain the profiles, on as many parts as one task holds; None if they are no links."""
        many = len(self.firsts)
        if not self.store.has_links_only():
            return None
        self.report.start("measuring what contexts explain")
        some = max(1, min(many, many * MOST_ESTIMATED // self.profiles))
        return self.one(tasks.measure_links, [list(range(some)), *self.vectors[:some]], self.shared)

    def link(self) -> None:
        """Compare all profiles with the entries of the known list."""
        self.store.save_known(self.how.known, as_table("known_odds", ()), clash_bound(self.model), LINKED)
        shared = self.shared, self.vectoriser, self.adapted
        self.every(tasks.link_part, range(len(self.firsts)), "looking for known entries", *shared)
        self.store.show_parts()

    # -- cluster -------------------------------------------------------------------------------------------------------

    @property
    def types(self) -> list[str]:
        """Types of the profiles, the empty string for none."""
        return [kind for (kind,) in self.store.fetch("SELECT DISTINCT coalesce(type, '') FROM profiles ORDER BY 1")]

    def cluster(self) -> None:
        """Cluster all profiles and write their identities."""
        from crossdoc.run.partition_sampling import sample

        name = self.how.clusterer.name
        if name != "sampling" or not sample(self):
            if name in ("sampling", "bags"):
                self.notes.append(f"{name}: the profiles of a type are clustered in one task, as on one machine")
            self._cluster_bundles()
        if self.how.counts:
            self.store.set_meta("counted", str(self.store.size))
        if self.how.compares:
            self.store.set_meta("called", "all")

    def _cluster_bundles(self) -> None:
        engine, shared = self.engine, (self.shared, self.vectoriser, self.adapted)
        self.report.start("finding candidates")
        blobs, kinds = engine.shuffle(tasks.meet, [self.types], MOST_BUNDLES, *shared)
        kind_of = engine.get(kinds[0])
        bundles = [[number, blobs[number][0]] for number in range(len(kind_of))]
        found = self.every(tasks.cluster_bundle, bundles, "comparing and clustering", *shared, self.spread)
        for kind in dict.fromkeys(kind_of):
            own = [each for each, of in zip(found, kind_of, strict=True) if of == kind]
            facts, remarks = ([item for each in own for item in each[at]] for at in (1, 2))
            self.notes.extend(notes_on(self.how.clusterer, kind, facts, remarks))
        self.check(sum(each.profiles for each in found))

    def check(self, found: int) -> None:
        if found != self.profiles:
            raise errors.nodes_lost(self.profiles, found)
        self.store.show_parts()
