"""Every message a user can be shown, in one place: what is wrong, where, and what to do next.

A function makes each message, so that mypy checks that none lacks its facts. `exit_code` is what the command returns:
1 when the work failed, 2 when crossdoc was asked for something it cannot mean.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike

AnyPath = str | PathLike[str]


class CrossdocError(Exception):
    """Something a user can mend. `what` says what is wrong and where, `hint` what to do."""

    exit_code = 1

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(what if not hint else f"{what}\n{hint}")
        self.what = what
        self.hint = hint


class UsageError(CrossdocError):
    exit_code = 2


class InputError(CrossdocError):
    """Data that cannot be read as it is."""


class ScoreError(InputError):
    """An answer or a gold standard that cannot be scored as asked."""


class StoreError(CrossdocError):
    """A .crossdoc file that cannot be opened or written."""


class ConstraintError(CrossdocError):
    """Judgements that cannot all be true."""


def _listed(problems: Iterable[str], most: int = 20) -> str:
    lines = list(problems)
    more = [f"… and {len(lines) - most:,} more"] if len(lines) > most else []
    return "\n".join(f"  - {line}" for line in [*lines[:most], *more])


def no_such_path(path: AnyPath) -> UsageError:
    return UsageError(f"There is no file or folder {path}.", "Check the spelling, and the folder you are in.")


def nothing_to_read(path: AnyPath, endings: Sequence[str]) -> InputError:
    return InputError(
        f"{path} holds no document that crossdoc can read.",
        f"It looks for {', '.join(endings)} (also with .gz, .xz or .zst); `crossdoc formats` shows them all.",
    )


def only_tables(path: AnyPath, example: str) -> InputError:
    return InputError(
        f"{path} holds no text or HTML, only tables such as {example}.",
        "In a folder crossdoc reads text and HTML alone, since a table may be anything; name the tables themselves.",
    )


def no_records(path: AnyPath, what: str) -> InputError:
    return InputError(f"{path} holds no {what}.", "`crossdoc formats` shows what such a file must hold.")


def not_a_file(path: AnyPath) -> InputError:
    return InputError(
        f"{path} is a folder, a pipe or a device, and a file was expected.",
        "Save what it gives to a file first, since crossdoc reads some files twice.",
    )


def unknown_format(path: AnyPath, endings: Sequence[str]) -> InputError:
    return InputError(
        f"{path}: crossdoc cannot tell what kind of file this is.",
        f"Give it one of the endings {', '.join(endings)}; `crossdoc formats` shows them with examples.",
    )


def undecodable(path: AnyPath, why: str) -> InputError:
    return InputError(
        f"{path} is not text: {why}.",
        "Convert it to UTF-8 text, or leave it out; nothing has been written.",
    )


def unreadable(path: AnyPath, why: str) -> InputError:
    return InputError(f"{path} cannot be read: {why}.", "Check that the file is whole and that you may read it.")


def bad_records(path: AnyPath, problems: Sequence[str]) -> InputError:
    word = "problem" if len(problems) == 1 else "problems"
    return InputError(
        f"{path}: {len(problems):,} {word} with its records:\n{_listed(problems)}",
        "`crossdoc formats` shows what each kind of file must hold.",
    )


def duplicate_ids(path: AnyPath, ids: Sequence[str]) -> InputError:
    return InputError(
        f"{path}: the same id stands for more than one record: {', '.join(map(repr, ids[:10]))}"
        + (f" and {len(ids) - 10:,} more." if len(ids) > 10 else "."),
        "Ids must be unique over all inputs; rename or remove the copies.",
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


def unknown_method(name: str, known: Sequence[str]) -> UsageError:
    return UsageError(f"There is no method {name!r}.", f"Choose one of: {', '.join(known)}.")


def unknown_choice(what: str, name: str, known: Sequence[str]) -> UsageError:
    return UsageError(f"There is no {what} {name!r}.", f"Choose one of: {', '.join(known)}.")


def name_needs_documents() -> UsageError:
    return UsageError("--name looks for a name in documents, and these are profiles.", "Leave --name out.")


def name_needs_profiles(corpus: str) -> UsageError:
    return UsageError(
        f"--name picks out one name's profiles, and the corpus {corpus!r} has documents.",
        "Leave --name out here, and give it to `crossdoc resolve`.",
    )


def no_gold(corpus: str) -> UsageError:
    return UsageError(f"The corpus {corpus!r} has no gold of who is who.", "Leave --gold out.")


def unknown_extractor(name: str, installed: Sequence[str]) -> UsageError:
    return UsageError(
        f"There is no extractor {name!r}.",
        f"Installed (entry points of the group crossdoc.extractors): {', '.join(installed) or 'none'}. "
        "Leave the setting `extractor` out to use crossdoc's own.",
    )


def extractor_failed(name: str, why: str) -> CrossdocError:
    return CrossdocError(f"The extractor {name!r} failed: {why}.", "Ask those who made it, or choose another.")


def bad_extraction(name: str, problems: Sequence[str]) -> CrossdocError:
    return CrossdocError(
        f"The extractor {name!r} does not keep to its protocol:\n{_listed(problems)}",
        "docs/own-extractor.md says what an extractor has to give.",
    )


def documents_wanted(paths: Sequence[str]) -> UsageError:
    return UsageError(
        f"These are profiles already, and `crossdoc extract` reads documents: {', '.join(paths)}.",
        "Give profiles to `crossdoc resolve`.",
    )


def missing_model(model: str, remedy: str) -> UsageError:
    return UsageError(f"The language model {model!r} is not installed.", f"To mend it: {remedy}.")


def broken_model(model: str, why: str) -> CrossdocError:
    return CrossdocError(
        f"The language model {model!r} does not load: {why}.", "Install a version made for this version of spaCy."
    )


def not_a_model(path: AnyPath, problems: Sequence[str]) -> InputError:
    return InputError(
        f"{path} is not a crossdoc model:\n{_listed(problems)}",
        "Leave --model out to use the model that comes with crossdoc.",
    )


def store_locked(path: AnyPath) -> StoreError:
    return StoreError(
        f"{path} is open in another crossdoc.", "Wait until that one has finished, or write to another file."
    )


def not_a_store(path: AnyPath) -> StoreError:
    return StoreError(
        f"{path} is not a crossdoc result, or it is damaged.",
        "Make one with `crossdoc resolve … -o OUT.crossdoc`; an existing file of another kind is never overwritten.",
    )


def other_version(path: AnyPath, found: str, wanted: str) -> StoreError:
    return StoreError(
        f"{path} has the file version {found}; this crossdoc reads version {wanted}.",
        "Resolve the documents again, or use the crossdoc that wrote it (`crossdoc info` there says which).",
    )


def unfinished(path: AnyPath, part: AnyPath) -> StoreError:
    return StoreError(
        f"{path} does not exist, but an unfinished run of it does ({part}).",
        "Give the same `crossdoc resolve` command again: it goes on where it stopped.",
    )


def cannot_write(path: AnyPath, why: str) -> CrossdocError:
    return CrossdocError(
        f"{path} could not be written: {why}.",
        "Free some space or choose another place; what stood under that name before is untouched.",
    )


def contradiction(chain: Sequence[str]) -> ConstraintError:
    steps = "\n".join(f"  {number}. {step}" for number, step in enumerate(chain, 1))
    return ConstraintError(
        f"These judgements cannot all be true:\n{steps}",
        "Change the constraints, or take one back: `crossdoc judgements OUT.crossdoc --take-back N`.",
    )


def unknown_profiles(where: AnyPath, ids: Sequence[str]) -> InputError:
    shown = ", ".join(map(repr, ids[:10]))
    return InputError(
        f"{where} names profiles that are not there: {shown}" + (f" and {len(ids) - 10:,} more." if ids[10:] else "."),
        "`crossdoc export OUT.crossdoc --format csv` lists the ids.",
    )


def too_many_for_linkage(n: int, limit: int) -> CrossdocError:
    return CrossdocError(
        f"One block holds {n:,} profiles that may all be one entity; this method takes at most {limit:,}.",
        "Use --method single-linkage, which has no such limit, or narrow the input with --type or --name.",
    )


def one_of_two(first: str, second: str) -> UsageError:
    return UsageError(f"{first} and {second} cannot be given together.", "Leave one of them out.")


def needs_output(option: str) -> UsageError:
    return UsageError(f"{option} needs -o, since the labels go to standard output otherwise.", "Add -o FILE.csv.")


def signed_weights(path: AnyPath) -> UsageError:
    return UsageError(
        f"{path} holds signed weights, which are joined while they are above 0.",
        "Leave --threshold and --bias out, or give strengths in [0, 1] in a column `strength`.",
    )


def binary_to_terminal() -> UsageError:
    return UsageError("Parquet is not for a terminal.", "Add -o FILE.parquet, or pipe the output into a program.")


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


def no_such_judgement(number: int) -> UsageError:
    return UsageError(f"There is no judgement number {number}.", "The log of judgements lists them with their numbers.")


def bad_similarities(why: str) -> InputError:
    return InputError(
        f"These similarities cannot be clustered: {why}.",
        "Give a square, symmetric matrix of finite numbers, or Relations between rows 0 … n−1.",
    )


def bad_row_weights(why: str) -> InputError:
    return InputError(f"sample_weight does not fit: {why}.", "Give one positive, finite number for each row.")


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


def answer_without_columns(missing: Sequence[str], there: Sequence[str]) -> ScoreError:
    return ScoreError(
        f"There is no column {' and none '.join(missing)}, only {', '.join(there)}.",
        "Name the columns id and entity, and optionally membership and group.",
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
    return ScoreError("The answer and the gold standard have no id in common.", "Check how both spell their ids.")


def empty_values(column: str, count: int) -> ScoreError:
    return ScoreError(f"The column {column} has {count:,} empty values.", "Fill them, or leave those rows out.")


def partitions_only(measure: str) -> ScoreError:
    return ScoreError(
        f"{measure} is defined for partitions only, and some ids belong to several entities.",
        "Give each id one entity, or use purity or extended B-cubed.",
    )
