"""The runs that made an answer, its scores, and its salt."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from crossdoc import errors
from crossdoc.store.base_tables import Tables
from crossdoc.store.schema import as_table


@dataclass(frozen=True, slots=True)
class Run:
    """One call of the resolver: its inputs, settings and times."""

    started: str
    finished: str
    version: str
    method: str
    seed: int
    settings: str
    inputs: list[str]
    notes: list[str]

    def parsed_settings(self) -> dict[str, Any]:
        """Return the settings as an object."""
        try:
            parsed = json.loads(self.settings)
        except (TypeError, ValueError, RecursionError) as error:
            raise errors.bad_account(str(error)) from error
        if not isinstance(parsed, dict):
            raise errors.bad_account("they are not an object")
        return parsed


@dataclass(frozen=True)
class Score:
    """F1 of an answer against gold, by measure, with the time and the run that made the answer."""

    gold: str
    when: str
    run: str
    f1: dict[str, float]


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


class Runs(Tables):
    """Records of runs, and scores."""

    def save_run(self, run: Run) -> None:
        with self.batch():
            self._insert("runs", as_table("runs", [asdict(run)]))

    def runs(self) -> list[Run]:
        return [Run(**row) for row in self._query("SELECT * FROM runs ORDER BY rowid").to_pylist()]

    def keep_score(self, gold: str, f1: Mapping[str, float]) -> None:
        """Store the F1 of the present answer against gold, by measure."""
        kept = Score(gold, now(), self.runs()[-1].started, {name: round(value, 4) for name, value in f1.items()})
        self.set_meta("scores", json.dumps([*map(asdict, self.scores()), asdict(kept)]))

    def scores(self) -> list[Score]:
        """Return the stored scores, oldest first."""
        stored = self.meta("scores")
        try:
            return [] if stored is None else [Score(**each) for each in json.loads(stored)]
        except (TypeError, ValueError, RecursionError) as error:
            raise errors.bad_account(str(error)) from error

    def salt(self) -> bytes:
        """Return the secret that contact details are hashed with; a resumed run keeps it."""
        return bytes.fromhex(self._meta()["salt"])
