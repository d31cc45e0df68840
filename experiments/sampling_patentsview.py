"""PatentsView by sampling: 133,541 inventor mentions, scored on those whose inventors are known.

    CROSSDOC_DATA=… python experiments/sampling_patentsview.py

A mention is a name and what its patent says (title, abstract, assignee, place, CPC group, co-inventors). Names that
clash are kept apart; bias and name weight are those found without labels (honest), or the best of a few (oracle).
"""

from __future__ import annotations

import time

import numpy as np
from common import data, table

from crossdoc.cluster.baselines import string_match
from crossdoc.cluster.sampling import SamplingClustering
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.model import Profile, Profiles
from crossdoc.read.corpora import patentsview
from crossdoc.score import Aligned, b_cubed

CLASH = 2.0
CHOICES = ((0.01, 0.01), (0.02, 0.02), (0.05, 0.05), (0.05, 0.1))


def whole_context(profile: Profile) -> Profile:
    """The words of the patent and of the profile's relations and attributes."""
    said = [relation.name for relation in profile.relations]
    said += [value for values in profile.attributes.values() for value in values]
    return Profile(
        profile.id, profile.document, profile.name, context=" ".join([profile.context, *said]), language="en"
    )


def main() -> None:
    folder = data("patentsview")
    profiles = Profiles.of(whole_context(profile) for profile in patentsview.profiles(folder))
    answer = patentsview.gold(folder)
    entity = dict(zip(answer.column("id").to_pylist(), answer.column("entity").to_pylist(), strict=True))
    known = np.flatnonzero([id in entity for id in profiles.ids])
    gold = np.unique([entity[id] for id in profiles.ids[known]], return_inverse=True)[1]
    names = profiles.column("name").to_pylist()
    vectors = ContextVectoriser().fit([profiles.column("context").to_pylist()]).transform(profiles)
    rows: list[list[object]] = []

    def tell(name: str, kind: str, labels: np.ndarray, seconds: float) -> None:
        found = b_cubed(Aligned.of_labels(labels[known], gold))
        rows.append([name, kind, found.precision, found.recall, found.f1, int(labels.max()) + 1, f"{seconds:.0f} s"])

    tell("string match", "", string_match(names), 0.0)
    for bias, weight in ((None, None), *CHOICES):
        begun = time.perf_counter()
        found = SamplingClustering(bias, weight, clash_weight=CLASH).fit(vectors, names=names, entity_type="person")
        kind = "honest" if bias is None else "oracle"
        name = f"sampling, b {found.bias_:.4f}, w {found.name_weight_:.4f}"
        tell(name, kind, found.labels_, time.perf_counter() - begun)
    print(f"{len(profiles):,} mentions, {len(known):,} of them of {gold.max() + 1} known inventors")
    print(table(["", "", "B³ P", "B³ R", "B³ F1", "entities", "time"], rows))


if __name__ == "__main__":
    main()
