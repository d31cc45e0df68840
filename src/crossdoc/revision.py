"""Changes to an answer in place: documents added or taken out, judgements made or taken back.

What is new is read and extracted first; then, in one transaction, it goes into the store, the parts of the collection
that it touches are clustered again by the same method, and identities keep their ids. How usual words and names are is
counted on; what a likeness is worth, and all the rest of the answer, is found anew when the collection has grown or
shrunk by a tenth since it was found (`REFRESH`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from crossdoc import errors, identities, lineage
from crossdoc.cluster.protocol import Clusterer, Work
from crossdoc.cluster.stage import cluster
from crossdoc.compare import blocking
from crossdoc.compare.across import Languages
from crossdoc.compare.evidence import ProfileEvidence
from crossdoc.compare.kept import Asked, Kept, cases_of, counts_of
from crossdoc.compare.known import KnownOdds, apart_by_entries, as_profiles, known_odds, known_table
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.name_prior import NameCounts, are_gathered
from crossdoc.compare.stage import OnlyContexts, believed, types_to_cluster
from crossdoc.compare.stories import Stories
from crossdoc.compare.usual_words import count_usual_words
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.constraints import Constraints
from crossdoc.extract import models
from crossdoc.extract.truecase import CaseCounts
from crossdoc.lineage import Event
from crossdoc.model import Documents, Identity, Judgement, Mentions, Partition, Profiles
from crossdoc.pipeline import Before, Resolver, unmatched_note
from crossdoc.progress import Progress, Quiet
from crossdoc.read import Input, sources_of
from crossdoc.read.documents import holds_profiles
from crossdoc.read.text import printable
from crossdoc.settings import Settings
from crossdoc.stages import compiled, run_fills
from crossdoc.store import Store
from crossdoc.store.connection import interruptible
from crossdoc.store.log import Entry, Located
from crossdoc.store.store import now
from crossdoc.version import __version__

REFRESH = 0.1
"""The share by which a collection may have changed since all of it was compared (experiments/adding.py)."""

FEW = 1_000
"""As many profiles of touched components are all clustered again; of more, those that the change is close to."""

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Change:
    """What a change did to an answer."""

    entry: int | None = None
    """Its number in the log of judgements."""
    events: list[Event] = field(default_factory=list)
    clustered: int = 0
    """How many profiles were clustered again."""
    added: int = 0
    """Documents (or, of profiles from elsewhere, profiles) that were not there before."""
    replaced: int = 0
    removed: int = 0
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Incoming:
    """What goes into the store, and the ids of what goes out of it for that."""

    documents: Documents
    mentions: Mentions
    profiles: Profiles
    gone: Sequence[str] = ()
    """Documents; profiles, where the result is of profiles."""
    unchanged: Sequence[str] = ()


NOTHING = Incoming(Documents.of(()), Mentions.of(()), Profiles.of(()))


class Revision:
    """One change to the answer in a store, by the method and settings of its last run."""

    def __init__(self, store: Store, progress: Progress | None = None) -> None:
        self.store = store
        self.report = progress or Quiet()
        runs = store.runs()
        if not runs or "learned" not in (told := runs[-1].told()):
            raise errors.no_run(store.path or "The answer")
        self.run = runs[-1]
        self.name: str | None = told.pop("name", None)
        self.model = LearnedModel.of(told.pop("learned"), store.path or "The answer")
        self.settings = Settings.load(None, **told)
        self.clusterer = self.settings.clusterer()
        self.of_profiles = not store.count("documents")
        self._languages = Languages(Profiles.of([]))
        self._adds = False
        self._all_words: ContextVectoriser | None = None
        self._made: dict[str, tuple[Rows, ProfileEvidence]] = {}
        self.notes: list[str] = []

    @property
    def _what(self) -> str:
        """What the collection is made of, as the store calls it."""
        return "profiles" if self.of_profiles else "documents"

    @property
    def resolver(self) -> Resolver:
        return Resolver(self.settings, self.name, (), self.model, self.report)

    # -- what people say -------------------------------------------------------------------------------------------

    def judge(self, act: Any, judgements: Sequence[Judgement], who: str, why: str) -> Change:
        """One entry of the log; what contradicts the others is refused before it is written."""
        self._check_types(judgements)
        return self._change(lambda: self.store.record(act, who=who, why=why, judgements=tuple(judgements)))

    def undo(self, number: int | None, who: str, why: str) -> Change:
        undone = self.store.undoable(number)

        def act() -> int:
            self.store.undo(undone.number, who, why)
            return undone.number

        return self._change(act)

    def rename(self, profile: str, name: str, who: str, why: str) -> Change:
        return self._change(lambda: self.store.record("rename", who=who, why=why, profile=profile, name=name))

    def catch_up(self, judgements: Sequence[Judgement], names: dict[str, tuple[int, str]]) -> Change:
        """Let all of the log count in an answer that knew these judgements and names."""
        return self._change(cause="what was judged during the run", known=Located(list(judgements), names, []))

    def _check_types(self, judgements: Sequence[Judgement]) -> None:
        places = self.store.places({id for said in judgements for id in (said.a, said.b)})
        for said in judgements:
            a, b = places[said.a].type, places[said.b].type
            if a and b and a != b:
                raise errors.judgement_between_types(said.a, a, said.b, b)

    # -- documents -------------------------------------------------------------------------------------------------

    def add(self, inputs: Iterable[Input]) -> Change:
        incoming, paths = self._read(inputs)
        if incoming.unchanged:
            self.notes.append(
                f"{len(incoming.unchanged):,} {self._what} were there already with the same content, and nothing was "
                f"done with them: {_some(incoming.unchanged)}"
            )
        return self.take(incoming, paths)

    def take(self, incoming: Incoming, inputs: Sequence[str] = ()) -> Change:
        """Add what was extracted already."""
        count = len(incoming.profiles if self.of_profiles else incoming.documents)
        if not count:
            return Change(notes=self.notes)
        change = self._change(incoming=incoming, cause=f"{count:,} {self._what} added", inputs=inputs)
        return replace(change, added=count - len(incoming.gone), replaced=len(incoming.gone))

    def remove(self, ids: Sequence[str]) -> Change:
        unknown = sorted(set(ids) - self.store.known(self._what, set(ids)))
        if unknown:
            raise errors.unknown_documents(self.store.path or "The answer", unknown, self._what)
        gone = list(dict.fromkeys(ids))
        if len(gone) == self.store.count(self._what):
            raise errors.nothing_left()
        cause = f"{len(gone):,} {self._what} taken out"
        change = self._change(incoming=replace(NOTHING, gone=gone), cause=cause, inputs=[])
        return replace(change, removed=len(gone))

    def _read(self, inputs: Iterable[Input]) -> tuple[Incoming, list[str]]:
        """What is new, extracted as the run did; what is there already with the same content is left out."""
        sources = sources_of(inputs, None, self.settings.columns)
        if not sources:
            raise errors.no_inputs()
        if {holds_profiles(source) for source in sources} != {self.of_profiles}:
            raise errors.other_kind_of_input(self.store.path or "The answer", self._what)
        unchanged: list[str] = []

        def left_out(batch: Any) -> set[str]:
            same = self._same(batch)
            unchanged.extend(sorted(same))
            return same

        if self.settings.language_model is not None:
            models.check_installed(self.settings.language_model)
        resolver = replace(self.resolver, left_out=left_out, beside=self.store)
        with Store.memory() as scratch:
            scratch.set_meta("salt", self.store.salt().hex())
            read = resolver._read_profiles if self.of_profiles else resolver._read_documents
            read(scratch, sources)
            documents, mentions, profiles = scratch.documents(), scratch.mentions(), scratch.profiles()
        self.notes.extend(resolver.notes)
        gone = self.store.known(self._what, (profiles if self.of_profiles else documents).ids)
        paths = [printable(str(source.path)) for source in sources[:1000]]
        return Incoming(documents, mentions, profiles, sorted(gone), unchanged), paths

    def _same(self, batch: Any) -> set[str]:
        """Which of the documents have the text that is stored, which of the profiles are as they are stored."""
        if self.of_profiles:
            there = {profile.id: profile for profile in self.store.profiles(ids=batch.ids)}
            return {profile.id for profile in batch if there.get(profile.id) == profile}
        texts = self.store.texts_of(batch.ids)
        pairs = zip(batch.ids, batch.column("text").to_pylist(), strict=True)
        return {id for id, text in pairs if texts.get(id) == text}

    # -- the change itself -----------------------------------------------------------------------------------------

    def _change(
        self,
        act: Callable[[], int] | None = None,
        incoming: Incoming | None = None,
        cause: str = "",
        inputs: Sequence[str] = (),
        known: Located | None = None,
    ) -> Change:
        """Put in what is new, cluster what it touches, and write all that in one transaction."""
        started, store, self._adds = now(), self.store, incoming is not None
        with store.changing():
            if store.meta("counted") is None:
                store.save_counts(counts_of(store.profiles(), ContextVectoriser().fit(self._texts())))
            held = known or store.located()
            exchanged = Exchanged() if incoming is None else self._exchange(incoming)
            entry = None if act is None else act()
            after = store.located()
            if incoming is not None and after.unmatched:
                self.notes.append(unmatched_note(len(after.unmatched), store.path or "OUT.crossdoc"))
            if incoming is not None:
                self.notes.extend(self._honest_word())
            exchanged.changed.update(_differing(held, after))
            told = cause or _told(store.entries(standing=False)[-1])
            events, clustered = self._revise(exchanged, after, told, stale=incoming is not None and self._is_stale())
            self._rename(held, after)
            if incoming is not None:
                self._account(started, inputs)
            store.revised()
        return Change(entry, events, clustered, notes=self.notes)

    def _honest_word(self) -> list[str]:
        """What a method has to say that cannot go on from an earlier answer."""
        method = self.clusterer.method
        if method.start is not None or method.goes_on or method.scope == "component":
            return []
        touched = "blocks" if method.scope == "block" else "types"
        return [
            f"the method {method.name} cannot go on from an earlier answer: it ran in full on the touched {touched}"
        ]

    def _account(self, started: str, inputs: Sequence[str]) -> None:
        settings = json.dumps({**json.loads(self.run.settings), "learned": self.model.model_dump()})
        account = replace(self.run, started=started, finished=now(), version=__version__, settings=settings)
        self.store.save_run(replace(account, inputs=list(inputs), notes=self.notes))

    def _is_stale(self) -> bool:
        counted = int(self.store.meta("counted") or 0)
        return abs(self.store.size - counted) > REFRESH * counted

    def _texts(self) -> Iterable[list[str]]:
        return OnlyContexts(self.store.profiles()).texts() if self.of_profiles else self.store.texts()

    def _exchange(self, incoming: Incoming) -> Exchanged:
        """Put what is new in the place of what goes."""
        store = self.store
        out = store.profiles_of(incoming.gone, "id" if self.of_profiles else "document")
        was = store.entity_of(out.ids)
        fellows = store.holding(set(was.values())) - set(out.ids)
        for sign, documents, profiles in (
            (-1, store.documents(incoming.gone), out),
            (1, incoming.documents, incoming.profiles),
        ):
            whole = documents.column("text").to_pylist()
            texts = OnlyContexts(profiles).texts() if self.of_profiles else [whole]
            store.add_counts(counts_of(profiles, ContextVectoriser().fit(texts), sign))
            store.add_counts(cases_of(CaseCounts().update(whole).listed(), sign))
        store.drop("mentions", out.ids, "chain")
        for table in ("memberships", "known_odds", "profiles"):
            store.drop(table, out.ids)
        store.drop("documents", incoming.gone)
        store.add(incoming.documents, incoming.mentions, incoming.profiles)
        self._link(incoming.profiles)
        if copies := store.duplicates("profiles", incoming.profiles.ids):
            raise errors.duplicate_ids("The mentions of different documents", copies)
        carried = lineage.carried(was, out, incoming.profiles)
        return Exchanged(set(incoming.profiles.ids), fellows, carried, set(was.values()))

    def _revise(self, exchanged: Exchanged, held: Located, cause: str, *, stale: bool) -> tuple[list[Event], int]:
        """Cluster again what the touched profiles may meet, or everything where too much has changed (`stale`)."""
        store = self.store
        touched = exchanged.changed | exchanged.fellows
        if not (touched or exchanged.left):
            return [], 0
        named = store.named()
        self._languages = Languages(named)
        named = named if self.name is not None else self._languages.named(named)
        limits = self._limits(held, named)
        types = types_to_cluster(named, limits)
        rows = np.arange(len(named)) if stale else self._to_cluster(named, limits, types, touched)
        if len(rows) > FEW and not stale and self._is_local:
            rows = self._close(named, limits, types, rows, exchanged)
        ids = named.ids[rows]
        before = {**store.entity_of(ids), **exchanged.entity_of}
        gone = exchanged.left | set(before.values())
        naming = Before(before, gone, store.ages(), store.ids_used(ids) - gone)
        compared = self._refreshed(held) if stale else self._part
        going_on = before if self._adds and not stale else {}
        answers: list[Partition] = []
        described: list[Identity] = []
        for entity_type in sorted(set(types[rows])):
            evidence = compared(entity_type, named, limits, rows[types[rows] == entity_type])
            with interruptible():
                found = cluster(evidence, *self._method(evidence, before, going_on))
            self.notes.extend(found.notes)
            partition = naming.called(found.partition)
            words = identities.key_words(partition, evidence.vectors)
            facts = store.facts(evidence.profiles)
            found_now = identities.describe(partition, evidence.profiles, facts, words, held.names)
            described.extend(replace(each, certainty=believed(each.certainty, self.model)) for each in found_now)
            answers.append(partition)
        store.drop("memberships", ids)
        store.drop("identities", gone)
        for partition in answers:
            store.add_memberships(partition)
        store.add_identities(described)
        now_of = {id: entity for partition in answers for id, entity in lineage.labels_of(partition).items()}
        happened = lineage.events(before, now_of, gone)
        store.add_events(happened, cause)
        return happened, len(ids)

    def _to_cluster(self, named: Profiles, limits: Constraints, types: Any, touched: Set[str]) -> Rows:
        """The rows of all parts that hold a touched profile, or another of an identity that is clustered again."""
        part = np.full(len(named), -1, dtype=np.int64)
        seeds, ids = set(touched), named.ids
        while True:
            wanted = np.isin(ids, list(seeds))
            for entity_type in sorted(set(types[wanted & (part < 0)])):
                rows = np.flatnonzero(types == entity_type)
                for held in self._parts(named.take(rows), limits.restrict(rows)):
                    part[rows[held]] = rows[held[0]]
            found = np.flatnonzero(np.isin(part, np.unique(part[wanted])))
            there = set(ids[found])
            fellows = self.store.holding(set(self.store.entity_of(there).values()))
            if fellows <= there:
                return found
            seeds = there | fellows

    @property
    def _is_local(self) -> bool:
        """Whether it can be told which identities something new may join."""
        joins = self.clusterer.method.scope == "component" and self.clusterer.threshold is not None
        return joins and self.name is None and self.model.ensemble is None

    def _close(self, named: Profiles, limits: Constraints, types: Any, rows: Rows, exchanged: Exchanged) -> Rows:
        """Of the rows of large components those of identities that what has changed belongs to or may join.

        A method with a threshold joins nothing where no pair is that strong, so that an identity without such a pair
        is as it was.
        """
        store, position = self.store, {id: row for row, id in enumerate(named.ids)}
        changed = np.array(sorted(position[id] for id in exchanged.changed if id in position), dtype=np.int64)
        near = [*exchanged.fellows, *exchanged.changed]
        for entity_type in sorted(set(types[changed])):
            own = np.flatnonzero(types == entity_type)
            asked = np.searchsorted(own, changed[types[changed] == entity_type])
            pairs = own[blocking.meeting(named.take(own), asked)]
            met = named.ids[np.unique(pairs)]
            fellows = [position[id] for id in store.holding(set(store.entity_of(met).values()))]
            held = np.union1d(pairs, np.array(fellows, dtype=np.int64))
            held = held[types[held] == entity_type]
            evidence = self._part(entity_type, named, limits, held)
            self._made[entity_type] = held, evidence
            strength = evidence.strengths(np.searchsorted(held, pairs).astype(np.int32))
            near.extend(named.ids[pairs[strength >= self._joins, 1]])
        kept = store.holding(set(store.entity_of(near).values())) | exchanged.changed
        return np.array(sorted(position[id] for id in kept if id in position), dtype=np.int64)

    @property
    def _joins(self) -> float:
        """The strength at which the method joins."""
        filled = self.clusterer.filled(run_fills(self.clusterer, self.settings.seed, self.model))
        return float(filled.parameters[self.clusterer.threshold or ""])

    def _parts(self, named: Profiles, limits: Constraints) -> list[Rows]:
        """What the method is given at a time."""
        scope = self.clusterer.method.scope
        if scope == "type" or self.name is not None:
            return [np.arange(len(named))]
        return blocking.components(named, limits) if scope == "component" else blocking.blocks(named, limits.group)

    def _method(
        self, evidence: ProfileEvidence, before: Mapping[str, str], going_on: Mapping[str, str]
    ) -> tuple[Clusterer, Work]:
        """The method, which begins at the answer so far where it can; where `going_on` it is to stay near that."""
        work = Work(self.settings.max_block, self.settings.threads, self.report, before=going_on)
        clusterer = self.clusterer.filled(run_fills(self.clusterer, self.settings.seed, self.model, work.threads))
        start = clusterer.method.start
        if start is None:
            return clusterer, work
        alone = (f"{id} by itself" for id in evidence.ids)
        labels = [before.get(id, new) for id, new in zip(evidence.ids, alone, strict=True)]
        return clusterer.filled({start: np.unique(labels, return_inverse=True)[1]}, over=True), work

    # -- what is known of the collection -----------------------------------------------------------------------------

    def _refreshed(self, held: Located) -> Callable[..., ProfileEvidence]:
        """Everything compared anew."""
        resolver = self.resolver
        resolver.known = self.store.known_entries()
        comparison = resolver._linked(self.store, resolver._compare(self.store, held.judgements))
        comparison = replace(comparison, constraints=self._limits(held, comparison.profiles))
        self.model = comparison.model
        self.store.save_counts(counts_of(comparison.profiles, comparison.vectoriser))
        self.notes.extend(["the collection has changed by more than a tenth, so that all was compared anew"])
        self.notes.extend(resolver.notes)
        return lambda entity_type, named, limits, rows: comparison[entity_type]

    def _part(self, entity_type: str, named: Profiles, limits: Constraints, rows: Rows) -> ProfileEvidence:
        """The evidence of some profiles, as it is among all of the collection."""
        if entity_type in self._made:
            of_rows, evidence = self._made[entity_type]
            if np.isin(rows, of_rows).all():
                return evidence.part(np.searchsorted(of_rows, rows))
        store, whole = self.store, self.model.ensemble is not None
        # Specialists look at all profiles of a type to know what is usual.
        profiles = store.profiles(ids=(named.ids if whole else named.ids[rows]))
        texts = None if self.of_profiles else store.texts_of
        asked = Asked.by(profiles, whole=texts is not None)
        vectoriser = self._vectoriser(asked)
        if self.name is not None:
            count_usual_words(vectoriser, profiles)
        related = {
            field: {key: n for key, _, n in store.counted(field, entity_type, {*units, ""})}
            for field, units in asked.related.items()
        }
        kept = Kept(
            self._names(entity_type, asked),
            {field: (said.get("", 0), said) for field, said in related.items()},
            self.name,
        )
        limited = limits if whole else limits.restrict(rows)
        made = ProfileEvidence(
            self.model,
            vectoriser,
            profiles,
            limited,
            one_name=self.name is not None,
            texts=texts,
            kept=kept,
            languages=self._languages,
            stories=None if texts is None else cache(lambda: Stories.of(profiles, texts, vectoriser)),
        )
        return made.part(rows) if whole else made

    def _vectoriser(self, asked: Asked) -> ContextVectoriser:
        if asked.words is None and self._all_words is not None:
            return self._all_words
        vectoriser = ContextVectoriser()
        vectoriser.document_count = self.store.size
        vectoriser.document_frequency.update({key: n for key, _, n in self.store.counted("word", "", asked.words)})
        # Under one name words from elsewhere are counted along.
        if asked.words is None and self.name is None:
            self._all_words = vectoriser
        return vectoriser

    def _names(self, entity_type: str, asked: Asked) -> NameCounts:
        firsts, people, once, names = self.store.counted_names(entity_type, asked.firsts)
        bearers = self.store.counted("name", entity_type, asked.lasts)
        return NameCounts.kept(bearers, firsts, people, are_gathered(once, names))

    # -- the known list --------------------------------------------------------------------------------------------

    def _link(self, new: Profiles) -> None:
        """Keep what speaks for new profiles being known entries."""
        entries = self.store.known_entries()
        types = np.array([each or "" for each in new.column("type").to_pylist()], dtype=object)
        model = self.model if self.model.ensemble is None else LearnedModel.default()
        for entity_type in sorted(set(types)) if entries else ():
            own = new.take(np.flatnonzero(types == entity_type))
            asked = Asked.by(Profiles(pa.concat_tables([own.arrow, as_profiles(entries).arrow])))
            counts = None if self.name is not None else self._names(entity_type, asked)
            found = known_odds(
                own, entity_type or None, entries, model, self._vectoriser(asked), counts, seed=self.settings.seed
            )
            self.store.add_known_odds(known_table(found, own, entries))

    def _limits(self, held: Located, named: Profiles) -> Constraints:
        """What was judged, and that profiles of two known entries are never one."""
        limits = compiled(held.judgements, named)
        row_of = {id: row for row, id in enumerate(named.ids)}
        profile, entry, odds = (column.to_pylist() for column in self.store.known_odds().columns)
        rows = np.array([row_of[id] for id in profile], dtype=np.int64)
        coded = np.unique(np.array(entry, dtype=object).astype(str), return_inverse=True)[1]
        apart = apart_by_entries(KnownOdds(rows, coded, np.array(odds, dtype=np.float64)), limits.group)
        return replace(limits, cannot=np.concatenate([limits.cannot, apart]))

    # -- names that people gave ------------------------------------------------------------------------------------

    def _rename(self, held: Located, after: Located) -> None:
        """Names that were given or taken back; those of identities that were clustered again are there already."""
        changed = {id for id, _ in held.names.items() ^ after.names.items()}
        for identity in set(self.store.entity_of(changed).values()):
            members = self.store.entity_of([identity], "entity")
            self.store.rename(identity, identities.given_name(members, after.names))


@dataclass
class Exchanged:
    """What putting something in the place of something else touches."""

    changed: set[str] = field(default_factory=set)
    """Profiles that are new, or of which something else is said."""
    fellows: set[str] = field(default_factory=set)
    """Profiles of identities that others went from."""
    entity_of: dict[str, str] = field(default_factory=dict)
    """By new profile the identity that it takes over from one that went."""
    left: set[str] = field(default_factory=set)
    """Identities that profiles went from."""


def _differing(before: Located, after: Located) -> set[str]:
    """The profiles of judgements that hold in one and not in the other."""
    told = [{(j.a, j.b, j.verdict, j.hard, j.weight) for j in held.judgements} for held in (before, after)]
    return {id for said in told[0] ^ told[1] for id in said[:2]}


def _told(entry: Entry) -> str:
    return f"entry {entry.number}: {entry}" + (f": {entry.why}" if entry.why else "")


def _some(ids: Sequence[str], most: int = 5) -> str:
    return ", ".join(ids[:most]) + (" …" if len(ids) > most else "")
