"""Synthetic evidence: entities have three measures, profiles show them with noise or not at all."""

from dataclasses import dataclass

import numpy as np
import pytest

from crossdoc.compare.ensemble import Ensemble
from crossdoc.compare.specialists import PairwiseSpecialist, specialist
from crossdoc.compare.specialists.base import all_pairs
from crossdoc.compare.training import balanced, labelled_pairs
from crossdoc.model import Profile, Profiles

MEASURES = ("height", "weight", "income")


def like(measure: str) -> PairwiseSpecialist:
    @specialist(measure)
    def compare(a: Profile, b: Profile) -> float | None:
        if measure not in a.attributes or measure not in b.attributes:
            return None
        return 1 - abs(float(a.attributes[measure][0]) - float(b.attributes[measure][0]))

    return compare


@dataclass(frozen=True)
class World:
    """`groups` are the profiles of one name each, as a block would have them."""

    profiles: Profiles
    gold: dict[str, set[str]]
    groups: list[np.ndarray]
    specialists: list[PairwiseSpecialist]

    def labelled(self, groups, most=1200):
        pairs, labels = labelled_pairs(self.profiles, self.gold, all_pairs(groups))
        chosen = balanced(labels, most, seed=0)
        return pairs[chosen], labels[chosen]

    def train(self, learner) -> Ensemble:
        """Learned on all names but the last four."""
        return Ensemble.train(self.specialists, self.profiles, *self.labelled(self.groups[:-4]), learner)


@pytest.fixture(scope="session")
def world() -> World:
    """Twelve names of three entities with six profiles each."""
    random = np.random.default_rng(7)
    profiles, gold = [], {}
    for name in range(12):
        for entity in range(3):
            truth = random.random(3)
            for number in range(6):
                id = f"{name}-{entity}-{number}"
                seen = np.clip(truth + random.normal(0, 0.12, 3), 0, 1)
                shown = {m: [str(v)] for m, v in zip(MEASURES, seen, strict=True) if random.random() > 0.2}
                surname = f"{'BDFGKLMNPRST'[name]}a{'nlrmtkbdsgpf'[name]}o"
                profiles.append(Profile(id, f"document {id}", f"Ann {surname}", "person", attributes=shown))
                gold[id] = {f"{name}-{entity}"}
    groups = [np.arange(18) + 18 * name for name in range(12)]
    return World(Profiles.of(profiles), gold, groups, [like(measure) for measure in MEASURES])
