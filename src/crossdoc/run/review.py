"""Review of uncertain pairs: those whose judgement would change the answer most come first.

Every judgement counts at once: "same" merges the two identities, anything else is a judgement on the two profiles that
were shown. The choice and order of questions are in :mod:`crossdoc.cluster.questions`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from crossdoc import errors
from crossdoc.cluster.clusterer import EVEN
from crossdoc.cluster.questions import Answered, questions
from crossdoc.compare.collection import evidence as evidence_of
from crossdoc.compare.ensemble import Explanation
from crossdoc.compare.evidence import ProfileEvidence
from crossdoc.model import Verdict
from crossdoc.model.evidence_protocol import Constraints
from crossdoc.progress import Progress, Quiet
from crossdoc.run.resolution import Resolution
from crossdoc.run.revise import Change
from crossdoc.store.judgement_log import Entry

LARGEST = 5_000
"""Profiles. Larger parts of a collection are left out; `left_out` counts them."""
AHEAD = 10
"""Questions prepared in each part."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Are these two profiles one entity? `joined` is the answer so far."""

    a: str
    b: str
    joined: bool
    wrong: float
    """Probability that the present answer is wrong."""
    worth: float
    """Expected change: `wrong` times the number of profiles whose cluster would change."""


class Review:
    """Open questions of an answer, best first; every :meth:`answer` is a judgement of `who` and changes it."""

    def __init__(self, resolution: Resolution, who: str = "", progress: Progress | None = None) -> None:
        self.resolution, self.who = resolution, who
        revision = resolution.revision()
        self.threshold = EVEN if revision.clusterer.threshold is None else revision.joins
        """The strength at which the run joined clusters."""
        self.skipped: set[tuple[str, str]] = set()
        self.answered: list[int] = []
        """Numbers of the log entries that this review wrote and that are in force."""
        self.left_out = 0
        self._parts: list[ProfileEvidence] = []
        for evidence in evidence_of(resolution.collection()).values():
            for rows in evidence.components():
                if len(rows) > LARGEST:
                    self.left_out += len(rows)
                elif len(rows) > 1:
                    self._parts.append(evidence.part(rows))
        self._part_of = {id: number for number, part in enumerate(self._parts) for id in part.ids}
        self._asked: dict[int, list[Asked]] = {}
        report = progress or Quiet()
        report.start("looking for questions", len(self._parts))
        self._refresh(range(len(self._parts)), report)

    def next(self) -> Asked | None:
        return next(iter(self.questions(1)), None)

    def questions(self, top: int | None = None) -> list[Asked]:
        found = [each for own in self._asked.values() for each in own if (each.a, each.b) not in self.skipped]
        return sorted(found, key=lambda each: (-each.worth, each.a, each.b))[:top]

    def skip(self, asked: Asked) -> None:
        self.skipped.add((asked.a, asked.b))
        self._refresh([self._part_of[asked.a]])

    def answer(self, asked: Asked, verdict: Verdict, why: str = "") -> Change:
        """Record a judgement; it counts at once."""
        change = say(self.resolution, asked.a, asked.b, verdict, who=self.who, why=why)
        self.answered += [] if change.entry is None else [change.entry]
        self._refresh([self._part_of[asked.a]])
        return change

    def undo(self) -> Change:
        if not self.answered:
            raise errors.nothing_to_undo()
        number = self.answered.pop()
        entry = next(entry for entry in self.resolution.store.entries() if entry.number == number)
        change = self.resolution.undo(number, who=self.who)
        self.heed(entry.about)
        return change

    def heed(self, profiles: Iterable[str]) -> None:
        """Refresh the questions about these profiles, which another user has judged."""
        self._refresh({self._part_of[id] for id in profiles if id in self._part_of})

    def explain(self, asked: Asked) -> Explanation:
        part = self._parts[self._part_of[asked.a]]
        a, b = (int(np.flatnonzero(part.ids == id)[0]) for id in (asked.a, asked.b))
        return part.explain(a, b)

    def _refresh(self, numbers: Iterator[int] | range | list[int] | set[int], report: Progress | None = None) -> None:
        """Search again for questions in changed parts."""
        store = self.resolution.store
        entity_of, judgements, entries = store.entity_of(), store.located().judgements, store.entries()
        for number in numbers:
            part = self._parts[number]
            position = {id: row for row, id in enumerate(part.ids)}
            part.constraints = Constraints.compile(judgements, position, len(part))
            labels = np.unique([entity_of[id] for id in part.ids], return_inverse=True)[1]
            most = AHEAD + sum(pair[0] in position for pair in self.skipped)
            found = questions(
                part.relations().dense(), labels, part.limits, _answered(entries, position),
                threshold=self.threshold, most=most,
            )  # fmt: skip
            self._asked[number] = [
                Asked(part.ids[each.a], part.ids[each.b], each.joined, each.wrong, each.worth) for each in found
            ]
            if report is not None:
                report.advance()


def say(resolution: Resolution, a: str, b: str, verdict: Verdict, *, who: str = "", why: str = "") -> Change:
    """Store the answer to a question; "same" merges the two identities."""
    own = resolution.store.entity_of([a, b])
    if verdict == "same" and a in own and b in own and own[a] != own[b]:
        return resolution.merge(own[a], own[b], who=who, why=why)
    return resolution.judge(a, b, verdict, who=who, why=why)


def _answered(entries: list[Entry], position: dict[str, int]) -> Answered:
    """Return the judgements of the log on these rows; the first pair of a merge or a split represents all."""
    pairs: dict[str, list[tuple[int, int]]] = {"merged": [], "same": [], "different": []}
    for entry in entries:
        for judgement in {each.verdict: each for each in reversed(entry.judgements)}.values():
            if judgement.a in position and judgement.b in position:
                kind = "merged" if entry.act == "merge" else judgement.verdict
                pairs[kind].append((position[judgement.a], position[judgement.b]))
    return Answered(*(np.array(own, dtype=np.int64).reshape(-1, 2) for own in pairs.values()))
