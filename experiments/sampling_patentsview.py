"""PatentsView by sampling: 133,541 inventor mentions, scored on those whose inventors are known.

    CROSSDOC_DATA=… python experiments/sampling_patentsview.py [--clash]

A mention is a name and what its patent says (title, abstract, assignee, place, CPC group, co-inventors). Bias and name
weight are those found without labels, or chosen on half of the known inventors; all are scored on the other half. With
--clash names that cannot be one person's are kept apart.
"""

from __future__ import annotations

import argparse
import time
from functools import partial

import numpy as np
from common import data, table
from corpora import patentsview
from development_split import on_development_split

from crossdoc.cluster.baselines import string_match
from crossdoc.cluster.sampling import SamplingClustering
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.model import Profile, Profiles
from crossdoc.names import agreeing_names, fold
from crossdoc.scoring import Alignment, b_cubed

CLASH = 2.0


def whole_context(profile: Profile) -> Profile:
    """The words of the patent and of the profile's relations and attributes."""
    words = [relation.name for relation in profile.relations]
    words += [value for values in profile.attributes.values() for value in values]
    return Profile(
        profile.id, profile.document, profile.name, context=" ".join([profile.context, *words]), language="en"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clash", action="store_true")
    options = parser.parse_args()
    folder = data("patentsview")
    profiles = Profiles.of(whole_context(profile) for profile in patentsview.profiles(folder))
    answer = patentsview.gold(folder)
    entity = dict(zip(answer.column("id").to_pylist(), answer.column("entity").to_pylist(), strict=True))
    known = np.flatnonzero([id in entity for id in profiles.ids])
    gold = np.unique([entity[id] for id in profiles.ids[known]], return_inverse=True)[1]
    names = profiles.column("name").to_pylist()
    vectors = ContextVectoriser().fit([profiles.column("context").to_pylist()]).transform(profiles)
    rows: list[list[object]] = []
    clash = CLASH if options.clash else 0.0
    half = np.random.default_rng(0).random(gold.max() + 1) < 0.5
    test = known[~half[gold]]
    development = np.full(len(profiles), -1)
    development[known[half[gold]]] = gold[half[gold]]

    def tell(name: str, labels: np.ndarray, seconds: float) -> None:
        found = b_cubed(Alignment.from_labels(labels[test], gold[~half[gold]]))
        rows.append([name, found.precision, found.recall, found.f1, int(labels.max()) + 1, f"{seconds:.0f} s"])
        print(*rows[-1], flush=True)

    tell("string match", string_match([fold(name) for name in names]), 0.0)
    agreeing = partial(agreeing_names, entity_type="person")
    begun = time.perf_counter()
    learned = on_development_split(vectors.matrix, names, development, clash_weight=clash, agreeing=agreeing)
    print(learned, f"chosen in {time.perf_counter() - begun:.0f} s", flush=True)
    for what, bias, weight in (("no labels", None, None), ("development split", *learned[:2])):
        begun = time.perf_counter()
        model = SamplingClustering(bias, weight, clash_weight=clash)
        found = model.fit(vectors, names=names, agreeing=agreeing)
        name = f"sampling, {what}: b {found.bias_:.4f}, w {found.name_weight_:.4f}"
        tell(name, found.labels_, time.perf_counter() - begun)
    print(f"{len(profiles):,} mentions, {len(known):,} of them of {gold.max() + 1} known inventors")
    print(table(["", "B³ P", "B³ R", "B³ F1", "entities", "time"], rows))


if __name__ == "__main__":
    main()
