"""French: every part; read with spaCy's model, which `pip install 'crossdoc[fr]'` brings."""

import re

from crossdoc.lang import read_language, tables, word_list, words

_TABLES = tables("fr")
_ELIDED = words("qu jusqu lorsqu puisqu quoiqu quelqu")
_AFTER = words("il elle ils elles on un une en à au aux est était")
_STOP = word_list("fr", _TABLES["function_words"]["stop"]) | {
    f"{elided}{mark}{word}" for elided in _ELIDED for mark in "'’" for word in _AFTER
}
_MONTH = rf"(?:{'|'.join(_TABLES['dates']['months'].split())})"
_WEEKDAY = "|".join(_TABLES["dates"]["weekdays"].split())
_YEAR = r"(?:1\d{3}|20\d\d)"
_DATE = rf"(?:(?:\d{{1,2}}|1er)\s{_MONTH}(?:\s{_YEAR})?|{_MONTH}\s{_YEAR}|{_YEAR})"
_WHERE = r"(?:à\s[A-ZÉÈÎ][\w’' -]*?,?\s)?"

LANGUAGE = read_language(
    "fr",
    function_words={"stop": _STOP, "entity_edges": re.compile(r"^(?:[Ll](?:es?|a)\s+|[Ll]['’]\s?)")},
    dates={
        "date": re.compile(
            r"(?:(?P<day>\d{1,2})(?:er)?\s+)?(?:(?P<month>[A-Za-zéû]{3,9})\.?\s*)?(?P<after>(?!))?"
            r"(?P<year>1\d{3}|20\d\d)?"
        ),
        "leading": re.compile(r"^(?:le|en|au|depuis|vers)\s+", re.IGNORECASE),
        "written": re.compile(rf"\b(?:{_DATE}|{_WEEKDAY})\b"),
        "life": re.compile(
            rf"""\s?\( née?\s{_WHERE}(?:le\s|en\s)?(?P<born>{_DATE})
            (?:[^()]*?\b(?:morte?|décédée?)\s{_WHERE}(?:le\s|en\s)?(?P<died>{_DATE}))?""",
            re.VERBOSE,
        ),
        "age": re.compile(r"(\d{1,3}) ans"),
        "age_after": re.compile(r"\s?(?:,\s(?:âgée?\sde\s)?|\((?:âgée?\sde\s)?)(\d{1,3})\sans\b"),
        "years_old": re.compile(r"\b(?:de|à) (\d{1,3}) ans\b"),
        "dateline": re.compile(
            rf"""(?:^|(?<=\s))(?P<place>[A-ZÉÈÀÂÎÔ][A-ZÉÈÀÂÎÔ.'’]+(?:[ -][A-ZÉÈÀÂÎÔ.'’]+){{0,3}})
            (?: ,?\s\d{{1,2}}(?:er)?\s{_MONTH} | ,?\s\d{{1,2}}\.?\s*(?:\([\w. ]{{2,20}}\)|--|[–—])
              | \s*\((?:AFP|Reuters?|AP|ATS|Havas)\) | ,?\s*(?:--|[–—]) )""",
            re.MULTILINE | re.VERBOSE,
        ),
    },
)
