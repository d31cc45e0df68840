"""An answer, to look at: `resolve` gives one, and `crossdoc.open` reads one from a file."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pyarrow as pa

from crossdoc import errors
from crossdoc.frames import Frames
from crossdoc.model import Identity, Member, Partition, Profiles
from crossdoc.names import fold
from crossdoc.store import Run, Store
from crossdoc.store.schema import LEVELS

if TYPE_CHECKING:
    from crossdoc.compare.ensemble import Explanation

SNIPPET_CHARACTERS = 160


class Resolution(Frames):
    """Who is who: identities, their members and how certain each is.

    ``find("John Smith")`` gives the identities of that name, ``identities()`` the largest ones, ``partition`` the soft
    memberships behind them.
    """

    def __init__(self, store: Store) -> None:
        self.store = store

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Resolution:
        return cls(Store.open(path))

    def identities(self, find: str | None = None, top: int | None = None, members: int | None = None) -> list[Identity]:
        """Identities with their members (at most `members` each), those of most documents first."""
        found = self.store.identities(find, top)
        return [identity.with_members(self.members(identity, members)) for identity in found]

    def find(self, name: str) -> list[Identity]:
        """The identities that go by a name, or by one that contains it."""
        return self.identities(find=name)

    def members(self, identity: Identity, top: int | None = None) -> Iterator[Member]:
        for row in self.store.members(identity.id, top):
            snippet = make_snippet(row["context"] or "", row["name"])
            yield Member(row["profile"], row["document"], row["name"], row["membership"], snippet)

    def explain(self, a: str, b: str) -> Explanation:
        """What speaks for and against two profiles being one entity, as the run that made this answer saw it."""
        from crossdoc.compare.learned import LearnedModel
        from crossdoc.compare.stage import compare

        pair = self.store.profiles(ids=[a, b])
        unknown = sorted({a, b} - set(pair.ids))
        if unknown:
            raise errors.unknown_profiles(self.store.path or "The answer", unknown)
        settings = json.loads(self.store.runs()[-1].settings)
        # What a word or name is worth depends on all the profiles that the run compared, not on these two alone.
        comparison = compare(
            self.profiles,
            self.store if self.store.count("documents") else None,
            model=LearnedModel.of(settings["learned"], self.store.path or "The answer"),
            one_name=settings["name"] is not None,
            background=False,
        )
        kinds = {profile.type or "" for profile in pair}
        evidence = comparison[kinds.pop()] if len(kinds) == 1 else comparison.whole()
        position = {id: row for row, id in enumerate(evidence.ids)}
        return evidence.explain(position[a], position[b])

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
        """What the last run wants its user to know."""
        runs = self.store.runs()
        return runs[-1].notes if runs else []

    def answer(self, level: str = "profile", soft: bool = False) -> pa.Table:
        """`id, entity, membership, name, document` (and `start, end, text` of mentions), as on export.

        One row a profile (or mention), with its strongest identity; with `soft` one for each that it may be.
        """
        batches = self.store.answer(level, soft=soft)
        return pa.Table.from_batches(batches, LEVELS[level])

    def to_arrow(self) -> pa.Table:
        """The identities, those of most documents first."""
        return self.store.identity_table()

    def close(self) -> None:
        self.store.close()

    def __enter__(self) -> Resolution:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __repr__(self) -> str:
        sizes = self.store.sizes()
        return f"<Resolution: {sizes['profiles']:,} profiles, {sizes['identities']:,} identities>"

    def _repr_html_(self) -> str:
        from crossdoc.notebook import resolution_html

        return resolution_html(self)


def make_snippet(context: str, name: str, characters: int = SNIPPET_CHARACTERS) -> str:
    """A line of the context round the name, or else its last word.

    >>> make_snippet("It rained. The chairman, John Smith, resigned on Monday.", "John Smith", 30)
    '… John Smith, resigned …'
    """
    text = " ".join(context.split())
    if len(text) <= characters:
        return text
    last = next((word for word in reversed(name.split()) if fold(word)), "")
    looked_for = [each for each in (name, last) if each]
    hits = (re.search(rf"(?<!\w){re.escape(each)}(?!\w)", text, re.IGNORECASE) for each in looked_for)
    found = next(filter(None, hits), None)
    middle = found.end() - (len(last) + 1) // 2 if found else 0
    start = max(0, min(middle - characters // 2, len(text) - characters))
    end = start + characters
    if start:
        start = text.find(" ", start) + 1 or start
    if end < len(text):
        end = text.rfind(" ", start, end) if " " in text[start:end] else end
    return ("… " if start else "") + text[start:end] + (" …" if end < len(text) else "")
