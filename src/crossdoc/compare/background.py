"""Background: the similarity of profiles of different names in this collection, against which cosines are measured.

No labels are needed: people of different names are different people, in every collection with two names. Under one
asked-for name the others are people in the same documents.

Some pairs are similar for another reason and do not count: names that share a word, one document, two reports of one
story, or documents that may be about one asked-for person. A collection with too few pairs falls back on the shipped
model, with a note.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from scipy import sparse

from crossdoc.compare.across import Languages, differ
from crossdoc.compare.curve import Curve
from crossdoc.compare.fields import CONTEXT, DOCUMENT, rows_of
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.vectors import ContextVectoriser, Texts
from crossdoc.model import Profiles
from crossdoc.names import Grade, agreeing, fold, parse_person

COHORT = 1_000
"""Profiles on each side of the comparison. Thirty give nearly the same result."""
FEWEST_PAIRS = 100
"""Pairs. With fewer, the parameters of the shipped model are kept."""
SAME_STORY = 0.16
"""Cosine of two full documents. Pairs at or above it count as one story and are left out of the background."""
SAME_PERSON = 0.07
"""Cosine under one asked-for name. Pairs at or above it may be about one person and are left out of the background."""
ELSEWHERE = "other collections"
"""Source of the background, as the model records it, if the collection has too few pairs."""
BIN_LIMITS = (*np.arange(0.1, 0.95, 0.1).round(1).tolist(), 0.95, 0.98, 0.99, 0.995, 0.999)
"""Shares of the background pairs below the limits of the bins in which curves are fitted (`fit.py`)."""
LEAST_SD = 0.01
"""Added to each standard deviation, so that a nearly empty field does not get unbounded odds."""

KINDS = 3
"""Kinds of pairs, by how many of the two profiles are the only one of their document: pages and records are compared
with each other on another scale than mentions in articles."""

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Background:
    """The distribution of √cosine over `pairs` pairs of different names."""

    mean: float
    sd: float
    pairs: int
    edges: tuple[float, ...] = ()
    """Upper limits of all bins but the last."""
    shares: tuple[float, ...] = ()
    """By bin, its share of the pairs."""
    roots: tuple[float, ...] = ()
    """By bin, the mean √cosine of its pairs."""
    shared: float = 0.0
    """The correlation of two pairs with one profile in common."""
    directions: float = np.inf
    """In how many independent directions profiles differ."""
    kinds: tuple[Background, ...] = ()
    """By kind of pair, the same; empty if all pairs are of one kind."""

    @classmethod
    def of(cls, cosine: npt.NDArray[np.floating], apart: Bools, kind: Ints | None = None) -> Background:
        """Count the pairs that are `apart`, all and by kind; a kind with fewer than `FEWEST_PAIRS` is as all are.

        >>> found = Background.of(np.array([[0.0, 0.04], [1.0, 0.16]]), np.array([[True, True], [False, True]]))
        >>> round(found.mean, 3), round(found.sd, 3), found.pairs
        (0.2, 0.173, 3)
        """
        roots = np.sqrt(np.clip(cosine[apart], 0.0, 1.0))
        if not len(roots):
            return cls(0.0, LEAST_SD, 0)
        edges = np.unique(np.quantile(roots, BIN_LIMITS, method="inverted_cdf"))
        edges = edges[edges < roots.max()]
        bins = np.searchsorted(edges, roots)
        counts = np.bincount(bins, minlength=len(edges) + 1)
        means = np.bincount(bins, roots, len(edges) + 1) / counts
        mean, sd = float(roots.mean()), float(roots.std()) + LEAST_SD
        deviation = np.where(apart, np.sqrt(np.clip(cosine, 0.0, 1.0)) - mean, 0.0)
        bins_of = tuple(edges), tuple(counts / len(roots)), tuple(means)
        found = cls(mean, sd, len(roots), *bins_of, _correlation(deviation, apart), _directions(deviation))
        if kind is None:
            return found
        by_kind = [cls.of(cosine, apart & (kind == which)) for which in range(KINDS)]
        return replace(found, kinds=tuple(own if own.pairs >= FEWEST_PAIRS else found for own in by_kind))

    def adapt(self, curve: Curve) -> Curve:
        """Return a curve with this mean and standard deviation, also by kind."""
        by_kind = tuple(own.adapt(curve) for own in self.kinds)
        return curve.model_copy(update={"mean": round(self.mean, 5), "sd": round(self.sd, 5), "kinds": by_kind})


def _correlation(deviation: npt.NDArray[np.floating], apart: Bools) -> float:
    """Return the correlation of pairs that share a row or a column; `deviation` is 0 where pairs are not `apart`.

    >>> row, column, pair = np.random.default_rng(0).normal(size=(3, 300, 300))
    >>> every = np.ones((300, 300), dtype=bool)
    >>> round(_correlation(pair, every), 1), round(_correlation(pair + row[:, :1] + column[:1], every), 1)
    (0.0, 0.3)
    """
    products = pairs = 0.0
    for axis in (0, 1):
        count = apart.sum(axis=axis)
        products += float((np.square(deviation.sum(axis=axis)) - np.square(deviation).sum(axis=axis)).sum())
        pairs += float((count * (count - 1)).sum())
    variance = float(np.square(deviation).sum() / apart.sum())
    return float(np.clip(products / pairs / variance, 0.0, 0.5)) if pairs and variance else 0.0


def _directions(deviation: npt.NDArray[np.floating]) -> float:
    """Return the participation ratio (Σ s²)² / Σ s⁴ of the singular values of a matrix.

    >>> round(_directions(np.eye(5)), 6), round(_directions(np.ones((5, 4))), 6)
    (5.0, 1.0)
    """
    square = float(np.square(deviation).sum())
    return square**2 / float(np.square(deviation @ deviation.T).sum()) if square else 1.0


def adapted(model: LearnedModel, backgrounds: Mapping[str, Background]) -> tuple[LearnedModel, list[str]]:
    """Return the model with a collection's background in place of the shipped one, and notes."""
    fields = {
        name: own.adapt(curve) for name, curve in model.fields.items() if (own := backgrounds.get(name)) is not None
    }
    here = ELSEWHERE
    if CONTEXT in backgrounds:
        here = f"{backgrounds[CONTEXT].pairs:,} pairs of different names in this collection"
    learned_on = {**model.learned_on, "background": here}
    notes = [] if CONTEXT in backgrounds else [_TOO_FEW]
    found = {"fields": {**model.fields, **fields}, "shipped": model.fields, "learned_on": learned_on}
    return model.model_copy(update=found), notes


_TOO_FEW = (
    "the collection has too few profiles of different names to calibrate the similarity of contexts; what was "
    "learned on other collections is used, and certainties are halved towards even odds"
)


def measure_background(
    fields: Iterable[str],
    profiles: Profiles,
    texts: Texts | None,
    vectoriser: ContextVectoriser,
    *,
    others: Profiles | None = None,
    languages: Languages | None = None,
    alone: Ints | None = None,
    seed: int = 0,
) -> dict[str, Background]:
    """Compare profiles of different names in each field; fields with fewer than `FEWEST_PAIRS` pairs are left out.

    `others` are people of other names, if all `profiles` share one asked-for name. `alone` is 1 for a profile that is
    the only one of its document, 0 for others; None if that makes no difference.
    """
    random = np.random.default_rng(seed)
    listed = profiles if others is None else others
    rows_of_sample, rows_of_cohort = some_rows(len(profiles), random), some_rows(len(listed), random)
    sample, cohort = profiles.take(rows_of_sample), listed.take(rows_of_cohort)
    kind = None if alone is None else np.add.outer(alone[rows_of_sample], alone[rows_of_cohort])
    spoken = languages or Languages(profiles)
    if others is None:
        sample, cohort = spoken.named(sample), spoken.named(cohort)
    apart = _apart(sample, cohort)
    apart &= ~differ(spoken.of(sample)[:, None], spoken.of(cohort)[None, :])
    if not apart.any():
        return {}
    stories = [rows_of(DOCUMENT, part, vectoriser, texts).matrix for part in (sample, cohort)]
    alike = _cosines(*stories)
    if others is None:
        apart &= alike < SAME_STORY
    else:
        # Without document texts, contexts are compared instead.
        told = alike if texts is not None else _cosines(*_rows(CONTEXT, sample, cohort, vectoriser, texts))
        apart &= told < SAME_PERSON
    found = {}
    for name in fields:
        rows = stories if name == DOCUMENT else _rows(name, sample, cohort, vectoriser, texts)
        found[name] = Background.of(alike if name == DOCUMENT else _cosines(*rows), apart & _both(*rows), kind)
    return {name: own for name, own in found.items() if own.pairs >= FEWEST_PAIRS}


def sample_apart(left: Profiles, right: Profiles, random: np.random.Generator) -> tuple[tuple[Ints, Ints], Bools]:
    """Sample rows of each side, and mark pairs from different documents with names that share no word."""
    rows = some_rows(len(left), random), some_rows(len(right), random)
    return rows, _apart(left.take(rows[0]), right.take(rows[1]))


def some_rows(n: int, random: np.random.Generator) -> Ints:
    """Return random rows of `n`, at most `COHORT`, in order."""
    return np.sort(random.permutation(n)[:COHORT])


def _rows(
    field: str, sample: Profiles, cohort: Profiles, vectoriser: ContextVectoriser, texts: Texts | None
) -> list[sparse.csr_matrix]:
    """Return the rows of both sides, made together, so that they have the same columns."""
    both = Profiles(pa.concat_tables([sample.arrow, cohort.arrow.select(sample.arrow.column_names)]))
    matrix = rows_of(field, both, vectoriser, texts).matrix
    return [matrix[: len(sample)], matrix[len(sample) :]]


def _cosines(left: sparse.csr_matrix, right: sparse.csr_matrix) -> npt.NDArray[np.float32]:
    return np.asarray((left @ right.T).toarray(), dtype=np.float32)


def _both(left: sparse.csr_matrix, right: sparse.csr_matrix) -> Bools:
    """Return the pairs in which both sides have a value."""
    return np.logical_and.outer(np.diff(left.indptr) > 0, np.diff(right.indptr) > 0)


def _apart(left: Profiles, right: Profiles) -> Bools:
    """Return the pairs from different documents with names of two entities.

    They share no word, or they are people's with clashing first names.
    """
    documents = [np.array(each.column("document").to_pylist(), dtype=object) for each in (left, right)]
    names = [[name or "" for name in each.column("name").to_pylist()] for each in (left, right)]
    code: dict[str, int] = {}
    words = [_incidence(each, code) for each in names]
    width = max(len(code), 1)
    shared = [sparse.csr_matrix((m.data, m.indices, m.indptr), shape=(m.shape[0], width)) for m in words]
    apart = (shared[0] @ shared[1].T).toarray() == 0
    people = [_are_full_names_of_people(each) for each in (left, right)]
    pairs = np.argwhere(~apart & np.logical_and.outer(*people))
    if len(pairs):
        distinct, number = np.unique(np.array([*names[0], *names[1]], dtype=object).astype(str), return_inverse=True)
        places = number[pairs + np.array([0, len(names[0])])]
        grade = agreeing(distinct.tolist(), "person", np.unique(places).tolist()).of(np.sort(places, axis=1))[0]
        apart[tuple(pairs[grade == Grade.CLASH].T)] = True
    return (documents[0][:, None] != documents[1][None, :]) & apart


def _are_full_names_of_people(profiles: Profiles) -> Bools:
    rows = zip(profiles.column("name").to_pylist(), profiles.column("type").to_pylist(), strict=True)
    found = [type in (None, "person") and bool(parse_person(name or "").given) for name, type in rows]
    return np.array(found, dtype=bool)


def _incidence(names: Sequence[str], code: dict[str, int]) -> sparse.csr_matrix:
    cells = [sorted({code.setdefault(word, len(code)) for word in map(fold, name.split()) if word}) for name in names]
    ends = np.cumsum([0, *map(len, cells)])
    columns = np.array([column for row in cells for column in row], dtype=np.int32)
    return sparse.csr_matrix((np.ones(len(columns), dtype=np.int32), columns, ends), shape=(len(names), len(code)))
