"""Clean text from bytes: encodings, HTML, control characters, and identification of the language."""

from __future__ import annotations

import codecs
import html as html_entities
import re
import unicodedata
from functools import cache

from charset_normalizer import from_bytes
from py3langid.langid import MODEL_FILE, LanguageIdentifier
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.encoding import map_encoding_to_html5

_TABS = re.compile(r" *\t[ \t]*")
_BOMS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_META_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?([\w.:-]{2,30})""", re.IGNORECASE)
# Control characters other than tab, newline and carriage return carry no text and break terminals and XML.
CONTROL = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]"
_CONTROL = re.compile(CONTROL)
# Half of a pair: JSON and file names can hold one, UTF-8 cannot.
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_LINE_ENDS = re.compile(r"\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
# The extractor sets nothing between the cells of a row: "John SmithChairman".
_CELL = re.compile(r"<t[dh]\b", re.IGNORECASE)
# Elements that hold others and are closed; one of 1,500 WePS pages is nested 12,765 deep, the next 772.
_NESTING = re.compile(
    r"<(/?)(?!(?:br|img|input|hr|meta|link|p|li|td|th|tr|option|dt|dd|area|col|param|embed|wbr|base)\b)[a-z]",
    re.IGNORECASE,
)
_ANY_TAG = re.compile(r"<[^<>]*>")
MOST_NESTED = 20_000
_SAMPLE = 3000
_LEAST_WORDS = 3
_LEAST_IDEOGRAPHS = 4
LEAST_CERTAINTY = 0.5
"""Probability. Below it no language is assigned. Chosen on 40 characters of Reuters, MEANTIME and French news: 1 of 668
above it is wrong, and 29% are below; on 300 full Reuters items, many of them tables, 1 is wrong and 49 are below
(without the limit 36 are wrong)."""


class NotText(ValueError):
    """Bytes that no encoding makes into text."""


def decode(raw: bytes, *, html: bool = False) -> str:
    """Decode as UTF-8 if valid, else by the declared encoding, else by the likeliest one.

    >>> decode("Müller".encode("latin-1") + b" lives here")
    'Müller lives here'
    """
    for bom, encoding in _BOMS.items():
        if raw.startswith(bom):
            return raw.decode(encoding, errors="replace")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = _decode_legacy(raw, html)
    if "\x00" in text:
        raise NotText("it holds zero bytes, as pictures and programs do")
    return text


def _decode_legacy(raw: bytes, html: bool) -> str:
    if raw[:4096].count(0) > 0:
        raise NotText("it holds zero bytes, as pictures and programs do")
    if html and (declared := _declared_encoding(raw[:4096])):
        return raw.decode(declared, errors="replace")
    controls = sum(raw[:65536].count(code) for code in (*range(1, 9), *range(14, 32)))
    if controls > len(raw[:65536]) * 0.02:
        raise NotText("it is full of control characters")
    try:
        # Tried before any guess: Western European text is the most frequent that is not UTF-8.
        text = raw.decode("cp1252")
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    odd = [c for c in text[:200_000] if ord(c) > 127]
    if sum(unicodedata.category(c) in ("Ll", "Lu", "Pd", "Pi", "Pf", "Po") for c in odd) >= 0.8 * len(odd) and len(
        odd
    ) < 0.15 * min(len(text), 200_000):
        return text
    guess = from_bytes(raw[:200_000]).best()
    if guess is None:
        raise NotText("no character encoding fits its bytes")
    return raw.decode(guess.encoding, errors="replace")


def _declared_encoding(head: bytes) -> str | None:
    """Return the encoding that a page declares, as browsers read it: "latin1" is cp1252; "utf-16" is ignored."""
    found = _META_CHARSET.search(head)
    if found is None:
        return None
    encoding = map_encoding_to_html5(found[1].decode("ascii", errors="replace"), fallback_utf8=False)
    return encoding if encoding and not encoding.startswith("utf-16") else None


def printable(text: str) -> str:
    """Replace control characters by spaces and lone surrogates by U+FFFD, so that no offset moves.

    >>> printable("Smith\\x1b[1m")
    'Smith [1m'
    """
    # Nearly all texts are printable, and this check takes a tenth of the time.
    return text if text.isprintable() else _SURROGATE.sub("\ufffd", _CONTROL.sub(" ", text))


def tidy(text: str) -> str:
    """Normalise line ends and composed characters, and drop control characters."""
    text = unicodedata.normalize("NFC", _LINE_ENDS.sub("\n", text))
    return _CONTROL.sub("", text).replace("\ufeff", "")


def html_to_text(page: str) -> tuple[str, str | None]:
    """Return the readable text of a page and its title.

    The complete page is kept: on WePS-1 a main-content extractor loses the name itself on one page in ten.
    """
    page = _CELL.sub(r" \g<0>", shallow(tidy(page)))
    text = (
        extract_plain_text(page, main_content=False, alt_texts=False, preserve_formatting=True) if page.strip() else ""
    )
    # Some versions of resiliparse put tabs between the cells of a table.
    return tidy(_TABS.sub(" ", text)), _title(page)


def shallow(page: str) -> str:
    """Remove all tags of a page that is nested too deeply: parsers take quadratic time in the depth.

    >>> shallow("<b>John</b> Smith"), shallow("<i>" * 30_000 + "John").strip()
    ('<b>John</b> Smith', 'John')
    """
    depth = 0
    for tag in _NESTING.finditer(page):
        depth = max(0, depth - 1) if tag[1] else depth + 1
        if depth > MOST_NESTED:
            return _ANY_TAG.sub(" ", page)
    return page


def _title(page: str) -> str | None:
    found = re.search(r"<title[^>]*>(.*?)</title>", page[:20000], re.IGNORECASE | re.DOTALL)
    if not found:
        return None
    return re.sub(r"\s+", " ", html_entities.unescape(found[1])).strip()[:300] or None


@cache
def _identifier() -> LanguageIdentifier:
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def identify_language(text: str, least: float = 0.0) -> str | None:
    """Return the ISO 639-1 code, or None for text that is too short or identified with a probability below `least`.

    >>> texts = ("John Smith spoke.", "She said that he was at home with them.")
    >>> [identify_language(text, LEAST_CERTAINTY) for text in texts]
    [None, 'en']
    """
    sample = text[:_SAMPLE]
    # Chinese and Japanese have no spaces between words.
    ideographs = sum("\u3040" <= letter <= "\u9fff" for letter in sample)
    if len(sample.split()) < _LEAST_WORDS and ideographs < _LEAST_IDEOGRAPHS:
        return None
    code, certainty = _identifier().classify(sample)
    return str(code) if certainty >= least else None
