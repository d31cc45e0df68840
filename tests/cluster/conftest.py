"""Evidence for the tests of clusterers: real profiles, compared by the model that comes with crossdoc."""

from dataclasses import replace

import pytest
from tests.compare.common import make_evidence

from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.vectors import ContextVectoriser
from crossdoc.model import Judgement, Profile, Profiles
from crossdoc.model.evidence_protocol import Constraints

CARS = ["engine race lap pit wheel", "race lap wheel tyre engine", "lap engine tyre pit race"]
POEMS = ["verse spring poem rhyme ode", "poem rhyme verse sonnet ode", "sonnet verse ode spring poem"]


def people(*named: tuple[str, str]) -> list[Profile]:
    return [Profile(f"p{i}", f"d{i}", name, "person", context) for i, (name, context) in enumerate(named)]


@pytest.fixture
def evidence():
    """Two John Smiths (a racer, a poet), Bob Smith, and somebody whose name connects to nobody's."""

    def make(*named, judgements=(), model=None, untyped=False, **options):
        rows = (
            people(*named)
            if named
            else people(
                *(("John Smith", context) for context in [*CARS, *POEMS]), ("Bob Smith", CARS[0]), ("Zoe Orr", POEMS[0])
            )
        )
        profiles = Profiles.of([replace(row, type=None) for row in rows] if untyped else rows)
        words = ContextVectoriser().fit([[row.context for row in rows]])
        limits = Constraints.between(profiles.ids, [Judgement(*said) for said in judgements])
        return make_evidence(model or LearnedModel.default(), words, profiles, limits, **options)

    return make
