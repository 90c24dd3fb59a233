"""Figures about progress."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import TypeVar

from index.errors import RulesError
from index.numbers import RuleNumber
from ui.train.rows import Review
from ui.train.schedule import Memory
from ui.train.session import POINTS, Score

AHEAD = 14
BACK = 28
"""Days that are shown ahead and back, today included."""
ENOUGH = 3
"""Reviews from which on a section is judged."""
ORDER = "by expected accuracy (few answers say little)"
"""By what the weak sections are ordered, as people are told."""
BINS = ((0, 20), (20, 40), (40, 60), (60, 80), (80, 101))
"""Percent of confidence, from the first to before the second."""

K = TypeVar("K", int, str)


@dataclass(frozen=True)
class Bin:
    """Answers given with about the same confidence.

    Attributes:
        low, high: the bounds in percent.
        count: how many answers.
        said: their mean confidence, 0 to 1.
        right: their mean points, 0 to 1.
    """

    low: int
    high: int
    count: int
    said: float
    right: float


@dataclass(frozen=True)
class Weak:
    """A section with its score, and the accuracy that is expected of it: few answers are drawn towards ½."""

    section: int
    score: Score
    estimate: float


@dataclass(frozen=True)
class Figures:
    """What the progress page shows; days are days of the local time.

    Attributes:
        due: how many items are due by the end of today, overdue ones included.
        due_days: (day, how many) for today (with the overdue) and the 13 days after it.
        days: (day, reviews) for the last 28 days, today last.
        streak: days in a row with a review, up to today; or up to yesterday, while today has none.
        today: reviews of today.
        accuracy: over all reviews.
        chapters, kinds, levels, drills: accuracy by these, in order.
        sections: accuracy by section, at least ``ENOUGH`` reviews, the weakest first.
        calibration: by confidence, only where some was given.
        reviews: how many in all.
        items: how many different ones.
    """

    due: int
    due_days: tuple[tuple[date, int], ...]
    days: tuple[tuple[date, int], ...]
    streak: int
    today: int
    accuracy: Score
    chapters: Mapping[int, Score]
    kinds: Mapping[str, Score]
    levels: Mapping[int, Score]
    drills: Mapping[str, Score]
    sections: tuple[Weak, ...]
    calibration: tuple[Bin, ...]
    reviews: int
    items: int


def figures(reviews: Sequence[Review], memories: Iterable[Memory], now: datetime, zone: tzinfo | None = None) -> Figures:
    """The figures of one profile.

    Args:
        memories: of all drills.
        zone: in which days are counted; the computer's own, if None.
    """

    def day(at: datetime) -> date:
        return at.astimezone(zone).date()

    today = day(now)
    done = Counter(day(review.at) for review in reviews)
    # What is overdue is work of today.
    due = Counter(max(day(memory.due), today) for memory in memories)
    return Figures(
        due=due[today],
        due_days=tuple((today + timedelta(n), due[today + timedelta(n)]) for n in range(AHEAD)),
        days=tuple((today - timedelta(n), done[today - timedelta(n)]) for n in reversed(range(BACK))),
        streak=streak(set(done), today),
        today=done[today],
        accuracy=score(reviews),
        chapters=_by(reviews, lambda r: s // 100 if (s := section_of(r)) is not None else None),
        kinds=_by(reviews, lambda r: r.kind or None),
        levels=_by(reviews, lambda r: r.level or None),
        drills=_by(reviews, lambda r: r.drill),
        sections=weak_sections(reviews),
        calibration=calibration(reviews),
        reviews=len(reviews),
        items=len({(review.drill, review.item) for review in reviews}),
    )


def streak(days: set[date], today: date) -> int:
    """How many days in a row end today, or yesterday while today has none yet."""
    last = today if today in days else today - timedelta(1)
    length = 0
    while last - timedelta(length) in days:
        length += 1
    return length


def score(reviews: Iterable[Review]) -> Score:
    """The points of reviews: right 1, half ½."""
    points = [POINTS[review.grade] for review in reviews]
    return Score(sum(points), len(points))


def section_of(review: Review) -> int | None:
    """The section of a review's decisive rule: 702; None where it names none."""
    try:
        section = RuleNumber.parse(review.rule).section
    except RulesError:
        return None
    return section if section >= 100 else None


def weak_sections(reviews: Sequence[Review]) -> tuple[Weak, ...]:
    """The sections with enough reviews, the one with the least expected accuracy first."""
    scores = _by(reviews, section_of)
    found = (Weak(s, score, (score.points + 1) / (score.of + 2)) for s, score in scores.items() if score.of >= ENOUGH)
    return tuple(sorted(found, key=lambda weak: (weak.estimate, weak.section)))


def calibration(reviews: Iterable[Review]) -> tuple[Bin, ...]:
    """How often answers of about the same confidence were right."""
    sure = [(review.confidence, POINTS[review.grade]) for review in reviews if review.confidence is not None]
    bins = []
    for low, high in BINS:
        inside = [(said, points) for said, points in sure if low <= said < high]
        if inside:
            count = len(inside)
            said, points = sum(s for s, _ in inside) / count / 100, sum(p for _, p in inside) / count
            bins.append(Bin(low, min(high, 100), count, said, points))
    return tuple(bins)


def _by(reviews: Iterable[Review], key: Callable[[Review], K | None]) -> dict[K, Score]:
    groups: dict[K, list[Review]] = {}
    for review in reviews:
        name = key(review)
        if name is not None:
            groups.setdefault(name, []).append(review)
    return {name: score(groups[name]) for name in sorted(groups)}


def local(at: datetime, zone: tzinfo | None = None) -> datetime:
    """A time as the trainee's clock shows it."""
    return at.replace(tzinfo=at.tzinfo or UTC).astimezone(zone)
