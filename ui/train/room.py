"""What the page does in judge training: each act of a visitor, answered with the view that follows."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any

from index.errors import RulesError
from ui.library import Library
from ui.text import tidy
from ui.train.account import reviewed_questions
from ui.train.asked import Asked
from ui.train.board import Board, Set
from ui.train.deck import REMARKS, Deck
from ui.train.filters import Filters
from ui.train.mark import item_key
from ui.train.revealed import VERDICTS, Revealed, sentence
from ui.train.schedule import DRILLS
from ui.train.screen import points, when
from ui.train.session import Plan, Reveal, Session
from ui.train.trainer import Trainer
from ui.train.transfer import anki, export_json, import_json, were_there
from ui.train.views import Standing, Start, counted

FIRST = "me"
"""The profile that is made for the first who names none; "me 2" for the next."""
MOST_PROFILES = 500
MOST_SETS = 50
UNREAD = "the page sent what can't be read; load it anew"
LENGTHS = {"profile": 60, "session": 80, "guess": 200, "said": 4_000, "grade": 20, "name": 200, "view": 20}
"""Characters that are read of each text."""


@dataclass(frozen=True)
class Wish:
    """What a visitor asks for; everything in it is untrusted.

    Attributes:
        place: 0 for the one that is pending.
        view: where the visitor is.
        plan: as ``Plan.from_json`` reads it.
    """

    profile: str = ""
    session: str = ""
    place: int = 0
    guess: str = ""
    said: str = ""
    confidence: int | None = None
    seconds: float | None = None
    grade: str = ""
    name: str = ""
    view: str = ""
    plan: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_json(cls, row: object) -> "Wish":
        """Read what the page sent.

        Raises:
            RulesError: a field has a wrong type.
        """
        if not isinstance(row, dict):
            raise RulesError(UNREAD)
        texts: dict[str, Any] = {name: _text(row.get(name, ""), most) for name, most in LENGTHS.items()}
        place, sure, seconds = row.get("place") or 0, row.get("confidence"), row.get("seconds")
        whole = type(place) is int and (sure is None or type(sure) is int)
        if not whole or not isinstance(row.get("plan") or {}, dict):
            raise RulesError(UNREAD)
        known = isinstance(seconds, int | float) and not isinstance(seconds, bool) and abs(seconds) < 1e9
        return cls(**texts, place=place, confidence=sure, seconds=seconds if known else None, plan=_tidy(row.get("plan") or {}))


def _text(value: object, most: int) -> str:
    if not isinstance(value, str):
        raise RulesError(UNREAD)
    return tidy(value[:most])


def _tidy(value: Any, depth: int = 4) -> Any:
    """A plan whose texts can be written anywhere; no plan is nested deeper."""
    if not depth:
        raise RulesError(UNREAD)
    if isinstance(value, str):
        return tidy(value)
    if isinstance(value, list):
        return [_tidy(part, depth - 1) for part in value]
    return {tidy(name): _tidy(part, depth - 1) for name, part in value.items()} if isinstance(value, dict) else value


@dataclass(frozen=True)
class Shown:
    """A view.

    Attributes:
        html: the view; "" to leave the page as it is.
        address: where it can be found again.
        title: of the browser's tab.
        say: what is announced.
        profile: whose it is; the browser keeps it.
        left: seconds of an exam that are left.
    """

    html: str = ""
    address: str = "/train"
    title: str = ""
    say: str = ""
    profile: str = ""
    left: float | None = None

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


class Room:
    """Judge training on the page.

    All acts raise ``RulesError`` with a text for people.
    """

    def __init__(self, library: Library, trainer: Trainer) -> None:
        self.trainer = trainer
        self._start = Start(library)
        self._asked = Asked(library, trainer.cards)
        self._revealed = Revealed(library)
        self._board = Board(library)
        self.acts: dict[str, Callable[[Wish], Shown]] = {
            "start": self.start,
            "count": self.count,
            "begin": self.begin,
            "go": self.go,
            "answer": self.answer,
            "grade": self.grade,
            "finish": self.finish,
            "progress": self.progress,
            "add-profile": self.add_profile,
            "remove-profile": self.remove_profile,
            "remove-set": self.remove_set,
        }

    # The start.

    def start(self, wish: Wish, note: str = "") -> Shown:
        """Everything from which a session can begin."""
        name = self._known(wish.profile)
        kept = self.trainer.progress
        missed = {drill: len(self.trainer.missed(name, drill)) for drill in DRILLS} if name else {}
        standing = Standing(
            name,
            kept.profiles(),
            self.trainer.open_sessions(name) if name else [],
            self.trainer.due(name) if name else {},
            missed,
            self.trainer.decks(),
            self.trainer.bank,
            note,
        )
        return Shown(self._start.html(standing), title="", say=note, profile=name)

    def count(self, wish: Wish) -> Shown:
        """How many questions a plan would choose from, in a sentence."""
        plan = Plan.from_json(wish.plan)
        deck = self.trainer.deck(plan.deck)
        only = None
        if plan.missed and plan.drill != "contrast":
            name = self._known(wish.profile)
            missed = self.trainer.missed(name, plan.drill) if name else set()
            only = {q for q in deck.questions if item_key(plan.deck, q) in missed}
        found = len(deck.select(plan.filters, only))
        pairs = "; pairs are made of them" if plan.drill == "contrast" else ""
        some = f"{counted(found, 'question')} match{'es' * (found == 1)}{pairs}."
        return Shown(say=some if found else f"No question matches: {deck.remedy(plan.filters, only)}.")

    def begin(self, wish: Wish) -> Shown:
        """Start a session; a browser without a profile gets one of its own."""
        plan = Plan.from_json(wish.plan)
        name = self._known(wish.profile)
        made = not name
        if made:
            name = self._new_profile()
        try:
            session = self.trainer.start(name, plan)
        except RulesError:
            if made:
                self.trainer.progress.remove(name)  # nothing came of it
            raise
        flash = ""
        if len(session.items) < plan.length:
            flash = f"{counted(len(session.items), 'question')}: no more match."
        return self._task(session, flash)

    # In a session.

    def go(self, wish: Wish) -> Shown:
        """The question that is pending or the place asked for; the result, when all is done."""
        session = self._own(wish)
        answered = wish.place in session.answers or session.finished
        if wish.place and answered and not session.running:
            return self._shown(session, self.trainer.reveal(session, wish.place))
        return self._task(session, place=wish.place or None)

    def answer(self, wish: Wish) -> Shown:
        session = self._own(wish)
        before = wish.place in session.answers
        reveal = self.trainer.answer(session, wish.place, wish.guess, wish.said, wish.confidence, wish.seconds)
        session = self.trainer.resume(session)
        if reveal is None:
            withdrawn = before and wish.place not in session.answers
            flash = f"Question {wish.place}: the answer is taken back." if withdrawn else ""
            return self._task(session, flash, place=self._after(session, wish.place))
        return self._shown(session, reveal)

    def grade(self, wish: Wish) -> Shown:
        """Take a grade; in the ruling drill the next question follows."""
        own = self._own(wish)
        session = self.trainer.grade(own, wish.place, wish.grade)
        if session.plan.exam:
            return self._result(session)
        reveal = self.trainer.reveal(session, wish.place)
        if session.plan.drill != "ruling":
            return self._shown(session, reveal)
        now = _now()
        again = f", it {'is due now' if reveal.due <= now else f'comes again {when(reveal.due, now)}'}" if reveal.due else ""
        return self._task(session, f"Question {wish.place}: graded {reveal.own_grade}{again}.")

    def finish(self, wish: Wish) -> Shown:
        return self._result(self.trainer.finish(self._own(wish)))

    def _task(self, session: Session, flash: str = "", place: int | None = None) -> Shown:
        """What is asked now; a result where nothing is."""
        session = self.trainer.resume(session)
        task = self.trainer.task(session, place)
        address = f"/train?session={session.id}"
        if task is None and session.running and not self.trainer.open_places(session):
            assert session.deadline is not None
            left = max(0.0, (session.deadline - _now()).total_seconds())
            html = self._asked.all_answered(session, left)
            return Shown(html, address, "Exam", "All questions have an answer.", session.profile, left)
        if task is None:
            return self._result(session if session.finished else self.trainer.finish(session), flash)
        if task.reveal is not None:
            return self._shown(session, task.reveal)
        html = self._asked.html(session, task, flash)
        say = f"{flash} Question {task.place} of {task.of}.".strip()
        return Shown(html, address, f"Question {task.place} of {task.of}", say, session.profile, task.seconds_left)

    def _shown(self, session: Session, reveal: Reveal) -> Shown:
        situation = self._asked.situation(reveal.question)
        html = self._revealed.html(session, reveal, situation, _now())
        told = "Our ruling." if reveal.nearness is None else f"{VERDICTS[reveal.grade]}: {reveal.told}."
        told = f"{sentence(reveal.already)}. {told}" if reveal.late else told
        address = f"/train?session={session.id}&at={reveal.place}"
        return Shown(html, address, f"Question {reveal.place} of {len(session.items)}", told, session.profile)

    def _result(self, session: Session, flash: str = "") -> Shown:
        result = self.trainer.result(session)
        missed = len(self.trainer.missed(session.profile, session.plan.drill))
        html = self._revealed.result(result, missed, _now())
        say = f"{flash} Result: {points(result.score)}.".strip()
        return Shown(html, f"/train?session={session.id}", "Result", say, session.profile)

    def _after(self, session: Session, place: int) -> int | None:
        """The next open place of an exam, from a place on and then from the first."""
        places = self.trainer.open_places(session)
        return next((other for other in places if other > place), None) or next(iter(places), None)

    def _own(self, wish: Wish) -> Session:
        """A session, if it is of the visitor's profile."""
        session = self.trainer.progress.session(wish.session)
        if not wish.profile or session.profile != self._known(wish.profile):
            raise RulesError("this session belongs to another profile; choose that profile first, or start a session of your own")
        return self.trainer.resume(session)

    # Profiles, progress and own sets.

    def progress(self, wish: Wish, note: str = "") -> Shown:
        name = self._known(wish.profile)
        kept = self.trainer.progress
        found = self.trainer.figures(name) if name else None
        html = self._board.html(name, kept.profiles(), found, self._sets(), note)
        return Shown(html, "/progress", "Progress", note, name)

    def _sets(self) -> list[Set]:
        found = []
        for name in self.trainer.decks()[1:]:
            try:
                deck = self.trainer.deck(name)
                found.append(Set(name, len(deck.questions), deck.notes))
            except RulesError as error:
                found.append(Set(name, 0, (f"It can't be read: {error}",)))
        return found

    def add_profile(self, wish: Wish) -> Shown:
        """Add a profile and show where the visitor was: the start, or progress."""
        self._room_for_profile()
        name = self.trainer.progress.add_profile(wish.name)
        shown = self.progress if wish.view == "progress" else self.start
        return shown(Wish(profile=name), f"New profile: {name}")

    def remove_profile(self, wish: Wish) -> Shown:
        self.trainer.progress.remove(wish.profile)
        return self.progress(Wish(), f"The profile {wish.profile} is deleted.")

    def remove_set(self, wish: Wish) -> Shown:
        self.trainer.progress.remove_deck(wish.name)
        return self.progress(wish, f"The set {wish.name} is removed.")

    def add_set(self, wish: Wish, data: bytes) -> Shown:
        """Keep an own set; one that can't be read, or of which nothing can be shown, is refused."""
        kept, name = self.trainer.progress, " ".join(wish.name.split())[-80:].strip()
        deck = Deck.parse(data, name, self.trainer.corpus)
        if not deck.questions:
            why = " ".join(note for note in deck.notes if note not in REMARKS)
            raise RulesError(f"no question of {name} can be shown in this edition, so it was not added. {why}".strip())
        known = kept.decks()
        if name not in known and len(known) >= MOST_SETS:
            raise RulesError(f"there are {MOST_SETS} own sets already; remove one first")
        name = kept.add_deck(name, data.decode("utf-8-sig"))
        word = "takes the place of the one before" if name in known else "is added"
        return self.progress(wish, f"{name} {word}: {counted(len(deck.questions), 'question')}.")

    def import_file(self, wish: Wish, data: bytes) -> Shown:
        new, known = import_json(self.trainer.progress, data, self._chosen(wish))
        there = f"; {were_there(known)}" if known else ""
        return self.progress(wish, f"{counted(new, 'answer')} imported{there}.")

    def export(self, wish: Wish) -> str:
        return export_json(self.trainer.progress, self._chosen(wish))

    def cards(self, wish: Wish, everything: bool) -> str:
        """Cards for Anki: of the whole bank, or of what the profile has answered in any deck."""
        name = self._chosen(wish)
        if everything:
            return anki(self.trainer.bank, self.trainer.bank.questions.values())
        parts = []
        for deck_name in self.trainer.decks():
            deck = self.trainer.deck(deck_name)
            answered = reviewed_questions(self.trainer.progress, name, deck_name)
            parts.append(anki(deck, deck.select(Filters(), answered)))
        # One file has one head: the lines that begin with "#" stand in the first part only.
        head = [line for line in parts[0].splitlines(keepends=True) if line.startswith("#")]
        return "".join(head) + "".join(part.removeprefix("".join(head)) for part in parts)

    def _chosen(self, wish: Wish) -> str:
        name = self._known(wish.profile)
        if not name:
            raise RulesError("choose a profile first")
        return name

    def _known(self, profile: str) -> str:
        """The profile of this name as it is kept; "" where there is none."""
        wanted = " ".join(profile.split()).casefold()
        return next((name for name in self.trainer.progress.profiles() if name.casefold() == wanted), "") if wanted else ""

    def _new_profile(self) -> str:
        self._room_for_profile()
        taken = Counter(name.casefold() for name in self.trainer.progress.profiles())
        number = 1
        while True:
            name = FIRST if number == 1 else f"{FIRST} {number}"
            number += 1
            if name.casefold() in taken:
                continue
            try:
                return self.trainer.progress.add_profile(name)
            except RulesError:
                if number > MOST_PROFILES:
                    raise

    def _room_for_profile(self) -> None:
        if len(self.trainer.progress.profiles()) >= MOST_PROFILES:
            raise RulesError(f"there are {MOST_PROFILES} profiles already; delete one under Progress")


def _now() -> datetime:
    return datetime.now(UTC)
