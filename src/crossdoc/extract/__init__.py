"""Documents → mentions → within-document chains → profiles."""

from crossdoc.extract.asked_name import NameExtractor
from crossdoc.extract.extractor import Extractor, PluginExtractor, load_extractor
from crossdoc.extract.text_extractor import Options, TextExtractor

__all__ = ["Extractor", "NameExtractor", "Options", "PluginExtractor", "TextExtractor", "load_extractor"]
