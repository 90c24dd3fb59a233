"""Exams: what is left unanswered or taken back; how a result is told."""

# ruff: noqa: F811 (a test's argument has the name of the fixture that it takes)

import pytest

from index.errors import RulesError
from tests.test_train_trainer import RULES, Clock, an_exam, asked, clock, index, run_through, trainer  # noqa: F401
from ui.train.filters import Filters
from ui.train.session import Plan
from ui.train.trainer import Trainer


def test_what_an_exam_left_unanswered_is_missed(trainer: Trainer, clock: Clock) -> None:
    session = an_exam(trainer)
    right = [RULES[question] for question in asked(session)]
    trainer.answer(session, 1, right[0])
    trainer.answer(session, 2, "100.1")
    assert trainer.missed("Anna", "rule") == set()
    clock.tick(minutes=3)
    trainer.finish(session)
    assert trainer.missed("Anna", "rule") == set(asked(session)[1:])
    assert trainer.missed("Anna", "contrast") == set()
    clock.tick(minutes=3)
    again = trainer.start("Anna", Plan(missed=True))
    assert sorted(asked(again)) == sorted(asked(session)[1:])
    run_through(trainer, again, RULES.__getitem__)
    assert trainer.missed("Anna", "rule") == set()


def test_an_answer_of_an_exam_can_be_taken_back(trainer: Trainer) -> None:
    session = an_exam(trainer)
    for guess in ("100.1", "", ""):
        assert trainer.answer(session, 1, guess, confidence=50) is None
    trainer.answer(session, 2, "", said="only words")
    assert set(trainer.resume(session).answers) == {2}
    trainer.finish(session)
    with pytest.raises(RulesError, match="has ended"):
        trainer.answer(session, 2, "")
    assert trainer.result(session).unanswered == 2
    assert len(trainer.progress.reviews("Anna")) == 1


def test_a_result_tells_what_each_reveal_told(trainer: Trainer) -> None:
    session = trainer.start("Anna", Plan("contrast", length=1, seed=1))
    task = trainer.task(session)
    assert task is not None
    assert task.pair is not None
    reveal = trainer.answer(session, 1, next(str(n) for n in task.pair if n not in task.question.rules))
    assert reveal is not None
    assert reveal.told == "the other of the two decides it"
    assert dict(trainer.result(session).told) == {reveal.told: 1}
    rules = trainer.start("Anna", Plan(length=2, filters=Filters(sections=frozenset({702})), seed=1))
    run_through(trainer, rules, lambda question: "702" if question == asked(rules)[0] else "702.21a")
    assert list(trainer.result(rules).told.values()) == [1, 1]  # of one nearness, and told of differently
