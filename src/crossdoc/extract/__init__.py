"""Documents → mentions → within-document chains → profiles."""

from crossdoc import errors
from crossdoc.extract.contacts import ContactPolicy
from crossdoc.extract.extractor import Extractor, NameExtractor
from crossdoc.extract.plugins import PluginExtractor, load_extractor
from crossdoc.extract.text import Options, TextExtractor
from crossdoc.settings import Settings

__all__ = ["Extractor", "NameExtractor", "PluginExtractor", "TextExtractor", "extractor_for"]


def extractor_for(settings: Settings, name: str | None, salt: bytes) -> NameExtractor | PluginExtractor | TextExtractor:
    """The extractor that a run needs: the one that the settings name, or ours of one name or of whole text."""
    if settings.extractor is not None:
        if name is not None:
            raise errors.one_of_two("--name", "the setting `extractor`")
        return load_extractor(settings.extractor)
    if name is not None:
        entity_type = settings.types[0] if len(settings.types) == 1 else "person"
        return NameExtractor(name, settings.window, entity_type)
    contacts = ContactPolicy(settings.contact_details, salt)
    return TextExtractor(
        Options(tuple(settings.types), settings.window, settings.language_model, contacts), settings.processes
    )
