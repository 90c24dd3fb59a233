"""What is asked, as HTML: a situation with the means to answer it, and the places of an exam."""

from index.bank import Question
from index.cards import Cards, name_key
from index.errors import RulesError
from index.numbers import RuleNumber
from ui.cards import card_face
from ui.library import Library
from ui.pages.browse import tree
from ui.text import esc, ref
from ui.train.screen import clock
from ui.train.session import Session, Task
from ui.train.trainer import LONGEST_SAID
from ui.train.views import counted

SURE = (25, 50, 75, 95)
"""Percent of own confidence that can be chosen."""


class Asked:
    """What is asked now."""

    def __init__(self, library: Library, cards: Cards | None) -> None:
        self.writer = library.writer
        self.corpus = library.corpus
        self._cards = cards

    def html(self, session: Session, task: Task, flash: str = "") -> str:
        """A question with the means to answer it."""
        drill = session.plan.drill
        form = {"rule": self._rule, "ruling": self._ruling, "contrast": self._contrast}[drill](session, task)
        finder = self._finder() if drill == "rule" else ""
        return (
            f'<section class="training task" aria-label="Question {task.place} of {task.of}" data-session="{session.id}" '
            f'data-place="{task.place}" data-drill="{drill}">{self._head(session, task)}'
            f"{f'<p class=flash>{esc(flash)}</p>' if flash else ''}{self.situation(task.question)}{form}{finder}</section>"
        )

    def _head(self, session: Session, task: Task) -> str:
        exam = session.plan.exam
        done = len(session.answers) if exam else task.place - 1
        left = f'<p class="clock" data-clock role="timer">{clock(task.seconds_left)}</p>' if task.seconds_left is not None else ""
        answered = len(session.answers)
        ask = _exam_ask(session) if exam else f"End this session? {answered} of {task.of} answered; that is kept."
        end = (
            f'<button type="button" class="end" data-do="finish" data-confirm="{esc(ask)}" '
            f'data-yes="{"End the exam" if exam else "End it"}">{"End exam" if exam else "End"}</button>'
        )
        places = _places(session, task.place) if exam else ""
        return (
            f'<header class="task-head"><p class="at"><b>Question {task.place}</b> of {task.of}</p>'
            f'<progress max="{task.of}" value="{done}" aria-label="Answered">{done}</progress>{left}{end}</header>{places}'
        )

    def situation(self, question: Question) -> str:
        """The question, with the texts of the cards in it where they are known."""
        facts = [f"level {question.level}"] if question.level else []
        facts += [question.kind] if question.kind else []
        told = f'<p class="small facts-line">{esc(" · ".join(facts))}</p>' if facts else ""
        text = self.writer.text(question.question)
        return f'<h1 class="situation" dir="auto" tabindex="-1">{text}</h1>{told}{self._faces(question)}'

    def _faces(self, question: Question) -> str:
        if not self._cards or not question.cards:
            return ""
        keys = [name_key(name) for name in question.cards]
        try:
            found = self._cards.named(keys)
        except RulesError:
            return ""
        cards = [found[key].cards[0] for key in dict.fromkeys(keys) if key in found]
        faces = "".join(card_face(face, self.writer) for card in cards for face in card.faces)
        return f'<div class="named" role="group" aria-label="Cards in the question">{faces}</div>' if faces else ""

    def _rule(self, session: Session, task: Task) -> str:
        given = task.given.guess if task.given else ""
        exam = session.plan.exam
        unknown = "" if exam else '<button type="button" data-do="answer" data-blank>I don’t know</button>'
        return (
            '<form class="guess" data-form="answer"><label class="field wide">Which rule decides it? '
            f'<input name="guess" data-focus maxlength="60" autocomplete="off" autocapitalize="none" spellcheck="false" '
            f'placeholder="for example 702.19b" value="{esc(given)}"></label><div class="row">'
            f'<button type="submit" class="primary">{"Save and go on" if exam else "Answer"}</button>{unknown}'
            f"{self._later(exam, task)}</div>{self._more(task)}</form>"
        )

    def _ruling(self, session: Session, task: Task) -> str:
        given = task.given.said if task.given else ""
        exam = session.plan.exam
        label = "Your ruling" if exam else "Your ruling, if you like to write it"
        return (
            f'<form class="guess" data-form="answer"><label class="field wide">{label} '
            f'<textarea name="said" data-focus data-enter rows="3" maxlength="{LONGEST_SAID}">{esc(given)}</textarea></label>'
            f'<div class="row"><button type="submit" class="primary">{"Save and go on" if exam else "Show the ruling"}</button>'
            f"{self._later(exam, task)}</div>{_sure(task)}</form>"
        )

    def _contrast(self, session: Session, task: Task) -> str:
        assert task.pair is not None
        exam = session.plan.exam
        given = task.given.guess if task.given else ""
        rules = "".join(self._choice(key, number, str(number) == given) for key, number in enumerate(task.pair, 1))
        unknown = "" if exam else '<button type="button" data-do="answer" data-blank>I don’t know</button>'
        return (
            f'<form class="guess" data-form="answer"><p class="asks">Which of these two rules decides it?</p>'
            f'<div class="pair">{rules}</div><div class="row">{unknown}{self._later(exam, task)}</div>{_sure(task)}</form>'
        )

    def _choice(self, key: int, number: RuleNumber, chosen: bool) -> str:
        rule = self.corpus.rule(number)
        mark = ' <span class="badge">your answer</span>' if chosen else ""
        return (
            f'<article class="rule-card"><header><h2>{ref(number, css="ref number")} '
            f'<span class="title">{esc(self.writer.title(number))}</span></h2>{mark}</header>'
            f'<p class="text">{self.writer.text(rule.text)}</p>'
            f'<button type="button" class="choice" data-do="answer" data-guess="{number}" data-key="{key}">'
            f'<kbd>{key}</kbd> This one<span class="sr">: {number}</span></button></article>'
        )

    @staticmethod
    def _later(exam: bool, task: Task) -> str:
        """What can be done in an exam besides answering."""
        back = (
            '<button type="button" data-do="answer" data-back title="Take the answer back">Clear</button>' if task.given else ""
        )
        return f'<button type="button" data-do="go" data-skip>Later</button>{back}' if exam else ""

    @staticmethod
    def _more(task: Task) -> str:
        """The ruling in words and the own confidence, both optional."""
        given = task.given.said if task.given else ""
        return (
            f'{_sure(task)}<details class="say"{" open" if given else ""}><summary>Give the ruling too</summary>'
            f'<label class="field wide">The ruling in your words <textarea name="said" data-enter rows="3" '
            f'maxlength="{LONGEST_SAID}">{esc(given)}</textarea></label></details>'
        )

    def _finder(self) -> str:
        """The rulebook beside the question."""
        return (
            '<section class="finder" aria-label="Find it in the rulebook"><h2>Find it in the rulebook</h2>'
            '<div id="find"><label><span>Words, a title or a number</span><input name="query" autocomplete="off" '
            'maxlength="200" placeholder="for example lethal damage"></label></div><div class="found" aria-live="off"></div>'
            f'<details class="rulebook"><summary>Browse the contents</summary><nav class="tree" '
            f'aria-label="Contents of the rules">{tree(self.corpus)}</nav></details></section>'
        )

    def all_answered(self, session: Session, left: float | None) -> str:
        """An exam in which nothing is open any more."""
        clock_shown = f'<p class="clock" data-clock role="timer">{clock(left)}</p>' if left is not None else ""
        return (
            f'<section class="training task" aria-label="Exam" data-session="{session.id}"><header class="task-head">'
            f'<p class="at"><b>{len(session.answers)}</b> of {len(session.items)} answered</p>{clock_shown}</header>'
            f'{_places(session, 0)}<h1 class="situation" tabindex="-1" data-focus>All questions have an answer</h1>'
            "<p>Go back to any of them and change it, or hand in.</p>"
            '<div class="row"><button type="button" class="primary" data-do="finish" data-key="n">Hand in and see the result'
            "</button></div></section>"
        )


def _exam_ask(session: Session) -> str:
    missing = len(session.items) - len(session.answers)
    have = "has" if missing == 1 else "have"
    open_ones = f"{counted(missing, 'question')} {have} no answer yet. " if missing else ""
    return f"{open_ones}End the exam and see the result?"


def _sure(task: Task) -> str:
    given = task.given.confidence if task.given else None
    items = "".join(
        f'<label class="pick"><input type="radio" name="confidence" value="{n}"{" checked" * (n == given)}>'
        f"<span>{n}%</span></label>"
        for n in SURE
    )
    return f'<fieldset class="picks sure"><legend>How sure? (optional)</legend>{items}</fieldset>'


def _places(session: Session, here: int) -> str:
    """The questions of an exam, to go to any."""
    items = []
    for place in range(1, len(session.items) + 1):
        answered = place in session.answers
        name = f"Question {place}, {'answered' if answered else 'open'}"
        css = "answered" if answered else "open"
        current = ' aria-current="true"' if place == here else ""
        items.append(
            f'<li><button type="button" class="{css}" data-do="go" data-at="{place}" aria-label="{name}"{current}>'
            f"{place}</button></li>"
        )
    return f'<nav class="places" aria-label="Questions of the exam"><ol>{"".join(items)}</ol></nav>'
