"""What the dates of documents say beyond all else: of pairs that names leave open, by how far apart they were written.

    CROSSDOC_DATA=… python experiments/date_evidence.py [SET …]

A distance is ranked among those of any two documents of the set. `shift` is what would have to be added to the log odds
of the default for the pairs of a rank to be one entity as often as they are; dates would count if it fell, or rose, in
the same way on every set. Looks at the parts build and choose.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from datetime import date
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from common import table
from labelled import Collection, Labelled, load
from scipy.optimize import brentq
from scipy.special import expit, logit

SETS = ("sample", "john-smith", "arnetminer", "hipe-hipe2020-fr-mentions", "hipe-topres19th-en-mentions")
RANKS = (0.0, 0.05, 0.2, 0.5, 0.75, 0.9, 1.0)
SAMPLED = 200_000
FEWEST = 30
Floats = npt.NDArray[np.float64]


def day(text: str | None) -> float:
    """A date as a number of days; of a year or a month its middle.

    >>> day("2001-03-01") - day("2001-02"), day("1999") - day("1998"), day("spring")
    (14.0, 365.0, nan)
    """
    parts = [int(part) for part in (text or "").split("-") if part.isdecimal()]
    try:
        return float(date(*(*parts, *(7, 15)[len(parts) - 1 :])[:3]).toordinal())
    except (TypeError, ValueError):
        return float("nan")


def days(collection: Collection) -> dict[str, float]:
    """When the document of each profile is from, or the year that a record states."""
    profiles, documents = collection.profiles, collection.documents
    when = {} if documents is None else dict(zip(documents.ids, documents.column("date").to_pylist(), strict=True))
    stated = [dict(own or ()).get("written", [None])[0] for own in profiles.column("attributes").to_pylist()]
    dated = zip(profiles.ids, profiles.column("document").to_pylist(), stated, strict=True)
    return {id: day(when.get(document) or year) for id, document, year in dated}


def gold_of(labelled: Labelled) -> dict[str, str]:
    """The one entity of each profile that has one."""
    gold = labelled.gold
    if labelled.mention_gold is not None:
        gold = {labelled.profile_of[id]: own for id, own in labelled.mention_gold.items() if id in labelled.profile_of}
    return {id: next(iter(own)) for id, own in gold.items() if len(own) == 1}


def ranked(labelled: Labelled) -> Iterator[tuple[str, Floats, Floats, npt.NDArray[np.bool_]]]:
    """Of each type, for its pairs from two documents: rank of the distance, log odds of the default, whether one."""
    gold, random = gold_of(labelled), np.random.default_rng(0)
    for collection in labelled.collections:
        when = days(collection)
        for evidence in collection.evidence():
            found = evidence.candidates()
            entity = np.array([gold.get(id, "") for id in evidence.ids], dtype=object)
            dates = np.array([when[id] for id in evidence.ids])
            document = np.array(evidence.profiles.column("document").to_pylist(), dtype=object)
            a, b = random.integers(0, len(dates), (2, SAMPLED))
            usual = np.sort(np.abs(dates[a] - dates[b])[document[a] != document[b]])
            usual = usual[~np.isnan(usual)]
            gap = np.abs(dates[found.left] - dates[found.right])
            usable = (entity[found.left] != "") & (entity[found.right] != "") & ~np.isnan(gap)
            usable &= document[found.left] != document[found.right]
            rank = np.searchsorted(usual, gap[usable]) / max(len(usual), 1)
            odds = logit(np.clip(found.strength[usable].astype(float), 1e-4, 1 - 1e-4))
            yield evidence.entity_type or "any", rank, odds, (entity[found.left] == entity[found.right])[usable]


def shift(odds: Floats, share: float) -> float:
    """What to add to log odds so that their mean probability is this share.

    >>> round(shift(np.zeros(3), 0.9), 3) == round(float(logit(0.9)), 3)
    True
    """
    return float(brentq(lambda by: expit(odds + by).mean() - share, -20, 20)) if 0 < share < 1 else float("nan")


def rows(name: str) -> Iterator[list[object]]:
    for type_, rank, odds, same in ranked(load(name, "all")):
        for low, high in pairwise(RANKS):
            here = (rank >= low) & (rank <= high if high == 1 else rank < high)
            if here.sum() >= FEWEST:
                share, predicted = float(same[here].mean()), float(expit(odds[here]).mean())
                moved = f"{shift(odds[here], share):+.2f}"
                yield [name, type_, f"{low:.2f}–{high:.2f}", int(here.sum()), f"{share:.3f}", f"{predicted:.3f}", moved]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=SETS, metavar="SET")
    found = [row for name in parser.parse_args().sets for row in rows(name)]
    print(table(["set", "type", "rank of the distance", "pairs", "one entity", "the default says", "shift"], found))


if __name__ == "__main__":
    main()
