"""Language codes."""

from crossdoc.crosslingual.languages import THREE_LETTERS, language_code


def test_language_codes():
    assert len(THREE_LETTERS) == 184
    assert [language_code(tag) for tag in ("EN", "deu", "ger", "zh_Hant", " fr ", "", "e", "e1")] == [
        "en", "de", "de", "zh", "fr", None, None, None
    ]  # fmt: skip
