"""Partition + profiles → identities: the name, descriptor, variants, dates and certainty that a person reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from crossdoc.evidence_types import plain_type
from crossdoc.model import Facts, Identity, Partition, Profiles, Vectors

DESCRIPTOR_WORDS = 3


def describe(
    partition: Partition,
    profiles: Profiles,
    facts: Facts,
    key_words: list[str] | None = None,
    given: Mapping[str, tuple[int, str]] | None = None,
) -> Iterator[Identity]:
    """One identity for each cluster that is somebody's best; `key_words` describe each where no profile does.

    `given` are names that somebody gave, by a profile of the identity, each with a number: the highest counts.
    """
    variants, mention_counts, dates = facts.variants, facts.mention_counts, facts.dates
    # Profiles from another extractor come without their mentions: each stands for at least one.
    unlisted = 0 if mention_counts else 1
    documents = profiles.column("document").to_pylist()
    names = profiles.column("name").to_pylist()
    types = profiles.column("type").to_pylist()
    attributes = profiles.column("attributes")
    order = np.argsort(partition.labels, kind="stable")
    bounds = np.searchsorted(partition.labels[order], np.arange(partition.n_clusters + 1))
    for cluster in range(partition.n_clusters):
        rows = order[bounds[cluster] : bounds[cluster + 1]]
        if not len(rows):
            continue
        ids = [partition.ids[row] for row in rows]
        counted: Counter[str] = Counter()
        described: Counter[str] = Counter()
        for row, profile in zip(rows, ids, strict=True):
            counted.update(set(variants.get(profile) or [names[row]]))
            for key, values in attributes[int(row)].as_py() or []:
                if plain_type(key) == "descriptor":
                    described.update(set(values))
        seen = sorted(dates[document] for document in {documents[row] for row in rows} if document in dates)
        descriptor = max(described, key=lambda text: (described[text], len(text)), default="")
        yield Identity(
            id=partition.entities[cluster],
            name=given_name(ids, given or {}) or canonical_name(counted),
            type=Counter(types[row] for row in rows).most_common(1)[0][0],
            descriptor=descriptor or (key_words[cluster] if key_words else ""),
            variants=dict(sorted(counted.items(), key=lambda item: (-item[1], item[0]))),
            n_documents=len({documents[row] for row in rows}),
            n_mentions=sum(mention_counts.get(profile, unlisted) for profile in ids),
            first_date=seen[0] if seen else None,
            last_date=seen[-1] if seen else None,
            certainty=float(partition.membership[rows, cluster].mean()),
        )


def given_name(ids: Iterable[str], given: Mapping[str, tuple[int, str]]) -> str:
    """The last name that somebody gave to one of these profiles' identity, if anybody did."""
    return max((given[id] for id in ids if id in given), default=(0, ""))[1]


def canonical_name(variants: Mapping[str, int]) -> str:
    """The variant that says most how often: the number of profiles that use it times its words.

    >>> canonical_name({"Bush": 10, "George W. Bush": 5, "George Bush": 3})
    'George W. Bush'
    """
    return max(variants, key=lambda name: (variants[name] * len(name.split()), len(name), name), default="")


def key_words(partition: Partition, vectors: Vectors) -> list[str]:
    """The heaviest context words of each cluster."""
    if vectors.features is None or not len(partition):
        return [""] * partition.n_clusters
    total = (partition.harden().membership.T @ vectors.matrix).tocsr()
    distinct = np.unique(partition.labels[partition.labels >= 0])
    words = [""] * partition.n_clusters
    for row, cluster in enumerate(distinct):
        part = slice(total.indptr[row], total.indptr[row + 1])
        heaviest = np.argsort(-total.data[part], kind="stable")[:DESCRIPTOR_WORDS]
        words[cluster] = ", ".join(vectors.features[total.indices[part][heaviest]])
    return words
