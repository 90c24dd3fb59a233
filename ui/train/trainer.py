"""The one thing that the faces of judge training use: sessions from start to result.

A face keeps a session's id only: every method reads the session afresh from the progress file, so that a reload, a second
window or a killed process goes on where it was.
"""

import math
import secrets
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cached_property

from index.bank import Question
from index.cards import Cards
from index.corpus import Corpus
from index.errors import RulesError
from index.numbers import RuleNumber
from index.store import Index
from ui.train.choose import Candidate, choose
from ui.train.deck import Deck
from ui.train.mark import grade_of, item_key, near_of, review_of_guess, review_of_ruling, told
from ui.train.missed import missed_items
from ui.train.near import Relations, read_guess
from ui.train.progress import Progress
from ui.train.rows import Review
from ui.train.schedule import DRILLS, Memory
from ui.train.session import GRADES, MINUTES_EACH, Answered, Item, Plan, Result, Reveal, Session, Task
from ui.train.stats import Figures, figures, weak_sections
from ui.train.tally import result_of

GRACE = 5
"""Seconds after an exam's deadline in which an answer that was under way still counts."""
LONGEST_SAID = 2_000
"""Characters of a ruling in words that are kept."""
LONGEST_WAIT = 24 * 3600.0
"""Seconds for an answer that are believed."""
WEAK = 0.6
"""A section with a lower expected accuracy is weak."""


class Trainer:
    """Runs sessions on one index.

    Args:
        progress: where sessions, reviews and own sets are kept.
        decks: own sets besides the bank and those kept in ``progress``.
        now: the clock, in UTC.
    """

    def __init__(
        self,
        index: Index,
        progress: Progress,
        decks: Sequence[Deck] = (),
        cards: Cards | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.index = index
        self.corpus: Corpus = index.corpus
        self.progress = progress
        self.cards = cards
        self._now = now
        self._given = {deck.name: deck for deck in decks}
        self._parsed: dict[str, tuple[str, Deck]] = {}

    @cached_property
    def _relations(self) -> Relations:
        return Relations(self.corpus, self.index.citations)

    @cached_property
    def bank(self) -> Deck:
        return Deck.of_index(self.index)

    def deck(self, name: str = "") -> Deck:
        """The bank (""), or an own set by its name.

        Raises:
            RulesError: there is no such set; says what to do.
        """
        if not name:
            return self.bank
        if name in self._given:
            return self._given[name]
        text = self.progress.deck_text(name)
        if self._parsed.get(name, ("", None))[0] != text:
            self._parsed[name] = (text, Deck.parse(text, name, self.corpus))
        return self._parsed[name][1]

    def decks(self) -> list[str]:
        """The names of all sets, the bank's "" first."""
        return ["", *dict.fromkeys([*self._given, *self.progress.decks()])]

    def start(self, profile: str, plan: Plan) -> Session:
        """Begin a session: what is due first, then new questions with weak sections ahead, then what is due soonest.

        An exam takes questions by the seed alone.

        Raises:
            RulesError: nothing matches the plan, or there is no such profile; says what to do.
        """
        plan = replace(plan, seed=secrets.randbelow(2**31) if plan.seed is None else plan.seed)
        now = self._now()
        missed = self.missed(profile, plan.drill) if plan.missed else None
        if missed is not None and not missed:
            raise RulesError("nothing was missed in this drill so far; choose from all questions, not only from those missed")
        candidates = self._pairs(profile, plan, missed) if plan.drill == "contrast" else self._questions(profile, plan, missed)
        items = choose(candidates, self.progress.memories(profile, plan.drill), plan, now)
        minutes = plan.minutes or MINUTES_EACH * len(items)
        deadline = now + timedelta(minutes=minutes) if plan.exam else None
        session = Session(uuid.uuid4().hex, profile, plan, tuple(items), {}, now, deadline)
        self.progress.save_session(session)
        return self.progress.session(session.id)

    def _questions(self, profile: str, plan: Plan, missed: set[str] | None) -> list[Candidate]:
        deck = self.deck(plan.deck)
        only = None if missed is None else {q for q in deck.questions if item_key(plan.deck, q) in missed}
        found = deck.select(plan.filters, only)
        if not found:
            raise RulesError(f"no question matches ({plan.filters}): {deck.remedy(plan.filters, only)}")
        if plan.drill == "ruling":
            found = [question for question in found if question.answer]
            if not found:
                raise RulesError("the questions that match have no rulings written to them; drill their rules instead")
        weak = self._weak(profile)
        return [Candidate(Item(item_key(plan.deck, q.id), q.id), q.level, q.rules[0].section in weak) for q in found]

    def _pairs(self, profile: str, plan: Plan, missed: set[str] | None) -> list[Candidate]:
        from ui.train.contrast import MISTAKEN, contrasts, prompt

        whole = self.deck(plan.deck)
        deck = whole.narrowed(plan.filters)
        if not deck.questions:
            raise RulesError(f"no question matches ({plan.filters}): {whole.remedy(plan.filters)}")
        weak = self._weak(profile)
        candidates = []
        for contrast in contrasts(self.index, deck, self.progress.mistaken(profile)):
            first, second = sorted(contrast.pair)
            key = f"{first}~{second}"
            if missed is None or key in missed:
                question = prompt(contrast, deck, plan.seed or 0)
                ahead = contrast.why == MISTAKEN or first.section in weak
                candidates.append(Candidate(Item(key, question.id, (str(first), str(second))), question.level, ahead))
        if not candidates:
            raise RulesError(f"no pair of rules that are alike matches ({plan.filters}); leave a filter out or drill rules first")
        return candidates

    def missed(self, profile: str, drill: str) -> set[str]:
        """The items to do again in a drill, with what an exam left without an answer."""
        return missed_items(self.progress, profile, drill)

    def _weak(self, profile: str) -> set[int]:
        return {weak.section for weak in weak_sections(self.progress.reviews(profile)) if weak.estimate < WEAK}

    def resume(self, session: Session | str) -> Session:
        """A session, as it stands now. An exam whose time has run out is finished.

        Raises:
            RulesError: there is none; says to start one.
        """
        found = self.progress.session(session if isinstance(session, str) else session.id)
        if found.running and found.deadline and self._now() > found.deadline + timedelta(seconds=GRACE):
            return self.finish(found)
        return found

    def open_sessions(self, profile: str) -> list[Session]:
        """What can be resumed, the newest first; exams whose time has run out are finished and not among them."""
        names = self.decks()  # a session of a set that is not loaded now waits for it
        found = [self.resume(session) for session in self.progress.open_sessions(profile) if session.plan.deck in names]
        return [session for session in found if session.finished is None and self._shown(session)]

    def task(self, session: Session | str, place: int | None = None) -> Task | None:
        """What is asked now: the first place that is pending, or the place given; None when all is done or it has ended.

        Raises:
            RulesError: the place is out of range, or this edition can't show its question.
        """
        found = self.resume(session)
        if found.finished is not None:
            return None
        if place is None:
            place = next(iter(self.open_places(found)), None)
            if place is None:
                return None
        item, question = self._at(found, place)
        given = found.answers.get(place)
        left = max(0.0, (found.deadline - self._now()).total_seconds()) if found.deadline else None
        reveal = self._reveal(found, place) if given and not found.running else None
        return Task(place, len(found.items), question, _pair(item), left, given, reveal)

    def open_places(self, session: Session | str) -> list[int]:
        """The places that are pending, as far as the loaded edition can show them."""
        found = self.resume(session)
        return [place for place in found.pending if place in self._shown(found)]

    def answer(
        self,
        session: Session | str,
        place: int,
        guess: str = "",
        said: str = "",
        confidence: int | None = None,
        seconds: float | None = None,
    ) -> Reveal | None:
        """Take an answer; what the rule and contrast drills make of it is kept at once.

        A second answer at the same place changes nothing and shows the first one's reveal, which is then ``late``; in an
        exam it replaces the first, and an empty one takes it back.

        Args:
            guess: as typed; "" for "don't know", or in an exam for none. In the contrast drill one of the two numbers.
            said: the ruling in words.
            confidence: 0 to 100 percent.
            seconds: how long it took.

        Returns:
            None in an exam.

        Raises:
            RulesError: the guess is no rule of this edition, a value is out of range, or an exam's time is up (it is
                then finished). Nothing is kept then.
        """
        found = self.resume(session)
        item, question = self._at(found, place)
        if found.plan.exam and found.finished is not None:
            raise RulesError("this exam has ended and takes no more answers; look at its result")
        answered = self._answered(found, place, guess, said, confidence, seconds)
        if found.plan.exam:
            empty = not answered.guess and not answered.said
            kept = self.progress.withdraw(found.id, place) if empty else self.progress.record(found.id, answered, replace=True)
            if not kept:
                raise RulesError("this exam has ended and takes no more answers; look at its result")
            return None
        review = None
        if found.plan.drill != "ruling":
            review = review_of_guess(found, item, question, answered, self._relations)
        kept = self.progress.record(found.id, answered, review)
        return replace(self._reveal(self._closed(found.id), place, look_alikes=True), late=not kept)

    def _answered(
        self, session: Session, place: int, guess: str, said: str, confidence: int | None, seconds: float | None
    ) -> Answered:
        """An answer as it is kept; raises RulesError."""
        if confidence is not None and not (isinstance(confidence, int) and 0 <= confidence <= 100):
            raise RulesError("confidence is a whole number of percent between 0 and 100; leave it out if you can't say")
        if seconds is not None:
            seconds = min(max(float(seconds), 0.0), LONGEST_WAIT) if math.isfinite(seconds) else None
        item = session.items[place - 1]
        number = read_guess(guess, self.corpus) if guess.strip() and session.plan.drill != "ruling" else None
        if item.pair and number is not None and str(number) not in item.pair:
            raise RulesError(f"choose one of the two: {item.pair[0]} or {item.pair[1]}")
        words = said.strip()[:LONGEST_SAID].encode("utf-8", "replace").decode().replace("\0", "")
        return Answered(place, str(number or ""), words, confidence, seconds, at=self._now())

    def reveal(self, session: Session | str, place: int) -> Reveal:
        """What was shown after the answer at a place.

        Raises:
            RulesError: there is no answer yet, or the exam is still running.
        """
        found = self.resume(session)
        self._at(found, place)
        if found.running:
            raise RulesError("the exam is still running; end it first, then everything is shown")
        if place not in found.answers and not found.plan.exam:
            raise RulesError(f"question {place} has no answer yet; answer it first")
        return self._reveal(found, place, look_alikes=True)

    def grade(self, session: Session | str, place: int, grade: str) -> Session:
        """Take the trainee's own grade of the ruling; the first grade stands.

        In the rule and contrast drills it counts for the ruling drill, where a ruling was said.

        Raises:
            RulesError: no such grade, no answer there, nothing said to grade, or the exam is still running.
        """
        found = self.resume(session)
        _, question = self._at(found, place)
        answered = found.answers.get(place)
        if grade not in GRADES:
            raise RulesError(f"there is no grade {grade[:20]!r}; choose one of {', '.join(GRADES)}")
        if found.running:
            raise RulesError("the exam is still running; end it first, then grade the rulings")
        if answered is None or (found.plan.drill != "ruling" and not answered.said):
            raise RulesError(f"at question {place} no ruling was said, so there is none to grade; go on to the next")
        review = review_of_ruling(found, question, answered, grade, self._now())
        self.progress.record_grade(found.id, place, grade, review)
        return self._closed(found.id)

    def finish(self, session: Session | str) -> Session:
        """End a session. Of an exam the reviews are written now; places without an answer score nothing and write none."""
        found = self.progress.session(session if isinstance(session, str) else session.id)
        at = min(self._now(), found.deadline) if found.deadline else self._now()
        asked = {place: self._at(found, place) for place in self._shown(found)}

        def reviews(ended: Session) -> list[Review]:
            if not ended.plan.exam or ended.plan.drill == "ruling":
                return []
            given = [answered for place, answered in ended.answers.items() if place in asked]
            return [review_of_guess(ended, *asked[answered.place], answered, self._relations) for answered in given]

        self.progress.finish(found.id, at, reviews)
        return self.progress.session(found.id)

    def result(self, session: Session | str) -> Result:
        """How a session went so far.

        Raises:
            RulesError: it is an exam that is still running.
        """
        found = self.resume(session)
        if found.running:
            raise RulesError("the exam is still running; end it first, then everything is shown")
        memories = self.progress.memories(found.profile, found.plan.drill)
        places = [p for p in sorted(self._shown(found)) if found.plan.exam or p in found.answers]
        return result_of(found, [self._reveal(found, place, memories) for place in places])

    def due(self, profile: str) -> dict[str, int]:
        """How many items are due now in each drill, of those that this edition can show."""
        now = self._now()
        return {drill: sum(memory.due <= now for memory in self._memories(profile, drill).values()) for drill in DRILLS}

    def figures(self, profile: str) -> Figures:
        """The profile's figures; items that this edition can't show are not due."""
        memories = [memory for drill in DRILLS for memory in self._memories(profile, drill).values()]
        return figures(self.progress.reviews(profile), memories, self._now())

    def _memories(self, profile: str, drill: str) -> dict[str, Memory]:
        found = self.progress.memories(profile, drill)
        if drill == "contrast":
            numbers = {str(number) for number in self.corpus.by_number}
            return {k: m for k, m in found.items() if numbers.issuperset(k.split("~"))}
        keys = {item_key(name, question) for name in self.decks() for question in self.deck(name).questions}
        return {k: m for k, m in found.items() if k in keys}

    def _closed(self, session: str) -> Session:
        """The session as it now is; marked as finished where nothing is left to do."""
        found = self.progress.session(session)
        if found.plan.exam or found.finished or self.open_places(found):
            return found
        self.progress.finish(session, self._now())
        return self.progress.session(session)

    def _shown(self, session: Session) -> set[int]:
        """The places whose question the loaded edition can show; another edition may have come since the start."""
        questions = self.deck(session.plan.deck).questions
        known = {str(number) for number in self.corpus.by_number} if session.plan.drill == "contrast" else set()
        return {
            place
            for place, item in enumerate(session.items, 1)
            if item.question in questions and known.issuperset(item.pair or ())
        }

    def _at(self, session: Session, place: int) -> tuple[Item, Question]:
        """What is asked at a place."""
        if not isinstance(place, int) or not 1 <= place <= len(session.items):
            raise RulesError(f"this session has the questions 1 to {len(session.items)}; choose one of them")
        if place not in self._shown(session):
            raise RulesError(f"question {place} can't be shown in this edition ({self.corpus.name}); go on to the next")
        item = session.items[place - 1]
        return item, self.deck(session.plan.deck).questions[item.question]

    def _reveal(
        self, session: Session, place: int, memories: dict[str, Memory] | None = None, *, look_alikes: bool = False
    ) -> Reveal:
        from ui.train.alike import look_alikes as alike

        item, question = self._at(session, place)
        answered = session.answers.get(place)
        given = answered or Answered(place)
        drill = session.plan.drill
        near = None if drill == "ruling" else near_of(item, question, given.guess, self._relations)
        grade = given.grade if near is None else grade_of(near, drill)
        own = self.progress.memory(session.profile, drill, item.key) if memories is None else memories.get(item.key)
        return Reveal(
            place=place,
            question=question,
            pair=_pair(item),
            guess=RuleNumber.parse(given.guess) if given.guess else None,
            nearness=near,
            told="" if near is None else told(item, question, given.guess, near, self._relations),
            said=given.said,
            confidence=given.confidence,
            grade=grade if answered else "wrong",
            own_grade=given.grade,
            rules=question.rules,
            answer=question.answer,
            moved=self.deck(session.plan.deck).moved(question),
            look_alikes=tuple(alike(self.index, question.rules[0])) if look_alikes else (),
            due=own.due if own else None,
        )


def _pair(item: Item) -> tuple[RuleNumber, RuleNumber] | None:
    return (RuleNumber.parse(item.pair[0]), RuleNumber.parse(item.pair[1])) if item.pair else None
