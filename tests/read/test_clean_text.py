"""Bytes → clean text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossdoc.read.clean_text import NotText, decode, html_to_text, identify_language, printable, tidy

TEXTS = {
    "fr": "Le président a déclaré à l'Assemblée que la réforme était nécessaire, et « il n'y a pas d'autre choix ».",
    "de": "Der Präsident erklärte am Montag, dass die Übernahme größer sei, als man für möglich gehalten hätte.",
    "es": "El señor Muñoz vivió en España durante más de diez años, y después volvió a la ciudad donde nació.",
    "ru": "Президент компании заявил вчера, что совет директоров одобрил сделку. Москва давно ждала этого решения.",
    "ja": "東京都の小池知事は昨日の記者会見で、新しい計画について詳しく説明した。これからも努力を続けると述べた。",
    "zh": "中国国家主席昨天在北京会见了来访的外国领导人，双方就经济合作问题交换了意见。",
    "ar": "قال الرئيس أمس إن الحكومة ستواصل العمل من أجل تحقيق التنمية الاقتصادية في البلاد",
    "en": "The chairman of General Motors said on Monday that the company would close three of its plants.",
}


@pytest.mark.parametrize(
    ("language", "encoding"),
    [
        *((language, "utf-8") for language in TEXTS),
        *((language, "utf-8-sig") for language in ("fr", "zh")),
        *((language, "utf-16") for language in ("fr", "zh", "en")),
        ("ru", "utf-32"),
        *((language, encoding) for language in ("fr", "de", "es") for encoding in ("latin-1", "cp1252")),
        ("ru", "cp1251"),
        ("ja", "shift_jis"),
    ],
)
def test_decode(language, encoding):
    assert decode(TEXTS[language].encode(encoding)) == TEXTS[language]


@pytest.mark.parametrize(
    ("language", "encoding"), [("ru", "windows-1251"), ("ru", "koi8-r"), ("ja", "shift_jis"), ("ja", "euc-jp")]
)
@pytest.mark.parametrize("head", ['<meta charset="{}">', '<META http-equiv=a content="text/html; charset={}">'])
def test_decode_what_a_page_declares(language, encoding, head):
    page = f"<html><head>{head.format(encoding)}</head><body>{TEXTS[language][:12]}</body></html>"
    assert decode(page.encode(encoding), html=True) == page


def test_latin1_pages_are_cp1252_as_in_browsers():
    page = b'<meta charset="iso-8859-1"><p>the \x93chairman\x94 caf\xe9'
    assert "“chairman” café" in decode(page, html=True)


@pytest.mark.parametrize("declared", ["utf-16", "undefined", "hex", "klingon", "idna"])
def test_a_declared_encoding_that_cannot_be_is_not_believed(declared):
    assert "café" in decode(f'<meta charset="{declared}"><p>The caf'.encode() + b"\xe9 is open on Sundays", html=True)


@pytest.mark.parametrize(
    "raw",
    [
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00",
        b"text with \x00 a zero byte",
        bytes(range(1, 32)) * 40 + b"\xff\xfe\xfa",
        b"%PDF-1.4 \xe2\xe3\xcf\xd3 " + bytes([1, 2, 3, 200, 210, 5]) * 100,
    ],
)
def test_decode_refuses_what_is_not_text(raw):
    with pytest.raises(NotText):
        decode(raw)


@given(st.text(st.characters(exclude_characters="\x00\ufeff", exclude_categories=["Cs"])))
def test_utf8_decodes_to_itself(text):
    assert decode(text.encode()) == text


@given(st.binary())
def test_decode_gives_text_or_says_that_it_is_none(raw):
    try:
        text = decode(raw)
    except NotText:
        return
    tidy(text).encode()


def test_tidy():
    assert tidy("a\r\nb\rc\x0cd\u2028e") == "a\nb\nc\nd\ne"
    assert tidy("\ufeffJohn\x1b[1m \x00Smith\x7f\x9b") == "John[1m Smith"
    assert tidy("Zu\u0308rich\tBern") == "Zürich\tBern"


@given(st.text())
def test_printable_moves_no_offset(text):
    clean = printable(text)
    assert len(clean) == len(text)
    clean.encode()
    assert printable(clean) == clean
    assert not any(ord(c) < 32 and c not in "\t\n\r" for c in clean)


def test_html_to_text():
    page = """<html><head><title> Smith &amp;\n Sons </title><style>p { color: red }</style></head>
    <body><script>var secret = "Jones";</script><!-- comment -->
    <h1>Smith&nbsp;&amp;&#32;Sons</h1><p>Caf&eacute; <b>John</b> Smith&#8217;s</p>
    <table><tr><th>Name<th>Job</tr><tr><td>John Smith</td><td>Chairman</td></tr></table>
    <ul><li>one</li><li>two</li></ul></body></html>"""
    text, title = html_to_text(page)
    assert title == "Smith & Sons"
    assert "Café John Smith’s" in text
    for gone in ("secret", "color", "comment", "<", "&amp;", "&nbsp;"):
        assert gone not in text
    assert "John Smith Chairman" in text
    assert "Name Job" in text
    assert text.index("one") < text.index("\n", text.index("one")) < text.index("two")


@pytest.mark.parametrize("page", ["", "   ", "<html></html>", "\x00", "<title></title>"])
def test_html_without_text(page):
    assert html_to_text(page) == ("", None)


@given(st.text())
def test_html_to_text_takes_anything(page):
    text, title = html_to_text(page)
    text.encode()
    assert title is None or title


@pytest.mark.parametrize("language", TEXTS)
def test_identify_language(language):
    assert identify_language(TEXTS[language]) == language


@pytest.mark.parametrize("text", ["", "John Smith", "王", "  \n "])
def test_too_short_to_tell(text):
    assert identify_language(text) is None
