"""The commands that change a result: `add`, `remove`, `judge`, `merge`, `split`, `rename`, `undo` and `review`."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from crossdoc import errors
from crossdoc.cli import ui

if TYPE_CHECKING:
    from crossdoc.model import Verdict
    from crossdoc.run.resolution import Resolution
    from crossdoc.run.review import Asked, Review

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


ANSWER_KEYS = {"s": "same", "d": "different", "k": "skip", "u": "undo", "q": "quit"}
OTHER_KEYS = {" ": "k", "\r": "k", "\n": "k", "\x03": "q", "\x04": "q", "\x1b": "q"}
"""Other keys with the same effect."""
SIDE_CHARACTERS = 700
FELLOWS = 3
VERDICT_OF_KEY: dict[str, Verdict] = {"s": "same", "d": "different"}


def review(
    store: ui.Result,
    who: Annotated[str, ui.option("Name of the person who answers.")] = "",
    top: Annotated[int | None, ui.option("Maximum number of questions.", min=1)] = None,
    as_json: Annotated[bool, ui.option("Print the questions as JSON instead of asking them.", "--json")] = False,
) -> None:
    """Ask about the pairs whose answer would change most: s same, d different, k skip, u undo, q quit.

    Pairs are ordered by expected change: the probability that the present answer is wrong times the number of profiles
    that would move. Each answer is a judgement that takes effect at once and stays in the log; `crossdoc undo`
    undoes it.

    Example:  crossdoc review articles.crossdoc --who Ada
    """
    from crossdoc.run.review import Review

    with ui.open_result(store) as resolution:
        with ui.ShownProgress(quiet=as_json) as progress:
            asking = Review(resolution, who, progress)
        if as_json:
            ui.print_json([asdict(asked) for asked in asking.questions(top)])
            return
        if asking.left_out:
            ui.notes([f"{asking.left_out:,} profiles are in parts that are too large to search for questions"])
        _ask(asking, top)


def _ask(asking: Review, top: int | None) -> None:
    count = 0
    while top is None or count < top:
        asked = asking.next()
        if asked is None:
            ui.out.print("There are no more questions.")
            break
        _show(asking, asked, count + 1)
        key = _key()
        while key not in ANSWER_KEYS or (key == "u" and not asking.answered):
            ui.err.print("Nothing has been answered in this review yet." if key == "u" else _keys())
            key = _key()
        if key == "q":
            break
        count += _done(asking, asked, key)
    count = len(asking.answered)
    ui.out.print(f"{count:,} {'answer is' if count == 1 else 'answers are'} in the log.")


def _done(asking: Review, asked: Asked, key: str) -> int:
    """Apply a key; return by how much the number of questions grows."""
    if key == "k":
        asking.skip(asked)
        return 1
    try:
        change = asking.undo() if key == "u" else asking.answer(asked, VERDICT_OF_KEY[key])
    except errors.ConstraintError as error:
        ui.complain(error.what, error.hint)
        asking.skip(asked)
        return 1
    ui.notes(change.notes)
    for event in change.events[:5]:
        ui.line(f"  {escape(str(event))}")
    if not change.events:
        ui.out.print("  The identities did not change.")
    return -1 if key == "u" else 1


def _keys() -> str:
    return " · ".join(f"{key} {meaning}" for key, meaning in ANSWER_KEYS.items())


def _key() -> str:
    """Return a key of the terminal, or the first letter of the next piped line; at its end, quit."""
    if sys.stdin.isatty():
        key = typer.getchar() or "q"
    else:
        line = sys.stdin.readline()
        key = line.strip()[:1] or ("k" if line else "q")
    return OTHER_KEYS.get(key[0], key[0].lower())


def _show(asking: Review, asked: Asked, number: int) -> None:
    so_far = "one so far" if asked.joined else "two so far"
    ui.out.rule(f"question {number}: are these one? ({so_far}, {asked.wrong:.0%} likely to be wrong)")
    sides = Table(box=None, show_header=False, expand=True, padding=(0, 1))
    sides.add_column(ratio=1)
    sides.add_column(ratio=1)
    resolution = asking.resolution
    own = resolution.store.entity_of([asked.a, asked.b])
    sides.add_row(*(_side(resolution, id, own[id]) for id in (asked.a, asked.b)))
    ui.out.print(sides)
    evidence = ui.table(show_header=False)
    for opinion in asking.explain(asked).opinions:
        if opinion.score is not None:
            evidence.add_row(escape(opinion.specialist), f"{opinion.weight:+.2f}", escape(opinion.evidence))
    ui.out.print(evidence)
    ui.out.print(f"[dim]{_keys()}[/]")


def _side(resolution: Resolution, profile: str, entity: str) -> str:
    """Return the text to show for a profile: its document, its context, and other members of its identity."""
    from crossdoc.names.texts import make_snippet

    (shown,) = resolution.store.profiles(ids=[profile])
    identity = next((each for each in resolution.store.identities(entity) if each.id == entity), None)
    head = f"[bold]{escape(shown.name)}[/]" + (f" [italic]{escape(identity.descriptor)}[/]" if identity else "")
    lines = [
        head,
        f"[dim]{escape(shown.document)}[/]",
        escape(make_snippet(shown.context, shown.name, SIDE_CHARACTERS)),
    ]
    fellows = [row for row in resolution.store.members(entity, FELLOWS + 1) if row["profile"] != profile][:FELLOWS]
    lines += [
        f"[dim]with {escape(row['document'])}:[/] {escape(make_snippet(row['context'] or '', row['name'], 120))}"
        for row in fellows
    ]
    return "\n".join(lines)
