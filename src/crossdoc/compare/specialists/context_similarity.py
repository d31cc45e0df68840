"""TF-IDF cosine of the contexts of names, and of their full documents (Salton & Buckley 1988)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from crossdoc.compare.specialists import kernels
from crossdoc.compare.specialists.base import Pairs, Scores, SparseRows, Specialist, sparse_rows
from crossdoc.compare.vectors import ContextVectoriser, words
from crossdoc.model import Profile, Profiles

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
