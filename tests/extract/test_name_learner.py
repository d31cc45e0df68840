"""Names learned from a collection in a language without a tagger."""

import pytest

from crossdoc.extract import models
from crossdoc.extract.name_learner import NameLearner

DAYS = [
    "Bei Salten. Mit Hugo und Salten nach Wien. Der Brief kam früh; das Stück gefällt dem Direktor nicht.",
    "Spaziergang mit Gustav. Herr Salten erzählte von der Reise. Im Theater ein neues Stück, die Probe war lang.",
    "Abds. bei Hugo, wo auch Brahm. Über das Stück gesprochen, den Brief gelesen. Nach Wien zurück.",
    "Mit Brahm in Wien. Die Probe, das Theater, der Brief. Von Salten kein Wort. Für Gustav ein Buch.",
    "Besuch bei Brahm. Das Buch ist gut. Mit Salten und Gustav im Theater; die Probe am Abend.",
] * 4


@pytest.fixture(scope="module")
def learner() -> NameLearner:
    learned = NameLearner("de")
    for day in DAYS:
        learned.add(day)
    return learned


def test_nouns_have_articles_and_names_have_none(learner: NameLearner) -> None:
    names = {word for word, type_ in learner.types.items() if type_ == "person"}
    assert {"Salten", "Hugo", "Gustav", "Brahm"} <= names
    assert names.isdisjoint({"Brief", "Theater", "Stück", "Probe", "Abds", "Der", "Mit", "Bei"})
    assert learner.types["Wien"] == "place"


def test_names_in_a_text_are_runs_of_such_words(learner: NameLearner) -> None:
    doc = models.load(f"{models.LEARNED}de")("Mit Hugo Brahm und Dr. Salten.― Das Theater in Wien. Bei C. P.\n")
    found = [(doc[start:end].text, type_) for start, end, type_ in learner.names(doc)]
    assert found == [("Hugo Brahm", "person"), ("Salten", "person"), ("Wien", "place"), ("C. P.", "person")]


def test_words_of_frames_are_no_names_in_a_tiny_collection() -> None:
    tiny = NameLearner("de")
    tiny.add("Bei Salten. Mit Gustav. Im Theater. In Wien.")
    assert {"Salten", "Gustav"} <= set(tiny.types)
    assert not {"Bei", "Mit", "Im", "In"} & set(tiny.types)


def test_counts_of_parts_add_up(learner: NameLearner) -> None:
    parts = [NameLearner("de"), NameLearner("de")]
    for number, day in enumerate(DAYS):
        parts[number % 2].add(day)
    both = parts[0] + parts[1]
    assert (both.counts, both.small, both.types) == (learner.counts, learner.small, learner.types)


def test_a_language_without_a_pack_has_its_marks_and_capitals() -> None:
    learned = NameLearner("nl")
    for text in (
        "Gisteren sprak Willem met Bakker over het weer.",
        "Daarna kwam Bakker, en ook Willem de man zag.",
    ) * 6:
        learned.add(text)
    assert {"Willem", "Bakker"} <= set(learned.types)


def test_nothing_was_read() -> None:
    assert NameLearner("de").types == {}
