"""How often two names of organisations, or of places, are one entity's, by what they have in common.

    CROSSDOC_DATA=… python experiments/other_names.py [SET …]

Each pair of distinct names of a set counts once, as one entity's to the share of its pairs of profiles that are; of the
gold the parts `build` and `choose` alone. The log odds in `default_model.json` follow these counts (docs/comparing.md).
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

import numpy as np
from common import table
from labelled import load

from crossdoc.compare.name_prior import parts_of_one
from crossdoc.model import Profile
from crossdoc.names import Grade, agreeing
from crossdoc.names.others import follows, is_head, is_place, plain_name
from crossdoc.names.words import one_letter_apart

SETS = (
    "aida-train", "aida-testa", "reuters-organisations", "meantime-en", "hipe-hipe2020-de", "hipe-hipe2020-en",
    "hipe-hipe2020-fr", "hipe-newseye-de", "hipe-newseye-fr", "hipe-newseye-sv", "hipe-topres19th-en",
)  # fmt: skip
Named = Iterable[tuple[Profile, str]]
"""Profiles and the entity of each."""


def kinds(names: list[str], entity_type: str, often: Counter[str]) -> Iterator[tuple[str, str, str]]:
    """Pairs of names that agree by less than their words, and what they have in common.

    >>> often = Counter({"fund": 1, "monetaryfund": 2, "uxitedstates": 1, "unitedstates": 9})
    >>> [kind for _, _, kind in kinds(["Fund", "Monetary Fund"], "organisation", often)]
    ['last word, most']
    >>> [kind for _, _, kind in kinds(["Uxited States", "United States"], "place", often)]
    ['one letter, the other a place']
    """
    found = agreeing(names, entity_type)
    pairs = [(names[a], names[b]) for a, b in found.pairs().tolist()]
    grade = found.of(found.pairs())[0]
    parts = [pair for pair, own in zip(pairs, grade.tolist(), strict=True) if own == Grade.PART]
    only = dict(zip(parts, parts_of_one(parts).tolist(), strict=True))
    heads = {(plain_name(x), plain_name(y)) for pair in parts for x, y in (pair, pair[::-1]) if is_head(x, y)}
    ending = Counter[str]()
    for short, full in heads:
        ending[short] += often[full]
    for (a, b), own in zip(pairs, grade.tolist(), strict=True):
        short, full = sorted((a, b), key=len)
        if plain_name(a) == plain_name(b):
            continue
        if follows(short, full):
            yield a, b, "designation"
        elif own == Grade.PART and is_head(short, full):
            most = 2 * often[plain_name(full)] > ending[plain_name(short)]
            yield a, b, f"last word, {'most' if most else 'fewer'}"
        elif own == Grade.PART:
            yield a, b, f"part of {'one' if only[a, b] else 'several'}"
        elif own == Grade.SIMILAR:
            letters = "one letter" if one_letter_apart(plain_name(a), plain_name(b)) else "two letters"
            yield a, b, f"{letters}, {'the other a place' if is_place(a) or is_place(b) else 'neither a place'}"


def counted(profiles: Named, entity_type: str, often: Counter[str]) -> dict[str, list[float]]:
    """By kind how many pairs of names are one entity's, and how many two."""
    entities: dict[str, Counter[str]] = defaultdict(Counter)
    for profile, entity in profiles:
        entities[profile.name][entity] += 1
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for a, b, kind in kinds(sorted(entities), entity_type, often):
        same = sum(n * entities[b][entity] for entity, n in entities[a].items())
        share = same / entities[a].total() / entities[b].total()
        sums[kind] = [sums[kind][0] + share, sums[kind][1] + 1 - share]
    return sums


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=SETS)
    whole: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for name in parser.parse_args().sets:
        labelled = load(name, "all")
        for entity_type in ("organisation", "place"):
            everyone = [profile for profile in labelled.profiles if profile.type == entity_type and profile.name]
            named = [(own, min(labelled.gold[own.id])) for own in everyone if own.id in labelled.gold]
            often = Counter(plain_name(profile.name) for profile in everyone)
            for kind, (one, two) in counted(named, entity_type, often).items():
                whole[entity_type, kind] = [whole[entity_type, kind][0] + one, whole[entity_type, kind][1] + two]
    rows = [
        [*which, round(one), round(two), f"{np.log((one + 0.5) / (two + 0.5)):+.1f}"]
        for which, (one, two) in sorted(whole.items())
    ]
    print(table(["type", "in common", "one", "two", "log odds"], rows))


if __name__ == "__main__":
    main()
