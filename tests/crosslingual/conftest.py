"""Stories in three languages."""

import pytest

from crossdoc.crosslingual import ArticleGroup
from crossdoc.scoring import Assignment

STORIES = {
    "jets": {"en": "Airbus wins Qatar order", "de": "Airbus erhält Auftrag aus Qatar", "es": "Airbus gana en Qatar"},
    "fall": {"en": "Apple shares fall 12 percent", "de": "Aktie von Apple fällt 12 Prozent", "es": "Apple baja 12 %"},
    "vote": {"en": "Chirac loses the vote in Lyon", "es": "Chirac pierde la votación de Lyon"},
    "rain": {"de": "Regen in Hamburg"},
}  # fmt: skip


@pytest.fixture
def groups():
    return [
        ArticleGroup(f"{lang}-{story}", lang, (title,))
        for story, titles in STORIES.items()
        for lang, title in titles.items()
    ]


@pytest.fixture
def gold(groups):
    return Assignment.of({group.id: group.id.split("-")[1] for group in groups})
