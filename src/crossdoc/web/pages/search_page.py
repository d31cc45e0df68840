"""The search page: identities by name, with filters, sorting and download."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any
from urllib.parse import urlencode

from fastapi import Request, Response
from nicegui import app, ui

from crossdoc.errors import CrossdocError
from crossdoc.store.views import Facets, Page
from crossdoc.web.downloads import MOST_EXPORTED, downloaded
from crossdoc.web.look import FAIRLY_SURE, SURE, counted
from crossdoc.web.pages.layout import PAGE_PATIENCE, empty_collection, frame, on_new_version
from crossdoc.web.parts import basics
from crossdoc.web.parts.basics import Later, button, cleared, in_thread, link, tag, type_word
from crossdoc.web.session import Session

LINES_AT_ONCE = 50
"""Lines that are shown at first, and added by "Show more"."""
LINE_CSV = (
    "id", "name", "descriptor", "type", "documents", "mentions", "first_year", "last_year", "certainty", "known"
)  # fmt: skip
"""Columns of a download."""
CERTAIN = {"sure": (SURE, None), "fairly": (FAIRLY_SURE, SURE - 1e-9), "unsure": (None, FAIRLY_SURE - 1e-9)}
CERTAIN_WORDS = {"": "Any", "sure": "Sure", "fairly": "Fairly sure", "unsure": "Unsure"}
SORTABLE = ("documents", "name", "mentions", "first", "certainty")
FOLD = "(e) => e.currentTarget.setAttribute('aria-expanded', getHtmlElement(%d).classList.toggle('x-open'))"
"""Script of the button that shows the filters in narrow windows."""
TO_LINES = "(e) => { e.preventDefault(); document.querySelector('.x-lines a')?.focus(); }"
LANGUAGE_NAMES = {
    "en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian", "nl": "Dutch", "pl": "Polish",
    "pt": "Portuguese", "ru": "Russian", "cs": "Czech", "uk": "Ukrainian", "bg": "Bulgarian", "ar": "Arabic",
    "zh": "Chinese",
}  # fmt: skip


def _text(values: list[str]) -> str:
    return values[-1][:200]


def _number(values: list[str]) -> int | None:
    return int(values[-1]) if values[-1].isdecimal() and len(values[-1]) < 10 else None


def _one_of(known: Iterable[str], otherwise: str, values: list[str]) -> str:
    return values[-1] if values[-1] in known else otherwise


PARAMETERS: dict[str, tuple[str, Callable[[list[str]], Any]]] = {
    "q": ("q", _text),
    "words": ("words", _text),
    "type": ("type", tuple),
    "language": ("language", tuple),
    "from_year": ("from", _number),
    "to_year": ("to", _number),
    "least": ("least", _number),
    "sure": ("sure", partial(_one_of, CERTAIN, "")),
    "sort": ("sort", partial(_one_of, SORTABLE, "documents")),
    "descending": ("order", lambda values: values[-1] != "up"),
}
"""Field of a search → its parameter in the address, and how values are read; invalid ones are ignored."""


@dataclass(frozen=True, slots=True)
class SearchWish:
    """A search, which is part of the address of the page."""

    q: str = ""
    words: str = ""
    type: tuple[str, ...] = ()
    language: tuple[str, ...] = ()
    from_year: int | None = None
    to_year: int | None = None
    least: int | None = None
    sure: str = ""
    sort: str = "documents"
    descending: bool = True

    @classmethod
    def of(cls, asked: Mapping[str, list[str]]) -> SearchWish:
        """Read a search from the parameters of the address.

        >>> SearchWish.of({"q": ["smith"], "type": ["person"], "from": ["1990"], "to": ["soon"], "sort": ["colour"]})
        SearchWish(q='smith', words='', type=('person',), language=(), from_year=1990, to_year=None, least=None, \
sure='', sort='documents', descending=True)
        """
        return cls(**{name: read(asked[key]) for name, (key, read) in PARAMETERS.items() if asked.get(key)})

    @property
    def address(self) -> str:
        """The parameters of the address; empty for the default search."""
        values = {name: getattr(self, name) for name in PARAMETERS}
        changed = {PARAMETERS[name][0]: each for name, each in values.items() if each != getattr(SearchWish(), name)}
        if not self.descending:
            changed["order"] = "up"
        return f"?{urlencode(changed, doseq=True)}" if changed else ""

    @property
    def is_filtered(self) -> bool:
        return replace(self, q="", sort="documents", descending=True) != SearchWish()

    def asked(self) -> dict[str, Any]:
        """Return the arguments of the reader's search."""
        return {
            "text": self.q, "words": self.words, "types": self.type, "languages": self.language,
            "years": (self.from_year, self.to_year), "sizes": (self.least, None), "certainty": CERTAIN.get(self.sure),
            "sort": self.sort, "descending": self.descending,
        }  # fmt: skip


def register(session: Session) -> None:
    @ui.page("/", response_timeout=PAGE_PATIENCE)
    async def search(request: Request) -> None:
        with frame(session, "Search", "Search", wide=True):
            await _Search(session, _wish(request)).show()

    @app.get("/search.csv")
    def search_table(request: Request) -> Response:
        found = session.reader.search(**_wish(request).asked(), limit=MOST_EXPORTED)
        return downloaded(found.rows, LINE_CSV, f"{session.path.stem}.csv")


def _wish(request: Request) -> SearchWish:
    return SearchWish.of({key: request.query_params.getlist(key) for key in request.query_params})


@dataclass
class _Search:
    """The search page of one browser window."""

    session: Session
    wish: SearchWish
    shown: int = LINES_AT_ONCE
    asked: int = field(default=0, init=False)
    """Number of searches: a result that arrives after a newer search was started is dropped."""

    async def show(self) -> None:
        later = Later()
        tag("h1", "Search", "x-hidden-text")
        with tag("div", role="search").style("margin-bottom: 1.5rem"):
            box = tag(
                "input", classes="x-input x-search", type="search", aria_label="A name", autofocus=True,
                placeholder="Type a name: who is meant?", autocomplete="off", spellcheck="false",
            )  # fmt: skip
            box.props["^value"] = self.wish.q
            box.on("keydown.down", js_handler=TO_LINES)
            self._when_typed(box, "q")
        with tag("div", classes="x-columns"):
            with tag("aside", aria_label="Filters") as aside:
                fold = tag("button", "Filters", "x-button x-fold", type="button", aria_expanded="false")
                fold.on("click", js_handler=FOLD % aside.id)
                later.put(self.session.reader.facets, self._filters, "24rem")
            with tag("div", classes="x-stack"):
                with tag("div", classes="x-line x-apart"):
                    self.count = tag("p", "", "x-soft x-number", role="status", aria_live="polite").style("margin: 0")
                    self.take = tag("a", "Download as a table", "x-button x-quiet x-small", download=True)
                # The table is updated in place, so that sorting by keyboard keeps the focus.
                self.lines = basics.Lines([], "Identities", self.wish.sort, self.wish.descending)
                self.lines.on("sort", lambda event: self._sorted(str(event.args)))
                self.lines.set_visibility(False)
                self.below = tag("div")
        with self.below, tag("div", classes="x-stack", role="status", aria_label="Looking …"):
            for _ in range(6):
                tag("div", classes="x-skeleton").style("height: 3.2rem")
        later.add(self._look())
        await later.shown()
        on_new_version(self.session, self._look)

    def _filters(self, facets: Facets) -> None:
        years = [year for year, _ in facets.years]
        with tag("form", classes="x-filters", autocomplete="off") as form:
            form.on("submit", js_handler="(e) => e.preventDefault()")
            words = basics.field(
                "Words in the text", self.wish.words, "search", placeholder="for example: steel Detroit"
            )
            self._when_typed(words, "words")
            if len(facets.types) > 1 or self.wish.type:
                self._choices("Type", "type", [(kind or "", type_word(kind), n) for kind, n in facets.types])
            with tag("fieldset"):
                tag("legend", "How sure")
                for value, label in CERTAIN_WORDS.items():
                    want = lambda _, value=value: self._wanted(sure=value)  # noqa: E731
                    basics.check(label, want, type="radio", name="sure", checked=value == self.wish.sure)
            with tag("fieldset"):
                tag("legend", "Years")
                with tag("div", classes="x-two"):
                    self._year("From", "from_year", min(years, default=""))
                    self._year("To", "to_year", max(years, default=""))
            with tag("label", "Size", "x-field"), tag("select") as size:
                tag("option", "Any", value="")
                for low in (low for low, _ in facets.sizes if low > 1):
                    tag("option", f"{low:,} documents or more", value=low, selected=low == self.wish.least)
            self._when_typed(size, "least", "change")
            if len(facets.languages) > 1 or self.wish.language:
                languages = [(code, LANGUAGE_NAMES.get(code, code), n) for code, n in facets.languages]
                self._choices("Language", "language", languages)

    def _year(self, title: str, name: str, hint: int | str) -> None:
        value = getattr(self.wish, name)
        year = basics.field(title, "" if value is None else str(value), "number", min=0, max=9999, inputmode="numeric")
        year.props["placeholder"] = str(hint)
        self._when_typed(year, name)

    def _choices(self, title: str, name: str, options: list[tuple[str, str, int]]) -> None:
        async def choose(value: str, on: bool) -> None:
            rest = tuple(each for each in getattr(self.wish, name) if each != value)
            await self._wanted(**{name: (*rest, value) if on else rest})

        with tag("fieldset"):
            tag("legend", title)
            for value, label, n in options:
                is_chosen = value in getattr(self.wish, name)
                basics.check(label, partial(choose, value), f"{n:,}", name=name, checked=is_chosen)

    def _when_typed(self, element: ui.element, name: str, event: str = "input") -> None:
        async def typed(event: Any) -> None:
            await self._wanted(**{name: PARAMETERS[name][1]([str(event.args)])})

        element.on(event, typed, js_handler=basics.EMIT_VALUE, throttle=0.1)

    async def _sorted(self, column: str) -> None:
        if column in SORTABLE:
            turned = not self.wish.descending if column == self.wish.sort else column != "name"
            await self._wanted(sort=column, descending=turned)

    async def _wanted(self, **changed: Any) -> None:
        self.wish, self.shown = replace(self.wish, **changed), LINES_AT_ONCE
        ui.navigate.history.replace(f"/{self.wish.address}")
        await self._look()

    async def _more(self) -> None:
        self.shown += LINES_AT_ONCE
        await self._look()

    async def _look(self) -> None:
        self.asked += 1
        mine = self.asked
        with self.below:
            slow = ui.timer(0.4, lambda: self.lines.classes(add="x-busy"), once=True)
        try:
            page = await in_thread(self.session.reader.search, **self.wish.asked(), limit=self.shown)
        except CrossdocError as error:
            self.lines.set_visibility(False)
            with cleared(self.below):
                basics.show_error(error)
            return
        finally:
            slow.cancel()
        if mine == self.asked:
            self._show(page)

    def _show(self, page: Page) -> None:
        self.count._text = counted(page.total, "identity", "identities")
        self.count.update()
        self.take.props["href"] = f"/search.csv{self.wish.address}"
        self.take.set_visibility(page.total > 0)
        self.lines.show(page.rows, self.wish.sort, self.wish.descending)
        self.lines.classes(remove="x-busy")
        self.lines.set_visibility(bool(page.rows))
        with cleared(self.below):
            if not page.rows:
                self._nobody()
            elif page.total > len(page.rows):
                button(f"Show {min(LINES_AT_ONCE, page.total - len(page.rows))} more", self._more)

    def _nobody(self) -> None:
        if self.wish == SearchWish():
            empty_collection(self.session)
            return
        hint = "Try removing a filter." if self.wish.is_filtered else "Try part of the name, such as the surname alone."
        with basics.empty("Nobody was found.", hint):
            link("Show everybody", "/", "x-button x-primary")
