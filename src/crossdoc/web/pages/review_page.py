"""The review page: pairs whose answers would change most, one at a time, answered by keyboard.

The next question is shown while the last answer is being written. Two reviewers are asked about different pairs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any

from nicegui import background_tasks, ui

from crossdoc.model import Verdict
from crossdoc.run.review import Asked
from crossdoc.store.views import ProfileView
from crossdoc.web.changes import Changes, Order
from crossdoc.web.look import counted
from crossdoc.web.pages.correction_dialogs import event_sentences, finished, named_steps, show_chain, show_changes
from crossdoc.web.pages.layout import PAGE_PATIENCE, frame, seen, show_read_only, who_judges
from crossdoc.web.parts import basics
from crossdoc.web.parts.basics import button, cleared, empty, in_thread, joined, link, remark, tag
from crossdoc.web.parts.evidence_bars import evidence, profile_card
from crossdoc.web.session import Session

QUESTIONS_AHEAD = 1_000
"""Questions that are fetched at a time."""
KEY_SCRIPT = """
document.addEventListener("keydown", (e) => {
  if (e.repeat || e.ctrlKey || e.metaKey || e.altKey) return;
  if (e.target.closest("input:not([type=checkbox]), textarea, select, .q-dialog")) return;
  const key = e.key.toLowerCase();
  if (key === " " && e.target.closest("button, a, summary, input")) return;
  if (["s", "d", "u", " "].includes(key)) { e.preventDefault(); emitEvent("review-key", key); }
});
"""
KEY_VERDICTS: dict[str, Verdict] = {"s": "same", "d": "different"}


@dataclass
class Desk:
    """The open questions, shared by all reviewers."""

    session: Session
    asked: list[Asked] = field(default_factory=list)
    version: int = -1
    loading: Order | None = None
    left_out: set[tuple[str, str]] = field(default_factory=set)
    """Pairs that were skipped, or whose answers are being written."""
    held: dict[str, Asked] = field(default_factory=dict)
    """The pair that each page shows."""

    async def refresh(self) -> Order:
        assert self.session.changes is not None
        version = self.session.reader.version
        self.loading = self.session.changes.order("questions", QUESTIONS_AHEAD)
        order = await finished(self.loading)
        self.loading = None
        if order.refusal is None:
            self.asked, self.version = order.answer, version
        return order

    def next(self, page: str) -> Asked | None:
        """Return the best question whose profiles no other page shows."""
        taken = {id for other, asked in self.held.items() if other != page for id in (asked.a, asked.b)}
        for asked in self.asked:
            if (asked.a, asked.b) not in self.left_out and not taken & {asked.a, asked.b}:
                self.held[page] = asked
                return asked
        self.held.pop(page, None)
        return None

    def left(self) -> int:
        return sum((asked.a, asked.b) not in self.left_out for asked in self.asked)


def register(session: Session) -> None:
    desk = Desk(session)

    @ui.page("/review", response_timeout=PAGE_PATIENCE)
    def review() -> None:
        with frame(session, "Review", "Review", wide=True):
            if session.changes is None:
                show_read_only()
            else:
                _Review(session, session.changes, desk).show()


class _Review:
    def __init__(self, session: Session, changes: Changes, desk: Desk) -> None:
        self.session, self.changes, self.desk = session, changes, desk
        self.client = ui.context.client
        self.asked: Asked | None = None
        self.blind = False
        self.answers: list[tuple[Asked, Order]] = []
        self.writing = 0
        self.joined = self.parted = self.moved = 0

    def show(self) -> None:
        with tag("div", classes="x-line x-apart"):
            tag("h1", "Are these the same?", "x-title")
            basics.check("Hide what the program thinks", self._hide)
        self.progress = tag("div", classes="x-stack").style("margin: .75rem 0 1.25rem; gap: .4rem")
        self.outcome = tag("div", role="status", aria_live="polite").style("margin-bottom: 1rem")
        self.body = tag("div", classes="x-stack")
        ui.on("review-key", lambda event: self._key(str(event.args)))
        self.client.on_disconnect(lambda: self.desk.held.pop(self.client.id, None))
        ui.timer(0.05, self._begin, once=True)

    async def _begin(self) -> None:
        ui.run_javascript(KEY_SCRIPT)
        self._how_far()
        timer = ui.timer(0.3, self._how_far)
        order = await self.desk.refresh()
        timer.cancel()
        if order.refusal is not None:
            with cleared(self.body):
                basics.show_error(order.refusal)
            return
        await self._next()

    def _how_far(self) -> None:
        order = self.desk.loading
        share = None if order is None else order.share
        so_far = "" if order is None or share is None else f": {order.done:,} of {order.total:,} names"
        with cleared(self.body):
            basics.waiting(f"Looking for the most useful questions{so_far} …")
            basics.progress("Looking for questions", share)

    async def _next(self) -> None:
        if self.desk.version != self.session.reader.version and not self.writing:
            await self.desk.refresh()
        self.asked = self.desk.next(self.client.id)
        self._show_progress()
        if self.asked is None:
            self._nothing_left()
            return
        asked = self.asked
        reader = self.session.reader
        a, b = await in_thread(lambda: (reader.profile(asked.a), reader.profile(asked.b)))
        self._show(asked, a, b)

    def _show(self, asked: Asked, a: ProfileView, b: ProfileView) -> None:
        with cleared(self.body):
            if not self.blind:
                so_far = "treated as one" if asked.joined else "treated as two"
                remark(f"So far they are {so_far}, with a {asked.wrong:.0%} chance of being wrong.")
            with tag("div", classes="x-pair"):
                profile_card(a, self.blind)
                profile_card(b, self.blind)
            with tag("div", classes="x-answers", role="group", aria_label="Your answer"):
                for key, words in (("s", "Same"), ("d", "Different"), (" ", "Skip"), ("u", "Undo")):
                    shown = "Space" if key == " " else key.upper()
                    classes = "x-button x-primary" if key in KEY_VERDICTS else "x-button"
                    unusable = key == "u" and not self.answers
                    with button("", partial(self._key, key), classes, aria_keyshortcuts=shown, disabled=unusable):
                        tag("span", words)
                        tag("kbd", shown, "x-kbd")
                why = tag("input", classes="x-input", type="text", maxlength=1000, autocomplete="off", aria_label="Why")
                why.props["placeholder"] = "Why? (optional)"
                self.reason = ""
                why.on("input", self._set_reason, throttle=0.2, js_handler=basics.EMIT_VALUE)
            if not self.blind:
                with basics.section("The evidence"):
                    basics.Later().put(partial(self.session.reader.why, asked.a, asked.b), evidence, "8rem")

    def _nothing_left(self) -> None:
        with cleared(self.body):
            if self.desk.held:
                hint = "There are no questions for you at the moment."
                with empty("Others are answering the remaining questions", hint):
                    button("Look again", self._next, "x-button x-primary")
            else:
                hint = "All questions worth asking have been answered. Add documents, or look around."
                with empty("No more questions", hint):
                    link("Search", "/", "x-button x-primary")

    def _set_reason(self, event: Any) -> None:
        self.reason = str(event.args)

    async def _hide(self, on: bool) -> None:
        self.blind = on
        if self.asked is not None:
            await self._next()

    async def _key(self, key: str) -> None:
        if key == "u":
            await self._undo()
        elif self.asked is not None:
            asked, why = self.asked, self.reason
            if key in KEY_VERDICTS:
                who = await who_judges()
                if who is None or asked is not self.asked:
                    return
                order = self.changes.order("say", asked.a, asked.b, KEY_VERDICTS[key], who=who, why=why)
                self.answers.append((asked, order))
                self.writing += 1
                background_tasks.create(self._written(asked, order), name="answer")
            else:
                self.changes.order("skip", asked)
            # The question is removed before the next one is shown, so that no key is counted twice.
            self.asked = None
            self.desk.left_out.add((asked.a, asked.b))
            await self._next()

    async def _written(self, asked: Asked, order: Order) -> None:
        await finished(order)
        self.writing -= 1
        if order.refusal is not None:
            self.answers = [each for each in self.answers if each[1] is not order]
            steps = await in_thread(named_steps, self.session, order.refusal.chain)
            with cleared(self.outcome), tag("div", classes="x-error", role="alert"):
                remark("Your last answer was not saved: " + order.refusal.what, "")
                if steps:
                    show_chain(steps)
        else:
            await self._show_outcome(order)
        with self.client:
            seen(self.session)
        await self.desk.refresh()
        self._show_progress()
        if self.asked is None:
            await self._next()

    async def _show_outcome(self, order: Order) -> None:
        assert order.change is not None
        for event in order.change.events:
            self.joined += event.what == "merged"
            self.parted += event.what == "split"
            self.moved += event.profiles
        lines = await in_thread(event_sentences, self.session, order.change.events)
        with cleared(self.outcome), tag("div", classes="x-good"):
            tag("strong", "Undone" if order.act == "undo" else "Saved")
            show_changes(lines)

    async def _undo(self) -> None:
        if not self.answers:
            return
        asked, answered = self.answers.pop()
        who = await who_judges()
        await finished(answered)
        if who is None or answered.change is None or answered.change.entry is None:
            return
        order = self.changes.order("undo", answered.change.entry, who=who, why="undone in the review")
        await finished(order)
        self.desk.left_out.discard((asked.a, asked.b))
        if order.refusal is None:
            await self._show_outcome(order)
        await self.desk.refresh()
        self.asked = None
        self.desk.asked.insert(0, asked)
        await self._next()

    def _show_progress(self) -> None:
        done, left = len(self.answers), self.desk.left()
        with cleared(self.progress):
            basics.progress("Questions answered", done / max(1, done + left))
            effect = [counted(done, "answer"), f"{left:,}{'' if left < QUESTIONS_AHEAD else ' or more'} to go"]
            if self.joined or self.parted:
                effect.append(f"{counted(self.joined, 'identity', 'identities')} joined, {self.parted:,} split off")
                effect.append(f"{counted(self.moved, 'passage')} moved")
            if self.writing:
                effect.append(f"saving {self.writing} …")
            tag("div", joined(*effect), "x-soft x-small x-number")
