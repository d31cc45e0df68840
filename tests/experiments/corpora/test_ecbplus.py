"""The ECB+ reader, on a corpus made here and, where it is to be had, on the real one."""

import json
from collections import Counter

import pytest
from corpora import ecbplus

from crossdoc.errors import CrossdocError

WORDS = {
    ("1_1ecb", 0): "Ann Lee , the host , left Rome .",
    ("1_1ecb", 3): "She flew to Paris ( France ) on Friday .",
    ("1_2ecb", 0): "Lee left .",
}


def entry(document, sentence, tokens, kind, chain):
    return {
        **{"doc_id": document, "sent_id": sentence, "tokens_number": tokens},
        **{"mention_type": kind, "coref_chain": chain, "tokens_str": "not read"},
    }


ENTRIES = [
    entry("1_1ecb", 3, [0], "HUM", "HUM1"),
    entry("1_1ecb", 0, [0, 1], "HUM", "HUM1"),
    entry("1_1ecb", 0, [3, 4], "HUM", "HUM1"),
    entry("1_1ecb", 0, [7], "LOC", "Singleton_LOC_1"),
    entry("1_1ecb", 3, [2, 3], "LOC", "LOC2"),
    entry("1_1ecb", 3, [7, 8], "TIM", "TIM3"),
    entry("1_1ecb", 3, [3, 5], "LOC", "LOC4"),
    entry("1_2ecb", 0, [0], "HUM", "HUM1"),
]


def corpus_lines(words):
    return "\n".join(
        f"{document}\t{sentence}\t{number}\t{word}\t-"
        for (document, sentence), said in words.items()
        for number, word in enumerate(said.split())
    )


@pytest.fixture
def corpus(write, tmp_path):
    write("ECB_Dev_corpus.txt", corpus_lines(WORDS).replace("\n1_2ecb\t0\t0", "\n\n1_2ecb\t0\t0") + "\n")
    write("ECB_Dev_Entity_gold_mentions.json", json.dumps(ENTRIES))
    return tmp_path


def test_documents(corpus):
    first, second = ecbplus.documents(corpus)
    assert (first.id, first.language, first.source) == ("1_1ecb", "en", "ECB+")
    assert first.text == "Ann Lee, the host, left Rome.\nShe flew to Paris (France) on Friday."
    assert [(m.text, m.type, m.kind, m.chain) for m in first.mentions] == [
        ("Ann Lee", "person", "name", "HUM1"),
        ("the host", "person", "nominal", "HUM1"),
        ("Rome", "place", "name", "Singleton_LOC_1"),
        ("She", "person", "pronoun", "HUM1"),
        ("to Paris", "place", "name", "LOC2"),
    ]
    assert all(first.text[m.start : m.end] == m.text for m in first.mentions)
    assert [(m.id, m.text) for m in second.mentions] == [("1_2ecb:0:3", "Lee")]


def test_gold_and_what_is_left_out(corpus):
    assert ecbplus.gold(corpus).to_pylist() == [
        {"id": "1_1ecb:0:7", "entity": "HUM1"},
        {"id": "1_1ecb:24:28", "entity": "Singleton_LOC_1"},
        {"id": "1_1ecb:39:47", "entity": "LOC2"},
        {"id": "1_2ecb:0:3", "entity": "HUM1"},
    ]
    assert ecbplus.left_out(corpus) == {"TIM": 1, "in pieces": 1}


def test_parts(corpus, write):
    write("ECB_Train_corpus.txt", "2_1ecb\t0\t0\tRome\t-\n")
    write("ECB_Train_Entity_gold_mentions.json", "[]")
    assert [document.id for document in ecbplus.documents(corpus)] == ["1_1ecb", "1_2ecb", "2_1ecb"]
    assert [document.id for document in ecbplus.documents(corpus, "train")] == ["2_1ecb"]
    assert ecbplus.left_out(corpus, "train") == {}
    with pytest.raises(CrossdocError, match="no part 'test'"):
        list(ecbplus.documents(corpus, "test"))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("corpus.txt", "1_1ecb\t0\t0\tRome\t-\n1_1ecb\t0\tone\tRome\t-\n", "line 2: .*is not a document, sentence"),
        ("corpus.txt", "1_1ecb\t0\t0\n", "line 1"),
        ("corpus.txt", b"\xff\n", "cannot be read"),
        ("Entity_gold_mentions.json", '[\n{"doc_id": }]', "line 2: it is not JSON"),
        ("Entity_gold_mentions.json", '[{"doc_id": "1_1ecb"}]', "mention 1 has no sent_id, tokens_number"),
        ("Entity_gold_mentions.json", json.dumps([entry("1_1ecb", 0, [], "HUM", "x")]), "mention 1 has no tokens"),
        (
            "Entity_gold_mentions.json",
            json.dumps([entry("1_1ecb", 2, [0], "HUM", "x")]),
            "no token 0 in its sentence 2",
        ),
    ],
)
def test_broken_files(corpus, write, name, content, message):
    write(f"ECB_Dev_{name}", content)
    with pytest.raises(CrossdocError, match=message):
        list(ecbplus.documents(corpus))


def test_no_annotations(corpus):
    (corpus / "ECB_Dev_Entity_gold_mentions.json").unlink()
    with pytest.raises(CrossdocError, match=r"no file or folder .*ECB_Dev_Entity_gold_mentions\.json"):
        list(ecbplus.documents(corpus))


@pytest.mark.parametrize(("part", "documents", "people", "places"), [("dev", 196, 941, 209), ("train", 574, 2505, 674)])
def test_the_real_corpus(corpus_folder, part, documents, people, places):
    folder = corpus_folder("ecbplus")
    found = {document.id: document for document in ecbplus.documents(folder, part)}
    assert len(found) == documents
    mentions = [mention for document in found.values() for mention in document.mentions]
    assert Counter(mention.type for mention in mentions) == {"person": people, "place": places}
    for mention in mentions:
        assert found[mention.document].text[mention.start : mention.end] == mention.text
    # The words of the annotation itself, which the reader does not look at.
    entries = json.loads((folder / f"ECB_{part.capitalize()}_Entity_gold_mentions.json").read_text())
    said = Counter("".join(e["tokens_str"].split()) for e in entries if e["mention_type"] in ecbplus.ECB_TYPES)
    differ = said - Counter("".join(mention.text.split()) for mention in mentions)
    assert differ.total() <= 1
