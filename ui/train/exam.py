"""An exam in the terminal: a clock, any order, nothing revealed before the end."""

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from index.errors import RulesError
from ui.train.lines import TimeUp
from ui.train.screen import clock
from ui.train.session import Session, Task
from ui.train.typed import UNKNOWN, read_answer

if TYPE_CHECKING:
    from ui.train.terminal import Terminal

PROMPTS = {"rule": "rule> ", "ruling": "ruling> ", "contrast": "1 or 2> "}
HINTS = {
    "rule": "Type the number of the rule that decides it, like 702.19b; - leaves it for later; ? for help.",
    "ruling": "Type your ruling; - leaves it for later; ? for help.",
    "contrast": "Type 1 or 2; - leaves it for later; ? for help.",
}
HELP = (
    ("-", "leave this one for later"),
    ("g 3", "go to question 3; an answer may be changed until the end"),
    ("q", "end the exam and see the score"),
)


class Ended(Exception):  # noqa: N818  not an error
    """The trainee has handed in."""


class Exam:
    """Runs exams, with the lines and the screen of a terminal."""

    def __init__(self, terminal: "Terminal") -> None:
        self.terminal = terminal
        self.trainer = terminal.trainer
        self.screen = terminal.screen

    def run(self, session: Session) -> None:
        """Ask until the trainee hands in or the time is up; then have rulings graded."""
        self.screen.line(HINTS[session.plan.drill], "dim")
        self.screen.line("Nothing is revealed before the end. g 3 goes to question 3; q ends the exam.", "dim")
        place = self._open_after(session, 0)
        try:
            while self.trainer.resume(session).finished is None:
                place = self._ask(session, place) if place else self._all_answered(session)
            raise TimeUp  # it has ended by its clock, or in another window
        except Ended:
            pass
        except TimeUp:
            self.screen.error("\nTime is up.")
        ended = self.trainer.finish(session)
        if ended.plan.drill == "ruling":
            self._grade_all(ended)

    def _open_after(self, session: Session, place: int) -> int | None:
        """The next place without an answer, from the beginning again after the last."""
        pending = self.trainer.open_places(session)
        return next((p for p in pending if p > place), pending[0] if pending else None)

    def _ask(self, session: Session, place: int) -> int | None:
        """Show a question and take what is typed; the place to go to, or None where all is answered."""
        try:
            task = self.trainer.task(session, place)
        except RulesError as error:
            self.screen.error(str(error))
            return self._open_after(session, place)
        if task is None:
            return place  # it has just ended
        self.screen.task(task, exam=True)
        if task.given:
            self.screen.line(f"Your answer so far: {task.given.guess or task.given.said or '-'}; Enter keeps it.", "dim")
        started = time.monotonic()
        while True:
            line = self._line(session, f"[{self._left(session)}] {PROMPTS[session.plan.drill]}")
            goal = self._asked_for(session, line)
            if goal is not None:
                return goal
            if line == UNKNOWN or (not line and task.given):
                return self._left_open(session, place)
            if line and not self._commanded(session, line) and self._taken(session, task, line, started):
                return self._open_after(session, place)

    def _left_open(self, session: Session, place: int) -> int | None:
        goal = self._open_after(session, place)
        if goal == place:
            self.screen.line("This is the only one without an answer; q ends the exam.", "dim")
        return goal

    def _taken(self, session: Session, task: Task, line: str, started: float) -> bool:
        try:
            typed = read_answer(line, session.plan.drill, task.pair or (), self.trainer.corpus)
            seconds = time.monotonic() - started
            self.trainer.answer(session, task.place, typed.guess, typed.said, typed.confidence, seconds)
        except RulesError as error:
            if self.trainer.resume(session).finished:
                raise TimeUp from None
            self.screen.error(str(error))
            return False
        return True

    def _all_answered(self, session: Session) -> int | None:
        try:
            line = self._line(session, f"[{self._left(session)}] All answered. Enter ends the exam, g 3 goes to question 3> ")
        except EOFError:
            if self.terminal.lines.interactive:
                raise
            line = ""
        if not line:
            raise Ended
        goal = self._asked_for(session, line)
        if goal is None and not self._commanded(session, line):
            self.screen.line("Enter ends the exam; g 3 goes to question 3; ? for help.", "dim")
        return goal

    def _asked_for(self, session: Session, line: str) -> int | None:
        """The place that "g 3" names."""
        word, _, number = line.partition(" ")
        if word != "g":
            return None
        if number.strip().isdecimal() and 1 <= int(number) <= len(session.items):
            return int(number)
        self.screen.error(f"g 1 to g {len(session.items)} go to a question")
        return None

    def _commanded(self, session: Session, line: str) -> bool:
        from ui.train.terminal import Quit

        if line.partition(" ")[0] == "g":
            return True  # a place that is not there; said already
        try:
            return self.terminal.commanded(line, session.plan.drill, HELP)
        except Quit:
            left = len(self.trainer.open_places(session))
            open_ones = f"{left} without an answer; " if left else ""
            if self._line(session, f"{open_ones}end the exam and see the score? y/N> ").lower() in ("y", "yes"):
                raise Ended from None
            return True

    def _line(self, session: Session, prompt: str) -> str:
        return self.terminal.lines.ask(prompt, session.deadline)

    def _left(self, session: Session) -> str:
        assert session.deadline is not None  # every exam has one
        return clock(max(0.0, (session.deadline - datetime.now(UTC)).total_seconds()))

    def _grade_all(self, session: Session) -> None:
        """Show each ruling beside ours and have it graded."""
        if session.answers:
            self.screen.line("\nNow compare your rulings with ours.", "bold")
        for place in sorted(session.answers):
            reveal = self.trainer.reveal(session, place)
            self.screen.line(f"\n{place}. {reveal.question.question}", "bold")
            self.screen.reveal(reveal, all_of_it=False, now=datetime.now(UTC))
            self.terminal.graded(session, reveal)
