"""What a session is asked to be, what it holds, and what it shows."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from index.bank import Question
from index.errors import RulesError
from index.numbers import RuleNumber
from ui.train.filters import Filters
from ui.train.near import Nearness
from ui.train.schedule import DRILLS

LONGEST = 100
"""The most questions of a session."""
GRADES = ("right", "half", "wrong")
POINTS = {"right": 1.0, "half": 0.5, "wrong": 0.0}
MINUTES_EACH = 2
"""Minutes for each question of an exam that names no time."""


@dataclass(frozen=True)
class Plan:
    """What a session is asked to be.

    Attributes:
        drill: one of ``DRILLS``.
        length: how many questions at the most, 1 to ``LONGEST``.
        missed: only those whose last review in this drill was wrong.
        exam: no reveal until the end, with a clock.
        minutes: of an exam, 1 to 600; None for ``MINUTES_EACH`` a question.
        seed: the same seed chooses the same new questions; None for a fresh one.
        deck: the name of an own set; "" is the bank.
    """

    drill: str = "rule"
    filters: Filters = field(default_factory=Filters)
    length: int = 10
    missed: bool = False
    exam: bool = False
    minutes: int | None = None
    seed: int | None = None
    deck: str = ""

    def __post_init__(self) -> None:
        """Raises RulesError: a value is out of range."""
        if self.drill not in DRILLS:
            raise RulesError(f"there is no drill {str(self.drill)[:40]!r}; choose one of {', '.join(DRILLS)}")
        _in_range("length", self.length, 1, LONGEST)
        if self.minutes is not None:
            _in_range("minutes", self.minutes, 1, 600)
        if self.seed is not None:
            _in_range("seed", self.seed, 0, 2**53)
        if not isinstance(self.deck, str) or len(self.deck) > 200:
            raise RulesError("the name of a set is a text of at most 200 characters; leave it out for the bank")

    def to_json(self) -> dict[str, Any]:
        return {
            "drill": self.drill,
            "filters": self.filters.to_json(),
            "length": self.length,
            "missed": self.missed,
            "exam": self.exam,
            "minutes": self.minutes,
            "seed": self.seed,
            "deck": self.deck,
        }

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> "Plan":
        """Read what ``to_json`` wrote, or what a page sends; what is left out has its default.

        Raises:
            RulesError: a field has a wrong type or is out of range.
        """
        if not isinstance(row, Mapping):
            raise RulesError("a plan is an object with the field drill; choose the session anew")
        plain = {name: row[name] for name in ("drill", "length", "minutes", "seed", "deck") if name in row}
        switches = {name: row[name] for name in ("missed", "exam") if name in row}
        if not all(isinstance(value, bool) for value in switches.values()):
            raise RulesError("missed and exam are true or false; choose the session anew")
        return cls(filters=Filters.from_json(row.get("filters") or {}), **plain, **switches)


def _in_range(name: str, value: Any, low: int, high: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise RulesError(f"{name} is {str(value)[:20]}; it must be a whole number between {low} and {high}")


@dataclass(frozen=True)
class Item:
    """One thing asked in a session.

    Attributes:
        key: under which its reviews and memory stand.
        question: the id of the question shown.
        pair: the two rules of a contrast, as numbers in text.
    """

    key: str
    question: str
    pair: tuple[str, str] | None = None


@dataclass(frozen=True)
class Answered:
    """What a trainee answered at one place.

    Attributes:
        guess: a rule number; "" for none.
        said: the ruling in words.
        confidence: percent.
        seconds: from the question's showing to the answer.
        grade: the trainee's own grade of the ruling, in any drill; "" while there is none.
        at: when it was given, in UTC.
    """

    place: int
    guess: str = ""
    said: str = ""
    confidence: int | None = None
    seconds: float | None = None
    grade: str = ""
    at: datetime | None = None


@dataclass(frozen=True)
class Session:
    """One run through a plan, as it is stored.

    Attributes:
        items: what is asked, in order; places count from 1.
        answers: by place.
        started, deadline, finished: in UTC; no deadline unless it is an exam.
    """

    id: str
    profile: str
    plan: Plan
    items: tuple[Item, ...]
    answers: Mapping[int, Answered]
    started: datetime
    deadline: datetime | None = None
    finished: datetime | None = None

    @property
    def pending(self) -> tuple[int, ...]:
        """The places still to do: unanswered, or (in the ruling drill, out of an exam) shown and not graded."""
        graded = self.plan.drill == "ruling" and not self.plan.exam
        done = {place for place, answer in self.answers.items() if answer.grade or not graded}
        return tuple(place for place in range(1, len(self.items) + 1) if place not in done)

    @property
    def running(self) -> bool:
        """Whether it is an exam that has not ended, so that nothing may be revealed."""
        return self.plan.exam and self.finished is None


@dataclass(frozen=True)
class Reveal:
    """What is shown after an answer.

    Attributes:
        guess: None where no rule was named.
        nearness: of the guess; None in the ruling drill.
        told: the nearness in words; "" in the ruling drill.
        grade: right, half or wrong; "" where the trainee has still to grade the ruling.
        own_grade: the trainee's own grade of the ruling that was said; in the ruling drill the same as ``grade``.
        rules: what decides the question, the decisive one first.
        answer: our ruling.
        moved: a sentence, where this edition numbers the rules differently from when the question was written; or "".
        look_alikes: rules that are easily taken for the decisive one.
        due: when this comes again; None where nothing was reviewed yet.
        late: whether another answer stood there already, so that this one was not taken.
    """

    place: int
    question: Question
    pair: tuple[RuleNumber, RuleNumber] | None
    guess: RuleNumber | None
    nearness: Nearness | None
    told: str
    said: str
    confidence: int | None
    grade: str
    own_grade: str
    rules: tuple[RuleNumber, ...]
    answer: str
    moved: str
    look_alikes: tuple[RuleNumber, ...]
    due: datetime | None
    late: bool = field(default=False, compare=False)

    @property
    def already(self) -> str:
        """What to say of an answer that came late; else an empty text."""
        stands = str(self.guess) if self.guess else self.said or "no rule named"
        return f"already answered (in another window?): {stands}" if self.late else ""


@dataclass(frozen=True)
class Task:
    """What is asked now.

    Attributes:
        place: counts from 1.
        pair: the two rules of a contrast, in the order to show them.
        seconds_left: of an exam.
        given: what was answered here before (an exam's answer may be changed until the end).
        reveal: where our ruling was already shown and only the grade is missing.
    """

    place: int
    of: int
    question: Question
    pair: tuple[RuleNumber, RuleNumber] | None = None
    seconds_left: float | None = None
    given: Answered | None = None
    reveal: Reveal | None = None


@dataclass(frozen=True)
class Score:
    """Points out of how many questions."""

    points: float = 0.0
    of: int = 0

    @property
    def share(self) -> float:
        return self.points / self.of if self.of else 0.0


@dataclass(frozen=True)
class Result:
    """How a session went.

    Attributes:
        score: in an exam out of all questions, otherwise out of those answered; a half counts ½.
        nearness: how many guesses of each nearness, by its value; an unanswered question of an exam counts as "none".
        told: the same in words, the nearest first; guesses of one nearness may be told of differently.
        grades: how many right, half, wrong; and "" for those not graded.
        chapters: the score by chapter of the decisive rule, in order.
        rows: each question, answered or (in an exam) not.
        seconds: from start to end; of an open session, of its answers.
        unanswered: how many places have no answer.
    """

    session: Session
    score: Score
    nearness: Counter[str]
    told: Mapping[str, int]
    grades: Counter[str]
    chapters: Mapping[int, Score]
    rows: tuple[Reveal, ...]
    seconds: float
    unanswered: int
