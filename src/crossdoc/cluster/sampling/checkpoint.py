"""Checkpoint of a run on disk, complete or absent, with fingerprints of its corpus and settings."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from crossdoc import errors
from crossdoc.cluster.sampling.factor_graph import FactorGraph
from crossdoc.cluster.sampling.schedule import Round
from crossdoc.files import whole_file

CHECKPOINT_VERSION = 1
MOST_STATE_BYTES = 1 << 26
"""Bytes of a checkpoint without its labels."""
ROUND = {field.name for field in fields(Round)}


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Labels of the nodes now and at the best energy so far (by bags, which are settled), after so many rounds."""

    corpus: str
    settings: str
    rounds: int
    seconds: float
    labels: npt.NDArray[np.int32]
    best: npt.NDArray[np.int32]
    history: list[Round]

    def save(self, path: Path) -> None:
        state = {"version": CHECKPOINT_VERSION, "corpus": self.corpus, "settings": self.settings, "rounds": self.rounds,
                 "seconds": self.seconds, "history": [asdict(each) for each in self.history]}  # fmt: skip
        with whole_file(path) as stream:
            np.savez(stream, told=np.array(json.dumps(state)), labels=self.labels, best=self.best)

    @classmethod
    def load(cls, path: Path, corpus: str, settings: str, n: int) -> Checkpoint:
        """Read a checkpoint of n nodes and refuse one of another corpus or other settings, or that is none at all."""
        if not path.is_file():
            raise errors.no_such_path(path)
        try:
            with zipfile.ZipFile(path) as packed:
                if sum(part.file_size for part in packed.infolist()) > 8 * n + MOST_STATE_BYTES:
                    raise errors.not_a_checkpoint(path, "it holds more than its corpus needs")
            with np.load(path, allow_pickle=False) as archive:
                state = json.loads(str(archive["told"]))
                if not isinstance(state["history"], list) or not all(map(_is_round, state["history"])):
                    raise errors.not_a_checkpoint(path, "its rounds cannot be read")
                history = [Round(**each) for each in state["history"]]
                found = cls(state["corpus"], state["settings"], state["rounds"], state["seconds"], archive["labels"],
                            archive["best"], history)  # fmt: skip
        except errors.CrossdocError:
            raise
        except (
            OSError,
            ValueError,
            KeyError,
            TypeError,
            EOFError,
            RecursionError,
            MemoryError,
            NotImplementedError,
            RuntimeError,
            zipfile.BadZipFile,
        ) as error:
            raise errors.not_a_checkpoint(path, "it cannot be read, or is not whole") from error
        if state.get("version") != CHECKPOINT_VERSION:
            raise errors.not_a_checkpoint(path, f"its version is {state.get('version')}, not {CHECKPOINT_VERSION}")
        if found.corpus != corpus:
            raise errors.other_checkpoint(path, "another corpus, or of other weights")
        if found.settings != settings:
            raise errors.other_checkpoint(path, "other settings")
        if not found._fits(n):
            raise errors.not_a_checkpoint(path, "its numbers do not fit together")
        return found

    def _fits(self, n: int) -> bool:
        """Whether every label is that of a node: the kernels look places up by them unasked."""
        for labels in (self.labels, self.best):
            if labels.dtype != np.int32 or labels.shape != (n,) or (n and not 0 <= labels.min() <= labels.max() < n):
                return False
        kinds = (self.rounds, int), (self.seconds, (int, float))
        if not all(isinstance(value, kind) and not isinstance(value, bool) for value, kind in kinds):
            return False
        return self.rounds >= 0 and 0 <= self.seconds < 1e12


def _is_round(record: Any) -> bool:
    """Return whether a record has the fields of a round: `level` a text, everything else a number."""
    if not isinstance(record, dict) or record.keys() != ROUND:
        return False
    numbers = (value for name, value in record.items() if name != "level")
    return isinstance(record["level"], str) and all(isinstance(value, int | float) for value in numbers)


def corpus_fingerprint(graph: FactorGraph) -> str:
    """The same rows, names and constraints give the same one."""
    rows = graph.rows
    arrays = [rows.start, rows.cells, rows.size, rows.limit_start, rows.limit_other, rows.limit_weight]
    return fingerprint(arrays + [rows.query_cells] * (rows.query_cells is not rows.cells))


def fingerprint(arrays: Iterable[npt.NDArray[Any]]) -> str:
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()
