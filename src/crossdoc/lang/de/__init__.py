"""German: names, titles, function words and dates, and no model: the package index has none.

An installed `de_core_news_*` is used, and finds names; kinship, roles, pronouns and relations are not looked for.
"""

import re

from crossdoc.lang import read_language

LANGUAGE = read_language(
    "de",
    function_words={"entity_edges": re.compile(r"^(?:[Dd](?:er|ie|as|en|em|es))\s+")},
    dates={
        "date": re.compile(
            r"(?:(?P<day>\d{1,2})\.\s+)?(?:(?P<month>[A-ZÄ][a-zä]{2,8})\.?\s*)?(?P<after>(?!))?(?P<year>1\d{3}|20\d\d)?"
        ),
        "leading": re.compile(r"^(?:am|im|seit|den)\s+", re.IGNORECASE),
    },
)
