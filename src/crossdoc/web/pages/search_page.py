"""The search page: identities by name, with filters, sorting and download."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any
from urllib.parse import urlencode

from fastapi import Request
from fastapi.responses import StreamingResponse
from nicegui import app, ui

from crossdoc.errors import CrossdocError
from crossdoc.store.views import Facets, Page
from crossdoc.web.downloads import MOST_EXPORTED, as_csv, downloaded
from crossdoc.web.look import FAIRLY_SURE, SURE, counted
from crossdoc.web.pages.layout import PAGE_PATIENCE, frame, on_new_version
from crossdoc.web.parts.basics import Later, Lines, button, empty, in_thread, link, show_error, tag, type_word
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
CHECKED = "(e) => emit(e.target.checked)"
FOLD = "(e) => e.currentTarget.setAttribute('aria-expanded', getHtmlElement(%d).classList.toggle('x-open'))"
"""Script of the button that shows the filters in narrow windows."""
LANGUAGE_NAMES = {
    "en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian", "nl": "Dutch", "pl": "Polish",
    "pt": "Portuguese", "ru": "Russian", "cs": "Czech", "uk": "Ukrainian", "bg": "Bulgarian", "ar": "Arabic",
    "zh": "Chinese",
}  # fmt: skip


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
        """Read a search from the parameters of the address; invalid values are ignored.

        >>> SearchWish.of({"q": ["smith"], "type": ["person"], "from": ["1990"], "to": ["soon"], "sort": ["colour"]})
        SearchWish(q='smith', words='', type=('person',), language=(), from_year=1990, to_year=None, least=None, \
sure='', sort='documents', descending=True)
        """
        one = {key: values[-1] for key, values in asked.items() if values}
        sort = one.get("sort", "")
        return cls(
            q=one.get("q", "")[:200],
            words=one.get("words", "")[:200],
            type=tuple(asked.get("type", ())),
            language=tuple(asked.get("language", ())),
            from_year=_number(one.get("from", "")),
            to_year=_number(one.get("to", "")),
            least=_number(one.get("least", "")),
            sure=one.get("sure", "") if one.get("sure") in CERTAIN else "",
            sort=sort if sort in SORTABLE else "documents",
            descending=one.get("order") != "up",
        )

    @property
    def address(self) -> str:
        """The parameters of the address; empty for the default search."""
        parameters: list[tuple[str, str | int]] = []
        names = {"from_year": "from", "to_year": "to"}
        for each in fields(self):
            value = getattr(self, each.name)
            if value == each.default or each.name == "descending":
                continue
            for one in value if isinstance(value, tuple) else (value,):
                parameters.append((names.get(each.name, each.name), one))
        if not self.descending:
            parameters.append(("order", "up"))
        return f"?{urlencode(parameters)}" if parameters else ""

    @property
    def is_filtered(self) -> bool:
        return replace(self, q="", sort="documents", descending=True) != SearchWish()

    def asked(self) -> dict[str, Any]:
        """Return the arguments of the reader's search."""
        years = (self.from_year, self.to_year)
        return {
            "text": self.q, "words": self.words, "types": self.type, "languages": self.language,
            "years": None if years == (None, None) else years,
            "sizes": None if self.least is None else (self.least, None),
            "certainty": CERTAIN.get(self.sure), "sort": self.sort, "descending": self.descending,
        }  # fmt: skip


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) < 10 else None


def register(session: Session) -> None:
    @ui.page("/", response_timeout=PAGE_PATIENCE)
    async def search(request: Request) -> None:
        with frame(session, "Search", "Search", wide=True):
            await _Search(session, SearchWish.of(_lists(request))).show()

    @app.get("/search.csv")
    def search_table(request: Request) -> StreamingResponse:
        found = session.reader.search(**SearchWish.of(_lists(request)).asked(), limit=MOST_EXPORTED)
        return downloaded(as_csv(found.rows, LINE_CSV), f"{session.path.stem}.csv")


def _lists(request: Request) -> dict[str, list[str]]:
    return {key: request.query_params.getlist(key) for key in request.query_params}


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
            self._when_typed(box, "q")
            box.on(
                "keydown.down",
                js_handler="(e) => { e.preventDefault(); document.querySelector('.x-lines a')?.focus(); }",
            )
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
                self.lines = Lines([], "Identities", self.wish.sort, self.wish.descending)
                self.lines.on("sort", self._sorted)
                self.lines.set_visibility(False)
                self.below = tag("div")
        with self.below:
            self._loading()
        later.add(self._look())
        await later.shown()
        on_new_version(self.session, self._look)

    def _filters(self, facets: Facets) -> None:
        with tag("form", classes="x-filters", autocomplete="off") as form:
            form.on("submit", js_handler="(e) => e.preventDefault()")
            with tag("label", "Words in the text", "x-field"):
                words = tag("input", type="search", placeholder="for example: steel Detroit")
                words.props["^value"] = self.wish.words
                self._when_typed(words, "words")
            if len(facets.types) > 1 or self.wish.type:
                self._choices("Type", "type", [(kind or "", type_word(kind), n) for kind, n in facets.types])
            self._radio("How sure", "sure", CERTAIN_WORDS)
            with tag("fieldset"):
                tag("legend", "Years")
                with tag("div", classes="x-two"):
                    years = [year for year, _ in facets.years]
                    for title, name, value, hint in (
                        ("From", "from_year", self.wish.from_year, min(years, default="")),
                        ("To", "to_year", self.wish.to_year, max(years, default="")),
                    ):
                        with tag("label", title, "x-field"):
                            year = tag(
                                "input", type="number", inputmode="numeric", placeholder=str(hint), min=0, max=9999
                            )
                            year.props["^value"] = "" if value is None else str(value)
                            self._when_typed(year, name)
            with tag("label", "Size", "x-field"), tag("select") as size:
                for low, label in [(None, "Any")] + [
                    (low, f"{low:,} documents or more") for low, _ in facets.sizes if low > 1
                ]:
                    option = tag("option", label, value="" if low is None else str(low))
                    option.props.set_bool("selected", low == self.wish.least)
            self._when_typed(size, "least", "change")
            if len(facets.languages) > 1 or self.wish.language:
                self._choices(
                    "Language", "language", [(code, LANGUAGE_NAMES.get(code, code), n) for code, n in facets.languages]
                )

    def _choices(self, title: str, name: str, options: list[tuple[str, str, int]]) -> None:
        with tag("fieldset"):
            tag("legend", title)
            for value, label, n in options:
                with tag("label", classes="x-check"):
                    check = tag("input", type="checkbox", name=name, checked=value in getattr(self.wish, name))
                    check.on(
                        "change", lambda event, value=value: self._toggled(name, value, event.args), js_handler=CHECKED
                    )
                    tag("span", label)
                    tag("small", f"{n:,}")

    def _radio(self, title: str, name: str, options: Mapping[str, str]) -> None:
        with tag("fieldset"):
            tag("legend", title)
            for value, label in options.items():
                with tag("label", classes="x-check"):
                    check = tag("input", type="radio", name=name, checked=value == getattr(self.wish, name))
                    check.on("change", lambda _, value=value: self._wanted(**{name: value}))
                    tag("span", label)

    def _when_typed(self, element: ui.element, name: str, event: str = "input") -> None:
        async def typed(event: Any) -> None:
            value = str(event.args)
            is_number = name in ("from_year", "to_year", "least")
            await self._wanted(**{name: _number(value) if is_number else value[:200]})

        element.on(event, typed, js_handler="(e) => emit(e.target.value)", throttle=0.1)

    async def _toggled(self, name: str, value: str, on: bool) -> None:
        rest = tuple(each for each in getattr(self.wish, name) if each != value)
        await self._wanted(**{name: (*rest, value) if on else rest})

    async def _sorted(self, event: Any) -> None:
        column = str(event.args)
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
            self.below.clear()
            with self.below:
                show_error(error)
            return
        finally:
            slow.cancel()
        if mine == self.asked:
            self._show(page)

    def _loading(self) -> None:
        with tag("div", classes="x-stack", role="status", aria_label="Looking …"):
            for _ in range(6):
                tag("div", classes="x-skeleton").style("height: 3.2rem")

    def _show(self, page: Page) -> None:
        self.count._text = counted(page.total, "identity", "identities") + (
            " · texts are still being read, some may be missing" if page.pending else ""
        )
        self.count.update()
        self.take.props["href"] = f"/search.csv{self.wish.address}"
        self.take.set_visibility(page.total > 0)
        self.lines.show(page.rows, self.wish.sort, self.wish.descending)
        self.lines.classes(remove="x-busy")
        self.lines.set_visibility(bool(page.rows))
        self.below.clear()
        with self.below:
            if not page.rows:
                self._nobody()
            elif page.total > len(page.rows):
                more = min(LINES_AT_ONCE, page.total - len(page.rows))
                button(f"Show {more} more", self._more)

    def _nobody(self) -> None:
        if self.wish == SearchWish():
            with empty("This collection is empty.", "Add documents, and everyone they mention will be listed here."):
                if not self.session.read_only:
                    link("Add documents", "/add", "x-button x-primary")
            return
        hint = "Try removing a filter." if self.wish.is_filtered else "Try part of the name, such as the surname alone."
        with empty("Nobody was found.", hint):
            link("Show everybody", "/", "x-button x-primary")
