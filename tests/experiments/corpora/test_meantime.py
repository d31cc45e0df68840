"""The MEANTIME reader, on a corpus of two articles made here and, where it is to be had, on the real one."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path
from typing import Any

import pytest
from corpora import meantime

from crossdoc.errors import CrossdocError

SENTENCES = {
    "corpus_ships/1": [
        "Harbor Corp. names Clark",
        "March 01 , 2008",
        "`` She fits us '' , Harbor ( HC ) 's owner said of Mary Clark .",
    ],
    "corpus_ships/2": ["Harbor closes", "soon", "Nothing happened ."],
}
Gold = tuple[str, int, list[int], str, str, str, str]
GOLD: list[Gold] = [
    ("corpus_ships/1", 0, [0, 1], "ORG", "cross_intra_ORG7", "Corp.", "PROPN"),
    ("corpus_ships/1", 0, [3], "PER", "cross_PER9", "Clark", "NOUN"),
    ("corpus_ships/1", 2, [1], "PER", "intra_PER9", "She", "PRON"),
    ("corpus_ships/1", 2, [6], "ORG", "cross_ORG7", "Harbor", "PROPN"),
    ("corpus_ships/1", 2, [11], "PER", "intra_PER3", "owner", "NOUN"),
    ("corpus_ships/1", 2, [14, 15], "PER", "cross_PER9", "Clark", "PROPN"),
    ("corpus_ships/1", 0, [2], "PRO", "cross_PRO1", "names", "NOUN"),
    ("corpus_ships/2", 0, [0], "ORG", "cross_ORG7", "Harbor", "PROPN"),
]


def entry(gold: Gold) -> dict[str, Any]:
    key, sentence, numbers, type_, chain, head, pos = gold
    words = SENTENCES[key][sentence].split(" ")
    return {
        "conll_doc_key": key,
        "sent_id": sentence,
        "tokens_number": numbers,
        "tokens_str": " ".join(words[i] for i in numbers),
        "mention_type": type_,
        "coref_chain": chain,
        "mention_head": head,
        "mention_head_pos": pos,
        "is_continuous": True,
    }


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    (tmp_path / "en").mkdir()
    with (tmp_path / "en" / "conll.csv").open("w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines)
        writer.writerow(["", "topic/subtopic_name", "sent_id", "token_id", "token", "reference"])
        for key, sentences in SENTENCES.items():
            for sentence, words in enumerate(sentences):
                for number, word in enumerate(words.split(" ")):
                    writer.writerow([0, key, sentence, number, word, "-"])
    text = json.dumps([entry(gold) for gold in GOLD])
    (tmp_path / "en" / "entities_mentions.json").write_text(text, encoding="utf-8")
    return tmp_path


def test_text_title_and_date(corpus: Path) -> None:
    first, second = meantime.documents(corpus)
    assert first.id == "en/corpus_ships/1"
    assert (first.title, first.date, first.language) == ("Harbor Corp. names Clark", "2008-03-01", "en")
    assert first.text.splitlines()[2] == "``She fits us'', Harbor (HC)'s owner said of Mary Clark."
    assert (second.date, second.text) == (None, "Harbor closes\nsoon\nNothing happened.")


def test_mentions_stand_where_they_say(corpus: Path) -> None:
    (first, second) = meantime.documents(corpus)
    assert first.mentions is not None
    assert second.mentions is not None
    found = [(m.text, m.type, m.kind, m.chain) for m in first.mentions]
    assert found == [
        ("Harbor Corp.", "organisation", "name", "ORG7"),
        ("Clark", "person", "name", "PER9"),
        ("She", "person", "pronoun", "PER9"),
        ("Harbor", "organisation", "name", "ORG7"),
        ("owner", "person", "nominal", "PER3"),
        ("Mary Clark", "person", "name", "PER9"),
    ]
    assert all(first.text[m.start : m.end] == m.text for m in first.mentions)
    assert second.mentions[0].id == "en/corpus_ships/2:0:6"


def test_gold_has_a_row_for_each_chain_of_a_document(corpus: Path) -> None:
    rows = meantime.gold(corpus).to_pylist()
    assert [(row["id"], row["entity"]) for row in rows] == [
        ("en/corpus_ships/1:0:12", "ORG7"),
        ("en/corpus_ships/1:19:24", "PER9"),
        (next(m.id for m in meantime.gold_mentions(corpus)["en/corpus_ships/1"] if m.text == "owner"), "PER3"),
        ("en/corpus_ships/2:0:6", "ORG7"),
    ]


def test_an_absent_language_is_said_so(corpus: Path) -> None:
    with pytest.raises(CrossdocError, match="nl"):
        list(meantime.documents(corpus, "nl"))


@pytest.mark.parametrize("language", meantime.MEANTIME_LANGUAGES)
def test_the_real_corpus(language: str) -> None:
    folder = Path(os.environ.get("CROSSDOC_DATA", "nowhere")) / "meantime"
    if not folder.is_dir():
        pytest.skip("MEANTIME is not under CROSSDOC_DATA")
    entries = json.loads((folder / language / "entities_mentions.json").read_text(encoding="utf-8"))
    ours = [e for e in entries if e["mention_type"] in {"PER", "ORG", "LOC"} and e["is_continuous"]]
    places = {(e["conll_doc_key"], e["sent_id"], e["tokens_number"][0], e["tokens_number"][-1]) for e in ours}
    documents = list(meantime.documents(folder, language))
    own = [m for d in documents for m in d.mentions or ()]
    assert len(own) == len({m.id for m in own}) == len(places) > 500
    texts = {d.id: d.text for d in documents}
    assert all(texts[m.document][m.start : m.end] == m.text for m in own)
    assert set(meantime.gold(folder, language)["id"].to_pylist()) <= {m.id for m in own}
