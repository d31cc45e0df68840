"""Documents → mentions → within-document chains → profiles."""

from crossdoc.extract.contacts import ContactPolicy
from crossdoc.extract.extractor import Extractor, NameExtractor
from crossdoc.extract.text import Options, TextExtractor
from crossdoc.settings import Settings

__all__ = ["Extractor", "NameExtractor", "TextExtractor", "extractor_for"]


def extractor_for(settings: Settings, name: str | None, salt: bytes) -> NameExtractor | TextExtractor:
    """The extractor that a run needs: of one name's documents, or of whole text."""
    if name is not None:
        entity_type = settings.types[0] if len(settings.types) == 1 else "person"
        return NameExtractor(name, settings.window, entity_type)
    contacts = ContactPolicy(settings.contact_details, salt)
    return TextExtractor(
        Options(tuple(settings.types), settings.window, settings.language_model, contacts), settings.processes
    )
