"""Crosslingual link detection (Van Gael & Zhu 2007): article groups in several languages → links between them."""

from crossdoc.crosslingual.detector import LINK_METHODS, LinkDetector
from crossdoc.crosslingual.groups import FEATURE_KINDS, ArticleGroup, features, read_groups
from crossdoc.crosslingual.linking import LinkedGroups, link_groups
from crossdoc.crosslingual.similarity import MEASURES, BiasChoice, choose_bias, similarities, sweep_biases
from crossdoc.crosslingual.translators import (
    ApertiumTranslator,
    DictionaryTranslator,
    FirstThatKnows,
    Translator,
    make_translator,
)

__all__ = [
    "FEATURE_KINDS",
    "LINK_METHODS",
    "MEASURES",
    "ApertiumTranslator",
    "ArticleGroup",
    "BiasChoice",
    "DictionaryTranslator",
    "FirstThatKnows",
    "LinkDetector",
    "LinkedGroups",
    "Translator",
    "choose_bias",
    "features",
    "link_groups",
    "make_translator",
    "read_groups",
    "similarities",
    "sweep_biases",
]
