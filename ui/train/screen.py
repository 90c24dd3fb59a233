"""What a drill prints in the terminal."""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

from rich.console import Console, Group
from rich.padding import Padding
from rich.text import Text

from index.corpus import Corpus
from index.numbers import RuleNumber
from ui.find import Finder
from ui.plain import edition_line
from ui.train.alike import MARKED, THE_SAME, Piece, compared
from ui.train.near import Nearness
from ui.train.session import Result, Reveal, Score, Session, Task
from ui.train.sheet import ARROW, path_to
from ui.train.stats import local

DRILL_NAMES = {"rule": "find the rule", "ruling": "give the ruling", "contrast": "which of two rules decides"}
FOUND = 6
"""Families that a search shows."""
GRADE_STYLES = {"right": "green", "half": "yellow", "wrong": "red", "": "dim"}

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def clean(text: str) -> str:
    """A text without control characters: an own set could hold some that a terminal obeys."""
    return _CONTROL.sub("", text)


def clock(seconds: float) -> str:
    """Minutes and seconds: "12:05"; hours before them where there are any."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}" if minutes >= 60 else f"{minutes}:{rest:02}"


def points(score: Score) -> str:
    """ "7½ of 10 (75%)"."""
    whole, half = divmod(score.points, 1)
    number = f"{int(whole) or ''}½" if half else f"{int(whole)}"
    return f"{number} of {score.of} ({score.share:.0%})" if score.of else "nothing answered"


def when(due: datetime, now: datetime) -> str:
    """When something is due, as people say it: "in 10 minutes", "tomorrow", "in 5 days"."""
    if due <= now:
        return "now"
    if due - now < timedelta(hours=1):
        minutes = max(1, round((due - now).total_seconds() / 60))
        return f"in {minutes} minute{'s' * (minutes != 1)}"
    days = (local(due).date() - local(now).date()).days
    return "later today" if days == 0 else "tomorrow" if days == 1 else f"in {days} days"


class Screen:
    """Prints to one console.

    Args:
        console: where to.
        corpus: whose rules are shown.
    """

    def __init__(self, console: Console, corpus: Corpus) -> None:
        self.console = console
        self.corpus = corpus
        self._finder: Finder | None = None

    def line(self, text: str = "", style: str = "") -> None:
        self.console.print(Text(clean(text), style=style))

    def error(self, text: str) -> None:
        self.line(text, "yellow")

    def task(self, task: Task, exam: bool) -> None:
        """A question with its place, and the two rules of a contrast."""
        question = task.question
        facts = [f"Question {task.place} of {task.of}"]
        facts += [f"level {question.level}"] if question.level else []
        facts += [question.kind] if question.kind else []
        facts += [f"{clock(task.seconds_left)} left"] if exam and task.seconds_left is not None else []
        self.console.print(Text("\n" + clean(" · ".join(facts)), style="bold cyan"))
        self.line(question.question, "bold")
        if task.pair:
            first, second, told = self.side_by_side(*task.pair)
            marks = f" {told[:1].upper()}{told[1:]}." if told.startswith(MARKED) else ""
            self.line(f"Which of these two decides it?{marks}", "dim")
            for number, text in zip("12", (first, second), strict=True):
                self.console.print(_indented(Text.assemble((f"{number}) ", "bold"), text), 1))

    def side_by_side(self, first: RuleNumber, second: RuleNumber) -> tuple[Text, Text, str]:
        """Two rules with the words marked in which they differ, and what can be said of the two."""
        found = compared(self.corpus.rule(first).text, self.corpus.rule(second).text)
        told = f"{MARKED} [[so]]" if self._plain and found.told == MARKED else found.told
        return self._marked(first, found.first), self._marked(second, found.second), told

    @property
    def _plain(self) -> bool:
        """Whether the console shows no styles: a pipe, a file, a dumb terminal."""
        return self.console.color_system is None

    def _marked(self, number: RuleNumber, pieces: Sequence[Piece]) -> Text:
        # Rules have single brackets of their own: "[Cost]: [Effect]".
        left, right = ("[[", "]]") if self._plain else ("", "")
        style = "bold underline magenta"
        parts = [(f"{left}{clean(p.text)}{right}", style) if p.differs else (clean(p.text), "") for p in pieces]
        return Text.assemble((f"{number} ", "bold cyan"), *parts)

    def rule(self, number: RuleNumber) -> Text:
        return Text.assemble((f"{number} ", "bold cyan"), clean(self.corpus.rule(number).text))

    def reveal(self, reveal: Reveal, *, all_of_it: bool, now: datetime) -> None:
        """What decides the question, beside what was said.

        Args:
            all_of_it: with the look-alikes even where the screen is too low for them.
        """
        body = Group(*self._verdict(reveal), *self._rules(reveal), *self._guessed(reveal))
        self.console.print(body)
        alike = Group(*self.look_alikes(reveal))
        height = sum(len(self.console.render_lines(part)) for part in (body, alike))
        others = self._others(reveal)
        if not others:
            pass
        elif all_of_it or height < self.console.height - 3:
            self.console.print(alike)
        else:
            numbers = ", ".join(str(number) for number in others)
            self.line(f"Easily taken for it: {numbers} (l shows where they differ)", "dim")
        if reveal.moved:
            self.line(f"({reveal.moved})", "dim")
        if reveal.due:
            self.line(f"Comes again {when(reveal.due, now)}.", "dim")

    def _verdict(self, reveal: Reveal) -> Iterable[Text]:
        if reveal.nearness is not None:
            head = {"right": "Right", "half": "Half right", "wrong": "Not it"}.get(reveal.grade, "")
            named = f" ({reveal.guess})" if reveal.guess and reveal.nearness != Nearness.EXACT else ""
            yield Text(f"{head}{named}: {reveal.told}.", style=f"bold {GRADE_STYLES[reveal.grade]}")
        if reveal.said:
            yield Text.assemble(("You: ", "dim"), clean(reveal.said))
        if reveal.answer:
            yield Text.assemble(("Ruling: ", "dim"), (clean(reveal.answer), "bold"))

    def _rules(self, reveal: Reveal) -> Iterable[Padding | Text]:
        for place, number in enumerate(reveal.rules):
            if place == 0 or number.head != reveal.rules[place - 1].head:
                yield Text(ARROW.join(path_to(number, self.corpus)), style="dim")
            yield _indented(self.rule(number))

    def _guessed(self, reveal: Reveal) -> Iterable[Padding | Text]:
        """The rule that was named instead, with the words marked in which it differs."""
        guess = reveal.guess
        if guess is None or guess in reveal.rules or guess not in self.corpus.by_number:
            return
        text, _, told = self.side_by_side(guess, reveal.rules[0])
        yield Text(f"You named {guess}; beside {reveal.rules[0]}: {told}", style="dim")
        if told != THE_SAME:
            yield _indented(text)

    def look_alikes(self, reveal: Reveal) -> Iterable[Padding | Text]:
        """The rules easily taken for the decisive one, with the words marked in which they differ."""
        sides = [(number, *self.side_by_side(number, reveal.rules[0])) for number in self._others(reveal)]
        marks = next((f"; {told}" for *_, told in sides if told.startswith(MARKED)), "")
        if sides:
            yield Text(f"Easily taken for {reveal.rules[0]}{marks}:", style="dim")
        for number, text, _, told in sides:
            shown = Text(str(number), style="bold cyan") if told == THE_SAME else text
            note = "" if told.startswith(MARKED) or (not marks and told != THE_SAME) else f" ({told})"
            yield _indented(Text.assemble(shown, (note, "dim")))

    def _others(self, reveal: Reveal) -> list[RuleNumber]:
        return [number for number in reveal.look_alikes if number not in (reveal.guess, *reveal.rules)]

    def browse(self, number: RuleNumber) -> None:
        """A rule with its subrules; of a section or chapter, what stands in it."""
        self.line(ARROW.join(path_to(number, self.corpus)), "dim")
        if number.rule is None:
            inside = self._inside(number)
            for other, title in inside:
                self.console.print(_indented(Text.assemble((f"{other} ", "bold cyan"), title)))
            return
        for rule in self.corpus.under(number):
            self.console.print(_indented(self.rule(rule.number)))

    def _inside(self, number: RuleNumber) -> list[tuple[RuleNumber, str]]:
        if number.section < 10:
            return [(n, title) for n, title in self.corpus.titles.items() if n.section >= 10 and n.chapter == number]
        return [(r.number, _first_words(r.text)) for r in self.corpus.under(number) if not r.number.letter]

    def search(self, words: str) -> None:
        """The families that match."""
        self._finder = self._finder or Finder(self.corpus)
        found = self._finder.find(words, FOUND)
        if not found.matches:
            self.error(f"nothing matches {words[:60]!r}; try fewer or other words, or part of a number: s 702")
            return
        for match in found.matches:
            self.line(f"{match.number} {match.title}", "bold cyan")
            for rule in [rule for rule in match.rules if rule.number in match.hits][:3]:
                self.console.print(_indented(Text(f"{rule.number} {_first_words(rule.text)}")))
        if found.total > len(found.matches):
            self.line(f"… and {found.total - len(found.matches)} more; add a word. b NUMBER shows one in full.", "dim")
        else:
            self.line("b NUMBER shows one in full.", "dim")

    def result(self, result: Result, now: datetime) -> None:
        """How a session went."""
        name = "Exam" if result.session.plan.exam else "Session"
        self.line()
        self.line(f"{name}: {points(result.score)} in {clock(result.seconds)}", "bold")
        if len(result.chapters) > 1 or result.session.plan.exam:
            for chapter, score in result.chapters.items():
                self.line(f"  {chapter} {self.corpus.titles.get(RuleNumber(chapter), '')}: {points(score)}")
        if result.nearness and not result.session.plan.exam:
            self.line("  " + "; ".join(f"{count} × {told}" for told, count in result.told.items()), "dim")
        if result.unanswered:
            self.line(f"  {result.unanswered} not answered", "dim")
        soon = [row.due for row in result.rows if row.due]
        if soon and not result.session.plan.exam:
            self.line(f"  The first of these comes again {when(min(soon), now)}.", "dim")

    def sheet(self, result: Result) -> None:
        """Each question of an exam with the guess, the rules and our ruling."""
        session, plan = result.session, result.session.plan
        begun, source = local(session.started), self.corpus.source.public
        self.line("\nThe sheet", "bold")
        self.line(f"{session.profile} · {begun.day} {begun:%B %Y, %H:%M} · {edition_line(self.corpus.name, source)}")
        self.line(f"{DRILL_NAMES[plan.drill]} · {plan.filters} · {f'from {plan.deck} · ' if plan.deck else ''}seed {plan.seed}")
        if source.notice:
            self.line(source.notice)
        for row in result.rows:
            mark = {"right": "1", "half": "½", "wrong": "0"}.get(row.grade, "not graded")
            guess = self._guess_of(row)
            self.console.print(Text(f"\n{row.place}. {clean(row.question.question)}", style="bold"))
            self.console.print(Text(f"   You: {guess}   points: {mark}", style=GRADE_STYLES[row.grade]))
            if row.said:
                self.console.print(_indented(Text(f"You said: {clean(row.said)}"), 3))
            if row.answer:
                self.console.print(_indented(Text(f"Ruling: {clean(row.answer)}"), 3))
            self.console.print(_indented(self.rule(row.rules[0]), 3))
            if row.rules[1:]:
                self.console.print(_indented(Text(f"with {', '.join(str(n) for n in row.rules[1:])}"), 3))

    def _guess_of(self, row: Reveal) -> str:
        if row.nearness is None:
            return row.grade or "not graded"
        return f"{row.guess} ({row.told})" if row.guess else "no answer"


def unfinished(session: Session) -> str:
    """A session as it is offered to go on with: "find the rule, 4 of 10 answered, begun on 3 May at 21:40"."""
    begun = local(session.started)
    kind = "an exam" if session.plan.exam else "a session"
    name = DRILL_NAMES[session.plan.drill]
    at = f"{begun.day} {begun:%B} at {begun:%H:%M}"
    return f"{kind} ({name}), {len(session.answers)} of {len(session.items)} answered, begun on {at}"


def _indented(text: Text, by: int = 2) -> Padding:
    return Padding(text, (0, 0, 0, by), expand=False)


def _first_words(text: str, most: int = 90) -> str:
    line = clean(text.split("\n")[0])
    return line if len(line) <= most else line[:most].rsplit(" ", 1)[0] + " …"


def utc_now() -> datetime:
    return datetime.now(UTC)
