"""Evidence about all given profiles as rows of one type."""

from __future__ import annotations

import numpy as np

from crossdoc.compare.collection import CollectionNames, evidence
from crossdoc.compare.evidence import ProfileEvidence
from crossdoc.compare.learned import LearnedModel
from crossdoc.compare.memory_collection import MemoryCollection
from crossdoc.compare.stories import Stories
from crossdoc.compare.vectors import ContextVectoriser, Texts
from crossdoc.model import Profiles
from crossdoc.model.evidence_protocol import Constraints


class GivenTexts:
    def __init__(self, texts_of: Texts) -> None:
        self.texts_of = texts_of

    def texts(self):
        return []


def make_evidence(
    model: LearnedModel,
    words: ContextVectoriser,
    profiles: Profiles,
    constraints: Constraints | None = None,
    *,
    one_name: bool = False,
    texts: Texts | None = None,
    stories: Stories | None = None,
) -> ProfileEvidence:
    limits = constraints or Constraints.none(len(profiles))
    names = CollectionNames(profiles, one_name, limits)
    names.types = np.full(len(profiles), names.types[0] if len(profiles) else "", dtype=object)
    source = None if texts is None else GivenTexts(texts)
    collection = MemoryCollection(profiles, source, model, names, limits, words)
    if stories is not None:
        collection.__dict__["_stories"] = stories
    return evidence(collection)[names.types[0]]
