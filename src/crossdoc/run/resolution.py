"""Result of a run: `resolve` returns one, and `crossdoc.open` reads one from a file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from html import escape
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from crossdoc import errors
from crossdoc.model import Identity, Judgement, Member, Partition, Profiles, Verdict
from crossdoc.model.partition import Event
from crossdoc.model.rows import Frames, require_pandas
from crossdoc.names.texts import make_snippet
from crossdoc.progress import Progress
from crossdoc.store import Run, Store
from crossdoc.store.store import until_current

if TYPE_CHECKING:
    from crossdoc.compare.ensemble import Explanation
    from crossdoc.read import Input
    from crossdoc.run.affected import Incoming
    from crossdoc.run.revise import Change, Revision
    from crossdoc.run.stored_collection import StoredCollection

MOST_SHOWN = 10
"""Identities that a notebook shows."""


class Resolution(Frames):
    """Result of a run: identities, their members and how certain each is.

    `resolve` and `open` make one. ``find("John Smith")`` gives the identities of that name, ``identities()`` the
    largest ones, ``partition`` the soft memberships behind them; ``add``, ``judge``, ``merge``, ``split``, ``rename``
    and ``undo`` change the answer. It is a context manager that closes its file.

    Examples
    --------
    >>> from crossdoc import Document, resolve
    >>> documents = [Document("a", "Ann Lee spoke in Rome."), Document("b", "Ann Lee left Rome.")]
    >>> with resolve(documents, name="Ann Lee", describe=False) as answer:
    ...     len(answer), [identity.name for identity in answer], answer.partition
    (1, ['Ann Lee'], <Partition: 2 profiles in 1 clusters>)
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self._compared: tuple[int, StoredCollection] | None = None

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Resolution:
        """Open a result.

        Parameters
        ----------
        path : path
            The .crossdoc file.

        Returns
        -------
        Resolution
            The answer; close it, or use it in a ``with`` block.

        Examples
        --------
        >>> import tempfile
        >>> from crossdoc import Document, resolve
        >>> documents = [Document("a", "Ann Lee spoke in Rome."), Document("b", "Ann Lee left Rome.")]
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     resolve(documents, name="Ann Lee", output=f"{folder}/lee.crossdoc", describe=False).close()
        ...     with Resolution.open(f"{folder}/lee.crossdoc") as answer:
        ...         [identity.name for identity in answer.find("lee")]
        ['Ann Lee']
        """
        return cls(Store.open(path))

    def identities(self, find: str | None = None, top: int | None = None, members: int | None = None) -> list[Identity]:
        """Identities with their members (at most `members` each), those of most documents first."""
        found = self.store.identities(find, top)
        return [identity.with_members(self.members(identity, members)) for identity in found]

    def __len__(self) -> int:
        """Return the number of identities."""
        return self.store.count("identities")

    def __iter__(self) -> Iterator[Identity]:
        """Iterate over the identities with their members, those of most documents first."""
        for identity in self.store.identities():
            yield identity.with_members(self.members(identity))

    def __getitem__(self, id: str) -> Identity:
        """Return the identity of an id, or the one that replaced it."""
        kept = self._identity(id)
        return next(identity for identity in self.identities(find=kept) if identity.id == kept)

    def __bool__(self) -> bool:
        return True

    def find(self, name: str) -> list[Identity]:
        """Return the identities with a name that contains this one."""
        return self.identities(find=name)

    def members(self, identity: Identity, top: int | None = None) -> Iterator[Member]:
        for row in self.store.members(identity.id, top):
            snippet = make_snippet(row["context"] or "", row["name"])
            yield Member(row["profile"], row["document"], row["name"], row["membership"], snippet)

    def explain(self, a: str, b: str) -> Explanation:
        """Explain the evidence for and against two profiles being one entity, as in the run that made this answer."""
        self._check_profiles([a, b])
        from crossdoc.compare.collection import pair_evidence

        collection = self.collection()
        return pair_evidence(collection, collection.row_of[a], collection.row_of[b]).explain(0, 1)

    def collection(self) -> StoredCollection:
        """Return the collection, compared as the run that made this answer did; kept until the answer is changed."""
        from crossdoc.run.stored_collection import StoredCollection

        revision = self.store.revision
        if self._compared is None or self._compared[0] != revision:
            made = self.revision()
            found = StoredCollection.judged(self.store, made.model, made.name is not None, [], made.clusterer)
            self._compared = revision, found
        return self._compared[1]

    @until_current
    def judge(self, a: str, b: str, verdict: Verdict, *, who: str = "", why: str = "") -> Change:
        """Judge two profiles to be the `same` entity or `different` ones; it takes effect at once and stays in force.

        ``resolution.judge("a1.txt:0:10", "a7.txt:31:41", "different", who="Ada", why="another birthday")``
        """
        self._check_profiles([a, b])
        return self.revision().judge("judge", [Judgement(a, b, verdict)], who, why)

    @until_current
    def merge(self, *identities: str, who: str = "", why: str = "") -> Change:
        """Merge identities into one: all their profiles are the same."""
        found = list(dict.fromkeys(self._identity(id) for id in identities))
        if len(found) < 2:
            raise errors.nothing_to_merge(identities)
        members = [id for identity in found for id in self._members(identity)]
        return self.revision().judge("merge", _all_one(members), who, why)

    @until_current
    def split(self, identity: str, profiles: Iterable[str], *, who: str = "", why: str = "") -> Change:
        """Split these profiles of an identity off into one of their own."""
        members, apart = self._members(self._identity(identity)), list(dict.fromkeys(profiles))
        self._check_profiles(apart)
        others = sorted(set(apart) - set(members))
        if others:
            raise errors.not_members(identity, others)
        rest = [id for id in members if id not in apart]
        if not apart or not rest:
            raise errors.nothing_to_split(identity)
        different = [Judgement(apart[0], id, "different") for id in rest]
        return self.revision().judge("split", [*_all_one(apart), *different], who, why)

    @until_current
    def rename(self, identity: str, name: str, *, who: str = "", why: str = "") -> Change:
        """Give an identity another name."""
        if not name.strip():
            raise errors.empty_new_name()
        strongest = self.store.members(self._identity(identity), 1)[0]["profile"]
        return self.revision().rename(strongest, name.strip(), who, why)

    @until_current
    def undo(self, entry: int | None = None, *, who: str = "", why: str = "") -> Change:
        """Undo an entry of the log, or the last one that is in force."""
        return self.revision().undo(entry, who, why)

    def add(self, *inputs: Input, progress: Progress | None = None, extractor: str | None = None) -> Change:
        """Add documents (or profiles, if the answer was made from profiles): only new ones are read.

        One whose text has changed is replaced; one with the same text is skipped, with a note. If the run gave its
        extractor more than a name (`NAME:TEXT`), `extractor` must name it again.
        """
        read: list[tuple[Incoming, list[str]]] = []
        return until_current(lambda: self.revision(progress).add(inputs, extractor, read))()

    @until_current
    def remove(self, *documents: str, progress: Progress | None = None) -> Change:
        """Remove documents (or profiles, if the answer was made from profiles), by their ids."""
        return self.revision(progress).remove(documents)

    def history(self, identity: str | None = None) -> list[Event]:
        """List which identities appeared, split, merged and vanished, when and why; all, or one."""
        return self.store.events(identity)

    def revision(self, progress: Progress | None = None) -> Revision:
        """Prepare a change to this answer, by the method and settings that made it."""
        from crossdoc.run.revise import Revision

        return Revision(self.store, progress)

    def _check_profiles(self, ids: Iterable[str]) -> None:
        unknown = sorted(set(ids) - self.store.known("profiles", set(ids)))
        if unknown:
            raise errors.unknown_ids(self.store.path or "The answer", "profiles", unknown)

    def _identity(self, id: str) -> str:
        """Return the identity of this id, or the one that replaced it."""
        found = self.store.successors(id)
        if len(found) != 1:
            raise errors.which_identity(id, found)
        return found[0]

    def _members(self, identity: str) -> list[str]:
        return sorted(self.store.entity_of([identity], "entity"))

    @property
    def partition(self) -> Partition:
        return self.store.partition()

    @property
    def profiles(self) -> Profiles:
        return self.store.profiles()

    @property
    def runs(self) -> list[Run]:
        return self.store.runs()

    @property
    def notes(self) -> list[str]:
        """The notes of the last run."""
        runs = self.store.runs()
        return runs[-1].notes if runs else []

    def answer(self, level: str = "profile", soft: bool = False) -> pa.Table:
        """`id, entity, membership, name, document, type, kind, identity_name` (and `start, end, text` of mentions).

        These are the rows of `crossdoc export`; `name` is the profile's, `identity_name` that of its identity.
        One row per profile (or mention), with its strongest identity; with `soft` one for each that it may be.
        """
        batches = self.store.answer(level, soft=soft)
        return pa.Table.from_batches(batches, self.store.answer_schema(level))

    def to_arrow(self) -> pa.Table:
        """The identities, those of most documents first."""
        return self.store.identity_table()

    def to_pandas(self, level: str = "identity") -> Any:
        """Return a pandas DataFrame of the identities, or of :meth:`answer` by "profile" or "mention"."""
        return super().to_pandas() if level == "identity" else require_pandas(self.answer(level))

    def _repr_html_(self) -> str:
        """Show the largest identities in a notebook."""
        listed = self.store.identities(top=MOST_SHOWN)
        columns = ("name", "descriptor", "n_documents", "certainty")
        rows = [[getattr(identity, column) for column in columns] for identity in listed]
        cells = ["".join(f"<td>{escape(_shown(cell))}</td>" for cell in row) for row in rows]
        head = "".join(f"<th>{column.removeprefix('n_')}</th>" for column in columns)
        body = "".join(f"<tr>{row}</tr>" for row in cells)
        return f"<table><caption>{escape(repr(self)[1:-1])}</caption><tr>{head}</tr>{body}</table>"

    def close(self) -> None:
        self.store.close()

    def __enter__(self) -> Resolution:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        self.store.__exit__(kind, error, trace)

    def __repr__(self) -> str:
        sizes = self.store.sizes()
        return f"<Resolution: {sizes['profiles']:,} profiles, {sizes['identities']:,} identities>"


def _shown(cell: str | int | float) -> str:
    return f"{cell:.2f}" if isinstance(cell, float) else str(cell)


def _all_one(profiles: list[str]) -> list[Judgement]:
    return [Judgement(profiles[0], id, "same") for id in profiles[1:]]
