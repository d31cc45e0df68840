"""Every message that a user can see: the fault, its place, and what to do next.

Each message is a function, so that mypy checks its arguments. `exit_code` is the exit code of the command: 1 if the
work failed, 2 if the request was invalid.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike

from crossdoc.version import __version__

AnyPath = str | PathLike[str]


class CrossdocError(Exception):
    """An error that a user can fix; the base class of all errors that crossdoc raises on purpose.

    Parameters
    ----------
    what : str
        What is wrong, and where.
    hint : str, default ""
        What to do.

    Examples
    --------
    >>> error = CrossdocError("There is no file a.csv.", "Check the path.")
    >>> error.what, error.hint
    ('There is no file a.csv.', 'Check the path.')
    """

    exit_code = 1

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(what if not hint else f"{what}\n{hint}")
        self.what = what
        self.hint = hint


class UsageError(CrossdocError, ValueError):
    """An invalid request: a wrong option, argument or combination of them."""

    exit_code = 2


class InputError(CrossdocError, ValueError):
    """Data that cannot be read as it is."""


class ScoreError(InputError):
    """An answer or a gold standard that cannot be scored as asked."""


class StoreError(CrossdocError):
    """A .crossdoc file that cannot be opened or written."""


class ConstraintError(CrossdocError):
    """Judgements that cannot all be true: `chain` are those, where they are known."""

    chain: Sequence[object] = ()


def _listed(problems: Iterable[str], most: int = 20) -> str:
    lines = list(problems)
    more = [f"… and {len(lines) - most:,} more"] if len(lines) > most else []
    return "\n".join(f"  - {line}" for line in [*lines[:most], *more])


def _first_ids(ids: Sequence[str], most: int = 10) -> str:
    more = f" and {len(ids) - most:,} more" if len(ids) > most else ""
    return ", ".join(map(repr, ids[:most])) + more


def _steps(chain: Sequence[object]) -> str:
    return "\n".join(f"  {number}. {step}" for number, step in enumerate(chain, 1))


def _problems(path: AnyPath, problems: Sequence[str], of: str) -> str:
    word = "problem" if len(problems) == 1 else "problems"
    return f"{path}: {len(problems):,} {word} with {of}:\n{_listed(problems)}"


def not_an_input(kind: str, why: str) -> UsageError:
    return UsageError(
        f"This input ({kind}) cannot be read: {why.splitlines()[0].rstrip('.')}.",
        "Give a path, Documents, Profiles, records, or an Arrow, pandas or polars table with the columns of "
        "`crossdoc formats`.",
    )


def which_evidence(types: Sequence[str]) -> UsageError:
    return UsageError(
        "A comparison holds the evidence of every entity type, but only one type can be clustered at a time.",
        f"Pass compared[TYPE]; the types are {', '.join(map(repr, types))}.",
    )


def partition_of_others(n: int, profiles: int) -> UsageError:
    return UsageError(
        f"The partition has {n:,} profiles, but other profiles were given ({profiles:,}).",
        "Pass the profiles that were clustered, in the same order.",
    )


def no_such_path(path: AnyPath) -> UsageError:
    return UsageError(f"There is no file or folder {path}.", "Check the spelling, and the folder you are in.")


def nothing_to_read(path: AnyPath, endings: Sequence[str]) -> InputError:
    return InputError(
        f"{path} holds no document that crossdoc can read.",
        f"It looks for {', '.join(endings)} (also with .gz, .xz, .bz2 or .zst, and in .zip and .tar); "
        "`crossdoc formats` shows them all.",
    )


def only_tables(path: AnyPath, example: str) -> InputError:
    return InputError(
        f"{path} holds no text, HTML or office document, only tables such as {example}.",
        "In a folder, crossdoc reads only documents, because a table may hold anything; name the table files "
        "themselves.",
    )


def only_other_types(left_out: str) -> InputError:
    return InputError(
        f"Nothing is left to resolve: {left_out}.",
        "Map the types, or leave the column out if all rows are of one kind.",
    )


def no_records(path: AnyPath, what: str) -> InputError:
    return InputError(f"{path} holds no {what}.", "`crossdoc formats` shows what such a file must hold.")


def not_a_file(path: AnyPath) -> InputError:
    return InputError(
        f"{path} is a folder, a pipe or a device, but a file was expected.",
        "Save its output to a file first, because crossdoc reads some files twice.",
    )


def unknown_format(path: AnyPath, endings: Sequence[str]) -> InputError:
    return InputError(
        f"{path}: crossdoc cannot tell what kind of file this is.",
        f"Give it one of the endings {', '.join(endings)}, or say with --format which annotations it holds; "
        "`crossdoc formats` shows them with examples.",
    )


def undecodable(path: AnyPath, why: str) -> InputError:
    return InputError(
        f"{path} is not text: {why}.",
        "Convert it to UTF-8 text, or leave it out; nothing has been written.",
    )


def unreadable(path: AnyPath, why: str) -> InputError:
    return InputError(
        f"{path} cannot be read: {why}.", "Check that the file is complete and that you have permission to read it."
    )


def broken_line(path: AnyPath, line: int, why: str) -> InputError:
    return InputError(f"{path}, line {line:,}: {why}.", "Correct that line, or download the file again.")


def no_text_beside(path: AnyPath) -> InputError:
    return InputError(
        f"{path} has annotations, but the text that they refer to is not next to it.",
        "Put the .txt file of the same name in the same folder.",
    )


def no_type_system(path: AnyPath) -> InputError:
    return InputError(
        f"{path} is XMI, but there is no type system next to it.",
        "Put TypeSystem.xml (or an .xml file of the same name) in the same folder.",
    )


def needs_extra(what: str, package: str, extra: str) -> UsageError:
    return UsageError(f"{what} needs {package}, which is not installed.", f"python -m pip install 'crossdoc[{extra}]'")


def needs_package(what: str, package: str) -> UsageError:
    return UsageError(f"{what} needs {package}, which is not installed.", f"python -m pip install {package}")


def format_failed(path: AnyPath, ending: str, why: str) -> InputError:
    return InputError(
        f"{path} cannot be read: the installed reader of {ending} files failed: {why}.",
        "Check that the file is complete, or ask the authors of the reader (docs/extending/format.md).",
    )


def bad_records(path: AnyPath, problems: Sequence[str]) -> InputError:
    return InputError(
        _problems(path, problems, "its records"), "`crossdoc formats` shows what each kind of file must hold."
    )


def bad_known_list(path: AnyPath, problems: Sequence[str]) -> InputError:
    return InputError(
        _problems(path, problems, "this known list"),
        "It needs the columns id and name, and may have aliases, type, description, attributes (`crossdoc formats`).",
    )


def nothing_answered() -> UsageError:
    return UsageError(
        "Nothing has been answered in this review yet.", "`crossdoc undo OUT.crossdoc` undoes earlier judgements."
    )


def no_known_list(path: AnyPath) -> UsageError:
    return UsageError(
        f"{path} was resolved without a known list.",
        "Resolve again with --known LIST (.csv, .jsonl, .parquet or another result, .crossdoc).",
    )


def duplicate_ids(path: AnyPath, ids: Sequence[str]) -> InputError:
    return InputError(
        f"{path}: several records have the same id: {_first_ids(ids)}.",
        "Ids must be unique across all inputs; rename or remove the copies.",
    )


def too_large(path: AnyPath, limit: int) -> InputError:
    return InputError(
        f"{path} is one document of more than {limit:,} characters, which is the limit.",
        "Split it into articles or chapters (one record each), or raise `max_document_characters` in the settings.",
    )


def no_inputs() -> UsageError:
    return UsageError("There is nothing to resolve.", "Name at least one folder or file.")


def mixed_inputs(paths: Sequence[str]) -> UsageError:
    return UsageError(
        f"Documents and profiles cannot be resolved in one run: {', '.join(paths)}.",
        "Run `crossdoc resolve` on the documents or on the profiles alone.",
    )


def bad_settings(where: str, problems: Sequence[str]) -> UsageError:
    return UsageError(f"{where}:\n{_listed(problems)}", "`crossdoc settings` prints every setting with its meaning.")


def unknown_setting(name: str, near: str) -> UsageError:
    return UsageError(
        f"There is no setting {name!r}.",
        f"Did you mean {near!r}? `crossdoc settings` prints every setting with its meaning.",
    )


def unknown_choice(what: str, name: str, known: Sequence[str]) -> UsageError:
    return UsageError(f"There is no {what} {name!r}.", f"Choose one of: {', '.join(known)}.")


def unknown_parameter(name: str, known: Sequence[str]) -> UsageError:
    return UsageError(f"There is no parameter {name!r} here.", f"There are: {', '.join(known) or 'none'}.")


def not_usable_with(option: str, what: str, others: Sequence[str]) -> UsageError:
    return UsageError(f"{option} cannot be used with {what}.", f"Leave it out; it is for {', '.join(others)}.")


def empty_name() -> UsageError:
    return UsageError(
        "--name is empty.",
        'Give a name to look for, as in --name "John Smith", or leave --name out to resolve all of them.',
    )


def empty_new_name() -> UsageError:
    return UsageError(
        "The new name is empty.",
        "Give the new name of the identity; `crossdoc undo OUT.crossdoc N` undoes a rename.",
    )


def name_needs_documents() -> UsageError:
    return UsageError("--name looks for a name in documents, but these are profiles.", "Leave --name out.")


def name_needs_profiles(corpus: str) -> UsageError:
    return UsageError(
        f"--name selects the profiles of one name, but the corpus {corpus!r} has documents.",
        "Leave --name out here, and pass it to `crossdoc resolve`.",
    )


def no_such_part(path: AnyPath, asked: Sequence[str]) -> UsageError:
    return UsageError(
        f"{path} has no article with {' and '.join(asked)}.",
        "Leave it out to read everything; the ids show what there is.",
    )


def no_gold(corpus: str) -> UsageError:
    return UsageError(f"The corpus {corpus!r} has no gold standard.", "Leave --gold out.")


def unknown_extractor(name: str, installed: Sequence[str]) -> UsageError:
    return UsageError(
        f"There is no extractor {name!r}.",
        f"Installed (entry points of the group crossdoc.extractors): {', '.join(installed) or 'none'}. "
        "Leave the setting `extractor` out to use crossdoc's own.",
    )


def extractor_to_confirm(path: object, extractor: str) -> UsageError:
    return UsageError(
        f"{path} was made with the extractor {extractor!r}.",
        f"If you trust it, name it again: `crossdoc add {path} MORE --extractor {extractor}`.",
    )


def other_extractor(path: object, extractor: str) -> UsageError:
    return UsageError(
        f"{path} was made without an extractor from elsewhere, and {extractor!r} was named.",
        "Leave `--extractor` out, or resolve the documents again with `--set extractor=NAME:TEXT`.",
    )


def no_gliner_model(path: AnyPath) -> UsageError:
    return UsageError(
        f"{path} is not a folder with a GLiNER model: it has no gliner_config.json.",
        "Download a model yourself and name its folder, `--set extractor=gliner:FOLDER`; crossdoc downloads none.",
    )


def extractor_failed(name: str, why: str) -> CrossdocError:
    return CrossdocError(f"The extractor {name!r} failed: {why}.", "Ask its authors, or choose another.")


def bad_extraction(name: str, problems: Sequence[str]) -> CrossdocError:
    return CrossdocError(
        f"The extractor {name!r} does not follow the protocol:\n{_listed(problems)}",
        "docs/extending/extractor.md says what an extractor must return.",
    )


def language_failed(code: str, where: str, why: str) -> CrossdocError:
    return CrossdocError(
        f"The language pack {code!r} ({where}) does not load: {why}.",
        "Ask its authors, or uninstall it; docs/extending/language.md says what a pack is.",
    )


def documents_wanted(paths: Sequence[str]) -> UsageError:
    return UsageError(
        f"These are already profiles, but `crossdoc extract` reads documents: {', '.join(paths)}.",
        "Give profiles to `crossdoc resolve`.",
    )


def missing_model(model: str, remedy: str) -> UsageError:
    return UsageError(f"The language model {model!r} is not installed.", f"To install it: {remedy}.")


def broken_model(model: str, why: str) -> CrossdocError:
    return CrossdocError(
        f"The language model {model!r} does not load: {why}.", "Install a version made for this version of spaCy."
    )


def not_a_model(path: AnyPath, problems: Sequence[str]) -> InputError:
    return InputError(
        f"{path} is not a crossdoc model:\n{_listed(problems)}",
        "Leave --model out to use the model that comes with crossdoc.",
    )


def old_model(what: AnyPath) -> InputError:
    return InputError(
        f"{what} has a model of an older crossdoc, which computed strengths differently.",
        "Train it again with `crossdoc train`, or use the model that comes with crossdoc: leave --model out, and "
        "resolve again what was resolved with the old one.",
    )


def store_locked(path: AnyPath) -> StoreError:
    return StoreError(
        f"{path} is open in another crossdoc process.", "Wait until it has finished, or write to another file."
    )


def not_a_store(path: AnyPath) -> StoreError:
    return StoreError(
        f"{path} is not a crossdoc result.",
        "Make one with `crossdoc resolve … -o OUT.crossdoc`; an existing file of another kind is never overwritten.",
    )


def damaged_store(path: AnyPath, why: str) -> StoreError:
    return StoreError(
        f"{path} is damaged: {why}.",
        "Restore it from a copy, or resolve the documents again into another file; the damaged one is left as it is.",
    )


def no_permission(path: AnyPath, act: str) -> StoreError:
    return StoreError(
        f"You do not have permission to {act} {path}.",
        "The file is unchanged. Ask its owner for the right, or work on a copy of it.",
    )


def read_only_disk(path: AnyPath) -> StoreError:
    return StoreError(
        f"{path} cannot be written, because its file system is read-only.",
        "The file is unchanged. Copy it to a disk that can be written, and work there.",
    )


def cannot_open(path: AnyPath, why: str) -> StoreError:
    return StoreError(f"{path} cannot be opened: {why}.", "The file is unchanged. Correct that and try again.")


def disk_failed(path: AnyPath, why: str) -> StoreError:
    return StoreError(
        f"The disk failed while {path} was read or written: {why}.",
        "Check the disk and its connection. The file has its former content or the new one, never a part of it.",
    )


def foreign_store(path: AnyPath, what: str) -> StoreError:
    return StoreError(
        f"{path} holds {what}, which crossdoc does not write: this file was changed or made by another program.",
        "Do not trust it; ask whoever sent it for the documents, and resolve them yourself.",
    )


def query_too_long(seconds: float) -> StoreError:
    return StoreError(
        f"A query of the file took more than {seconds / 60:.0f} minutes and was stopped.",
        "Try again when the machine is less busy; a file from a stranger may be designed to take forever.",
    )


def bad_account(why: str) -> StoreError:
    return StoreError(
        f"The settings that this result stores about its run cannot be read: {why}.",
        "The file was changed by another program, or is damaged. Resolve again; `crossdoc judgements` still "
        "lists its log.",
    )


def newer_version(path: AnyPath, found: str, newest: str) -> StoreError:
    return StoreError(
        f"{path} has the file version {found}, of a newer crossdoc; this one reads versions up to {newest}.",
        "Update crossdoc (python -m pip install --upgrade crossdoc); the file is unchanged. "
        f"Its judgements can already be read: crossdoc judgements {path}",
    )


def unknown_version(path: AnyPath, found: str) -> StoreError:
    return StoreError(
        f"{path} is marked as a crossdoc result, but has the file version {found}, which no crossdoc writes.",
        "Use the version of crossdoc that wrote it; the file is unchanged. "
        f"If it holds judgements, this lists them: crossdoc judgements {path}",
    )


def unfinished(path: AnyPath, part: AnyPath) -> StoreError:
    return StoreError(
        f"{path} does not exist, but an unfinished run of it does ({part}).",
        "Run the same `crossdoc resolve` command again; it continues where it stopped.",
    )


def cannot_write(path: AnyPath, why: str) -> CrossdocError:
    return CrossdocError(
        f"{path} could not be written: {why}.",
        "Free some space or choose another place; the previous file of that name is untouched.",
    )


def written_but_unsafe(path: AnyPath, why: str) -> CrossdocError:
    return CrossdocError(
        f"{path} was written and has replaced the previous file of that name, but then the disk failed: {why}.",
        "Check the disk, and copy the new file to another one: it may not survive a power cut.",
    )


def no_run(path: AnyPath) -> StoreError:
    return StoreError(
        f"{path} does not say how it was made, so it cannot be changed in place.",
        "Make it again with `crossdoc resolve … -o OUT.crossdoc`; its judgements are kept.",
    )


def judgement_between_types(a: str, one: str, b: str, other: str) -> InputError:
    return InputError(
        f"{a!r} is a {one} and {b!r} a {other}: profiles of different types are never one identity.",
        "Judge profiles of one type. If one has the wrong type, correct it in the profiles "
        "(`crossdoc extract` writes them) and resolve those.",
    )


def other_kind_of_input(path: AnyPath, made: str) -> UsageError:
    return UsageError(
        f"{path} was made from {made}, so nothing else can be added to it.",
        "Give documents to a result of documents, and profiles (as `crossdoc extract` writes them) to one of profiles.",
    )


def unknown_ids(path: AnyPath, ids: Sequence[str], what: str) -> InputError:
    return InputError(
        f"{path} has no such {what}: {_first_ids(ids)}.",
        "`crossdoc export OUT.crossdoc` lists profiles and their documents; nothing was changed.",
    )


def one_profile(id: str) -> UsageError:
    return UsageError(f"{id!r} cannot be compared with itself.", "Name two profiles.")


def which_identity(id: str, found: Sequence[str]) -> UsageError:
    if not found:
        return UsageError(
            f"There is no identity {id!r}.", "`crossdoc show OUT.crossdoc --find NAME` shows identities with their ids."
        )
    return UsageError(
        f"The identity {id!r} is now several: {', '.join(found[:10])}.",
        "Name one of them; `crossdoc history` shows what happened.",
    )


def nothing_to_merge(given: Sequence[str]) -> UsageError:
    return UsageError(
        f"There is nothing to merge: {', '.join(map(repr, given)) or 'nothing'} is already one identity.",
        "Name two identities or more.",
    )


def not_members(identity: str, profiles: Sequence[str]) -> UsageError:
    return UsageError(
        f"These profiles are not members of {identity!r}: {_first_ids(profiles)}.",
        "`crossdoc export OUT.crossdoc` shows which profile belongs to which identity.",
    )


def nothing_to_split(identity: str) -> UsageError:
    return UsageError(f"Nothing would be split from {identity!r}.", "Name some, but not all, of its profiles.")


def nothing_left() -> UsageError:
    return UsageError("The collection would be empty.", "Delete the file instead.")


def bad_judgement(why: str) -> InputError:
    return InputError(
        f"That is not a judgement: {why}.", "Name two profiles and say same or different, with a weight of 0 or more."
    )


def bad_span(mention: str, start: int, end: int) -> InputError:
    return InputError(
        f"The mention {mention!r} goes from character {start} to {end}.",
        "Count characters from 0, with the end after the last one.",
    )


def empty_id(what: str) -> InputError:
    return InputError(f"A {what} has an empty id.", "Give each one its own id.")


def bad_partition(why: str) -> InputError:
    return InputError(
        f"That is not a partition: {why}.", "Give a row for each id, with memberships above 0 and up to 1."
    )


def contradiction(chain: Sequence[object]) -> ConstraintError:
    error = ConstraintError(
        f"These judgements cannot all be true:\n{_steps(chain)}",
        "Change the constraints, or undo one: `crossdoc undo OUT.crossdoc N`.",
    )
    error.chain = chain
    return error


def only_looking() -> UsageError:
    return UsageError("This page is read-only.", "Start `crossdoc explore` without --read-only to correct it.")


def change_failed(act: str, kind: str, message: str) -> CrossdocError:
    return CrossdocError(
        f"crossdoc has a bug: {act} ended with {kind}: {message}.",
        "The answer is unchanged; please report this and what you clicked.",
    )


def contradicts_earlier() -> ConstraintError:
    return ConstraintError(
        "This contradicts earlier judgements.", "Undo one of the earlier judgements, or leave it as it is."
    )


def worker_died(act: str) -> CrossdocError:
    return CrossdocError(
        f"The process that was doing this ({act}) ended before it was done.",
        "Check whether it is in the list of corrections, and repeat it if not; there may be too little memory.",
    )


def page_is_closing() -> UsageError:
    return UsageError(
        "The explorer is shutting down; this was not done.", "Repeat it when the explorer is running again."
    )


def unknown_profiles(where: AnyPath, ids: Sequence[str]) -> InputError:
    return InputError(
        f"{where} names profiles that do not exist: {_first_ids(ids)}.",
        "`crossdoc export OUT.crossdoc --format csv` lists the ids.",
    )


def no_threshold(method: str) -> UsageError:
    return UsageError(
        f"The method {method} takes no threshold.",
        "Leave the threshold out, or choose a method that has one, such as average-linkage.",
    )


def no_time_limit(method: str, others: Sequence[str]) -> UsageError:
    return UsageError(
        f"The method {method} takes no time limit.", f"Leave it out, or use --method {' or '.join(others)}."
    )


def bad_clusterer(name: str, why: str) -> UsageError:
    return UsageError(
        f"The method {name!r} of an installed package cannot be used: {why}.",
        "Choose another method, or update or remove the package; docs/extending/clusterer.md says what it needs.",
    )


def unknown_estimator(name: str, known: Sequence[str]) -> UsageError:
    return UsageError(
        f"No crossdoc method is a {name}.",
        f"Give the name of a method ({', '.join(known)}), an estimator of one of them, or register yours: "
        "docs/extending/clusterer.md.",
    )


def not_an_assignment(assignment: str) -> UsageError:
    return UsageError(
        f"--set takes KEY=VALUE or METHOD.KEY=VALUE, not {assignment!r}.",
        "Examples: --set window=200, --set karc.variant=paper; `crossdoc settings` lists all keys.",
    )


def not_columns(columns: str) -> UsageError:
    return UsageError(
        f"--columns takes FIELD=COLUMN pairs separated by commas, not {columns!r}.",
        "Example: --columns name=author,context=title",
    )


def other_columns(path: AnyPath, found: Sequence[str], separator: str, wanted: Sequence[str]) -> InputError:
    between = {"\t": "tabs", ",": "commas", ";": "semicolons"}.get(separator, separator)
    return InputError(
        f"{path} has no column {' and no column '.join(map(repr, wanted))}. Columns found, separated by {between}: "
        f"{', '.join(found) or 'nothing'}.",
        "Map the columns, as in --columns name=author,context=title; `crossdoc formats` names all fields.",
    )


def block_too_large(method: str, n: int, limit: int) -> CrossdocError:
    return CrossdocError(
        f"One block holds {n:,} profiles; the method {method} compares all pairs and takes at most {limit:,}.",
        "Use average-linkage or correlation, which compare only names that agree where there are too many pairs, or "
        "sampling, or narrow the input with --type or --name.",
    )


def nothing_to_resume(method: str) -> UsageError:
    return UsageError(
        f"There is nothing to resume with the method {method}: reading resumes on its own.",
        "Leave --resume out, or use --method sampling or --method bags.",
    )


def too_many_for_linkage(n: int, limit: int) -> CrossdocError:
    return CrossdocError(
        f"{n:,} profiles may all be one entity; this linkage takes at most {limit:,} at once.",
        "Use --method single-linkage, which has no such limit, or narrow the input with --type or --name.",
    )


def one_of_two(first: str, second: str) -> UsageError:
    return UsageError(f"{first} and {second} cannot be given together.", "Leave one of them out.")


def no_such_evidence(what: str) -> UsageError:
    return UsageError(f"A graph has no {what}.", "Choose a method that takes relations, or use resolve.")


def signed_weights() -> UsageError:
    return UsageError(
        "These are signed weights, which are joined while they are above 0.",
        "Leave --threshold and --bias out, or give strengths in [0, 1] in a column `strength`.",
    )


def binary_to_terminal() -> UsageError:
    return UsageError(
        "Parquet cannot be shown in a terminal.", "Add -o FILE.parquet, or pipe the output into a program."
    )


def not_found(name: str, store: AnyPath) -> CrossdocError:
    return CrossdocError(
        f"Nobody called {name!r} is in {store}.", "`crossdoc show` without --find lists the largest identities."
    )


def nothing_extracted(kind: str) -> InputError:
    return InputError(
        f"No {kind} was found in the input.",
        "Check the text and the --type; documents in another language need that language's model.",
    )


def bad_specialist(name: str, what: str) -> InputError:
    return InputError(
        f"The specialist {name!r} {what}.", "A specialist gives one number in [0, 1] for each pair, or NaN to abstain."
    )


def nothing_to_undo() -> UsageError:
    return UsageError(
        "There is nothing to undo: no entry of the log is in force.", "`crossdoc judgements` lists the log."
    )


def no_such_judgement(number: int) -> UsageError:
    return UsageError(f"There is no judgement number {number}.", "The log of judgements lists them with their numbers.")


def bad_similarities(why: str) -> InputError:
    return InputError(
        f"These similarities cannot be clustered: {why}.",
        "Give a square, symmetric matrix of finite numbers, or Relations between rows 0 … n−1.",
    )


def bad_row_weights(why: str) -> InputError:
    return InputError(f"sample_weight does not fit the rows: {why}.", "Give one positive, finite number for each row.")


def constraints_of_other_rows(given: int, rows: int) -> InputError:
    return InputError(
        f"The constraints are about {given:,} rows, the similarities about {rows:,}.",
        "Compile the constraints with the same ids, or use Constraints.restrict.",
    )


def nothing_to_learn(positive: int, negative: int) -> InputError:
    return InputError(
        f"The gold labels {positive:,} pairs as one entity and {negative:,} as two; learning needs both kinds.",
        "Check that the gold's ids are those of the profiles, and that some names are shared by several entities.",
    )


def gold_missing() -> UsageError:
    return UsageError(
        "There is one input, but learning takes profiles followed by gold.",
        "Give both, or learn from the profiles alone: crossdoc train --self PROFILES -o model.json",
    )


def no_recurring_names() -> InputError:
    return InputError(
        "There is nothing to learn from without labels: no full name of a person occurs in two different stories.",
        "Give more documents, or labelled profiles: crossdoc train PROFILES GOLD -o model.json",
    )


def missing_specialists(names: Sequence[str]) -> InputError:
    bring = "python -m pip install 'crossdoc[embed]'" if "embedding" in names else ""
    others = "the package that brings them" if set(names) - {"embedding"} else ""
    return InputError(
        f"The model uses specialists that are not installed: {', '.join(names)}.",
        f"Install {' and '.join(filter(None, [others, bring and f'sentence embeddings ({bring})']))}, "
        "or train a model without them (`crossdoc train`).",
    )


def no_embeddings() -> UsageError:
    return UsageError(
        "--embed needs packages that are not installed.",
        "Install them with: python -m pip install 'crossdoc[embed]'",
    )


def answer_without_columns(missing: Sequence[str], found: Sequence[str]) -> ScoreError:
    return ScoreError(
        f"There is no column {' and no column '.join(missing)}, only {', '.join(found)}.",
        "Name the columns id and entity, and optionally membership and group.",
    )


def not_an_answer(kind: str) -> UsageError:
    return UsageError(
        f"An answer or a gold standard cannot be a {kind}.",
        "Give a path, a Partition, a mapping of id to entity, or a table with the columns id and entity.",
    )


def uneven_columns() -> ScoreError:
    return ScoreError("The columns id, entity and membership differ in length.", "Give each row a value.")


def uneven_labels() -> ScoreError:
    return ScoreError("The two label arrays differ in shape.", "Give each item one label in both.")


def id_in_two_groups(id: str) -> ScoreError:
    return ScoreError(f"The id {id} is in two groups.", "Put the group into the id, as in NAME/RANK.")


def no_memberships() -> ScoreError:
    return ScoreError("A threshold needs memberships.", "Add the column membership, or score the answer as it is.")


def no_groups() -> ScoreError:
    return ScoreError("The gold standard has no groups.", "Add the column group, or do not average by group.")


def nothing_in_common() -> ScoreError:
    return ScoreError(
        "The answer and the gold standard have no id in common.", "Check how the ids are written in both."
    )


def empty_values(column: str, count: int) -> ScoreError:
    return ScoreError(f"The column {column} has {count:,} empty values.", "Fill them, or leave those rows out.")


def partitions_only(measure: str) -> ScoreError:
    return ScoreError(
        f"{measure} is defined for partitions only, and some ids belong to several entities.",
        "Give each id one entity, or use purity or extended B-cubed.",
    )


def bad_criterion_values() -> InputError:
    return InputError(
        "The values of a criterion must be a list of finite numbers, one for each number of clusters.",
        "Give them in the order k = 1, 2, 3, …",
    )


def bad_references(shape: Sequence[int], wanted: int) -> InputError:
    return InputError(
        f"The reference values have the shape {tuple(shape)}, but there are {wanted:,} numbers of clusters.",
        "Give one row for each reference data set, with a value for each number of clusters.",
    )


def bad_confidence(given: float) -> UsageError:
    return UsageError(f"A confidence must be between 0 and 1, not {given:g}.", "0.95 is usual.")


def bad_bias(bias: float) -> UsageError:
    return UsageError(
        f"The bias must be a finite number, not {bias}.", "Give the strength above which two rows attract each other."
    )


def bias_below_default(bias: float, default: float, n: int, limit: int) -> InputError:
    return InputError(
        f"A pair that was not compared has the strength {default:g}, above the bias {bias:g}: all {n:,} rows attract "
        f"each other, which can be written out for at most {limit:,} rows.",
        "Give a bias above default_strength, or missing='sparse'.",
    )


def must_and_cannot(a: int, b: int) -> ConstraintError:
    return ConstraintError(
        f"Rows {a} and {b} are constrained both to be one entity and to be two.", "Remove one of the two constraints."
    )


def bad_groups(why: str) -> InputError:
    return InputError(
        f"groups does not fit the rows: {why}.", "Give one label for each row, None for a row without one."
    )


def one_of_a_group(a: int, b: int, group: str, chain: Sequence[str]) -> ConstraintError:
    return ConstraintError(
        f"Rows {a} and {b} must be one entity, but both are in the group {group!r}, and a cluster holds at "
        "most one row of a group." + (f" They are linked by:\n{_steps(chain)}" if chain else ""),
        "Remove a constraint, or give one of the rows another group.",
    )


def too_many_to_merge(n: int, limit: int) -> CrossdocError:
    return CrossdocError(
        f"There are {n:,} contexts; the agglomerative method compares all pairs and takes at most {limit:,}.",
        "Use the method direct, rb or rbr, which have no such limit.",
    )


def bad_rows(why: str) -> InputError:
    return InputError(
        f"These vectors cannot be clustered: {why}.",
        "Give one row of finite numbers for each context, dense or sparse.",
    )


def too_many_clusters(k: int, rows: int, groups: int) -> UsageError:
    distinct = f" ({groups:,} after those that must be together are counted as one)" if groups < rows else ""
    return UsageError(
        f"{k:,} clusters were requested, but there are only {rows:,} contexts{distinct}.",
        "Ask for fewer, or leave the number out to have it found.",
    )


# Crosslingual links.


def unknown_language(where: str, language: str) -> InputError:
    return InputError(f"{where}: {language!r} is not a language code.", "Give an ISO 639-1 code, such as en or pt.")


def one_language(language: str, groups: int) -> InputError:
    there = "There is only one group" if groups == 1 else f"All {groups:,} groups are in one language ({language})"
    return InputError(
        f"{there if groups else 'There are no groups'}, so there is nothing to link.",
        "Give groups in at least two languages; within a language, use `crossdoc resolve`.",
    )


def bias_of_similarities(given: object) -> UsageError:
    return UsageError(
        f"The bias must be between 0 and 1, as similarities are, not {str(given)!r}.",
        "Give a number such as 0.3, or leave the bias out (auto) to have it chosen without gold.",
    )


def nothing_to_translate_for() -> UsageError:
    return UsageError(
        "A translator is given, but translated words are not among the features.",
        "Add word to the features, or leave the translator out.",
    )


def output_is_input(path: AnyPath) -> UsageError:
    return UsageError(f"{path} is both read and written.", "Give the output another name.")


def other_kind(path: AnyPath, found: str, wanted: str) -> UsageError:
    return UsageError(
        f"{path} contains {found}, and {wanted} would overwrite it.",
        "Give the output another name, or add --force if that file may be overwritten.",
    )


def linked_within_language(a: str, b: str, language: str, chain: Sequence[str]) -> ConstraintError:
    return ConstraintError(
        f"The constraints say that {a} and {b} are the same, but both are in {language}, and a cluster "
        "holds at most one group of each language." + (f" They are linked by:\n{_steps(chain)}" if chain else ""),
        "Merge the two groups into one record, or remove the constraint.",
    )


def cannot_translate(translator: str, language: str) -> UsageError:
    return UsageError(
        f"The translator {translator} does not know the language {language!r}.",
        "Leave that language untranslated, or give a translator that knows it.",
    )


def no_such_translator(name: str) -> UsageError:
    return UsageError(
        f"There is no translator {name!r}, and no file or folder of that name.",
        "Give none, apertium, argos, a dictionary (de-en.tsv, freedict-deu-eng.dict.dz, deu-eng.tei), "
        "or the folder of an Argos or CTranslate2 model; LANGUAGE=PATH says which language it is from.",
    )


def no_apertium() -> UsageError:
    return UsageError(
        "Apertium is not installed.",
        "On Debian or Ubuntu: apt-get install apertium apertium-eng-spa (and further pairs); or use --translator none.",
    )


def translator_failed(name: str, why: str) -> CrossdocError:
    return CrossdocError(f"The translator {name} failed: {why}.", "Check it separately, or use --translator none.")


def dictionary_without_language(path: AnyPath) -> UsageError:
    return UsageError(
        f"{path}: the name does not say which language it translates from.",
        "Add the language, as in --translator de=PATH, or name the file like de-en.tsv or freedict-deu-eng.dict.dz.",
    )


def no_ctranslate2(missing: str) -> UsageError:
    return UsageError(
        f"Translation models need the package {missing}, which is not installed.",
        "Install both: python -m pip install ctranslate2 sentencepiece",
    )


def not_a_translation_model(path: AnyPath, why: str) -> InputError:
    return InputError(
        f"{path} is not a translation model that crossdoc can use: {why}.",
        "Give an Argos package (its folder or .argosmodel file, into English), or LANGUAGE=FOLDER of a CTranslate2 "
        "model with sentencepiece.model next to it.",
    )


def no_argos_models(folder: AnyPath) -> UsageError:
    return UsageError(
        f"No Argos model into English is installed in {folder}.",
        "Install one with Argos Translate, or name the .argosmodel file: --translator translate-es_en.argosmodel.",
    )


def needs_option(option: str, other: str) -> UsageError:
    return UsageError(f"{option} needs {other}.", f"Add {other}, or leave {option} out.")


def gold_needed(option: str) -> UsageError:
    return UsageError(
        f"{option} needs --gold, because precision and recall are measured against it.", "Add --gold FILE."
    )


def not_xml(path: AnyPath, line: int, why: str) -> InputError:
    return InputError(
        f"{path}, line {line:,}: it is not well-formed XML ({why}).",
        "Correct that line, or download the file again; nothing was written.",
    )


def not_a_dump(path: AnyPath, root: str) -> InputError:
    return InputError(
        f"{path} is XML of another kind: its first element is <{root}>, not <mediawiki>.",
        "Give a dump of pages as MediaWiki exports them, such as NAME-pages-articles.xml.bz2.",
    )


def cut_off(path: AnyPath, where: str, pages: int) -> InputError:
    return InputError(
        f"{path} ends in the middle, at {where}, after {pages:,} complete pages.",
        "Download it again, or add --partial to use what is there.",
    )


def same_output() -> UsageError:
    return UsageError("Two of the outputs are the same file.", "Give each one its own name.")


def no_links_left(counts: Sequence[str]) -> InputError:
    return InputError(
        f"No link to Wikipedia is left. What was found:\n{_listed(counts)}",
        "Loosen the filter that removed most: --least-words, --most-distance, --concepts, --least-links.",
    )


def bad_matrix(path: AnyPath, line: int, what: str) -> InputError:
    return InputError(f"{path}, line {line:,}: {what}.", "`crossdoc formats` shows what a matrix file must hold.")


def names_to_conflate(names: Sequence[str]) -> UsageError:
    return UsageError(
        f"Give two or more different names to conflate; these are {', '.join(map(repr, names)) or 'none'}.",
        'Give them as --names "A" "B"; variants of a name follow it, as in "A|A. Smith".',
    )


def names_not_found(names: Sequence[str]) -> InputError:
    return InputError(
        f"The documents do not mention {', '.join(map(repr, names))}.", "Check the spelling, capitals included."
    )


def too_many_for_fuzzy(n: int, limit: int) -> CrossdocError:
    return CrossdocError(
        f"One block holds {n:,} profiles; fuzzy clustering compares all pairs and takes at most {limit:,}.",
        "Use --method average-linkage (20,000 profiles that may all be one entity) or single-linkage (no limit), "
        "raise max_block if there are 80 bytes of memory for each pair, or narrow the input with --type or --name.",
    )


def strengths_wanted(low: float, high: float) -> InputError:
    which = "Negative values" if low < 0 else "Values above 1"
    return InputError(
        f"{which} in data passed to fuzzy clustering: the strengths range from {low:g} to {high:g}, outside [0, 1].",
        "Scale them (1 is surely one entity, 0 surely two); signed weights are for --method correlation.",
    )


def more_clusters_than_rows(clusters: int, rows: int) -> UsageError:
    return UsageError(
        f"{clusters:,} clusters were requested, but there are only {rows:,} rows (counting linked rows once).",
        "Ask for fewer clusters, or leave n_clusters out to have the number found.",
    )


def bad_parameter(name: str, value: object, wanted: str) -> UsageError:
    return UsageError(f"{name} is {value!r}, but must be {wanted}.", "Change it, or leave it out for the default.")


def unused_parameters(names: Sequence[str], variant: str) -> UsageError:
    return UsageError(
        f"The variant {variant!r} does not use {', '.join(names)}.", "Leave them out, or choose another variant."
    )


def bad_kernel(why: str) -> InputError:
    return InputError(
        f"The kernel cannot be used: {why}.",
        "It takes the matrix of strengths and returns a symmetric matrix of finite numbers of the same shape.",
    )


# -- sampling ----------------------------------------------------------------------------------------------------------


def bad_temperature(given: str) -> UsageError:
    return UsageError(
        f"The temperature {given} cannot be used.",
        "Give 0 (only moves that gain), a positive number, or a start and an end, both positive, as in (4, 0.1).",
    )


def bad_vectors(why: str) -> InputError:
    return InputError(
        f"These vectors cannot be sampled over: {why}.",
        "Give crossdoc.model.Vectors or a matrix with one row per mention; a row of zeros is an empty context.",
    )


def names_of_other_rows(names: int, rows: int) -> InputError:
    return InputError(f"There are {names:,} names for {rows:,} rows.", "Give one name for each row, '' if it has none.")


def resume_without_checkpoint() -> UsageError:
    return UsageError("resume needs a checkpoint to continue from.", "Give checkpoint=FILE, or leave resume out.")


def parameter_of_other_method(parameter: str, method: str, other: str) -> UsageError:
    return UsageError(
        f"The method {method} has no parameter {parameter}.",
        f"Leave it out, or use the method {other} (--method {other}).",
    )


def former_model_setting() -> UsageError:
    return UsageError(
        "sampling.model is no longer needed, and will be refused from version 0.3 on.",
        "Use the method sampling for the model of pairs, and the method bags for the model of bags.",
    )


def not_words() -> InputError:
    return InputError(
        "These vectors cannot be clustered by bags: they have negative numbers, or mostly numbers other than 0.",
        "Give rows of word counts or weights, one per mention, or use SamplingClustering (--method sampling).",
    )


def no_blocks(hierarchy: str) -> UsageError:
    return UsageError(
        f"sub_bias and united_bias are for blocks, which the hierarchy {hierarchy!r} does not move.",
        "Leave them out, or use the hierarchy 'combined' or 'sub'.",
    )


def united_with_clash() -> UsageError:
    return UsageError(
        "united_bias and clash_weight cannot be used together: a united bag has no single name.",
        "Leave one of them out.",
    )


def start_without_names() -> UsageError:
    return UsageError("The start 'names' needs names.", "Give fit(…, names=…), or another start.")


def clash_without_agreeing() -> UsageError:
    return UsageError(
        "A clash_weight needs to know which names agree.",
        "Give agreeing=…, such as functools.partial(crossdoc.names.agreeing_names, entity_type='person').",
    )


def bad_start(rows: int) -> InputError:
    return InputError(
        f"The start does not have a label for each of {rows:,} rows.", "Give one number or text for each row."
    )


def bad_names() -> InputError:
    return InputError("The names are not a list of names.", "Give one name for each row, '' if it has none.")


def not_a_checkpoint(path: AnyPath, why: str) -> InputError:
    return InputError(
        f"{path} is not a checkpoint of a sampling run: {why}.",
        "Leave --resume out to start over; it is then replaced.",
    )


def other_checkpoint(path: AnyPath, whose: str) -> UsageError:
    return UsageError(
        f"{path} is the checkpoint of {whose}.",
        "Give the input and settings it was made with, or another checkpoint file, or leave --resume out.",
    )


def too_little_memory(needed: int, available: int, rows: int) -> CrossdocError:
    return CrossdocError(
        f"Sampling over {rows:,} mentions needs about {needed / 2**30:.1f} GB, and {available / 2**30:.1f} are free.",
        "Free some memory, or use fewer mentions or shorter contexts; nothing has been started.",
    )


def not_a_number(what: str, given: object, wanted: str) -> UsageError:
    return UsageError(f"{what} is {given!r}, but should be {wanted}.", "Correct it and try again.")


def no_senses() -> ScoreError:
    return ScoreError("None of the contexts has a known sense.", "Give gold whose ids are those of the contexts.")


def no_target(path: AnyPath, count: int) -> InputError:
    return InputError(
        f"{path}: {count:,} contexts have no target marked, but this option counts words near the target.",
        "Mark it with `start` and `end` or <head> … </head>, or leave --window and --vectors target out.",
    )


def whose_profiles(path: AnyPath, names: Sequence[str]) -> UsageError:
    return UsageError(
        f"{path} holds profiles of several names: {', '.join(names[:10])}{' …' if len(names) > 10 else ''}.",
        "Say with --name whose to cluster.",
    )


def bad_number_of_clusters(given: str) -> UsageError:
    return UsageError(f"--k must be auto or a whole number of at least 1, not {given!r}.", "Leave it out for auto.")


def unused_options(kind: str, what: str) -> UsageError:
    return UsageError(f"Vectors of the kind {kind} do not use {what}.", "Leave them out, or choose another kind.")


def only_for(option: str, what: str) -> UsageError:
    return UsageError(f"{option} is for {what}, which this input is not.", "Leave it out.")


def too_many_triangles(solver: str, rows: int, limit: int) -> UsageError:
    return UsageError(
        f"The solver {solver!r} writes out all triangles and takes at most {limit:,} rows; there are {rows:,}.",
        "Use the solver lp, which has the same optimum and adds only the rows that are needed.",
    )


def no_result_to_keep_in(path: AnyPath) -> UsageError:
    return UsageError(
        f"--keep stores scores in a result of `crossdoc resolve`, but {path} is not one.",
        "Leave --keep out, or score OUT.crossdoc.",
    )


def no_web() -> UsageError:
    return UsageError(
        "`crossdoc explore` needs packages for web pages, which are not installed.",
        "python -m pip install 'crossdoc[web]'. `crossdoc report` writes a page without them.",
    )


def cannot_listen(host: str, port: int, why: str) -> UsageError:
    return UsageError(
        f"The explorer cannot listen on {host}, port {port}: {why}.",
        "Leave --host out to use it on this machine only, or give an address of this machine and a port from 1024.",
    )


def no_free_port(host: str, port: int, tried: int) -> UsageError:
    return UsageError(
        f"All ports from {port} to {min(port + tried, 65536) - 1} on {host} are in use.",
        "Choose another one with --port.",
    )


def page_failed(why: str) -> CrossdocError:
    return CrossdocError(
        f"This page could not be shown: {why}.",
        "Load it again. If that does not help, report it and what you did, and continue with another page.",
    )


# -- engines -----------------------------------------------------------------------------------------------------------


def no_ray() -> UsageError:
    return UsageError(
        "The engine ray needs Ray, which is not installed.", "pip install 'crossdoc[ray]', here and on every node."
    )


def address_without_ray() -> UsageError:
    return UsageError("--address is for a Ray cluster, but this run is local.", "Add --engine ray, or leave it out.")


def no_cluster(address: str, why: str) -> CrossdocError:
    return CrossdocError(
        f"No Ray cluster can be reached at {address}: {why.rstrip('.')}.",
        "`ray status --address ADDRESS` shows whether it is running; without --address one is started on this machine.",
    )


def another_ray(address: str, message: str) -> CrossdocError:
    return CrossdocError(
        f"The cluster at {address} has another version of Ray or Python than this process: "
        f"{' '.join(message.split()).rstrip('.')}.",
        "Install the same versions on all nodes and here.",
    )


def no_nodes() -> CrossdocError:
    return CrossdocError("No node of the cluster has a processor to work with.", "Add nodes: `ray start --address …`.")


def node_silent(node: str, seconds: float) -> CrossdocError:
    return CrossdocError(
        f"The node {node} has not answered in {seconds:.0f} seconds.",
        "It may be busy with other work (see `ray status`). To leave it out, run `ray stop` on it.",
    )


def node_without_crossdoc(node: str, why: str) -> CrossdocError:
    return CrossdocError(
        f"The node {node} cannot run crossdoc: {why.rstrip('.')}.",
        f"Install the same version there: pip install 'crossdoc[ray]=={__version__}'.",
    )


def node_of_another_version(node: str, there: str, here: str) -> CrossdocError:
    return CrossdocError(
        f"The node {node} has {there}, but this machine has {here}.", "Install the same versions on all nodes."
    )


def node_too_small(node: str, has: int, needed: int) -> CrossdocError:
    return CrossdocError(
        f"The node {node} has {has / 1e9:.1f} GB of memory for tasks; at least {needed / 1e9:.1f} GB are needed.",
        "Leave it out of the cluster, or start it with more: `ray start --memory …`.",
    )


def node_out_of_memory(why: str) -> CrossdocError:
    return CrossdocError(
        f"A node has run out of memory: {why.rstrip('.')}.",
        "Use larger nodes, fewer tasks per node (`ray start --num-cpus …`) or more partitions "
        "(--set sampling.partitions=…).",
    )


def workers_die(times: int) -> CrossdocError:
    return CrossdocError(
        f"The workers of one task have died {times} times.",
        "The usual cause is too little memory: use larger nodes or fewer tasks per node (`ray start --num-cpus …`).",
    )


def storage_not_shared(folder: AnyPath, node: str) -> CrossdocError:
    return CrossdocError(
        f"The node {node} cannot see {folder}, or may not write to it.",
        "All nodes read the input and write the answer: put both on a file system that they share.",
    )


def nodes_lost(given: int, found: int) -> CrossdocError:
    return CrossdocError(
        f"There were {given:,} mentions before a round, but {found:,} after it: crossdoc has a bug.",
        "Please report it with the command; --resume continues from the last round that was saved.",
    )


def not_finite(what: str, rounds: int) -> CrossdocError:
    return CrossdocError(
        f"After round {rounds:,}, {what} are not a number: crossdoc has a bug.",
        "Nothing was written. Please report it with the command; --method mean-max-linkage does without bags.",
    )


def folder_is_read_only(path: AnyPath) -> StoreError:
    return StoreError(
        f"{path} is a folder of Parquet files, which cannot be changed in place.",
        f"`crossdoc pack {path} -o OUT.crossdoc` turns it into a file that can.",
    )


def not_a_folder_answer(path: AnyPath) -> StoreError:
    return StoreError(
        f"{path} is not a folder of Parquet files that `crossdoc resolve` wrote.",
        "A .crossdoc file needs no packing: every command takes it as it is.",
    )


def already_there(path: AnyPath) -> UsageError:
    return UsageError(f"{path} already exists.", "Choose another name, or remove it first.")


def folder_wanted(path: AnyPath) -> UsageError:
    problem = f"{path} is not the name of one" if path else "no output was given"
    return UsageError(
        f"A run over partitions writes a folder of Parquet files, but {problem}.",
        "Name a folder: -o answer/; then `crossdoc pack answer/ -o answer.crossdoc` turns it into one file.",
    )


def not_our_folder(path: AnyPath, content: str) -> UsageError:
    return UsageError(
        f"{path} would be replaced, but it holds {content}, which crossdoc did not write.",
        "Choose another folder, or move that elsewhere.",
    )


def not_over_partitions(what: str) -> UsageError:
    return UsageError(
        f"{what} cannot be used in a run over partitions.",
        "Leave it out, or use the engine local.",
    )
