"""The runs that made an answer, how it scored, and its secret."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa

from crossdoc import errors
from crossdoc.store.base_tables import Tables

RUNS = pa.schema(
    [("started", pa.string()), ("finished", pa.string()), ("version", pa.string()), ("method", pa.string()),
     ("seed", pa.int64()), ("settings", pa.string()), ("inputs", pa.list_(pa.string())),
     ("notes", pa.list_(pa.string()))]
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Run:
    """One call of the resolver: what it read, how, and when."""

    started: str
    finished: str
    version: str
    method: str
    seed: int
    settings: str
    inputs: list[str]
    notes: list[str]

    def parsed_settings(self) -> dict[str, Any]:
        """The settings, as they were written."""
        try:
            parsed = json.loads(self.settings)
        except (TypeError, ValueError, RecursionError) as error:
            raise errors.bad_account(str(error)) from error
        if not isinstance(parsed, dict):
            raise errors.bad_account("they are not an object")
        return parsed


@dataclass(frozen=True)
class Score:
    """How an answer scored against gold: which, when, the run that had made it, and F1 by measure."""

    gold: str
    when: str
    run: str
    f1: dict[str, float]


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


class Runs(Tables):
    """What runs say of themselves."""

    def save_run(self, run: Run) -> None:
        with self.batch():
            self._insert("runs", pa.Table.from_pylist([asdict(run)], RUNS))

    def runs(self) -> list[Run]:
        return [Run(**row) for row in self._query("SELECT * FROM runs ORDER BY rowid").to_pylist()]

    def keep_score(self, gold: str, f1: Mapping[str, float]) -> None:
        """Remember how the answer, as it is now, scores against gold: by measure the F1."""
        kept = Score(gold, now(), self.runs()[-1].started, {name: round(value, 4) for name, value in f1.items()})
        self.set_meta("scores", json.dumps([*map(asdict, self.scores()), asdict(kept)]))

    def scores(self) -> list[Score]:
        """The scores that were kept, in their order."""
        stored = self.meta("scores")
        try:
            return [] if stored is None else [Score(**each) for each in json.loads(stored)]
        except (TypeError, ValueError, RecursionError) as error:
            raise errors.bad_account(str(error)) from error

    def salt(self) -> bytes:
        """The secret of this result's hashed contact details; a resumed run goes on with it."""
        return bytes.fromhex(self._meta()["salt"])
