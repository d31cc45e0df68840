"""The stages over partitions, on any engine: read → extract → compare → cluster → describe, one task per part.

The driver holds references and counts. Parts lie in ``OUT.part/`` as Parquet files that every node sees. An existing
part is not made again, so that a run continues after its driver was lost. The last step gives the folder its name.
"""

from __future__ import annotations

import json
import math
import secrets
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from crossdoc import errors
from crossdoc.cluster.bags.bag_partitions import prepare
from crossdoc.cluster.bags.informative_words import words_that_count
from crossdoc.cluster.bags.passages import Owners
from crossdoc.cluster.sampling.pair_shards import PairWork
from crossdoc.cluster.sampling.rounds import Rounds
from crossdoc.cluster.sampling.schedule import CYCLES
from crossdoc.cluster.sampling.shards import partitions_for
from crossdoc.engine import Engine, Ref
from crossdoc.extract import TextExtractor
from crossdoc.files import whole_file
from crossdoc.read import Input, Source, sources_of
from crossdoc.read.documents import holds_profiles
from crossdoc.read.records import RowNotes
from crossdoc.read.slices import Slice, parts_of
from crossdoc.run import partition_sampling as sampling
from crossdoc.run import partition_tasks as tasks
from crossdoc.run.partition_tasks import MOST_BUNDLES, RAW, How
from crossdoc.run.resolution import Resolution
from crossdoc.run.resolve import AnyPath, Resolver
from crossdoc.run.stages import extractor_for
from crossdoc.store import judgement_log as log
from crossdoc.store import schema
from crossdoc.store.folder import FolderStore, part_file, put_in_place, write_part
from crossdoc.store.runs import now

AT_ONCE = 8
"""Counts that one task adds up."""
OF_THE_RUN = 999_999
"""Part number for data of the run itself, outside all parts of the input."""


@dataclass
class PartitionedResolver(Resolver):
    """One run from inputs to a folder of Parquet files, on an engine."""

    engine: Engine | None = None

    def run(self, inputs: Iterable[Input], output: AnyPath | None = None) -> Resolution:
        started = now()
        assert self.engine is not None
        target = folder_for(output)
        if self.known:
            raise errors.not_over_partitions("A known list")
        sources = sources_of(inputs, self.settings.format, self.settings.columns)
        how = self._begin(sources, target.with_name(f"{target.name}.part"))
        self.how = self.engine.put(how)
        parts = self._parts(sources, how)
        counts = self._read_parts(parts, how)
        self.firsts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
        if not sum(counts):
            shutil.rmtree(how.folder, ignore_errors=True)
            raise errors.nothing_extracted(" or ".join(self.settings.types))
        self._check_judgements(how)
        self.notes.extend(self._one(tasks.notes_on_profiles, len(parts), self.how))
        vectoriser, vectors, spread = self._vectors(len(parts), how)
        if self._may_be_links and self._all_parts_hold_links(len(parts)):
            self._choose_by_parts(vectors, sum(counts))
            how = replace(how, settings=self.settings)
            self.how = self.engine.put(how)
        if self.clusterer.name in ("sampling", "bags"):
            found, model = self._sampled(how, vectoriser, vectors)
        else:
            found, model = self._clustered_parts(how, vectoriser)
        self.notes.extend(self._soft_notes(how.judgements))
        self._described(found, how, model, vectors, vectoriser, spread, sum(counts))
        self._finish(how, started, sources, model)
        put_in_place(how.folder, target)
        return Resolution(FolderStore.finished(target))

    def _all_parts_hold_links(self, parts: int) -> bool:
        assert self.engine is not None
        found = self.engine.map(tasks.holds_names_and_contexts_only, range(parts), self.how)
        return all(self.engine.get(each) for each in found)

    def _choose_by_parts(self, vectors: list[Any], profiles: int) -> None:
        """Choose the method on as many parts as one task holds."""
        self.report.start("measuring what contexts explain")
        some = max(1, min(len(vectors), len(vectors) * sampling.MOST_ESTIMATED // profiles))
        self._choose_method(self._one(tasks.measure_links, [list(range(some)), *vectors[:some]], self.how), profiles)

    # -- read --------------------------------------------------------------------------------------------------------

    def _begin(self, sources: Sequence[Source], folder: Path) -> How:
        """Return the working folder, with the finished parts of an unfinished run of the same input and settings."""
        kinds = {holds_profiles(source) for source in sources}
        if kinds == {True, False}:
            raise errors.mixed_inputs([str(source.path) for source in sources[:5]])
        if kinds == {True} and self.name is not None:
            raise errors.name_needs_documents()
        self.given_profiles = kinds == {True}
        run_file = folder / "run.json"
        fingerprint = self._fingerprint(sources)
        begun = _begun(folder)
        if begun.get("fingerprint") != fingerprint:
            if begun:
                self.notes.append("an unfinished run with other input or settings was discarded")
            shutil.rmtree(folder, ignore_errors=True)
            begun = {"fingerprint": fingerprint, "salt": secrets.token_hex(16)}
            with whole_file(run_file) as stream:
                stream.write(json.dumps(begun).encode())
        salt = bytes.fromhex(begun["salt"])
        judgements = tuple(self.judgements)
        return How(folder.resolve(), self.settings, self.name, self.model, judgements, salt, not self.given_profiles)

    def _parts(self, sources: Sequence[Source], how: How) -> list[tasks.Part]:
        """Split the input into parts; a part of a file knows how many lines precede it."""
        parts = parts_of(sources, self.given_profiles)
        numbered = list(enumerate(parts))
        if any(isinstance(source, Slice) and source.kind == "jsonl" for part in parts for source in part):
            lines = self._all(tasks.count_lines, numbered, "counting lines")
            before: dict[Path, int] = {}
            for (number, part), many in zip(numbered, lines, strict=True):
                if len(part) == 1 and isinstance(part[0], Slice) and part[0].kind == "jsonl":
                    at = before.get(part[0].path, 0)
                    before[part[0].path] = at + many
                    parts[number] = [replace(part[0], before=at)]
        return list(enumerate(parts))

    def _read_parts(self, parts: Sequence[tasks.Part], how: How) -> list[int]:
        """Read the missing parts; return the number of profiles of each part."""
        where = how.folder if self.given_profiles else how.folder / RAW
        left = [part for part in parts if not part_file(where, "profiles", part[0]).exists()]
        if len(left) < len(parts):
            self.notes.append(f"{len(parts) - len(left):,} of {len(parts):,} parts were already done by a stopped run")
        if self.given_profiles:
            read = self._all(tasks.read_profile_part, left, "reading profiles", self.how, apart=True)
            self.notes.extend(RowNotes.union(each.rows for each in read).lines)
            self._one(tasks.check_profiles, how.folder)
        else:
            self._extract_parts(left, parts, how)
        return [_rows(part_file(how.folder, "profiles", number)) for number, _ in parts]

    def _extract_parts(self, left: Sequence[tasks.Part], parts: Sequence[tasks.Part], how: How) -> None:
        assert self.engine is not None
        capitals: Any = None
        extractor = extractor_for(self.settings, self.name, how.salt, describe=False)
        whole = isinstance(extractor, TextExtractor)
        if whole and left:
            # Count capitals in all parts, also finished ones: a part is read the same whether a run was stopped or not.
            capitals = self._capitals(parts)
        read = self._all(tasks.extract_part, left, "reading documents", self.how, capitals, apart=True)
        self.notes.extend(dict.fromkeys(note for each in read for note in each.notes))
        self.notes.extend(RowNotes.union(each.rows for each in read).lines)
        settled = self._one(tasks.settle, how.folder, whole and not any(each.given for each in read))
        self._all(tasks.retype, range(len(parts)), "settling types", how.folder, settled)

    def _capitals(self, parts: Sequence[tasks.Part]) -> Ref:
        assert self.engine is not None
        self.report.start("counting capitals")
        return self._summed(self.engine.map(tasks.count_capitals, parts, self.how, apart=True), tasks.sum_capitals)

    # -- compare -----------------------------------------------------------------------------------------------------

    def _check_judgements(self, how: How) -> None:
        asked = frozenset(id for judgement in how.judgements for id in (judgement.a, judgement.b))
        unknown = sorted(asked - self._one(tasks.known_profiles, how.folder, asked)) if asked else []
        if unknown:
            raise errors.unknown_profiles("The constraints", unknown)

    def _vectors(self, many: int, how: How) -> tuple[Ref, list[Any], Ref | None]:
        """Return document frequencies, the vectors of each part, and the frequency of each word."""
        assert self.engine is not None
        self.report.start("counting words")
        counted = self._summed(self.engine.map(tasks.count_words, range(many), self.how, apart=True), tasks.sum_words)
        vectoriser = self.engine.map(tasks.vectorise, [counted], self.how, OF_THE_RUN)[0]
        if not self._compares:
            return vectoriser, [None] * many, None
        vectors = self.engine.map(tasks.vectors_of, range(many), self.how, vectoriser, apart=True)
        spread = self.engine.map(tasks.spread_of, [[n, ref] for n, ref in enumerate(vectors)], self.how)
        return vectoriser, vectors, self._summed(spread, tasks.sum_spread)

    # -- cluster -----------------------------------------------------------------------------------------------------

    def _clustered_parts(self, how: How, vectoriser: Ref) -> tuple[list[Ref], Any]:
        """Return the clusters of every bundle, and the model that compared them."""
        assert self.engine is not None
        types = self._one(tasks.types_of, how.folder)
        self.report.start("learning what is usual in the collection")
        adapted = self.engine.map(tasks.adapt, [vectoriser], self.how)[0]
        model, notes = self.engine.get(adapted)
        self.notes.extend(notes)
        self.report.start("finding who may meet whom")
        blobs, counts = self.engine.shuffle(tasks.meet, [types], MOST_BUNDLES, self.how, vectoriser, adapted)
        bundles = [[number, blobs[number][0]] for number in range(self.engine.get(counts[0]))]
        answers = self.engine.map(tasks.cluster_bundle, bundles, self.how, vectoriser, adapted)
        self._wait(answers, "comparing and clustering")
        reports = [self.engine.get(ref) for ref in self.engine.map(tasks.notes_of, answers)]
        self.notes.extend(self.clusterer.method.notes_from([fact for facts, _ in reports for fact in facts]))
        self.notes.extend(note for _, notes in reports for note in notes)
        self.notes.append(self._method_note(model))
        return self.engine.map(tasks.found_of, answers), model

    def _sampled(self, how: How, vectoriser: Ref, vectors: list[Ref]) -> tuple[list[Ref], Any]:
        """Return the clusters of every partition, from rounds over all of them."""
        assert self.engine is not None
        adapted = self.engine.map(tasks.adapt, [vectoriser], self.how)[0]
        model, notes = self.engine.get(adapted)
        self.notes.extend(notes)
        firsts, many, found = self.engine.put(self.firsts), len(self.firsts), list[Ref]()
        types = list[tuple[str, sampling.Named, list[Ref]]]()
        for kind in self._one(tasks.types_of, how.folder):
            by_part, reports = self.engine.shuffle(sampling.named_rows, [kind], many + 1, self.how, adapted, firsts)
            counted: sampling.Named = self.engine.get(reports[0])
            if counted.nodes:
                types.append((kind, counted, [piece[0] for piece in by_part]))
        by_bags = self.clusterer.name == "bags"
        if by_bags and all(sampling.bag_partitions(named) == 1 for _, named, _ in types):
            self.notes.append("bags are clustered in one task, as on one machine")
            return self._clustered_parts(how, vectoriser)
        for kind, named, pieces in types:
            estimator = self.clusterer.method.estimator()(**named.parameters)
            if named.parameters.get("samples") or not isinstance(estimator.start, str):
                raise errors.not_over_partitions("Drawing samples, or starting from labels,")
            if estimator.start == "names" and not named.names:
                raise errors.start_without_names()
            if by_bags:
                run = self._bags(estimator, named, sampling.bag_partitions(named), pieces, vectors, firsts)
            else:
                run = self._pairs(estimator, kind, named, pieces, vectors, firsts)
            run.folder = how.folder / "rounds" / (kind or "profile")
            parts, why = run.go(run.model.cycles, self.settings.time_limit, self.resume)
            self.notes.append(
                f"{kind or 'profile'}s: {len(run.history):,} rounds over {run.model.parts:,} partitions ({why}), "
                f"energy {run.history[-1].energy if run.history else 0.0:,.1f}"
            )
            work = self.engine.put(run.model)
            found += [
                self.engine.map(sampling.clusters_found, [part], work, pieces[-1], len(found) + at, *run.shared)[0]
                for at, part in enumerate(parts)
            ]
        self.notes.append(self._method_note(model))
        return found, model

    def _bags(
        self, estimator: Any, named: sampling.Named, parts: int, pieces: list[Ref], vectors: list[Ref], firsts: Ref
    ) -> Rounds:
        """Rounds in the model of bags."""
        assert self.engine is not None
        self.report.start("finding passages and topics")
        *rows, judged = pieces
        read = [[number, vectors[number], own] for number, own in enumerate(rows)]
        apart = [named.judged_in, judged, *(vectors[number] for number in named.judged_in)]
        contexts = self.engine.map(sampling.bag_contexts, read, firsts)
        contexts += self.engine.map(sampling.judged_contexts, [apart], firsts)
        sizes = named.nodes, self._one(tasks.width_of, vectors[0]), named.names
        made = prepare(
            self.engine, contexts, Owners(self.firsts, self._one(sampling.rows_apart, judged)),
            self.engine.map(sampling.judgements, [judged])[0], sizes, parts, estimator.max_iter,
            estimator.random_state, estimator.start == "names", estimator.words,
        )  # fmt: skip
        if made.telling != "all":
            self.notes.append(words_that_count(made.telling))
        return Rounds(
            self.engine, made.shards, made.work, named.nodes, self.report, tolerance=estimator.tol, shared=made.shared
        )

    def _estimate(self, estimator: Any, kind: str, named: sampling.Named, vectors: list[Ref], rows: list[Ref]) -> None:
        """Estimate the weights that the user did not set."""
        self.report.start("estimating the bias without labels")
        some = max(1, min(len(rows), len(rows) * sampling.MOST_ESTIMATED // named.nodes))
        weights = self._one(sampling.estimated, [some, *vectors[:some], *rows[:some]], named.parameters)
        estimator.set_params(bias=weights.bias, name_weight=weights.name_weight)
        note = f"{kind or 'profile'}s: bias {weights.bias:.4f}, names {weights.name_weight:.4f} ({weights.origin})"
        self.notes.append(note)

    def _pairs(
        self, estimator: Any, kind: str, named: sampling.Named, pieces: list[Ref], vectors: list[Ref], firsts: Ref
    ) -> Rounds:
        """Rounds in the pairwise model."""
        assert self.engine is not None
        engine = self.engine
        *rows, judged = pieces
        if estimator.bias is None or estimator.name_weight is None:
            self._estimate(estimator, kind, named, vectors, rows)
        width = self._one(tasks.width_of, vectors[0])
        weighed = sampling.Weighed(width, named.names, float(estimator.name_weight or 0.0))
        parts = [[number, vectors[number], own, judged] for number, own in enumerate(rows)]
        totals = self._summed(engine.map(sampling.totals_of, parts, weighed), sampling.sum_totals)
        plan, meeting = estimator.plan_for(float(estimator.bias), weighed.name_weight, bool(named.names))
        cycles = max(1, math.ceil(estimator.max_iter / len(CYCLES[estimator.hierarchy])))
        scale = self._one(sampling.scale_of, totals)
        into = estimator.partitions or partitions_for(named.nodes)
        limit = self.settings.time_limit
        work = PairWork(plan, weighed.width, 1.0 / scale**2, 1.0, meeting, into, cycles, limit)
        shared = weighed, totals, firsts

        def shards() -> list[Ref]:
            made = engine.map(sampling.pair_shard, parts, *shared)
            if named.judged_in:
                own = [named.judged_in, judged, *(vectors[number] for number in named.judged_in)]
                made += engine.map(sampling.judged_shard, [own], *shared)
            return made

        from_names = estimator.start == "names"
        return Rounds(engine, shards, work, named.nodes, self.report, tolerance=estimator.tol, scattered=from_names)

    # -- describe ----------------------------------------------------------------------------------------------------

    def _described(
        self, found: list[Ref], how: How, model: Any, vectors: list[Any], vectoriser: Ref, spread: Ref | None, rows: int
    ) -> None:
        assert self.engine is not None
        firsts = self.engine.put(self.firsts)
        pieces, _ = self.engine.shuffle(tasks.to_parts, found, len(self.firsts), firsts)
        parts = [[number, vectors[number], *own] for number, own in enumerate(pieces)]
        sent, _ = self.engine.shuffle(tasks.to_bundles, parts, len(found), self.how, firsts, len(found))
        shared = self.how, self.engine.put(model), vectoriser, spread
        work = [[number, *own] for number, own in enumerate(sent)]
        counts = self._all(tasks.describe_bundle, work, "describing identities", *shared)
        if (found_rows := sum(profiles for profiles, _ in counts)) != rows:
            raise errors.nodes_lost(rows, found_rows)

    # -- the end -----------------------------------------------------------------------------------------------------

    def _finish(self, how: How, started: str, sources: Sequence[Source], model: Any) -> None:
        for note in self.notes:
            self.report.note(note)
        with FolderStore.at(how.folder) as store:
            size = store.size
            entries = [
                log.Entry(number, "judge", judgement.who, judgement.why, judgement.when or now(), (judgement,),
                          places=store.places({judgement.a, judgement.b}))
                for number, judgement in enumerate(how.judgements, 1)
            ]  # fmt: skip
        run = self._account(started, sources, model)
        meta = {"marker": schema.MARKER, "version": schema.VERSION, "salt": how.salt.hex(), "counted": str(size),
                **({"called": "all"} if how.compares else {}), "fingerprint": "a run over partitions"}  # fmt: skip
        tables = {
            "meta": [{"key": key, "value": value} for key, value in meta.items()],
            "runs": [{name: getattr(run, name) for name in run.__slots__}],
            "judgements": [row for entry in entries for row in log.rows_of_entry(entry)],
        }
        for name, rows in tables.items():
            write_part(how.folder, name, 0, schema.as_table(name, rows))
        shutil.rmtree(how.folder / RAW, ignore_errors=True)
        for left in ("run.json", "rounds"):
            path = how.folder / left
            path.unlink() if path.is_file() else shutil.rmtree(path, ignore_errors=True)

    # -- tasks -------------------------------------------------------------------------------------------------------

    def _one(self, work: Callable[..., Any], *given: Any) -> Any:
        assert self.engine is not None
        return self.engine.get(self.engine.map(work, given[:1], *given[1:])[0])

    def _all(
        self, work: Callable[..., Any], parts: Sequence[Any], stage: str, *shared: Any, apart: bool = False
    ) -> list[Any]:
        """Run all tasks and return their results, which have to be small."""
        assert self.engine is not None
        refs = self.engine.map(work, parts, *shared, apart=apart)
        self._wait(refs, stage)
        return [self.engine.get(ref) for ref in refs]

    def _wait(self, refs: Sequence[Ref], stage: str) -> None:
        assert self.engine is not None
        self.report.start(stage, len(refs))
        for _ in self.engine.done(refs):
            self.report.advance()

    def _summed(self, refs: list[Ref], work: Callable[..., Any]) -> Ref:
        """Add up counts by tasks, a few at a time. Counts are integers, so the order does not matter."""
        assert self.engine is not None
        while len(refs) > 1 or not refs:
            refs = self.engine.map(work, [refs[at : at + AT_ONCE] for at in range(0, len(refs), AT_ONCE)])
        return refs[0]


def _rows(path: Path) -> int:
    import pyarrow.parquet as pq

    return int(pq.ParquetFile(path).metadata.num_rows)


def _begun(folder: Path) -> dict[str, str]:
    """Read the record of an unfinished run."""
    _check_ours(folder)
    try:
        stored = json.loads((folder / "run.json").read_bytes())
        return {"fingerprint": str(stored["fingerprint"]), "salt": bytes.fromhex(stored["salt"]).hex()}
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return {}


def _check_ours(folder: Path) -> None:
    """Refuse to replace a folder that no run has written."""
    written = {*schema.TABLES, *schema.OLD_TABLES, RAW, "rounds", "run.json"}
    for each in folder.iterdir() if folder.exists() else ():
        if each.name not in written and not each.name.startswith(".crossdoc-"):
            raise errors.not_our_folder(folder, each.name)


def folder_for(output: AnyPath | None) -> Path:
    """Return the folder for the answer of a partitioned run."""
    if output is None:
        raise errors.folder_wanted("")
    target = Path(output)
    if target.suffix.lower() == ".crossdoc" or target.is_file():
        raise errors.folder_wanted(target)
    if target.is_dir() and any(target.iterdir()):
        FolderStore.finished(target).close()
        _check_ours(target)
    return target
