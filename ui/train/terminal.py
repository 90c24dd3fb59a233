"""Drills and exams in the terminal, one plain line at a time."""

import time
from datetime import UTC, datetime

from rich.console import Console

from index.errors import RulesError
from ui.train.lines import Lines
from ui.train.near import read_guess
from ui.train.screen import Screen
from ui.train.session import Reveal, Session, Task
from ui.train.trainer import Trainer
from ui.train.typed import read_answer

GRADES = {"r": "right", "h": "half", "w": "wrong"}
PROMPTS = {"rule": "rule> ", "ruling": "ruling> ", "contrast": "1 or 2> "}
HINTS = {
    "rule": "Type the number of the rule that decides it, like 702.19b; - if you don't know; ? for help.",
    "ruling": "Think, or type your ruling; Enter shows ours; ? for help.",
    "contrast": "Type 1 or 2; - if you don't know; ? for help.",
}
Help = tuple[tuple[str, str], ...]
HELP: dict[str, Help] = {
    "rule": (
        ("702.19b", "the rule that decides it"),
        ("702.19b 80%", "the same, and how sure you are"),
        ("702.19b it dies", "the same, with your ruling in words"),
    ),
    "ruling": (("your ruling", "then compare it with ours and grade it"), ("your ruling 80%", "the same, and how sure you are")),
    "contrast": (("1 or 2", "the rule that decides it"), ("1 80%", "the same, and how sure you are")),
}
HELP_DRILL: Help = (("-", "you don't know"), ("q", "end; what you have answered is kept"))
HELP_PAUSE: Help = (("Enter", "go on"), ("l", "look-alike rules, with what differs marked"), ("q", "end"))
HELP_ALWAYS: Help = (
    ("s first strike", "search the rules"),
    ("b 702.19", "show a rule with its subrules; b 702 lists a section"),
)


class Quit(Exception):  # noqa: N818  not an error
    """The trainee wants to end."""


class Terminal:
    """Runs sessions in the terminal.

    Args:
        paper: also given the sheet of an exam, for a printer.
    """

    def __init__(self, trainer: Trainer, lines: Lines, console: Console, paper: Screen | None = None) -> None:
        self.trainer = trainer
        self.lines = lines
        self.screen = Screen(console, trainer.corpus)
        self.paper = paper

    def run(self, session: Session) -> None:
        """One session to its end and result.

        Raises:
            Quit, EOFError, KeyboardInterrupt: it was left before; what was answered is kept.
        """
        if session.plan.exam:
            from ui.train.exam import Exam

            Exam(self).run(session)
        else:
            self._drill(session)
        self.show_result(session)

    def show_result(self, session: Session) -> None:
        """The result of a session that has ended or was left; of an exam with the sheet."""
        result = self.trainer.result(session)
        now = datetime.now(UTC)
        if session.plan.exam:
            self.screen.sheet(result)
            if self.paper:
                self.paper.result(result, now)
                self.paper.sheet(result)
        self.screen.result(result, now)

    # Drills.

    def _drill(self, session: Session) -> None:
        self.screen.line(HINTS[session.plan.drill], "dim")
        while task := self.trainer.task(session):
            self.screen.task(task, exam=False)
            reveal = task.reveal or self._answered(session, task)
            self.screen.reveal(reveal, all_of_it=not self.lines.interactive, now=datetime.now(UTC))
            asked = self.graded(session, reveal)
            last = self.trainer.task(session) is None
            if self.lines.interactive and not (asked and last):
                self._pause(session, reveal, last)
        self.trainer.finish(session)

    def _answered(self, session: Session, task: Task) -> Reveal:
        """Ask until there is an answer that can be taken."""
        started = time.monotonic()
        drill = session.plan.drill
        while True:
            line = self.lines.ask(PROMPTS[drill])
            if self.commanded(line, drill):
                continue
            if not line and drill != "ruling":
                self.screen.line(HINTS[drill], "dim")
                continue
            try:
                typed = read_answer(line, drill, task.pair or (), self.trainer.corpus)
                seconds = time.monotonic() - started
                reveal = self.trainer.answer(session, task.place, typed.guess, typed.said, typed.confidence, seconds)
                if reveal and reveal.late:
                    self.screen.line(reveal.already, "yellow")
                return reveal or self.trainer.reveal(session, task.place)
            except RulesError as error:
                self.screen.error(str(error))

    def commanded(self, line: str, drill: str, own_help: Help = HELP_DRILL) -> bool:
        """Do what a command says, if the line is one; raises Quit."""
        word, _, rest = line.partition(" ")
        rest = rest.strip()
        if line in ("?", "help"):
            self.help(HELP[drill] + own_help + HELP_ALWAYS)
        elif line.lower() in ("q", "quit", "exit"):
            raise Quit
        elif word == "s" and rest:
            self.screen.search(rest)
        elif word == "b" and rest and (drill != "ruling" or rest[:1].isdigit()):
            self._browsed(rest)
        elif line in ("s", "b"):
            self.screen.error("s first strike searches the rules; b 702.19 shows one")
        else:
            return False
        return True

    def help(self, lines: Help) -> None:
        for typed, meaning in lines:
            self.screen.line(f"  {typed:<16} {meaning}")

    def _browsed(self, text: str) -> None:
        try:
            self.screen.browse(read_guess(text, self.trainer.corpus))
        except RulesError as error:
            self.screen.error(str(error))

    def graded(self, session: Session, reveal: Reveal) -> bool:
        """Have the trainee grade a ruling, where there is one to grade; whether it was asked."""
        must = session.plan.drill == "ruling"
        if reveal.own_grade or not (must or (reveal.said and reveal.answer)):
            return False
        self.screen.line(f"Grade your ruling: r right, h half, w wrong{'' if must else '; Enter skips'}", "dim")
        while True:
            line = self.lines.ask("r, h or w> ")
            grade = GRADES.get(line[:1].lower(), "") if line.lower() in (*GRADES, *GRADES.values()) else ""
            if grade:
                self.trainer.grade(session, reveal.place, grade)
                return True
            if not line and not must:
                return True
            if not self.looked(line, reveal) and not self.commanded(line, "ruling"):
                self.screen.error("r for right, h for half right, w for wrong; q ends")

    def _pause(self, session: Session, reveal: Reveal, last: bool) -> None:
        """Leave time to read; rules can be looked up meanwhile."""
        while True:
            line = self.lines.ask(f"[Enter] {'result' if last else 'next'}> ")
            if not line:
                return
            if line == "?":
                self.help(HELP_PAUSE + HELP_ALWAYS)
            elif not self.looked(line, reveal) and not self.commanded(line, session.plan.drill):
                self.screen.line("This question is answered; Enter goes on, ? for help.", "dim")

    def looked(self, line: str, reveal: Reveal) -> bool:
        if line != "l":
            return False
        if not reveal.look_alikes:
            self.screen.line("No rule is easily taken for it.", "dim")
        for part in self.screen.look_alikes(reveal):
            self.screen.console.print(part)
        return True
