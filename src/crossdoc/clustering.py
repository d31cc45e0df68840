"""From profiles to identities: compare, cluster, describe, one entity type after the other.

The second half of the pipeline: what is learned on the collection itself, which blocks or vectors a method gets, and
what a later run may take over from a stopped one.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from crossdoc import errors, identities
from crossdoc.cluster.methods import (
    BASELINES,
    CONTEXTS,
    CORRELATION,
    FUZZY,
    SAMPLING,
    WITHOUT_THRESHOLD,
    cluster_correlation,
    cluster_names,
    cluster_relations,
    cluster_sampled,
    cluster_vectors,
    largest_block,
)
from crossdoc.compare.blocking import blocks
from crossdoc.compare.comparer import CLASH_WEIGHT, Comparer
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.self_training import adapted, joined_contexts
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.constraints import Constraints
from crossdoc.extract.extractor import MASKED
from crossdoc.extract.full_names import recurring_people
from crossdoc.model import Identity, Judgement, Partition, Profiles, Relations, Vectors, rows_of
from crossdoc.progress import Progress
from crossdoc.settings import Settings
from crossdoc.store import Store

EVEN = 0.5
"""The strength at which a pair is as usual for one entity as for two: where a method joins unless it learned better."""


@dataclass
class ClusterStage:
    """Profiles in the store in, identities in the store out."""

    settings: Settings
    model: LearnedModel
    name: str | None
    report: Progress
    notes: list[str]
    checkpoint: Path | None = None
    """The output beside which sampling keeps its checkpoints."""
    resume: bool = False
    solved: Counter[str] = field(default_factory=Counter)
    widest_gap: float = 0.0

    def run(self, store: Store, judgements: list[Judgement]) -> LearnedModel:
        """Fill the store with identities; the model that compared them, as adapted to the collection."""
        everything = store.profiles()
        position = {id: row for row, id in enumerate(everything.ids)}
        limits = Constraints.compile(judgements, position, len(everything))
        vectoriser = ContextVectoriser()
        types = _types_to_cluster(everything, limits)
        self.report.start("counting words", None)
        collection = store.texts() if store.count("documents") else [everything.column("context").to_pylist()]
        vectoriser.fit(collection)
        model = self._adapted(store, everything, vectoriser)
        if self.settings.method not in BASELINES or self.settings.method == "string-match":
            self.notes.append(self._method_note(model))
        if self.settings.method in BASELINES and any(not judgement.hard for judgement in judgements):
            self.notes.append(f"soft constraints do not count with the method {self.settings.method}")
        found: list[Identity] = []
        store.keep_answers_under(_told(judgements))
        done = store.clustered()
        for entity_type in sorted(set(types)):
            rows = np.flatnonzero(types == entity_type)
            profiles = everything.take(rows)
            comparer = Comparer(model, vectoriser, profiles, one_name=self.name is not None)
            if entity_type in done:
                partition = Partition.from_table(profiles.ids, rows_of(store.memberships(), profiles.ids))
            else:
                begun = time.perf_counter()
                if self.settings.method == SAMPLING:
                    partition = self._sampled(comparer, limits.restrict(rows))
                else:
                    partition = self.partition(comparer, limits.restrict(rows))
                store.save_partition(entity_type, partition, time.perf_counter() - begun)
            words = identities.key_words(partition, comparer.vectors)
            found.extend(
                identities.describe(
                    partition, profiles, store.name_variants(), store.mention_counts(), store.dates(), words
                )
            )
        if self.solved:
            self.notes.append(self._solver_note())
        store.save_identities(found)
        return model

    def _adapted(self, store: Store, profiles: Profiles, vectoriser: ContextVectoriser) -> LearnedModel:
        """The model with what similar contexts are worth in this collection, learned without labels."""
        settings = self.settings
        if not settings.self_training or not self.model.adaptable or settings.method in BASELINES:
            return self.model
        self.report.start("learning on the collection itself")
        if self.name is not None:
            found = recurring_people(store.each_document(), store.documents, self.name, settings.window, MASKED)
            profiles = Profiles.of(found)

        def texts(ids: Sequence[str]) -> dict[str, str]:
            return {document.id: document.text for document in store.documents(ids)}

        whole = texts if store.count("documents") else joined_contexts(profiles)
        return adapted(self.model, profiles, whole, vectoriser, settings.seed)

    def _threshold(self) -> float:
        if self.settings.threshold is not None:
            return self.settings.threshold
        return self.model.threshold.get(self.settings.method, EVEN)

    def _method_note(self, model: LearnedModel) -> str:
        method = self.settings.method
        if method == "string-match":
            return "method string-match: the same name is the same entity"
        compared = "context windows" if model.ensemble is None else "an ensemble of specialists"
        if method in WITHOUT_THRESHOLD:
            return f"method {method} over {compared}"
        told = "given" if self.settings.threshold is not None else "even odds"
        if self.settings.threshold is None and method in model.threshold:
            told = f"learned on {model.learned_on['threshold']}"
        note = f"method {method} over {compared}, threshold {self._threshold():g} ({told})"
        if model.contexts is not None and model.ensemble is None:
            learned = model.learned_on.get("contexts", "other data")
            note += f"; a strength of 0.5 is a cosine of {model.contexts.even:.3f} (learned on {learned})"
        return note

    def partition(self, comparer: Comparer, limits: Constraints) -> Partition:
        """The profiles of one type, block by block."""
        method, profiles = self.settings.method, comparer.profiles
        if method in BASELINES:
            return Partition(profiles.ids, cluster_names(method, profiles.column("name").to_pylist(), limits))
        found = [np.arange(len(profiles))] if self.name else blocks(profiles, limits.group)
        self.report.start(f"clustering {profiles.column('type')[0].as_py() or 'profile'}s", len(profiles))
        parts: list[sparse.csr_matrix] = []
        for rows in found:
            parts.append(self._block(comparer, rows, limits))
            self.report.advance(len(rows))
        stacked = sparse.block_diag(parts, format="csr")
        back = np.argsort(np.concatenate(found), kind="stable")
        return Partition(profiles.ids, stacked[back])

    def _sampled(self, comparer: Comparer, limits: Constraints) -> Partition:
        """All profiles of one type at once, going on from a checkpoint beside the output if there is one to resume."""
        profiles, beside = comparer.profiles, self.checkpoint
        entity_type = profiles.column("type")[0].as_py()
        names = None if self.name else [name or "" for name in profiles.column("name").to_pylist()]
        checkpoint = None if beside is None else beside.with_name(f"{beside.name}.{entity_type or 'profile'}.sampling")
        self.report.start(f"sampling {entity_type or 'profile'}s", None)
        found = cluster_sampled(
            comparer.vectors,
            names,
            entity_type,
            limits,
            self._weights(comparer.model, entity_type),
            self.settings,
            checkpoint,
            self.resume,
            self.report,
        )
        self.notes.append(f"{entity_type or 'profile'}s: {found.told}")
        if found.stopped:
            self.notes.append(f"sampling {entity_type or 'profile'}s was stopped before its end; --resume goes on")
        elif checkpoint is not None:
            checkpoint.unlink(missing_ok=True)
        return Partition(profiles.ids, found.membership)

    def _large_block(self, comparer: Comparer, rows: Any, limits: Constraints, most: int) -> sparse.csr_matrix:
        """By candidate pairs alone where the method can do with them."""
        method = self.settings.method
        if method in FUZZY:
            raise errors.too_many_for_fuzzy(len(rows), most)
        if method == CONTEXTS:
            raise errors.too_many_for_linkage(len(rows), most)
        relations = comparer.candidate_block(rows, limits)
        self.notes.append(
            f"a block of {len(rows):,} profiles: compared were the {len(relations):,} pairs whose names agree"
        )
        return self._clustered(relations, limits, most)

    def _clustered(self, relations: Relations, limits: Constraints, most: int) -> sparse.csr_matrix:
        settings = self.settings
        if settings.method != CORRELATION:
            return cluster_relations(settings.method, relations, limits, self._threshold(), most, settings.seed)
        found = cluster_correlation(relations, limits, self._threshold(), settings.seed)
        self.solved[found.solver] += 1
        self.widest_gap = max(self.widest_gap, found.gap)
        return found.membership

    def _solver_note(self) -> str:
        """Which solvers correlation clustering chose for the blocks, and how far from optimal an answer can be."""
        blocks = ", ".join(f"{solver} ({many:,})" for solver, many in self.solved.most_common())
        optimal = f"at most {self.widest_gap:.2%} of the cost of a block is above the optimum"
        return f"solvers, by blocks: {blocks}; " + (optimal if self.widest_gap > 0 else "all answers are optimal")

    def _weights(self, model: LearnedModel, entity_type: str | None) -> tuple[float, float] | None:
        """The cosine that speaks neither for nor against, and the worth of the same name; None: not known."""
        if model.contexts is None or not entity_type:
            return None
        same_name = 0.0 if self.name else model.name_evidence.get(entity_type, {}).get("same", 0.0)
        return model.contexts.even, same_name

    def _block(self, comparer: Comparer, rows: Any, limits: Constraints) -> sparse.csr_matrix:
        if len(rows) == 1:
            return sparse.csr_matrix([[1.0]])
        settings = self.settings
        most = largest_block(settings.method, settings.max_block)
        inside = limits.restrict(rows)
        if len(rows) > most:
            return self._large_block(comparer, rows, inside, most)
        if settings.method == CONTEXTS:
            inside = inside.with_soft(comparer.clashes(rows), -CLASH_WEIGHT)
            vectors = Vectors(comparer.vectors.matrix[rows], comparer.vectors.features)
            weights = self._weights(comparer.model, comparer.profiles.column("type")[0].as_py())
            # The same name is worth some cosine, so that contexts need that much less.
            even = None if weights is None else max(weights[0] - weights[1], 0.0)
            return cluster_vectors(settings.method, vectors, inside, even, settings.seed)
        relations, clashes = comparer.block(rows)
        inside = inside.with_soft(clashes, -CLASH_WEIGHT)
        return self._clustered(relations, inside, most)


def _told(judgements: Sequence[Judgement]) -> str:
    """What an answer depends on beside the input: the judgements, in a form that can be compared."""
    listed = [(j.a, j.b, j.verdict, j.hard, j.weight) for j in judgements]
    return hashlib.sha256(json.dumps(listed).encode()).hexdigest()


def _types_to_cluster(profiles: Profiles, limits: Constraints) -> Any:
    """Each profile's type ('' where it has none); profiles that must be one take the type of the first of them."""
    types = np.array([t or "" for t in profiles.column("type").to_pylist()], dtype=object)
    for rows in limits.linked_rows():
        types[rows] = types[rows[0]]
    return types
