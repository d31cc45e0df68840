"""The commands that change a result, `add` to `undo`, and `review`, which lists what to judge."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from rich.markup import escape

from crossdoc import errors
from crossdoc.cli import ui

Who = Annotated[str, ui.option("Name of the person who judges.")]
Why = Annotated[str, ui.option("Reason.")]
ChangesAsJson = Annotated[bool, ui.option("Print what changed as JSON.", "--json")]
IdentityId = Annotated[str, ui.argument("An identity's id.", "ID")]
MOST_EVENTS = 20
"""Events. The others are counted only."""


def add(
    store: ui.Result,
    inputs: Annotated[list[Path], ui.argument("Folders or files, as for `resolve`.", "MORE…")],
    extractor: Annotated[
        str | None, ui.option("The extractor of the run, if it was given more than its name.", metavar="NAME:TEXT")
    ] = None,
    as_json: ChangesAsJson = False,
) -> None:
    """Add documents to a result: only new ones are read, and only the identities they affect are clustered again.

    A document whose text has changed is replaced; one with the same text is skipped. The settings and the method are
    those of the run that made the result.

    Example:  crossdoc add articles.crossdoc this-week/
    """
    with ui.open_result(store) as resolution, ui.ShownProgress(quiet=True) as progress:
        change = resolution.add(*inputs, progress=progress, extractor=extractor)
    done = f"{change.added:,} added, {change.replaced:,} replaced, {change.clustered:,} profiles clustered again."
    print_change(change, as_json, done)


def remove(
    store: ui.Result,
    documents: Annotated[list[str], ui.argument("Ids of documents.", "DOCUMENT…")],
    as_json: ChangesAsJson = False,
) -> None:
    """Remove documents from a result. Identities that only these documents mention vanish.

    For a result that was made from profiles, give the ids of profiles.

    Example:  crossdoc remove articles.crossdoc a7.txt a9.txt
    """
    with ui.open_result(store) as resolution:
        change = resolution.remove(*documents)
    print_change(change, as_json, f"{change.removed:,} removed, {change.clustered:,} profiles clustered again.")


def judge(
    store: ui.Result,
    verdict: Annotated[str, ui.argument("", "same|different")],
    a: Annotated[str, ui.argument("A profile's id.", "A")],
    b: Annotated[str, ui.argument("Another profile's id.", "B")],
    who: Who = "",
    why: Why = "",
    as_json: ChangesAsJson = False,
) -> None:
    """Judge two profiles to be the same entity or different ones; this takes effect at once.

    The judgement is added to the log, and later runs respect it. `crossdoc undo` undoes it.

    Example:  crossdoc judge articles.crossdoc different a1.txt:0:10 a7.txt:31:41 --who Ada --why "another birthday"
    """
    from crossdoc.model import VERDICTS

    if verdict not in VERDICTS:
        raise errors.unknown_choice("verdict", verdict, VERDICTS)
    with ui.open_result(store) as resolution:
        print_change(resolution.judge(a, b, verdict, who=who, why=why), as_json)  # type: ignore[arg-type]


def merge(
    store: ui.Result,
    identities: Annotated[list[str], ui.argument("Ids of identities.", "ID ID…")],
    who: Who = "",
    why: Why = "",
    as_json: ChangesAsJson = False,
) -> None:
    """Merge identities into one; this takes effect at once.

    All their profiles are judged to be the same, in one entry of the log.

    Example:  crossdoc merge articles.crossdoc a1.txt:0:10 a7.txt:31:41 --who Ada
    """
    with ui.open_result(store) as resolution:
        print_change(resolution.merge(*identities, who=who, why=why), as_json)


def split(
    store: ui.Result,
    identity: IdentityId,
    profiles: Annotated[list[str], ui.argument("Ids of some of its profiles.", "PROFILE…")],
    who: Who = "",
    why: Why = "",
    as_json: ChangesAsJson = False,
) -> None:
    """Split some profiles of an identity off into one of their own; this takes effect at once.

    They are judged to be the same as each other and different from the rest, in one entry of the log.

    Example:  crossdoc split articles.crossdoc a1.txt:0:10 a7.txt:31:41 a9.txt:5:15 --why "the other John Smith"
    """
    with ui.open_result(store) as resolution:
        print_change(resolution.split(identity, profiles, who=who, why=why), as_json)


def rename(
    store: ui.Result,
    identity: IdentityId,
    name: Annotated[str, ui.argument("The new name.", "NAME")],
    who: Who = "",
    why: Why = "",
    as_json: ChangesAsJson = False,
) -> None:
    """Give an identity another name.

    Example:  crossdoc rename articles.crossdoc a1.txt:0:10 "John F. Smith, Jr."
    """
    with ui.open_result(store) as resolution:
        print_change(resolution.rename(identity, name, who=who, why=why), as_json)


def undo(
    store: ui.Result,
    entry: Annotated[int | None, ui.argument("Number of the entry (default: the last one).", "[ENTRY]")] = None,
    who: Who = "",
    why: Why = "",
    as_json: ChangesAsJson = False,
) -> None:
    """Undo a judgement, merge, split or rename; this takes effect at once.

    Nothing is ever deleted from the log: undoing adds an entry.

    Example:  crossdoc undo articles.crossdoc 3 --why "wrong photograph"
    """
    with ui.open_result(store) as resolution:
        change = resolution.undo(entry, who=who, why=why)
    print_change(change, as_json, f"Entry {change.entry} of the log no longer holds.")


def print_change(change: Any, as_json: bool, message: str = "") -> None:
    """Print how a change altered the answer; by default it begins with the number of its entry in the log."""
    if as_json:
        events = [
            {"id": event.id, "what": event.what, "other": event.other, "profiles": event.profiles}
            for event in change.events
        ]
        counts = {name: getattr(change, name) for name in ("entry", "clustered", "added", "replaced", "removed")}
        ui.print_json({**counts, "events": events, "notes": change.notes})
        return
    ui.notes(change.notes)
    if message or change.entry is not None:
        ui.status(escape(message or f"Entry {change.entry} of the log."))
    for event in change.events[:MOST_EVENTS]:
        ui.line(escape(str(event)))
    if len(change.events) > MOST_EVENTS:
        ui.out.print(f"[dim]… and {len(change.events) - MOST_EVENTS:,} more; crossdoc history lists all.[/]")
    if not change.events:
        ui.out.print("The identities did not change.")


def review(
    store: ui.Result,
    top: Annotated[int, ui.option("Maximum number of pairs.", min=1)] = 10,
    as_json: ui.AsJson = False,
) -> None:
    """List the pairs whose answer would change most; `crossdoc explore` asks about them one by one.

    They are ordered by expected change: the probability that the present answer is wrong times the number of mentions
    that would move. `crossdoc why` explains a pair, and `crossdoc judge` answers it.

    Example:  crossdoc review articles.crossdoc
    """
    from crossdoc.run.review import Review

    with ui.open_result(store) as resolution:
        with ui.ShownProgress(quiet=as_json) as progress:
            asking = Review(resolution, progress=progress)
        found = asking.questions(top)
        shown = resolution.store.profiles([id for asked in found for id in (asked.a, asked.b)])
    if as_json:
        ui.print_json([asdict(asked) for asked in found])
        return
    if asking.left_out:
        ui.notes([f"{asking.left_out:,} profiles are in parts that are too large to search for questions"])
    places = {profile.id: f"{profile.name} in {profile.document}" for profile in shown}
    for asked in found:
        so_far = "one" if asked.joined else "two"
        sides = f"[bold]{escape(places[asked.a])}[/] and [bold]{escape(places[asked.b])}[/]"
        ui.line(f"{sides}: {so_far} so far, {asked.wrong:.0%} likely to be wrong")
        ui.line(f"  [dim]{escape(asked.a)} {escape(asked.b)}[/]")
    if not found:
        ui.out.print("There are no questions.")
