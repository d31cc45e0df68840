"""Link detection, whole."""

import numpy as np
import pytest
from sklearn.base import clone

from crossdoc.crosslingual import LINK_METHODS, ArticleGroup, DictionaryTranslator, LinkDetector
from crossdoc.crosslingual.detector import separate_languages
from crossdoc.crosslingual.linking import score_links
from crossdoc.errors import CrossdocError
from crossdoc.model import Judgement
from crossdoc.model.evidence_protocol import Constraints
from crossdoc.scoring import Assignment


@pytest.mark.parametrize("method", LINK_METHODS)
def test_stories_are_linked(groups, gold, method):
    detector = LinkDetector(bias=0.1, method=method).fit(groups)
    assert score_links(detector, gold).f1 == 1
    assert len(detector.links_) == detector.n_links_ == 7
    assert detector.links_ == sorted(detector.links_, key=lambda link: -link.similarity)
    assert {(link.language_a, link.language_b) for link in detector.links_} == {
        ("en", "de"),
        ("en", "es"),
        ("de", "es"),
    }
    assert detector.partition_.ids.tolist() == [group.id for group in groups]
    assert detector.partition_.labels.tolist() == detector.labels_.tolist()


@pytest.mark.parametrize("method", ["correlation", "chc"])
def test_never_two_of_one_language(groups, method):
    detector = LinkDetector(bias=0.0001, method=method, measure="cosine").fit(groups)
    assert len(set(zip(detector.labels_.tolist(), detector.language_of_.tolist(), strict=True))) == len(groups)
    loose = LinkDetector(bias=0.0001, method="hc", measure="cosine").fit(groups)
    assert loose.labels_.max() <= detector.labels_.max()


def test_what_translated_is_recorded_and_counts(groups):
    plain = LinkDetector(bias=0.5, kinds=["word"]).fit(groups)
    assert plain.n_links_ == 0
    spanish = DictionaryTranslator("es", {"gana": ("wins",), "en": ("in",)})
    translated = LinkDetector(bias=0.2, kinds=["word"], translator=spanish).fit(groups)
    assert {(link.a, link.b) for link in translated.links_} >= {("en-jets", "es-jets")}
    assert translated.translated_ == {"de": "none", "en": "as it is", "es": "dictionary a dictionary (2 entries)"}
    assert "Not translated, since no translator given knows them: de." in translated.notes_
    assert plain.notes_ == [
        "Groups without any feature, which are linked to nothing: 6.",
        "No two groups of different languages have anything in common that others lack.",
    ]


def test_a_translator_that_loses_texts(groups):
    class Careless(DictionaryTranslator):
        def translate(self, texts, language):
            return super().translate(texts, language)[1:]

    with pytest.raises(CrossdocError, match=r"failed: 2 texts for 3 given"):
        LinkDetector(translator=Careless("es", {}, "careless")).fit(groups)


def test_ids_are_unique(groups):
    with pytest.raises(CrossdocError, match=r"have the same id: 'en-jets'"):
        LinkDetector().fit([*groups, groups[0]])


@pytest.mark.parametrize("method", LINK_METHODS)
@pytest.mark.parametrize("bias", [-1, float("nan")])
def test_biases_of_a_sweep_are_checked(groups, method, bias):
    with pytest.raises(CrossdocError, match="between 0 and 1"):
        LinkDetector(method=method).compare(groups).cluster(bias)


def test_the_bias_is_chosen_where_none_is_given(groups):
    detector = LinkDetector().fit(groups)
    assert 0 < detector.bias_.bias < 1
    assert detector.bias_.rule == "second-best matches"
    assert LinkDetector(bias=0.3).fit(groups).bias_.rule == "given"


def test_texts_and_titles(groups):
    texts = {"en-jets": ("Doha, 2047",), "de-jets": ("Doha 2047",)}
    longer = [ArticleGroup(g.id, g.language, g.titles, texts.get(g.id, ())) for g in groups]
    whole, titles = LinkDetector(bias=0.1).fit(longer), LinkDetector(bias=0.1, titles_only=True).fit(longer)
    assert not np.array_equal(whole.relations_.strength, titles.relations_.strength)
    assert titles.relations_.strength.tolist() == LinkDetector(bias=0.1).fit(groups).relations_.strength.tolist()


def test_constraints(groups):
    rows = {group.id: row for row, group in enumerate(groups)}
    apart = np.array([[rows["en-jets"], rows["es-jets"]]], dtype=np.int32)
    limits = Constraints(len(groups), np.arange(len(groups), dtype=np.int32), apart)
    for method in LINK_METHODS:
        found = LinkDetector(bias=0.1, method=method).fit(groups, constraints=limits).labels_
        assert found[rows["en-jets"]] != found[rows["es-jets"]]
    group = np.arange(len(groups), dtype=np.int32)
    group[rows["en-fall"]] = group[rows["en-jets"]]
    for method in ("correlation", "chc"):
        with pytest.raises(CrossdocError, match="en-jets and en-fall are the same, but both are in en"):
            LinkDetector(bias=0.1, method=method).fit(groups, constraints=Constraints(len(groups), group))


@pytest.mark.parametrize("method", ["correlation", "chc"])
def test_a_contradiction_names_its_chain(groups, method):
    rows = {group.id: row for row, group in enumerate(groups)}
    said = [Judgement("en-jets", "de-jets", "same"), Judgement("de-jets", "en-fall", "same")]
    said.append(Judgement("es-vote", "de-rain", "same"))
    limits = Constraints.compile(said, rows, len(groups))
    with pytest.raises(CrossdocError, match="en-jets and en-fall") as told:
        LinkDetector(bias=0.1, method=method).fit(groups, constraints=limits)
    assert f"1. {said[0]}" in str(told.value)
    assert f"2. {said[1]}" in str(told.value)
    assert str(said[2]) not in str(told.value)


def test_one_per_language_keeps_what_was_said():
    said = [Judgement("a", "b", "same"), Judgement("a", "c", "different"), Judgement("b", "c", "same", False, 0.5)]
    limits = Constraints.compile(said, {"a": 0, "b": 1, "c": 2, "d": 3}, 4)
    more = separate_languages(limits, np.array([0, 1, 0, 1], dtype=np.int32))
    assert more.chain(0, 1) == [str(said[0])]
    assert more.cannot.tolist() == [[0, 2], [0, 2], [1, 3]]
    assert more.soft_weight.tolist() == limits.soft_weight.tolist() == [0.5]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"method": "magic"}, "no method 'magic'"),
        ({"measure": "dice"}, "no similarity 'dice'"),
        ({"solver": "cplex"}, "no solver 'cplex'"),
        ({"kinds": ["word", "smell"]}, "no kind of feature 'smell'"),
        ({"bias": 2.0}, "between 0 and 1"),
        ({"bias": float("nan")}, "is nan"),
        ({"bias": -0.1}, "between 0 and 1"),
        ({"bias": "high"}, "is 'high'"),
        ({"kinds": []}, "no kind of feature ''"),
        ({"kinds": ["name"], "translator": DictionaryTranslator("es", {})}, "Add `word` among the features"),
    ],
)
def test_what_cannot_be(groups, parameters, message):
    with pytest.raises(CrossdocError, match=message):
        LinkDetector(**parameters).fit(groups)


def test_one_language_and_nothing_in_common():
    with pytest.raises(CrossdocError, match=r"one language \(en\)"):
        LinkDetector().fit([ArticleGroup("a", "en", ("x",)), ArticleGroup("b", "en", ("y",))])
    with pytest.raises(CrossdocError, match=r"The groups .1. are in one language .*, so there is nothing to link"):
        LinkDetector().fit([ArticleGroup("a", "en", ("x",))])
    with pytest.raises(CrossdocError, match=r"The groups .0. are in one language .*, so there is nothing to link"):
        LinkDetector().fit([])
    for method in LINK_METHODS:
        detector = LinkDetector(method=method).fit([ArticleGroup("a", "en", ("?",)), ArticleGroup("b", "de", ("!",))])
        assert detector.labels_.tolist() == [0, 1]
        assert "nothing in common" in detector.bias_.rule
        assert any("have anything in common" in note for note in detector.notes_)
        assert "Groups without any feature, which are linked to nothing: 2." in detector.notes_


def test_it_is_an_estimator_and_gives_the_same_again(groups):
    detector = clone(LinkDetector(bias=0.2, random_state=3))
    assert detector.get_params()["bias"] == 0.2
    assert detector.fit(groups).labels_.tolist() == LinkDetector(bias=0.2, random_state=3).fit(groups).labels_.tolist()


def test_wikinews_in_four_languages(corpus_folder):
    """MEANTIME, titles alone, nothing translated and no gold used; measured 0.87 (docs/crosslingual.md)."""
    from corpora import meantime

    folder, rng = corpus_folder("meantime"), np.random.default_rng(0)
    articles = [
        document for language in meantime.MEANTIME_LANGUAGES for document in meantime.documents(folder, language)
    ]
    kept = [document for document in articles if document.language == "en" or rng.random() >= 0.4]
    groups = [ArticleGroup(document.id, document.language, (document.title,)) for document in kept]
    detector = LinkDetector(solver="moves").fit(groups)
    assert detector.bias_.rule == "third languages agree"
    truth = Assignment.of({group.id: group.id.partition("/")[2] for group in groups})
    assert score_links(detector, truth).f1 > 0.8
