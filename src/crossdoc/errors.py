"""Every message that a user can see: the fault, its place, and what to do next.

Most messages are rows of a table, `name = Class.message("what → hint")`, and are called like functions:
`raise errors.no_such_path(path)`. Arguments fill the fields of the text in the order in which they first occur. The
few messages that depend on their arguments in other ways are functions at the end. `tests/test_errors.py` checks every
call in the package against the fields. `exit_code` is the exit code of the command: 1 if the work failed, 2 if the
request was invalid.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, Generic, TypeVar

AnyPath = str | PathLike[str]
Raised = TypeVar("Raised", bound="CrossdocError")


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

    @classmethod
    def message(cls: type[Raised], text: str) -> Message[Raised]:
        """A message of this class, to be called with the values of its fields."""
        return Message(cls, text)


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


class Message(Generic[Raised]):
    """Text with fields, such as `{path}`, `{count:,}` or `{names:list}`; a call fills them and returns the error.

    An arrow separates what is wrong from the hint; a line break in the text is a space.

    Examples
    --------
    >>> missing = UsageError.message("There is no {what} {name!r}. → Choose one of: {known:list}.")
    >>> missing.fields
    ('what', 'name', 'known')
    >>> missing("method", "best", ["karc", "linkage"])
    UsageError("There is no method 'best'.\\nChoose one of: karc, linkage.")
    """

    def __init__(self, kind: type[Raised], text: str) -> None:
        self.kind = kind
        self.what, self.hint = (" ".join(part.split()) for part in text.split("→"))
        found = [field for _, field, _, _ in string.Formatter().parse(text) if field]
        self.fields = tuple(dict.fromkeys(found))

    def __call__(self, *values: object) -> Raised:
        given = dict(zip(self.fields, values, strict=True))
        text = _Text()
        return self.kind(text.vformat(self.what, (), given), text.vformat(self.hint, (), given))


class _Text(string.Formatter):
    """Formats of `FORMATS` besides Python's own; a value that does not fit its format is shown as it is."""

    def format_field(self, value: Any, spec: str) -> str:
        if isinstance(value, str) and spec in LISTING:
            value = [value]
        try:
            return FORMATS[spec](value) if spec in FORMATS else str(format(value, spec))
        except (TypeError, ValueError):
            return str(value)


def _lines(problems: Sequence[str], most: int = 20) -> str:
    more = [f"… and {len(problems) - most:,} more"] if len(problems) > most else []
    return "".join(f"\n  - {line}" for line in [*problems[:most], *more])


def _ids(ids: Sequence[str], most: int = 10) -> str:
    more = f" and {len(ids) - most:,} more" if len(ids) > most else ""
    return ", ".join(map(repr, ids[:most])) + more


def _steps(chain: Sequence[object]) -> str:
    return "\n".join(f"  {number}. {step}" for number, step in enumerate(chain, 1))


FORMATS: dict[str, Callable[[Any], str]] = {
    "list": lambda names: ", ".join(names) or "none",
    "reprs": lambda names: ", ".join(map(repr, names)) or "none",
    "and": " and ".join,
    "or": " or ".join,
    "nor": " and no column ".join,
    "ids": _ids,
    "lines": _lines,
    "steps": _steps,
    "linked": lambda chain: f" They are linked by:\n{_steps(chain)}" if chain else "",
    "count": lambda problems: f"{len(problems):,} problem{'' if len(problems) == 1 else 's'}",
    "clause": lambda text: " ".join(text.split()).rstrip("."),
    "minutes": lambda seconds: f"{seconds / 60:.0f}",
    "GB": lambda size: f"{size / 1e9:.1f} GB",
}
"""How values are written: format in a field -> text."""
LISTING = frozenset({"list", "reprs", "and", "or", "nor", "ids", "lines", "steps", "linked", "count"})
"""Formats of several values; a text counts as one."""


# Reading input.

not_an_input = UsageError.message("""
    This input ({kind}) cannot be read: {why:clause}.
    → Give a path, Documents, Profiles, records, or an Arrow, pandas or polars table with the columns of `crossdoc
    formats`.""")
which_evidence = UsageError.message("""
    A comparison holds the evidence of every entity type, but only one type can be clustered at a time.
    → Pass compared[TYPE]; the types are {types:reprs}.""")
partition_of_others = UsageError.message("""
    The partition has {n:,} profiles, but other profiles were given ({profiles:,}).
    → Pass the profiles that were clustered, in the same order.""")
no_such_path = UsageError.message("There is no file or folder {path}. → Check the spelling, and the folder you are in.")
nothing_to_read = InputError.message("""
    {path} holds no document that crossdoc can read.
    → It looks for {endings:list} (also with .gz, .xz, .bz2 or .zst, and in .zip and .tar); `crossdoc formats` shows
    them all.""")
only_tables = InputError.message("""
    {path} holds no text, HTML or office document, only tables such as {example}.
    → In a folder, crossdoc reads only documents, because a table may hold anything; name the table
    files themselves.""")
only_other_types = InputError.message("""
    Nothing is left to resolve: {left_out}.
    → Map the types, or leave the column out if all rows are of one kind.""")
no_records = InputError.message("{path} holds no {what}. → `crossdoc formats` shows what such a file must hold.")
other_columns = InputError.message("""
    {path} has no column {wanted:nor}. Columns found, separated by {separator!r}: {found:list}.
    → Map the columns, as in --columns name=author,context=title; `crossdoc formats` names all fields.""")
not_a_file = InputError.message("""
    {path} is a folder, a pipe or a device, but a file was expected.
    → Save its output to a file first, because crossdoc reads some files twice.""")
unknown_format = InputError.message("""
    {path}: crossdoc cannot tell what kind of file this is.
    → Give it one of the endings {endings:list}; `crossdoc formats` shows them with examples.""")
undecodable = InputError.message("""
    {path} is not text: {why}.
    → Convert it to UTF-8 text, or leave it out; nothing has been written.""")
unreadable = InputError.message("""
    {path} cannot be read: {why}.
    → Check that the file is complete and that you have permission to read it.""")
broken_line = InputError.message("{path}, line {line:,}: {why}. → Correct that line, or download the file again.")
needs_extra = UsageError.message("""
    {what} needs {package}, which is not installed.
    → python -m pip install 'crossdoc[{extra}]'""")
needs_package = UsageError.message("{what} needs {package}, which is not installed. → python -m pip install {package}")
bad_records = InputError.message("""
    {path}: {problems:count} with its records:{problems:lines}
    → `crossdoc formats` shows what each kind of file must hold.""")
no_known_list = UsageError.message("""
    {path} was resolved without a known list.
    → Resolve again with --known LIST (.csv, .jsonl, .parquet or another result, .crossdoc).""")
duplicate_ids = InputError.message("""
    {path}: several records have the same id: {ids:ids}.
    → Ids must be unique across all inputs; rename or remove the copies.""")
too_large = InputError.message("""
    {path} is one document of more than {limit:,} characters, which is the limit.
    → Split it into articles or chapters (one record each), or raise `max_document_characters` in the settings.""")
component_needs_answer = UsageError.message("""
    The spaCy component `crossdoc` has no answer to look in.
    → Name one: nlp.add_pipe('crossdoc', config={{'resolution': 'answer.crossdoc'}}).""")
other_graph = InputError.message("""
    {what} has no {missing}; it has {found:list}.
    → crossdoc reads tables of GraphRAG 3, and what LightRAG's `ainsert_custom_kg` takes; nothing was written.""")
no_graphrag_index = InputError.message("""
    {path} holds no index of GraphRAG.
    → Name the folder in which `graphrag index` ran, or its folder `output`.""")
no_such_column = UsageError.message("""
    The table of mentions has no column {name!r}; it has {found:list}.
    → Did you mean {near:or}?""")
no_name_column = UsageError.message("""
    The table of mentions has no column with the names; it has {found:list}.
    → Call the column one of {known:list}, or say which it is, as in columns={{'name': {near!r}}}.""")

# Requests and settings.

no_inputs = UsageError.message("There is nothing to resolve. → Name at least one folder or file.")
mixed_inputs = UsageError.message("""
    Documents and profiles cannot be resolved in one run: {paths:list}.
    → Run `crossdoc resolve` on the documents or on the profiles alone.""")
bad_settings = UsageError.message("""
    {where}:{problems:lines}
    → `crossdoc settings` prints every setting with its meaning.""")
unknown_setting = UsageError.message("""
    There is no setting {name!r}.
    → Did you mean {near!r}? `crossdoc settings` prints every setting with its meaning.""")
unknown_choice = UsageError.message("There is no {what} {name!r}. → Choose one of: {known:list}.")
unknown_parameter = UsageError.message("There is no parameter {name!r} here. → There are: {known:list}.")
not_usable_with = UsageError.message("{option} cannot be used with {what}. → Leave it out; it is for {others:list}.")
empty_name = UsageError.message("""
    --name is empty.
    → Give a name to look for, as in --name "John Smith", or leave --name out to resolve all of them.""")
empty_new_name = UsageError.message("""
    The new name is empty.
    → Give the new name of the identity; `crossdoc undo OUT.crossdoc N` undoes a rename.""")

# Extractors, languages and models.

unknown_extractor = UsageError.message("""
    There is no extractor {name!r}.
    → Installed (entry points of the group crossdoc.extractors): {installed:list}. Leave the setting `extractor` out to
    use crossdoc's own.""")
extractor_to_confirm = UsageError.message("""
    {path} was made with the extractor {extractor!r}.
    → If you trust it, name it again: `crossdoc add {path} MORE --extractor {extractor}`.""")
other_extractor = UsageError.message("""
    {path} was made without an extractor from elsewhere, and {extractor!r} was named.
    → Leave `--extractor` out, or resolve the documents again with `--set extractor=NAME:TEXT`.""")
bad_extraction = CrossdocError.message("""
    The extractor {name!r} does not follow the protocol:{problems:lines}
    → docs/extending/extractor.md says what an extractor must return.""")
part_failed = CrossdocError.message("""
    The {what} {name!r} failed: {why}.
    → Check or update it, ask its authors, or choose another.""")
documents_wanted = UsageError.message("""
    These are already profiles, but `crossdoc extract` reads documents: {paths:list}.
    → Give profiles to `crossdoc resolve`.""")
missing_model = UsageError.message("The language model {model!r} is not installed. → To install it: {remedy}.")
not_a_model = InputError.message("""
    {path} is not a crossdoc model:{problems:lines}
    → Leave --model out to use the model that comes with crossdoc.""")
old_model = InputError.message("""
    {what} has a model of an older crossdoc, which computed strengths differently.
    → Train it again with `crossdoc train`, or use the model that comes with crossdoc: leave --model out, and resolve
    again what was resolved with the old one.""")

# Results on file.

store_locked = StoreError.message("""
    {path} is open in another crossdoc process.
    → Wait until it has finished, or write to another file.""")
not_a_store = StoreError.message("""
    {path} is not a crossdoc result.
    → Make one with `crossdoc resolve … -o OUT.crossdoc`; an existing file of another kind is never overwritten.""")
damaged_store = StoreError.message("""
    {path} is damaged: {why}.
    → Restore it from a copy, or resolve the documents again into another file; the damaged one is left as it is.""")
cannot_open = StoreError.message("""
    {path} cannot be opened: {why}.
    → The file is unchanged. Correct that and try again, or work on a copy of it.""")
disk_failed = StoreError.message("""
    The disk failed while {path} was read or written: {why}.
    → Check the disk and its connection. The file has its former content or the new one, never a part of it.""")
foreign_store = StoreError.message("""
    {path} holds {what}, which crossdoc does not write: this file was changed or made by another program.
    → Do not trust it; ask whoever sent it for the documents, and resolve them yourself.""")
unexpected_content = StoreError.message("""
    {path} holds something that crossdoc does not expect ({kind}: {message}).
    → If another program has written to it, do not trust it. Otherwise run the command again with CROSSDOC_TRACEBACK=1
    in the environment and report what it prints.""")
query_too_long = StoreError.message("""
    A query of the file took more than {seconds:minutes} minutes and was stopped.
    → Try again when the machine is less busy; a file from a stranger may be designed to take forever.""")
bad_account = StoreError.message("""
    The settings that this result stores about its run cannot be read: {why}.
    → The file was changed by another program, or is damaged. Resolve again; `crossdoc judgements` still lists
    its log.""")
other_version = StoreError.message("""
    {path} has the file version {found}; this crossdoc reads versions up to {newest}.
    → Update crossdoc (python -m pip install --upgrade crossdoc), or use the version that wrote it; the file is
    unchanged. If it holds judgements, this lists them: crossdoc judgements {path}""")
unfinished = StoreError.message("""
    {path} does not exist, but an unfinished run of it does ({part}).
    → Run the same `crossdoc resolve` command again; it continues where it stopped.""")
cannot_write = CrossdocError.message("""
    {path} could not be written: {why}.
    → Free some space or choose another place; the previous file of that name is untouched.""")
written_but_unsafe = CrossdocError.message("""
    {path} was written and has replaced the previous file of that name, but then the disk failed: {why}.
    → Check the disk, and copy the new file to another one: it may not survive a power cut.""")
no_run = StoreError.message("""
    {path} does not say how it was made, so it cannot be changed in place.
    → Make it again with `crossdoc resolve … -o OUT.crossdoc`; its judgements are kept.""")

# Changes and judgements.

judgement_between_types = InputError.message("""
    {a!r} is a {one} and {b!r} a {other}: profiles of different types are never one identity.
    → Judge profiles of one type. If one has the wrong type, correct it in the profiles (`crossdoc extract` writes them)
    and resolve those.""")
other_kind_of_input = UsageError.message("""
    {path} was made from {made}, so nothing else can be added to it.
    → Give documents to a result of documents, and profiles (as `crossdoc extract` writes them) to one of profiles.""")
unknown_ids = InputError.message("""
    {path} has no such {what}: {ids:ids}.
    → `crossdoc export OUT.crossdoc` lists profiles and their documents; nothing was changed.""")
one_profile = UsageError.message("{id!r} cannot be compared with itself. → Name two profiles.")
nothing_to_merge = UsageError.message("""
    There is nothing to merge: {given:reprs} is already one identity.
    → Name two identities or more.""")
not_members = UsageError.message("""
    These profiles are not members of {identity!r}: {profiles:ids}.
    → `crossdoc export OUT.crossdoc` shows which profile belongs to which identity.""")
nothing_to_split = UsageError.message("""
    Nothing would be split from {identity!r}.
    → Name some, but not all, of its profiles.""")
nothing_left = UsageError.message("The collection would be empty. → Delete the file instead.")
bad_judgement = InputError.message("""
    That is not a judgement: {why}.
    → Name two profiles and say same or different, with a weight of 0 or more.""")
bad_span = InputError.message("""
    The mention {mention!r} goes from character {start} to {end}.
    → Count characters from 0, with the end after the last one.""")
empty_id = InputError.message("A {what} has an empty id. → Give each one its own id.")
bad_partition = InputError.message("""
    That is not a partition: {why}.
    → Give a row for each id, with memberships above 0 and up to 1.""")
only_looking = UsageError.message("""
    This page is read-only.
    → Start `crossdoc explore` without --read-only to correct it.""")
change_failed = CrossdocError.message("""
    crossdoc has a bug: {act} ended with {kind}: {message}.
    → The answer is unchanged; please report this and what you clicked.""")
contradicts_earlier = ConstraintError.message("""
    This contradicts earlier judgements.
    → Undo one of the earlier judgements, or leave it as it is.""")
worker_died = CrossdocError.message("""
    The process that was doing this ({act}) ended before it was done.
    → Check whether it is in the list of corrections, and repeat it if not; there may be too little memory.""")
page_is_closing = UsageError.message("""
    The explorer is shutting down; this was not done.
    → Repeat it when the explorer is running again.""")
unknown_profiles = InputError.message("""
    {where} names profiles that do not exist: {ids:ids}.
    → `crossdoc export OUT.crossdoc --format csv` lists the ids.""")

# Methods and their options.

bad_clusterer = UsageError.message("""
    The method {name!r} of an installed package cannot be used: {why}.
    → Choose another method, or update or remove the package; docs/extending/clusterer.md says what it needs.""")
unknown_estimator = UsageError.message("""
    No crossdoc method is a {name}.
    → Give the name of a method ({known:list}), an estimator of one of them, or register yours:
    docs/extending/clusterer.md.""")
not_an_assignment = UsageError.message("""
    --set takes KEY=VALUE or METHOD.KEY=VALUE, not {assignment!r}.
    → Examples: --set window=200, --set karc.variant=paper; `crossdoc settings` lists all keys.""")
not_columns = UsageError.message("""
    --columns takes FIELD=COLUMN pairs separated by commas, not {columns!r}.
    → Example: --columns name=author,context=title""")
too_many = CrossdocError.message("""
    {n:,} {what} are too many for {method}, which takes at most {limit:,}.
    → Use {others:or}, or narrow the input, as with --type or --name.""")
one_of_two = UsageError.message("{first} and {second} cannot be given together. → Leave one of them out.")
no_such_evidence = UsageError.message("A graph has no {what}. → Choose a method that takes relations, or use resolve.")
binary_to_terminal = UsageError.message("""
    Parquet cannot be shown in a terminal.
    → Add -o FILE.parquet, or pipe the output into a program.""")
not_found = CrossdocError.message("""
    Nobody called {name!r} is in {store}.
    → `crossdoc show` without --find lists the largest identities.""")
nothing_extracted = InputError.message("""
    No {kind} was found in the input.
    → Check the text and the --type; documents in another language need that language's model.""")
bad_specialist = InputError.message("""
    The specialist {name!r} {what}.
    → A specialist gives one number in [0, 1] for each pair, or NaN to abstain.""")
nothing_to_undo = UsageError.message("""
    There is nothing to undo: no entry of the log is in force.
    → `crossdoc judgements` lists the log.""")
no_such_judgement = UsageError.message("""
    There is no judgement number {number}.
    → The log of judgements lists them with their numbers.""")

# Clustering and learning.

bad_similarities = InputError.message("""
    These similarities cannot be clustered: {why}.
    → Give a square, symmetric matrix of finite numbers, or Relations between rows 0 … n−1.""")
misfit = InputError.message("""
    {what} do not fit the {rows:,} rows: {why}.
    → Give them for these rows, one for each, in their order.""")
nothing_to_learn = InputError.message("""
    The gold labels {positive:,} pairs as one entity and {negative:,} as two; learning needs both kinds.
    → Check that the gold's ids are those of the profiles, and that some names are shared by several entities.""")
gold_missing = UsageError.message("""
    There is one input, but learning takes profiles followed by gold.
    → Give both; without gold, `crossdoc resolve` fits its model to the collection by itself.""")

# Scoring.

answer_without_columns = ScoreError.message("""
    There is no column {missing:nor}, only {found:list}.
    → Name the columns id and entity, and optionally membership and group.""")
not_an_answer = UsageError.message("""
    An answer or a gold standard cannot be a {kind}.
    → Give a path, a Partition, a mapping of id to entity, or a table with the columns id and entity.""")
uneven_columns = ScoreError.message("The columns id, entity and membership differ in length. → Give each row a value.")
uneven_labels = ScoreError.message("The two label arrays differ in shape. → Give each item one label in both.")
id_in_two_groups = ScoreError.message("The id {id} is in two groups. → Put the group into the id, as in NAME/RANK.")
needs_column = ScoreError.message("{what} needs a column {column}. → Add that column, or score without it.")
nothing_in_common = ScoreError.message("""
    The answer and the gold standard have no id in common.
    → Check how the ids are written in both.""")
empty_values = ScoreError.message("""
    The column {column} has {count:,} empty values.
    → Fill them, or leave those rows out.""")
partitions_only = ScoreError.message("""
    {measure} is defined for partitions only, and some ids belong to several entities.
    → Give each id one entity, or use purity or extended B-cubed.""")

# Contexts and correlation clustering.

bad_criterion_values = InputError.message("""
    The values of a criterion must be a list of finite numbers, one for each number of clusters.
    → Give them in the order k = 1, 2, 3, …""")
bias_below_default = InputError.message("""
    A pair that was not compared has the strength {default:g}, above the bias {bias:g}: all {n:,} rows attract each
    other, which can be written out for at most {limit:,} rows.
    → Give a bias above default_strength, or missing='sparse'.""")
must_and_cannot = ConstraintError.message("""
    Rows {a} and {b} are constrained both to be one entity and to be two.
    → Remove one of the two constraints.""")
one_of_a_group = ConstraintError.message("""
    Rows {a} and {b} must be one entity, but both are in the group {group!r}, and a cluster holds at most one row of a
    group.{chain:linked}
    → Remove a constraint, or give one of the rows another group.""")
bad_rows = InputError.message("""
    These vectors cannot be clustered: {why}.
    → Give one row of finite numbers for each context, dense or sparse.""")

# Crosslingual links.

unknown_language = InputError.message("""
    {where}: {language!r} is not a language code.
    → Give an ISO 639-1 code, such as en or pt.""")
output_is_input = UsageError.message("{path} is both read and written. → Give the output another name.")
other_kind = UsageError.message("""
    {path} contains {found}, and {wanted} would overwrite it.
    → Give the output another name, or add --force if that file may be overwritten.""")
linked_within_language = ConstraintError.message("""
    The constraints say that {a} and {b} are the same, but both are in {language}, and a cluster holds at most one group
    of each language.{chain:linked}
    → Merge the two groups into one record, or remove the constraint.""")
cannot_translate = UsageError.message("""
    The translator {translator} does not know the language {language!r}.
    → Leave that language untranslated, or give a translator that knows it.""")
no_such_translator = UsageError.message("""
    There is no translator {name!r}, and no file or folder of that name.
    → Give none, apertium, or a dictionary (de-en.tsv, freedict-deu-eng.dict.dz); LANGUAGE=PATH says which language it
    is from.""")
no_apertium = UsageError.message("""
    Apertium is not installed.
    → On Debian or Ubuntu: apt-get install apertium apertium-eng-spa (and further pairs); or use --translator none.""")
dictionary_without_language = UsageError.message("""
    {path}: the name does not say which language it translates from.
    → Add the language, as in --translator de=PATH, or name the file like de-en.tsv or freedict-deu-eng.dict.dz.""")
needs_option = UsageError.message("{option} needs {other}. → Add {other}, or leave {option} out.")

# Corpora.

same_output = UsageError.message("Two of the outputs are the same file. → Give each one its own name.")

# Fuzzy clustering.

more_clusters_than_rows = UsageError.message("""
    {clusters:,} clusters were requested, but there are only {rows:,} rows (counting linked rows once).
    → Ask for fewer clusters, or leave the number out to have it found.""")
bad_parameter = UsageError.message("""
    {name} is {value!r}, but must be {wanted}.
    → Change it, or leave it out for the default.""")

# Sampling and bags.

bad_vectors = InputError.message("""
    These vectors cannot be sampled over: {why}.
    → Give crossdoc.model.Vectors or a matrix with one row per mention; a row of zeros is an empty context.""")
former_import = UsageError.message("""
    crossdoc.{name} has moved, and will not be found here from version 0.3 on.
    → Use {home}.{name}.""")
not_words = InputError.message("""
    These vectors cannot be clustered by bags: they have negative numbers, or mostly numbers other than 0.
    → Give rows of word counts or weights, one per mention, or use SamplingClustering (--method sampling).""")
not_a_checkpoint = InputError.message("""
    {path} is not a checkpoint of a sampling run: {why}.
    → Leave --resume out to start over; it is then replaced.""")
other_checkpoint = UsageError.message("""
    {path} is the checkpoint of {whose}.
    → Give the input and settings it was made with, or another checkpoint file, or leave --resume out.""")
too_little_memory = CrossdocError.message("""
    Sampling over {rows:,} mentions needs about {needed:GB}, and {available:GB} are free.
    → Free some memory, or use fewer mentions or shorter contexts; nothing has been started.""")

# Contexts of one name.

no_target = InputError.message("""
    {path}: {count:,} contexts have no target marked, but this option counts words near the target.
    → Mark it with `start` and `end` or <head> … </head>, or leave --window and --vectors target out.""")
whose_profiles = UsageError.message("""
    {path} holds profiles of several names: {names:ids}.
    → Say with --name whose to cluster.""")
only_for = UsageError.message("{option} is for {what}, which this input is not. → Leave it out.")

# Commands and the explorer.

beyond_the_end = UsageError.message("""
    There is no page at {offset:,}: there are {total:,} rows.
    → Ask for an offset below the number of rows.""")
cannot_listen = UsageError.message("""
    The explorer cannot listen on {host}, port {port}: {why}.
    → Leave --host out to use it on this machine only, or give an address of this machine and a port from 1024.""")
no_free_port = UsageError.message("""
    All ports from {first} to {last} on {host} are in use.
    → Choose another one with --port.""")
page_failed = CrossdocError.message("""
    This page could not be shown: {why}.
    → Load it again. If that does not help, report it and what you did, and continue with another page.""")

missing_specialists = InputError.message("""
    The model uses specialists that are not installed: {names:list}.
    → Install the package that brings them, or train a model without them (`crossdoc train`).""")
one_language = InputError.message("""
    The groups ({groups:,}) are in one language ({language}), so there is nothing to link.
    → Give groups in at least two languages; within a language, use `crossdoc resolve`.""")
strengths_wanted = InputError.message("""
    Negative values in data, or values above 1, are no strengths: they go from {low:g} to {high:g}, outside [0, 1].
    → Scale them (1 is surely one entity, 0 surely two); signed weights are for --method correlation.""")

# Engines and folders.

no_cluster = CrossdocError.message("""
    No Ray cluster can be used at {address}: {why:clause}.
    → `ray status --address ADDRESS` shows whether it is running. All nodes need the versions of Ray and Python that
    this process has. Without --address one is started on this machine.""")
node_unusable = CrossdocError.message("""
    The node {node} cannot be used: {why}.
    → Install the same versions there as here, free or add memory, or leave it out: `ray stop` on it.""")
workers_die = CrossdocError.message("""
    The workers of one task have died: {why:clause}.
    → The usual cause is too little memory: use larger nodes, fewer tasks per node (`ray start --num-cpus …`) or more
    partitions (--set sampling.partitions=…).""")
not_finite = CrossdocError.message("""
    After round {rounds:,}, {what} are not a number: crossdoc has a bug.
    → Nothing was written. Please report it with the command; --method mean-max-linkage does without bags.""")
several_files = UsageError.message("The format {format} is several files. → Name a folder for them: -o FOLDER.")
already_there = UsageError.message("{path} already exists. → Choose another name, or remove it first.")


# Messages that depend on their arguments.


def which_identity(id: str, found: Sequence[str]) -> UsageError:
    if not found:
        return UsageError(
            f"There is no identity {id!r}.", "`crossdoc show OUT.crossdoc --find NAME` shows identities with their ids."
        )
    return UsageError(
        f"The identity {id!r} is now several: {', '.join(found[:10])}.",
        "Name one of them; `crossdoc history` shows what happened.",
    )


def contradiction(chain: Sequence[object]) -> ConstraintError:
    error = ConstraintError(
        f"These judgements cannot all be true:\n{_steps(chain)}",
        "Change the constraints, or undo one: `crossdoc undo OUT.crossdoc N`.",
    )
    error.chain = chain
    return error
