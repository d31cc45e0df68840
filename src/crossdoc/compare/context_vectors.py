"""One way to ask for any of the vectors that contexts can have: tf-idf, first and second order, reduced or not."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Literal, get_args

from crossdoc import errors
from crossdoc.compare.association import Cooccurrence
from crossdoc.compare.contexts import FirstOrder, SecondOrder, reduced
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.model import Profiles, Vectors

ContextKind = Literal["tfidf", "unigrams", "bigrams", "co-occurrences", "target", "second-order"]
KINDS: tuple[ContextKind, ...] = get_args(ContextKind)


@dataclass(frozen=True, slots=True)
class ContextVectors:
    """What the vectors of contexts are made of.

    Parameters
    ----------
    kind : tfidf (words weighted by rarity), unigrams (plain counts), bigrams, co-occurrences, target (words near the
        target), or second-order (the mean of the words' co-occurrence vectors).
    pairs : which pairs of words count; tfidf takes no notice, and so may not be given any.
    dimensions : reduce by a singular value decomposition; of second order the words' vectors, else the contexts'.
    stop : a stop list in place of the language's own.

    >>> from crossdoc.model import Profile
    >>> profiles = Profiles.of(Profile(str(i), str(i), "", context=text) for i, text in enumerate(["a car", "a boat"]))
    >>> ContextVectors("unigrams", Cooccurrence(least_count=1)).of(profiles).features.tolist()
    ['boat', 'car']
    """

    kind: ContextKind = "tfidf"
    pairs: Cooccurrence = field(default_factory=Cooccurrence)
    dimensions: int | None = None
    stop: Collection[str] | None = None
    seed: int = 0

    def of(self, profiles: Profiles) -> Vectors:
        """Vectors of these contexts, learned from these contexts."""
        if self.kind not in KINDS:
            raise errors.unknown_choice("kind of vectors", self.kind, KINDS)
        if self.kind == "tfidf":
            if self.pairs != Cooccurrence():
                raise errors.unused_options("tfidf", "measures, windows and cut-offs of pairs of words")
            if self.stop is not None:
                raise errors.unused_options("tfidf", "a stop list of its own")
            vectors = ContextVectoriser().fit([profiles.column("context").to_pylist()]).transform(profiles)
        elif self.kind == "second-order":
            second = SecondOrder(self.pairs, stop=self.stop, dimensions=self.dimensions, seed=self.seed)
            return second.fit(profiles).transform(profiles)
        else:
            vectors = FirstOrder(self.kind, self.pairs, stop=self.stop).fit(profiles).transform(profiles)
        return vectors if self.dimensions is None else reduced(vectors, self.dimensions, self.seed)
