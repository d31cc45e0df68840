"""The overview page: sizes, certainty, largest identities, ambiguous names, the network, and the runs."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import partial
from typing import Any
from urllib.parse import urlencode

from nicegui import ui

from crossdoc.model.partition import Event
from crossdoc.store import Run
from crossdoc.store.views import Line, Network, Overview
from crossdoc.web.look import counted, kind
from crossdoc.web.pages.correction_dialogs import Sentence, events_with_sentences, show_event
from crossdoc.web.pages.layout import PAGE_PATIENCE, empty_collection, frame, on_new_version
from crossdoc.web.pages.search_page import CERTAIN, CERTAIN_WORDS
from crossdoc.web.parts import basics
from crossdoc.web.parts.basics import Later, link, listed, section, tag, time_of, type_word
from crossdoc.web.parts.network_graph import NetworkGraph, network, timeline
from crossdoc.web.session import Session, identity_url

NETWORK_IDENTITIES = 100
NETWORK_SIZE = (1120, 640)
"""Pixels; width and height."""
SURE_CLASSES = {"sure": 3, "fairly": 2, "unsure": 1}


def register(session: Session) -> None:
    @ui.page("/overview", response_timeout=PAGE_PATIENCE)
    async def overview() -> None:
        with frame(session, "Overview", "Overview", wide=True), tag("div", classes="x-stack"):
            tag("h1", session.path.stem, "x-title")
            later = Later()
            later.put(partial(_read_glance, session), partial(_glance, session), "24rem")
            later.put(partial(session.reader.network, NETWORK_IDENTITIES), _network, "30rem")
            later.put(partial(_read_made, session), _made, "12rem")
            await later.shown()
        on_new_version(session)


def _read_glance(session: Session) -> tuple[Overview, dict[str, int]]:
    levels = {level: session.reader.search(certainty=CERTAIN[level], limit=1).total for level in CERTAIN}
    return session.reader.overview(), levels


def _glance(session: Session, read: tuple[Overview, dict[str, int]]) -> None:
    found, levels = read
    sizes, facets, years = found.sizes, found.facets, [year for year, _ in found.facets.years]
    span = f" from {min(years)} to {max(years)}" if years else ""
    lede = tag("p", f"{counted(sizes['documents'], 'document')}{span}, and who is who in them.", "x-lede")
    lede.style("margin: -.4rem 0 .4rem")
    if not sizes["identities"]:
        empty_collection(session)
        return
    with tag("div", classes="x-figures"):
        basics.figure(sizes["documents"], "document")
        basics.figure(sizes["identities"], "identity", "identities")
        basics.figure(sizes["mentions"], "mention")
        basics.figure(sizes["judgements"], "judgement")
        if found.known:
            basics.figure(found.known, "in the known list", "in the known list")
    _certainty(levels)
    with tag("div", classes="x-grid x-plots"):
        with section("Types"):
            _bars((type_word(type), {"type": type or ""}, n, kind(type)) for type, n in facets.types)
        with section("Sizes", note="The number of documents of each identity."):
            ends = [*(low for low, _ in facets.sizes[1:]), None]
            _bars((_range(low, end), {"least": low}, n, "") for (low, n), end in zip(facets.sizes, ends, strict=True))
        with section("Over time", note="Identities by the year in which they first appear."):
            timeline([(str(year), n) for year, n in facets.years], "identity", "identities")
    with tag("div", classes="x-grid x-halves"):
        _ambiguous(found.ambiguous[:10])
        with section("Largest but unsure", note="Where checking pays off most."):
            listed(found.unsure[:8], _unsure, "All large identities are certain.")
    tag("h2", "The largest", "x-heading").style("margin-top: .6rem")
    basics.Lines(found.largest, "The largest identities")


def _unsure(line: Line) -> None:
    with tag("div", classes="x-line x-apart"):
        with tag("span"):
            link(line.name, identity_url(line.id), "x-name x-strong")
            tag("span", f" {line.descriptor}", "x-soft x-small")
        tag("span", counted(line.documents, "document"), "x-soft x-small x-number")


def _range(low: int, end: int | None) -> str:
    """Return sizes from `low` to below `end` in words.

    >>> _range(3, 5), _range(2, 3), _range(50, None), _range(1, None)
    ('3–4', '2', '50 or more', '1')
    """
    if end is None:
        return f"{low:,} or more" if low > 1 else f"{low:,}"
    return f"{low:,}" if end == low + 1 else f"{low:,}–{end - 1:,}"


def _bars(rows: Iterable[tuple[str, dict[str, Any], int, str]]) -> None:
    """Show rows of label, search, number and class of the colour as bars that are links."""
    shown = list(rows)
    most = max((n for _, _, n, _ in shown), default=1) or 1
    with tag("ul", classes="x-counts"):
        for label, search, n, colour in shown:
            with tag("li"), tag("a", href=f"/?{urlencode(search)}"):
                tag("span", label)
                with tag("span", classes=f"x-bar {colour}", aria_hidden="true"):
                    tag("i").style(f"width: {n / most:.1%}" + ("; background: var(--kind)" if colour else ""))
                tag("span", f"{n:,}", "x-number")


def _ambiguous(names: list[tuple[str, int, int]]) -> None:
    with section("Most ambiguous names", note="One name, several people, organisations or places."):
        if not names:
            basics.remark("Every name belongs to one identity.")
            return
        with tag("table", classes="x-table"):
            with tag("thead"), tag("tr"):
                for title, classes in (("Name", ""), ("Identities", "x-number"), ("Documents", "x-number")):
                    tag("th", title, classes, scope="col")
            with tag("tbody"):
                for name, identities, documents in names:
                    with tag("tr"):
                        with tag("td"):
                            link(name, "/?" + urlencode({"q": name}), "x-name")
                        tag("td", f"{identities:,}", "x-number")
                        tag("td", f"{documents:,}", "x-number")


def _certainty(levels: dict[str, int]) -> None:
    total = sum(levels.values()) or 1
    with section("How sure", note="Whether each identity is one, and complete."):
        with tag("div", classes="x-stacked", aria_hidden="true"):
            for level, n in levels.items():
                if n:
                    tag("i", "", f"x-sure-{SURE_CLASSES[level]} x-bar").style(f"flex-grow: {n}")
        with tag("div", classes="x-line"):
            for level, n in levels.items():
                with tag("a", classes="x-chip", href=f"/?sure={level}"):
                    tag("span", CERTAIN_WORDS[level].lower(), f"x-sure-{SURE_CLASSES[level]}")
                    tag("small", f"{n:,}, {n / total:.0%}")


def _network(found: Network) -> None:
    if not found.nodes:
        return
    title = f"Who appears with whom: the {len(found.nodes)} largest"
    hint = "Larger dots are in more documents; lines join those that share documents. Click a dot to open it."
    with section(title, note=hint):
        with tag("div", classes="x-line x-small"):
            for type in dict.fromkeys(line.type for line in found.nodes):
                basics.type_chip(type)
        with tag("div", classes="x-pan", tabindex="0", role="region", aria_label="Network"):
            NetworkGraph("Network of the largest identities", NETWORK_SIZE, *network(found, *NETWORK_SIZE))


def _read_made(session: Session) -> tuple[Overview, list[tuple[Event, Sentence]]]:
    found = session.reader.overview()
    return found, events_with_sentences(session, found.changes)


def _made(read: tuple[Overview, list[tuple[Event, Sentence]]]) -> None:
    found, changes = read
    with tag("div", classes="x-grid x-halves"):
        with section("Left out, and why", note="Notes of the last run."):
            listed(found.left_out, partial(tag, "span"), "Nothing was left out.", "x-rows x-small")
        with section("Latest changes"):
            listed(changes, show_event, "Nothing has been corrected or added yet.", "x-rows x-small")
    with section("How it was made"):
        for run in found.runs:
            _run(run)


def _run(run: Run) -> None:
    with tag("details", classes="x-folding"):
        with tag("summary"):
            tag("span", time_of(run.started), "x-strong")
            tag("span", f"{run.method} · crossdoc {run.version}", "x-soft x-small")
        with tag("dl", classes="x-facts x-small"):
            rows = {"Read": ", ".join(run.inputs), "Finished": time_of(run.finished), "Seed": run.seed}
            for key, value in {**rows, **_plain(run.settings)}.items():
                tag("dt", key)
                tag("dd", str(value))


def _plain(settings: str) -> dict[str, Any]:
    """Return the settings of a run as text, without the learned model."""
    try:
        chosen = json.loads(settings)
    except ValueError:
        return {}
    return {
        key.replace("_", " "): ", ".join(map(str, value)) if isinstance(value, list) else value
        for key, value in chosen.items()
        if key not in ("learned", "seed", "method") and value not in (None, "", {}, [])
    }
