"""Sessions from start to result: drills, exams, own sets, what comes first."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from index.corpus import Corpus
from index.errors import RulesError
from index.store import Index, load
from tests.serving import lines, trained_index
from tests.tiny import HashEncoder
from ui.train.deck import Deck
from ui.train.filters import Filters
from ui.train.near import Nearness
from ui.train.progress import Progress
from ui.train.rows import Review
from ui.train.session import Plan, Score, Session
from ui.train.trainer import GRACE, Trainer

START = datetime(2025, 3, 4, 9, 30, tzinfo=UTC)
ROWS: list[dict[str, Any]] = [
    {"id": "t1", "question": "A 5/5 trampler meets a 2/2?", "answer": "Three go through.", "rules": ["702.19b"], "level": 1},
    {"id": "t2", "question": "Its only blocker left combat. Hit the player?", "answer": "Yes.", "rules": ["702.19c"], "level": 2},
    {"id": "d1", "question": "Deathtouch and trample?", "answer": "One is enough.", "rules": ["702.2c", "702.19b"], "level": 2},
    {"id": "d2", "question": "One damage by deathtouch?", "answer": "It dies.", "rules": ["702.2b"], "level": 1},
    {"id": "s1", "question": "When is my hurt creature gone?", "answer": "At once.", "rules": ["704.5g"], "level": 3},
    {"id": "s2", "question": "My walker is at zero?", "answer": "It goes to the graveyard.", "rules": ["704.5i"], "level": 1},
    {"id": "g1", "question": "Two cards disagree?", "answer": "No wins.", "rules": ["101.2"], "level": 1},
]
RULES = {row["id"]: row["rules"][0] for row in ROWS}


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.at = START

    def __call__(self) -> datetime:
        return self.at

    def tick(self, **by: float) -> None:
        self.at += timedelta(**by)


@pytest.fixture(scope="module")
def index(tiny_corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Index:
    return load(trained_index(tiny_corpus, tmp_path_factory.mktemp("trained"), ROWS), HashEncoder())


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def trainer(index: Index, tmp_path: Path, clock: Clock) -> Trainer:
    progress = Progress(tmp_path / "training.sqlite")
    progress.add_profile("Anna")
    return Trainer(index, progress, now=clock)


def asked(session: Session) -> list[str]:
    return [item.question for item in session.items]


def run_through(trainer: Trainer, session: Session, guess: Callable[[str], str]) -> None:
    while task := trainer.task(session):
        trainer.answer(session, task.place, guess(task.question.id))


def test_the_rule_drill(trainer: Trainer, clock: Clock) -> None:
    session = trainer.start("anna", Plan(length=3, filters=Filters(keyword="trample"), seed=1))
    assert session.profile == "Anna"
    assert sorted(asked(session)) == ["d1", "t1", "t2"]
    guesses = {"t1": " CR 702.19B.", "t2": "702.19b", "d1": "702.19b"}
    seen = {}
    while task := trainer.task(session):
        assert (task.of, task.seconds_left, task.reveal) == (3, None, None)
        reveal = trainer.answer(session.id, task.place, guesses[task.question.id], confidence=80, seconds=2.5)
        assert reveal is not None
        seen[task.question.id] = reveal
        clock.tick(seconds=10)
    nearness = {name: (reveal.nearness, reveal.grade) for name, reveal in seen.items()}
    expected = {"t1": (Nearness.EXACT, "right"), "t2": (Nearness.FAMILY, "half"), "d1": (Nearness.OTHER, "half")}
    assert nearness == expected
    assert seen["t1"].answer == "Three go through."
    assert seen["t1"].due is not None
    assert seen["t1"].look_alikes
    assert trainer.resume(session).finished == clock.at - timedelta(seconds=10)
    result = trainer.result(session)
    assert result.score == Score(2.0, 3)
    assert result.nearness == {"exact": 1, "family": 1, "other": 1}
    assert result.chapters == {7: Score(2.0, 3)}
    assert (result.seconds, result.unanswered) == (7.5, 0)
    reviews = trainer.progress.reviews("Anna")
    assert {(r.item, r.drill, r.rating, r.grade, r.confidence, r.session) for r in reviews} == {
        ("t1", "rule", 3, "right", 80, session.id),
        ("t2", "rule", 2, "half", 80, session.id),
        ("d1", "rule", 2, "half", 80, session.id),
    }
    assert trainer.open_sessions("Anna") == []


def test_a_second_answer_changes_nothing(trainer: Trainer) -> None:
    session = trainer.start("Anna", Plan(length=2, seed=1))
    first = trainer.answer(session, 1, "100.1")
    again = trainer.answer(session, 1, RULES[asked(session)[0]])
    assert again == first == trainer.reveal(session, 1)
    assert first is not None
    assert again is not None
    assert (first.already, again.already) == ("", "already answered (in another window?): 100.1")
    assert len(trainer.progress.reviews("Anna")) == 1


def test_what_cannot_be_taken_is_refused_and_nothing_kept(trainer: Trainer) -> None:
    session = trainer.start("Anna", Plan(length=2, seed=1))
    for place, guess, confidence in (
        (1, "999.1", 50),
        (1, "hello", 50),
        (1, "702.19b", 101),
        (0, "702.19b", 50),
        (3, "702.19b", 50),
    ):
        with pytest.raises(RulesError):
            trainer.answer(session, place, guess, confidence=confidence)
    for call in (lambda: trainer.reveal(session, 1), lambda: trainer.grade(session, 1, "right"), lambda: trainer.resume("x")):
        with pytest.raises(RulesError):
            call()
    assert trainer.resume(session).answers == {}
    assert trainer.progress.reviews("Anna") == []


def test_a_ruling_said_in_the_rule_drill_may_be_graded(trainer: Trainer) -> None:
    session = trainer.start("Anna", Plan(length=1, seed=1))
    reveal = trainer.answer(session, 1, "", said=" it dies \ud800\0")
    assert reveal is not None
    assert (reveal.said, reveal.nearness, reveal.grade) == ("it dies ?", Nearness.NONE, "wrong")
    with pytest.raises(RulesError, match="no grade"):
        trainer.grade(session, 1, "superb")
    trainer.grade(session, 1, "half")
    trainer.grade(session, 1, "right")  # the first stands
    assert trainer.reveal(session, 1).own_grade == "half"
    found = [(r.drill, r.grade, r.rating, r.nearness) for r in trainer.progress.reviews("Anna")]
    assert sorted(found) == [("rule", "wrong", 1, "none"), ("ruling", "half", 2, "")]


def test_the_ruling_drill(trainer: Trainer) -> None:
    session = trainer.start("Anna", Plan("ruling", length=2, seed=1))
    reveal = trainer.answer(session, 1, said="they both do", confidence=40)
    assert reveal is not None
    assert (reveal.grade, reveal.nearness, reveal.due) == ("", None, None)
    task = trainer.task(session)
    assert task is not None
    assert task.reveal is not None  # shown, and still to be graded: a reload goes on here
    assert (task.place, task.reveal.said) == (1, "they both do")
    session = trainer.grade(session, 1, "wrong")
    assert trainer.reveal(session, 1).due is not None
    trainer.answer(session, 2)
    assert trainer.grade(session, 2, "right").finished
    assert trainer.result(session).score == Score(1.0, 2)
    assert [(r.drill, r.confidence, r.guess) for r in trainer.progress.reviews("Anna")] == [
        ("ruling", 40, ""),
        ("ruling", None, ""),
    ]


def test_the_contrast_drill(trainer: Trainer) -> None:
    session = trainer.start("Anna", Plan("contrast", length=20, seed=1))
    task = trainer.task(session)
    assert task is not None
    assert task.pair is not None
    gold = RULES[task.question.id]
    other = next(str(number) for number in task.pair if str(number) != gold)
    with pytest.raises(RulesError, match="one of the two"):
        trainer.answer(session, 1, "100.1")
    reveal = trainer.answer(session, 1, other)
    assert reveal is not None
    assert (reveal.grade, reveal.pair) == ("wrong", task.pair)
    run_through(trainer, session, RULES.__getitem__)
    result = trainer.result(session)
    assert result.score.points == result.score.of - 1
    keys = {review.item for review in trainer.progress.reviews("Anna")}
    assert keys == {"~".join(item.pair or ()) for item in session.items}
    assert set(trainer.progress.missed("Anna", "contrast")) == {session.items[0].key}


def an_exam(trainer: Trainer, **plan: Any) -> Session:
    return trainer.start("Anna", Plan(**{"exam": True, "minutes": 10, "length": 3, "seed": 2} | plan))


def test_an_exam_reveals_nothing_before_its_end(trainer: Trainer, clock: Clock) -> None:
    session = an_exam(trainer)
    right = [RULES[question] for question in asked(session)]
    task = trainer.task(session)
    assert task is not None
    assert task.seconds_left == 600
    assert trainer.answer(session, 1, "100.1") is None
    assert trainer.answer(session, 1, right[0]) is None  # an answer may be changed
    assert trainer.answer(session, 2, "101.2" if right[1] != "101.2" else "100.1") is None
    for call in (lambda: trainer.reveal(session, 1), lambda: trainer.result(session), lambda: trainer.grade(session, 1, "right")):
        with pytest.raises(RulesError, match="still running"):
            call()
    given = trainer.task(session, 1)
    assert given is not None
    assert given.given is not None
    assert (given.given.guess, given.reveal) == (right[0], None)
    assert trainer.progress.reviews("Anna") == []
    clock.tick(minutes=3)
    trainer.finish(session)
    trainer.finish(session)
    result = trainer.result(session)
    assert result.score == Score(1.0, 3)
    assert (result.unanswered, result.seconds, result.nearness["none"]) == (1, 180, 1)
    assert [row.grade for row in result.rows] == ["right", "wrong", "wrong"]
    assert len(trainer.progress.reviews("Anna")) == 2  # what was never answered is no review
    assert trainer.task(session) is None
    assert trainer.reveal(session, 3).guess is None
    with pytest.raises(RulesError, match="has ended"):
        trainer.answer(session, 3, right[2])


def test_an_exam_ends_by_its_clock(trainer: Trainer, clock: Clock) -> None:
    session = an_exam(trainer)
    right = [RULES[question] for question in asked(session)]
    clock.tick(minutes=10, seconds=GRACE - 1)
    assert trainer.answer(session, 1, right[0]) is None  # it was under way
    assert [s.id for s in trainer.open_sessions("Anna")] == [session.id]
    clock.tick(seconds=2)
    with pytest.raises(RulesError, match="has ended"):
        trainer.answer(session, 2, right[1])
    ended = trainer.resume(session)
    assert ended.finished == session.deadline
    assert trainer.result(ended).score == Score(1.0, 3)
    assert trainer.open_sessions("Anna") == []
    assert len(trainer.progress.reviews("Anna")) == 1


def test_an_exam_left_alone_is_ended_when_it_is_looked_for(trainer: Trainer, clock: Clock) -> None:
    session = an_exam(trainer, minutes=None)
    assert session.deadline == START + timedelta(minutes=6)
    trainer.answer(session, 1, "100.1")
    clock.tick(days=2)
    assert trainer.open_sessions("Anna") == []
    assert len(trainer.progress.reviews("Anna")) == 1


def test_an_exam_of_rulings_is_graded_after_its_end(trainer: Trainer) -> None:
    session = an_exam(trainer, drill="ruling", length=2)
    trainer.answer(session, 1, said="this")
    trainer.finish(session)
    assert trainer.result(session).score == Score(0.0, 2)
    trainer.grade(session, 1, "right")
    with pytest.raises(RulesError, match="none to grade"):
        trainer.grade(session, 2, "right")
    assert trainer.result(session).score == Score(1.0, 2)
    assert [r.grade for r in trainer.progress.reviews("Anna")] == ["right"]


def test_the_same_seed_asks_the_same(trainer: Trainer) -> None:
    one, two, three = (an_exam(trainer, length=5, seed=seed) for seed in (5, 5, 6))
    assert asked(one) == asked(two)
    assert asked(one) != asked(three)
    assert len(asked(trainer.start("Anna", Plan(length=100)))) == len(ROWS)


def test_what_is_due_comes_first_then_new_then_what_is_due_soonest(trainer: Trainer, clock: Clock) -> None:
    first = trainer.start("Anna", Plan(length=3, filters=Filters(chapters=frozenset({7})), seed=1))
    run_through(trainer, first, lambda question: RULES[question] if question == asked(first)[0] else "100.1")
    assert trainer.due("Anna") == {"rule": 0, "ruling": 0, "contrast": 0}
    clock.tick(minutes=2)  # those missed are due after a minute, the right one after ten
    assert trainer.due("Anna")["rule"] == 2
    second = trainer.start("Anna", Plan(length=100, seed=3))
    assert set(asked(second)[:2]) == set(asked(first)[1:])
    assert asked(second)[-1] == asked(first)[0]
    assert sorted(asked(second)) == sorted(RULES)
    third = trainer.start("Anna", Plan(missed=True))
    assert set(asked(third)) == set(asked(first)[1:])


def test_new_questions_of_weak_sections_come_ahead(trainer: Trainer) -> None:
    for n in range(4):
        review = Review(f"u{n}", f"old{n}", "rule", START, 1, "far", "wrong", guess="100.1", rule="704.5h", level=1)
        trainer.progress.add("Anna", review)
    for seed in range(5):
        session = trainer.start("Anna", Plan(length=4, seed=seed))
        assert {RULES[question][:3] for question in asked(session)[:2]} == {"704"}


def test_no_reviews_have_figures_too(trainer: Trainer) -> None:
    found = trainer.figures("Anna")
    assert (found.due, found.streak, found.accuracy.share, found.sections, found.calibration) == (0, 0, 0.0, (), ())


def test_each_refusal_says_what_to_do(trainer: Trainer) -> None:
    for plan, remedy in (
        (Plan(missed=True), "choose from all questions"),
        (Plan(filters=Filters(keyword="wart")), "near it"),
        (Plan(filters=Filters(levels=frozenset({3}), chapters=frozenset({1}))), "leave a filter out"),
        (Plan("contrast", filters=Filters(chapters=frozenset({1}))), "leave a filter out"),
        (Plan(deck="nothing"), "load its file first"),
    ):
        with pytest.raises(RulesError, match=remedy):
            trainer.start("Anna", plan)
    with pytest.raises(RulesError, match="there are Anna"):
        trainer.start("Ben", Plan())
    assert trainer.open_sessions("Anna") == []


def own_set(corpus: Corpus, name: str = "team") -> Deck:
    rows = [{"id": "t1", "question": "Ward?", "rules": ["702.21a"]}, {"id": "x", "question": "Stack?", "rules": ["999.1"]}]
    return Deck.parse(lines(*rows), name, corpus)


def test_own_sets_have_progress_of_their_own(trainer: Trainer, index: Index, clock: Clock) -> None:
    trainer.progress.add_deck("kept", lines({"id": "t1", "question": "Ward again?", "rules": ["702.21a"], "answer": "Pay."}))
    both = Trainer(index, trainer.progress, [own_set(index.corpus)], now=clock)
    assert both.decks() == ["", "team", "kept"]
    for name in both.decks():
        session = both.start("Anna", Plan(deck=name, length=1, filters=Filters(keyword="trample") if not name else Filters()))
        both.answer(session, 1, "702.21a")
    assert {r.item for r in both.progress.reviews("Anna")} >= {"team:t1", "kept:t1"}
    assert len(both.progress.memories("Anna", "rule")) == 3
    with pytest.raises(RulesError, match="no rulings written"):
        both.start("Anna", Plan("ruling", deck="team"))
    open_one = both.start("Anna", Plan(deck="team", exam=True))
    assert [s.id for s in both.open_sessions("Anna")] == [open_one.id]
    clock.tick(days=1)
    assert trainer.open_sessions("Anna") == []  # the set is not loaded here, which is no reason to fail
    assert trainer.due("Anna")["rule"] == 2
    assert both.due("Anna")["rule"] == 3


def test_a_session_goes_on_in_an_edition_that_lacks_a_question(trainer: Trainer, index: Index, clock: Clock) -> None:
    session = trainer.start("Anna", Plan(length=7, seed=1))
    trainer.answer(session, 1, "100.1")
    later = Trainer(index, trainer.progress, now=clock)
    gone = asked(session)[1]
    later.__dict__["bank"] = later.bank.narrowed(Filters(), set(RULES) - {gone})
    task = later.task(session)
    assert task is not None
    assert task.place == 3
    with pytest.raises(RulesError, match="can't be shown"):
        later.answer(session, 2, "100.1")
    run_through(later, session, RULES.__getitem__)
    assert later.resume(session).finished
    assert len(later.result(session).rows) == 6


def test_two_windows_on_one_session(trainer: Trainer, index: Index, clock: Clock) -> None:
    session = trainer.start("Anna", Plan(length=4, seed=1))
    other = Trainer(index, Progress(trainer.progress.path), now=clock)
    trainer.answer(session, 1, "100.1")
    other.answer(session, 2, "100.1")
    trainer.finish(session)
    other.answer(session, 3, "100.1")  # it was on the screen there when the first window ended the session
    assert sorted(trainer.resume(session).answers) == [1, 2, 3]
    assert len(trainer.progress.reviews("Anna")) == 3


PLANS: list[Any] = [
    {"drill": "guess"}, {"drill": None}, {"drill": ["rule"]}, {"length": 0}, {"length": 101}, {"length": "10"}, {"length": True},
    {"minutes": 0}, {"minutes": 1e9}, {"seed": -1}, {"seed": 2**80}, {"missed": 1}, {"exam": "yes"}, {"deck": 7},
    {"deck": "x" * 300}, {"filters": []}, {"filters": {"levels": [9]}}, [], None, "rule",
]  # fmt: skip


@pytest.mark.parametrize("row", PLANS)
def test_a_plan_from_outside_is_checked(row: Any) -> None:
    if row == {"filters": []}:
        assert Plan.from_json(row) == Plan()
        return
    with pytest.raises(RulesError):
        Plan.from_json(row)


def test_a_plan_survives_its_json() -> None:
    plan = Plan("contrast", Filters(levels=frozenset({2}), cards=False), 7, True, True, 30, 11, "team")
    assert Plan.from_json(json.loads(json.dumps(plan.to_json()))) == plan
