"""The log of judgements: what was decided, by whom, and about which profiles.

The log is append-only: a later entry (`undo`) names the entry that it revokes. The id of a profile changes if its
document is edited or another extractor reads it. Each entry therefore keeps the document, the name and the place in the
text, by which its profiles are found again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, NamedTuple

from crossdoc import errors
from crossdoc.model import Judgement, view_of
from crossdoc.store.collection_tables import CollectionTables
from crossdoc.store.history_table import now

Act = Literal["judge", "merge", "split", "rename", "undo"]

_JUDGEMENT = ("a", "b", "verdict", "hard", "weight", "who", "why", "when")


@dataclass(frozen=True, slots=True)
class ProfilePlace:
    """Document, name, type and span of a profile at the time of a judgement."""

    document: str | None
    name: str | None
    type: str | None = None
    start: int | None = None
    end: int | None = None

    def __str__(self) -> str:
        return f"{self.name} in {self.document}"


@dataclass(frozen=True, slots=True)
class Entry:
    """One decision of a person, with all pairs of profiles that it implies."""

    number: int
    act: Act
    who: str
    why: str
    when: str
    judgements: tuple[Judgement, ...] = ()
    profile: str | None = None
    """For a new name: a profile of the identity that gets it."""
    name: str | None = None
    undoes: int | None = None
    places: Mapping[str, ProfilePlace] = field(default_factory=dict)
    """Places by profile id, for all profiles that existed at the time of the entry."""

    @property
    def about(self) -> set[str]:
        """Ids of its profiles at the time of the entry."""
        judged = {id for judgement in self.judgements for id in (judgement.a, judgement.b)}
        return judged if self.profile is None else {self.profile}

    def __str__(self) -> str:
        if self.act == "judge" and len(self.judgements) == 1:
            return str(self.judgements[0])
        if self.act == "rename":
            text = f"the identity of {self.profile} is called {self.name}"
        elif self.act == "undo":
            text = f"{self.undoes} does not hold"
        else:
            counts = Counter(judgement.verdict for judgement in self.judgements)
            listed = (f"{n:,} {'pair' if n == 1 else 'pairs'} {verdict}" for verdict, n in sorted(counts.items())[::-1])
            text = f"{self.act}: {', '.join(listed)}"
        return text + (f" ({self.who})" if self.who else "")


def cancelled(entries: Sequence[Entry]) -> tuple[int, int]:
    """Return the first and last number of the entries at the end of a log that cancel each other out.

    The log ends with an undo. After the range the same entries are in force as before it. If there is no such range, it
    is the entry that was undone. New names move no profile and are not counted.

    >>> log = [Entry(1, "judge", "", "", ""), Entry(2, "judge", "", "", ""), Entry(3, "undo", "", "", "", undoes=1)]
    >>> cancelled(log), cancelled([*log, Entry(4, "undo", "", "", "", undoes=2)])
    ((1, 1), (1, 4))
    """
    differing, renames = set[int](), {entry.number for entry in entries if entry.act == "rename"}
    for entry in reversed(entries):
        differing ^= {entry.number if entry.undoes is None else entry.undoes} - renames
        if not differing:
            return entry.number, entries[-1].number
    undone = entries[-1].undoes or 0
    return undone, undone


def _entry(number: int, rows: Sequence[dict[str, Any]]) -> Entry:
    first = rows[0]
    # A file of another version may lack columns.
    act: Act = first.get("act") or ("undo" if first["undoes"] is not None else "judge")
    judged = [row for row in rows if row["verdict"] is not None]
    placed = [(row[end], place) for row in rows for end in "ab" if (place := row.get(f"{end}_place")) is not None]
    return Entry(
        number,
        act,
        first["who"] or "",
        first["why"] or "",
        first["when"] or "",
        tuple(view_of(Judgement, {name: row[name] for name in _JUDGEMENT}) for row in judged),
        first["a"] if act == "rename" else None,
        first.get("name"),
        first["undoes"],
        {id: ProfilePlace(**place) for id, place in placed},
    )


def rows_of_entry(entry: Entry) -> list[dict[str, Any]]:
    """Return an entry as rows of the table, one per pair."""
    cells = {"number": entry.number, "act": entry.act, "who": entry.who, "why": entry.why, "when": entry.when}

    def placed(end: str, id: str) -> dict[str, Any]:
        place = entry.places.get(id)
        return {end: id, f"{end}_place": None if place is None else asdict(place)}

    if entry.profile is not None:
        return [{**cells, "name": entry.name, **placed("a", entry.profile)}]
    if entry.undoes is not None:
        return [{**cells, "undoes": entry.undoes}]
    return [
        {**cells, **placed("a", judgement.a), **placed("b", judgement.b), "verdict": judgement.verdict,
         "hard": judgement.hard, "weight": judgement.weight}
        for judgement in entry.judgements
    ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Located:
    """The log, applied to the profiles of a result."""

    judgements: list[Judgement]
    names: dict[str, tuple[int, str]]
    """The number of an entry and the name that it gave, by a profile of the identity."""
    unmatched: list[tuple[Entry, list[str]]]
    """Entries with profiles that were not found, and a description of these profiles."""


class CandidateProfile(NamedTuple):
    """A profile of a document that an entry is about."""

    id: str
    name: str
    type: str | None
    spans: Sequence[tuple[int, int]] = ()


def locate(id: str, place: ProfilePlace | None, candidates: Sequence[CandidateProfile], known: bool) -> str | None:
    """Return the present id of a judged profile, or None; `known` says whether its old id exists.

    Candidates are the profiles of its document with a compatible name. The order of preference: the same id, an
    overlapping span, the same name (the nearest of several), the only candidate.

    >>> was = ProfilePlace("d", "John Smith", "person", 0, 10)
    >>> locate("d:0:10", was, [CandidateProfile("d:7:17", "John Smith", "person", [(7, 17)])], known=False)
    'd:7:17'
    >>> locate("d:0:10", was, [CandidateProfile("d:0:10", "Ann Lee", "person", [(0, 7)])], known=True) is None
    True
    """
    from crossdoc.names import Grade, fold, relate

    if place is None or place.document is None:
        return id if known else None
    name, start = place.name or "", place.start or 0
    possible = [
        each
        for each in candidates
        if (each.type is None or place.type is None or each.type == place.type)
        and (fold(each.name) == fold(name) or relate(each.name, name, place.type) > Grade.CLASH)
    ]
    if any(each.id == id for each in possible):
        return id
    if place.start is not None and place.end is not None:
        over = [each for each in possible if any(a < place.end and place.start < b for a, b in each.spans)]
        if len(over) == 1:
            return over[0].id
    named = [each for each in possible if fold(each.name) == fold(name)]
    if named:
        return min(named, key=lambda each: min((abs(a - start) for a, _ in each.spans), default=0)).id
    return possible[0].id if len(possible) == 1 else None


def located(entries: Iterable[Entry], found: Mapping[tuple[str, ProfilePlace | None], str | None]) -> Located:
    """Return entries in terms of present profiles; `found` has the result of :func:`locate` for each profile."""
    result = Located([], {}, [])
    for entry in entries:
        lost = []
        now = {id: found[id, entry.places.get(id)] for id in entry.about}
        for judgement in entry.judgements:
            ends = judgement.a, judgement.b
            a, b = (now[id] for id in ends)
            lost += [_named(entry, id) for id in ends if now[id] is None]
            if a is not None and a == b and judgement.verdict == "different":
                lost.append(f"{' and '.join(_named(entry, id) for id in ends)}, which are one profile now")
            elif a is not None and b is not None and a != b:
                # The message about a contradiction names the entries to undo.
                who = ", ".join(filter(None, [judgement.who, f"entry {entry.number}"]))
                result.judgements.append(replace(judgement, a=a, b=b, who=who))
        if entry.profile is not None and entry.name is not None:
            if (named := now[entry.profile]) is None:
                lost.append(_named(entry, entry.profile))
            else:
                result.names[named] = (entry.number, entry.name)
        if lost:
            result.unmatched.append((entry, list(dict.fromkeys(lost))))
    return result


def _named(entry: Entry, id: str) -> str:
    place = entry.places.get(id)
    return id if place is None else f"{id} ({place})"


class JudgementTables(CollectionTables):
    """The append-only log of judgements."""

    def judge(self, judgements: Iterable[Judgement]) -> None:
        """Append judgements to the log, one entry each; :meth:`undo` revokes an entry."""
        listed = list(judgements)
        with self.batch():
            number = self._next("judgements")
            places = self.places({id for each in listed for id in (each.a, each.b)})
            self._record(
                Entry(number + more, "judge", each.who, each.why, each.when or now(), (each,), places=places)
                for more, each in enumerate(listed)
            )

    def record(self, act: Act, *, who: str = "", why: str = "", **content: Any) -> int:
        """Append one entry with all its pairs, and return its number."""
        with self.batch():
            entry = Entry(self._next("judgements"), act, who, why, now(), **content)
            self._record([replace(entry, places=self.places(entry.about))])
        return entry.number

    def stage_judgements(self, judgements: Iterable[Judgement]) -> None:
        """Store the judgements given to a run; :meth:`finish` appends them to the log of the replaced file."""
        with self.batch():
            self._empty("judgements")
        self.judge(judgements)

    def undo(self, number: int | None = None, who: str = "", why: str = "") -> Entry:
        """Append an entry that revokes another (by default the last one in force), and return the revoked entry."""
        undone = self.undoable(number)
        self.record("undo", who=who, why=why, undoes=undone.number)
        return undone

    def undoable(self, number: int | None = None) -> Entry:
        """Return the entry with that number, or the last one, if it is in force."""
        standing = {entry.number: entry for entry in self.entries()}
        if number is None and not standing:
            raise errors.nothing_to_undo()
        wanted = max(standing) if number is None else number
        if wanted not in standing:
            raise errors.no_such_judgement(wanted)
        return standing[wanted]

    def _record(self, entries: Iterable[Entry]) -> None:
        self._insert("judgements", [row for entry in entries for row in rows_of_entry(entry)])

    def entries(self, *, standing: bool = True) -> list[Entry]:
        """Return the log; with `standing`, without revoked entries and the undo entries."""
        listed = self.query("SELECT * FROM judgements ORDER BY rowid").to_pylist()
        undone = {row["undoes"] for row in listed} if standing else set()
        grouped: dict[int, list[dict[str, Any]]] = {}
        for row in listed:
            if row["number"] not in undone and not (standing and row["undoes"] is not None):
                grouped.setdefault(row["number"], []).append(row)
        return [_entry(number, own) for number, own in grouped.items()]

    def located(self, entries: Sequence[Entry] | None = None) -> Located:
        """Apply the log, or other entries, to the profiles of this result."""
        listed = self.entries() if entries is None else entries
        if not listed:
            return located([], {})
        wanted = {(id, entry.places.get(id)) for entry in listed for id in entry.about}
        known = self.known("profiles", {id for id, _ in wanted})
        candidates = self._candidates({place.document for _, place in wanted if place is not None and place.document})
        found = {
            (id, place): locate(id, place, candidates.get((place and place.document) or "", ()), id in known)
            for id, place in wanted
        }
        return located(listed, found)

    def _candidates(self, documents: Set[str]) -> dict[str, list[CandidateProfile]]:
        """Return the profiles of some documents, by document."""
        rows = self.fetch(
            """
            SELECT p.document, p.id, p.name, p.type,
                (SELECT list([m.start, m."end"] ORDER BY m.start) FROM mentions m WHERE m.chain = p.id) AS spans
            FROM profiles p SEMI JOIN asked ON asked.id = p.document ORDER BY p.rowid
            """,
            asked=documents,
        )
        found: dict[str, list[CandidateProfile]] = {}
        for document, id, name, kind, spans in rows:
            places = [(start, end) for start, end in spans or ()]
            found.setdefault(document, []).append(CandidateProfile(id, name or "", kind, places))
        return found

    def places(self, ids: Set[str]) -> dict[str, ProfilePlace]:
        """Return document, name, type and first mention of profiles, by id."""
        rows = self.fetch(
            """
            SELECT p.id, p.document, p.name, p.type, m.start, m."end"
            FROM profiles p SEMI JOIN asked USING (id) LEFT JOIN (
                SELECT chain, min(start) AS start, arg_min("end", start) AS "end"
                FROM mentions SEMI JOIN asked ON asked.id = chain GROUP BY chain
            ) m ON m.chain = p.id
            """,
            asked=ids,
        )
        return {id: ProfilePlace(*place) for id, *place in rows}
