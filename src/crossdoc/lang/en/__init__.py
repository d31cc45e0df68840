"""English, the language that crossdoc is written for: the pack has every part."""

import json
import re
from importlib.resources import files

from crossdoc.lang.word_tables import read_language

_WEIGHTS = json.loads((files(__package__) / "name_model.json").read_text("utf-8"))["weights"]
_MONTH = r"(?:Jan|Feb|March|Mar|April|Apr|May|June|Jun|July|Jul|Aug|Sept|Sep|Oct|Nov|Dec)[a-z]*\.?"
_DATELINE = re.compile(
    rf"""(?:^|(?<=\s))(?P<place>[A-Z][A-Z.'’]+(?:[ -][A-Z][A-Z.'’]+){{0,3}})   # all capitals
    (?:,\s[A-Z][A-Za-z.]+(?:\s[A-Z][a-z.]+)?)??                          # the state or country
    (?: (?:,?\s{_MONTH}\s\d{{1,2}})? (?:\s*\([A-Z][\w .]{{1,30}}\))? \s*(?:--|[–—_])
      | ,\s{_MONTH}\s\d{{1,2}} \s*(?:\([A-Z][\w .]{{1,30}}\)\s*)?[-,]
      | \s*\((?:AP|UPI|Reuters?|AFP|CNN|Xinhua)\)
      | \s\d{{4}}-\d\d-\d\d )""",
    re.MULTILINE | re.VERBOSE,
)

LANGUAGE = read_language(
    "en",
    models={"names": {feature: tuple(weights) for feature, weights in _WEIGHTS.items()}},
    function_words={"entity_edges": re.compile(r"^[Tt]he\s+|\s?['’]s?$")},
    dates={
        "date": re.compile(
            r"(?:(?P<day>\d{1,2})(?:st|nd|rd|th)?\s+(?:of\s+)?)?(?:(?P<month>[A-Z][a-z]{2,8})\.?,?\s*)?"
            r"(?:(?P<after>\d{1,2})(?:st|nd|rd|th)?\b,?\s*)?(?P<year>1\d{3}|20\d\d)?"
        ),
        "leading": re.compile(r"^(?:on|in|the|last)\s+", re.IGNORECASE),
        "age": re.compile(r"(\d{1,3})(?: years? old)?"),
        "age_after": re.compile(r"\s?(?:,\s(?:aged?\s)?|\((?:aged?\s)?)(\d{1,3})(?:,|\)|\.\s|;|$|\swho\b)"),
        "years_old": re.compile(r"\b(\d{1,3})[- ]years?[- ]old\b"),
        "dateline": _DATELINE,
    },
)
