"""English: articles, joints and prepositions."""

import re

from crossdoc.lang.en.stop_words import STOP_WORDS
from crossdoc.lang.language import FunctionWords, words

FUNCTION_WORDS = FunctionWords(
    articles=words("the a an"),
    the=words("the"),
    definite=words("the this that these those"),
    and_=words("and"),
    of=words("of"),
    where=words("in at near"),
    stop=STOP_WORDS,
    entity_edges=re.compile(r"^[Tt]he\s+|\s?['’]s?$"),
)
