"""`crossdoc review`: uncertain pairs side by side; every answer is a judgement that takes effect at once."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from crossdoc import errors
from crossdoc.cli import ui

if TYPE_CHECKING:
    from crossdoc.model import Verdict
    from crossdoc.run.resolution import Resolution
    from crossdoc.run.review import Asked, Review

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
