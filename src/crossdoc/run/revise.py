"""Changes to an answer in place: documents added or removed, judgements made or undone.

New documents are read and extracted first. Then, in one transaction, they go into the store, the parts of the
collection that they touch are clustered again by the same method, and identities keep their ids. Frequencies of words
and names are updated. Likelihood ratios, and the rest of the answer, are recomputed when the collection has grown or
shrunk by a tenth since the last time (`REFRESH`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from crossdoc import errors
from crossdoc.cluster.clusterer import Clusterer, Work, cluster
from crossdoc.compare.evidence import ProfileEvidence
from crossdoc.compare.known import known_table
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.memory_collection import ContextTexts, MemoryCollection
from crossdoc.compare.statistics import Statistics, capital_rows, topic_rows
from crossdoc.extract import models
from crossdoc.extract.extractor import confirmed
from crossdoc.extract.truecase import CaseCounts
from crossdoc.model import Identity, Judgement, Partition, Profiles
from crossdoc.model import identity as identities
from crossdoc.model.evidence_protocol import Constraints
from crossdoc.model.partition import Event, FormerIds, events, labels_of
from crossdoc.model.partition import carried as carried_over
from crossdoc.progress import Progress, Quiet, uncollected
from crossdoc.read import Input, sources_of
from crossdoc.read.clean_text import printable
from crossdoc.read.documents import holds_profiles
from crossdoc.run.affected import FEW, NOTHING, ChangedCollection, Incoming, read_incoming
from crossdoc.run.stored_collection import (
    compare_stored,
    described,
    keep_statistics,
    link_known,
    run_fills,
    unmatched_note,
)
from crossdoc.settings import Settings
from crossdoc.store import Store
from crossdoc.store.connection import interruptible
from crossdoc.store.history_table import Snapshot, now
from crossdoc.store.judgement_log import Entry, Located, cancelled
from crossdoc.store.store import Outdated
from crossdoc.version import __version__

REFRESH = 0.1
"""Share of the collection. After a larger change everything is compared again (experiments/adding.py)."""


@dataclass(frozen=True, slots=True)
class Change:
    """Effect of a change on an answer."""

    entry: int | None = None
    """Its number in the log of judgements."""
    events: list[Event] = field(default_factory=list)
    clustered: int = 0
    """Number of profiles that were clustered again."""
    added: int = 0
    """Documents that were not there before, or profiles if the collection has no documents."""
    replaced: int = 0
    removed: int = 0
    notes: list[str] = field(default_factory=list)


class Revision:
    """One change to the answer in a store, by the method and settings of its last run."""

    def __init__(self, store: Store, progress: Progress | None = None) -> None:
        self.store = store
        self.report = progress or Quiet()
        runs = store.runs()
        if not runs or "learned" not in (settings := runs[-1].parsed_settings()):
            raise errors.no_run(store.path or "The answer")
        self.run = runs[-1]
        self.name: str | None = settings.pop("name", None)
        self.model = LearnedModel.of(settings.pop("learned"), store.path or "The answer")
        # A setting up to version 0.1.
        settings.pop("format", None)
        self.settings = Settings.load(None, **settings)
        self.clusterer = self.settings.clusterer()
        self.of_profiles = not store.count("documents")
        self._what = "profiles" if self.of_profiles else "documents"
        self._adds = False
        self.notes: list[str] = []

    def collection(self, judgements: Sequence[Judgement]) -> ChangedCollection:
        """Return the collection of the answer as it is now, with judgements."""
        return ChangedCollection.judged(self.store, self.model, self.name is not None, judgements, self.clusterer)

    def judge(self, act: Any, judgements: Sequence[Judgement], who: str, why: str) -> Change:
        """Add one entry to the log; an entry that contradicts the others is refused before it is written."""
        self._check_types(judgements)
        by = ", ".join(filter(None, [who, "this one"]))

        def record() -> int:
            all_ = [*self.store.located().judgements, *(replace(each, who=by, why=why) for each in judgements)]
            ids = sorted({id for each in all_ for id in (each.a, each.b)})
            Constraints.between(ids, all_)
            return self.store.record(act, who=who, why=why, judgements=tuple(judgements))

        return self._change(record)

    def undo(self, number: int | None, who: str, why: str) -> Change:
        undone = self.store.undoable(number)

        def act() -> int:
            self.store.undo(undone.number, who, why)
            return undone.number

        return self._change(act, also=self.store.moved_by(f"entry {undone.number}:"))

    def rename(self, profile: str, name: str, who: str, why: str) -> Change:
        return self._change(lambda: self.store.record("rename", who=who, why=why, profile=profile, name=name))

    def catch_up(self, judgements: Sequence[Judgement], names: dict[str, tuple[int, str]]) -> Change:
        """Apply the log to an answer that was made with these judgements and names."""
        return self._change(cause="what was judged during the run", known=Located(list(judgements), names, []))

    def _check_types(self, judgements: Sequence[Judgement]) -> None:
        places = self.store.places({id for judgement in judgements for id in (judgement.a, judgement.b)})
        for judgement in judgements:
            a, b = places[judgement.a].type, places[judgement.b].type
            if a and b and a != b:
                raise errors.judgement_between_types(judgement.a, a, judgement.b, b)

    def add(self, inputs: Iterable[Input], extractor: str | None, read: list[tuple[Incoming, list[str]]]) -> Change:
        """Add new items; `read` has those that an earlier attempt has read, or gets them.

        Other processes may write the file meanwhile, and then the change is made again.
        """
        self._trust(extractor)
        if not read:
            state = self.store.state()
            with self.store.at_rest():
                read.append(self.read(inputs))
            if self.store.state() != state:
                raise Outdated
        incoming, paths = read[0]
        ids = (incoming.profiles if self.of_profiles else incoming.documents).ids
        incoming = replace(incoming, gone=sorted(self.store.known(self._what, ids)))
        if incoming.unchanged:
            self.notes.append(
                f"{len(incoming.unchanged):,} {self._what} were already there with the same content and were "
                f"skipped: {_some(incoming.unchanged)}"
            )
        return self.take(incoming, paths)

    def take(self, incoming: Incoming, inputs: Sequence[str] = ()) -> Change:
        count = len(incoming.profiles if self.of_profiles else incoming.documents)
        if not count:
            return Change(notes=self.notes)
        change = self._change(incoming=incoming, cause=f"{count:,} {self._what} added", inputs=inputs)
        return replace(change, added=count - len(incoming.gone), replaced=len(incoming.gone))

    def remove(self, ids: Sequence[str]) -> Change:
        unknown = sorted(set(ids) - self.store.known(self._what, set(ids)))
        if unknown:
            raise errors.unknown_ids(self.store.path or "The answer", self._what, unknown)
        gone = list(dict.fromkeys(ids))
        if len(gone) == self.store.count(self._what):
            raise errors.nothing_left()
        cause = f"{len(gone):,} {self._what} taken out"
        change = self._change(incoming=replace(NOTHING, gone=gone), cause=cause, inputs=[])
        return replace(change, removed=len(gone))

    def _trust(self, extractor: str | None) -> None:
        """Allow only extractors and models that are installed here or named again by the caller."""
        if self.settings.language_model is not None:
            models.check_installed(self.settings.language_model)
        if self.settings.extractor is not None:
            given = confirmed(self.settings.extractor, extractor, self.store.path or "The answer")
            self.settings = self.settings.model_copy(update={"extractor": given})
        elif extractor is not None:
            raise errors.other_extractor(self.store.path or "The answer", extractor)

    def read(self, inputs: Iterable[Input]) -> tuple[Incoming, list[str]]:
        """Extract new items as the run did; return them and the paths of their files."""
        sources = sources_of(inputs, self.settings.columns)
        if not sources:
            raise errors.no_inputs()
        if {holds_profiles(source) for source in sources} != {self.of_profiles}:
            raise errors.other_kind_of_input(self.store.path or "The answer", self._what)
        incoming, notes = read_incoming(self.store, sources, self.settings, self.name, self._what, self.report)
        self.notes.extend(notes)
        return incoming, [printable(str(source.path)) for source in sources[:1000]]

    def _change(
        self,
        act: Callable[[], int] | None = None,
        incoming: Incoming | None = None,
        cause: str = "",
        inputs: Sequence[str] = (),
        known: Located | None = None,
        also: Set[str] = frozenset(),
    ) -> Change:
        """Add new items, cluster the profiles they affect (and `also` these), and write all in one transaction."""
        started, store, self._adds = now(), self.store, incoming is not None
        with store.changing():
            held = known or store.located()
            exchanged = Exchanged() if incoming is None else self._exchange(incoming)
            entry = None if act is None else act()
            after = store.located()
            if incoming is not None:
                if after.unmatched:
                    self.notes.append(unmatched_note(len(after.unmatched), store.path or "OUT.crossdoc"))
                self._note_a_full_run()
            exchanged.changed.update(_differing(held, after))
            exchanged.fellows.update(also)
            log = [] if cause else store.entries(standing=False)
            reason = cause or _cause(log[-1])
            # The rest of a small collection is compared as in a run, so that no trace of removed documents remains.
            few = incoming is not None and not len(incoming.profiles) and store.count("profiles") <= FEW
            stale = few or (incoming is not None and self._is_stale)
            # Without this, Python's garbage collector would scan all objects about once per change.
            with uncollected() if self._is_local and not stale else nullcontext():
                events, clustered = self._revise(exchanged, after, reason, log, stale=stale)
            self._rename(held, after)
            if incoming is not None:
                self._account(started, inputs)
            store.set_meta("revision", str(store.revision + 1))
        return Change(entry, events, clustered, notes=self.notes)

    def _note_a_full_run(self) -> None:
        method, touched = self.clusterer.method, "blocks" if self.clusterer.method.scope == "block" else "types"
        if method.start is None and method.scope != "component":
            self.notes.append(
                f"the method {method.name} cannot continue from an earlier answer; it ran in full on the affected "
                f"{touched}"
            )

    def _account(self, started: str, inputs: Sequence[str]) -> None:
        settings = json.dumps({**json.loads(self.run.settings), "learned": self.model.model_dump()})
        account = replace(self.run, started=started, finished=now(), version=__version__, settings=settings)
        self.store.save_run(replace(account, inputs=list(inputs), notes=self.notes))

    @property
    def _is_stale(self) -> bool:
        counted = int(self.store.meta("counted") or self.store.size)
        return abs(self.store.size - counted) > REFRESH * counted

    def _exchange(self, incoming: Incoming) -> Exchanged:
        """Replace removed items by new ones."""
        store = self.store
        out = store.profiles(incoming.gone, "id" if self.of_profiles else "document")
        was = store.entity_of(out.ids)
        fellows = store.holding(set(was.values())) - set(out.ids)
        going = [(-1, store.documents(incoming.gone), out)] if incoming.gone else []
        for sign, documents, profiles in (*going, (1, incoming.documents, incoming.profiles)):
            whole = documents.column("text").to_pylist()
            texts = ContextTexts(profiles).texts() if self.of_profiles else [whole]
            store.add_statistics(Statistics.of(profiles, texts).tables(sign))
            if self.name is None and self.settings.extractor is None:
                # Only our own reader of full texts needs counts of capitals.
                store.add_statistics({"capitals": capital_rows(CaseCounts().update(whole).listed(), sign)})
        left = {id for id in out.column("document").to_pylist() if id}
        topics = store.topics(left | set(incoming.gone))[0] if incoming.gone else {}
        gone = {id: topics[id] for id in incoming.gone if id in topics}
        store.add_statistics({"document_topics": topic_rows(gone, -1)})
        store.drop("mentions", out.ids, "chain")
        for table in ("memberships", "known_odds", "profiles"):
            store.drop(table, out.ids)
        store.drop("documents", incoming.gone)
        store.add(incoming.documents, incoming.mentions, incoming.profiles)
        self._link(incoming.profiles)
        if copies := store.duplicates("profiles", incoming.profiles.ids):
            raise errors.duplicate_ids("The mentions of different documents", copies)
        carried = carried_over(was, out, incoming.profiles)
        return Exchanged(set(incoming.profiles.ids), fellows, carried, set(was.values()), set(topics.values()))

    def _revise(
        self, exchanged: Exchanged, held: Located, cause: str, log: Sequence[Entry], *, stale: bool
    ) -> tuple[list[Event], int]:
        """Cluster again the candidates of the touched profiles, or everything after too many changes (`stale`).

        If an entry of the log is the cause, `log` ends with it.
        """
        store = self.store
        touched = exchanged.changed | exchanged.fellows
        if (former := self._former(log)) is not None:
            return self._put_back(former, held, cause, log), 0
        if not (touched or exchanged.left):
            if log and log[-1].act != "rename":
                store.keep_former(log[-1].number, store.snapshot(log[-1].about, ()), log[-1].about)
            return [], 0
        whole = self.collection(held.judgements)
        stale = stale or whole.lacks_statistics
        refreshed = self._refreshed(held) if stale else None
        if refreshed is not None:
            rows, compared = np.arange(len(whole.ids)), dict(refreshed.items())
        else:
            # Additions are found by their names; removals and judgements need the components.
            comes = self._adds and self._is_local and not exchanged.left
            whole.place(touched, exchanged.topics)
            parts = None if comes else whole.to_cluster(touched)
            if parts is None or (len(parts) > FEW and self._is_local):
                parts = whole.close(parts, exchanged.changed, exchanged.fellows, self.joins)
            rows, compared = parts, whole.evidence(parts)
        ids = whole.ids[rows]
        before = {**store.entity_of(ids), **exchanged.entity_of}
        gone = exchanged.left | set(before.values())
        naming = self._naming(ids, before, gone, log)
        replaced = store.snapshot({*ids, *store.holding(gone)}, gone) if log else None
        answers: list[Partition] = []
        for evidence in compared.values():
            with interruptible():
                found = cluster(evidence, *self._method(evidence, before))
            self.notes.extend(found.notes)
            answers.append(naming.keep(found.partition))
        if refreshed is not None:
            readings = {each: own.readings for each, own in compared.items()}
            linked = {each: own.linked for each, own in compared.items()}
            keep_statistics(store, refreshed, readings, linked, topics=self.clusterer.method.scope != "type")
        now_of = {id: entity for partition in answers for id, entity in labels_of(partition).items()}
        happened = events(before, now_of, gone)
        self._write(list(zip(answers, compared.values(), strict=True)), gone, held)
        store.add_events(happened, cause)
        if replaced is None:
            store.forget_former()
        else:
            store.add_id_changes(log[-1].number, before, now_of)
            store.keep_former(log[-1].number, replaced, exchanged.changed)
        return happened, len(ids)

    def _former(self, log: Sequence[Entry]) -> Snapshot | None:
        """Return the rows to put back if the log ends with an undo; None if profiles have to be clustered again.

        Rows are put back only if nothing else has changed them since, and no later judgement is about their profiles.
        """
        store = self.store
        if not log or log[-1].undoes is None:
            return None
        first, last = cancelled(log)
        if not store.keeps_former(first):
            return None
        former, later = store.former(first, last), store.former(last + 1, log[-1].number)
        judged = {id for entry in log if entry.number > last and entry.act != "rename" for id in entry.about}
        is_free = former.profiles.isdisjoint(judged | later.profiles) and former.entities.isdisjoint(later.entities)
        return former if is_free else None

    def _put_back(self, former: Snapshot, held: Located, cause: str, log: Sequence[Entry]) -> list[Event]:
        """Restore the memberships and identities that the undone entries replaced."""
        store, number = self.store, log[-1].number
        present = store.snapshot(former.profiles, ())
        entities = present.entities | former.entities
        present = store.snapshot(former.profiles, entities)
        ids = {*former.profiles, *store.entity_of(entities, "entity")}
        before = store.entity_of(ids)
        store.put_back(former)
        now_of = store.entity_of(ids)
        named = {*held.names, *(entry.profile for entry in log if entry.profile is not None)}
        for identity in set(store.entity_of(named & ids).values()):
            store.rename(identity, identities.given_name(store.entity_of([identity], "entity"), held.names))
        happened = events(before, now_of, set(before.values()))
        store.add_events(happened, cause)
        store.add_id_changes(number, before, now_of)
        store.keep_former(number, present)
        return happened

    def _naming(self, ids: Iterable[str], before: Mapping[str, str], gone: Set[str], log: Sequence[Entry]) -> FormerIds:
        """Return the ids that clusters are named by: those of `before`, or after an undo those before what it undid.

        A profile that has moved since then keeps its present id. One that came since then has no say against others.
        """
        changes = self.store.id_changes(*cancelled(log)) if log and log[-1].undoes is not None else {}
        former = {id: old for id, (old, new) in changes.items() if before.get(id) == new}
        used = self.store.ids_used({*ids, *former.values()}) - gone
        returned = {id: old for id, old in former.items() if old not in used}
        given = {new for _, new in changes.values()}
        late = {id for id, entity in before.items() if entity in given and id not in changes}
        return FormerIds({**before, **returned}, gone, self.store.ages(), used, late)

    def _write(self, answers: Sequence[tuple[Partition, ProfileEvidence]], gone: Set[str], held: Located) -> None:
        """Replace the identities that are `gone` by those that were found."""
        store = self.store
        profiles = Profiles(pa.concat_tables([Profiles.of(()).arrow, *(each.profiles.arrow for _, each in answers)]))
        facts = store.facts(profiles)
        found: list[Identity] = []
        for partition, evidence in answers:
            found += described(partition, evidence.profiles, evidence.vectors, facts, self.model, held.names)
        if answers:
            store.exchange_memberships([partition for partition, _ in answers], gone)
        store.drop("identities", gone)
        store.add_identities(found)

    @property
    def _is_local(self) -> bool:
        """Whether the identities that a new profile may join can be determined."""
        joins = self.clusterer.method.scope == "component" and self.clusterer.threshold is not None
        return joins and self.name is None and not self.model.one_name and self.model.ensemble is None

    @property
    def joins(self) -> float:
        fills = run_fills(self.clusterer, self.settings.seed, self.model)
        return float(self.clusterer.filled(fills).parameters[self.clusterer.threshold or ""])

    def _method(self, evidence: ProfileEvidence, before: Mapping[str, str]) -> tuple[Clusterer, Work]:
        """Return the method, which starts from the present answer if it can."""
        work = Work(self.settings.max_block, self.settings.threads, self.report)
        clusterer = self.clusterer.filled(run_fills(self.clusterer, self.settings.seed, self.model, work.threads))
        start = clusterer.method.start
        if start is None:
            return clusterer, work
        alone = (f"{id} by itself" for id in evidence.ids)
        labels = [before.get(id, new) for id, new in zip(evidence.ids, alone, strict=True)]
        return clusterer.filled({start: np.unique(labels, return_inverse=True)[1]}, over=True), work

    def _refreshed(self, held: Located) -> MemoryCollection:
        comparison = self.compare(held.judgements)
        if self._is_stale:
            self.notes.append("the collection has changed by more than a tenth, so everything was compared again")
        self.notes.extend(comparison.notes)
        if entries := self.store.known_entries():
            comparison = link_known(self.store, comparison, entries, self.settings.seed)
        comparison.constraints = self.collection(held.judgements).constraints
        self.model = comparison.model
        return comparison

    def compare(self, judgements: Sequence[Judgement]) -> MemoryCollection:
        return compare_stored(self.store, judgements, self.settings, self.model, self.name, self.report)

    def _link(self, new: Profiles) -> None:
        """Keep the evidence that new profiles are known entries."""
        entries = self.store.known_entries()
        if entries and len(new):
            collection = self.collection([])
            rows = np.array(sorted(collection.row_of[id] for id in new.ids), dtype=np.int64)
            found = collection.known_odds(entries, rows, seed=self.settings.seed)
            self.store.add_statistics({"known_odds": known_table(found, collection.names.named, entries)})

    def _rename(self, held: Located, after: Located) -> None:
        """Apply names that were given or taken back; identities that were clustered again have theirs already."""
        changed = {id for id, _ in held.names.items() ^ after.names.items()}
        for identity in set(self.store.entity_of(changed).values()):
            members = self.store.entity_of([identity], "entity")
            self.store.rename(identity, identities.given_name(members, after.names))


@dataclass
class Exchanged:
    """Profiles, identities and topics affected by a replacement."""

    changed: set[str] = field(default_factory=set)
    """New profiles, and profiles with changed evidence."""
    fellows: set[str] = field(default_factory=set)
    """Profiles of identities that lost members."""
    entity_of: dict[str, str] = field(default_factory=dict)
    """Identity that each new profile takes over from a removed one."""
    left: set[str] = field(default_factory=set)
    """Identities that lost profiles."""
    topics: set[int] = field(default_factory=set)
    """Topics that lost documents."""


def _differing(before: Located, after: Located) -> set[str]:
    """Return the profiles of judgements that hold in only one of the two."""
    old, new = ({(j.a, j.b, j.verdict, j.hard, j.weight) for j in log.judgements} for log in (before, after))
    return {id for judgement in old ^ new for id in judgement[:2]}


def _cause(entry: Entry) -> str:
    return f"entry {entry.number}: {entry}" + (f": {entry.why}" if entry.why else "")


def _some(ids: Sequence[str]) -> str:
    return ", ".join(ids[:5]) + (" …" if len(ids) > 5 else "")
