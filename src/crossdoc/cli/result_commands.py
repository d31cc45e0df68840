"""The commands that look at a result: `show`, `why`, `info`, `history`, `judgements` and `known`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rich.markup import escape

from crossdoc import errors
from crossdoc.cli import ui

if TYPE_CHECKING:
    from crossdoc.model import Identity
    from crossdoc.store.judgement_log import Entry


def show(
    store: ui.Result,
    find: Annotated[str | None, ui.option("Only identities with this text in a name, or with this id.")] = None,
    top: Annotated[int, ui.option("Maximum number of identities.", min=1)] = 10,
    members: Annotated[int, ui.option("Maximum number of members of each identity.", min=0)] = 5,
    as_json: ui.AsJson = False,
) -> None:
    """Show identities: name, descriptor, variants, and members ranked by membership.

    Example:  crossdoc show articles.crossdoc --find "John Smith"
    """
    with ui.open_result(store) as resolution:
        found = resolution.identities(find, top, members)
        if not found and find is not None:
            raise errors.not_found(find, store)
        if as_json:
            ui.print_json([asdict(identity) for identity in found])
            return
        for identity in found:
            show_identity(identity)
        total = resolution.store.count("identities")
        if find is None and total > len(found):
            ui.out.print(f"[dim]… and {total - len(found):,} more; --top shows more, --find looks for a name.[/]")


def show_identity(identity: Identity) -> None:
    descriptor = f"  {escape(identity.descriptor)}" if identity.descriptor else ""
    ui.line(f"[bold]{escape(identity.name)}[/][italic]{descriptor}[/]")
    ui.line(f"  [dim]{escape(describe_counts(identity))} · {escape(identity.id)}[/]")
    others = [name for name in identity.variants if name != identity.name]
    if others:
        more = f" and {len(others) - 8} more" if len(others) > 8 else ""
        ui.line(f"  also: {escape(', '.join(others[:8]))}{more}")
    if identity.known is not None:
        ui.line(f"  known as {escape(identity.known)}, {identity.known_probability:.2f}")
    table = ui.table(show_header=False)
    table.add_column(justify="right", style="cyan", no_wrap=True)
    table.add_column(style="dim", overflow="fold", max_width=28)
    table.add_column(ratio=1)
    for member in identity.members:
        table.add_row(f"{member.membership:.2f}", escape(member.document), escape(member.snippet))
    if identity.members:
        ui.out.print(table)
    ui.out.print()


def describe_counts(identity: Identity) -> str:
    """Return the line below the name of an identity.

    >>> from crossdoc.model import Identity
    >>> describe_counts(Identity("a", "A", "person", "", {"A": 1}, 1, 3, "1996-01-14", "1996-01-14", 0.9))
    'person · 1 document · 3 mentions · 1996-01-14 · certainty 0.90'
    """
    dates = [date for date in dict.fromkeys((identity.first_date, identity.last_date)) if date]
    parts = [
        identity.type or "entity",
        f"{identity.n_documents:,} document" + ("" if identity.n_documents == 1 else "s"),
        f"{identity.n_mentions:,} mention" + ("" if identity.n_mentions == 1 else "s"),
        *([" – ".join(dates)] if dates else []),
        f"certainty {identity.certainty:.2f}",
    ]
    return " · ".join(parts)


def why(
    store: ui.Result,
    a: Annotated[str, ui.argument("A profile's id.", "A")],
    b: Annotated[str, ui.argument("Another profile's id.", "B")],
    as_json: ui.AsJson = False,
) -> None:
    """Explain why two profiles are one entity or two: the evidence, and how much each kind of it counted.

    `said` is the similarity, from 0 to 1; `means` is the probability of one entity from that alone; `counted` is what
    it added. By default that is in log odds: 0 changes nothing, +1 multiplies the odds of one entity by 2.7, −1 divides
    them by 2.7, and the strength is 1 / (1 + e^−sum). With a learned ensemble it is the specialist's
    part of the strength.

    Example:  crossdoc why articles.crossdoc a1.txt:0:10 a7.txt:31:41
    """
    with ui.open_result(store) as resolution:
        explanation = resolution.explain(a, b)
    if as_json:
        ui.print_json(asdict(explanation))
        return
    ui.out.print(f"strength [bold]{explanation.strength:.3f}[/]")
    figures = ("said", "means", "counted")
    table = ui.table("evidence", *figures, "", right=figures)
    for opinion in explanation.opinions:
        if opinion.score is None or opinion.probability is None:
            continue
        table.add_row(
            escape(opinion.specialist),
            f"{opinion.score:.2f}",
            f"{opinion.probability:.2f}",
            f"{opinion.weight:+.2f}",
            escape(opinion.evidence),
        )
    ui.out.print(table)
    asleep = [escape(opinion.specialist) for opinion in explanation.opinions if opinion.score is None]
    if asleep:
        ui.line(f"[dim]nothing to compare: {', '.join(asleep)}[/]")


def info(store: ui.Result, as_json: ui.AsJson = False) -> None:
    """Show what a result holds, and from which input and with which settings it was made.

    Example:  crossdoc info articles.crossdoc
    """
    from crossdoc.cluster.clusterer import SCOPES
    from crossdoc.cluster.methods import method_named

    with ui.open_store(store) as opened:
        sizes, runs, counted, size = opened.sizes(), opened.runs(), opened.meta("counted"), opened.size
        models = opened.meta("models")
    n_bytes = store.stat().st_size
    if as_json:
        described = [{**asdict(run), "settings": run.parsed_settings()} for run in runs]
        measured = None if counted is None else int(counted)
        more = {"measured_on": measured, "models": models, "runs": described}
        ui.print_json({"file": str(store), "bytes": n_bytes, **sizes, **more})
        return
    ui.out.print(f"[bold]{escape(str(store))}[/]  {n_bytes / 1e6:,.1f} MB")
    for name, count in sizes.items():
        ui.out.print(f"  {count:>12,} {name}")
    if models is not None:
        ui.line(f"  read with {escape(models)}")
    for run in runs:
        settings = run.parsed_settings()
        shown = "".join(run.inputs[:1]) + (f" and {len(run.inputs) - 1:,} more" if len(run.inputs) > 1 else "")
        ui.line(
            f"[bold]run[/] {run.started} – {run.finished}, crossdoc {run.version}, method {run.method}, seed {run.seed}"
        )
        if shown:
            ui.line(f"  input: {escape(shown)}")
        for note in run.notes:
            ui.line(f"  {escape(note)}")
        for line in _fitted_lines(settings):
            ui.line(f"  {escape(line)}")
        # The package that added the method may have been uninstalled.
        with suppress(errors.UsageError):
            scope = "type" if settings.get("name") else method_named(run.method).scope
            ui.line(f"  The method {escape(run.method)} {SCOPES[scope]}.")
    if counted is not None:
        texts = "documents" if sizes["documents"] else "profiles"
        ui.line(
            f"[bold]add[/] Similarity was calibrated on {int(counted):,} {texts} (now {size:,}); everything is "
            "compared again when their number has changed by a tenth. Counts of words and names are always up to date."
        )
        with suppress(errors.UsageError):
            for run in runs[-1:]:
                ui.line(f"  New {texts} {method_named(run.method).adds}.")


def _fitted_lines(settings: Mapping[str, Any]) -> list[str]:
    """Return what was fitted in a run, if its account says so."""
    learned = settings.get("learned")
    if not isinstance(learned, dict) or not learned.get("fitted"):
        return []
    from crossdoc.compare.fit import describe_fit
    from crossdoc.compare.learned import LearnedModel

    return describe_fit(LearnedModel.of(learned, "the run"))


def history(
    store: ui.Result,
    identity: Annotated[
        str | None, ui.argument("Only the identity with this id, which may be a former one.", "[ID]")
    ] = None,
    as_json: ui.AsJson = False,
) -> None:
    """Show which identities appeared, split, merged or vanished, when and why.

    Example:  crossdoc history articles.crossdoc a1.txt:0:10
    """
    with ui.open_result(store) as resolution:
        found = resolution.history(identity)
        successors = resolution.store.successors(identity) if identity is not None else []
        first = resolution.runs[0].finished if resolution.runs else ""
    if identity is not None and not found and not successors:
        raise errors.which_identity(identity, [])
    if as_json:
        ui.print_json([asdict(event) for event in found])
        return
    born = identity is not None and not any(e.id == identity and e.what in ("appeared", "split") for e in found)
    if born or not found:
        ui.out.print(f"[dim]{first}[/]  the first run" + (f": {escape(identity)} appeared" if identity else ""))
    for (when, cause), events in groupby(found, key=lambda event: (event.when, event.cause)):
        ui.line(f"[dim]{when}[/]  {escape(cause)}")
        for event in events:
            ui.line(f"  {escape(str(event))}")
    if identity is not None and successors != [identity]:
        ui.line(f"Now: {escape(', '.join(successors) or 'nobody')}")


def judgements(
    store: ui.Result,
    unmatched: Annotated[bool, ui.option("Only entries whose profiles can no longer be found.", "--unmatched")] = False,
    as_json: ui.AsJson = False,
    output: Annotated[
        Path | None,
        ui.output_option("Write the judged pairs to .csv, .jsonl or .parquet; `--constraints` reads them."),
    ] = None,
    force: ui.Force = False,
) -> None:
    """List the judgements that are in force, with their numbers in the log.

    `crossdoc judge`, `merge`, `split` and `rename` add to the log; `crossdoc undo` undoes an entry. A file has
    them also in the words of nomenklatura and Aleph (positive, negative).

    Example:  crossdoc judgements articles.crossdoc --unmatched
    """
    if output is not None:
        from crossdoc.store.export_tables import judgement_table

        ui.check_outputs([output], [store], force=force)
        with ui.open_store(store) as opened:
            count = ui.write_table(judgement_table(opened, standing=True), output)
        ui.status(f"{count:,} rows in {escape(str(output))}")
        return
    if unmatched:
        with ui.open_store(store) as opened:
            lost = opened.located().unmatched
        if as_json:
            ui.print_json([{"number": entry.number, "act": entry.act, "lost": missing} for entry, missing in lost])
            return
        for entry, missing in lost:
            ui.line(f"{entry.number:>5}  {escape(str(entry))}; not found: {escape(', '.join(missing))}")
        if not lost:
            ui.out.print("All entries match their profiles.")
        return
    from crossdoc.store import Store

    standing = Store.entries_of(store)
    if as_json:
        ui.print_json(
            [{"number": entry.number, "act": entry.act, **row} for entry in standing for row in _rows_of(entry)]
        )
        return
    for entry in standing:
        strength = ""
        if len(entry.judgements) == 1:
            strength = ", hard" if entry.judgements[0].hard else f", soft {entry.judgements[0].weight:g}"
        reason = f": {entry.why}" if entry.why else ""
        ui.line(f"{entry.number:>5}  {escape(str(entry))}{strength}{escape(reason)}")
    if not standing:
        ui.out.print("No judgement is in force.")


def _rows_of(entry: Entry) -> list[dict[str, Any]]:
    if entry.act != "rename":
        return [asdict(judgement) for judgement in entry.judgements]
    return [{"a": entry.profile, "name": entry.name, "who": entry.who, "why": entry.why, "when": entry.when}]


def known(
    store: ui.Result,
    unmentioned: Annotated[bool, ui.option("Only entries that no document mentions.", "--unmentioned")] = False,
    as_json: ui.AsJson = False,
) -> None:
    """List the entries of the known list with their identities, or those that no document mentions.

    Example:  crossdoc known articles.crossdoc --unmentioned
    """
    with ui.open_store(store) as opened:
        if not opened.has_known:
            raise errors.no_known_list(store)
        entries = opened.known_entries()
        found: dict[str, list[dict[str, object]]] = {entry.id: [] for entry in entries}
        for identity in opened.identities():
            if identity.known is not None:
                facts = {"id": identity.id, "name": identity.name, "documents": identity.n_documents}
                found[identity.known].append({**facts, "probability": identity.known_probability})
    listed = [entry for entry in entries if not (unmentioned and found[entry.id])]
    if as_json:
        ui.print_json([{**asdict(entry), "identities": found[entry.id]} for entry in listed])
        return
    for entry in listed:
        own = [f"{each['name']} ({each['id']}), {each['probability']:.2f}" for each in found[entry.id]]
        ui.line(f"[bold]{escape(entry.name)}[/] {escape(entry.id)}: {escape('; '.join(own) or 'not mentioned')}")
    if not listed:
        ui.out.print("Every known entry is mentioned.")
