"""A run on disk, whole or not there: what it needs to go on, and of which corpus and settings it is."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from crossdoc import errors
from crossdoc.cluster.sampling.model import FactorGraph
from crossdoc.files import whole_file

VERSION = 1


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Labels of the nodes now and at the best energy so far (by bags, which are settled), after so many rounds."""

    corpus: str
    settings: str
    rounds: int
    seconds: float
    labels: npt.NDArray[np.int32]
    best: npt.NDArray[np.int32]
    history: list[dict[str, Any]]

    def save(self, path: Path) -> None:
        told = {"version": VERSION, "corpus": self.corpus, "settings": self.settings, "rounds": self.rounds,
                "seconds": self.seconds, "history": self.history}  # fmt: skip
        with whole_file(path) as stream:
            np.savez(stream, told=np.array(json.dumps(told)), labels=self.labels, best=self.best)

    @classmethod
    def load(cls, path: Path, corpus: str, settings: str) -> Checkpoint:
        """Read a checkpoint and refuse one of another corpus or other settings."""
        if not path.is_file():
            raise errors.no_such_path(path)
        try:
            with np.load(path, allow_pickle=False) as held:
                told = json.loads(str(held["told"]))
                found = cls(told["corpus"], told["settings"], told["rounds"], told["seconds"], held["labels"],
                            held["best"], told["history"])  # fmt: skip
        except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
            raise errors.not_a_checkpoint(path, "it cannot be read, or is not whole") from error
        if told.get("version") != VERSION:
            raise errors.not_a_checkpoint(path, f"its version is {told.get('version')}, not {VERSION}")
        if found.corpus != corpus:
            raise errors.other_checkpoint(path, "another corpus, or of other weights")
        if found.settings != settings:
            raise errors.other_checkpoint(path, "other settings")
        return found


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
