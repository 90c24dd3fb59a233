"""What is revealed, as HTML: the verdict, the rules that decide, look-alikes, and how a session went."""

from collections.abc import Iterable
from datetime import datetime

from index.corpus import Corpus
from index.numbers import RuleNumber
from ui.cards import examples
from ui.library import Library
from ui.plain import NOTICE, edition_line
from ui.text import esc, ref, snippet
from ui.train.alike import THE_SAME, Compared, Piece, compared
from ui.train.plots import bars
from ui.train.screen import clock, points, when
from ui.train.session import GRADES, Result, Reveal, Session
from ui.train.views import KEYS, about, begin, counted, note

VERDICTS = {"right": "Right", "half": "Half right", "wrong": "Not it"}
MARKS = {"right": "✓", "half": "½", "wrong": "✗", "": "?"}
OPEN = 2
"""So many comparisons with other rules are unfolded."""


class Revealed:
    """Shows reveals and results of one rulebook."""

    def __init__(self, library: Library) -> None:
        self.writer = library.writer
        self.corpus: Corpus = library.corpus

    def html(self, session: Session, shown: Reveal, situation: str, now: datetime) -> str:
        """What is shown after an answer.

        Args:
            situation: the question as it was shown.
        """
        place, of, done = shown.place, len(session.items), len(session.answers)
        graded = session.plan.drill == "ruling" and not shown.own_grade
        go_on = "" if graded else self._next(session)
        again = f'<p class="small">This comes again {esc(when(shown.due, now))}.</p>' if shown.due else ""
        late = f'<p class="flash">{esc(sentence(shown.already))}.</p>' if shown.late else ""
        return (
            f'<section class="training task revealed" aria-label="Question {place} of {of}" data-session="{session.id}" '
            f'data-place="{place}"><header class="task-head"><p class="at"><b>Question {place}</b> of {of}</p>'
            f'<progress max="{of}" value="{done}" aria-label="Answered">{done}</progress></header>'
            f"{situation}{late}{self._verdict(session, shown, go_on)}{self._said(shown)}{self.ruling(shown)}"
            f"{self._grading(session, shown)}{self.rules(shown)}{self._alike(shown)}{again}{self._moved(shown)}"
            f"{f'<div class=row>{go_on}</div>' if go_on else ''}</section>"
        )

    @staticmethod
    def _next(session: Session) -> str:
        done = session.finished is not None or not session.pending
        label = "See the result" if done else "Next question"
        return f'<button type="button" class="primary" data-do="go" data-key="n">{label}</button>'

    def _verdict(self, session: Session, shown: Reveal, go_on: str) -> str:
        if shown.nearness is None:
            heading = f"You graded it {shown.own_grade}"
            return f'<div class="verdict"><h2 tabindex="-1" data-focus>{heading}</h2>{go_on}</div>' if shown.own_grade else ""
        return (
            f'<div class="verdict {shown.grade}"><div><h2 tabindex="-1" data-focus>{VERDICTS[shown.grade]}</h2>'
            f"<p>{self.nearness(shown)}</p></div>{go_on}</div>"
        )

    def nearness(self, shown: Reveal) -> str:
        """How near a guess was, in words."""
        assert shown.nearness is not None
        if shown.guess is None:
            return "No rule was named."
        return f"You named {ref(shown.guess, title=self.writer.title(shown.guess))}: {esc(shown.told)}."

    @staticmethod
    def _said(shown: Reveal) -> str:
        if not shown.said:
            return ""
        return f'<section class="yours"><h3>Your ruling</h3><p class="text" dir="auto">{esc(shown.said)}</p></section>'

    def ruling(self, shown: Reveal) -> str:
        if not shown.answer:
            return ""
        focus = ' tabindex="-1" data-focus' if shown.nearness is None and not shown.own_grade else ""
        return (
            f'<section class="known ours"><h3{focus}>Our ruling <span class="small">our own, not official</span></h3>'
            f'<p class="ruling" dir="auto">{self.writer.text(shown.answer)}</p></section>'
        )

    @staticmethod
    def _grading(session: Session, shown: Reveal) -> str:
        """Buttons by which a ruling is graded, where there is one to grade."""
        if shown.own_grade:
            return "" if session.plan.drill == "ruling" else f'<p class="small">You graded your ruling {shown.own_grade}.</p>'
        if session.plan.drill != "ruling" and not (shown.said and shown.answer):
            return ""
        buttons = "".join(
            f'<button type="button" class="grade {grade}" data-do="grade" data-grade="{grade}" data-key="{KEYS[grade]}">'
            f"<kbd>{KEYS[grade]}</kbd> {grade.capitalize()}</button>"
            for grade in GRADES
        )
        asked = "How was your ruling?"
        return (
            f'<div class="grades" role="group" aria-label="{asked}"><p><b>{asked}</b></p><div class="row">{buttons}</div></div>'
        )

    def rules(self, shown: Reveal) -> str:
        """The rules that decide, each with its way down and its exact text."""
        items = "".join(self._rule(number, decisive=place == 0) for place, number in enumerate(shown.rules))
        title = "The rule that decides it" if len(shown.rules) == 1 else "The rules that decide it"
        return f'<section class="deciding" aria-label="{title}"><h3>{title}</h3>{items}</section>'

    def _rule(self, number: RuleNumber, *, decisive: bool) -> str:
        rule = self.corpus.rule(number)
        badge = ' <span class="badge">decides it</span>' if decisive else ""
        return (
            f'<article class="rule-card">{self.way(number)}<header><h4>{ref(number, css="ref number")}</h4>{badge}</header>'
            f'<p class="text">{self.writer.text(rule.text)}</p>{examples(rule.examples, self.writer)}</article>'
        )

    def way(self, number: RuleNumber) -> str:
        """Chapter › section › family, each a link."""
        steps = [(number.chapter, self.corpus.titles.get(number.chapter, "")), (number.head, self.writer.title(number.head))]
        family = self.corpus.by_number.get(number.family)
        if family is not None and family.is_heading:
            steps.append((number.family, family.text))
        links = "".join(f"<li>{ref(step, f'{step} {title}')}</li>" for step, title in steps)
        return f'<nav class="crumbs" aria-label="Where {number} stands"><ol>{links}</ol></nav>'

    def _alike(self, shown: Reveal) -> str:
        """The guess and the look-alikes beside the rule that decides, with the differing words marked."""
        decisive = self._decisive(shown)
        others = [(number, "Easily taken for it") for number in shown.look_alikes if number not in shown.rules]
        if shown.pair:
            others.insert(0, (next(n for n in shown.pair if n != decisive), "The other of the two"))
        named = self.corpus.by_number.get(shown.guess) if shown.guess and shown.guess not in shown.rules else None
        if named is not None and not named.is_heading:
            others.insert(0, (named.number, "You named"))
        once = dict(reversed(others))
        parts = [self._compared(decisive, number, once[number]) for number in dict.fromkeys(number for number, _ in others)]
        if not parts:
            return ""
        more = "".join(parts[OPEN:])
        folded = f"<details><summary>{len(parts) - OPEN} more</summary>{more}</details>" if more else ""
        title = f"Beside {decisive}"
        return f'<section class="alike" aria-label="{title}"><h3>{title}</h3>{"".join(parts[:OPEN])}{folded}</section>'

    @staticmethod
    def _decisive(shown: Reveal) -> RuleNumber:
        return next((number for number in shown.rules if shown.pair and number in shown.pair), shown.rules[0])

    def _compared(self, decisive: RuleNumber, other: RuleNumber, why: str) -> str:
        found: Compared = compared(self.corpus.rule(decisive).text, self.corpus.rule(other).text)
        head = f'{ref(other, css="ref number")} <span class="title">{esc(why)}; {esc(found.told)}</span>'
        if found.told == THE_SAME:  # a comparison would show the same text twice
            return f'<div class="pair"><article class="rule-card"><header><h4>{head}</h4></header></article></div>'
        return (
            f'<div class="pair"><article class="rule-card right"><header><h4>{ref(decisive, css="ref number")} '
            f'<span class="title">decides it</span></h4></header><p class="text">{_marked(found.first)}</p></article>'
            f'<article class="rule-card"><header><h4>{head}</h4></header><p class="text">{_marked(found.second)}</p></article>'
            "</div>"
        )

    @staticmethod
    def _moved(shown: Reveal) -> str:
        return f'<p class="small">This question was {esc(shown.moved)}.</p>' if shown.moved else ""

    def result(self, result: Result, missed: int, now: datetime) -> str:
        """How a session went, with what can be done next.

        Args:
            missed: how many questions of this drill were missed and not mended since.
        """
        session, exam = result.session, result.session.plan.exam
        name = "Exam" if exam else "Session"
        score = points(result.score) if result.score.of else "Nothing answered"
        took = f" in {clock(result.seconds)}" if result.seconds >= 1 else ""
        return (
            f'<section class="training result" aria-label="Result" data-session="{session.id}">'
            f'<h1 tabindex="-1" data-focus>{name}: {esc(score)}</h1><p class="small">{esc(about(session.plan))}{took}</p>'
            f"{self._ungraded(result)}{self._after(result, missed, now)}{self._nearnesses(result)}{self._chapters(result)}"
            f"{self._rows(result)}{self.sheet(result) if exam else ''}</section>"
        )

    @staticmethod
    def _ungraded(result: Result) -> str:
        ruling = result.session.plan.drill == "ruling" and result.session.plan.exam
        count = sum(not row.own_grade for row in result.rows if row.place in result.session.answers) if ruling else 0
        return note(f"Grade your rulings below: {counted(count, 'ruling')} to go. The score follows.") if count else ""

    @staticmethod
    def _after(result: Result, missed: int, now: datetime) -> str:
        from dataclasses import replace

        plan = replace(result.session.plan, seed=None)
        buttons = []
        if missed:
            again = replace(plan, missed=True, exam=False, minutes=None, length=min(missed, plan.length))
            buttons.append(begin("Missed ones again", again, counted(again.length, "question"), "go primary"))
        alike = replace(plan, missed=False) if plan.missed else plan
        buttons.append(begin("Once more like this", alike, f"{counted(plan.length, 'question')} at the most"))
        buttons.append('<button type="button" class="go" data-do="start" data-key="n"><b>New session</b></button>')
        buttons.append('<a class="go" href="/progress"><b>Progress</b></a>')
        soon = [row.due for row in result.rows if row.due]
        told = f'<p class="small">The first of these comes again {esc(when(min(soon), now))}.</p>' if soon else ""
        return f'<div class="others">{"".join(buttons)}</div>{told}{_print() if plan.exam else ""}'

    @staticmethod
    def _nearnesses(result: Result) -> str:
        if not result.told:
            return ""
        items = "".join(f"<li><b>{count}</b> {esc(told)}</li>" for told, count in result.told.items())
        return f'<section><h2>How near</h2><ul class="near">{items}</ul></section>'

    def _chapters(self, result: Result) -> str:
        if not result.chapters:
            return ""
        rows = [(f"{n} {self.corpus.titles.get(RuleNumber(n), '')}", score) for n, score in result.chapters.items()]
        return f"<section>{bars('By chapter', rows)}</section>"

    def _rows(self, result: Result) -> str:
        items = "".join(self._row(result.session, row) for row in result.rows)
        return f'<section><h2>The questions</h2><ol class="rows">{items}</ol></section>' if items else ""

    def _row(self, session: Session, row: Reveal) -> str:
        answered = row.place in session.answers
        grade = row.grade if answered else "wrong"
        near = self.nearness(row) if row.nearness is not None else ""
        grading = self._grading(session, row) if answered else ""
        look = f'<button type="button" class="plain" data-do="go" data-at="{row.place}">Look-alikes</button>'
        name = grade or "not graded"
        return (
            f'<li data-session="{session.id}" data-place="{row.place}"><details{" open" if grading else ""}><summary>'
            f'<span class="mark {grade}" title="{name}">{MARKS[grade]}<span class="sr"> {name}, </span></span>'
            f"{row.place}. {esc(snippet(row.question.question, 110))}</summary>"
            f'<p class="text">{self.writer.text(row.question.question)}</p><p>{near}</p>{self._said(row)}{self.ruling(row)}'
            f"{grading}{self.rules(row)}{self._moved(row)}{look}</details></li>"
        )

    def sheet(self, result: Result) -> str:
        """The exam on paper; the page hides it, the printer shows nothing else. Without answers it is to be handed out."""
        session = result.session
        corpus = self.corpus
        head = f"{edition_line(corpus.name, corpus.source)}. {corpus.source.notice}".strip()
        minutes = round((session.deadline - session.started).total_seconds() / 60) if session.deadline else 0
        time = f", {minutes} minutes" if minutes else ""
        asked = "".join(f"<li>{self._question(row)}{self._solution(row)}</li>" for row in result.rows)
        by = "; ".join(f"{n} {corpus.titles.get(RuleNumber(n), '')}: {points(s)}" for n, s in result.chapters.items())
        return (
            '<article class="sheet" aria-hidden="true"><h2>Rules exam</h2>'
            f"<p>{counted(len(result.rows), 'question')}{time}: {esc(about(session.plan))}</p>"
            f'<p class="to-fill">Name: <span></span> Date: <span></span></p><p class="solved">{esc(session.profile)}, '
            f"{session.started:%Y-%m-%d}: <b>{esc(points(result.score))}</b></p>"
            f'<p class="solved">{esc(by)}</p><ol>{asked}</ol><p class="foot">{esc(head)}</p><p class="foot">{esc(NOTICE)}</p>'
            "</article>"
        )

    def _question(self, row: Reveal) -> str:
        pair = "".join(f"<p><b>{n}</b> {esc(self.corpus.rule(n).text)}</p>" for n in row.pair or ())
        return f'<p class="q">{esc(row.question.question)}</p>{pair}<p class="to-fill">Rule: <span></span></p>'

    def _solution(self, row: Reveal) -> str:
        guess = f"{row.guess} ({row.told})" if row.guess and row.nearness else "no answer"
        if row.nearness is None:
            guess = row.said or "no answer"
        texts = "".join(f"<p><b>{n}</b> {esc(self.corpus.rule(n).text)}</p>" for n in row.rules)
        ruling = f"<p>Our ruling: {esc(row.answer)}</p>" if row.answer else ""
        return f'<div class="solved"><p>Answer: {esc(guess)}. {esc(row.grade or "not graded")}.</p>{ruling}{texts}</div>'


def _print() -> str:
    return (
        '<div class="row"><button type="button" data-print="solved">Print the sheet</button>'
        '<button type="button" data-print="blank">Print it without answers</button></div>'
    )


def _marked(pieces: Iterable[Piece]) -> str:
    return "".join(f'<mark class="differs">{esc(p.text)}</mark>' if p.differs else esc(p.text) for p in pieces)


def sentence(text: str) -> str:
    """A text that begins with a capital, as a sentence of its own does."""
    return text[:1].upper() + text[1:]
