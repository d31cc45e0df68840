"""GroupLink detection: which article groups of different languages are about the same thing.

Van Gael & Zhu 2007, section 5. A node is a group, the weight of an edge is similarity − bias, and two groups of one
language are never linked. Correlation clustering optimises over the full graph. The paper's baselines are HC (single
link without the constraint) and CHC (single link that skips joins within a language).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator

from crossdoc import errors
from crossdoc.cluster.correlation import SOLVERS, CorrelationClustering
from crossdoc.cluster.correlation.correlation_clustering import Solver
from crossdoc.cluster.hierarchical import LinkageClustering
from crossdoc.crosslingual.groups import FEATURE_KINDS, ArticleGroup, Features, Kind, features
from crossdoc.crosslingual.similarity import MEASURES, BiasChoice, Measure, choose_bias, relative, similarities
from crossdoc.crosslingual.translators import Translator
from crossdoc.model import Partition
from crossdoc.model.evidence_protocol import Constraints
from crossdoc.progress import Progress, Quiet

Method = Literal["correlation", "chc", "hc"]
LINK_METHODS: tuple[Method, ...] = ("correlation", "chc", "hc")
UNTRANSLATED = "none"
"""Value of `translated_` for a language without a translator."""
LEAST_BIAS = 1e-9
"""Similarity. Bias of single link instead of 0, so that groups with nothing in common are not joined."""


@dataclass(frozen=True, slots=True)
class GroupLink:
    """Two groups of different languages that are about the same thing, and how similar they are."""

    a: str
    b: str
    language_a: str
    language_b: str
    similarity: float


class LinkDetector(BaseEstimator):
    """Links between article groups of different languages.

    Parameters
    ----------
    bias : float or None, default None
        Similarities above it count in favour of a link, those below against it; None chooses it without gold
        (:func:`crossdoc.crosslingual.similarity.choose_bias`).
    method : {"correlation", "chc", "hc"}, default "correlation"
        Correlation, chc or hc.
    translator : Translator or None, default None
        Translator into English; None compares only features that need no translation.
    kinds : sequence of Kind, default ("word", "name", "cognate", "number", "date", "place")
        The kinds of features to compare.
    measure : {"relative", "cosine", "inner"}, default "relative"
        Relative, cosine or inner (the paper's), see :func:`crossdoc.crosslingual.similarity.similarities`.
    titles_only : bool, default False
        Leave the groups' texts out, as the paper does.
    solver : {"auto", "exact", "lp", "moves", "full", "chunking"}, default "auto"
        As in :class:`crossdoc.cluster.correlation.CorrelationClustering`.
    time_limit : float or None, default None
        Seconds for the solver; None: no limit of its own.
    random_state : int, default 0
        The seed.

    Attributes
    ----------
    labels_ : ndarray of int
        The cluster of each group; at most one group of each language in one, except under hc.
    partition_ : Partition
        The same with memberships.
    links_ : list of GroupLink
        The links, most similar first.
    n_links_ : int
        Their number.
    bias_ : float
        The bias and how it came about.
    relations_ : Relations
        The similarities of all pairs that share a feature.
    plain_ : Relations
        The similarities before they were made relative.
    languages_ : list of str
        The languages, in alphabetical order; `language_of_` has each group's number among them.
    translated_ : dict
        Language → what translated it.
    solver_ : str
        Description of the clusterer's solution.
    notes_ : list of str
        Notes for the user.
    bounds_ : dict
        Of correlation: objective (disagreements), lower_bound, and gap; None where nothing is proven.

    References
    ----------
    Van Gael, Zhu 2007, Correlation Clustering for Crosslingual GroupLink Detection, IJCAI.

    Examples
    --------
    >>> groups = [ArticleGroup("e1", "en", ("Airbus wins Qatar order",)),
    ...           ArticleGroup("e2", "en", ("Apple shares fall",)),
    ...           ArticleGroup("d1", "de", ("Airbus erhält Auftrag aus Qatar",)),
    ...           ArticleGroup("d2", "de", ("Aktie von Apple fällt",))]
    >>> detector = LinkDetector(bias=0.2).fit(groups)
    >>> [(link.a, link.b) for link in detector.links_]
    [('e1', 'd1'), ('e2', 'd2')]
    """

    def __init__(
        self,
        bias: float | None = None,
        method: Method = "correlation",
        translator: Translator | None = None,
        kinds: Sequence[Kind] = FEATURE_KINDS,
        measure: Measure = "relative",
        titles_only: bool = False,
        solver: Solver = "auto",
        time_limit: float | None = None,
        random_state: int = 0,
    ) -> None:
        self.bias = bias
        self.method = method
        self.translator = translator
        self.kinds = kinds
        self.measure = measure
        self.titles_only = titles_only
        self.solver = solver
        self.time_limit = time_limit
        self.random_state = random_state

    def fit(
        self,
        X: Sequence[ArticleGroup],
        y: object = None,
        *,
        constraints: Constraints | None = None,
        progress: Progress | None = None,
    ) -> LinkDetector:
        """Compare the groups, choose the bias unless it is given, and cluster."""
        if constraints is not None and self.method != "hc":
            refuse_links_within_languages(X, constraints)
        self.compare(X, progress=progress)
        self.bias_ = self.choose_bias() if self.bias is None else BiasChoice(float(self.bias), "given", 0)
        (progress or Quiet()).start("linking")
        return self.cluster(self.bias_.bias, constraints=constraints)

    def compare(self, groups: Sequence[ArticleGroup], *, progress: Progress | None = None) -> LinkDetector:
        """Translate, extract features, and compare: all steps that do not depend on the bias."""
        self._check()
        progress = progress or Quiet()
        self.groups_ = list(groups)
        repeated = [id for id, count in Counter(group.id for group in groups).items() if count > 1]
        if repeated:
            raise errors.duplicate_ids("The groups", repeated)
        self.languages_ = sorted({group.language for group in groups})
        if len(self.languages_) < 2:
            raise errors.one_language(len(self.groups_), "".join(self.languages_) or "none")
        number = {language: code for code, language in enumerate(self.languages_)}
        self.language_of_ = np.array([number[group.language] for group in groups], dtype=np.int32)
        self.notes_: list[str] = []
        found = self._features(progress)
        bare = sum(not any(own[kind] for kind in self.kinds) for own in found)
        if bare:
            self.notes_.append(f"Groups without any feature, which are linked to nothing: {bare:,}.")
        plain: Measure = "inner" if self.measure == "inner" else "cosine"
        self.plain_ = similarities(found, self.language_of_, self.kinds, plain)
        self.relations_ = relative(self.plain_, self.language_of_) if self.measure == "relative" else self.plain_
        if not len(self.relations_):
            self.notes_.append("No two groups of different languages have anything in common that others lack.")
        return self

    def choose_bias(self) -> BiasChoice:
        """Return the bias that the compared groups suggest, without gold."""
        return choose_bias(self.relations_, self.language_of_, self.plain_)

    def cluster(self, bias: float, *, constraints: Constraints | None = None) -> LinkDetector:
        """Cluster the compared groups at a bias."""
        _check_bias(bias)
        relations, n = self.relations_, self.relations_.n
        if constraints is not None and self.method != "hc":
            refuse_links_within_languages(self.groups_, constraints)
        clusterer: CorrelationClustering | LinkageClustering
        if self.method == "correlation":
            clusterer = CorrelationClustering(
                self.solver, bias=bias, time_limit=self.time_limit, random_state=self.random_state
            )
            clusterer.fit(relations, constraints=constraints, groups=self.language_of_)
            self.solver_ = clusterer.solver_
            names = ("objective", "lower_bound", "gap")
            self.bounds_: dict[str, float | None] = {name: getattr(clusterer, f"{name}_") for name in names}
        else:
            clusterer = LinkageClustering("single", max(bias, LEAST_BIAS))
            limits = constraints or Constraints.none(n)
            if self.method == "chc":
                limits = separate_languages(limits, self.language_of_)
            clusterer.fit(relations, constraints=limits)
            self.bounds_ = {}
            self.solver_ = "single link" + (", at most one group of a language" if self.method == "chc" else "")
        self.labels_ = clusterer.labels_
        self.partition_ = Partition([group.id for group in self.groups_], clusterer.partition_.membership)
        return self

    @property
    def links_(self) -> list[GroupLink]:
        """The links, most similar first: each pair of groups of different languages in one cluster."""
        return sorted(self._links(), key=lambda link: (-link.similarity, link.a, link.b))

    @property
    def n_links_(self) -> int:
        """Number of links."""
        sizes = np.bincount(self.labels_).astype(np.int64)
        per_language = np.unique(np.column_stack([self.labels_, self.language_of_]), axis=0, return_counts=True)[1]
        return int((sizes**2).sum() - (per_language.astype(np.int64) ** 2).sum()) // 2

    @property
    def pairs_(self) -> int:
        """Number of pairs of groups of different languages."""
        counts = np.bincount(self.language_of_)
        return int((counts.sum() ** 2 - (counts**2).sum()) // 2)

    def _check(self) -> None:
        for what, given, known in (
            ("method", self.method, LINK_METHODS),
            ("similarity", self.measure, MEASURES),
            ("solver", self.solver, SOLVERS),
            *(("kind of feature", kind, FEATURE_KINDS) for kind in self.kinds),
        ):
            if given not in known:
                raise errors.unknown_choice(what, given, known)
        if not self.kinds:
            raise errors.unknown_choice("kind of feature", "", FEATURE_KINDS)
        if self.bias is not None:
            _check_bias(self.bias)
        if "word" not in self.kinds and self.translator is not None:
            raise errors.needs_option("`translator`", "`word` among the features")

    def _features(self, progress: Progress) -> list[Features]:
        texts = [group.text(self.titles_only) for group in self.groups_]
        translations: list[str | None] = [None] * len(texts)
        translator = self.translator
        self.translated_: dict[str, str] = {}
        for code, language in enumerate(self.languages_):
            if language == "en":
                self.translated_[language] = "as it is"
                continue
            if translator is None or not translator.knows(language):
                self.translated_[language] = UNTRANSLATED
                continue
            self.translated_[language] = translator.describe(language)
            rows = np.flatnonzero(self.language_of_ == code)
            progress.start(f"translating {language}", len(rows))
            found = translator.translate([texts[row] for row in rows], language)
            if len(found) != len(rows):
                raise errors.part_failed(
                    "translator", self.translated_[language], f"{len(found)} texts for {len(rows)} given"
                )
            for row, text in zip(rows, found, strict=True):
                translations[row] = text
            progress.advance(len(rows))
        untranslated = [language for language, by in self.translated_.items() if by == UNTRANSLATED]
        if untranslated and translator is not None:
            self.notes_.append(f"Not translated, since no translator given knows them: {', '.join(untranslated)}.")
        progress.start("comparing", len(texts))
        all_features = []
        for group, text, translation in zip(self.groups_, texts, translations, strict=True):
            all_features.append(features(text, group.language, translation))
            progress.advance()
        return all_features

    def _links(self) -> Iterator[GroupLink]:
        left, right = _pairs_within(self.labels_)
        across = self.language_of_[left] != self.language_of_[right]
        left, right = left[across], right[across]
        found = self.relations_
        matrix = sparse.csr_matrix((found.strength, (found.left, found.right)), shape=(found.n, found.n))
        for a, b, value in zip(left.tolist(), right.tolist(), matrix[left, right].A1, strict=True):
            one, other = self.groups_[a], self.groups_[b]
            yield GroupLink(one.id, other.id, one.language, other.language, round(float(value), 6))


def _check_bias(bias: float) -> None:
    if not (isinstance(bias, Real) and 0 <= bias <= 1):
        raise errors.bad_parameter("bias", bias, "a number between 0 and 1, as similarities are")


def refuse_links_within_languages(groups: Sequence[ArticleGroup], constraints: Constraints) -> None:
    """Refuse must-links between groups of one language: a cluster has at most one group per language."""
    for rows in constraints.linked_rows():
        first: dict[str, int] = {}
        for row in rows.tolist():
            language = groups[row].language
            other = first.setdefault(language, row)
            if other != row:
                chain = constraints.chain(other, row)
                raise errors.linked_within_language(groups[other].id, groups[row].id, language, chain)


def separate_languages(limits: Constraints, languages: npt.NDArray[np.int32]) -> Constraints:
    """Return the constraints with a cannot-link between any two groups of one language."""
    apart = np.column_stack(_pairs_within(languages))
    return replace(limits, cannot=np.concatenate([limits.cannot, apart]).astype(np.int32))


def _pairs_within(labels: npt.NDArray[np.int32]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return all pairs of rows i < j with the same label."""
    n = len(labels)
    one_hot = sparse.csr_array((np.ones(n, dtype=np.int8), labels, np.arange(n + 1)))
    left, right = sparse.triu(one_hot @ one_hot.T, k=1).nonzero()
    return left.astype(np.int64), right.astype(np.int64)
