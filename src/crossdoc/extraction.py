"""The first half of a run: which extractor its settings ask for."""

from __future__ import annotations

from crossdoc import errors
from crossdoc.contacts import ContactPolicy
from crossdoc.extract import NameExtractor, Options, PluginExtractor, TextExtractor, load_extractor
from crossdoc.settings import Settings


def extractor_for(
    settings: Settings, name: str | None, salt: bytes, *, describe: bool = False
) -> NameExtractor | PluginExtractor | TextExtractor:
    """The extractor that a run needs: the one that the settings name, or ours of one name or of whole text.

    `describe` asks for attributes and relations under a name too, which takes a parse of every document.
    """
    if settings.extractor is not None:
        if name is not None:
            raise errors.one_of_two("--name", "the setting `extractor`")
        return load_extractor(settings.extractor)
    secret = salt if settings.contact_salt is None else settings.contact_salt.encode()
    contacts = ContactPolicy(settings.contact_details, secret)
    entity_type = settings.types[0] if len(settings.types) == 1 else "person"
    types = tuple(settings.types) if name is None else (entity_type,)
    whole = TextExtractor(Options(types, settings.window, settings.language_model, contacts), settings.processes)
    if name is None:
        return whole
    return NameExtractor(name, settings.window, entity_type, whole if describe else None, contacts)
