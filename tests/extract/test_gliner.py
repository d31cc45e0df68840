"""A span tagger of the GLiNER kind: pieces, places and types; and GLiNER itself with a tiny model of random weights."""

import re
import sys

import pytest

from crossdoc import errors, resolve
from crossdoc.extract.gliner import LABELS, PIECE_WORDS, GlinerExtractor, pieces
from crossdoc.extract.plugins import load_extractor
from crossdoc.model import Document, Documents, Mention


class Capitals:
    """A tagger with GLiNER's interface, by rule: "Ms X" is a person, "X Inc" an organisation."""

    def __init__(self):
        self.seen = []

    def predict_entities(self, text, labels, *, threshold):
        self.seen.append((text, labels, threshold))
        found = [(m, "person") for m in re.finditer(r"Ms\s[A-Z]\w+", text)]
        found += [(m, "organization") for m in re.finditer(r"[A-Z]\w+ Inc", text)]
        return [{"start": m.start(), "end": m.end(), "text": m[0], "label": label, "score": 0.9} for m, label in found]


def test_spans_become_mentions_and_profiles():
    tagger = Capitals()
    text = "Ms\nLee left Acme Inc. Ms Lee spoke." + " So." * 2 * PIECE_WORDS + " Acme Inc fell."
    mentions, profiles = GlinerExtractor(tagger, threshold=0.3).extract(Documents.of([Document("d", text)]))
    assert [(m.text, text[m.start : m.end], m.type) for m in mentions] == [
        ("Ms Lee", "Ms\nLee", "person"), ("Ms Lee", "Ms Lee", "person"),
        ("Acme Inc", "Acme Inc", "organisation"), ("Acme Inc", "Acme Inc", "organisation"),
    ]  # fmt: skip
    assert [(p.name, p.type) for p in profiles] == [("Ms Lee", "person"), ("Acme Inc", "organisation")]
    assert len(tagger.seen) > 2
    assert all(len(piece.split()) <= PIECE_WORDS for piece, *_ in tagger.seen)
    assert {(tuple(labels), threshold) for _, labels, threshold in tagger.seen} == {(tuple(LABELS), 0.3)}


def test_given_mentions_stay():
    given = Mention("m", "d", 3, 6, "Lee", "person")
    tagger = Capitals()
    _, profiles = GlinerExtractor(tagger).extract(Documents.of([Document("d", "Ms Lee sat.", mentions=(given,))]))
    assert [p.name for p in profiles] == ["Lee"]
    assert tagger.seen == []


@pytest.mark.parametrize("text", ["", " \n ", "a " * 1000, "One two. " * 500, "x\n\n" + "word " * 401 + "end. Next."])
def test_pieces_are_the_whole_text_in_order(text):
    found = list(pieces(text))
    assert "".join(piece for _, piece in found).split() == text.split()
    assert all(text[start : start + len(piece)] == piece for start, piece in found)
    assert all(0 < len(piece.split()) <= PIECE_WORDS for _, piece in found)


def test_no_model(tmp_path):
    with pytest.raises(errors.UsageError, match=re.escape(str(tmp_path))):
        load_extractor(f"gliner:{tmp_path}")
    with pytest.raises(errors.UsageError, match="not a folder with a GLiNER model"):
        load_extractor("gliner")


def test_without_the_package(tmp_path, monkeypatch):
    (tmp_path / "gliner_config.json").write_text("{}")
    monkeypatch.setitem(sys.modules, "gliner", None)
    with pytest.raises(errors.UsageError, match="needs gliner, which is not installed"):
        load_extractor(f"gliner:{tmp_path}")


@pytest.fixture(scope="module")
def random_model(tmp_path_factory):
    """A GLiNER of two small layers and a vocabulary of letters, with random weights, saved as real ones are."""
    pytest.importorskip("torch", reason="torch is not installed (crossdoc[gliner])")
    gliner = pytest.importorskip("gliner", reason="gliner is not installed (crossdoc[gliner])")
    import torch
    from transformers import BertConfig, BertTokenizerFast

    folder = tmp_path_factory.mktemp("gliner")
    letters = "abcdefghijklmnopqrstuvwxyz.,"
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{letter}" for letter in letters)]
    (folder / "vocab.txt").write_text("\n".join(vocabulary))
    tokenizer = BertTokenizerFast(vocab=str(folder / "vocab.txt"), do_lower_case=True)
    tokenizer.save_pretrained(folder)
    encoder = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=2048,
    )
    encoder.save_pretrained(folder)
    torch.manual_seed(1)
    config = gliner.GLiNERConfig(
        model_name=str(folder), encoder_config=encoder.to_dict(), hidden_size=16, max_width=4, max_len=384
    )
    model = gliner.GLiNER.from_config(config, backbone_from_pretrained=False)
    model.save_pretrained(folder)
    return folder


def test_gliner_itself(random_model, write):
    """Random weights say nonsense, but in the right places: each mention is words of the text, of a type asked for."""
    extractor = load_extractor(f"gliner:{random_model}")
    extractor._inner.threshold = 0.0
    text = "Ann Lee of Acme spoke in Oslo.\n\nBob was there. " + "He left. " * PIECE_WORDS
    mentions, profiles = extractor.extract(Documents.of([Document("d", text)]))
    assert len(mentions) > 3
    assert {m.type for m in mentions} <= set(LABELS.values())
    assert all(" ".join(text[m.start : m.end].split()) == m.text for m in mentions)
    assert max(m.end for m in mentions) > len(text) - 200
    assert set(mentions.column("chain").to_pylist()) == set(profiles.ids)


def test_the_whole_way(random_model, write):
    with resolve(
        write("a.txt", "Ann Lee of Acme spoke. " * 3), extractor=f"gliner:{random_model}", method="string-match"
    ) as made:
        assert made.store.sizes()["documents"] == 1
