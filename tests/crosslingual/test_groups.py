"""Article groups and their files."""

import json

import pytest

from crossdoc.crosslingual import ArticleGroup, read_groups, write_groups
from crossdoc.crosslingual.groups import THREE_LETTERS, language_code
from crossdoc.errors import CrossdocError

GROUPS = [
    {"id": "g1", "language": "en", "titles": ["Airbus wins order", "Qatar buys"], "texts": ["The maker said …"]},
    {"id": "g2", "language": "spa", "titles": ["Airbus gana un pedido"]},
    {"id": 3, "language": "pt-BR", "titles": "Um só título"},
]


@pytest.mark.parametrize("name", ["g.jsonl", "g.jsonl.gz"])
def test_reading(write, name):
    groups, notes = read_groups(write(name, GROUPS))
    assert groups == [
        ArticleGroup("g1", "en", ("Airbus wins order", "Qatar buys"), ("The maker said …",)),
        ArticleGroup("g2", "es", ("Airbus gana un pedido",)),
        ArticleGroup("3", "pt", ("Um só título",)),
    ]
    assert notes == []
    assert groups[0].text() == "Airbus wins order\nQatar buys\nThe maker said …"
    assert groups[0].text(titles_only=True) == "Airbus wins order\nQatar buys"


def test_parquet_and_csv(write):
    listed = [
        {"id": "a", "language": "en", "titles": ["One", "Two"]},
        {"id": "b", "language": "de", "titles": ["Drei"]},
    ]
    assert [g.titles for g in read_groups(write("g.parquet", listed))[0]] == [("One", "Two"), ("Drei",)]
    single = [{"id": "a", "language": "en", "titles": "One"}, {"id": "b", "language": "de", "titles": "Drei"}]
    assert [g.titles for g in read_groups(write("g.csv", single))[0]] == [("One",), ("Drei",)]


def test_what_is_written_is_read_again(tmp_path):
    groups = [ArticleGroup("a", "en", ("Straße 北京",), ("x\ny",)), ArticleGroup("b", "de", (), ("nur Text",))]
    write_groups(groups, tmp_path / "g.jsonl")
    assert read_groups(tmp_path / "g.jsonl")[0] == groups


def test_a_missing_language_is_identified_and_said(write):
    text = "El presidente del gobierno anunció ayer en Madrid una nueva ley sobre las pensiones"
    groups, notes = read_groups(write("g.jsonl", [{"id": "g", "titles": [text]}]))
    assert groups[0].language == "es"
    assert "g: es" in notes[0]


@pytest.mark.parametrize(
    ("records", "messages"),
    [
        ([{"language": "en", "titles": ["x"]}], ["line 1: the field 'id' is missing"]),
        ([{"id": "a", "language": "en"}], ["neither a title nor a text"]),
        ([{"id": "a", "language": "en", "titles": [" "], "texts": [""]}], ["neither a title nor a text"]),
        ([{"id": "a", "language": "en", "titles": [1]}], ["'titles' must be a list of texts"]),
        ([{"id": "a", "language": "xx", "titles": ["x"]}], ["'xx' is not a language code"]),
        ([{"id": "a", "language": "Spanish", "titles": ["x"]}], ["'Spanish' is not a language code"]),
        ([{"id": "a", "titles": ["x"]}], ["the text is too short to identify it"]),
        ([{"id": "a", "language": "en", "titles": ["x"]}] * 2, ["'a'"]),
        ([], ["holds no article group"]),
        ([{"id": "a", "language": "zz", "titles": ["x"]}, {"titles": ["y"]}], ["2 problems", "line 1", "line 2"]),
    ],
)
def test_bad_records(write, records, messages):
    with pytest.raises(CrossdocError) as caught:
        read_groups(write("g.jsonl", records))
    for message in messages:
        assert message in str(caught.value)


def test_other_files(write, tmp_path):
    with pytest.raises(CrossdocError, match=r"no file or folder"):
        read_groups(tmp_path / "missing.jsonl")
    with pytest.raises(CrossdocError, match=r"what kind of file"):
        read_groups(write("g.txt", "text"))
    with pytest.raises(CrossdocError, match="not valid JSON"):
        read_groups(write("g.jsonl", "{"))


def test_a_group_is_in_order_from_python_too():
    assert ArticleGroup("g", "spa", "Un título", ["Texto"]) == ArticleGroup("g", "es", ("Un título",), ("Texto",))
    for language in ("", "klingon", "xx"):
        with pytest.raises(CrossdocError, match=f"g: '{language}' is not a language code"):
            ArticleGroup("g", language, ("x",))


def test_a_rare_language_is_said(write):
    groups, notes = read_groups(write("g.jsonl", [{"id": "g", "language": "ceb", "titles": ["Usa ka balita"]}]))
    assert groups[0].language == "ceb"
    assert notes == ["Languages without a two-letter code, used as written: ceb."]


def test_odd_characters(write):
    records = [{"id": "g\ud800", "language": "en", "titles": ["a \ud800 b\u0000", "Ｑatar\u2028news"]}]
    crlf = json.dumps(records[0]).encode() + b"\r\n"
    (group,), _ = read_groups(write("g.jsonl", b"\xef\xbb\xbf" + crlf))
    assert "".join([group.id, *group.titles]).encode()
    assert "\0" not in group.titles[0]
    with pytest.raises(CrossdocError, match="line 2: not UTF-8"):
        read_groups(write("h.jsonl", crlf + b'{"id": "\xff"}\n'))


def test_language_codes():
    assert len(THREE_LETTERS) == 184
    assert [language_code(tag) for tag in ("EN", "deu", "ger", "zh_Hant", " fr ", "", "e", "e1")] == [
        "en", "de", "de", "zh", "fr", None, None, None
    ]  # fmt: skip
