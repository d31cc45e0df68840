"""`write_extracted`: the reading stage by itself, from documents to a file of profiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from crossdoc import errors
from crossdoc.extract.output import format_of, write_profiles
from crossdoc.model import EntityType
from crossdoc.progress import Progress, Quiet
from crossdoc.read import Input, sources_of
from crossdoc.read.documents import holds_profiles
from crossdoc.run.reading import fill_with_documents
from crossdoc.run.resolve import AnyPath, fingerprint, leave
from crossdoc.settings import AnnotationFormat, ContactDetails, Settings, takes_settings
from crossdoc.store import Store


@dataclass(frozen=True, slots=True)
class Extraction:
    """Result of `write_extracted`."""

    output: Path
    documents: int
    profiles: int
    notes: list[str]


@takes_settings
def write_extracted(
    *inputs: Input,
    output: AnyPath,
    settings: AnyPath | Settings | None = None,
    progress: Progress | None = None,
    types: Sequence[EntityType] | None = None,
    describe: bool | None = None,
    window: int | None = None,
    extractor: str | None = None,
    language_model: str | None = None,
    processes: int | None = None,
    batch_size: int | None = None,
    format: AnnotationFormat | None = None,
    columns: Mapping[str, str] | Sequence[str] | None = None,
    max_document_characters: int | None = None,
    contact_details: ContactDetails | None = None,
    contact_salt: str | None = None,
) -> Extraction:
    """Read documents and write their profiles (.parquet or .jsonl), which `resolve` takes as its input.

    However many documents there are, memory holds a batch of them. A stopped run leaves ``OUTPUT.work.part`` behind,
    and the same call continues from there.

    Parameters
    ----------
    *inputs : Input
        Folders and files of documents, `Document` objects or tables.
    output : path
        The file to write, .parquet or .jsonl.
    settings : path or Settings or None, default None
        A crossdoc.toml, or a `Settings`.
    progress : Progress or None, default None
        Where progress is reported; None reports nothing.
    types, describe, window, extractor, language_model, processes, batch_size : default None
        Settings of extraction; :class:`Settings` describes each, and None leaves it as it is in `settings`.
    format, columns, max_document_characters, contact_details, contact_salt : default None
        Settings of reading; ``columns={"name": "author"}`` is for a table whose columns have other names.

    Returns
    -------
    Extraction
        How many documents were read and profiles written, with notes.

    Examples
    --------
    >>> import tempfile
    >>> from crossdoc import Document
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_extracted([Document("a", "Ann Lee left Rome.")], output=f"{folder}/p.jsonl", processes=1).documents
    1
    """
    chosen, report, target = Settings.choose(settings, locals()), progress or Quiet(), Path(output)
    format_of(target)
    sources = sources_of(inputs, chosen.format, chosen.columns)
    if any(map(holds_profiles, sources)):
        raise errors.documents_wanted([str(source.path) for source in sources[:5]])
    store = Store.begin(target.with_name(f"{target.name}.work"), fingerprint(sources, chosen))
    try:
        notes = ["an unfinished run with other input or settings was discarded"] if store.discarded_part else []
        notes += fill_with_documents(store, sources, chosen, None, report, keep=False)[0]
        documents, profiles = store.count("documents"), store.count("profiles")
        if profiles:
            report.start("writing profiles")
            write_profiles(store.profile_batches(), target)
    except BaseException as error:
        leave(store, error)
        raise
    store.remove()
    if not profiles:
        raise errors.nothing_extracted(" or ".join(chosen.types))
    for note in notes:
        report.note(note)
    return Extraction(target, documents, profiles, notes)
