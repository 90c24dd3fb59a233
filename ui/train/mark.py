"""An answer is marked: how near the guess was, what it is worth, and the review that it becomes."""

import uuid
from collections.abc import Sequence
from datetime import datetime

from index.bank import Question
from index.numbers import RuleNumber
from ui.train.near import Nearness, Relations, nearness, rating_of, said
from ui.train.rows import Review
from ui.train.session import Answered, Item, Session

RATINGS = {"right": 3, "half": 2, "wrong": 1}
"""What a grade means to FSRS."""


def grade_of(near: Nearness, drill: str) -> str:
    """What a guess is worth; in the contrast drill the other rule is simply wrong."""
    if near == Nearness.EXACT or drill != "rule":
        return "right" if near == Nearness.EXACT else "wrong"
    return {3: "right", 2: "half"}.get(rating_of(near), "wrong")


def near_of(item: Item, question: Question, guess: str, relations: Relations) -> Nearness:
    """How near a guess ("" for none) was; of a contrast only the rule of the pair counts."""
    return nearness(RuleNumber.parse(guess) if guess else None, _counting(item, question), relations)


def told(item: Item, question: Question, guess: str, near: Nearness, relations: Relations) -> str:
    """How near a guess was, in words."""
    if item.pair and guess and near != Nearness.EXACT:
        return "the other of the two decides it"
    return said(near, RuleNumber.parse(guess) if guess else None, _counting(item, question), relations)


def _counting(item: Item, question: Question) -> Sequence[RuleNumber]:
    """The rules that a guess is measured by, the decisive one first."""
    return [number for number in question.rules if not item.pair or str(number) in item.pair] or question.rules


def review_of_guess(session: Session, item: Item, question: Question, answered: Answered, relations: Relations) -> Review:
    """The review that a guess becomes in the rule and contrast drills."""
    near = near_of(item, question, answered.guess, relations)
    grade = grade_of(near, session.plan.drill)
    at = answered.at or session.started
    return _review(session, item.key, session.plan.drill, question, answered, at, grade, near, answered.guess)


def review_of_ruling(session: Session, question: Question, answered: Answered, grade: str, at: datetime) -> Review:
    """The review of the ruling drill that the trainee's own grade becomes."""
    return _review(session, item_key(session.plan.deck, question.id), "ruling", question, answered, at, grade)


def _review(
    session: Session,
    key: str,
    drill: str,
    question: Question,
    answered: Answered,
    at: datetime,
    grade: str,
    near: Nearness | None = None,
    guess: str = "",
) -> Review:
    return Review(
        uid=uuid.uuid4().hex,
        item=key,
        drill=drill,
        at=at,
        rating=RATINGS[grade],
        nearness=str(near or ""),
        grade=grade,
        guess=guess,
        said=answered.said,
        confidence=answered.confidence,
        seconds=answered.seconds,
        session=session.id,
        place=answered.place,
        rule=str(question.rules[0]),
        kind=question.kind,
        level=question.level,
    )


def item_key(deck: str, question: str) -> str:
    """Under which key a question's reviews stand."""
    return f"{deck}:{question}" if deck else question
