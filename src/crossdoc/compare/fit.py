"""Fit the model to a collection: what similarity means in it, and how ambiguous each of its names is.

Pairs of one name are a mixture of pairs of one entity and pairs of namesakes. Namesakes look like people of different
names (`background.py`), so for each field

    p(s | a pair of name g) = π_g p1(s) + (1 − π_g) p0(s),    λ(s) = log p1(s) − log p0(s)

p0 is measured. p1 and π_g are estimated by expectation maximisation, p1 over bins of √cosine shrunk to the shipped
curve, logit π_g shrunk to the prior of the name plus a shift δ that all names share; λ rises with s (isotonic
regression). A name in n documents counts as n − 1 independent pairs. A collection with few such pairs keeps the shipped
values.

δ says that names are more or less ambiguous here than elsewhere. Each name counts once in it, however often it occurs:
the contexts of a famous entity differ like those of namesakes, and a few famous ones have most of the pairs. Gathered
namesakes are a little more alike than people of different names, which δ would take for people of one name, so it
counts for chosen names with probability 1 − q. Bare surnames have no π of their own, since the contexts of a famous
bearer look like those of two people. They take part in δ only where it raises priors.

If contexts say nothing about who is who, pairs of one name look like pairs of different names too, and likelihood
alone cannot tell that from names that are all ambiguous. The estimates are therefore weighted with the probability that
contexts are informative; without informative contexts, names decide by their commonness.

The prior of a name is the log odds c of its commonness, unless the names were chosen, as in a search for ambiguous
ones: a rare name is then no evidence for one person, and the prior is min(c, 0). The probability q of that is read off
the share of names that occur once, apart for names that stand alone in their documents (pages, records) and for names
among others (articles), so that both may be in one collection. The prior is (1 − q) c + q min(c, 0).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import expit, logsumexp
from sklearn.isotonic import IsotonicRegression

from crossdoc.compare.background import Background
from crossdoc.compare.collection import Collection, compared_fields
from crossdoc.compare.curve import Curve
from crossdoc.compare.fields import CONTEXT
from crossdoc.compare.learned import Fitted, LearnedModel, Shrinkage
from crossdoc.compare.name_evidence import NO_PAIRS
from crossdoc.compare.name_prior import NameCounts, NamePrior, Priors, fitted_key, probability_chosen
from crossdoc.compare.specialists import kernels
from crossdoc.compare.specialists.base import Pairs
from crossdoc.compare.statistics import Lookup
from crossdoc.names import fold

INFORMATIVE = 21.0
"""Odds per nat. Contexts distinguish namesakes in all 20 kinds of collection that were looked at; the next one differs
with odds of 1 : 21 (rule of succession)."""
SHARES = 50
"""Points at which the share of pairs that are of one entity is integrated over."""
ROUNDS = 40
"""Rounds of expectation maximisation."""
MOST_PROFILES = 100
"""Profiles of one name whose pairs are compared."""
MOST_PAIRS = 1_000_000
"""Pairs in total; names with more profiles come first. Bounds the time."""
MOST_SHOWN = 5
"""Names listed with what the fit adds to their prior."""
LEAST_SHIFT = 0.05
"""Log odds. A smaller shift of all names is not described."""
OTHER = " "
"""Begins the keys of names whose ambiguity is not fitted, such as bare surnames."""
LEAST_ABOVE = 20
"""Pairs above all bins of the background that are divided into bins of their own."""

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class NamePairs:
    """Pairs of rows with one name, from different documents."""

    rows: Ints
    """The rows that are compared."""
    pairs: Pairs
    """Places in `rows`."""
    name: Ints
    """The number of the name of each pair."""
    keys: list[str]
    """The names."""
    independent: Floats
    """By name, the number of independent pairs."""
    common: Floats
    """By name, the log odds of its commonness."""
    chosen: Floats
    """By name, the probability that it was chosen."""
    fitted: npt.NDArray[np.bool_]
    """By name, whether its ambiguity is fitted; pairs of others only show whether contexts distinguish namesakes."""
    others_chosen: float = 0.0
    """The mean of that for names that have no key, such as bare surnames."""

    @property
    def prior(self) -> Floats:
        """By name, the prior log odds of two mentions."""
        return self.common - self.chosen * np.maximum(self.common, 0.0)

    @property
    def weight(self) -> Floats:
        """The weight of each pair; those of a name add up to its independent pairs."""
        return (self.independent / np.bincount(self.name, minlength=len(self.keys)))[self.name]


def fit(collection: Collection, backgrounds: Mapping[str, Background], seed: int = 0) -> LearnedModel:
    """Return the collection's model with estimates for each entity type that has pairs of one name.

    Without a background, nothing says what namesakes look like, and only the priors of names are the collection's. The
    shipped model stays under one asked-for name, the case that it was learned on.
    """
    if collection.one_name:
        return collection.model
    fitted = {}
    for entity_type in collection:
        own = pairs_of_names(collection, entity_type, seed)
        if own is not None:
            fitted[entity_type] = _fit_type(collection, entity_type, own, backgrounds)
    return collection.model.model_copy(update={"fitted": fitted})


def pairs_of_names(collection: Collection, entity_type: str, seed: int = 0) -> NamePairs | None:
    """Return pairs of agreeing names of a type, which may be none; None if names have no prior."""
    sizes = collection.model.names
    named, rows = collection.names.of_type(entity_type), collection.names.rows(entity_type)
    counts = collection.type_counts({entity_type: Lookup.of(named, None)})[entity_type].names
    by_key: dict[str, list[int]] = defaultdict(list)
    names = [name or "" for name in named.column("name").to_pylist()]
    for row, name in enumerate(names):
        by_key[fitted_key(name, entity_type or None, counts)].append(row)
    without_key = by_key.pop("", [])
    for row in without_key:
        # Pairs of other names only show whether contexts distinguish namesakes.
        by_key[OTHER + fold(names[row])].append(row)
    by_key.pop(OTHER, None)
    documents = [document or id for document, id in zip(named.column("document").to_pylist(), named.ids, strict=True)]
    random = np.random.default_rng(seed)
    kept, keys, pairs, name, independent, total = list[int](), list[str](), [], [], [], 0
    for key in sorted(by_key, key=lambda key: (key.startswith(OTHER), -len(by_key[key]), key)):
        one_a_document = list({documents[row]: row for row in reversed(by_key[key])}.values())[::-1]
        own = np.sort(random.permutation(one_a_document)[:MOST_PROFILES])
        if len(own) < 2:
            continue
        left, right = np.triu_indices(len(own), k=1)
        pairs.append(np.column_stack([left, right]) + len(kept))
        name.append(np.full(len(left), len(keys)))
        independent.append(len(own) - 1.0)
        keys.append(key)
        kept += own.tolist()
        total += len(left)
        if total >= MOST_PAIRS:
            break
    if sizes is None:
        return None
    first = [names[by_key[key][0]] for key in keys]
    alone = collection.names.alone[rows] == 1
    of_name = chosen_names(names, alone)
    return NamePairs(
        rows[np.array(kept, dtype=np.int64)],
        np.concatenate([NO_PAIRS, *pairs]).astype(np.int32),
        np.concatenate([np.zeros(0, dtype=np.int64), *name]),
        keys,
        np.array(independent),
        _own_priors(first, entity_type, counts, sizes),
        np.array([np.mean([of_name[names[row]] for row in by_key[key]]) for key in keys]),
        np.array([not key.startswith(OTHER) for key in keys], dtype=bool),
        float(np.mean([of_name[names[row]] for row in without_key])) if without_key else 0.0,
    )


def chosen_names(names: Sequence[str], alone: npt.NDArray[np.bool_]) -> dict[str, float]:
    """Return the probability that each name was chosen, from all names that stand alone, or among others, as it does.

    >>> names = ["ann lee"] * 3 + ["bo orr"] * 3 + [f"cy {number}" for number in range(9)]
    >>> found = chosen_names(names, np.arange(len(names)) < 6)
    >>> round(found["ann lee"], 2), round(found["cy 0"], 2)
    (0.77, 0.0)
    """
    count, by_itself = Counter(names), Counter(name for name, own in zip(names, alone, strict=True) if own)
    usually_alone = {name: 2 * by_itself[name] > n for name, n in count.items()}
    found = {"": 0.0}
    for kind in (False, True):
        own = [name for name, is_alone in usually_alone.items() if is_alone == kind and name]
        found |= dict.fromkeys(own, probability_chosen(sum(count[name] == 1 for name in own), len(own)))
    return found


def _own_priors(names: list[str], entity_type: str, counts: NameCounts, sizes: NamePrior) -> Floats:
    """Return the prior log odds of each name with itself."""
    own = np.repeat(np.arange(len(names), dtype=np.int32), 2).reshape(-1, 2)
    return Priors(names, entity_type or None, counts, sizes).of(own).astype(np.float64)


@dataclass
class BinnedField:
    """The pairs of one field in bins of √cosine."""

    p0: Floats
    """By bin, the share of pairs of different names."""
    roots: Floats
    """By bin, its mean √cosine."""
    bin: Ints
    """The bin of each pair; −1 if a profile has no value."""
    shipped: Floats
    """By bin, the log odds of the shipped curve."""
    shared: float = 0.0
    """The correlation of two pairs of different names with one profile in common."""
    directions: float = np.inf
    """In how many independent directions profiles of different names differ."""

    @property
    def excess(self) -> float:
        """The log of the sum of p0·exp(λ), which is 0 for the logarithm of a ratio of two distributions.

        It is negative for the shipped curves, which are cautious: their threshold was chosen with it.
        """
        return float(np.log((self.p0 * np.exp(self.shipped)).sum()))

    @property
    def information(self) -> float:
        """The mean log likelihood ratio of pairs of one entity by the shipped curve, in nats."""
        ratio = self.shipped - self.excess
        return max(float((self.p0 * np.exp(ratio) * ratio).sum()), 0.0)

    def ratios(self, odds: Floats) -> Floats:
        """Return the log likelihood ratio of each pair."""
        return np.where(self.bin < 0, 0.0, odds[self.bin] - self.excess)

    def estimate(self, weight: Floats, shipped_pairs: float) -> Floats:
        """Return the log odds by bin, given the weight with which each pair is of one entity.

        The shipped curve counts as `shipped_pairs` pairs.
        """
        ratio = np.exp(self.shipped - self.excess)
        counted = np.bincount(self.bin[self.bin >= 0], weight[self.bin >= 0], len(self.p0))
        p1 = shipped_pairs * self.p0 * ratio + counted
        p1 /= p1.sum()
        rising = IsotonicRegression().fit_transform(
            np.arange(len(p1)), np.log(p1 / self.p0), sample_weight=p1 + self.p0
        )
        return np.asarray(rising, dtype=np.float64) + self.excess


def bin_field(cosine: npt.NDArray[np.float32], background: Background, curve: Curve) -> BinnedField:
    """Divide pairs into the bins of the background; pairs above all of them have up to three bins of their own."""
    roots = np.sqrt(cosine, dtype=np.float64)
    edges, p0, centres = (np.array(each) for each in (background.edges, background.shares, background.roots))
    if not len(edges):
        # All pairs of different names are equally alike; one that is more alike would have been the next one.
        more_alike = roots[roots > centres[0]]
        edges, centres = centres, np.append(centres, more_alike.mean() if len(more_alike) else 1.0)
        p0 = np.array([background.pairs, 1.0]) / (background.pairs + 1)
    above = roots[roots > edges[-1]]
    if len(above) >= LEAST_ABOVE:
        more = np.unique(np.quantile(above, [1 / 3, 2 / 3]))
        parts = np.split(np.sort(above), np.searchsorted(np.sort(above), more, side="right"))
        parts = [part for part in parts if len(part)]
        edges = np.append(edges, more[: len(parts) - 1])
        p0 = np.append(p0[:-1], np.full(len(parts), p0[-1] / len(parts)))
        centres = np.append(centres[:-1], [part.mean() for part in parts])
    bins = np.where(np.isnan(roots), -1, np.searchsorted(edges, np.nan_to_num(roots)))
    shipped = curve((centres**2).astype(np.float32)).astype(np.float64)
    return BinnedField(p0, centres, bins, shipped, background.shared, background.directions)


@dataclass(frozen=True)
class Estimates:
    """Estimates from a collection if its fields are informative, and the probability of that."""

    names: Floats
    """By name, logit π."""
    shift: float
    """The part of it that all names share."""
    odds: Sequence[Floats]
    """By field, the log odds of each bin."""
    informative: float


def maximise(own: NamePairs, fields: Sequence[BinnedField], fixed: Floats, shrinkage: Shrinkage) -> Estimates:
    """Estimate logit π of each name, the shift of all names in it, and the log odds by bin of each field.

    `fixed` has the log likelihood ratios of all that is not estimated.
    """
    odds, weight = [field.shipped for field in fields], own.weight
    names, shift, in_text = own.prior.copy(), 0.0, own.fitted * (1 - own.chosen)
    weight, independent = weight * own.fitted[own.name], own.independent * own.fitted
    for _ in range(ROUNDS):
        ratios = fixed + sum(map(BinnedField.ratios, fields, odds), np.zeros(len(fixed)))
        one = weight * expit(names[own.name] + ratios)
        of_name = np.bincount(own.name, one, len(names)).astype(np.float64)
        shift = _likely_shift(of_name / own.independent, names - in_text * shift, in_text, shrinkage)
        names = _most_likely(of_name, independent, own.prior + in_text * shift, shrinkage.name_sd)
        odds = [field.estimate(one, shrinkage.curve_pairs) for field in fields]
    pairs = [np.count_nonzero(field.bin >= 0) + 1 for field in fields]
    of_field = [(field.information, field.shared, field.directions) for field in fields]
    means = np.average(of_field, axis=0, weights=pairs).tolist()
    shipped = fixed + sum((field.ratios(field.shipped) for field in fields), np.zeros(len(fixed)))
    return Estimates(names, shift, odds, probability_informative(own, shipped, *means))


def probability_informative(
    own: NamePairs, ratios: Floats, information: float, shared: float, directions: float
) -> float:
    """Return the probability that the fields of a collection distinguish namesakes.

    If they do not, pairs of one name look like pairs of different names. If they do, a share π of each name's pairs is
    of one entity, which is uniform up to what the commonness of the name allows: pairs of a name that many people have
    look like pairs of different names in any case. The Bayes factor of the two models is
    Π_g ∫ Π (π·p1/p0 + 1 − π)^w dπ, where w counts as many pairs as are independent if contexts say nothing. The odds
    before the collection is looked at are `INFORMATIVE` for each nat of `information`.

    Parameters
    ----------
    own : the pairs.
    ratios : the log likelihood ratio of each pair.
    information : what the fields are expected to say about a pair of one entity, in nats.
    shared : the correlation ρ of two pairs with one profile in common. If contexts say nothing, the mean of the N pairs
        of n profiles varies as much as that of N / (1 + 2 (n − 2) ρ) independent ones.
    directions : the number R of independent directions in which contexts differ. Contexts of a few words are either the
        same or not, so that all pairs follow from n R numbers; they count as (n − 1) R / 2 at most.
    """
    pairs, n = np.bincount(own.name, minlength=len(own.keys)), own.independent + 1
    independent = np.minimum(pairs / (1 + 2 * (n - 2) * shared), (n - 1) * directions / 2)
    weight = (independent / pairs)[own.name]
    shares, most = (np.arange(SHARES) + 0.5) / SHARES, expit(own.common)[own.name]
    by_share = [np.bincount(own.name, weight * np.log1p(share * most * np.expm1(ratios))) for share in shares]
    factor = (logsumexp(by_share, axis=0) - np.log(SHARES)).sum()
    return float(expit(np.log(INFORMATIVE * information) + factor)) if information else 0.0


def _likely_shift(one: Floats, without: Floats, weight: Floats, shrinkage: Shrinkage) -> float:
    """Return δ that maximises Σ w·(one·θ − log(1 + exp θ)) − δ² / 2 sd² with θ = without + w·δ.

    `one` is the share of a name's pairs that are of one entity, `weight` (w) how much the shift counts for it. The
    standard deviation differs for δ below and above 0.

    >>> few, many = np.full(3, 3.0), np.full(300, 3.0)
    >>> [round(_likely_shift(np.full(len(n), 0.1), n, np.ones(len(n)), Shrinkage()), 2) for n in (few, many)]
    [-4.09, -5.18]
    >>> [round(_likely_shift(np.ones(n), np.zeros(n), np.ones(n), Shrinkage()), 2) for n in (1, 3, 300)]
    [0.4, 0.88, 4.24]
    """

    def slope(shift: float) -> float:
        sd = shrinkage.shift_sd if shift < 0 else shrinkage.raise_sd
        return float((weight * weight * (one - expit(without + weight * shift))).sum() - shift / sd**2)

    most = float((weight**2).sum()) * max(shrinkage.shift_sd, shrinkage.raise_sd) ** 2
    return float(brentq(slope, -most, most)) if most else 0.0


def _most_likely(one: Floats, of: Floats, prior: Floats, sd: float) -> Floats:
    """Return θ that maximises one·θ − of·log(1 + exp θ) − (θ − prior)² / 2 sd², by Newton's method.

    >>> _most_likely(np.array([0.0, 5.0, 50.0]), np.array([10.0, 10.0, 50.0]), np.zeros(3), 0.2).round(2).tolist()
    [-0.18, 0.0, 0.67]
    """
    theta = prior.copy()
    for _ in range(20):
        share = expit(theta)
        slope = one - of * share - (theta - prior) / sd**2
        theta += np.clip(slope / (of * share * (1 - share) + sd**-2), -1.0, 1.0)
    return theta


def _fit_type(
    collection: Collection, entity_type: str, own: NamePairs, backgrounds: Mapping[str, Background]
) -> Fitted:
    compared = compared_fields(collection, entity_type, own.rows)
    if CONTEXT not in backgrounds:
        # Contexts that could not be measured count as shipped; if there are none, names have to decide.
        return _fitted(own, Estimates(own.prior, 0.0, [], float(compared.rows[CONTEXT].matrix.nnz > 0)), {})
    fields, fixed = list[BinnedField](), compared.facts.of(own.pairs).astype(np.float64)
    kind = compared.alone[own.pairs].sum(axis=1)
    for name, encoded in compared.encoded.items():
        cosine, curve = kernels.sparse_cosine(*encoded, own.pairs), compared.curves[name]
        background = backgrounds.get(name)
        if background is None:
            fixed += np.where(np.isnan(cosine), 0.0, curve(np.nan_to_num(cosine), kind))
            continue
        binned = _bin_kinds(cosine, kind, background, curve)
        if name == CONTEXT:
            fields = binned
        else:
            # The other fields share words and people with contexts: their shipped curves were learned given these.
            fixed += sum(field.ratios(field.shipped) for field in binned)
    found = maximise(own, fields, fixed, collection.model.shrinkage)
    shipped = compared.curves[CONTEXT]
    fitted = [
        _as_curve(curve, field, found.informative * odds)
        for curve, field, odds in zip(shipped.kinds or [shipped], fields, found.odds, strict=True)
    ]
    of_all = shipped.model_copy(update={"kinds": tuple(fitted)}) if shipped.kinds else fitted[0]
    return _fitted(own, found, {CONTEXT: of_all})


def _bin_kinds(cosine: npt.NDArray[np.float32], kind: Ints, background: Background, curve: Curve) -> list[BinnedField]:
    """Return the bins of each kind of pair, in which pairs of other kinds have no value."""
    if not background.kinds:
        return [bin_field(cosine, background, curve)]
    return [
        bin_field(np.where(kind == which, cosine, np.float32(np.nan)), own, curve.kinds[which])
        for which, own in enumerate(background.kinds)
    ]


def _fitted(own: NamePairs, found: Estimates, curves: dict[str, Curve]) -> Fitted:
    trust = found.informative
    moved = dict(zip(own.keys, (trust * (found.names - own.common)).round(3).tolist(), strict=True))
    moved = {key: odds for key, odds in moved.items() if not key.startswith(OTHER)}
    return Fitted(
        names=moved,
        shift=round(trust * found.shift, 3),
        others=round(trust * own.others_chosen, 3),
        curves=curves,
        pairs=int(own.independent[own.fitted].sum()),
        chosen=round(float(own.chosen[own.fitted].mean()) if own.fitted.any() else own.others_chosen, 3),
        informative=round(trust, 3),
    )


def _as_curve(curve: Curve, field: BinnedField, odds: Floats) -> Curve:
    roots, first = np.unique(field.roots.round(5), return_index=True)
    odds = odds[first]
    if roots[-1] < 1:
        # Beyond the last bin the shipped line goes on.
        roots, odds = np.append(roots, 1.0), np.append(odds, odds[-1] + curve.slope / curve.sd * (1 - roots[-1]))
    bounded = np.clip(odds, curve.low, curve.high).round(4)
    return curve.model_copy(update={"roots": tuple(roots.tolist()), "odds": tuple(bounded.tolist())})


def describe_fit(model: LearnedModel) -> list[str]:
    """Return a line for each entity type: on how many pairs it was fitted, and how far the shipped values moved."""
    lines = []
    for entity_type, own in model.fitted.items():
        line = f"{entity_type or 'without a type'}: fitted on {own.pairs:,} pairs of one name"
        line += f"; the names were chosen, as in a search, with probability {own.chosen:.2f}"
        if own.informative < 1:
            line += f"; contexts distinguish namesakes with probability {own.informative:.2f} and count that much less"
        if abs(own.shift) >= LEAST_SHIFT:
            which = "less" if own.shift > 0 else "more"
            line += f"; names are {which} ambiguous here than elsewhere: {own.shift:+.1f} for each"
        for field, curve in own.curves.items():
            shipped, here = model.fields[field].cosine_at(0.0), curve.cosine_at(0.0)
            line += f"; even odds at a cosine of {here:.3f} in {field} (shipped: {shipped:.3f})"
        moved = sorted(own.names, key=lambda name: (-abs(own.names[name]), name))[:MOST_SHOWN]
        if moved:
            line += f"; names moved most: {', '.join(f'{name} {own.names[name]:+.1f}' for name in moved)}"
        lines.append(line)
    return lines
